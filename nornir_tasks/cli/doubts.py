"""Which switches are taken for themselves by their address alone: said once, on stderr, and as a key of JSON."""

from contextvars import ContextVar

from nornir_tasks.cli.console import add_to_json, err
from nornir_tasks.cli.scope import Scope
from nornir_tasks.deploy.identity import Doubt, Doubts
from nornir_tasks.errors import printable

MOST_NAMED = 4
"""Switches that a warning names; JSON has them all."""

_DOUBTS: ContextVar[tuple[Scope, Doubts] | None] = ContextVar("DOUBTS", default=None)


def doubts_of(scope: Scope) -> Doubts:
    """The doubts of the command that works on this site; every fleet of it shares them."""
    kept = _DOUBTS.get()
    if kept is None or kept[0].site is not scope.site:
        kept = (scope, Doubts())
        _DOUBTS.set(kept)
        add_to_json("unidentified", None)
    return kept[1]


def tell_doubts(total: int) -> None:
    """Warn of what was noted since the last time; ``total`` switches were read."""
    kept = _DOUBTS.get()
    news = kept[1].news() if kept is not None else []
    if not news:
        return
    found = [f"{each.device} (found {each.serial})" if each.serial else each.device for each in news]
    what = f"no serial number in devices.yml for {len(news)} of {total} switches"
    err.print(f"warning: {what}, so another one at the address would go unnoticed: {_some(found)}", markup=False)
    others = [f"{each.device} ({each.hostname})" for each in news if each.is_named_otherwise]
    if others:
        err.print(f"warning: {len(others)} of them are called otherwise: {_some(others)}", markup=False)
    add_to_json("unidentified", [_as_json(each) for _, each in sorted(kept[1].by_device.items())] if kept else None)


def _some(each: list[str]) -> str:
    more = f", and {len(each) - MOST_NAMED} more" if len(each) > MOST_NAMED else ""
    return printable(", ".join(each[:MOST_NAMED]) + more)


def _as_json(doubt: Doubt) -> dict[str, object]:
    return {"device": doubt.device, "hostname": doubt.hostname, "serial": doubt.serial}
