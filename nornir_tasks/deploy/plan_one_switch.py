"""Evaluate a read of one switch: is it the intended one, and what would a push change on it."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nornir_tasks.deploy.evidence import NO_EVIDENCE, Evidence
from nornir_tasks.deploy.identity import Declared, Doubts, named_as_another
from nornir_tasks.deploy.plan import DevicePlan, device_plan, running_config, wanted_config
from nornir_tasks.deploy.planned import PlannedSwitch
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.drivers.session import Depth, Facts, Running, SwitchSession
from nornir_tasks.errors import IdentityError, Problem, RefusedError

COMPUTING = threading.Lock()
"""Lock for making and comparing trees. Only one thread computes at a time anyhow; 64 half-done computations would need
the memory of 64."""


CONFIRM_WITHIN_S = 120
"""Of a switch that carries no other switch's management."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The safety settings of one push."""

    confirm_within_s: int = CONFIRM_WITHIN_S
    settle_s: float = 30.0
    """How long BGP sessions that were up before may take to come back."""
    reconnect_s: float = 20.0
    """How long reads of a switch that does not answer are repeated."""
    allow_management: bool = False
    first_push: bool = False
    """The switch has the account of its first boot: this push exchanges it, and may change accounts for that."""
    is_pinned: bool = False
    """The switch is known by the one certificate that is pinned, and by no authority."""
    unguarded: bool = False
    """Commit even if the OS has no timer that would revert the change."""
    serial: str | None = None
    """Declared serial number; None: not declared."""
    names: frozenset[str] = frozenset()
    """Names of all switches of the site: without a serial number, a switch with another's name is refused."""
    evidence: Evidence = NO_EVIDENCE
    """What is shown to be ours on the switch."""
    planned: PlannedSwitch | None = None
    """An earlier plan, of which the push carries out just what it says; None: what is shown now."""
    keeps_read: bool = False
    """The plan is to be pushed later: what was read is kept with it."""
    doubts: Doubts = field(default_factory=Doubts, compare=False)
    """Collects switches without a declared serial number."""


def identify(declared: Declared, facts: Facts, rules: Rules) -> None:
    """Check the identity. Raises IdentityError naming everything that differs."""
    problems = list(_other_switch(declared.device, facts, rules))
    if not declared.capabilities.runs(facts.release):
        problems.append(
            Problem(
                where=declared.device,
                what="the switch runs another release than declared",
                expected=f"{declared.os} {declared.release}",
                found=f"{declared.os} {facts.release}",
                hint="declare the release that runs, or say --accept-release to render for it this once",
            )
        )
    if problems:
        raise IdentityError(problems)


def _other_switch(device: str, facts: Facts, rules: Rules) -> Iterator[Problem]:
    if rules.serial is None:
        refused = list(named_as_another(device, facts, rules.names))
        yield from refused
        if not refused:
            rules.doubts.note(device, facts)
    if rules.serial is not None and rules.serial != facts.serial:
        yield Problem(
            where=device,
            what="another switch answers at this address",
            expected=f"serial number {rules.serial}",
            found=f"serial number {facts.serial} ({facts.model})",
            hint="correct address or serial number in devices.yml, or the cabling of the management network",
        )


def who_answers(session: SwitchSession) -> Facts:
    """Read a switch's identity, and nothing else."""
    facts = session.read(Depth.TEXT).facts
    assert facts is not None  # noqa: S101 - of this depth they are always asked for
    return facts


def ask(session: SwitchSession, device: str, rules: Rules) -> Facts:
    """The identity of the switch that answers. Raises IdentityError for another switch than declared."""
    facts = who_answers(session)
    if problems := list(_other_switch(device, facts, rules)):
        raise IdentityError(problems)
    return facts


def planned(running: Running, wanted: Wanted, rules: Rules) -> DevicePlan:
    """What would change on a switch that was read. Raises IdentityError for another switch than intended.

    If this read did not contain the identity, it is read separately before any change.
    """
    if running.facts is not None:
        identify(wanted.declared, running.facts, rules)
    plan = device_plan(
        wanted,
        running.text,
        rules.evidence,
        allow_management=rules.allow_management,
        first_push=rules.first_push,
    )
    unshown = tuple(place for place in running.unshown if _is_kept(place, wanted, plan))
    plan = replace(plan, is_saved=running.is_saved, waiting=running.waiting, unshown=unshown)
    if not plan.changes:
        return plan
    return replace(plan, company=running.company, lacks_bytes=_lacks_bytes(running, plan))


def _lacks_bytes(running: Running, plan: DevicePlan) -> int:
    """How much more room the candidate and a copy of what runs would need than there is."""
    if running.free_bytes is None:
        return 0
    added = sum(len(change.path[-1]) + len(change.path) for change in plan.changes if change.op == "+")
    return max(0, 2 * len(running.text.encode()) + added - running.free_bytes)


def refuse_another_certificate(plan: DevicePlan, wanted: Wanted, rules: Rules) -> None:
    """Refuse a change after which the switch would show another certificate than the pinned one.

    We could not confirm it: the new connection would be refused, and the switch's timer would take the change back.
    """
    api = wanted_config(wanted).base.reach.api
    if not rules.is_pinned or not plan.changes or api is None:
        return
    runs = running_config(wanted, plan).base.reach.api
    if runs is None or runs.certificate != api.certificate:
        raise RefusedError(another_certificate(wanted.device, runs.certificate if runs else None, api.certificate))


def _is_kept(place: str, wanted: Wanted, plan: DevicePlan) -> bool:
    """Is this a place that the push wants a secret at, and leaves as it is?"""
    block = tuple(place.split(" / ")[:-1])
    return wanted.tree.get(*block) is not None and not any(
        change.path[: len(block)] == block for change in plan.changes
    )


def another_certificate(device: str, runs: str | None, wanted: str) -> Problem:
    """Why a pinned switch is not given another certificate."""
    return Problem(
        where=device,
        what=f"its API would show another certificate ({wanted}) than the pinned one: we could not confirm the change, "
        "and the switch would take it back",
        expected="a switch that shows the certificate that is pinned, or one of the site's CA",
        found=f"certificate {runs}, pinned" if runs else "a certificate that the intent does not name, pinned",
        hint=f"give its API certificate {wanted} at its console and pin that one: nornir trust {device} (where the "
        f"site's CA has signed it: take fingerprint out of the device list); then push again",
    )


def timer_s(capabilities: Capabilities, rules: Rules) -> int | None:
    """How long the switch waits for our confirmation, within its OS's limits. None: it has no timer."""
    if not capabilities.has_commit_timer:
        return None
    return min(max(rules.confirm_within_s, capabilities.min_confirm_s), capabilities.max_confirm_s)
