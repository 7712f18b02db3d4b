"""A connection that ends is no certificate that is not trusted."""

import http.client
import socket
import ssl
import threading
from contextlib import suppress

import pytest
import requests
import urllib3

from nornir_tasks.drivers.tls import is_distrust, reason


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


ANSWERS = [
    (b"", "the connection was closed without an answer"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", "the connection was closed amid the answer"),
    (b"junk\r\n\r\n", "the answer is not HTTP"),
]


@pytest.mark.parametrize(("answer", "words"), ANSWERS)
def test_a_bad_answer_is_told_without_words_of_python(answer: bytes, words: str) -> None:
    """``('Connection aborted.', RemoteDisconnected(...))`` is what requests says."""
    with pytest.raises(requests.exceptions.RequestException) as by_requests:
        requests.get(f"http://127.0.0.1:{_port_that_answers(answer)}/", timeout=10)
    assert reason(by_requests.value) == words
    connection = http.client.HTTPConnection("127.0.0.1", _port_that_answers(answer), timeout=10)
    with pytest.raises((OSError, http.client.HTTPException)) as by_python:
        _ask(connection)
    assert reason(by_python.value) == words


def _ask(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/")
    connection.getresponse().read()


def _port_that_answers(answer: bytes) -> int:
    """A port on which one request is read, and answered by this."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listening, suppress(OSError):
            taken, _ = listening.accept()
            with taken:
                taken.recv(65536)
                taken.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return int(listening.getsockname()[1])


def test_a_port_without_a_listener_and_a_silent_one_are_told_in_plain_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(requests.exceptions.ReadTimeout) as caught:
            requests.get(f"http://127.0.0.1:{port}/", timeout=0.2)
        assert reason(caught.value) == "no answer in time"
    with pytest.raises(requests.exceptions.ConnectionError) as refused:
        requests.get(f"https://127.0.0.1:{port}/", timeout=10)
    assert reason(refused.value) == "Connection refused"


def test_a_handshake_that_fails_is_told_in_the_words_of_openssl() -> None:
    error = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
    assert reason(as_requests_has_it(error)) == "wrong version number"
