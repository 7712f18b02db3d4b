"""Several groups of hosts, or planes, on one fabric: each has its own leaves, and all share the spines.

A section is the leaves of one group of hosts on one plane. Its layouts for every possible number of spines
(:mod:`.topology`) are combined with those of the other sections (:mod:`.shared_spines`), and the cheapest fabric that
its switches hold as a whole is used. Leaf groups are numbered throughout,
section by section, unless one declares its first number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice

from nornir_tasks.design.demand.choices import Choices
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.findings_by_group import Whose
from nornir_tasks.design.layout import spare_legs, spines_to_come
from nornir_tasks.design.layout.cheapest import copied, nic_optics
from nornir_tasks.design.layout.port_capacity import Sizes
from nornir_tasks.design.layout.shared_spines import Together, together
from nornir_tasks.design.layout.table_limits import holds
from nornir_tasks.design.layout.topology import MIN_SPINES, every_sizing, lay_out
from nornir_tasks.design.model.sizing import Beside, CannotBuildError, Layout, Option, Sizing
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks


@dataclass(frozen=True, slots=True)
class Section:
    """The leaves of one group of hosts on one plane, and the spines that all sections of its fabric share."""

    choices: Choices
    sizing: Sizing

    @property
    def demand(self) -> Demand:
        """The demand of this section."""
        return self.choices.demand

    @property
    def layout(self) -> Layout:
        """The chosen layout."""
        return self.sizing.chosen.layout


def sections(every: Sequence[Choices], marks: Marks) -> tuple[Section, ...]:
    """The sections of one fabric, in the order of the file. Raises DesignError for what cannot be built."""
    if len(every) == 1:
        return (Section(every[0], lay_out(every[0], marks)),)
    _check_tiers(every, marks)
    return _beside_one_another(every, _cheapest(every, marks), marks)


def sharing(demands: Sequence[Demand], parts: Sequence[Section]) -> tuple[Section, ...]:
    """Planes on NIC ports of others, and hosts on leaves of others: each with those leaves, and its own demand."""
    owners = {(part.demand.group, part.demand.plane_name): part for part in parts}
    groups = {(each.group, each.plane_name): each for each in demands}
    found: list[Section] = []
    for each in (each for each in demands if not each.has_leaves):
        at = groups.get((each.group, each.nics.ports_of or each.plane_name), each)
        owner = owners.get((at.nics.leaves_of or at.group, at.plane_name))
        if owner is not None:
            found.append(replace(owner, choices=replace(owner.choices, demand=each)))
    return tuple(found)


def _check_tiers(every: Sequence[Choices], marks: Marks) -> None:
    """Refuse pods and spine groups: they divide the leaves of one section; for several sections that is not defined."""
    first, other = every[0].demand, every[1].demand
    what = "several groups of hosts or planes on such a fabric are not built yet"
    hint = f"or give hosts of {other.group} a plane on a fabric of its own"
    if other.plane_name != first.plane_name:
        hint = f"or put plane {other.plane_name} on a fabric of its own"
    if first.fabric.design == "clos3":
        expected, where = "rail or clos, without core", first.on_fabric("design")
        finding = Finding(where, what, expected, "clos3", hint, also=other.on_nics())
        raise DesignError(marks.problem(finding))
    if (first.fabric.spine.groups or 1) > 1:
        path, found = first.on_fabric("spine", "groups"), str(first.fabric.spine.groups)
        raise DesignError(marks.problem(Finding(path, what, "1, or no groups", found, hint, also=other.on_nics())))


def _cheapest(every: Sequence[Choices], marks: Marks) -> list[Sizing]:
    """The sizing of each section in the cheapest fabric, with the costs of the whole fabric, in all copies.

    The cheapest fills all split cages, unless one that does not has fewer switches.
    """
    sizes = _sizes(every, marks)
    ports, most_spines = min(each.spine_ports for each in sizes), min(each.most_uplinks for each in sizes)
    full = [*islice(_by_rank(every, most_spines, ports), 2)]
    is_full, warned = bool(full) and _holds(every, full[0]), list[tuple[str, ...]]()
    if any(map(spare_legs.may_be_left, every)):
        loose = [spare_legs.allowed(each) for each in every]
        found = [*islice(_by_rank(loose, most_spines, ports), 2)]
        if found and (not is_full or found[0].switches < full[0].switches):
            warned = _warnings(every, found[0], full[0].switches if is_full else None)
            full = found
    if not full:
        for each in every:
            lay_out(each, marks, is_one_of_several=True)  # raises its refusal if one cannot be built even alone
        raise DesignError(marks.problem(_too_few_ports(every, ports)))
    nics = sum(nic_optics(each) for each in every)
    costed = [_with_costs(place, full[0], full[1:], nics) for place in range(len(every))]
    return [
        replace(sizing, warnings=(*sizing.warnings, *words, *spines_to_come.warnings(choices, sizing.chosen.layout)))
        for choices, sizing, words in zip(every, costed, warned or [()] * len(every), strict=True)
    ]


def _by_rank(every: Sequence[Choices], most_spines: int, ports: int) -> Iterator[Together]:
    """The fabrics that the switches hold, cheapest first; if they hold none, the cheapest that the ports allow."""
    found = sorted(
        (each for each in _fabrics(every, most_spines) if each.links_down <= ports), key=lambda each: each.rank
    )
    buildable = (each for each in found if _holds(every, each))
    first = next(buildable, None)
    yield from found[:1] if first is None else chain([first], buildable)


def _warnings(every: Sequence[Choices], fabric: Together, instead: int | None) -> list[tuple[str, ...]]:
    """For each section, what is said of legs without a cable; of the spines, which all share, once."""
    layouts = [each.chosen.layout for each in fabric.sized]
    besides, seen = _besides(layouts, [0] * len(layouts)), set[str]()
    found = []
    for choices, layout, beside in zip(every, layouts, besides, strict=True):
        words = spare_legs.warnings(choices, replace(layout, beside=beside), instead)
        found.append(tuple(each for each in words if each not in seen))
        seen |= {*words}
    return found


def _sizes(every: Sequence[Choices], marks: Marks) -> list[Sizes]:
    """Of each section. Raises DesignError with all sections whose hosts or switches have no ports in common."""
    found, refused = list[Sizes](), Whose()
    for each in every:
        try:
            found.append(Sizes.of(each))
            refused.add(each.demand, ())
        except CannotBuildError as refusal:
            refused.add(each.demand, refusal.findings)
    if refused.found:
        raise DesignError(marks.problems(refused.attributed()))
    return found


def _fabrics(every: Sequence[Choices], most_spines: int) -> Iterator[Together]:
    """The cheapest fabrics for every number of spines; for a declared one, of that alone."""
    declared = every[0].demand.fabric.spine.planned
    for count in (declared,) if declared is not None else range(MIN_SPINES, most_spines + 1):
        sizings = [every_sizing(_with_spines(each, count)) for each in every]
        if all(sizings):
            yield from together(every[0], count, sizings)


def _holds(every: Sequence[Choices], fabric: Together) -> bool:
    """Does every kind of switch have room for the leaves of all sections together?"""
    layouts = [each.chosen.layout for each in fabric.sized]
    besides = _besides(layouts, [0] * len(layouts))
    pairs = zip(every, layouts, besides, strict=True)
    return all(holds(choices, replace(layout, beside=beside)) for choices, layout, beside in pairs)


def _with_spines(choices: Choices, count: int) -> Choices:
    demand = choices.demand
    spine = demand.fabric.spine.with_planned(count).model_copy(update={"groups": 1})
    fabric = demand.fabric.model_copy(update={"spine": spine})
    return replace(choices, demand=replace(demand, fabric=fabric))


def _with_costs(place: int, best: Together, others: Sequence[Together], nics: int) -> Sizing:
    """A section's sizing with the costs of the whole fabric; its runner-up has those of the next best fabric."""
    options = [_of_fabric(each.sized[place].chosen, each, nics) for each in (best, *others)]
    return replace(best.sized[place], chosen=options[0], runner_up=options[1] if len(options) > 1 else None)


