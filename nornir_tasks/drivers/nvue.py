"""SwitchSession for Cumulus Linux: revisions over REST, applied under the switch's own confirm timer."""

from contextlib import suppress

from nornir_tasks.checks.observed import Observed
from nornir_tasks.drivers.nvue_client import DONE, WAITING, NvueClient, NvueRefusal
from nornir_tasks.drivers.nvue_observe import observe, sessions
from nornir_tasks.drivers.session import Endpoint, Facts, Running, Staged
from nornir_tasks.errors import CommitError, DeviceError, Problem, StageError
from nornir_tasks.platforms.nvue.candidate import diff_text, keys_of, server_changes
from nornir_tasks.platforms.platform import Candidate

FACTS = ["/system/hostname", "/system/build", "/system/version", "/platform/serial-number", "/platform/product-name"]
"""One request for them all: the root takes ``include`` pointers, several at once (NVUE OpenAPI 5.13, path "/")."""


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

    def read(self) -> Running:
        """Facts, and the applied revision with what nobody set left out: two requests."""
        facts = facts_of(self.client)
        return Running(facts, self.client.text(rev="applied", filled="false", expand="true"))

    def stage(self, candidate: Candidate) -> Staged:
        """A new revision: DELETEs, one PATCH, and the switch's own difference in both directions."""
        self.abort()
        self._refuse_company()
        revision = self._staged = self.client.create_revision()
        try:
            for pointer in candidate.payload["delete"]:
                self.client.delete(revision, *keys_of(pointer))
            if candidate.payload["patch"]:
                self.client.patch(revision, candidate.payload["patch"])
            text = diff_text(
                coming=self.client.difference(revision, "applied"),
                going=self.client.difference("applied", revision),
            )
        except NvueRefusal as refused:
            self._forget()
            raise StageError(_with_hint(refused, "nothing was committed")) from refused
        except DeviceError:
            self._forget()
            raise
        return Staged(text, server_changes(text))

    def commit(self, confirm_within_s: int) -> str:
        """Apply; the switch goes back by itself unless it is confirmed in time. The token is the revision's id."""
        revision, self._staged = self._staged, None
        if revision is None:
            raise CommitError(Problem(self.endpoint.device, "nothing is staged"))
        try:
            self.client.request_state(revision, "apply", confirm=confirm_within_s)
        except NvueRefusal as refused:
            with suppress(DeviceError):
                self.client.delete_revision(revision)
            raise CommitError(_with_hint(refused, "the running configuration is as it was before")) from refused
        state, words = self.client.settled(revision)
        if state == WAITING:
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

    def confirm(self, token: str) -> None:
        """Keep the change, over a reboot as well."""
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
                    hint="push again; if the health gate needs longer, give it more time before the timer fires",
                )
            )
        save(self.client, state)

    def revert(self, token: str) -> None:
        """Take the commit back now. If its timer was faster, the switch already is as it was."""
        take_back(self.client, token)

    def abort(self) -> None:
        """Drop what is staged. Safe to call when nothing is."""
        revision, self._staged = self._staged, None
        if revision is not None:
            self.client.delete_revision(revision)

    def established(self) -> frozenset[str]:
        """The BGP neighbours whose session is up."""
        return frozenset(each.address for each in sessions(self.client) if each.established)

    def observe(self) -> Observed:
        """The live state that the checks judge."""
        return observe(self.client)

    def close(self) -> None:
        """Drop what is staged and end the connection. Safe to call twice."""
        self._forget()
        self.client.close()

    def _refuse_company(self) -> None:
        """While somebody's commit waits for confirmation, ours would wait behind it, and go back with it."""
        waiting = [name for name, state in self.client.revisions().items() if state == WAITING]
        if waiting:
            raise StageError(
                Problem(
                    where=self.endpoint.device,
                    what=f"revision {waiting[0]} waits for its confirmation",
                    expected="no other commit under way",
                    hint="let its timer end, or end it on the switch: nv config apply --confirm-no",
                )
            )

    def _forget(self) -> None:
        with suppress(DeviceError):
            self.abort()


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
