"""A certificate that is refused for its time alone: every driver points at the clock, and none at ``nornir trust``."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.fingerprint import shown_fingerprint
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.drivers.shown_certificate import shown_certificate
from nornir_tasks.errors import TrustError
from nornir_tasks.platforms.observed import Certificate

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
ADDRESS = "127.0.0.1"
Serve = Callable[[datetime.datetime, datetime.datetime], Endpoint]


def _certificate(folder: Path, first: datetime.datetime, last: datetime.datetime) -> tuple[Path, Path]:
    """(certificate that vouches for itself, its key) of a switch at ADDRESS."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "leaf")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(first)
        .not_valid_after(last)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(ADDRESS))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "leaf.pem", folder / "leaf.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    secret.write_bytes(key.private_bytes(*form))
    return certificate, secret


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """A TLS server whose certificate holds from a first to a last day."""
    listeners: list[socket.socket] = []

    def start(first: datetime.datetime, last: datetime.datetime) -> Endpoint:
        certificate, key = _certificate(tmp_path, first, last)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        listener = socket.create_server((ADDRESS, 0))
        listeners.append(listener)

        def answer() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    with suppress(OSError), client, context.wrap_socket(client, server_side=True) as secured:
                        secured.recv(1)

        threading.Thread(target=answer, daemon=True).start()
        port = listener.getsockname()[1]
        return Endpoint("leaf-1", ADDRESS, port, 22, "admin", "secret", certificate, None, None, timeout_s=10.0)

    yield start
    for each in listeners:
        each.close()


@pytest.mark.parametrize("system", ["eos", "nxos", "nvue"])
@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (NOW + DAY, NOW + 2 * DAY, "its certificate is not valid yet"),
        (NOW - 2 * DAY, NOW - DAY, "its certificate has expired"),
    ],
    ids=("not yet", "expired"),
)
def test_a_certificate_out_of_its_time_is_answered_with_the_clock(
    serve: Serve, system: str, first: datetime.datetime, last: datetime.datetime, words: str
) -> None:
    endpoint = serve(first, last)
    session = open_session(system, endpoint)
    with pytest.raises(TrustError) as raised:
        session.read()
    (problem,) = raised.value.problems
    assert problem.what == f"{words}, by the clock of this machine"
    assert "timedatectl" in problem.hint
    assert "nornir trust" not in str(problem)
    assert endpoint.address not in problem.what  # so that many switches are one message
    session.close()


@pytest.mark.parametrize(("days", "left"), [(90, 89), (12, 11), (-3, -4)])
def test_whom_a_certificate_names_and_how_long_it_is_valid_is_read_even_after_its_end(
    serve: Serve, days: int, left: int
) -> None:
    endpoint = serve(NOW - 30 * DAY, NOW + days * DAY)
    assert shown_certificate(endpoint) == Certificate(("leaf", ADDRESS), left, is_pinned=False)


def test_a_pinned_certificate_is_read_and_another_one_than_the_pinned_is_not(serve: Serve) -> None:
    endpoint = replace(serve(NOW - DAY, NOW + 30 * DAY), ca_file=None)
    shown = shown_fingerprint("leaf", ADDRESS, endpoint.api_port)
    found = shown_certificate(replace(endpoint, fingerprint=shown))
    assert found is not None
    assert (found.days_left, found.is_pinned) == (29, True)
    assert shown_certificate(replace(endpoint, fingerprint="0" * 64)) is None


def test_a_certificate_that_nobody_vouches_for_is_not_taken(serve: Serve) -> None:
    endpoint = replace(serve(NOW - DAY, NOW + 30 * DAY), ca_file=None)
    assert shown_certificate(endpoint) is None
    assert shown_certificate(replace(endpoint, api_port=1)) is None
