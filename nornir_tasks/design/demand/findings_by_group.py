"""Findings about a fabric with several groups of hosts or planes: each names those that it concerns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.intent.core.findings import Finding


@dataclass(frozen=True)
class Whose:
    """Findings with the demands that have them."""

    demands: list[Demand] = field(default_factory=list)
    found: dict[Finding, list[Demand]] = field(default_factory=dict)

    def add(self, demand: Demand, findings: Iterable[Finding]) -> None:
        """The findings of one demand; of each demand of the fabric once."""
        self.demands.append(demand)
        for each in findings:
            self.found.setdefault(each, []).append(demand)

    def attributed(self) -> Iterator[Finding]:
        """A finding of all demands concerns the fabric; any other one is given for each demand, with its place."""
        for finding, whose in self.found.items():
            if len(whose) == len(self.demands) or finding.also:
                yield finding
            else:
                yield from (named(finding, each) for each in whose)


def named(finding: Finding, demand: Demand) -> Finding:
    """The finding with the place of this group of hosts on its plane, unless it is there already."""
    place = demand.on_nics()
    is_there = finding.also or finding.path[: len(place)] == place
    return finding if is_there else replace(finding, also=place)
