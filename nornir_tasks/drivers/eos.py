"""SwitchSession for EOS: NAPALM's driver underneath, one configuration session under the switch's own commit timer."""

import re
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from napalm.base.exceptions import MergeConfigException
from napalm.eos import EOSDriver
from pyeapi.client import Node
from pyeapi.eapilib import CommandError

from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.drivers.company import Company, in_company
from nornir_tasks.drivers.eos_transport import KeepAliveEapi
from nornir_tasks.drivers.rights import missing_right
from nornir_tasks.drivers.session import MARK, Depth, Endpoint, Facts, Fate, Note, Running, Staged, Waiting, unnoted
from nornir_tasks.drivers.uptime import Uptime
from nornir_tasks.errors import CommitError, DeviceError, Problem, RightsError, StageError
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.platforms.eos.candidate import session_changes
from nornir_tasks.platforms.eos.counters import COUNTING
from nornir_tasks.platforms.eos.observe import BGP, BGP_IPV6, OBSERVING, sessions
from nornir_tasks.platforms.observed import FIELDS, Form, Observed, Observing
from nornir_tasks.platforms.platform import Candidate

SESSIONS = "show configuration sessions detail"
UNSAVED = "show running-config diffs"
"""What differs between running and startup configuration; nothing, where all is saved (anta 1.10.0,
tests/configuration.py, VerifyRunningConfigDiffs)."""

_LACKS_RIGHT = re.compile(r"Authorization denied for command|privileged mode required|'enable' failed")
"""EOS's words to an account whose role or privilege level does not allow a command (published answers of 4.35 and
4.36); and that it may not become privileged."""
_CONFIGURES = re.compile(r"'(?:configure|copy|write|delete)\b")


def session(endpoint: Endpoint) -> "EosSession":
    """A session for one switch; nothing is sent before the first ``read``."""
    return EosSession(endpoint)


