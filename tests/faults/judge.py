"""What must be so after a fault, whatever it was. Each thing that is not becomes a line of the case."""

import json
import re
from dataclasses import dataclass, field

from fault_plan import Fault
from small_lab import Ended
from switch_truth import Truth

TIMER = re.compile(
    r"takes? \S+( \S+)? back|timer|not (yet )?confirmed|unconfirmed|waits? for (its )?(confirmation|commit)",
    re.IGNORECASE,
)
"""Words that say: what runs there does not run for good."""
LEFT = re.compile(r"takes the change back by itself|waits for its", re.IGNORECASE)
"""Words that say: a timer runs now."""
UNSAVED = re.compile(r"\bsaved?\b|startup|reboot", re.IGNORECASE)
UNKNOWN = re.compile(
    r"cannot tell|not known|unknown|could not (be )?(ask|find|tell|learn|see)|look with", re.IGNORECASE
)
CRASH = re.compile(r"Traceback|fault of gpufabric|Exception in thread|unexpected \w*Error")
NAMED_SECONDS = re.compile(r"push again in (?:at most )?(\d+) s|within (\d+) s|in (\d+) s\b")
SIGNALLED = {"kill": (-9,), "clock": (-9,), "staging": (-9,), "term": (-15, 143, 130), "interrupt": (130,)}
KEEPS_AWAY = ("outage", "certificate")
"""Faults after which the client cannot ask the switch any more, however it tries."""


@dataclass
class Case:
    """One trial's evidence and what was wrong."""

    fault: Fault
    device: str
    old: str
    new: str
    is_injected: bool = False
    beside: Ended | None = None
    output: Ended | None = None
    """What the push said that the fault happened to."""
    wrong: list[str] = field(default_factory=list)
    left_at_once: tuple[str, ...] = ()
    """What stood on the switch right after the push had ended, and only the next push removed."""
    _notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep what happened, for who reads a failure."""
        self._notes.append(text)

    def fail(self, what: str) -> None:
        """Something is not as it must be."""
        self.wrong.append(what)
        self._notes.append(f">>> {what}")

    def __str__(self) -> str:
        return "\n".join([f"fault {self.fault}: {self.fault!r}", *self._notes])


def seconds_named(output: Ended) -> float | None:
    """How long a message asks to wait."""
    found = [int(next(filter(None, each))) for each in NAMED_SECONDS.findall(output.text)]
    return max(found) + 1.0 if found else None


# -- a push --------------------------------------------------------------------------------------------------------


def judge_push(case: Case, output: Ended, found: Truth, before: Truth | None = None) -> None:
    """The switch after a push, and what the push says of it. ``before``: a later push without a fault of its own."""
    is_first = before is None
    if is_first:
        case.output = output
        case.note(str(output))
        case.left_at_once = found.leftovers
    case.note(f"switch: {_state(case, found)}")
    if found.running not in (case.old, case.new):
        case.fail("the switch runs neither what it ran nor what was wanted")
    if is_first and output.code in SIGNALLED.get(case.fault.kind, ()) and output.code in (-9, -15):
        return  # nobody was left to say anything
    _judge_manners(case, output, is_first)
    _judge_claim(case, output, found, was_new=before is not None and before.running == case.new)


def judge_beside(case: Case, output: Ended, found: Truth) -> None:
    """A push that was begun while another one was under way, when it has ended."""
    case.note(f"beside: {output}\nswitch then: {_state(case, found)}")
    if CRASH.search(output.text) or output.code in (1, None):
        case.fail(f"the push beside crashes: {_line(output, CRASH)}")
    elif output.code == 0 and (found.running != case.new or found.is_timed):
        case.fail(f"the push beside ends with 0, and the switch: {_state(case, found)}")
    elif case.fault.kind == "two-here" and "another push of this site is under way" not in output.text:
        case.fail("a second push with the same state folder is not refused")


def _judge_manners(case: Case, output: Ended, is_first: bool) -> None:
    if output.code is None:
        case.fail("the client did not end")
    if CRASH.search(output.text) or output.code == 1:
        case.fail(f"a crash: {_line(output, CRASH)}")
    if is_first and case.fault.kind == "interrupt" and case.is_injected and output.code not in (0, 130):
        case.fail(f"Ctrl-C ends with exit code {output.code}")
    if case.fault.kind not in ("certificate",) and "nornir trust" in output.text:
        case.fail(
            f"a broken connection is called distrust: {_line(output, re.compile('not one we trust|nornir trust'))}"
        )


def _judge_claim(case: Case, output: Ended, found: Truth, *, was_new: bool) -> None:
    is_new, is_kept = found.running == case.new, not found.is_timed
    claimed = _changed(output) or _confirmed(case, output)
    speaks_of_timer = bool(TIMER.search(output.text)) and case.device in output.text
    if output.code == 0 and not (is_new and is_kept and found.is_saved):
        case.fail(f"exit code 0, and the switch: {_state(case, found)}")
    if claimed and not (is_new and is_kept):
        case.fail(f"says 'changed', and the switch: {_state(case, found)}")
    if claimed and not found.is_saved and not UNSAVED.search(output.text):
        case.fail("says 'changed' and not that a reboot loses it")
    is_denied = output.code != 0 and is_new and is_kept and not claimed and not was_new and not _other_did(case)
    if is_denied and not (case.fault.kind in KEEPS_AWAY and UNKNOWN.search(output.text)):
        case.fail("the change is kept, and the push denies it")
    if found.is_timed and is_new and not speaks_of_timer:
        case.fail("the change is not confirmed, and the push does not say so")
    if is_kept and not claimed and case.fault.kind not in KEEPS_AWAY and LEFT.search(output.text):
        case.fail("says that a timer runs, and none does")


def _other_did(case: Case) -> bool:
    """The push beside says that it changed the switch; then ours need not have."""
    return case.beside is not None and case.beside.code == 0


def _confirmed(case: Case, output: Ended) -> bool:
    """Whether an interrupted push says of this switch that it is confirmed, at once or after all."""
    rows = (row for row in output.err.splitlines() if row.startswith(("confirmed: ", "now confirmed: ")))
    return any(case.device in row for row in rows)


def _changed(output: Ended) -> bool:
    """Whether a push says that it changed the switch."""
    if "--json" in output.words:
        try:
            return bool(json.JSONDecoder().raw_decode(output.out)[0].get("changed"))
        except ValueError:
            return False
    found = re.search(r"(\d+) of \d+ changed", output.out)
    return found is not None and int(found[1]) > 0


# -- the journal ---------------------------------------------------------------------------------------------------


def judge_journal(case: Case, states: list[str], found: Truth) -> None:
    """The journal's last word on the switch, right after the push."""
    if not states or case.beside is not None:
        return
    last = states[-1]
    if last == "done" and not (found.running == case.new and not found.is_timed):
        case.fail(f"the journal says 'done', and the switch: {_state(case, found)}")
    if last in ("failed", "undone") and not (found.running == case.old and not found.is_timed):
        case.fail(f"the journal says '{last}', and the switch: {_state(case, found)}")


