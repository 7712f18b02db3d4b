"""SwitchSession for Cumulus Linux: revisions over REST, applied under the switch's own confirm timer."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.drivers.nvue_client import DONE, EDITABLE, WAITING, NvueClient, NvueRefusal
from nornir_tasks.drivers.nvue_ports import PortCounters
from nornir_tasks.drivers.session import Depth, Endpoint, Facts, Fate, Note, Running, Staged, Waiting, unnoted
from nornir_tasks.errors import CommitError, DeviceError, Problem, RightsError, StageError
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.platforms.nvue.candidate import changes_between, diff_text, keys_of
from nornir_tasks.platforms.nvue.counters import COUNTING, PORTS
from nornir_tasks.platforms.nvue.observe import BGP, OBSERVING, sessions
from nornir_tasks.platforms.observed import FIELDS, Observed, Request
from nornir_tasks.platforms.platform import Candidate

FATE_S = 60.0
"""Longest we wait for an apply whose answer was lost."""
FACTS = ["/system/hostname", "/system/build", "/system/version", "/platform/serial-number", "/platform/product-name"]
"""One request for them all: the root takes ``include`` pointers, several at once (NVUE OpenAPI 5.13, path "/")."""

NEWER = "newer than "
"""Token of a revision whose number is not known yet: revisions have ascending numbers, and no names."""
UNSAVED = "applied"
"""The running revision is not saved; with auto-save it is ``applied_and_saved`` (docs514 NVUE-API.md)."""


def session(endpoint: Endpoint) -> "NvueSession":
    """A session for one switch; nothing is sent before the first ``read``."""
    return NvueSession(endpoint)


def facts_of(client: NvueClient) -> Facts:
    """Who answers. The release stands at another place since 5.14 (NVIDIA's configuration manager)."""
    answer = client.get(rev="operational", include=FACTS)
    system, platform = answer.get("system", {}), answer.get("platform", {})
    release = system.get("version", {}).get("product-release") or str(system.get("build", "")).split(" ")[-1]
    return Facts(
        hostname=str(system.get("hostname", "")),
        release=str(release),
        model=str(platform.get("product-name", "")),
        serial=str(platform.get("serial-number", "")),
    )


class NvueSession:
    """One connection to one switch."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.client = NvueClient(endpoint)
        self._staged: str | None = None

    def read(self, depth: Depth = Depth.ALL) -> Running:
        """Facts, the applied revision without defaults, and the states of all revisions: one request each.

        The usual read omits the facts: a switch that is as wanted and saved is not changed, whatever its identity.
        """
        facts = None if depth is Depth.USUAL else facts_of(self.client)
        text = self.client.text(rev="applied", filled="false", expand="true")
        if depth is Depth.TEXT:
            return Running(facts, text)
        revisions = self.client.revisions()
        # how long its timer still runs is shown by `nv config apply --confirm-status` alone; no source has it in REST
        waiting = next((Waiting(name, None) for name, state in revisions.items() if state == WAITING), None)
        return Running(facts, text, waiting is not None or _is_saved(revisions), waiting)

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        """A new revision: DELETEs, one PATCH, and the switch's own difference in both directions."""
        del name  # the switch numbers them itself
        self.abort()
        revision = self._staged = self._create(note)
        try:
            for pointer in candidate.payload["delete"]:
                self.client.delete(revision, *keys_of(pointer))
            if candidate.payload["patch"]:
                self.client.patch(revision, candidate.payload["patch"])
            coming = self.client.difference(revision, "applied")
            going = self.client.difference("applied", revision)
        except NvueRefusal as refused:
            self._forget()
            raise StageError(_with_hint(refused, "nothing was committed")) from refused
        except DeviceError:
            self._forget()
            raise
        return Staged(diff_text(coming, going), changes_between(coming, going), revision)

    def commit(self, confirm_within_s: int | None) -> str:
        """Apply; the switch goes back by itself unless it is confirmed in time. The token is the revision's id."""
        revision, self._staged = self._staged, None
        if revision is None:
            raise CommitError(Problem(self.endpoint.device, "nothing is staged"))
        try:
            controls = {} if confirm_within_s is None else {"confirm": confirm_within_s}
            self.client.request_state(revision, "apply", **controls)
        except (NvueRefusal, RightsError) as refused:
            with suppress(DeviceError):
                self.client.delete_revision(revision)
            raise CommitError(_with_hint(refused, "the running configuration is as it was before")) from refused
        state, words = self.client.settled(revision)
        if state == WAITING or (state in DONE and confirm_within_s is None):
            return revision
        if state in DONE:
            raise CommitError(
                Problem(
                    where=self.endpoint.device,
                    what=f"revision {revision} was applied for good: the switch did not wait for our confirmation",
                    hint="'nv config history' names the revision before it, 'nv config apply REVISION' returns to that",
                )
            )
        with suppress(DeviceError):
            self.client.delete_revision(revision)
        raise CommitError(
            Problem(
                where=self.endpoint.device,
                what="the switch did not apply the revision",
                found=f"{state}: {words}" if words else state,
                hint="the running configuration is as it was before",
            )
        )

    def fate(self, token: str) -> Fate:
        """The fate of a revision; waits for a running apply."""
        try:
            state, _ = self.client.settled(token, FATE_S, DONE | EDITABLE)
        except NvueRefusal:
            return Fate.GONE  # no such revision
        if state == WAITING:
            return Fate.WAITING
        if state in DONE:
            return Fate.KEPT
        return Fate.STAGED if state in EDITABLE else Fate.GONE

    def confirm(self, token: str) -> None:
        """Stop the timer; with auto-save the switch saves as well."""
        state = self.client.state(token)
        if state == WAITING:
            self.client.request_state(token, "confirm_yes")
            state, _ = self.client.settled(token)
        if state not in DONE:
            raise CommitError(
                Problem(
                    where=self.endpoint.device,
                    what="the commit was not confirmed in time: the switch took it back by itself",
                    found=f"revision {token} is '{state}'",
                )
            )

    def revert(self, token: str) -> None:
        """Take the commit back now. If its timer was faster, the switch already is as it was."""
        take_back(self.client, token)

    def save(self) -> None:
        """Make what runs the startup configuration."""
        save(self.client, self.client.state("applied"))

    def tidy(self, token: str) -> None:
        """Revisions stay, as the switch's history."""

    def drop(self, tokens: Iterable[str]) -> None:
        """Forget pending revisions; of one whose number we never heard, the newer ones that hold no change."""
        pending = {name for name, state in self.client.revisions().items() if state in EDITABLE}
        for token in tokens:
            after = int(token.removeprefix(NEWER)) if token.startswith(NEWER) else None
            for name in sorted(pending):
                with suppress(NvueRefusal):  # gone meanwhile
                    if name == token or (after is not None and self._is_empty_and_newer(name, after)):
                        self.client.delete_revision(name)

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""
        revision, self._staged = self._staged, None
        if revision is not None:
            self.client.delete_revision(revision)

    def established(self) -> frozenset[SessionKey]:
        """The BGP neighbours whose session is up."""
        return frozenset(each.key for each in sessions(self._shown(BGP)) if each.established)

    def observe(self, fields: Collection[str] = FIELDS, vrfs: Sequence[str] = ()) -> Observed:
        """The live state of these fields: a request for each collection."""
        answers = {each.what: self._shown(each) for each in OBSERVING.requests_for(fields, vrfs)}
        return OBSERVING.read(self.endpoint.device, answers)

    def counters(self, wanted: Collection[Counter] = ALL) -> Reading:
        """A request for each collection; of ports that are up, more for what its answer lacks.

        The reading's time is when the clock came, which is asked for first: ports may take seconds from then on.
        """
        clock, *others = COUNTING.requests_for(wanted)
        sent_s = time.monotonic()
        answers = {clock.what: self._shown(clock)}
        clock_came_s = time.monotonic()
        answers |= {each.what: self._shown(each) for each in others}
        if PORTS in answers:
            PortCounters(self.client).complete(answers[PORTS], wanted)
        return COUNTING.read(self.endpoint.device, answers, clock_came_s, wanted, sent_s)

    def close(self) -> None:
        """Drop what is staged and end the connection. Safe to call twice."""
        self._forget()
        self.client.close()

    def _shown(self, request: Request) -> dict[str, Any]:
        query = {"include": list(request.parts)} if request.parts else {}
        return self.client.live(*request.what.split("/"), **query)

    def _create(self, note: Note) -> str:
        """A pending revision of our own. While another commit waits, ours would queue, and be reverted with it."""
        revisions = self.client.revisions()
        waiting = [name for name, state in revisions.items() if state == WAITING]
        if waiting:
            raise StageError(
                Problem(
                    where=self.endpoint.device,
                    what=f"revision {waiting[0]} waits for its confirmation",
                    expected="no other commit under way",
                    hint="let its timer end, or end it on the switch: nv config apply --confirm-no",
                )
            )
        nameless = f"{NEWER}{max((int(name) for name in revisions if name.isdigit()), default=0)}"
        note(nameless)
        try:
            revision = self.client.create_revision()
        except DeviceError:
            with suppress(DeviceError):
                self.drop((nameless,))
            raise
        note(revision)
        return revision

    def _is_empty_and_newer(self, revision: str, than: int) -> bool:
        if not revision.isdigit() or int(revision) <= than:
            return False
        return not self.client.difference(revision, "applied") and not self.client.difference("applied", revision)

    def _forget(self) -> None:
        with suppress(DeviceError):
            self.abort()


def _is_saved(revisions: Mapping[str, str]) -> bool:
    """Was the last running revision saved? They have ascending numbers; of others it is unknown."""
    numbers = {int(name): state for name, state in revisions.items() if name.isdigit() and state in DONE}
    return not numbers or numbers[max(numbers)] != UNSAVED


def save(client: NvueClient, state: str) -> None:
    """Make what runs the startup configuration, unless auto-save did (docs514: on by default)."""
    if state == "applied_and_saved":
        return
    client.request_state("applied", "save")
    found, words = client.settled("applied")
    if found not in DONE:
        device = client.endpoint.device
        raise CommitError(
            Problem(
                where=device,
                what="the change runs, but was not saved: a reboot would lose it",
                found=f"{found}: {words}",
                hint="run 'nv config save' on the switch",
            )
        )


def take_back(client: NvueClient, revision: str) -> None:
    """End a revision that waits for confirmation: the switch goes back to the one before."""
    if client.state(revision) != WAITING:
        return
    client.request_state(revision, "confirm_fail")
    state, words = client.settled(revision)
    if state in DONE or state == WAITING:
        raise CommitError(
            Problem(
                where=client.endpoint.device,
                what=f"the switch did not take revision {revision} back",
                found=f"{state}: {words}" if words else state,
                hint="its own timer still runs; look with 'nv config history'",
            )
        )


def _with_hint(refused: DeviceError, hint: str) -> list[Problem]:
    return [Problem(each.where, each.what, each.expected, each.found, hint) for each in refused.problems]
