"""Random configurations with access lists, within what an OS can do with them."""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network

from hypothesis import strategies as st

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList, AclBinding, AclRule, Family
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.system_facts import AclFacts

_LISTS: dict[Family, tuple[str, ...]] = {
    "ipv4": ("COMPUTE-HOSTS-IN", "COMPUTE-HOSTS-OUT"),
    "ipv6": ("COMPUTE-HOSTS6-IN", "COMPUTE-HOSTS6-OUT"),
}
_OTHERS = (2, 47, 50, 89, 103, 112, 200)
"""Protocols with and without a name."""
_PORT = st.sampled_from((1, 22, 53, 80, 179, 443, 2049, 8008, 50000, 65535)) | st.integers(0, 65535)


def _prefixes(family: Family) -> st.SearchStrategy[str | None]:
    kind, bits = (IPv4Network, 32) if family == "ipv4" else (IPv6Network, 128)
    pairs = st.tuples(st.integers(0, 2**bits - 1), st.sampled_from((8, 16, 24, bits)))
    return st.none() | pairs.map(lambda each: str(kind(each, strict=False)))


@st.composite
def rules(draw: st.DrawFn, family: Family, facts: AclFacts, sequence: int, *, is_out: bool) -> AclRule:
    """A rule of any kind that an OS with these facts holds."""
    protocol = draw(st.sampled_from((None, TCP, UDP, ICMP[family], *_OTHERS)))
    made = AclRule(sequence, draw(st.booleans()), protocol, draw(_prefixes(family)), draw(_prefixes(family)))
    if protocol in {TCP, UDP}:
        single = _PORT.map(lambda port: (port, port))
        several = st.tuples(_PORT, _PORT).map(lambda ports: (min(ports), max(ports)))
        ports = st.none() | (single if is_out and not facts.has_ranges_out else single | several)
        made = replace(made, source_ports=draw(ports), destination_ports=draw(ports))
    if protocol == TCP:
        made = replace(made, established=draw(st.booleans()))
    if protocol == ICMP[family] and family in facts.icmp_types:
        made = replace(made, icmp_type=draw(st.none() | st.integers(0, 255)))
    return made


@st.composite
def lists(draw: st.DrawFn, name: str, family: Family, facts: AclFacts) -> AccessList:
    """A list of a few rules; what it says last is that all else is denied."""
    numbers = sorted(draw(st.sets(st.integers(1, min(facts.max_sequence, 9_999)), max_size=4)))
    found = [draw(rules(family, facts, number, is_out=name.endswith("OUT"))) for number in numbers]
    return AccessList(name, family, (*found, AclRule(10_000, permit=False)))


def maybe_filtered(draw: st.DrawFn, config: DeviceConfig, facts: AclFacts) -> DeviceConfig:
    """Some ports with access lists, as far as the OS can apply them there."""
    if not draw(st.booleans()):
        return config
    acls = tuple(draw(lists(name, family, facts)) for family, names in _LISTS.items() for name in names)
    ports = tuple(replace(port, acls=tuple(_bound(draw, port, facts))) for port in config.interfaces)
    uses = {"any", *(each.use for port in ports for each in port.acls)}
    services = (*config.services, *(service for use, service in facts.services if use in uses))
    return replace(config, services=services, access_lists=acls, interfaces=ports)


def _bound(draw: st.DrawFn, port: Interface, facts: AclFacts) -> Iterator[AclBinding]:
    is_unused = port.mtu_bytes is None and port.access_vlan is None and port.tagged_vlans is None
    if is_unused or port.member is not None:
        return
    kind = "routed" if port.access_vlan is None and port.tagged_vlans is None else "switched"
    for family, (inward, outward) in _LISTS.items():
        bindings = (AclBinding(family, "in", inward), AclBinding(family, "out", outward))
        places = facts.places - ({f"{kind} {use}" for use in facts.not_on_groups} if port.lag is not None else set())
        yield from (each for each in bindings if f"{kind} {each.use}" in places and draw(st.booleans()))
