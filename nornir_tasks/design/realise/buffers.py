"""ECN thresholds rounded to one ASIC's cells, and thresholds without effect."""

from collections.abc import Iterator
from typing import Literal

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.demand.choices import Choice
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.intent.core.findings import Finding, Path, dotted
from nornir_tasks.intent.keys.policy import EcnThresholds
from nornir_tasks.intent.settings import Terms


def ecn_in_cells(intended: Ecn | Literal["auto"], capabilities: Capabilities, gbps: int | None = None) -> Ecn:
    """The thresholds, rounded up to the ASIC's cells. ``auto`` is what is published for ports of this speed.

    Raises ValueError for an ASIC whose marking no source describes; :func:`refusals` finds it before.
    """
    published = capabilities.ecn_at(gbps)
    if published is None:
        raise ValueError(capabilities.ecn_source)
    if intended == "auto":
        return published.ecn
    cell = capabilities.ecn_cell_bytes
    return Ecn(_round_up(intended.min_bytes, cell), _round_up(intended.max_bytes, cell), intended.probability_percent)


def refusals(terms: Terms, choice: Choice) -> Iterator[Finding]:
    """Marks where no source describes the ASIC's, and thresholds that would mark every packet or none."""
    for name, each in terms.classes.items():
        path = (*terms.classes_at, name, "ecn")
        if choice.capabilities.ecn_auto is None:
            if each.ecn is not None:
                what = f"{choice.model.model} with {choice.os} {choice.release}: {choice.capabilities.ecn_source}"
                hint = "a fabric of this switch has best-effort classes alone: congestion: pfc_only, no class with ecn"
                yield Finding(path, what, "no ecn, or another model", _spell(each.ecn), hint)
        elif isinstance(each.ecn, EcnThresholds):
            intended = Ecn(each.ecn.min_bytes, each.ecn.max_bytes, each.ecn.probability_percent)
            yield from _useless(path, ecn_in_cells(intended, choice.capabilities), choice, terms)
        elif each.ecn is not None and choice.capabilities.ecn_auto is not None:
            yield from _taken_from_others(path, choice.capabilities.ecn_auto, choice, terms)


def _taken_from_others(path: Path, taken: Ecn, choice: Choice, terms: Terms) -> Iterator[Finding]:
    """What another kind of switch of the tier marks by, and this one cannot (``ecn_alike.py``)."""
    name, buffer_bytes = f"{choice.model.model} with {choice.os} {choice.release}", choice.model.buffer_bytes
    source = choice.capabilities.ecn_source
    hint = "ecn: per_switch lets each kind mark by its own figures; or give min_bytes and max_bytes that all hold"
    if taken.min_bytes < terms.host_mtu_bytes:
        what = f"{name} would mark a queue of less than one packet: {source}"
        expected = f"at least {terms.host_mtu_bytes} bytes: {dotted(terms.host_mtu_at)}"
        yield Finding(path, what, expected, f"{taken.min_bytes} bytes", hint)
    if buffer_bytes is not None and taken.max_bytes > buffer_bytes:
        what = f"{name} can never hold that much, so it would never mark in full: {source}"
        expected = f"at most {buffer_bytes} bytes: its packet buffer"
        yield Finding(path, what, expected, f"{taken.max_bytes} bytes", hint)


def _spell(ecn: EcnThresholds | str) -> str:
    return ecn if isinstance(ecn, str) else f"{ecn.min_bytes} to {ecn.max_bytes} bytes"


def _useless(path: Path, rounded: Ecn, choice: Choice, terms: Terms) -> Iterator[Finding]:
    cell, buffer_bytes = choice.capabilities.ecn_cell_bytes, choice.model.buffer_bytes
    name = f"{choice.model.model} with {choice.os} {choice.release}"
    steps = f" (in steps of {cell} bytes)" if cell > 1 else ""
    if rounded.min_bytes < terms.host_mtu_bytes:
        what, least = f"{name} would mark a queue of less than one packet", _round_up(terms.host_mtu_bytes, cell)
        expected = f"at least {least} bytes: {dotted(terms.host_mtu_at)}, {terms.host_mtu_bytes} bytes{steps}"
        yield Finding((*path, "min_bytes"), what, expected, f"{rounded.min_bytes}{steps}")
    if rounded.min_bytes >= rounded.max_bytes:
        what = f"on {name} both ECN thresholds come out the same"
        expected = f"at least {rounded.min_bytes + cell} bytes: {cell} above min_bytes{steps}"
        yield Finding(
            (*path, "max_bytes"), what, expected, f"{rounded.min_bytes} and {rounded.max_bytes} as it holds them"
        )
    if buffer_bytes is not None and rounded.max_bytes > buffer_bytes:
        what = f"{name} can never hold that much, so it would never mark in full"
        expected = f"at most {buffer_bytes // cell * cell} bytes: its packet buffer, {buffer_bytes} bytes{steps}"
        yield Finding((*path, "max_bytes"), what, expected, f"{rounded.max_bytes}{steps}")


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
