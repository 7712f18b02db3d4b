"""SwitchSession for NX-OS: NAPALM's driver underneath, ``configure replace`` with the switch's own timer on top.

NAPALM's own replace takes a checkpoint file and has no timer; ``configure replace`` takes the running configuration's
text, verifies it first, and reverts the change by itself unless it is confirmed in time.
"""

import re
import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any

from napalm.nxapi_plumbing import Device
from napalm.nxos import NXOSDriver

from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.drivers.nxos_state import (
    FILES,
    SAVED,
    before_file,
    files_of,
    free_bytes,
    is_saved,
    uptime_s,
    waiting,
)
from nornir_tasks.drivers.nxos_transport import NOT_RUN, STRUCTURED, TEXT, Command, KeepAliveClient, Reply, upload
from nornir_tasks.drivers.rights import missing_right
from nornir_tasks.drivers.session import MARK, Depth, Endpoint, Facts, Fate, Note, Running, Staged, unnoted
from nornir_tasks.drivers.uptime import Uptime
from nornir_tasks.errors import CommitError, ConnectError, DeviceError, Problem, RightsError, StageError
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.platforms.nxos.capabilities import MAX_APPLY_S
from nornir_tasks.platforms.nxos.config_text import to_tree
from nornir_tasks.platforms.nxos.counters import COUNTING
from nornir_tasks.platforms.nxos.observe import BGP, OBSERVING, sessions
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from nornir_tasks.platforms.observed import FIELDS, Form, Observed, Request
from nornir_tasks.platforms.platform import Candidate

VERIFIED = "Patch validation completed successful"
REPLACED = "Configure replace completed successfully"
"""The switch's own words (a published session on NX-OS 9.3(1))."""

RECONNECT_S = 60.0
RECONNECT_PAUSE_S = 2.0
NOT_BEGUN_S = 5.0
"""A switch that has not started a requested replace after this time did not receive the request."""

LOG = "show config-replace log exec"


def session(endpoint: Endpoint) -> "NxosSession":
    """A session for one switch; nothing is sent before the first ``read``."""
    return NxosSession(endpoint)


