"""Pairs of a site's switches and their gateways in the fabric of the lab: what goes in, and what is shown of them."""

from collections.abc import Iterator

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.platforms.observed import NO_PAIR, GatewayState, PairState, Unlike
from switch_twins import hsrp
from switch_twins.fabric import FabricSim
from switch_twins.state import HsrpGroup


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


def pair_of(sim: FabricSim, config: DeviceConfig) -> PairState | None:
    """Cumulus Linux does not show what both have otherwise."""
    found = sim.pair(config.name)
    if found is None:
        return NO_PAIR if config.pair is not None else None
    unlike = tuple(Unlike(each.own.name, each.own.value, each.peer_value) for each in found.differences)
    return PairState(
        found.config.domain,
        found.config.peer_link,
        found.is_peer_up,
        found.reason or "connected",
        found.is_keepalive_alive,
        found.role,
        unlike if found.is_peer_up and config.os != "nvue" else None,
    )
