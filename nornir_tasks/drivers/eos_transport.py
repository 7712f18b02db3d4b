"""How we reach an EOS switch: eAPI over one kept TLS connection.

pyeapi closes its connection after every request, verifies nothing by default and writes whole answers to the log. This
transport keeps the connection, verifies against the endpoint's CA or its pinned fingerprint, and logs nothing.
"""

import hashlib
import http.client
import json
import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyeapi.eapilib import CommandError, EapiConnection

from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.drivers.tls import reason
from nornir_tasks.drivers.validity import clock_problem
from nornir_tasks.errors import AuthError, ConnectError, Problem, TrustError

PATH = "/command-api"


class UnknownFingerprintError(ssl.SSLError):
    """The certificate is not the pinned one."""


class _PinnedConnection(http.client.HTTPSConnection):
    """Trusts one certificate alone, by its SHA-256 fingerprint, whatever CA signed it. Judged before data is sent."""

    fingerprint: str | None = None

    def connect(self) -> None:
        super().connect()
        if self.fingerprint is None:
            return
        certificate = self.sock.getpeercert(binary_form=True) or b""
        found = hashlib.sha256(certificate).hexdigest()
        if found != self.fingerprint:
            self.close()
            raise UnknownFingerprintError(f"its fingerprint is {found}")


def tls_context(endpoint: Endpoint) -> ssl.SSLContext:
    """Verifies the chain and the address against the endpoint's CA (the system's where none is named)."""
    try:
        context = ssl.create_default_context(cafile=str(endpoint.ca_file) if endpoint.ca_file else None)
    except OSError as error:  # ssl.SSLError is one
        raise TrustError(
            Problem(
                where=endpoint.device,
                what=f"the CA's certificate cannot be read: {reason(error)}",
                expected=f"a PEM file at {endpoint.ca_file}",
                hint="correct the path, or export the site's CA certificate once more",
            )
        ) from None
    if endpoint.fingerprint is not None:
        # The fingerprint decides instead, as soon as the handshake is over; see _PinnedConnection.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


class KeepAliveEapi(EapiConnection):  # type: ignore[misc] # pyeapi ships no types
    """pyeapi's connection on one http.client connection that stays open."""

    def __init__(self, host: str, username: str, password: str, timeout: float, endpoint: Endpoint) -> None:
        super().__init__()
        self._endpoint = endpoint
        self.transport = _PinnedConnection(host, endpoint.api_port, timeout=timeout, context=tls_context(endpoint))
        self.transport.fingerprint = endpoint.fingerprint
        self.authentication(username, password)

    def send(self, data: str) -> dict[str, Any]:
        """Post one request. Raises our own errors, or pyeapi's CommandError with the switch's words."""
        name, value = self._auth
        headers = {"Content-Type": "application/json-rpc", name: value}
        self._drop_if_closed_by_peer()
        with _mapped(self._endpoint):
            try:
                self.transport.request("POST", PATH, data.encode(), headers)
                response = self.transport.getresponse()
                body = response.read()
            except BaseException:
                self.transport.close()
                raise
        if response.status in {401, 403}:
            raise AuthError(
                Problem(
                    where=self._endpoint.device,
                    what=f"eAPI refused the credentials of '{self._endpoint.username}'",
                    found=f"HTTP {response.status}",
                    hint="check the account on the switch and the password file or variable",
                )
            )
        return self._decoded(response.status, body)

    def close(self) -> None:
        """End the connection."""
        self.transport.close()

    def is_alive(self) -> dict[str, bool]:
        """For NAPALM."""
        return {"is_alive": self.transport.sock is not None}

    def _drop_if_closed_by_peer(self) -> None:
        """A kept connection that turned readable while idle was closed by the switch; a new one is opened then.

        Nothing is ever sent twice: a request that may have been carried out is not repeated.
        """
        sock = self.transport.sock
        if sock is not None and _has_something(sock):
            self.transport.close()

    def _decoded(self, status: int, body: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(body)
        except ValueError:
            raise ConnectError(
                Problem(
                    where=self._endpoint.device,
                    what=f"the answer is not eAPI's: HTTP {status} without JSON",
                    hint=f"is {self._endpoint.address}:{self._endpoint.api_port} 'management api http-commands'?",
                )
            ) from None
        if "error" in answer:
            code, message, error, output = self._parse_error_message(answer)
            raise CommandError(code, message, command_error=error, output=output)
        result: dict[str, Any] = answer
        return result


@contextmanager
def _mapped(endpoint: Endpoint) -> Iterator[None]:
    """Errors of the network and of TLS in our own words, without what was sent."""
    where = f"{endpoint.address}:{endpoint.api_port}"
    try:
        yield
    except (ssl.SSLCertVerificationError, UnknownFingerprintError) as error:
        raise TrustError(
            clock_problem(endpoint.device, error)
            or Problem(
                where=endpoint.device,
                what=f"the certificate of {where} is not one we trust: {reason(error)}",
                expected=f"fingerprint {endpoint.fingerprint}"
                if endpoint.fingerprint
                else f"signed by {endpoint.ca_file or 'an authority this machine trusts'}",
                hint=f"install the site's certificate ('management security', ssl profile), or run: nornir trust "
                f"{endpoint.device}",
            )
        ) from None
    except TimeoutError:
        raise ConnectError(
            Problem(
                endpoint.device, f"{where} did not answer in time", hint="is the switch busy, or the path filtered?"
            )
        ) from None
    except (OSError, http.client.HTTPException) as error:
        raise ConnectError(
            Problem(
                where=endpoint.device,
                what=f"cannot talk to {where}: {reason(error)}",
                hint="is the switch up, the address right, and 'management api http-commands' not shut down?",
            )
        ) from None


def _has_something(sock: socket.socket) -> bool:
    """Bytes or the end of the stream wait to be read. select() would refuse descriptors above 1,023."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))
