"""How we reach an NX-OS switch: NX-API over one kept TLS connection, files over SCP with strict host keys.

NAPALM's client posts each request on a connection of its own and does not verify by default; this one keeps the
connection, verifies against the endpoint's CA or its pinned fingerprint, and can mix structured and text commands in
one request. No error contains a password.
"""

import io
import json
import re
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import paramiko
import requests
import scp
from napalm.nxapi_plumbing.api_client import RPCClient
from requests.adapters import HTTPAdapter

from nornir_tasks.drivers.known_hosts import keys_of, listed_as
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.drivers.tls import is_distrust, reason
from nornir_tasks.drivers.validity import clock_problem
from nornir_tasks.errors import AuthError, ConnectError, Problem, StageError, TrustError

STRUCTURED, TEXT = "cli", "cli_ascii"
"""NX-API's JSON-RPC methods: an answer as data, and as the switch would print it."""

NOT_RUN = "not run, because a command before it was refused"

_MAX_SECONDS_WITHOUT_BYTES = 30.0


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a batch."""

    line: str
    method: str = TEXT


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one command: ``body`` (data, or text for TEXT), or the switch's error in its own words."""

    command: str
    body: Any
    error: str | None = None


class _PinnedAdapter(HTTPAdapter):
    """Trusts exactly one certificate, by its SHA-256 fingerprint, whichever CA signed it."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - requests' own signature
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the fingerprint below decides, before any byte of ours is sent
        super().init_poolmanager(*args, ssl_context=context, assert_fingerprint=self._fingerprint, **kwargs)


class KeepAliveClient(RPCClient):  # type: ignore[misc] # napalm ships no types
    """NAPALM's JSON-RPC client on one ``requests.Session``."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(
            endpoint.address,
            endpoint.username,
            endpoint.password,
            transport="https",
            port=endpoint.api_port,
            timeout=endpoint.timeout_s,
            verify=True,
        )
        self._endpoint = endpoint
        self.session = self._new_session()

    def _new_session(self) -> requests.Session:
        session = requests.Session()
        session.trust_env = False  # no proxy and no netrc between us and a management address
        session.auth = (self._endpoint.username, self._endpoint.password)
        session.headers.update(self.headers)
        if self._endpoint.fingerprint is not None:
            session.mount("https://", _PinnedAdapter(self._endpoint.fingerprint))
            session.verify = False  # see _PinnedAdapter: verification is by fingerprint
        elif self._endpoint.ca_file is not None:
            session.verify = str(self._endpoint.ca_file)
        return session

    def reconnect(self) -> None:
        """Forget the connection; the next request opens a new one."""
        self.session.close()
        self.session = self._new_session()

    def batch(self, commands: Sequence[Command], timeout_s: float | None = None) -> tuple[Reply, ...]:
        """All commands in one request. A command the switch refuses has its words in ``Reply.error``.

        NX-API stops at the first refused command; later commands are not run, and reported as such.
        """
        body = [
            {"jsonrpc": "2.0", "method": each.method, "params": {"cmd": each.line, "version": 1}, "id": number}
            for number, each in enumerate(commands, start=1)
        ]
        answers = self._decoded(self._post(json.dumps(body), timeout_s))
        replies = tuple(_reply(command, answer) for command, answer in zip(commands, answers, strict=False))
        if not replies or (len(replies) < len(commands) and replies[-1].error is None):
            raise self._odd(f"{len(commands)} commands were sent and {len(answers)} answered")
        return replies + tuple(Reply(command.line, None, NOT_RUN) for command in commands[len(replies) :])

    def _send_request(self, commands: list[str], method: str) -> requests.Response:
        """NAPALM's own getters come through here and share the connection."""
        return self._post(self._build_payload(commands, method), None)

    def _post(self, body: str, timeout_s: float | None) -> requests.Response:
        with _mapped(self._endpoint):
            response = self.session.post(self.url, data=body, timeout=timeout_s or self._endpoint.timeout_s)
        if response.status_code in (401, 403):
            raise AuthError(
                Problem(
                    where=self._endpoint.device,
                    what=f"NX-API refused the credentials of '{self._endpoint.username}'",
                    found=f"HTTP {response.status_code}",
                    hint="check the account on the switch and the password file or variable",
                )
            )
        return response

    def _decoded(self, response: requests.Response) -> list[dict[str, Any]]:
        try:
            answers = response.json()
        except ValueError:
            raise self._odd(f"HTTP {response.status_code} without JSON") from None
        return answers if isinstance(answers, list) else [answers]  # one command is answered without a list

    def _odd(self, what: str) -> ConnectError:
        return ConnectError(
            Problem(
                where=self._endpoint.device,
                what=f"the answer is not NX-API's: {what}",
                hint=f"is {self._endpoint.address}:{self._endpoint.api_port} the port of 'feature nxapi'?",
            )
        )


