"""NAPALM's driver for Cumulus Linux with NVUE: ``napalm.get_network_driver("nvue")``. Needs nothing else of gpufabric.

A candidate is a pending revision on the switch. ``load_merge_candidate`` takes NVUE's own forms: a mapping in YAML or
JSON, the list that ``nv config show`` prints (``- set: {...}``), or ``nv set`` and ``nv unset`` lines (the switch reads
those itself; Cumulus Linux 5.14 does not take them over the API).

``load_replace_candidate`` is not offered. NVUE could replace by deleting the root, but a file that lacks the management
port, its VRF or the accounts would take those away too. Replace sections instead: ``nv unset`` lines before ``nv set``.

optional_args: ``port`` (8765), ``ca_file`` (whose certificates to trust; without it, the authorities this machine
trusts), ``fingerprint`` (SHA-256 of the switch's certificate, hex; decides instead of an authority). Verification
cannot be turned off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from napalm.base import NetworkDriver
from napalm.base.exceptions import (
    CommitError,
    ConnectAuthError,
    ConnectionException,
    MergeConfigException,
    NapalmException,
    ReplaceConfigException,
)

from nornir_tasks import errors
from nornir_tasks.drivers import nvue_getters as getters
from nornir_tasks.drivers.nvue import facts_of, save, take_back
from nornir_tasks.drivers.nvue_client import DONE, WAITING, NvueClient, NvueRefusal
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.platforms.nvue import PLATFORM
from nornir_tasks.platforms.nvue.candidate import changes_between
from nornir_tasks.platforms.nvue.tree import from_data, to_text

if TYPE_CHECKING:
    from napalm.base import models

_STATES = {"running": "applied", "startup": "startup"}


class NvueDriver(NetworkDriver):  # type: ignore[misc] # napalm ships no types
    """One Cumulus Linux switch."""

    def __init__(
        self,
        hostname: str,
        username: str,
        password: str,
        timeout: int = 60,
        optional_args: dict[str, Any] | None = None,
    ) -> None:
        extra = optional_args or {}
        if "ssl_verify" in extra:
            message = "ssl_verify is not offered: name a ca_file, or pin the certificate's fingerprint"
            raise ValueError(message)
        self.hostname, self.username, self.timeout = hostname, username, timeout
        self.platform = "nvue"
        self._client = NvueClient(
            Endpoint(
                device=hostname,
                address=hostname,
                api_port=int(extra.get("port", PLATFORM.api_port)),
                ssh_port=22,
                username=username,
                password=password,
                ca_file=Path(extra["ca_file"]) if extra.get("ca_file") else None,
                fingerprint=extra.get("fingerprint"),
                known_hosts=None,
                timeout_s=float(timeout),
            )
        )
        self._candidate: str | None = None
        self._committed: str | None = None
        self._before: str | None = None

    # -- connection ------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Connect and log in."""
        with _mapped():
            facts_of(self._client)

    def close(self) -> None:
        """Forget a loaded candidate and end the connection. A commit that waits for confirmation keeps waiting."""
        with suppress(NapalmException):
            self.discard_config()
        self._client.close()

    def is_alive(self) -> models.AliveDict:
        """Does the switch answer us?"""
        try:
            self._client.get("system", include="/hostname")
        except errors.DeviceError:
            return {"is_alive": False}
        return {"is_alive": True}

    # -- configuration ---------------------------------------------------------------------------------------------

    def load_replace_candidate(self, filename: str | None = None, config: str | None = None) -> None:
        """Not offered; see the module's text for why and what to do instead."""
        del filename, config
        message = (
            "replacing a whole NVUE configuration is not offered, since a file without the management port or the "
            "accounts would remove them: merge instead, with 'nv unset' lines for what should go"
        )
        raise ReplaceConfigException(message)

    def load_merge_candidate(self, filename: str | None = None, config: str | None = None) -> None:
        """Stage a configuration on top of what is loaded already. Nothing runs yet."""
        text = Path(filename).read_text(encoding="utf-8") if filename else config
        if text is None:
            message = "either filename or config must be given"
            raise MergeConfigException(message)
        is_commands = text.lstrip().startswith(("nv set ", "nv unset "))
        subtree = None if is_commands else _subtree(text)
        is_new = self._candidate is None
        with _mapped(MergeConfigException):
            revision = self._candidate = self._candidate or self._client.create_revision()
        try:
            with _mapped(MergeConfigException):
                if subtree is None:
                    self._client.patch_commands(revision, text)
                else:
                    self._client.patch(revision, subtree)
        except NapalmException:
            if is_new:
                self.discard_config()
            raise

    def compare_config(self) -> str:
        """What the candidate would change, a line each: ``+ interface / swp1 / link / mtu: 9000``."""
        if self._candidate is None:
            return ""
        with _mapped():
            coming = self._client.difference(self._candidate, "applied")
            going = self._client.difference("applied", self._candidate)
        changes = sorted(changes_between(coming, going), key=lambda each: (each.path, each.op == "+"))
        return "\n".join(str(each) for each in changes)

    def commit_config(self, message: str = "", revert_in: int | None = None) -> None:
        """Apply the candidate; with ``revert_in`` (seconds) it goes back unless ``confirm_commit`` comes in time."""
        if message:
            text = "NVUE's API takes no commit message"
            raise NotImplementedError(text)
        if self.has_pending_commit():
            text = "a commit already waits for its confirmation"
            raise CommitError(text)
        if self._candidate is None:
            text = "no candidate is loaded"
            raise CommitError(text)
        revision, self._candidate = self._candidate, None
        with _mapped(CommitError):
            before = self._applied_revision()
            self._apply(revision, revert_in)
        self._committed, self._before = revision, before

    def _apply(self, revision: str, revert_in: int | None) -> None:
        controls = {} if revert_in is None else {"confirm": revert_in}
        self._client.request_state(revision, "apply", **controls)
        state, words = self._client.settled(revision)
        if state == WAITING and revert_in is not None:
            return
        if state not in DONE:
            with suppress(errors.DeviceError):
                self._client.delete_revision(revision)
            text = f"the switch did not apply revision {revision}: {state} {words}".strip()
            raise CommitError(text)
        save(self._client, state)

    def _applied_revision(self) -> str | None:
        """Id of the revision that runs: the newest applied one that does not differ from it."""
        applied = [name for name, state in self._client.revisions().items() if state in DONE]
        newest_first = sorted(applied, key=lambda name: int(name) if name.isdecimal() else -1, reverse=True)
        return next((name for name in newest_first[:10] if not self._client.difference(name, "applied")), None)

    def confirm_commit(self) -> None:
        """Keep a commit that waits for confirmation."""
        with _mapped(CommitError):
            revision = self._waiting()
            if revision is None:
                text = "no commit waits for confirmation: there was none, or its time ran out"
                raise CommitError(text)
            self._client.request_state(revision, "confirm_yes")
            state, words = self._client.settled(revision)
            if state not in DONE:
                text = f"the switch did not confirm revision {revision}: {state} {words}".strip()
                raise CommitError(text)
            save(self._client, state)

    def has_pending_commit(self) -> bool:
        """Does a commit on this switch, ours or not, wait for confirmation?"""
        with _mapped():
            return self._waiting() is not None

    def _waiting(self) -> str | None:
        return next((name for name, state in self._client.revisions().items() if state == WAITING), None)

    def discard_config(self) -> None:
        """Forget the candidate."""
        revision, self._candidate = self._candidate, None
        if revision is not None:
            with _mapped():
                self._client.delete_revision(revision)

    def rollback(self) -> None:
        """Undo our last commit: end it if it waits for confirmation, else apply the revision before it again."""
        with _mapped(CommitError):
            waiting = self._waiting()
            if waiting is not None:
                take_back(self._client, waiting)
            elif self._committed is None or self._before is None:
                text = "nothing to roll back: this connection committed nothing"
                raise CommitError(text)
            else:
                self._apply(self._before, None)
        self._committed = self._before = None

    def get_config(
        self,
        retrieve: str = "all",
        full: bool = False,
        sanitized: bool = False,
        format: str = "text",  # noqa: A002
    ) -> models.ConfigDict:
        """Configurations as YAML (``text``) or ``json``. NVUE itself shows passwords as ``*``."""
        revisions = {**_STATES, "candidate": self._candidate}
        found = {}
        with _mapped():
            for name, revision in revisions.items():
                found[name] = ""
                if revision is not None and retrieve in ("all", name):
                    filled = "true" if full else "false"
                    data = self._client.get(rev=revision, filled=filled, expand="true")
                    data = getters.sanitized(data) if sanitized else data
                    found[name] = json.dumps(data, indent=1) if format == "json" else to_text(from_data(data))
        return found

    # -- state -----------------------------------------------------------------------------------------------------

    def get_facts(self) -> models.FactsDict:
        """Who the switch is."""
        with _mapped():
            found = facts_of(self._client)
            uptime = self._client.get("system", include="/uptime").get("uptime", -1.0)
            return getters.facts(found, uptime, getters.interfaces(self._client))

    def get_interfaces(self) -> dict[str, models.InterfaceDict]:
        """State of every interface."""
        with _mapped():
            return {name: getters.interface(port) for name, port in getters.interfaces(self._client).items()}

    def get_interfaces_ip(self) -> dict[str, models.InterfacesIPDict]:
        """Addresses of every interface that has any."""
        with _mapped():
            return getters.addresses(getters.interfaces(self._client))

    def get_lldp_neighbors(self) -> dict[str, list[models.LLDPNeighborDict]]:
        """Who is heard on which port."""
        with _mapped():
            return getters.lldp(getters.interfaces(self._client))

    def get_bgp_neighbors(self) -> dict[str, models.BGPStateNeighborsPerVRFDict]:
        """BGP sessions of every VRF; the default one is called ``global``."""
        with _mapped():
            return getters.bgp(self._client)


