"""One trial: a fault happens to a push that puts a changed switch right, and all that is said of it is judged."""

import os
import resource
import signal
import sqlite3
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field

from fault_plan import Fault
from interposer import Interposer, Moment, Place, Way
from judge import Case, judge_beside, judge_journal, judge_look, judge_push, judge_repair, judge_rollback, seconds_named
from small_lab import DEVICES, LONGER_THAN_ANY_TIMER_S, Ended, TrialLab
from switch_truth import Truth

from tests.preloaded import Client

COMMITS = ("commit timer", "commit-timeout", '"state": "apply"')
"""What the request that commits has in it, one for each system."""
STAGING_S = 75.0


@dataclass
class Injection:
    """Lets one fault happen when its request comes."""

    fault: Fault
    lab: TrialLab
    device: str
    target: int
    """Number of the request."""
    client: Client | None = None
    began: threading.Event = field(default_factory=threading.Event)
    has_staged: bool = False
    is_done: bool = False
    beside: Ended | None = None
    found_beside: Truth | None = None
    """What was so when the push beside had ended."""

    @property
    def interposer(self) -> Interposer:
        """The one before the fault's switch."""
        return self.lab.interposers[self.device]

    def __call__(self, place: Place, moment: Moment) -> Way:
        """The interposer's hook."""
        self.began.wait(10)
        if self.fault.kind == "staging" and not self.has_staged and _stages(place) and moment is Moment.ARRIVED:
            self.lab.pass_time(STAGING_S)
            self.has_staged = True
        if self.fault.kind == "slow":
            return self._slowly(place, moment)
        wanted = Moment.CARRIED_OUT if self.fault.is_carried_out else Moment.ARRIVED
        if self.is_done or place.number != self.target or moment is not wanted:
            return Way.PASS
        self.is_done = True
        return getattr(self, "_" + self.fault.kind.replace("-", "_"))(moment)

    def _slowly(self, place: Place, moment: Moment) -> Way:
        if place.number < self.target or moment is Moment.ARRIVED:
            return Way.PASS
        self.is_done = True
        return Way.SLOW

    # -- one for each kind -----------------------------------------------------------------------------------------

    def _signal(self, number: int) -> None:
        assert self.client is not None
        with suppress(ProcessLookupError):
            os.kill(self.client.pid, number)

    def _kill(self, _: Moment) -> Way:
        self._signal(signal.SIGKILL)
        return Way.END

    def _term(self, _: Moment) -> Way:
        self._signal(signal.SIGTERM)
        return Way.PASS

    def _interrupt(self, _: Moment) -> Way:
        self._signal(signal.SIGINT)
        return Way.PASS

    def _cut(self, _: Moment) -> Way:
        return Way.RESET if self.fault.is_reset else Way.END

    _lost = _cut

    def _truncated(self, _: Moment) -> Way:
        return Way.TRUNCATE

    def _unavailable(self, _: Moment) -> Way:
        return Way.UNAVAILABLE

    def _certificate(self, _: Moment) -> Way:
        self.interposer.is_impostor = True
        return Way.END

    def _outage(self, _: Moment) -> Way:
        self.interposer.is_out = True
        return Way.RESET

    def _disk(self, _: Moment) -> Way:
        assert self.client is not None
        with suppress(ProcessLookupError):
            resource.prlimit(self.client.pid, resource.RLIMIT_FSIZE, (0, 0))
        return Way.PASS

    def _clock(self, moment: Moment) -> Way:
        self._kill(moment)
        self.lab.clients.clocks.step(self.fault.clock_step_s)
        return Way.END

    _staging = _kill

    def _two_here(self, _: Moment) -> Way:
        return self._push_beside(is_elsewhere=False)

    def _two_elsewhere(self, _: Moment) -> Way:
        return self._push_beside(is_elsewhere=True)

    def _push_beside(self, *, is_elsewhere: bool) -> Way:
        self.beside = self.lab.run("push", "--yes", "--limit", self.device, is_elsewhere=is_elsewhere)
        self.found_beside = self.lab.truth(self.device)
        return Way.PASS


