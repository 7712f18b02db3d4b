"""Random configurations whose ports are of every kind: in one VLAN, in several, with subinterfaces, in a VRF."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.qos import PortProfile, Qos
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.design.model.device_config import DeviceConfig

_WORD = st.from_regex(r"[A-Za-z][A-Za-z0-9_.:/-]{0,12}", fullmatch=True)
_VRF = "COMPUTE-BLUE"
_TRUNK_VLANS = range(1006, 1010)
"""None of them is an access VLAN or a tag below."""
_TAGS = st.sets(st.integers(2000, 2009), max_size=2)


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


def maybe_with_tags(
    draw: st.DrawFn, config: DeviceConfig, mtus: st.SearchStrategy[int | None], *, is_named: bool = True
) -> DeviceConfig:
    """Some routed ports made trunks, others with subinterfaces, and what is routed partly in a VRF."""
    if not draw(st.booleans()):
        return config
    vrfs, ports, vlans = st.sampled_from((None, _VRF)), list[Interface](), set[int]()
    for port in config.interfaces:
        if port.mtu_bytes is None or port.access_vlan is not None:
            ports.append(port)
            continue
        kind = draw(st.sampled_from(("plain", "VRF") if _is_svi(port) else ("plain", "VRF", "trunk", "tags")))
        if kind == "trunk":
            tagged = draw(st.sets(st.sampled_from(_TRUNK_VLANS), min_size=1))
            native = draw(st.none() | st.sampled_from(_TRUNK_VLANS))
            tagged -= {native}
            made = replace(port, address=None, vrf=None, mtu_bytes=draw(mtus), edge=draw(st.booleans()))
            if tagged:
                vlans |= {*tagged, *({native} if native else ())}
                ports.append(replace(made, tagged_vlans=tuple(sorted(tagged)), native_vlan=native))
                continue
        ports.append(replace(port, vrf=draw(vrfs) if kind == "VRF" else None))
        for tag in draw(_TAGS) if kind == "tags" else ():
            address = f"10.168.{tag - 2000}.{len(ports)}/31"
            sub = Interface(f"{port.name}.{tag}", draw(st.none() | _WORD), address, 1500, draw(st.booleans()), None)
            ports.append(replace(sub, tag=tag, vrf=draw(vrfs)))
    more = tuple(Vlan(number, f"COMPUTE-{number}" if is_named else None) for number in vlans)
    in_vrf = (Vrf(_VRF),) if any(port.vrf for port in ports) else ()
    return replace(config, vlans=(*config.vlans, *more), vrfs=in_vrf, interfaces=tuple(ports))


def maybe_with_lags(
    draw: st.DrawFn, config: DeviceConfig, make: Callable[[st.DrawFn, Interface, int], tuple[Interface, Interface]]
) -> DeviceConfig:
    """Some ports made members of a group each, or of one group; ``make``: the group and the member, of a port that is
    routed, an access port or a trunk."""
    candidates = [port for port in config.interfaces if port.qos_profile is not None and not _has_parts(config, port)]
    if not candidates or not draw(st.booleans()):
        return config
    chosen = draw(st.sets(st.sampled_from([port.name for port in candidates]), min_size=1, max_size=3))
    ports = list[Interface]()
    for port in config.interfaces:
        ports.extend(make(draw, port, len(ports) + 1) if port.name in chosen else (port,))
    return replace(config, interfaces=tuple(ports))


def _has_parts(config: DeviceConfig, port: Interface) -> bool:
    """Has it subinterfaces?"""
    return any(each.name.startswith(f"{port.name}.") for each in config.interfaces)


def _is_svi(port: Interface) -> bool:
    return port.name.lower().startswith("vlan")


def maybe_lossy(draw: st.DrawFn, config: DeviceConfig, name: str) -> DeviceConfig:
    """Some ports with a profile that pauses nothing and shares bandwidth in its own way."""
    carrying = [port.name for port in config.interfaces if port.qos_profile is not None]
    if config.qos is None or len(carrying) < 2 or not draw(st.booleans()):
        return config
    chosen = draw(st.sets(st.sampled_from(carrying[1:]), min_size=1))  # one keeps the fabric's, as a switch's links do
    profile = config.qos.profiles[0]
    queues = tuple(replace(each, weight_percent=50) if each.weight_percent else each for each in profile.queues)
    own = PortProfile(name, (), draw(st.booleans()) and config.os == "eos", queues)
    ports = tuple(replace(port, qos_profile=name) if port.name in chosen else port for port in config.interfaces)
    return replace(config, interfaces=ports, qos=_with(config.qos, own))


def _with(qos: Qos, profile: PortProfile) -> Qos:
    return replace(qos, profiles=(*qos.profiles, profile))
