"""ECN thresholds as one ASIC holds them, and what no queue can do with them."""

from collections.abc import Iterator
from typing import Literal

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.choices import Choice
from nornir_tasks.design.device_config import Ecn
from nornir_tasks.intent.findings import Finding, Path, dotted
from nornir_tasks.intent.policy_model import EcnThresholds
from nornir_tasks.intent.terms import Terms


def held_ecn(wish: Ecn | Literal["auto"], capabilities: Capabilities) -> Ecn:
    """The thresholds, rounded up to the ASIC's cells. ``auto`` is the start value published for the ASIC."""
    if wish == "auto":
        return capabilities.ecn_auto
    cell = capabilities.ecn_cell_bytes
    return Ecn(_round_up(wish.min_bytes, cell), _round_up(wish.max_bytes, cell), wish.probability_percent)


def refusals(terms: Terms, choice: Choice) -> Iterator[Finding]:
    """Thresholds of one's own that, as this kind of switch holds them, would mark every packet or none."""
    for name, each in terms.classes.items():
        if isinstance(each.ecn, EcnThresholds):
            path = (*terms.classes_at, name, "ecn")
            wish = Ecn(each.ecn.min_bytes, each.ecn.max_bytes, each.ecn.probability_percent)
            yield from _useless(path, held_ecn(wish, choice.capabilities), choice, terms)


def _useless(path: Path, held: Ecn, choice: Choice, terms: Terms) -> Iterator[Finding]:
    cell, buffer_bytes = choice.capabilities.ecn_cell_bytes, choice.model.buffer_bytes
    name = f"{choice.model.model} with {choice.os} {choice.release}"
    rounded = f" (in steps of {cell} bytes)" if cell > 1 else ""
    if held.min_bytes < terms.host_mtu_bytes:
        what = f"{name} would mark a queue of less than one packet"
        expected = f"at least {dotted(terms.host_mtu_at)}, {terms.host_mtu_bytes} bytes"
        yield Finding((*path, "min_bytes"), what, expected, f"{held.min_bytes}{rounded}")
    if held.min_bytes >= held.max_bytes:
        what = f"on {name} both ECN thresholds come out the same"
        expected = f"at least {cell} bytes above min_bytes{rounded}"
        yield Finding((*path, "max_bytes"), what, expected, f"{held.min_bytes} and {held.max_bytes} as it holds them")
    if buffer_bytes is not None and held.max_bytes > buffer_bytes:
        what = f"{name} can never hold that much, so it would never mark in full"
        expected = f"at most its packet buffer, {buffer_bytes} bytes"
        yield Finding((*path, "max_bytes"), what, expected, f"{held.max_bytes}{rounded}")


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
