"""The cost of layouts, the cheapest one that can be built, and why the runner-up lost.

The criteria, in this order: switches, links, optics; then fewer spine groups (or pods), since rails that share their
spines need no NVLink between them; then fewer leaf groups, then fewer uplinks. Costs are those with all hosts of
``hosts.max``, for which the layout is bought.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.model.media import STRAIGHT
from nornir_tasks.design.model.sizing import Layout, Option

Builds = Callable[[Layout], bool]
"""Does this layout fit the tables and ports of every kind of switch?"""


class Cheapest:
    """Compares layouts and keeps the best two that can be built, and the best of those that cannot."""

    def __init__(self, choices: Choices, builds: Builds) -> None:
        self._choices = choices
        self._builds = builds
        self._best: list[Option] = []
        self._too_much: Option | None = None

    @property
    def chosen(self) -> Option | None:
        """The cheapest; if none fits the switches' tables, the cheapest anyway: its refusal shows the numbers."""
        return self._best[0] if self._best else self._too_much

    @property
    def runner_up(self) -> Option | None:
        """The next in rank."""
        return self._best[1] if len(self._best) > 1 else None

    @property
    def most_switches(self) -> float:
        """A layout with more switches than this can be skipped: it is neither chosen nor runner-up."""
        return self._best[1].switches if len(self._best) > 1 else inf

    def offer(self, layout: Layout) -> None:
        """Consider one more layout."""
        switches, links = _switches(layout), _links(self._choices, layout)
        if len(self._best) > 1 and (switches, links) > (self._best[1].switches, self._best[1].links):
            return
        option = priced(self._choices, layout)
        if self._builds(layout):
            self._best = sorted((*self._best, option), key=lambda each: each.rank)[:2]
        elif self._too_much is None or option.rank < self._too_much.rank:
            self._too_much = option


def priced(choices: Choices, layout: Layout) -> Option:
    """A layout and what it costs alone."""
    costs = _switches(layout), _links(choices, layout), _optics(choices, layout)
    return Option(layout, *costs, capacity(choices, layout))


def in_all_copies(choices: Choices, option: Option) -> Option:
    """The same layout with the costs of all copies of the fabric instead of one.

    All copies have switches, links and pluggables of their own, except for the hosts': a NIC has one pluggable.
    """
    return copied(option, option.layout.copies, nic_optics(choices))


def copied(option: Option, copies: int, nics: int) -> Option:
    """A layout with the costs of so many copies; ``nics``: pluggables that all copies share."""
    optics = nics + copies * (option.optics - nics)
    return replace(option, switches=copies * option.switches, links=copies * option.links, optics=optics)


def nic_optics(choices: Choices) -> int:
    """Pluggables of the hosts' NICs on the plane; none where cables to hosts come with their ends."""
    demand = choices.demand
    return 0 if choices.host_medium in STRAIGHT else demand.hosts.max * demand.nics.rails


def _switches(layout: Layout) -> int:
    return layout.leaves + layout.spines + layout.cores


def capacity(choices: Choices, layout: Layout) -> float:
    """Share of the declared uplink bandwidth that a full leaf keeps when one of its spines is lost."""
    demand = choices.demand
    down = layout.hosts_per_group * layout.nics_per_host * demand.nics.speed
    kept = (layout.uplinks - layout.parallel) * layout.uplink_gbps
    return kept * demand.fabric.spine.oversubscription / down


def _links(choices: Choices, layout: Layout) -> int:
    core = layout.spines * layout.pods.spine_uplinks if layout.pods else 0
    return choices.demand.hosts.max * layout.rails + layout.leaves * layout.uplinks + core + _peer_links(layout)


def _peer_links(layout: Layout) -> int:
    return layout.leaf_groups * layout.peer_links


def _optics(choices: Choices, layout: Layout) -> int:
    """Pluggables that are bought by themselves: cages of the switches, split or whole, and the hosts' NICs."""
    demand, pods, leaves = choices.demand, layout.pods, tuple(_leaves(choices, layout))
    found = 0
    if choices.host_medium not in STRAIGHT:
        found += nic_optics(choices)
        found += sum(many * _cages(hosts * layout.nics_per_host, each.down_ways) for each, many, hosts in leaves)
    if demand.fabric.spine.medium not in STRAIGHT:
        found += sum(many * _cages(layout.uplinks, each.up_ways) for each, many, _ in leaves)
        found += sum(_cages(down * layout.parallel, each.down_ways) for each, down in _spines(choices, layout))
    pairs = demand.fabric.leaf.pairs
    if pairs is not None and pairs.medium not in STRAIGHT:
        found += 2 * _peer_links(layout)
    if pods and choices.core and demand.fabric.core and demand.fabric.core.medium not in STRAIGHT:
        found += sum(_cages(pods.spine_uplinks, each.up_ways) for each, _ in _spines(choices, layout))
        found += layout.cores * _cages(pods.parallel * layout.spine_groups, choices.core.down_ways)
    return found


