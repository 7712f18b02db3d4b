"""``push --soak`` and ``--wave-check``: between waves, is anything worse than before the push?"""

import shlex
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.counters.suite import ABOUT as RULES
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.waves import Wave
from nornir_tasks.errors import GpufabricError, IntentError, Problem, RefusedError, ValidationFailed
from nornir_tasks.usecases import soak
from nornir_tasks.usecases.all_or_nothing import Clock
from nornir_tasks.usecases.progress import On
from nornir_tasks.usecases.push import Approve, PlanReport
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import Selection

SETTLED_S = 60.0
"""A neighbour that is heard again, or a gateway that is active again, may take this long: two rounds of LLDP's 30 s
(IEEE 802.1AB-2016, 9.2.5.6 and 9.2.5.7: msgTxInterval), and what is worse by then has become worse."""
PAUSE_S = 5.0
COMMAND_S = 1800
"""A playbook over a thousand hosts ends in this time (chosen)."""
_COUNTED = frozenset(each.name for each in RULES)
"""What these find was counted after the wave: it does not settle."""


@dataclass(slots=True)
class Watch:
    """Checks and counters of the switches that a push changes and of their neighbours, before it and between waves."""

    selection: Selection
    reach: Reach
    on: On
    seconds: float | None = None
    """How long it is counted before the first wave, and after each; None: the switches are not looked at."""
    command: Sequence[str] = ()
    """The operator's own check, as a playbook that validates hosts: it ends with 0 where all is well."""
    clock: Clock = field(default_factory=Clock)
    wrong_before: set[str] = field(default_factory=set)
    """Findings that had failed before anything was changed, by their names."""

    def approving(self, approve: Approve) -> Approve:
        """The same question; where the answer is yes, what is wrong already is noted before anything is changed."""

        def approved(found: PlanReport) -> bool:
            if not approve(found):
                return False
            if problem := self._checked("before anything was changed"):
                raise RefusedError(replace(problem, hint="it can judge no wave: mend what it found, or leave it out"))
            if self.seconds is not None:
                self.wrong_before = {each.id for each in _wrong(self._look(found.work, self.seconds))}
            return True

        return approved

    def judge(self, wave: Wave) -> dict[str, GpufabricError]:
        """Switch of the wave -> what has become worse there, at its neighbours or at its cables.

        That it cannot be judged counts as worse: an exception would end the push with no way back.
        """
        found: dict[str, list[Problem]] = {}
        try:
            problems = list(self._problems(wave))
        except GpufabricError as error:
            return {wave.devices[0]: error}
        for problem in problems:
            device = problem.where if problem.where in wave.devices else wave.devices[0]
            found.setdefault(device, []).append(problem)
        return {device: ValidationFailed(problems) for device, problems in found.items()}

    def _problems(self, wave: Wave) -> Iterator[Problem]:
        if self.seconds is not None:
            for cause, news in self._settled(wave, self.seconds):
                yield _problem(wave, cause, news)
        if problem := self._checked(f"after wave '{wave.name}'"):
            yield problem

    def _settled(self, wave: Wave, seconds: float) -> "tuple[tuple[Cause, tuple[Finding, ...]], ...]":
        ends_s = self.clock.now_s() + seconds + SETTLED_S
        while worse := tuple(self._worse(self._look(wave.devices, seconds))):
            if self.clock.now_s() >= ends_s or any(news[0].check in _COUNTED for _, news in worse):
                break
            self.clock.sleep(PAUSE_S)
        return worse

    def _checked(self, when: str) -> Problem | None:
        """Why the operator's command is not content; it writes where we do."""
        if not self.command:
            return None
        where, program = "--wave-check", self.command[0]  # its arguments may hold a password
        try:
            done = subprocess.run(  # noqa: S603 - the operator's own command
                self.command, stdin=subprocess.DEVNULL, stdout=2, timeout=COMMAND_S, check=False
            )
        except subprocess.TimeoutExpired:
            return Problem(where, f"the check did not end {when}", f"an end within {COMMAND_S} s", program)
        except OSError as error:
            return Problem(where, f"the check cannot be run: {error.strerror}", "a program and its arguments", program)
        if done.returncode == 0:
            return None
        return Problem(where, f"the check failed {when}", "exit code 0", f"exit code {done.returncode} of {program}")

    def _look(self, names: Collection[str], seconds: float) -> Report:
        chosen = _around(self.selection, names)
        readings, counted = soak.collect_at_end(chosen, self.reach, seconds, self.on, self.clock.sleep)
        return soak.judge(chosen, readings, counted)[0]

    def _worse(self, report: Report) -> Iterator[tuple[Cause, tuple[Finding, ...]]]:
        """Causes that were not there before. What follows from one that was may vary from reading to reading."""
        for cause in report.causes:
            news = tuple(filter(_is_wrong, (cause.lead, *cause.follows)))
            if news and self.wrong_before.isdisjoint((cause.lead.id, news[0].id)):
                yield cause, news


def _wrong(report: Report) -> Iterator[Finding]:
    return filter(_is_wrong, report.findings)


def _is_wrong(finding: Finding) -> bool:
    """It failed, or its switch does not answer. Else what could not be told is no sign of anything worse."""
    return finding.verdict is Verdict.FAIL or (finding.check == "reach" and finding.verdict is Verdict.ERROR)


def _around(selection: Selection, names: Collection[str]) -> Selection:
    """These switches and those cabled to them, of the chosen ones."""
    links = [link for name in names for link in selection.design.network.links_of(name)]
    there = {*names, *(each.device for link in links for each in (link.upper, link.lower))}
    return replace(selection, devices={name: each for name, each in selection.devices.items() if name in there})


def _problem(wave: Wave, cause: Cause, news: tuple[Finding, ...]) -> Problem:
    first, more = news[0], len(news) - 1
    what = f"worse than before the push, after wave '{wave.name}': {first.message}"
    what += f" (and {more} more that follow from the same cause)" if more else ""
    return Problem(first.device, what, first.expected, first.found, cause.remedy)


def command_of(text: str | None, option: str) -> tuple[str, ...]:
    """The words of a command, as a shell splits them; none where there is none. Raises IntentError for a lost quote."""
    try:
        words = tuple(shlex.split(text or ""))
    except ValueError as error:
        raise IntentError(Problem(option, f"no command: {error}", "a program and its arguments", text or "")) from None
    if text is not None and not words:
        raise IntentError(Problem(option, "no command", "a program and its arguments", repr(text)))
    return words