def _reply(command: Command, answer: dict[str, Any]) -> Reply:
    if error := answer.get("error"):
        words = (error.get("data") or {}).get("msg") or error.get("message") or "refused"
        return Reply(command.line, None, str(words).strip())
    result = answer.get("result") or {}  # null where a command prints nothing
    return Reply(command.line, result.get("msg", "") if command.method == TEXT else result.get("body", {}))


@contextmanager
def _mapped(endpoint: Endpoint) -> Iterator[None]:
    where = f"{endpoint.address}:{endpoint.api_port}"
    try:
        yield
    except requests.exceptions.Timeout:
        raise ConnectError(
            Problem(
                endpoint.device, f"{where} did not answer in time", hint="is the switch busy, or the path filtered?"
            )
        ) from None
    except (requests.exceptions.RequestException, OSError) as error:
        if is_distrust(error):
            raise _distrusted(endpoint, error) from None
        raise ConnectError(
            Problem(
                where=endpoint.device,
                what=f"cannot talk to {where}: {reason(error)}",
                hint="is the switch up, the address right, and 'feature nxapi' on?",
            )
        ) from None


def _distrusted(endpoint: Endpoint, error: BaseException) -> TrustError:
    where = f"{endpoint.address}:{endpoint.api_port}"
    return TrustError(
        clock_problem(endpoint.device, error)
        or Problem(
            where=endpoint.device,
            what=f"the certificate of {where} is not one we trust: {reason(error)}",
            expected=f"fingerprint {endpoint.fingerprint}" if endpoint.fingerprint else f"signed by {endpoint.ca_file}",
            hint=f"install the site's certificate ('nxapi certificate'), or run: nornir trust {endpoint.device}",
        )
    )


def upload(endpoint: Endpoint, text: str, path: str) -> None:
    """Copy ``text`` to ``path`` (``bootflash:/name``) over SCP; only a host that stands in known_hosts is talked to."""
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    if endpoint.known_hosts is None or not endpoint.known_hosts.is_file():
        raise _untrusted(endpoint, "no file of known host keys is set")
    name = listed_as(endpoint.address, endpoint.ssh_port)
    for kind, key in keys_of(name, endpoint.known_hosts).items():
        client.get_host_keys().add(name, kind, key)
    body = text.encode()
    with _ssh_mapped(endpoint), client:
        client.connect(
            endpoint.address,
            port=endpoint.ssh_port,
            username=endpoint.username,
            password=endpoint.password,
            timeout=endpoint.timeout_s,
            banner_timeout=endpoint.timeout_s,
            auth_timeout=endpoint.timeout_s,
            look_for_keys=False,
            allow_agent=False,
        )
        transport = client.get_transport()
        if transport is None:
            raise paramiko.SSHException("the connection was closed")
        with scp.SCPClient(transport, socket_timeout=_MAX_SECONDS_WITHOUT_BYTES) as channel:
            channel.putfo(io.BytesIO(body), path, mode="0600", size=len(body))


_CUT = re.compile(r"No response from server|transport shut down or saw EOF|[Tt]imeout|timed out")
"""Messages of scp 0.15 and paramiko 5 for a lost connection; other messages come from the switch."""


@contextmanager
def _ssh_mapped(endpoint: Endpoint) -> Iterator[None]:
    where = f"{endpoint.address}:{endpoint.ssh_port}"
    try:
        yield
    except paramiko.AuthenticationException as error:
        if _CUT.search(str(error)):
            raise _ended(endpoint, f"the connection to {where} ended amid the login: {error}") from None
        raise AuthError(
            Problem(endpoint.device, f"SSH refused the credentials of '{endpoint.username}'", hint="check the account")
        ) from None
    except paramiko.BadHostKeyException:
        raise _untrusted(endpoint, "the host key has changed") from None
    except scp.SCPException as error:
        if _CUT.search(str(error)):
            raise _ended(endpoint, f"the connection to {where} ended amid the copy of the candidate: {error}") from None
        raise StageError(
            Problem(
                where=endpoint.device,
                what=f"the candidate could not be copied to the switch: {error}",
                hint="'feature scp-server' must be on, and bootflash must have room",
            )
        ) from None
    except (paramiko.SSHException, EOFError, OSError) as error:  # EOFError: cut amid the handshake or the copy
        if "not found in known_hosts" in str(error):
            raise _untrusted(endpoint, "the host key is not known") from None
        raise ConnectError(
            Problem(
                where=endpoint.device,
                what=f"SSH to {where} failed: {reason(error) or 'the connection was cut'}",
                hint="is the switch up, and 'feature ssh' on?",
            )
        ) from None


def _ended(endpoint: Endpoint, what: str) -> ConnectError:
    return ConnectError(Problem(endpoint.device, what, hint="is the switch up, and 'feature scp-server' on?"))


def _untrusted(endpoint: Endpoint, what: str) -> TrustError:
    return TrustError(
        Problem(
            where=endpoint.device,
            what=f"SSH to {endpoint.address}:{endpoint.ssh_port}: {what}",
            expected=f"a key listed in {endpoint.known_hosts}",
            hint=f"compare the key on the console, then run: nornir trust {endpoint.device}",
        )
    )
