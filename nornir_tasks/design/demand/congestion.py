"""Congestion profiles that not every switch and NIC can be brought to: refused by name, with the nearest that can.

``dcqcn``, ``pfc_only`` and ``lossy`` are settings that all have. ``spectrum_x`` is one maker's: its switches spread
packet by packet, its NICs put them in order again and run an algorithm of their own in DCQCN's place.
"""

from collections.abc import Iterator

from nornir_tasks.design.demand.choices import Choice, Choices
from nornir_tasks.intent.core.findings import Finding, dotted
from nornir_tasks.intent.settings import Terms

NEAREST = "dcqcn"
"""What every switch and NIC of a lossless plane can do."""


def refusals(choices: Choices, *, joins_gpus: bool) -> Iterator[Finding]:
    """Everything that a profile asks for and does not find. Bonds carry no RDMA, so nothing is asked of them."""
    demand = choices.demand
    if demand.is_bonded or demand.attached is not None:
        return
    if demand.terms.congestion == "spectrum_x":
        yield from _spectrum_x(choices)
    if demand.terms.congestion == "pfc_only" and joins_gpus:
        yield from _clear_to_send(demand.terms)


def _clear_to_send(terms: Terms) -> Iterator[Finding]:
    """Where pauses alone hold senders back, receivers pace them: what says so must not wait behind the data."""
    if "cts" not in terms.classes and any(each.lossless for each in terms.classes.values()):
        what, expected = "pauses alone, but there is no class cts", "a class named cts, strict, for clear-to-send"
        hint = "receivers tell senders when to begin, in this class, as cts: {dscp: 48, priority: 6, strict: true}"
        found = ", ".join(terms.classes)
        yield Finding(terms.classes_at, what, expected, found, hint, also=terms.congestion_at)


def _spectrum_x(choices: Choices) -> Iterator[Finding]:
    terms = choices.demand.terms
    if terms.load_balancing != "per_packet":
        what = "Spectrum-X without packets spread one by one, which its switches and NICs are made for"
        expected, found = f"per_packet, or {dotted(terms.congestion_at)}: {NEAREST}", terms.load_balancing
        yield Finding(terms.load_balancing_at, what, expected, found, also=terms.congestion_at)
    yield from _switches(choices)
    yield from _nic(choices)


def _switches(choices: Choices) -> Iterator[Finding]:
    lacking = [each for each in _kinds(choices) if not each.capabilities.spectrum_x]
    if lacking:
        names = ", ".join(f"{each.model.model} with {each.os} {each.release}" for each in lacking)
        what = "no source offers these switches for Spectrum-X"
        hint = "all switches of the fabric take part; docs/congestion-spectrum_x.md says which can"
        yield Finding(choices.demand.terms.congestion_at, what, NEAREST, names, hint, also=lacking[0].path)


def _kinds(choices: Choices) -> Iterator[Choice]:
    seen = set[tuple[str, str, str]]()
    for each in choices.all:
        kind = (each.os, each.release, each.model.model)
        if kind not in seen:
            seen.add(kind)
            yield each


def _nic(choices: Choices) -> Iterator[Finding]:
    nic, at = choices.nic, choices.demand.terms.congestion_at
    if nic is None or not nic.spectrum_x:
        model = choices.demand.on_nics("model")
        what = "none of NVIDIA's published Spectrum-X profiles is for these NICs"
        hint = f"{dotted(model)}: ConnectX-8 or BlueField-3, whose settings are published"
        yield Finding(at, what, NEAREST, nic.model if nic else "no model is named", hint, also=model)
