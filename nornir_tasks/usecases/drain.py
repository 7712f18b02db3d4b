"""Drain and undrain: have the traffic off a switch, and back on it, by its own route maps.

The state is on the switch alone: what it runs says whether it is drained, by whom, until when and why. So it is the
same for every checkout, and ``plan``, ``push`` and ``validate`` keep what they find there (``deploy/tasks.py``). The
change itself is a push like any other.
"""

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches

from nornir_tasks.deploy.problems import Ways
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.capacity.management_paths import distances
from nornir_tasks.design.model.drain import Drain, is_printable, room_for_reason
from nornir_tasks.design.model.network import Device
from nornir_tasks.design.reports.drains import Consequence, beside, consequence
from nornir_tasks.errors import IntentError, Problem, RefusedError
from nornir_tasks.usecases.progress import On, Work, ignore
from nornir_tasks.usecases.push import Approve, PlanReport, PushReport, carry_out
from nornir_tasks.usecases.reach import Access, Reach
from nornir_tasks.usecases.secrets import vault_of
from nornir_tasks.usecases.site import Selection, SiteDesign, select


@dataclass(frozen=True, slots=True)
class Leave:
    """What the operator lets a drain or undrain do."""

    less_than_declared: bool = False
    """Go on where less is left than the intent declares."""
    take_over: bool = False
    """Change or end a drain of another person."""
    other_changes: bool = False
    """Bring what else differs from the intent on this switch, too."""


