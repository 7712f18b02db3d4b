"""A plan that is made now, approved by others, and pushed later: just that, or nothing."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nornir_tasks import __version__
from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.planned import Planned, PlannedSwitch
from nornir_tasks.deploy.problems import in_the_way, unconfirmed
from nornir_tasks.deploy.summary import PlanSummary, Read, packed_rows
from nornir_tasks.deploy.waves import waves_of
from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.drivers.session import Facts
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.files.code_hash import code_hash
from nornir_tasks.files.devices_file import NAME as DEVICES
from nornir_tasks.files.plan_document import (
    NAME,
    VERSION,
    PlanSwitch,
    WholePlan,
    as_bytes,
    packed,
    read_plan,
    unpacked,
)
from nornir_tasks.files.site import INTENT
from nornir_tasks.intent.core.secret_name import for_others
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.usecases.approval import Approvals, approvals, check_policy
from nornir_tasks.usecases.push import PlanReport
from nornir_tasks.usecases.reach import Reach, together
from nornir_tasks.usecases.site import Selection, SiteDesign, select

VALID_HOURS = 24
"""Where the site says nothing."""
CLOCKS_DIFFER_S = 300
"""So far the clock of the machine that plans may be ahead of the one that pushes."""
_AGAIN = "make the plan again (nornir plan --out FILE) and have it approved again"


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as it was read from its file."""

    file: Path
    content: bytes
    """Its bytes, which are signed."""
    document: WholePlan
    planned: Planned
    approvals: Approvals

    @property
    def reach(self) -> Reach:
        """What the operator who planned allowed."""
        chosen = self.document["selection"]
        adopt = {name: tuple(map(tuple, paths)) for name, paths in chosen["adopt"].items()}
        return Reach(frozenset(chosen["allow_management"]), chosen["accept_release"], adopt=adopt)

    def selection(self, design: SiteDesign) -> Selection:
        """The switches and planes that it is about."""
        chosen = self.document["selection"]
        return select(design, chosen["planes"], chosen["limit"])

    @property
    def report(self) -> PlanReport:
        """What it would change, as ``nornir plan`` shows it."""
        plans = {name: each.summary for name, each in self.planned.switches.items()}
        return PlanReport(plans, tuple(name for wave in self.document["waves"] for name in wave))

    def already(self, found: PlanReport) -> list[str]:
        """The switches that it changes and that run it already, sorted. ``found``: what they would be changed now."""
        return sorted(name for name in self.report.changing if name in found.plans and not found.plans[name].count)


def made(found: PlanReport, selection: Selection, reach: Reach, command: str, now: datetime | None = None) -> bytes:
    """The plan as its file. ``found``: planned with ``keeps_read``; ``command``: the command line, for people.

    Raises RefusedError for a plan that no push would carry out: lines of others are in its way, or a commit waits. And
    IntentError where the site asks for approvals that cannot be given.
    """
    design, time = selection.design, now or datetime.now(UTC)
    check_policy(design)
    problems = [p for name, each in found.plans.items() for p in in_the_way(name, (o for o, _ in each.others))]
    problems += [unconfirmed(name, each.waiting) for name, each in found.plans.items() if each.waiting is not None]
    problems += found.blocked.values()
    if problems:
        raise RefusedError(together(problems))
    approval = design.site.intent.policy.approval
    expires = time + timedelta(hours=VALID_HOURS if approval is None else approval.valid_hours)
    document: dict[str, Any] = {
        "schema": f"gpufabric/{NAME}",
        "version": VERSION,
        "site": design.site.intent.site,
        "time": time.isoformat(timespec="seconds"),
        "command": command,
        "expires": expires.isoformat(timespec="seconds"),
        "code": {"version": __version__, "sha256": code_hash()},
        "intent": intent_hash(design),
        "selection": {
            "planes": [*selection.planes],
            "limit": [*selection.limit],
            "adopt": {name: [[*each] for each in paths] for name, paths in reach.adopt.items()},
            "allow_management": sorted(reach.allow_management),
            "accept_release": reach.accept_release,
        },
        "changing": len(found.changing),
        "waves": [
            [*wave.devices] for wave in waves_of(design.network, found.work, design.site.intent.policy.wave_share)
        ],
        "switches": {name: _as_data(each) for name, each in found.plans.items()},
    }
    return as_bytes(document)