@contextmanager
def _mapped(refused: type[NapalmException] = ConnectionException) -> Iterator[None]:
    """Our errors as NAPALM's; a refusal of the API becomes ``refused``."""
    try:
        yield
    except errors.AuthError as error:
        raise ConnectAuthError(str(error)) from None
    except (NvueRefusal, errors.CommitError) as error:
        raise refused(str(error)) from None
    except errors.DeviceError as error:
        raise ConnectionException(str(error)) from None


def _subtree(text: str) -> dict[str, Any]:
    """A mapping of the root, from YAML, JSON or what ``nv config show`` prints."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - only where a caller hands YAML in
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        data = YAML(typ="safe", pure=True).load(StringIO(text))
    except YAMLError as error:
        message = f"neither YAML nor nv set lines: {error}"
        raise MergeConfigException(message) from error
    if isinstance(data, list):
        data = _of_sections(data)
    if not isinstance(data, dict) or not data:
        message = "the configuration must be a mapping such as {interface: {swp1: {link: {mtu: 9000}}}}"
        raise MergeConfigException(message)
    return _checked(data, "")


def _of_sections(sections: list[Any]) -> Any:  # noqa: ANN401 - YAML
    """``nv config show`` prints a list: a header, which says nothing to us, and what is set."""
    keys = [key for each in sections if isinstance(each, dict) for key in each]
    if "unset" in keys:
        message = "'unset' is not taken in YAML: set and unset in one request have no defined order; use nv unset lines"
        raise MergeConfigException(message)
    return next((each["set"] for each in sections if isinstance(each, dict) and "set" in each), None)


def _checked(data: dict[Any, Any], where: str) -> dict[str, Any]:
    """Keys as text. A null would remove what it stands for, and YAML makes one of every forgotten ``{}``."""
    result: dict[str, Any] = {}
    for key, value in data.items():
        path = f"{where}/{key}"
        if value is None:
            message = f"{path} is null, which NVUE takes for 'remove it': write {{}} to set it, or use nv unset lines"
            raise MergeConfigException(message)
        result[str(key)] = _checked(value, path) if isinstance(value, dict) else value
    return result
