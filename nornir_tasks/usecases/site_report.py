"""A site on one page for people: what was found on the switches, over its drawing; what a push would change; proofs.

Nothing is changed, and what could not be read is shown as such.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from nornir_tasks import __version__
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.drawing_layout import Marks, drawing
from nornir_tasks.design.reports.unverified_releases import assumed
from nornir_tasks.files.templates import report_environment
from nornir_tasks.usecases.progress import On, ignore
from nornir_tasks.usecases.proofs.proof_reports import groups
from nornir_tasks.usecases.proofs.prove import prove
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import Selection, SiteDesign, select
from nornir_tasks.usecases.switch_verdicts import changed_lines
from nornir_tasks.usecases.validate import collect, judge
from nornir_tasks.usecases.verdict_reports import Group, Kind

OF_LINKS = frozenset({"port", "lldp", "bgp", "mtu", "lacp"})
"""Checks that say of a port that its link is broken."""
MOST_SHOWN = 200
"""Rows of a kind that the page has; it says how many more there are."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the page is made of."""

    design: SiteDesign
    live: Report | None
    """None: no switch was asked."""
    plans: tuple[PlanSummary, ...]
    """Of the switches that answered."""
    proofs: tuple[Group, ...] | None
    """None: nothing was proved."""


def gather(
    design: SiteDesign, reach: Reach | None, on: On = ignore, *, proves: bool = True, without: tuple[str, ...] = ()
) -> Gathered:
    """Read and judge all switches, and prove what their lines do. ``reach``: None asks no switch."""
    live: Report | None = None
    plans: tuple[PlanSummary, ...] = ()
    if reach is not None:
        selection: Selection = select(design)
        readings = collect(selection, reach, on)
        live = judge(selection, readings)
        plans = tuple(each.plan for each in readings.switches.values())
    proofs = tuple(groups(prove(design, (), on, None, without))) if proves else None
    return Gathered(design, live, plans, proofs)


def page(found: Gathered, made: datetime | None = None) -> str:
    """The page as HTML that loads nothing from elsewhere. ``made``: when; default: now."""
    network = found.design.network
    total = design_counts(network)["totals"]
    states = _states(network, found.live) if found.live is not None else {}
    values: dict[str, Any] = {
        "site": network.site,
        "version": __version__,
        "made": f"{made or datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "size": ", ".join(f"{total[key]:,} {key}" for key in ("switches", "links", "cables", "optics")),
        "live": found.live,
        "verdict": _verdict(found.live),
        "causes": _causes(found.live),
        "checks": list(_checks(found.live)),
        "drawing": _drawing(network, found.live, states),
        "switches": [(each, states.get(each.name, "not asked")) for each in network.devices],
        "plans": [(each, changed_lines(each)) for each in found.plans if each.count],
        "proofs": None if found.proofs is None else [_proof(each) for each in found.proofs],
        "open": list(_open(found.live)),
        "assumed": assumed(network),
        "most": MOST_SHOWN,
    }
    return report_environment().get_template("page.html.j2").render(values)


def picture(found: Gathered) -> str:
    """The drawing alone as SVG, with what was found as its layer ``faults``."""
    network = found.design.network
    return _drawing(network, found.live, _states(network, found.live) if found.live is not None else {})


def _drawing(network: Network, live: Report | None, states: Mapping[str, str]) -> str:
    return drawing(network, Marks(states, _broken(network, live)))


def _verdict(live: Report | None) -> str:
    if live is None:
        return "no switch was asked"
    if live.failed:
        return "failed"
    return "passed" if live.tested and not live.undecided else "could not tell"


def _states(network: Network, live: Report) -> Mapping[str, str]:
    """Switch -> the worst of what was found there: a cause of failures, what could not be told, what only follows."""
    found = {each.device: "pass" for each in live.findings}
    found |= {each.device: "affected" for each in live.failed}
    found |= {each.device: "could not tell" for each in live.undecided}
    breaking = (each for each in live.causes if any(f.verdict is Verdict.FAIL for f in (each.lead, *each.follows)))
    found |= {each.lead.device: "fail" for each in breaking}
    return {each.name: found[each.name] for each in network.devices if each.name in found}


def _broken(network: Network, live: Report | None) -> frozenset[frozenset[str]]:
    """Pairs of switches with a link between them that failed."""
    wrong = {(each.device, each.port) for each in live.failed if each.check in OF_LINKS} if live is not None else set()
    return frozenset(
        frozenset((link.upper.device, link.lower.device))
        for link in network.links
        if (link.upper.device, link.upper.port) in wrong or (link.lower.device, link.lower.port) in wrong
    )


def _causes(live: Report | None) -> list[dict[str, Any]]:
    return [
        {
            "lead": each.lead,
            "remedy": each.remedy,
            "follows": ", ".join(f"{count} {check}" for check, count in Counter(f.check for f in each.follows).items()),
        }
        for each in (live.causes if live is not None else ())
    ]


def _checks(live: Report | None) -> Iterator[tuple[str, list[int]]]:
    """(check, how many passed, failed, could not be told) of what counts, and of what failed."""
    found = [each for each in (live.findings if live is not None else ()) if each.counted or not _passed(each)]
    counts = Counter((each.check, each.verdict) for each in found)
    for check in dict.fromkeys(each.check for each in found):
        yield check, [counts[check, verdict] for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.ERROR)]


def _passed(finding: Finding) -> bool:
    return finding.verdict is Verdict.PASS


def _proof(group: Group) -> dict[str, Any]:
    kinds = Counter(each.kind for each in group.cases)
    wrong = [each for each in group.cases if each.kind in {Kind.FAIL, Kind.OPEN, Kind.NOT_SHOWN}]
    state = next((kind for kind in (Kind.FAIL, Kind.OPEN, Kind.NOT_SHOWN) if kinds[kind]), Kind.PASS)
    return {"name": group.name, "about": group.about, "state": state, "wrong": wrong}


def _open(live: Report | None) -> Iterable[str]:
    """What was not tested on the switches, once for each reason."""
    for each in live.skipped if live is not None else ():
        yield f"{each.check}: {each.message}"
    for check, count in Counter(each.check for each in (live.undecided if live is not None else ())).items():
        yield f"{check}: {count} could not be told"