def intent_hash(design: SiteDesign) -> str:
    """SHA-256 over the files that say what the switches should hold, and where they are."""
    files = ((name, design.site.directory / name) for name in (INTENT, DEVICES))
    each = (f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n" for name, file in files if file.exists())
    return hashlib.sha256("".join(each).encode()).hexdigest()


def read(design: SiteDesign, file: Path) -> PlanFile:
    """A plan from its file, with its approvals. RefusedError for one that is damaged or is another site's."""
    document, content = read_plan(file)
    if (name := document["site"]) != (own := design.site.intent.site):
        hint = "name the plan's own site with --site"
        raise RefusedError(Problem(str(file), "this plan is of another site", own, name, hint))
    try:
        switches = {name: _from_data(name, each) for name, each in document["switches"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RefusedError(Problem(str(file), f"this plan is damaged: {error}", hint=_AGAIN)) from error
    found = approvals(design, file, content)
    return PlanFile(file, content, document, Planned(document["hash"], found.signed.by, switches), found)


def outdated(plan: PlanFile, design: SiteDesign, now: datetime | None = None) -> Iterator[Problem]:
    """Why a plan is of no use any more: another intent, or its time."""
    where, document = str(plan.file), plan.document
    if (here := intent_hash(design)) != document["intent"]:
        what = "this plan was made from another intent"
        yield Problem(where, what, f"SHA-256 of {INTENT} and {DEVICES} {document['intent']}", here, _AGAIN)
    at = now or datetime.now(UTC)
    time, expires = (_time(where, each) for each in (document["time"], document["expires"]))
    if at >= expires:
        what = "this plan has expired"
        yield Problem(where, what, f"a push before {document['expires']}", at.isoformat(timespec="seconds"), _AGAIN)
    if at < time - timedelta(seconds=CLOCKS_DIFFER_S):
        hint = "one of two clocks is wrong: look at the time here and where the plan was made"
        what = "this plan is from the future"
        yield Problem(where, what, f"made before {at.isoformat(timespec='seconds')}", document["time"], hint)


def to_push(design: SiteDesign, file: Path, now: datetime | None = None) -> PlanFile:
    """A plan that may be pushed. RefusedError with all that speaks against it; no switch is asked."""
    plan = read(design, file)
    problems = [*outdated(plan, design, now), *plan.approvals.problems(file)]
    code = plan.document["code"]
    if (here := code_hash()) != code["sha256"]:
        what = "this plan was made by other code of gpufabric: it may render other lines"
        expected, found = f"{code['version']}, SHA-256 {code['sha256']}", f"{__version__}, SHA-256 {here}"
        problems.append(Problem(str(file), what, expected, found, f"push with the one that planned, or {_AGAIN}"))
    if not problems and (chosen := set(plan.selection(design))) != plan.planned.switches.keys():
        what = "this plan leaves out switches that it is about, or has others"
        names = ", ".join(sorted(chosen ^ plan.planned.switches.keys()))
        problems.append(Problem(str(file), what, found=names, hint=_AGAIN))
    if problems:
        raise RefusedError(problems)
    return plan


def _time(where: str, text: str) -> datetime:
    """Raises RefusedError for what is no time."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise RefusedError(Problem(where, f"this plan is damaged: {text} is no time", hint=_AGAIN)) from error
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _as_data(each: PlanSummary) -> PlanSwitch:
    assert each.read is not None  # noqa: S101 - planned with keeps_read
    facts = each.read.facts
    rows = [
        {"op": change.op, "path": _plain(change.path), "disruption": disruption} for change, disruption in each.rows()
    ]
    return {
        "identity": {
            "serial": facts.serial,
            "model": facts.model,
            "release": facts.release,
            "hostname": facts.hostname,
        },
        "owners": sorted(each.owners),
        "disruption": each.disruption.value,
        "saved": each.is_saved,
        "begins_to_spray": each.begins_to_spray,
        "cannot_be_compared": [*each.unshown],
        "changing": each.count,
        "changes": packed(json.dumps(rows)),
        "others": [
            {
                "path": _plain(others.path),
                "reason": for_others(others.reason),
                "adopt": _plain(others.adopt),
                "replaced_by": _plain(others.in_the_way_of),
                "matters": others.matters,
                "disruption": disruption.value,
            }
            for others, disruption in each.others
        ],
        "read": packed(each.read.text),
    }


def _from_data(name: str, each: PlanSwitch) -> PlannedSwitch:
    identity = each["identity"]
    facts = Facts(identity["hostname"], identity["release"], identity["model"], identity["serial"])
    rows = [
        (Change(tuple(row["path"]), row["op"]), Disruption(row["disruption"]))
        for row in json.loads(unpacked(each["changes"]))
    ]
    others = tuple((_others(row), Disruption(row["disruption"])) for row in each["others"])
    made = PlanSummary(
        name,
        frozenset(each["owners"]),
        len(rows),
        max((worst for _, worst in rows), key=lambda worst: worst.severity, default=Disruption.NONE),
        each["saved"],
        None,
        packed_rows(rows),
        hash(tuple(change for change, _ in rows)),
        each["begins_to_spray"],
        others,
        tuple(each["cannot_be_compared"]),
        read=Read.of(facts, unpacked(each["read"])),
    )
    return PlannedSwitch(made)


def _others(row: Mapping[str, Any]) -> Others:
    path, adopt, by = (tuple(row[key]) for key in ("path", "adopt", "replaced_by"))
    return Others(path, row["reason"], adopt, by, row["matters"])


def _plain(path: tuple[str, ...]) -> list[str]:
    return [for_others(line) for line in path]
