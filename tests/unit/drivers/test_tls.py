"""A connection that ends is no certificate that is not trusted."""

import ssl

import pytest
import requests
import urllib3

from nornir_tasks.drivers.tls import is_distrust


def as_requests_has_it(error: Exception) -> Exception:
    """As requests 2 and urllib3 2 wrap what goes wrong in a handshake."""
    inner = urllib3.exceptions.SSLError(error)
    return requests.exceptions.SSLError(urllib3.exceptions.MaxRetryError(None, "/ins", inner))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error",
    [
        ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate"),
        urllib3.exceptions.SSLError("Fingerprints did not match. Expected ..., got ..."),
    ],
)
def test_an_unknown_certificate_is_a_matter_of_trust(error: Exception) -> None:
    assert is_distrust(as_requests_has_it(error))


@pytest.mark.parametrize(
    "error",
    [
        ssl.SSLEOFError(8, "EOF occurred in violation of protocol (_ssl.c:992)"),
        ssl.SSLZeroReturnError(6, "TLS/SSL connection has been closed (EOF)"),
        ssl.SSLError(1, "[SSL] record layer failure"),
    ],
)
def test_a_handshake_that_was_cut_is_not(error: Exception) -> None:
    assert not is_distrust(as_requests_has_it(error))
    assert not is_distrust(requests.exceptions.ConnectionError(error))
