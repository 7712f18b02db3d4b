"""Did a TLS connection fail for lack of trust? Only then is the certificate reported. And in which words? Pure."""

import http.client
import re
import ssl
from collections.abc import Iterator
from typing import Any

import urllib3

_DEPTH = 12


def is_distrust(error: BaseException) -> bool:
    """A certificate that is not trusted, as opposed to a connection that ended amid the handshake or the answer."""
    return any(
        isinstance(each, ssl.SSLCertVerificationError) or "Fingerprints did not match" in str(each)
        for each in _causes(error)
    )


def reason(error: BaseException) -> str:
    """What went wrong in a connection, in the words of the system or OpenSSL; "" where neither says anything.

    requests, urllib3, paramiko and http.client wrap these words in names and numbers of Python's.
    """
    found = [words for each in _causes(error) if (words := _own_words(each))]
    return found[-1] if found else _bare(str(error))


def _own_words(error: BaseException) -> str:
    """The words of this error alone; "" of one that only wraps another."""
    if verdict := getattr(error, "verify_message", ""):
        return str(verdict)
    for kinds, words in _WORDS:
        if isinstance(error, kinds):
            return words
    if system := getattr(error, "strerror", None):
        return _bare(str(system))
    return str(error) if "Fingerprints did not match" in str(error) and not _wrapped(error) else ""


_WORDS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((http.client.RemoteDisconnected,), "the connection was closed without an answer"),
    ((http.client.IncompleteRead, urllib3.exceptions.IncompleteRead), "the connection was closed amid the answer"),
    ((http.client.HTTPException,), "the answer is not HTTP"),
    ((TimeoutError, urllib3.exceptions.TimeoutError), "no answer in time"),
)
"""Errors whose own text is Python's."""

_PYTHON = re.compile(r"^<[^>]*>: |^\w*Connection\w*\([^)]*\): |\[(?:Errno \w+|SSL[^\]]*)\] ?| ?\(_ssl\.c:\d+\)$")


def _bare(text: str) -> str:
    """Text without names of Python's objects, error numbers, and lines of its source, which differ in each build."""
    return _PYTHON.sub("", text)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what requests and urllib3 wrapped in it: as reason, as argument, or as cause."""
    waiting = [error]
    seen: list[BaseException] = []
    while waiting and len(seen) < _DEPTH:
        each = waiting.pop(0)
        if each in seen:
            continue
        seen.append(each)
        yield each
        waiting += _wrapped(each)


def _wrapped(error: BaseException) -> list[BaseException]:
    found: list[Any] = [getattr(error, "reason", None), *error.args, error.__cause__, error.__context__]
    return [each for each in found if isinstance(each, BaseException)]