def _of_fabric(option: Option, fabric: Together, nics: int) -> Option:
    whole = replace(option, switches=fabric.switches, links=fabric.links, optics=fabric.optics)
    return copied(whole, option.layout.copies, nics)


def _too_few_ports(every: Sequence[Choices], ports: int) -> Finding:
    first, other = every[0].demand, every[-1].demand
    return Finding(
        first.on_fabric("spine", "model"),
        "its spines have no port for each leaf of all groups of hosts and planes on the fabric",
        f"leaves whose links to one spine are {ports} at most",
        "more, whatever the number of spines up to the uplinks of a leaf",
        "put one of the planes on a fabric of its own, or take spines with more ports",
        also=other.on_nics(),
    )


def _beside_one_another(every: Sequence[Choices], sized: Sequence[Sizing], marks: Marks) -> tuple[Section, ...]:
    layouts = [each.chosen.layout for each in sized]
    firsts = tuple(_first_groups([each.demand for each in every], layouts))
    _check_numbers([each.demand for each in every], layouts, firsts, marks)
    besides = _besides(layouts, [first - 1 for first in firsts])
    found = zip(every, sized, besides, strict=True)
    return tuple(Section(choices, _beside(sizing, beside)) for choices, sizing, beside in found)


def _besides(layouts: Sequence[Layout], groups_before: Sequence[int]) -> list[Beside]:
    """For each section, what the others have."""
    last_group = max(before + each.leaf_groups for before, each in zip(groups_before, layouts, strict=True))
    rails, leaves = max(len(each.leaf_rails) for each in layouts), sum(each.leaves for each in layouts)
    places = [each.spine_places for each in layouts]
    return [
        Beside(before, last_group, rails, leaves - layout.leaves, sum(places[:number]), sum(places) - places[number])
        for number, (layout, before) in enumerate(zip(layouts, groups_before, strict=True))
    ]