# -- looking -------------------------------------------------------------------------------------------------------


def judge_look(case: Case, verb: str, output: Ended, found: Truth) -> None:
    """``plan`` and ``validate`` say what is so."""
    if CRASH.search(output.text) or output.code in (1, None):
        case.fail(f"{verb} crashes: {_line(output, CRASH)}")
        return
    is_new = found.running == case.new
    if found.running not in (case.old, case.new):
        case.fail("the switch runs neither what it ran nor what was wanted")
    if found.is_timed:
        if not (TIMER.search(output.text) and case.device in output.text):
            case.fail(f"{verb} does not say that a timer still runs")
        if verb == "validate" and output.code == 0:
            case.fail("validate passes while a timer runs")
        return
    if not found.is_saved and is_new and not UNSAVED.search(output.text):
        case.fail(f"{verb} does not say that a reboot loses the change")
    if verb == "plan" and is_new is not ("0 of 1 switches would change" in output.out):
        case.fail(f"plan is wrong: the switch is {'' if is_new else 'not '}as wanted")
    if verb == "validate" and is_new and found.is_saved and output.code != 0:
        case.fail("validate does not pass on a switch that is as wanted")
    if verb == "validate" and not is_new and output.code != 8:
        case.fail(f"validate ends with {output.code} on a switch that is not as wanted")


# -- the way back --------------------------------------------------------------------------------------------------


def judge_repair(case: Case, output: Ended, found: Truth, states: list[str]) -> None:
    """The next push that says it may, puts all right without a hand."""
    if output.code != 0:
        case.fail(f"the next push does not heal: exit {output.code}: {_line(output, re.compile('error:'))}")
    if found.running != case.new or found.is_timed:
        case.fail(f"after the next push the switch: {_state(case, found)}")
    if not found.is_saved:
        case.fail("after the next push a reboot still loses the change")
    if found.leftovers:
        case.fail(f"left behind: {', '.join(found.leftovers)}")
    if states and states[-1] not in ("done", "failed", "undone"):
        case.fail("the journal still calls the push unfinished")


def judge_rollback(case: Case, output: Ended, found: Truth) -> None:
    """After all that, ``rollback`` brings back what ran before the push."""
    if _other_did(case):
        return  # what another machine did stands in its journal, not in ours
    if output.code != 0:
        case.fail(f"rollback ends with {output.code}: {_line(output, re.compile('error:'))}")
    if found.running != case.old or found.is_timed or not found.is_saved or found.leftovers:
        case.fail(f"after the rollback the switch: {_state(case, found)}")


def _state(case: Case, found: Truth) -> str:
    runs = "as wanted" if found.running == case.new else "as before" if found.running == case.old else "something else"
    timed = ", timer runs" if found.is_timed else ""
    saved = "" if found.is_saved else ", not saved"
    return f"{runs}{timed}{saved}" + (f", {', '.join(found.leftovers)}" if found.leftovers else "")


def _line(output: Ended, pattern: re.Pattern[str]) -> str:
    rows = [row for row in output.text.splitlines() if pattern.search(row)]
    return rows[0][:240] if rows else f"exit code {output.code}"
