"""SwitchSession for NX-OS: NAPALM's driver underneath, ``configure replace`` with the switch's own timer on top.

NAPALM's own replace takes a checkpoint file and has no timer; ``configure replace`` takes the running configuration's
text, verifies it first, and takes the change back by itself unless it is confirmed in time.
"""

import re
import time
import uuid
from collections.abc import Sequence
from typing import Any

from napalm.nxapi_plumbing import Device
from napalm.nxos import NXOSDriver

from nornir_tasks.checks.observed import Observed
from nornir_tasks.drivers.nxos_observe import BGP, SHOW, observed, sessions
from nornir_tasks.drivers.nxos_transport import NOT_RUN, STRUCTURED, TEXT, Command, KeepAliveClient, Reply, upload
from nornir_tasks.drivers.session import Endpoint, Facts, Running, Staged
from nornir_tasks.errors import CommitError, ConnectError, DeviceError, Problem, StageError
from nornir_tasks.platforms.nxos.config_text import to_tree
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from nornir_tasks.platforms.platform import Candidate

FILE_PREFIX = "gpufabric-"
"""Every file of ours on bootflash begins so, and is deleted when its push has ended."""

VERIFIED = "Patch validation completed successful"
REPLACED = "Configure replace completed successfully"
"""The switch's own words (a published session on NX-OS 9.3(1))."""

