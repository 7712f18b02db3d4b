"""The certificate that a switch shows: whom it names and how long it is valid. Nothing is sent but a TLS handshake.

It is verified as the connections of the drivers are, by the site's CA or the pinned fingerprint, but for its time and
its names: these are what an operator wants to know of it.
"""

import hashlib
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.platforms.observed import Certificate

_NO_CHECK_TIME = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL (x509_vfy.h): an expired certificate is told from one that is not trusted."""
_DAY_S = 86_400
_IN_SUBJECT = frozenset({"commonName", "serialNumber"})


def shown_certificate(endpoint: Endpoint) -> Certificate | None:
    """What is served at the endpoint's API; None: no server answers there with one that is trusted."""
    try:
        found = _verified(endpoint, _authority(endpoint))
    except OSError:  # ssl.SSLError is one
        return None
    if not found:
        return None
    ends = ssl.cert_time_to_seconds(str(found["notAfter"]))
    return Certificate(
        names=tuple(dict.fromkeys(_names(found))),
        days_left=int((ends - datetime.now(UTC).timestamp()) // _DAY_S),
        is_pinned=endpoint.fingerprint is not None,
    )


def _authority(endpoint: Endpoint) -> ssl.SSLContext:
    """Trusts what the drivers trust: of a pinned certificate, itself alone."""
    if endpoint.fingerprint is None:
        context = ssl.create_default_context(cafile=str(endpoint.ca_file) if endpoint.ca_file else None)
    else:
        context = ssl.create_default_context(cadata=_pinned(endpoint))
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags |= _NO_CHECK_TIME
    context.check_hostname = False
    return context


def _pinned(endpoint: Endpoint) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the fingerprint decides
    with _plain(endpoint) as plain, context.wrap_socket(plain) as shown:
        found = shown.getpeercert(binary_form=True) or b""
    if hashlib.sha256(found).hexdigest() != endpoint.fingerprint:
        raise ssl.SSLError("another certificate than the pinned one")
    return found


def _verified(endpoint: Endpoint, context: ssl.SSLContext) -> dict[str, Any]:
    with _plain(endpoint) as plain, context.wrap_socket(plain) as shown:
        return dict(shown.getpeercert() or {})


def _plain(endpoint: Endpoint) -> socket.socket:
    return socket.create_connection((endpoint.address, endpoint.api_port), endpoint.timeout_s)


def _names(found: dict[str, Any]) -> Iterator[str]:
    for part in found.get("subject", ()):
        yield from (value for key, value in part if key in _IN_SUBJECT)
    yield from (value for _, value in found.get("subjectAltName", ()))