@dataclass(frozen=True, slots=True)
class Changing:
    """What is about to be changed, for the operator who approves it."""

    device: str
    before: Drain | None
    after: Drain | None
    consequence: Consequence | None
    """None: of an undrain."""
    out: Mapping[str, str]
    """Switches beside it that carry nothing: why."""


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What became of it."""

    changing: Changing
    push: PushReport | None
    """None: the switch was as it should be already; nothing was changed."""


Agree = Callable[[Changing, PlanReport], bool]
"""Asked once, before anything is changed."""


def drain_for(person: str, reason: str, until: str | None, now: datetime) -> Drain:
    """A drain as the command line gives it. Raises IntentError for all that is wrong with it."""
    problems: list[Problem] = []
    end = None
    if until is not None:
        try:
            end = _time(until)
        except ValueError:
            problems.append(Problem("--until", "no time", "UTC, as 2030-01-31T08:00Z", until))
    if end is not None and end <= now:
        found = f"{until}, and it is {now:%Y-%m-%dT%H:%MZ}"
        problems.append(Problem("--until", "this time is past", "a time to come, in UTC", found))
    made = Drain(person, end, " ".join(reason.split()))
    if not is_printable(made.reason):
        expected = "letters, digits, spaces and .,:()#+/_=@-, which every switch prints as they are"
        problems.append(Problem("--reason", "no switch keeps this text as it is", expected, reason))
    elif len(made.reason) > (room := room_for_reason(made)):
        found = f"{len(made.reason)} characters"
        problems.append(Problem("--reason", "longer than a switch's description", f"at most {room} characters", found))
    if problems:
        raise IntentError(problems)
    return made


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return found.replace(second=0, microsecond=0)


def device_named(design: SiteDesign, name: str) -> Device:
    """The switch to drain. Raises IntentError for an unknown one, RefusedError for one that cannot be drained."""
    network = design.network
    if name not in network:
        names = [each.name for each in network.devices]
        near = get_close_matches(name, names)
        hint = f"did you mean {' or '.join(near)}?" if near else ""
        raise IntentError(Problem("drain", "no such switch", f"a switch, as {names[0]}", name, hint))
    device = network.device(name)
    if name in distances(network) or network.fabric_of(device).kind == "tree":
        what = "a switch of the out-of-band plane is not drained: management goes through it, and by no other way"
        hint = "every push and every console runs over it: change it in its own wave, with nornir push --limit"
        raise RefusedError(Problem(name, what, "a leaf, spine, core or edge router", device.role, hint))
    if device.pair is not None:
        what = "a member of a pair is not drained: its hosts' bonds would go on sending half of their packets to it"
        hint = "take its legs out of the bonds on the hosts, or change it in its own wave, with nornir push --limit"
        raise RefusedError(Problem(name, what, "a switch in no pair", f"a member of {device.pair}", hint))
    return device


def drain(
    design: SiteDesign, name: str, wanted: Drain, reach: Reach, leave: Leave, agree: Agree, *, on: On = ignore
) -> DrainReport:
    """Have the traffic off a switch. One that is drained just so already is left alone.

    Raises RefusedError, with nothing touched, where another person drained it, where it runs something else than the
    intent wants, and where less is left than is declared.
    """
    device = device_named(design, name)
    near = beside(design.network, device)
    found, silent = _read(design, (name, *near), reach, on)
    own = found[name]
    out = {each: str(found[each].drain) for each in near if each in found and found[each].drain is not None}
    out |= {each: "does not answer" for each in near if each in silent}
    changing = Changing(name, own.drain, wanted, consequence(design.network, device, out), out)
    problems = [*_of_another(name, own.drain, wanted.person, "drain", leave), *_other_changes(own, leave)]
    if own.drain is None:
        problems += _less_than_declared(changing, leave)
    if problems:
        raise RefusedError(problems)
    if own.drain == wanted and not own.count:
        return DrainReport(changing, None)
    selection = _alone(design, name)
    until = "" if wanted.until is None else f" --until {wanted.until:%Y-%m-%dT%H:%MZ}"
    again = f"nornir drain {name} --reason {shlex.quote(wanted.reason)}{until}"
    ways = Ways(again, f"nornir undrain {name}", "drain")
    return _carried_out(ways, selection, {name: selection.drained(name, wanted)}, changing, (reach, agree, on))


def undrain(
    design: SiteDesign, name: str, person: str, reach: Reach, leave: Leave, agree: Agree, *, on: On = ignore
) -> DrainReport:
    """Have the traffic back on a switch. One that is not drained is left alone.

    Raises RefusedError, with nothing touched, where another person drained it, and where it runs something else than
    the intent wants.
    """
    device_named(design, name)
    found, _ = _read(design, (name,), reach, on)
    own = found[name]
    changing = Changing(name, own.drain, None, None, {})
    if own.drain is None:
        return DrainReport(changing, None)
    problems = [*_of_another(name, own.drain, person, "undrain", leave), *_other_changes(own, leave)]
    if problems:
        raise RefusedError(problems)
    selection = _alone(design, name)
    back = f"nornir drain {name} --reason {shlex.quote(own.drain.reason or 'again')}"
    ways = Ways(f"nornir undrain {name}", back, "undrain")
    return _carried_out(ways, selection, {name: selection[name]}, changing, (reach, agree, on))


def _read(
    design: SiteDesign, names: Collection[str], reach: Reach, on: On
) -> tuple[Mapping[str, PlanSummary], frozenset[str]]:
    """What a push would change on each, with the drain that it has; and those beside the first that do not answer."""
    chosen = select(design, (), list(names))
    # nothing is sent: a difference on the management path is one like any other
    access = Access(replace(reach, allow_management=frozenset(chosen)), on, vault_of(design, ()))
    with access.fleet(design, chosen) as switches:
        found = access.read(Work.READ, len(chosen), switches.plan)
    first = next(iter(names))
    if first in found.errors:
        raise found.errors[first]
    return found.values, frozenset(found.errors)


def _alone(design: SiteDesign, name: str) -> Selection:
    return select(design, (), [name])


def _of_another(name: str, drained: Drain | None, person: str, verb: str, leave: Leave) -> Iterator[Problem]:
    if drained is None or drained.person == person or leave.take_over:
        return
    hint = f"agree with them, or say so: nornir {verb} {name} --take-over"
    yield Problem(name, "another person drained this switch", f"a drain by {person}", str(drained), hint)


def _other_changes(found: PlanSummary, leave: Leave) -> Iterator[Problem]:
    """A drain changes nothing but what it is about: what else differs is brought by a push, or by name."""
    if found.count and not leave.other_changes:
        what = "the switch runs something else than the intent wants"
        hint = f"bring that first: nornir push --limit {found.device}; or with this change: --with-other-changes"
        yield Problem(found.device, what, "no line that differs", f"{found.count} lines that differ", hint)


def _less_than_declared(changing: Changing, leave: Leave) -> Iterator[Problem]:
    if changing.consequence is None or leave.less_than_declared:
        return
    also = "".join(f"; {name}: {why}" for name, why in changing.out.items())
    hint = "undrain another one first, or say so: --accept-less-than-declared"
    for what, expected, found in changing.consequence.refusals():
        yield Problem(changing.device, what, expected, f"{found}{also}", hint)


def _carried_out(
    ways: Ways,
    selection: Selection,
    wanted: Mapping[str, Wanted],
    changing: Changing,
    terms: tuple[Reach, Agree, On],
) -> DrainReport:
    reach, agree, on = terms
    approve: Approve = lambda plan: agree(changing, plan)  # noqa: E731 - one line, and typed
    access = Access(reach, on, vault_of(selection.design, ()))
    return DrainReport(changing, carry_out(ways, selection.design, wanted, access, approve))
