"""A site on one page for people: what was found last on its switches, over the drawing; a push's changes; proofs.

Nothing is changed, and what was not looked at, or looked at before something changed, is shown as such.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from nornir_tasks import __version__
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.drawing_layout import Marks, drawing
from nornir_tasks.design.reports.unverified_releases import assumed
from nornir_tasks.files.last_runs import LastRun, last_run
from nornir_tasks.files.site import INTENT
from nornir_tasks.files.templates import report_environment
from nornir_tasks.usecases.last_seen import MOST_SHOWN, keep_proofs, keep_validation
from nornir_tasks.usecases.progress import On, ignore
from nornir_tasks.usecases.proofs.prove import prove
from nornir_tasks.usecases.pushes import last_began
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import SiteDesign, select
from nornir_tasks.usecases.validate import collect, judge


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the page is made of."""

    design: SiteDesign
    live: LastRun | None
    """What was found on the switches. None: they were not read yet."""
    plan: LastRun | None
    proofs: LastRun | None
    pushed: datetime | None
    """When the last push, or rollback, began."""


def gather(design: SiteDesign) -> Gathered:
    """What the last runs of ``validate``, ``plan`` and ``prove`` found. No switch is asked."""
    live, plan, proofs = (last_run(design.site, verb) for verb in ("validate", "plan", "prove"))
    return Gathered(design, live, plan, proofs, last_began(design))


def run_all(design: SiteDesign, reach: Reach, on: On = ignore, *, without: tuple[str, ...] = ()) -> None:
    """Read and judge all switches, prove what their lines do, and keep it for ``gather``."""
    selection = select(design)
    readings = collect(selection, reach, on)
    plans = (each.plan for each in readings.switches.values())
    keep_validation(selection, judge(selection, readings), plans)
    keep_proofs(design, prove(design, (), on, None, without))


def page(found: Gathered, made: datetime | None = None) -> str:
    """The page as HTML that loads nothing from elsewhere. ``made``: when; default: now."""
    network, now = found.design.network, made or datetime.now(UTC)
    total = design_counts(network)["totals"]
    live = found.live.found if found.live is not None else None
    states = live["states"] if live is not None else {}
    values: dict[str, Any] = {
        "site": network.site,
        "version": __version__,
        "made": _clock(now),
        "size": ", ".join(f"{total[key]:,} {key}" for key in ("switches", "links", "cables", "optics")),
        "verdict": _verdict(found),
        "live": live,
        "plan": found.plan.found if found.plan is not None else None,
        "proved": found.proofs.found if found.proofs is not None else None,
        "from_validate": _from(found, "validate", found.live, now),
        "from_plan": _from(found, "plan", found.plan, now),
        "from_prove": _from(found, "prove", found.proofs, now),
        "drawing": picture(found),
        "switches": [(each, states.get(each.name, "not read")) for each in network.devices],
        "assumed": assumed(network),
        "most": MOST_SHOWN,
    }
    return report_environment().get_template("page.html.j2").render(values)


def picture(found: Gathered) -> str:
    """The drawing alone as SVG, with what was found as its layer ``faults``."""
    live = found.live.found if found.live is not None else {}
    return drawing(
        found.design.network, Marks(live.get("states", {}), frozenset(map(frozenset, live.get("broken", ()))))
    )


def _verdict(found: Gathered) -> str:
    if found.live is None:
        return "not validated"
    return str(found.live.found["verdict"]) + (
        ", before a change" if any(_changes(found, "validate", found.live)) else ""
    )


def _from(found: Gathered, verb: str, run: LastRun | None, now: datetime) -> dict[str, Any] | None:
    """Which run it is of, how old that is, and what changed since then."""
    if run is None:
        return None
    age = _age(int((now - run.at).total_seconds()))
    return {
        "text": f"From nornir {verb}, {_clock(run.at)}, {age} before this page.",
        "since": list(_changes(found, verb, run)),
    }


def _changes(found: Gathered, verb: str, run: LastRun) -> Iterator[str]:
    if not run.is_of_this_intent:
        yield f"{INTENT} was changed since then."
    if verb != "prove" and found.pushed is not None and found.pushed >= run.at:
        yield f"A push or rollback began since then, {_clock(found.pushed)}."


def _clock(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _age(seconds: int) -> str:
    """In the largest unit of which there are two."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{max(seconds, 0)} seconds"