def spine_optics(choices: Choices, spines: int, links_down: int) -> int:
    """Pluggables of so many spines, each with so many links to leaves; none where those come with their ends."""
    if choices.demand.fabric.spine.medium in STRAIGHT:
        return 0
    return sum(_cages(links_down, choices.spine_of(index).down_ways) for index in range(1, spines + 1))


def _cages(ports: int, ways: int) -> int:
    return -(-ports // ways)


def _leaves(choices: Choices, layout: Layout) -> Iterator[tuple[Choice, int, int]]:
    """Kinds of leaf, the number of each, and the hosts of its group: the last group may have fewer."""
    rails, groups, hosts = layout.leaf_rails, layout.leaf_groups, layout.hosts_per_group
    last = choices.demand.hosts.max - (groups - 1) * hosts
    if not choices.leaf_overrides:
        yield choices.leaf, (groups - 1) * len(rails), hosts
        yield choices.leaf, len(rails), last
        return
    for group in range(1, groups + 1):
        for rail in rails:
            yield choices.leaf_of(group, rail), 1, last if group == groups else hosts


def _spines(choices: Choices, layout: Layout) -> Iterator[tuple[Choice, int]]:
    """Every spine with the number of leaves connected to it; the last pod may have fewer."""
    for index in range(1, layout.spines + 1):
        leaves, group = layout.leaves_per_spine, (index - 1) // layout.spines_per_group + 1
        if layout.pods and group == layout.spine_groups:
            leaves = layout.leaves - (layout.spine_groups - 1) * layout.pods.groups_per_pod * len(layout.leaf_rails)
        yield choices.spine_of(index), leaves


def why_lost(chosen: Option, other: Option) -> str:
    """The first criterion by which ``other`` is worse, in words."""
    even: list[str] = []
    for (one, several), less, more in _compared(chosen, other):
        if less != more:
            also = f"as many {', '.join(even)}, but " if even else ""
            return f"{also}{_count(more - less, one, several)} more"
        even.append(several)
    return f"as many {', '.join(even)}"


def _compared(chosen: Option, other: Option) -> Iterator[tuple[tuple[str, str], int, int]]:
    yield ("switch", "switches"), chosen.switches, other.switches
    yield ("link", "links"), chosen.links, other.links
    yield ("optic", "optics"), chosen.optics, other.optics
    groups = ("pod", "pods") if chosen.layout.pods else ("spine group", "spine groups")
    yield groups, chosen.layout.spine_groups, other.layout.spine_groups
    yield ("leaf group", "leaf groups"), chosen.layout.leaf_groups, other.layout.leaf_groups
    yield ("uplink", "uplinks"), chosen.layout.uplinks, other.layout.uplinks


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def in_words(option: Option) -> str:
    """``8 leaves, 3 spines, 21 uplinks a leaf: 11 switches, 464 links, 912 optics``."""
    layout = option.layout
    spines = _count(layout.spines, "spine", "spines")
    if layout.spine_groups > 1:
        spines += f" in {layout.spine_groups} {'pods' if layout.pods else 'groups'}"
    tiers = [_count(layout.leaves, "leaf", "leaves"), spines]
    tiers += [_count(layout.cores, "core", "cores")] if layout.pods else []
    tiers.append(f"{_count(layout.uplinks, 'uplink', 'uplinks')} a leaf")
    costs = (f"{option.switches} switches", f"{option.links} links", f"{option.optics} optics")
    whole = " of the fabric" if layout.beside else ""
    if layout.copies > 1:
        return f"in each of {layout.copies} copies {', '.join(tiers)}; in all {', '.join(costs)}{whole}"
    return f"{', '.join(tiers)}: {', '.join(costs)}{whole}"


def costs(option: Option) -> dict[str, int]:
    """Name -> count."""
    return {"switches": option.switches, "links": option.links, "optics": option.optics}