def _beside(sizing: Sizing, beside: Beside) -> Sizing:
    chosen, other = sizing.chosen, sizing.runner_up
    placed = replace(chosen, layout=replace(chosen.layout, beside=beside))
    next_best = other and replace(other, layout=replace(other.layout, beside=beside))
    return replace(sizing, chosen=placed, runner_up=next_best)


def _first_groups(demands: Sequence[Demand], layouts: Sequence[Layout]) -> Iterator[int]:
    """The first group number of each section: as declared, else after those of the previous section."""
    following = 1
    for demand, layout in zip(demands, layouts, strict=True):
        first = demand.nics.first_group or following
        following = first + layout.leaf_groups
        yield first


def _check_numbers(demands: Sequence[Demand], layouts: Sequence[Layout], firsts: Sequence[int], marks: Marks) -> None:
    spans = [range(first, first + layout.leaf_groups) for first, layout in zip(firsts, layouts, strict=True)]
    findings = [
        Finding(
            other.on_nics("first_group"),
            "leaf groups of these hosts would be numbered like others of the fabric",
            f"numbers other than {_span(taken)}",
            _span(span),
            also=one.on_nics(),
        )
        for (one, taken), (other, span) in combinations(zip(demands, spans, strict=True), 2)
        if taken.start < span.stop and span.start < taken.stop
    ]
    if findings:
        raise DesignError(marks.problems(findings))


def _span(numbers: range) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"


def by_fabric(demands: Sequence[Demand]) -> Mapping[str, tuple[Demand, ...]]:
    """Fabric -> its demands."""
    found: dict[str, tuple[Demand, ...]] = {}
    for each in demands:
        found[each.fabric_name] = (*found.get(each.fabric_name, ()), each)
    return found
