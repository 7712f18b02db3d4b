"""NVUE's REST API over one kept TLS connection: requests, revisions, errors in our own words.

Verified against the endpoint's CA or its pinned fingerprint; no error or log contains what was sent. Calls
and states: CumulusNetworks/docs cumulus-linux-514, NVUE-API.md; confirm over REST: gpncfg's NVUE driver.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

import requests
from requests.adapters import HTTPAdapter

from nornir_tasks.drivers.rights import missing_right
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.drivers.tls import is_distrust, reason
from nornir_tasks.drivers.validity import clock_problem
from nornir_tasks.errors import AuthError, ConnectError, DeviceError, Problem, RightsError, TrustError
from nornir_tasks.platforms.nvue.capabilities import MAX_APPLY_S

DONE = frozenset({"applied", "applied_and_saved", "saved", "auto_save"})
"""The revision runs for good."""
FAILED = frozenset(
    {
        "apply_error",
        "apply_fail",
        "ays_fail",
        "ays_no",
        "confirm_fail",
        "confirm_no",
        "ignore_fail",
        "ignore_fail_no",
        "invalid",
        "ready_error",
        "verify_error",
    }
)
"""The revision is not running, and will not be without another request."""
EDITABLE = frozenset({"pending", "detached", "invalid", "ays_fail"})
"""The revision was never applied, and is abandoned."""
WAITING = "confirm"
"""It runs, and is reverted unless it is confirmed."""

_FIRST_POLL_S, _LAST_POLL_S = 0.02, 1.0

_FORBIDDEN = 403
_NOT_FOUND = 404
_SERVER_ERROR = 500
"""From this HTTP status on, the fate of the request is unknown (RFC 9110, section 15.6)."""
_YES = {"ays": "ays_yes"}


class NvueRefusal(DeviceError):  # noqa: N818 - what it is, not what it feels like
    """The API refused the request."""

    def __init__(self, problem: Problem, status: int) -> None:
        super().__init__(problem)
        self.status = status


class _Pinned(HTTPAdapter):
    """Trusts exactly one certificate, by its SHA-256 fingerprint; urllib3 compares it before anything is sent."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - requests' own signature
        super().init_poolmanager(*arguments, assert_fingerprint=self._fingerprint, **options)