class EosSession(EOSDriver):  # type: ignore[misc] # napalm ships no types
    """One connection to one EOS switch."""

    device: Any
    config_session: str | None

    def __init__(self, endpoint: Endpoint, observing: Observing = OBSERVING) -> None:
        """``observing``: what is asked for each field of the live state, and how the answers are read."""
        super().__init__(
            endpoint.address,
            endpoint.username,
            endpoint.password,
            timeout=endpoint.timeout_s,
            # our own look at the other sessions says more than NAPALM's, so its lock stays off
            optional_args={"transport": KeepAliveEapi, "endpoint": endpoint, "lock_disable": True},
        )
        self.endpoint = endpoint
        self._observing = observing
        self._uptime = Uptime()

    def open(self) -> None:
        """Set up the client. NAPALM sends 'show version' here; our first read asks for it anyway."""
        if self.device is None:
            connection = KeepAliveEapi(
                self.hostname, self.username, self.password, timeout=self.timeout, endpoint=self.endpoint
            )
            self.device = Node(connection, enablepwd=self.enablepwd)

    def close(self) -> None:
        """Drop what is staged and end the connection. Safe to call twice."""
        if self.device is None:
            return
        with suppress(DeviceError):
            self.abort()
        self.device.connection.close()
        self.device = None

    def read(self, depth: Depth = Depth.ALL) -> Running:
        """Two requests, because EOS answers a request in JSON or in text, not both."""
        if depth is Depth.TEXT:
            (version,) = self._ask(["show version"])
            self._uptime.note(version.get("uptime"))
            text = self._ask(["show running-config"], encoding="text")[0]["output"]
            return Running(_facts(version, text), text)
        version, sessions = self._ask(["show version", SESSIONS])
        self._uptime.note(version.get("uptime"))
        text, unsaved = (each["output"] for each in self._ask(["show running-config", UNSAVED], encoding="text"))
        waiting = _waiting(sessions, version)
        return Running(_facts(version, text), text, not unsaved.strip(), waiting, company=_under_way(sessions))

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        """Type the difference into a configuration session of our own and let the switch say what it would change."""
        self.abort()
        self._refuse_company()
        name = name or f"{MARK}{secrets.token_hex(6)}"
        note(name)
        self.config_session = name
        try:
            # NAPALM takes the session back itself when a line is refused
            self.load_merge_candidate(config="\n".join(candidate.payload))
        except (MergeConfigException, CommandError) as error:  # CommandError: to drop the session was refused as well
            self.config_session = None
            raise self._refused(StageError, error.__context__ or error, "the switch refused the candidate") from None
        try:
            diff, after, before = (
                each["output"]
                for each in self._ask(
                    [
                        f"show session-config named {name} diffs",
                        f"show session-config named {name}",
                        "show running-config",
                    ],
                    encoding="text",
                )
            )
        except DeviceError:
            with suppress(DeviceError):
                self.abort()
            raise
        return Staged(_changed_lines(diff), session_changes(before, after), name)

    def commit(self, confirm_within_s: int | None) -> str:
        """Commit under the switch's own timer; the switch reverts it unless confirmed."""
        # forgotten before it is sent: from then on it may run, and to end this connection must not take it back
        name, self.config_session = self.config_session, None
        if name is None:
            raise CommitError(Problem(self.endpoint.device, "nothing is staged"))
        timer = "" if confirm_within_s is None else time.strftime(" timer %H:%M:%S", time.gmtime(confirm_within_s))
        try:
            self._ask([f"configure session {name} commit{timer}"], encoding="text", error=CommitError)
        except CommitError:
            with suppress(DeviceError):
                self.drop((name,))
            raise
        return name

    def fate(self, token: str) -> Fate:
        """The fate of a session. EOS answers when it is complete, so there is nothing to wait for."""
        answer = self._sessions()
        found = _waiting(answer, {})
        if found is not None and found.token == token:
            return Fate.WAITING
        state = answer.get("sessions", {}).get(token, {}).get("state", "")
        return {"pending": Fate.STAGED, "completed": Fate.KEPT}.get(state, Fate.GONE)

    def confirm(self, token: str) -> None:
        """Stop the timer."""
        fate = self.fate(token)
        if fate not in {Fate.WAITING, Fate.KEPT}:
            raise CommitError(
                Problem(
                    where=self.endpoint.device,
                    what="the commit was not confirmed in time: the switch took it back by itself, or restarted",
                    expected=f"configuration session {token} waiting for its commit timer",
                )
            )
        if fate is Fate.WAITING:
            self._ask([f"configure session {token} commit"], encoding="text", error=CommitError)

    def revert(self, token: str) -> None:
        """Take the commit back now. If its timer was faster, the switch already is as it was."""
        if self.fate(token) is Fate.WAITING:
            self._ask([f"configure session {token} abort"], encoding="text", error=CommitError)

    def save(self) -> None:
        """Write the startup configuration."""
        self._ask(["write memory"], encoding="text", error=CommitError)
        sent_s = time.monotonic()
        (version,) = self._ask(["show version"])
        self._uptime.require_running(self.endpoint.device, version.get("uptime"), sent_s)

    def tidy(self, token: str) -> None:
        """EOS itself forgets the sessions that are complete."""

    def drop(self, tokens: Iterable[str]) -> None:
        """Abort sessions; one that has ended meanwhile is no failure."""
        for token in tokens:
            with suppress(StageError):
                self._ask([f"configure session {token} abort"], encoding="text", error=StageError)

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""
        name, self.config_session = self.config_session, None
        if name is not None:
            self._ask([f"configure session {name} abort"], encoding="text", error=StageError)

    def established(self) -> frozenset[SessionKey]:
        """The BGP neighbours whose session is up."""
        answers = self._ask([BGP.what, BGP_IPV6.what])
        return frozenset(each.key for answer in answers for each in sessions(answer) if each.established)

    def observe(self, fields: Collection[str] = FIELDS, vrfs: Sequence[str] = ()) -> Observed:
        """The live state of these fields: one request for data, one for what EOS shows as text only."""
        requests_for = self._observing.requests_for(fields, vrfs)
        lines = [each.what for each in requests_for if each.form is Form.DATA]
        data = dict(zip(lines, self._ask(lines) if lines else (), strict=True))
        return self._observing.read(
            self.endpoint.device, data | self._texts([each.what for each in requests_for if each.form is Form.TEXT])
        )

    def counters(self, wanted: Collection[Counter] = ALL) -> Reading:
        """One request for data, in the newest form that EOS has of it, and one for what it shows as text only."""
        requests_for = COUNTING.requests_for(wanted)
        lines = [each.what for each in requests_for if each.form is Form.DATA]
        sent_s = time.monotonic()
        answers = self._known(lines, encoding="json", apiVersion="latest")
        came_s = time.monotonic()
        answers |= self._texts([each.what for each in requests_for if each.form is Form.TEXT])
        return COUNTING.read(self.endpoint.device, answers, came_s, wanted, sent_s)

    def _texts(self, commands: list[str]) -> dict[str, Any]:
        return {line: str(answer["output"]) for line, answer in self._known(commands, encoding="text").items()}

    def _known(self, commands: list[str], **how: str) -> dict[str, Any]:
        """Answers by command. One this model does not know ends EOS's whole request, so then each is asked alone."""
        if not commands:
            return {}
        self.open()
        try:
            answers = self._run_commands(commands, **how)
        except CommandError:
            found = {}
            for command in commands:
                with suppress(CommandError):
                    found[command] = self._run_commands([command], **how)[0]
            return found
        return dict(zip(commands, answers, strict=True))

    def _ask(
        self, commands: list[str], *, encoding: str = "json", error: type[DeviceError] = DeviceError
    ) -> list[dict[str, Any]]:
        """Run commands in one request; what the switch refuses becomes ``error`` with its words."""
        self.open()
        with self._errors(error):
            answers: list[dict[str, Any]] = self._run_commands(commands, encoding=encoding)
        return answers

    @contextmanager
    def _errors(self, error: type[DeviceError]) -> Iterator[None]:
        try:
            yield
        except CommandError as refused:
            raise self._refused(error, refused, "the switch refused a command") from None

    def _refused(self, error: type[DeviceError], cause: BaseException, what: str) -> DeviceError:
        words = _words(cause)
        if _LACKS_RIGHT.search(words):
            deed = "change this switch" if _CONFIGURES.search(words) else "read this switch's configuration"
            needed = "privilege 15 and a role that may configure, such as network-admin"
            problem = missing_right(self.endpoint, deed, needed, words)
            return error(problem) if issubclass(error, CommitError) else RightsError(problem)
        hint = "nothing was committed" if error is StageError else ""
        return error(Problem(where=self.endpoint.device, what=what, found=words, hint=hint))

    def _sessions(self) -> dict[str, Any]:
        return self._ask([SESSIONS])[0]

    def _refuse_company(self) -> None:
        """Open sessions of others stop us."""
        if found := _under_way(self._sessions()):
            raise StageError(in_company(self.endpoint.device, found))


