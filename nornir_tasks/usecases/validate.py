"""Validate: collect what the chosen switches run and say, then judge it against the design."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial

from nornir_tasks.checks import suite
from nornir_tasks.checks.counters.suite import ABOUT as RULES
from nornir_tasks.checks.evidence import End, Evidence, Far, OthersLine, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.plan import wanted_config
from nornir_tasks.deploy.problems import unfinished
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.deploy.tasks import Collected
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.reports.transceivers import leg_of
from nornir_tasks.errors import GpufabricError, IntentError, Problem, UndecidedError, ValidationFailed
from nornir_tasks.inventory.endpoints import push_account
from nornir_tasks.platforms.counted import Counter
from nornir_tasks.usecases.lab.machines import cabled_machines
from nornir_tasks.usecases.oob_inventory import declared_macs
from nornir_tasks.usecases.progress import On, Work, ignore
from nornir_tasks.usecases.reach import Access, Reach
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import Selection, SiteDesign


@dataclass(frozen=True, slots=True)
class Readings:
    """What the chosen switches run and say."""

    switches: Mapping[str, Collected]
    unreachable: Mapping[str, GpufabricError]
    """Switch -> why it could not be read."""
    wanted: Mapping[str, DeviceConfig]
    """What those that answered were compared with: of the chosen planes, and what they share."""
    releases: Mapping[str, str]
    """Switch -> release that runs and was accepted, whatever the intent declares."""


def checks_named(names: Collection[str], *, soaked: bool = False) -> tuple[str, ...]:
    """The checks of these names, in the order of the suite; none where none is named. ``soaked``: rules of a soak, too.

    Raises IntentError for a name of no check, and for a rule of a soak without one.
    """
    rules = [each.name for each in RULES]
    known = [each.name for each in suite.ABOUT] + (rules if soaked else [])
    unknown = [
        Problem("--only", "judges what is counted meanwhile", "--soak TIME with it", name, "add --soak 60s")
        if name in rules
        else Problem("--only", "no such check", f"one of {', '.join(known)}", name, _near(name, known))
        for name in names
        if name not in known
    ]
    if unknown:
        raise IntentError(unknown)
    return tuple(name for name in known if name in names)


def _near(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known)
    return f"did you mean {' or '.join(close)}?" if close else "'nornir validate --list' says what each judges"


def collect(
    selection: Selection,
    reach: Reach,
    on: On = ignore,
    checks: Collection[str] = (),
    counters: Collection[Counter] = (),
) -> Readings:
    """Read configuration and live state of the chosen switches; nothing is changed. ``checks``: of these alone.

    ``counters``: these as well, last.

    A switch that does not answer is noted, and raises nothing.
    """
    # nothing is sent: a difference on the management path is one like any other
    reach = replace(reach, allow_management=frozenset(selection))
    access = Access(reach, on, vault_of(selection.design, selection.planes))
    releases = access.accepted(selection)
    selection = selection.with_releases(releases)
    with access.fleet(selection.design, selection) as switches:
        look = partial(switches.collect, suite.needed(checks), counters=counters)
        found = access.read(Work.READ, len(selection), look)
    configs = {name: seen.wanted for name, seen in found.values.items()}
    return Readings(found.values, found.errors, configs, releases)


def judge(selection: Selection, readings: Readings, checks: Collection[str] = ()) -> Report:
    """Run all checks, or those named, on what was read. Raises nothing for what is wrong: see ``require_passed``."""
    return suite.judge(evidence(selection, readings), checks)


def evidence(selection: Selection, readings: Readings) -> Evidence:
    """What the checks judge: the design beside what the switches run and say."""
    selection = selection.with_releases(readings.releases)
    network = selection.design.network
    plans = {name: seen.plan for name, seen in readings.switches.items()}
    return Evidence(
        network=network,
        wanted={
            device.name: readings.wanted.get(device.name) or _wanted(selection, device) for device in network.devices
        },
        running={name: seen.running for name, seen in readings.switches.items()},
        changes={name: each.changes for name, each in plans.items()},
        observed={name: seen.observed for name, seen in readings.switches.items()},
        far=far_ends(network),
        unreachable={name: error.problems[0] for name, error in readings.unreachable.items()},
        drained={name: each.drain for name, each in plans.items() if each.drain is not None},
        others={name: found for name, each in plans.items() if (found := _that_matter(each))},
        unfinished={name: problem.what for name, problem in unfinished(plans).items()},
        certificates={name: seen.certificate for name, seen in readings.switches.items() if seen.certificate},
        push_accounts=push_account(selection.design.site),
        macs=declared_macs(selection.design.site, selection.design.network),
        planes=frozenset(selection.planes),
        played=frozenset(_played(selection.design) if selection.design.site.intent.management.source == "lab" else ()),
    )


def _that_matter(plan: PlanSummary) -> tuple[OthersLine, ...]:
    """Lines of others that stay, and that change what the fabric does or may do so."""
    return tuple(
        OthersLine(" / ".join(each.path), each.reason, Verdict.FAIL if each.matters == "yes" else Verdict.ERROR)
        for each, _ in plan.others
        if each.matters
    )


def _played(design: SiteDesign) -> tuple[str, ...]:
    """Hosts and what else is attached: a lab has switches alone, but for machines that are cabled into it."""
    machines = cabled_machines(design.site.state_directory)
    return tuple(each for each in (*design.network.hosts, *design.network.attached_devices) if each not in machines)


def _wanted(selection: Selection, device: Device) -> DeviceConfig:
    """What a switch should hold of the chosen planes, be it one of those chosen or not."""
    realised = device_config(selection.design.network, device)
    if not selection.planes or realised.claims.planes <= {*selection.planes}:
        return realised.config
    return wanted_config(selection.wanted(realised))


def expected(selection: Selection) -> dict[str, int]:
    """Check -> how many things it judges on the chosen switches: what ``tested N of M`` will count as M.

    It follows from the design; no switch is asked.
    """
    return suite.expected(evidence(selection, Readings({}, {}, {}, {})), selection)


def far_ends(network: Network) -> dict[End, Far]:
    """Both directions of every link of the cabling plan, and of what has a tag on it."""
    far = {}
    for link in network.links:
        for here, there in ((link.upper, link.lower), (link.lower, link.upper)):
            legs = leg_of(here), leg_of(there)
            far[here.device, here.port] = Far(
                there.device, there.port, link.cable, link.kind in ("host", "outside"), *legs
            )
    for each in network.circuits:
        for here, there in ((each.link.upper, each.link.lower), (each.link.lower, each.link.upper)):
            name = each.interface(here.device)
            if name != here.port:
                far[here.device, name] = replace(far[here.device, here.port], port=each.interface(there.device))
    return far


def require_passed(report: Report) -> None:
    """Raises ValidationFailed if a check failed, UndecidedError if one could not tell or nothing was tested."""
    if report.failed:
        causes = sum(any(x.verdict == "fail" for x in (each.lead, *each.follows)) for each in report.causes)
        what = f"{_count(report)} failed, from {causes} cause{'s' * (causes != 1)}, {report.summary()}"
        raise ValidationFailed(Problem("validate", what))
    if report.undecided or not report.tested:
        what = f"{len(report.undecided)} checks could not tell, {report.summary()}"
        raise UndecidedError(Problem("validate", what, hint="what could not be determined never counts as passed"))


def _count(report: Report) -> str:
    """How much failed, in the units of ``tested N of M``; findings that do not count there are named apart."""
    checks, findings = report.failed_of_total, len(report.failed)
    found = f"{findings} finding{'s' * (findings != 1)}"
    if not checks:
        return found
    return f"{checks} check{'s' * (checks != 1)}" + (f" ({found})" if findings != checks else "")