class NvueClient:
    """One switch's API. Not thread-safe."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._blank: requests.PreparedRequest | None = None
        self._base = f"https://{endpoint.address}:{endpoint.api_port}/nvue_v1/"
        self._http = requests.Session()
        self._http.trust_env = False  # neither a proxy, nor the user's netrc, nor another bundle of certificates
        self._http.auth = (endpoint.username, endpoint.password)
        self._verify: bool | str = str(endpoint.ca_file) if endpoint.ca_file else True
        if endpoint.fingerprint is not None:
            self._http.mount("https://", _Pinned(endpoint.fingerprint))
            self._verify = False  # the fingerprint decides instead of an authority
        self._http.verify = self._verify

    def close(self) -> None:
        """End the connection. A later request opens a new one."""
        self._http.close()

    # -- configuration and state -----------------------------------------------------------------------------------

    def get(self, *path: str, **query: str | list[str]) -> Any:  # noqa: ANN401 - JSON
        """What stands at a path. ``rev`` names the revision; without it, the live state. Raises NvueRefusal (404)."""
        return self._json("GET", path, query)

    def live(self, *path: str, **query: str | list[str]) -> dict[str, Any]:
        """A collection of the live state; empty where the switch has none (NVUE answers 404 for it)."""
        try:
            answer = self.get(*path, rev="operational", expand="true", **query)
        except NvueRefusal as refused:
            if refused.status != _NOT_FOUND:
                raise
            return {}
        return answer if isinstance(answer, dict) else {}

    def patch(self, revision: str, subtree: Mapping[str, Any]) -> None:
        """Merge a subtree of the root into a pending revision."""
        self._request("PATCH", (), {"rev": revision}, json.dumps(subtree), "application/json")

    def patch_commands(self, revision: str, commands: str) -> None:
        """Merge ``nv set`` and ``nv unset`` lines; 5.14 does not take them (docs516 NVUE-API.md)."""
        self._request("PATCH", (), {"rev": revision}, commands, "text/plain")

    def delete(self, revision: str, *path: str) -> None:
        """Remove what a pending revision holds at a path; never the root."""
        if not path:
            message = "the root of a configuration is never deleted"
            raise ValueError(message)
        self._request("DELETE", path, {"rev": revision})

    def difference(self, revision: str, other: str) -> dict[str, Any]:
        """The patch that would turn ``other`` into ``revision``; ``null`` is what only ``other`` has."""
        query: dict[str, str | list[str]] = {"rev": revision, "diff": other, "filled": "false", "expand": "true"}
        answer: dict[str, Any] = self._json("GET", (), query)
        return answer

    # -- revisions -------------------------------------------------------------------------------------------------

    def create_revision(self) -> str:
        """A new pending revision, branched from what runs; returns its id."""
        answer = self._json("POST", ("revision",), {})
        return str(next(iter(answer)))

    def delete_revision(self, revision: str) -> None:
        """Forget a pending revision."""
        self._request("DELETE", ("revision", revision), {})

    def revisions(self) -> dict[str, str]:
        """State of every revision the switch keeps (100 at most), by id."""
        return {name: str(each.get("state", "")) for name, each in self._json("GET", ("revision",), {}).items()}

    def state(self, revision: str) -> str:
        """State of one revision."""
        return str(self._json("GET", ("revision", revision), {}).get("state", ""))

    def request_state(self, revision: str, state: str, **controls: int) -> None:
        """Request a state change of a revision: ``apply``, ``confirm_yes``, ``confirm_fail``, ``save``."""
        body: dict[str, Any] = {"state": state, "auto-prompt": _YES}
        if controls:
            body["state-controls"] = controls
        self._request("PATCH", ("revision", revision), {}, json.dumps(body), "application/json")

    def settled(self, revision: str, timeout_s: float = MAX_APPLY_S, ends: frozenset[str] = DONE) -> tuple[str, str]:
        """Wait until a revision reaches a final state; returns the state and the switch's messages.

        ``ends``: states in which it may stay for good, besides those of a failure.
        """
        deadline, pause_s = time.monotonic() + timeout_s, _FIRST_POLL_S
        while True:
            answer = self._poll(revision, deadline)
            state = str(answer.get("state", ""))
            if state in ends or state in FAILED or state == WAITING:
                return state, _issues(answer)
            if time.monotonic() > deadline:
                return state, f"still '{state}' after {timeout_s:g} s"
            time.sleep(pause_s)
            pause_s = min(1.5 * pause_s, _LAST_POLL_S)

    def _poll(self, revision: str, deadline: float) -> dict[str, Any]:
        """An apply may interrupt our connection, so an unanswered poll is repeated until the deadline."""
        while True:
            try:
                answer: dict[str, Any] = self._json("GET", ("revision", revision), {})
            except ConnectError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LAST_POLL_S)
            else:
                return answer

    # -- the wire --------------------------------------------------------------------------------------------------

    def _json(self, method: str, path: tuple[str, ...], query: Mapping[str, str | list[str]]) -> Any:  # noqa: ANN401
        text = self._request(method, path, query)
        try:
            return json.loads(text)
        except ValueError:
            where = f"{self.endpoint.address}:{self.endpoint.api_port}"
            raise ConnectError(
                Problem(
                    where=self.endpoint.device,
                    what="the answer is not NVUE's: no JSON in it",
                    hint=f"is {where} the switch's API ('nv show system api')?",
                )
            ) from None

    def text(self, *path: str, **query: str | list[str]) -> str:
        """Like get, but the answer as the switch printed it."""
        return self._request("GET", path, query)

    def _request(
        self,
        method: str,
        path: tuple[str, ...],
        query: Mapping[str, str | list[str]],
        body: str | None = None,
        kind: str = "",
    ) -> str:
        url = self._base + "/".join(quote(key, safe="") for key in path)
        headers = {"Content-Type": kind} if kind else {}
        with self._mapped():
            if method == "GET":
                answer = self._got(url, query)
            else:
                answer = self._http.request(
                    method,
                    url,
                    params=query,
                    data=None if body is None else body.encode(),
                    headers=headers,
                    timeout=self.endpoint.timeout_s,
                    allow_redirects=False,
                )
        if answer.status_code == _FORBIDDEN and method != "GET":
            raise RightsError(
                missing_right(
                    self.endpoint,
                    "change this switch",
                    "role system-admin or nvue-admin (nvue-monitor may only look)",
                    f"HTTP {answer.status_code}: {_words(answer)}",
                )
            )
        if answer.status_code in (401, _FORBIDDEN):
            raise self._unauthorised(answer.status_code)
        if answer.status_code >= _SERVER_ERROR:
            raise self._unavailable(answer)
        if not 200 <= answer.status_code < 300:
            raise self._refusal(answer, method, path)
        return answer.text

    def _got(self, url: str, query: Mapping[str, str | list[str]]) -> requests.Response:
        """As the session would, of a request prepared once: ports are asked for by the thousand."""
        if self._blank is None:
            self._blank = self._http.prepare_request(requests.Request("GET", self._base))
        request = self._blank.copy()
        request.url = f"{url}?{urlencode(query, doseq=True)}" if query else url
        adapter = self._http.get_adapter(url)
        answer = adapter.send(request, timeout=self.endpoint.timeout_s, verify=self._verify)
        _ = answer.content  # to its end, while errors have our words
        return answer

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        """Errors of the network and of TLS in our own words."""
        where = f"{self.endpoint.address}:{self.endpoint.api_port}"
        try:
            yield
        except requests.exceptions.RequestException as error:
            if (problem := clock_problem(self.endpoint.device, error)) is not None:
                raise TrustError(problem) from None
            if is_distrust(error):
                raise self._untrusted(where, reason(error)) from None
            raise ConnectError(
                Problem(
                    where=self.endpoint.device,
                    what=f"nothing useful answers at {where}: {reason(error)}",
                    hint="is the switch up, and its address in devices.yml right? 'nv show system api' on the switch",
                )
            ) from None
        except OSError as error:  # requests' word for a CA file that is not there
            raise self._untrusted(where, reason(error)) from None

    def _untrusted(self, where: str, words: str) -> TrustError:
        pinned = self.endpoint.fingerprint
        return TrustError(
            Problem(
                where=self.endpoint.device,
                what=f"the certificate of {where} is not one we trust: {words}",
                expected=f"fingerprint {pinned}"
                if pinned
                else f"signed by {self.endpoint.ca_file or 'a known authority'}",
                hint="install the site's certificate ('nv set system api certificate'), or run: "
                f"nornir trust {self.endpoint.device}",
            )
        )

    def _unauthorised(self, status: int) -> AuthError:
        return AuthError(
            Problem(
                where=self.endpoint.device,
                what=f"NVUE refused the credentials of '{self.endpoint.username}'",
                found=f"HTTP {status}",
                hint="check the account on the switch and the password file or variable; NVUE refuses the default "
                "password (403), and writing needs the role system-admin or nvue-admin",
            )
        )

    def _unavailable(self, answer: requests.Response) -> ConnectError:
        """Not a refusal by NVUE, but by a proxy that could not reach it or wait: it may have been carried out."""
        return ConnectError(
            Problem(
                where=self.endpoint.device,
                what=f"the API of {self.endpoint.address}:{self.endpoint.api_port} is not available",
                found=f"HTTP {answer.status_code}: {_words(answer)}",
                hint="it may be restarting: check with 'systemctl status nvued' on the switch",
            )
        )

    def _refusal(self, answer: requests.Response, method: str, path: tuple[str, ...]) -> NvueRefusal:
        problem = Problem(
            where=self.endpoint.device,
            what=f"NVUE refused {method} /{'/'.join(path)}",
            found=f"HTTP {answer.status_code}: {_words(answer)}",
        )
        return NvueRefusal(problem, answer.status_code)


def _words(answer: requests.Response) -> str:
    """What the switch says is wrong: the schema's errors with their places, else the detail. Never what was sent."""
    try:
        body = answer.json()
    except ValueError:
        return answer.reason or "no explanation"
    errors = (body.get("validation") or {}).get("selected_errors") or []
    found = [f"{each.get('instanceLocation') or '/'}: {each.get('error')}" for each in errors]
    return "; ".join(found) or str(body.get("detail") or body.get("title") or "no explanation")


def _issues(answer: Mapping[str, Any]) -> str:
    """The messages of a revision that went wrong."""
    transition = answer.get("transition") or {}
    messages = [str(each.get("message", "")) for each in (transition.get("issue") or {}).values()]
    return "; ".join(filter(None, messages)) or str(transition.get("progress") or "")
