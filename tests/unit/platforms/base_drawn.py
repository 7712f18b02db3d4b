"""Random configurations in which base configuration is ours, in part, or not at all."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.base import Base, BaseSection, Server
from nornir_tasks.design.device_config import DeviceConfig

ADDRESSES = st.ip_addresses().filter(lambda each: getattr(each, "scope_id", None) is None).map(str)


def maybe_managed(
    draw: st.DrawFn, config: DeviceConfig, *management_vrfs: str, has_domain: bool = True
) -> DeviceConfig:
    """The same configuration, perhaps with servers for time and log, all in one VRF: what the intent can hold."""
    vrf = draw(st.sampled_from((None, *management_vrfs)))

    def servers() -> tuple[Server, ...]:
        return tuple(Server(each, vrf) for each in draw(st.lists(ADDRESSES, max_size=3, unique=True)))

    name = draw(st.sampled_from((None, config.name)))
    domain = draw(st.sampled_from((None, "fabric.example.net"))) if has_domain else None
    made = Base(hostname=name, name_servers=servers(), domain=domain, time_servers=servers(), log_servers=servers())
    return replace(config, base=made)


def sections_of(base: Base) -> frozenset[BaseSection]:
    """The sections that have a line."""
    found: dict[BaseSection, object] = {
        "hostname": base.hostname,
        "dns": base.name_servers or base.domain,
        "ntp": base.time_servers,
        "syslog": base.log_servers,
    }
    return frozenset(section for section, value in found.items() if value)
