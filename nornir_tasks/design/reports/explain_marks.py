"""ECN for ``nornir design --explain``: by which thresholds ports of each speed mark, and who published them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from nornir_tasks.design.config.qos import Ecn, PortProfile
from nornir_tasks.design.realise.configuration import Realised

NO_LENGTHS = "no source has any by length of cable"


class MarkingFigure(NamedTuple):
    """Thresholds of one queue of the ports of one profile."""

    name: str
    value: str
    rule: str
    inputs: Mapping[str, int | str]


def marking_figures(kind: str, each: Realised, *, published: bool) -> Iterator[MarkingFigure]:
    """Every queue that marks on the links and ports of a kind of switch; ``published``: the intent says ``auto``."""
    known, qos = each.capabilities, each.config.qos
    for profile in qos.profiles if qos is not None else ():
        if not profile.name.startswith(known.queue_profile_name):  # of a plane of its own
            continue
        speeds = _speeds(each, profile)
        for queue in profile.queues:
            if queue.ecn is None or not speeds:
                continue
            name = f"ECN, {kind}, queue {queue.number}" + _of(each, profile)
            value = f"{queue.ecn.min_bytes}-{queue.ecn.max_bytes} bytes, {queue.ecn.probability_percent} %"
            rule = _rule(each, speeds) if published else "the intent's thresholds, rounded up to cells"
            yield MarkingFigure(name, value, rule, _inputs(each, queue.ecn, speeds, published=published))


def _of(each: Realised, profile: PortProfile) -> str:
    found = profile.name.removeprefix(each.capabilities.queue_profile_name).removeprefix("-")
    return f", ports that mark as those of {found}" if found else ""


def _speeds(each: Realised, profile: PortProfile) -> list[int]:
    ports = (port for port in each.config.interfaces if port.qos_profile == profile.name)
    return sorted({port.layer1.speed_gbps for port in ports if port.layer1 is not None})


def _rule(each: Realised, speeds: list[int]) -> str:
    figure = each.capabilities.ecn_at(speeds[0])
    if figure is None:
        return each.capabilities.ecn_source
    others = " and ".join(f"{gbps}G" for gbps in speeds if not figure.is_for(gbps))
    stands_in = f"; no source has thresholds of {each.capabilities.asic} for ports of {others}: these stand in"
    return f"{figure.source}{stands_in if others else ''}; {NO_LENGTHS}"


def _inputs(each: Realised, ecn: Ecn, speeds: list[int], *, published: bool) -> dict[str, int | str]:
    cell = each.capabilities.ecn_cell_bytes
    found: dict[str, int | str] = {"ecn": "auto" if published else "given", "cell_bytes": cell}
    found["port_gbps"] = ", ".join(map(str, speeds))
    figure = each.capabilities.ecn_at(speeds[0])
    if published and figure is not None:
        found["published_for_gbps"] = "every port" if figure.gbps is None else figure.gbps
    in_cells = -(-ecn.min_bytes // cell) * cell
    if in_cells != ecn.min_bytes:
        found["begins_at_bytes"] = in_cells
    return found
