"""Load balancing that is not static: which switches have equal-cost paths, and whether they and the NICs support it.

All members of a set of equal paths take part, or none: a switch with such paths that lacks the mode makes it
unavailable for the whole plane. A switch without equal paths needs no support.
"""

from collections.abc import Iterator, Mapping

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.design.model.capabilities import Balancing, OsFacts
from nornir_tasks.design.model.catalogue import NicModel
from nornir_tasks.design.model.sizing import Layout
from nornir_tasks.intent.core.findings import Finding, Path, dotted

MODES = ("flowlet", "per_packet")
SETTING = "adaptive_routing_forced_en of the register ROCE_ACCL, by mlxreg"
"""The one setting that a role makes (roce_qos, its knob reorder), as the catalogue spells it."""


def flow_set_size(known: Balancing, width: int, sets: int) -> int | None:
    """Number of the table size with the most entries per set of next hops that has room for all sets; None: no table.

    If no size has room for all, the one with room for most.
    """
    if not known.flow_sets:
        return None
    fit = [
        number for number, (room, entries) in enumerate(known.flow_sets, start=1) if room >= sets and entries >= width
    ]
    return max(fit, default=1)


def refusals(choices: Choices, layout: Layout, facts: Mapping[str, OsFacts]) -> Iterator[Finding]:
    """All reasons against the intended mode."""
    intended, path = choices.demand.terms.load_balancing, choices.demand.terms.load_balancing_at
    if intended == "static":
        return
    sharing = dict(_sharing(choices, layout))
    could = [mode for mode in MODES if all(_lacks(choice, mode, speeds) is None for choice, speeds in sharing.values())]
    others = [mode for mode in could if mode != intended and (mode == "flowlet" or _reorders(choices.nic))]
    nearest = " or ".join(["static", *others])
    if intended == "per_packet":
        yield from _nic(choices, path, nearest)
    have = "; ".join(words for each in facts.values() if (words := each.load_balancing.get(intended)))
    for name, (choice, speeds) in sharing.items():
        lack = _lacks(choice, intended, speeds)
        if lack is not None:
            hint = f"known to have {intended}: {have}" if have else "every switch with several equal paths must have it"
            yield Finding(path, f"{name} {lack}", nearest, intended, hint)


def _sharing(choices: Choices, layout: Layout) -> Iterator[tuple[str, tuple[Choice, frozenset[int]]]]:
    """Each kind of switch with several equal-cost paths, and the speeds of its links to other switches."""
    pods = layout.pods
    up, core = frozenset({layout.uplink_gbps}), frozenset({pods.core_gbps} if pods else ())
    tiers = (
        ("leaf", choices.leaves, layout.uplinks > 1, up),
        ("spine", choices.spines, layout.parallel > 1 or (pods is not None and pods.spine_uplinks > 1), up | core),
        ("core", (choices.core,) if choices.core else (), pods is not None and pods.parallel > 1, core),
    )
    for tier, kinds, shares, speeds in tiers:
        for choice in kinds if shares else ():
            yield f"{tier} {choice.model.model} with {choice.os} {choice.release}", (choice, speeds)


def _lacks(choice: Choice, mode: str, speeds: frozenset[int]) -> str | None:
    """Why a switch does not support it on its links; None if it does."""
    known = choice.capabilities.balancing(mode)
    if known is None:
        return f"has several equal-cost paths and no known {mode}"
    if known.speeds_gbps is not None and not speeds <= set(known.speeds_gbps):
        can = " and ".join(f"{speed}G" for speed in known.speeds_gbps)
        has = " and ".join(f"{speed}G" for speed in sorted(speeds))
        return f"does {mode} on links of {can}, and its links to other switches are of {has}"
    return None


def _reorders(nic: NicModel | None) -> bool:
    """By itself, or with the setting that role roce_qos makes and host_validate reads back."""
    return nic is not None and bool(nic.out_of_order_rdma) and nic.out_of_order_setting in (None, SETTING)


def _nic(choices: Choices, path: Path, instead: str) -> Iterator[Finding]:
    """Refuse a NIC that does not receive reordered packets, or does so only with a setting that no role makes."""
    nic = choices.nic
    expected = f"{instead}, or a NIC whose catalogue entry says that it receives RDMA out of order"
    hint = "reordered packets make a go-back-N receiver drop to a fraction of its speed"
    if nic is None:
        what = (
            f"no {dotted(choices.demand.on_nics('model'))} is named, so nothing is known to receive RDMA out of order"
        )
        yield Finding(path, what, expected, "per_packet", hint)
    elif not nic.out_of_order_rdma:
        yield Finding(path, f"{nic.model} is not known to reorder", expected, "per_packet", hint)
    elif not _reorders(nic):
        yield Finding(
            path,
            f"{nic.model} receives RDMA out of order only with a setting on its host, which no role makes",
            f"{instead}, or a NIC that needs no other setting than {SETTING}",
            "per_packet",
            f"the setting is {nic.out_of_order_setting}; {hint}",
        )