def _under_way(sessions: dict[str, Any]) -> tuple[Company, ...]:
    """The sessions that are open or wait for their commit timer."""
    waiting, found = sessions.get("commitTimerSessionName"), list[Company]()
    for name, each in sorted(sessions.get("sessions", {}).items()):
        state = "pendingCommitTimer" if name == waiting else each.get("state", "")
        if not state.startswith("pending"):
            continue
        users = sorted({str(one.get("user")) for one in each.get("instances", {}).values() if one.get("user")})
        by = f" by {', '.join(users)}" if users else ""
        status = "waits for its commit timer" if state == "pendingCommitTimer" else "is open"
        what = f"configuration session '{name}'{by} {status}"
        found.append(Company(name, what, f"configure session {name} abort"))
    return tuple(found)


def _waiting(sessions: dict[str, Any], version: dict[str, Any]) -> Waiting | None:
    """The commit that waits for its timer, from ``show configuration sessions detail`` and ``show version``.

    4.32 and later name it and say when it ends, counted from the start of the switch (NAPALM 5.2.0 napalm/eos/eos.py,
    _get_pending_commits).
    """
    name = sessions.get("commitTimerSessionName")
    if not name:
        return None
    ends_s, now_s = sessions.get("commitTimerExpireTime", -1), version.get("uptime", -1)
    return Waiting(str(name), max(0.0, ends_s - now_s) if ends_s >= 0 and now_s >= 0 else None)


def _facts(version: dict[str, Any], running: str) -> Facts:
    """The switch's identity; the name as in its configuration."""
    names = (line.split()[1] for line in running.splitlines() if line.startswith("hostname "))
    return Facts(
        hostname=next(names, "localhost"),
        release=str(version.get("version", "")),
        model=str(version.get("modelName", "")),
        serial=str(version.get("serialNumber", "")),
    )


def _changed_lines(diff: str) -> str:
    """The switch's diff without its context, which may show a neighbouring line with a secret."""
    return "\n".join(line for line in diff.splitlines() if line.startswith(("+", "-", "@@")))


def _words(error: BaseException) -> str:
    """EOS's own words: which command of how many, and why. Never what other commands of the request answered."""
    output = getattr(error, "output", None) or []
    reasons = [str(reason) for each in output[-1:] if isinstance(each, dict) for reason in each.get("errors", [])]
    text = str(getattr(error, "error_text", "") or error)
    return " ".join([text, *(f"({reason.strip()})" for reason in reasons)])
