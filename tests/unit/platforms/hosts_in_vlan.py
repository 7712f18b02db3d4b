"""Random configurations whose ports are, half of the time, partly access ports of one VLAN with an SVI."""

from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.device_config import DeviceConfig, Interface, Vlan

_WORD = st.from_regex(r"[A-Za-z][A-Za-z0-9_.:/-]{0,12}", fullmatch=True)


def maybe_in_a_vlan(
    draw: st.DrawFn, config: DeviceConfig, svi: str, mtus: st.SearchStrategy[int | None], *, is_named: bool = True
) -> DeviceConfig:
    """Some routed ports of a configuration put into a VLAN; ``mtus``: what a switched port of this system may hold."""
    names = [port.name for port in config.interfaces if port.mtu_bytes is not None]
    if not names or not draw(st.booleans()):
        return config
    number, chosen = draw(st.integers(2, 1005)), draw(st.sets(st.sampled_from(names)))
    ports = [
        replace(port, address=None, mtu_bytes=draw(mtus), access_vlan=number, edge=draw(st.booleans()))
        if port.name in chosen
        else port
        for port in config.interfaces
    ]
    address = draw(st.sampled_from(("10.168.4.1/23", "10.168.6.1/24")))
    mtu = draw(st.sampled_from((4200, 9000, 9214)))
    ports.append(Interface(f"{svi}{number}", draw(st.none() | _WORD), address, mtu, draw(st.booleans()), None))
    vlan = Vlan(number, "COMPUTE-HOSTS" if is_named else None)
    return replace(config, vlans=(vlan,), interfaces=tuple(ports))
