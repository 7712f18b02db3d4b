"""Did a TLS connection fail for lack of trust? Only then is the certificate reported. And in which words? Pure."""

import ssl
from collections.abc import Iterator
from typing import Any

_DEPTH = 12


def is_distrust(error: BaseException) -> bool:
    """A certificate that is not trusted, as opposed to a connection that ended amid the handshake or the answer."""
    return any(
        isinstance(each, ssl.SSLCertVerificationError) or "Fingerprints did not match" in str(each)
        for each in _causes(error)
    )


def reason(error: BaseException) -> str:
    """The innermost words of an error that requests and urllib3 wrapped, without addresses of objects in it.

    Of a certificate OpenSSL's own: what Python puts around them names a line of its source, another one in each build.
    """
    inner: Any = error
    for _ in range(_DEPTH):
        below = getattr(inner, "reason", None) or (inner.args[0] if getattr(inner, "args", None) else None)
        if not isinstance(below, BaseException):
            break
        inner = below
    text = str(getattr(inner, "verify_message", "") or getattr(inner, "strerror", "") or inner)
    return text.split(": ", 1)[1] if text.startswith("<") and ": " in text else text


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what requests and urllib3 wrapped in it: as reason, as argument, or as cause."""
    waiting: list[Any] = [error]
    seen: list[BaseException] = []
    while waiting and len(seen) < _DEPTH:
        each = waiting.pop(0)
        if not isinstance(each, BaseException) or each in seen:
            continue
        seen.append(each)
        yield each
        waiting += [getattr(each, "reason", None), *each.args, each.__cause__, each.__context__]
