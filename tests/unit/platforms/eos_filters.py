"""Access lists on the host ports of a leaf of EOS."""

from dataclasses import replace

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList, AclBinding, AclRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.system_facts import AclFacts


def filtered(base: DeviceConfig, facts: AclFacts | None) -> DeviceConfig:
    """A leaf, with lists of both families on its host ports, both ways."""
    assert facts is not None
    rules = (
        AclRule(10, True, ICMP["ipv4"], icmp_type=3),
        AclRule(20, True, TCP, "10.168.0.0/24", "10.168.1.1/32", None, (443, 443)),
        AclRule(30, True, UDP, None, "10.168.0.0/16", (67, 68), (1024, 65535)),
        AclRule(40, True, TCP, established=True),
        AclRule(50, True, 89),
        AclRule(1000, permit=False),
    )
    rules6 = (
        AclRule(10, True, ICMP["ipv6"]),
        AclRule(20, True, TCP, "2001:db8::/32", "2001:db8::1/128", (22, 22)),
        AclRule(1000, permit=False),
    )
    lists = (AccessList("COMPUTE-HOSTS", "ipv4", rules), AccessList("COMPUTE-HOSTS6", "ipv6", rules6))
    acls = tuple(AclBinding(each.family, direction, each.name) for each in lists for direction in ("in", "out"))
    ports = [replace(port, acls=acls) if port.name.startswith("Ethernet1") else port for port in base.interfaces]
    services = (*base.services, *(name for _, name in facts.services))
    return replace(base, services=services, access_lists=lists, interfaces=tuple(ports))
