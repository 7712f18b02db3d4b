"""Spanning trees and partners of a site's switches in the fabric of the lab: what goes in, and what is shown."""

from collections.abc import Iterator

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.observed import LacpPartner, TreePort, TreeState
from switch_twins import partners, trees
from switch_twins.fabric import FabricSim
from switch_twins.state import TreeLines


def tree_lines(config: DeviceConfig) -> tuple[TreeLines, ...]:
    lines = config.spanning_tree
    if lines is None:
        return ()
    if lines.mode != "rapid-pvst":
        return (TreeLines("MST0", lines.priority),)
    return tuple(TreeLines(f"VLAN{each.number:04d}", lines.priority, each.number) for each in config.vlans)


def trees_of(sim: FabricSim, config: DeviceConfig) -> tuple[TreeState, ...] | None:
    """Cumulus Linux does not show them."""
    if config.os == "nvue":
        return None
    found = trees.trees(sim, config.name)
    return tuple(TreeState(x.lines.name, x.root.serial, x.root.priority, x.own.serial) for x in found)


def tree_ports_of(sim: FabricSim, config: DeviceConfig) -> Iterator[TreePort]:
    for port in config.interfaces:
        is_switched = port.access_vlan is not None or port.tagged_vlans is not None
        if is_switched and port.member is None and sim.is_up(config.name, port.name):
            edge, guarded = port.edge if config.os != "nxos" else None, port.edge if config.os == "nvue" else None
            yield TreePort(port.name, "forwarding", True, edge, guarded)


def partners_of(sim: FabricSim, config: DeviceConfig) -> tuple[LacpPartner, ...] | None:
    """Cumulus Linux does not show them."""
    if config.os == "nvue":
        return None
    groups = (each.name for each in config.interfaces if each.lag is not None)
    return tuple(
        LacpPartner(each.port, ":".join(each.system), "fast" if each.is_fast else "slow")
        for group in groups
        for each in partners.partners(sim, config.name, group)
    )