def _stages(place: Place) -> bool:
    return "copy over SSH" in place.what or "configure session gpufabric" in place.what or "/revision" in place.what


class Trials:
    """Carries out faults on one lab."""

    def __init__(self, lab: TrialLab) -> None:
        self.lab = lab
        self.count = 0
        self._requests: dict[str, list[str]] = {}

    def requests(self, device: str) -> list[str]:
        """What a push of one change asks of a switch, in order; looked at once."""
        if device not in self._requests:
            self.lab.restore(device)
            self.lab.spoil(device, 0)
            self.lab.interposers[device].calm()
            output = self.lab.run("push", "--yes", "--limit", device)
            assert output.code == 0, output
            self._requests[device] = [place.what for place in self.lab.interposers[device].trace]
        return self._requests[device]

    def run(self, fault: Fault) -> Case:
        """One trial from its clean beginning to its end; what was untrue stands in the case."""
        self.count += 1
        device = DEVICES[fault.system]
        requests = self.requests(device)
        commit = next(number for number, what in enumerate(requests) if any(word in what for word in COMMITS))
        for each in DEVICES.values():  # a neighbour that the trial before left in trouble would show here
            self.lab.restore(each)
        self.lab.spoil(device, fault.change)
        case = Case(fault, device, old=self.lab.truth(device).running, new=self.lab.wanted[device])
        injection = Injection(fault, self.lab, device, _target(fault, len(requests), commit))
        case.note(f"fault at request {injection.target} of {len(requests)}: {requests[injection.target][:160]}")
        self._push(case, injection)
        self._look_again(case)
        return case

    def _push(self, case: Case, injection: Injection) -> None:
        words = ("push", "--yes", "--limit", case.device, *(["--json"] if case.fault.is_json else []))
        injection.interposer.calm()
        injection.interposer.hook = injection
        injection.client = self.lab.begin(*words)
        injection.began.set()
        output = self.lab.end(injection.client, *words)
        injection.interposer.calm()
        found = self.lab.truth(case.device)
        case.is_injected, case.beside = injection.is_done, injection.beside
        if injection.beside is not None and injection.found_beside is not None:
            judge_beside(case, injection.beside, injection.found_beside)
        judge_push(case, output, found)
        judge_journal(case, self._journal(case), found)

    def _look_again(self, case: Case) -> None:
        if case.fault.later_s:
            self.lab.pass_time(case.fault.later_s)
        found = self._looks(case, "plan", "validate")
        again = self._run(case, "push", "--yes", "--limit", case.device)
        after = self.lab.truth(case.device)
        judge_push(case, again, after, before=found)
        if again.code != 0:
            self.lab.pass_time(seconds_named(again) or LONGER_THAN_ANY_TIMER_S)
            again = self._run(case, "push", "--yes", "--limit", case.device)
            after = self.lab.truth(case.device)
        judge_repair(case, again, after, self._journal(case))
        if case.fault.is_rolled_back:
            back = self._run(case, "rollback", "--yes", "--limit", case.device)
            judge_rollback(case, back, self.lab.truth(case.device))

    def _looks(self, case: Case, *verbs: str) -> Truth:
        """What verbs that change nothing say, against what is so."""
        found = self.lab.truth(case.device)
        for verb in verbs:
            judge_look(case, verb, self._run(case, verb, "--limit", case.device), found)
        return found

    def _run(self, case: Case, *words: str) -> Ended:
        output = self.lab.run(*words)
        case.note(str(output))
        return output

    def _journal(self, case: Case) -> list[str]:
        """States of the switch's entries in this machine's journal, oldest first."""
        path = self.lab.records / "journal.sqlite"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path)) as db:
            rows = db.execute("SELECT state FROM device WHERE device = ? ORDER BY push", (case.device,))
            return [str(row[0]) for row in rows]


def _target(fault: Fault, requests: int, commit: int) -> int:
    """Which request. A client whose staging or clock matters dies after the commit: before it, nothing is at stake."""
    first = 0 if fault.zone == "any" else commit
    if fault.kind in ("clock", "staging"):
        first = commit
    return first + int(fault.share * (requests - first))