class NxosSession(NXOSDriver):  # type: ignore[misc] # napalm ships no types
    """One connection to one NX-OS switch."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(
            endpoint.address,
            endpoint.username,
            endpoint.password,
            timeout=int(endpoint.timeout_s),
            optional_args={"port": endpoint.api_port, "transport": "https", "ssl_verify": True},
        )
        self.endpoint = endpoint
        self.device: Any = None
        self._running: str | None = None
        self._staged: str | None = None
        self._payload = ""
        self._uptime = Uptime()
        self._log_before: Reply | None = None
        """The switch's log of replaces, before ours."""

    def open(self) -> None:
        """Set up the client. NAPALM sends 'show hostname' here; our first read finds out as well whether it works."""
        if self.device is None:
            device = Device(self.endpoint.address, self.endpoint.username, self.endpoint.password, "https")
            device.api = KeepAliveClient(self.endpoint)
            self.device = device

    def close(self) -> None:
        """End the connection. Safe to call twice."""
        if self.device is not None:
            self._api.session.close()
            self.device = None

    @property
    def _api(self) -> KeepAliveClient:
        self.open()
        client: KeepAliveClient = self.device.api
        return client

    def read(self, depth: Depth = Depth.ALL) -> Running:
        """All of it in one request."""
        commands = [Command("show version", STRUCTURED), Command("show running-config", TEXT)]
        if depth is not Depth.TEXT:
            commands += [Command(SAVED), Command(FILES)]
        replies = self._api.batch(commands)
        for reply in replies:
            if reply.error is not None:
                self._require_right("read this switch's configurations", reply)
                raise DeviceError(
                    Problem(
                        where=self.endpoint.device,
                        what=f"'{reply.command}' was refused: {reply.error}",
                        hint="the account needs a role that may read the configurations and list bootflash",
                    )
                )
        version, config, *state = replies
        up_s = uptime_s(version.body)
        self._uptime.note(up_s)
        text = self._running = str(config.body)
        if not state:
            return Running(facts(version.body), text)
        saved_at, listing = (str(reply.body) for reply in state)
        is_kept, unconfirmed = is_saved(text, saved_at), waiting(text, listing, up_s)
        return Running(facts(version.body), text, is_kept, unconfirmed, free_bytes=free_bytes(listing))

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        """Copy the candidate to bootflash and let the switch verify it; its patch is its own view of the change."""
        running = self._running if self._running is not None else self.read(Depth.TEXT).text
        self.abort()
        name = name or f"{MARK}{uuid.uuid4().hex[:12]}"
        note(name)
        self._staged, self._payload = name, candidate.payload
        try:
            upload(self.endpoint, candidate.payload, f"bootflash:/{name}.cfg")
            (reply,) = self._api.batch(
                (Command(f"configure replace bootflash:{name}.cfg verify-only"),), timeout_s=MAX_APPLY_S
            )
            if reply.error is not None or VERIFIED not in reply.body:
                self._require_right("change this switch", reply)
                raise StageError(self._refused("the switch refused the candidate", reply))
        except DeviceError:
            self._drop_quietly()
            raise
        return Staged(reply.body, settle(server_changes(reply.body), to_tree(running)), name)

    def commit(self, confirm_within_s: int | None) -> str:
        """Replace under the switch's own timer. The API may go away for a moment meanwhile."""
        name = self._staged
        if name is None:
            raise CommitError(Problem(self.endpoint.device, "nothing is staged"))
        kept = Command(f"copy running-config bootflash:{before_file(name, confirm_within_s, self._uptime.now_s)}")
        timer = "" if confirm_within_s is None else f" commit-timeout {confirm_within_s}"
        try:
            copied, self._log_before = self._api.batch((kept, Command(LOG)))
            self._done((copied,), CommitError)
        except DeviceError as error:
            self._drop_quietly()
            raise CommitError((*error.problems, Problem(self.endpoint.device, "nothing was committed"))) from error
        try:
            (reply,) = self._api.batch(
                (Command(f"configure replace bootflash:{name}.cfg{timer}"),), timeout_s=MAX_APPLY_S
            )
        except ConnectError:
            self._staged = None  # it may run: to end this connection must not take its files away
            raise
        if reply.error is not None or REPLACED not in reply.body:
            self._drop_quietly()
            raise CommitError(self._refused("the switch refused or took back the change", reply))
        self._staged = None
        return name

    def confirm(self, token: str) -> None:
        """Stop the timer.

        CommitError when the timer was faster, and when it is stopped already: the words of NX-OS for either are not
        published, and what runs tells the two apart.
        """
        # In one request with its end: a commit whose file is still there is taken for one that waits for its timer.
        ends = [Command(f"delete bootflash:{name} no-prompt") for name in self._files((token,)) if "-before" in name]
        try:
            self._done(self._api.batch((Command("configure replace commit"), *ends))[:1], CommitError)
        except CommitError:
            self._payload = ""  # that it runs does not tell any more that a timer does: files do
            with suppress(DeviceError):
                self.drop((token,))
            raise

    def revert(self, token: str) -> None:
        """Go back to what ran before the commit, without waiting for the timer."""
        names = [name for name in self._files((token,)) if "-before" in name]
        if not names:
            self.drop((token,))  # taken back before, or never committed to
            return
        before = Command(f"configure replace bootflash:{names[0]}")
        commit = Command("configure replace commit")
        (reply,) = self._api.batch((before,), timeout_s=MAX_APPLY_S)
        taken = reply.error is None and REPLACED in reply.body
        # Ends a timer that is still armed. A switch that takes no second replace while the first waits for its commit
        # needs it before it goes back; for all others it comes last, so that the timer guards the way back.
        self._api.batch((commit,))
        if not taken:
            (reply,) = self._api.batch((before,), timeout_s=MAX_APPLY_S)
        if reply.error is not None or REPLACED not in reply.body:
            raise CommitError(self._refused("the switch did not go back to what ran before", reply))
        self.drop((token,))

    def save(self) -> None:
        """Write the startup configuration."""
        save, version = Command("copy running-config startup-config"), Command("show version", STRUCTURED)
        sent_s = time.monotonic()
        copied, shown = self._api.batch((save, version), timeout_s=MAX_APPLY_S)
        self._done((copied,), CommitError)
        self._uptime.require_running(self.endpoint.device, uptime_s(shown.body or {}), sent_s)

    def tidy(self, token: str) -> None:
        """Delete the candidate's files."""
        self.drop((token,))

    def drop(self, tokens: Iterable[str]) -> None:
        """Delete the files of candidates; that one is gone already is no failure."""
        names = self._files(tokens)
        if names:
            self._api.batch(tuple(Command(f"delete bootflash:{name} no-prompt") for name in names))

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""
        if self._staged is not None:
            name, self._staged = self._staged, None
            self.drop((name,))

    def fate(self, token: str) -> Fate:
        """Connect again, for a limited time, and read the running configuration.

        The switch's log shows whether a replace was started since our request, not which: the configuration decides.
        """
        if not self._payload:
            return self._fate_by_files(token)
        wanted, before = to_tree(self._payload), to_tree(self._running or "")
        start_s, idle_since_s = time.monotonic(), None
        while True:
            self._api.reconnect()
            try:
                log, config = self._api.batch((Command(LOG), Command("show running-config")))
            except ConnectError:
                if time.monotonic() - start_s > RECONNECT_S:
                    raise
                idle_since_s = None
            else:
                now = to_tree(str(config.body)) if config.error is None else None
                if now == wanted:
                    return Fate.WAITING
                now_s = time.monotonic()
                idle_since_s = (idle_since_s or now_s) if log == self._log_before else None
                if now == before and (
                    now_s - start_s > RECONNECT_S or (idle_since_s and now_s - idle_since_s > NOT_BEGUN_S)
                ):
                    return Fate.GONE
                if now_s - start_s > RECONNECT_S:
                    raise ConnectError(self._refused("the connection broke at the commit, and neither runs", log))
            time.sleep(RECONNECT_PAUSE_S)

    def _fate_by_files(self, token: str) -> Fate:
        names = self._files((token,))
        if any("-before" in name for name in names):
            return Fate.WAITING
        return Fate.STAGED if names else Fate.GONE

    def established(self) -> frozenset[SessionKey]:
        """The BGP neighbours whose session is up."""
        return frozenset(each.key for each in sessions(_answers(self._api.batch([_command(BGP)]))) if each.established)

    def observe(self, fields: Collection[str] = FIELDS, vrfs: Sequence[str] = ()) -> Observed:
        """The live state of these fields: one request, and one more for each command that this release refuses."""
        return OBSERVING.read(self.endpoint.device, self._known(OBSERVING.requests_for(fields, vrfs)))

    def counters(self, wanted: Collection[Counter] = ALL) -> Reading:
        """One request, and one more for each command that this release refuses."""
        sent_s = time.monotonic()
        answers = self._known(COUNTING.requests_for(wanted))
        return COUNTING.read(self.endpoint.device, answers, time.monotonic(), wanted, sent_s)

    def _known(self, requests: Iterable[Request]) -> dict[str, Any]:
        replies: dict[str, Reply] = {}
        left: Sequence[Command] = [_command(each) for each in requests]
        while left:
            replies |= {each.command: each for each in self._api.batch(left) if each.error != NOT_RUN}
            left = [command for command in left if command.line not in replies]
        return _answers(replies.values())

    def _done(self, replies: tuple[Reply, ...], error: type[DeviceError]) -> None:
        for reply in replies:
            if reply.error is not None or _FAILED.search(str(reply.body)):
                raise error(self._refused(f"'{reply.command}' failed", reply))

    def _files(self, tokens: Iterable[str]) -> list[str]:
        (listing,) = self._api.batch((Command(FILES),))
        return files_of(str(listing.body or ""), frozenset(tokens))

    def _drop_quietly(self) -> None:
        """After a failure: remove our file if the switch still answers; the first error is reported."""
        with suppress(DeviceError):
            self.abort()
        self._staged = None

    def _require_right(self, deed: str, reply: Reply) -> None:
        """Raise RightsError if a command was refused for the account's roles."""
        words = reply.error or ""
        if _LACKS_RIGHT.search(words):
            words = f"{words} ('{reply.command}')"
            needed = "role network-admin (network-operator may not read configurations)"
            raise RightsError(missing_right(self.endpoint, deed, needed, words))

    def _refused(self, what: str, reply: Reply) -> Problem:
        return Problem(
            where=self.endpoint.device,
            what=what,
            found=_telling(reply.error or str(reply.body)),
            hint="on the switch: show config-replace log verify, show config-replace log exec",
        )


