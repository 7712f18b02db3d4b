"""A certificate that is refused for its time alone: more often this machine's clock is wrong than the certificate."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime

from nornir_tasks.errors import Problem

_NOT_YET, _EXPIRED = 9, 10
"""X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL (x509_vfy.h)."""
_WORDS = {_NOT_YET: "is not valid yet", _EXPIRED: "has expired"}
_MOST = 32
"""Errors looked at; requests and urllib3 wrap one three times."""


def clock_problem(device: str, error: BaseException) -> Problem | None:
    """What to say of a certificate that is refused for its time; None if it is refused for something else.

    Nothing in it is about one switch alone, so that many switches are one message.
    """
    code = next((each.verify_code for each in _inside(error) if isinstance(each, ssl.SSLCertVerificationError)), None)
    if code not in _WORDS:
        return None
    return Problem(
        where=device,
        what=f"its certificate {_WORDS[code]}, by the clock of this machine",
        expected="a time between the certificate's first and last day",
        found=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC here",
        hint="compare this machine's clock ('timedatectl'); if it is right, the switch needs a new certificate",
    )


def _inside(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it wraps, each once."""
    todo: list[object] = [error]
    seen: set[int] = set()
    while todo and len(seen) < _MOST:
        each = todo.pop(0)
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            yield each
            todo += [*each.args, getattr(each, "reason", None), each.__cause__, each.__context__]
