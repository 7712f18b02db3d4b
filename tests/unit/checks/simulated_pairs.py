"""Pairs of a site's switches and their gateways in the fabric of the lab: what goes in, and what is shown of them."""

from collections.abc import Iterator

from nornir_tasks.checks.switches.mlag import domain_of
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.pair import PairSettings
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.observed import NO_PAIR, GatewayState, PairState, Unlike
from switch_twins import hsrp
from switch_twins.fabric import FabricSim
from switch_twins.state import Compared, HsrpGroup, InterfaceState
from switch_twins.state import PairState as PairLines


def hsrp_lines(port: Interface) -> tuple[HsrpGroup, ...]:
    gateway = port.gateway
    if gateway is None or gateway.group is None:
        return ()
    return (HsrpGroup(gateway.group, gateway.address or "", gateway.priority or 100, gateway.preempt, 2),)


def gateways_of(sim: FabricSim, config: DeviceConfig) -> Iterator[GatewayState]:
    for each in hsrp.standings(sim, config.name):
        is_up = each.role != "initial"
        yield GatewayState(each.interface, each.group.address, is_up, each.role == "active", each.role, None)
    for port in config.interfaces:
        if port.gateway is not None and port.gateway.address is not None and port.gateway.group is None:
            is_up = sim.is_up(config.name, port.name)
            word = "up" if is_up else "down"
            yield GatewayState(port.name, port.gateway.address, is_up, None, word, port.gateway.mac_address)


def pair_lines(config: DeviceConfig) -> PairLines | None:
    """What a switch was told of its pair, with a row of each kind that its system compares."""
    pair = config.pair
    if pair is None:
        return None
    return PairLines(
        domain=domain_of(pair),
        needs_same_domain=config.os != "nvue",
        peer_link=pair.peer_link,
        talks_on=f"Vlan{pair.vlan}" if pair.peer_address else f"{pair.peer_link}.{pair.vlan}" if pair.vlan else "",
        vlan=pair.vlan if pair.peer_address else None,
        peer_address=pair.peer_address or "",
        keepalive=pair.keepalive_address,
        keepalive_vrf=pair.keepalive_vrf or "default",
        priority=pair.priority or 0,
        compared=tuple(_compared(config, pair)),
    )


def peer_subinterfaces(config: DeviceConfig) -> Iterator[InterfaceState]:
    """By which both route to one another where the peer VLAN has no interface of its own."""
    pair = config.pair
    if pair is not None and pair.vlan is not None and pair.peer_address is None:
        name = f"{pair.peer_link}.{pair.vlan}"
        yield InterfaceState(name, link_local="fe80::1", advertises=True, port=pair.peer_link, tag=pair.vlan)


def _compared(config: DeviceConfig, pair: PairSettings) -> Iterator[Compared]:
    link = next((each for each in config.interfaces if each.name == pair.peer_link), None)
    vlans = {*(link.tagged_vlans or ()), link.native_vlan} - {None} if link is not None else set[int]()
    if config.os != "nvue":
        action = "vlans" if config.os == "nxos" else ""
        yield Compared("Allowed VLANs", ",".join(map(str, sorted(map(int, vlans)))), action=action)
        yield Compared("delay", str(pair.detection_delay_s))
        return
    native, tree = link.native_vlan if link is not None else None, config.spanning_tree
    yield Compared("bridge-priority", str(tree.priority if tree is not None else 32768), action="secondary")
    yield Compared("peerlink-mtu", str(link.mtu_bytes if link is not None else 0), action="secondary")
    yield Compared("peerlink-native-vlan", str(native or "-"), action="secondary", is_conflict=native is None)
    yield Compared("peerlink-vlans", ", ".join(map(str, sorted(map(int, vlans)))), action="vlans")
    yield Compared("system-mac", domain_of(pair), action="secondary")
    for port in config.interfaces:
        if port.lag is not None and port.lag.pair_id is not None:
            untagged = str(port.access_vlan or port.native_vlan or "-")
            yield Compared("native-vlan", untagged, "", port.name, str(port.lag.pair_id), "secondary")


def pair_of(sim: FabricSim, config: DeviceConfig) -> PairState | None:
    """The pair as a switch shows it."""
    found = sim.pair(config.name)
    if found is None:
        return NO_PAIR if config.pair is not None else None
    unlike = tuple(Unlike(_name(each.own), each.own.value, each.peer_value) for each in found.differences)
    return PairState(
        found.config.domain,
        found.config.peer_link,
        found.is_peer_up,
        found.reason or "connected",
        found.is_keepalive_alive,
        found.role,
        unlike if found.is_peer_up else None,
    )


def _name(row: Compared) -> str:
    return f"{row.interface} {row.name}" if row.number else row.name