def _command(request: Request) -> Command:
    return Command(request.what, STRUCTURED if request.form is Form.DATA else TEXT)


def _answers(replies: Iterable[Reply]) -> dict[str, Any]:
    """What the switch did not refuse, by command."""
    return {each.command: each.body for each in replies if each.error is None}


_LACKS_RIGHT = re.compile(r"Permission denied for the role|AAA authorization failed")
"""NX-OS's words to an account whose roles, or whose server of accounts, do not allow a command (9.3(12), as published;
napalm issue 2275)."""
_FAILED = re.compile(r"\b(?:failed|error|invalid|aborted)\b", re.IGNORECASE)
_TELLING = re.compile(r"fail|error|invalid|incomplete|abort|mismatch|not |\^", re.IGNORECASE)
_MAX_WORDS_LINES = 12


def _telling(text: str) -> str:
    """The lines that say what was wrong; all of a short answer."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > _MAX_WORDS_LINES:
        lines = [line for line in lines if _TELLING.search(line)] or lines
    return "\n".join(lines[:_MAX_WORDS_LINES])


def facts(version: dict[str, Any]) -> Facts:
    """``show version`` -> who answers. Field names as in NAPALM 5.2.0's recorded answers."""
    release = version.get("nxos_ver_str") or version.get("sys_ver_str") or version.get("kickstart_ver_str") or ""
    chassis = str(version.get("chassis_id", ""))
    found = re.search(r"Nexus9000 C(\S+)", chassis)
    return Facts(
        hostname=str(version.get("host_name", "")),
        release=str(release).split(" ")[0],
        model=f"N9K-C{found[1]}" if found else chassis,
        serial=str(version.get("proc_board_id", "")),
    )
