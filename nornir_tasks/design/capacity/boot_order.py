"""In which order blank switches can boot for the first time, by the cables of the out-of-band tree.

A switch that boots asks the server of day 0, and its first push comes from the tool: both need a way to its management
port, over switches that carry packets already. A blank one carries none, nor does one whose push has not come yet. The
tree's own switches hang on each other, so that some have no such way: these are brought up by hand, as few as will do.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from nornir_tasks.design.capacity.management_paths import ManagementPath, in_words, paths_from
from nornir_tasks.design.model.network import Network


@dataclass(frozen=True, slots=True)
class Stage:
    """Switches that can boot at once, after those of the stages before have booted and have been pushed to."""

    switches: tuple[str, ...]
    by_hand: str = ""
    """Why the one switch of this stage has no way to the server yet; empty: each has one."""


def boot_order(network: Network, server: str, blank: Collection[str]) -> tuple[Stage, ...]:
    """The stages of these switches; all others carry packets already. Empty where the server is not on the plane."""
    desk = _access_switch(network, server)
    return () if desk is None else tuple(_stages(network, desk, blank))


def _access_switch(network: Network, server: str) -> str | None:
    """The access switch that this address is below."""
    for device, plane in network.attached_prefixes:
        block = network.host_block(device, plane)
        if block is not None and ip_address(server) in ip_network(block):
            return device
    return None


def _stages(network: Network, desk: str, blank: Collection[str]) -> Iterator[Stage]:
    tool = next((each.leaf for each in network.attached if each.host == network.tool), desk)
    every = [paths_from(network, start) for start in dict.fromkeys((desk, tool))]
    waiting = {each.name: None for each in network.devices if each.name in blank and each.name in every[0]}
    while waiting:
        stage, why = _ready(waiting, every), ""
        if not stage:
            stage = (_first(waiting, every),)
            paths = (each[stage[0]] for each in every)
            over = next(in_words(path) for path in paths if not _leads(path, waiting))
            why = f"the way to its management port is over {over}"
        yield Stage(stage, why)
        waiting = {each: None for each in waiting if each not in stage}


def _ready(waiting: Collection[str], every: Sequence[Mapping[str, ManagementPath]]) -> tuple[str, ...]:
    return tuple(each for each in waiting if all(_leads(paths[each], waiting) for paths in every))


def _leads(path: ManagementPath, waiting: Collection[str]) -> bool:
    return all(any(each not in waiting for each in step) for step in path.steps)


def _first(waiting: Collection[str], every: Sequence[Mapping[str, ManagementPath]]) -> str:
    """The switch by which most of those that wait get a way; of equal ones that closest to the server."""
    on_the_way = [each for paths in every for path in paths.values() for step in path.steps for each in step]
    found = [each for each in dict.fromkeys(on_the_way) if each in waiting]
    return max(found, key=lambda each: len(_ready([other for other in waiting if other != each], every)))
