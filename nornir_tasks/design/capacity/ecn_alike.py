"""``ecn: auto`` on a tier of unlike switches: all mark by one figure, so that every rail slows its senders down alike.

A collective waits for its slowest rail. Where the leaves of a fabric are of several kinds whose published thresholds
differ, all take the set that marks in full first: whatever else it costs, no rail fills its buffer or pauses before
the others mark. It is rounded up to each ASIC's cells. ``ecn: per_switch`` leaves each kind its own. Leaves and
spines may differ: sources give tiers thresholds of their own (the RoCE guide for EOS 4.36, sections 2 and 3).
"""

from collections.abc import Sequence
from dataclasses import replace

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.realise.buffers import ecn_in_cells


def alike(chosen: Sequence[Choices], on_fabric: Sequence[Demand]) -> list[Choices]:
    """The kinds of switch of one fabric, each tier with one figure, unless the intent says ``ecn: per_switch``."""
    words = {each.ecn for demand in on_fabric for each in demand.terms.classes.values() if isinstance(each.ecn, str)}
    return [_tiers(each) for each in chosen] if words == {"auto"} else list(chosen)


def marking_as(capabilities: Capabilities, other: Capabilities) -> Capabilities:
    """The same, with what another release of this switch marks by."""
    return replace(
        capabilities,
        ecn_auto=other.ecn_auto,
        ecn_source=other.ecn_source,
        ecn_gbps=other.ecn_gbps,
        ecn_others=other.ecn_others,
    )


def _tiers(choices: Choices) -> Choices:
    leaf, *leaves = _one_tier(choices.leaves_of_fabric, "leaves")
    spine, *spines = _one_tier(choices.spines, "spines")
    return replace(choices, leaf=leaf, leaf_overrides=tuple(leaves), spine=spine, spine_overrides=tuple(spines))


def _one_tier(tier: Sequence[Choice], name: str) -> Sequence[Choice]:
    """Unchanged where all mark alike by themselves; nor where one does not mark at all: such a fabric is refused."""
    first = {_figures(each.capabilities) for each in tier}
    marking = [each.capabilities for each in tier if each.capabilities.ecn_auto is not None]
    if len(first) == 1 or len(marking) < len(tier):
        return tier
    ecn, known = min(((each.ecn_auto, each) for each in marking if each.ecn_auto is not None), key=_full_at)
    kinds = " and ".join(dict.fromkeys(f"{each.model.model} with {each.os} {each.release}" for each in tier))
    source = f"all {name} mark alike, by {known.ecn_source}; ecn: per_switch lets {kinds} differ"
    return [replace(each, capabilities=_taking(each.capabilities, ecn, source)) for each in tier]


def _full_at(marking: tuple[Ecn, Capabilities]) -> tuple[int, int, int]:
    """Order of figures: which marks in full at the shortest queue, and begins at the shortest."""
    ecn = marking[0]
    return ecn.max_bytes, ecn.min_bytes, -ecn.probability_percent


def _figures(known: Capabilities) -> tuple[Ecn | None, ...]:
    """All that ports mark by, of whatever speed."""
    return (known.ecn_auto, *(each.ecn for each in known.ecn_others))


def _taking(known: Capabilities, ecn: Ecn, source: str) -> Capabilities:
    """The same with these figures on all ports; its own stay as they were published."""
    taken = ecn if known.ecn_auto == ecn else ecn_in_cells(ecn, known)
    return replace(known, ecn_auto=taken, ecn_source=source, ecn_gbps=None, ecn_others=())