REPLACE_TIMEOUT_S = 300.0
"""A replace runs every command of its patch before it answers."""
RECONNECT_S = 60.0
RECONNECT_PAUSE_S = 2.0


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

    def read(self) -> Running:
        """Facts and running configuration in one request."""
        version, config = self._api.batch((Command("show version", STRUCTURED), Command("show running-config", TEXT)))
        for reply in (version, config):
            if reply.error is not None:
                raise DeviceError(
                    Problem(
                        where=self.endpoint.device,
                        what=f"'{reply.command}' was refused: {reply.error}",
                        hint="the account needs a role that may read the running configuration",
                    )
                )
        self._running = str(config.body)
        return Running(facts(version.body), self._running)

    def stage(self, candidate: Candidate) -> Staged:
        """Copy the candidate to bootflash and let the switch verify it; its patch is its own view of the change."""
        running = self._running if self._running is not None else self.read().text
        self.abort()
        name = f"{FILE_PREFIX}{uuid.uuid4().hex[:12]}"
        self._staged, self._payload = name, candidate.payload
        try:
            upload(self.endpoint, candidate.payload, f"bootflash:/{name}.cfg")
            (reply,) = self._api.batch(
                (Command(f"configure replace bootflash:{name}.cfg verify-only"),), timeout_s=REPLACE_TIMEOUT_S
            )
            if reply.error is not None or VERIFIED not in reply.body:
                raise StageError(self._refused("the switch refused the candidate", reply))
            self._sweep(keep=name)
        except DeviceError:
            self._drop_quietly()
            raise
        return Staged(reply.body, settle(server_changes(reply.body), to_tree(running)))

    def commit(self, confirm_within_s: int) -> str:
        """Replace under the switch's own timer. The API may go away for a moment meanwhile."""
        name = self._staged
        if name is None:
            raise CommitError(Problem(self.endpoint.device, "nothing is staged"))
        kept = Command(f"copy running-config bootflash:{name}-before.cfg")
        replace = Command(f"configure replace bootflash:{name}.cfg commit-timeout {confirm_within_s}")
        self._done(self._api.batch((kept,)), CommitError)
        try:
            (reply,) = self._api.batch((replace,), timeout_s=REPLACE_TIMEOUT_S)
        except ConnectError:
            reply = self._after_the_break()
        if reply.error is not None or REPLACED not in reply.body:
            self._drop_quietly()
            raise CommitError(self._refused("the switch refused or took back the change", reply))
        self._staged = None
        return name

    def confirm(self, token: str) -> None:
        """Stop the timer, keep the change over a reboot, and take our files away.

        CommitError when the timer was faster: the switch is as it was before, and our files are gone as well.
        """
        save = Command("copy running-config startup-config")
        try:
            self._done(self._api.batch((Command("configure replace commit"),)), CommitError)
            self._done(self._api.batch((save,), timeout_s=REPLACE_TIMEOUT_S), CommitError)
        finally:
            self._delete(token)

    def revert(self, token: str) -> None:
        """Go back to what ran before the commit, without waiting for the timer."""
        before = Command(f"configure replace bootflash:{token}-before.cfg")
        commit = Command("configure replace commit")
        (reply,) = self._api.batch((before,), timeout_s=REPLACE_TIMEOUT_S)
        taken = reply.error is None and REPLACED in reply.body
        # Ends a timer that is still armed. A switch that takes no second replace while the first waits for its commit
        # needs it before it goes back; for all others it comes last, so that the timer guards the way back.
        self._api.batch((commit,))
        if not taken:
            (reply,) = self._api.batch((before,), timeout_s=REPLACE_TIMEOUT_S)
        if reply.error is not None or REPLACED not in reply.body:
            raise CommitError(self._refused("the switch did not go back to what ran before", reply))
        self._delete(token)

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""
        if self._staged is not None:
            name, self._staged = self._staged, None
            self._delete(name)

    def established(self) -> frozenset[str]:
        """The BGP neighbours whose session is up."""
        (reply,) = self._api.batch([BGP])
        return frozenset(each.address for each in sessions({BGP.line: reply}) if each.established)

    def observe(self) -> Observed:
        """Everything the checks judge: one request, and one more for each command that this release refuses."""
        replies: dict[str, Reply] = {}
        left: Sequence[Command] = SHOW
        while left:
            replies |= {each.command: each for each in self._api.batch(left) if each.error != NOT_RUN}
            left = [command for command in left if command.line not in replies]
        return observed(self.endpoint.device, replies)

    def _after_the_break(self) -> Reply:
        """The connection broke during a replace: connect anew, for a bounded time, and see what runs now.

        The switch's log alone would not do: it may still speak of the replace before this one.
        """
        wanted = to_tree(self._payload)
        deadline = time.monotonic() + RECONNECT_S
        while True:
            self._api.reconnect()
            try:
                log, config = self._api.batch((Command("show config-replace log exec"), Command("show running-config")))
            except ConnectError:
                if time.monotonic() > deadline:
                    raise
            else:
                if config.error is None and to_tree(config.body) == wanted:
                    return Reply(log.command, REPLACED)
                if time.monotonic() > deadline:
                    return Reply(log.command, None, f"the connection broke, and the change does not run\n{log.body}")
            time.sleep(RECONNECT_PAUSE_S)

    def _done(self, replies: tuple[Reply, ...], error: type[DeviceError]) -> None:
        for reply in replies:
            if reply.error is not None or _FAILED.search(str(reply.body)):
                raise error(self._refused(f"'{reply.command}' failed", reply))

    def _delete(self, name: str) -> None:
        """Delete both files of a push; that one of them is not there is no failure."""
        files = (f"bootflash:{name}.cfg", f"bootflash:{name}-before.cfg")
        self._api.batch(tuple(Command(f"delete {file} no-prompt") for file in files))

    def _sweep(self, keep: str) -> None:
        """Delete what a push that was cut off left behind.

        Only after a verification: a switch that still waits for another push's commit refuses that, and the other
        push needs its files.
        """
        (listing,) = self._api.batch((Command("dir bootflash:"),))
        names = [name for name in re.findall(rf"\b{FILE_PREFIX}\S+", str(listing.body or "")) if name != f"{keep}.cfg"]
        if names:
            self._api.batch(tuple(Command(f"delete bootflash:{name} no-prompt") for name in names))

    def _drop_quietly(self) -> None:
        """After a failure: take our file away if the switch still answers; its own error is the one to tell."""
        try:
            self.abort()
        except DeviceError:
            self._staged = None

    def _refused(self, what: str, reply: Reply) -> Problem:
        return Problem(
            where=self.endpoint.device,
            what=what,
            found=_telling(reply.error or str(reply.body)),
            hint="on the switch: show config-replace log verify, show config-replace log exec",
        )


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
