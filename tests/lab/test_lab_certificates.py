"""Clients that verify are satisfied with the lab's certificates, and only with those."""

from __future__ import annotations

import socket
import ssl
import stat
import threading
from pathlib import Path

import paramiko
import pytest

from switch_twins.certificates import LabCertificates
from switch_twins.spec import DeviceSpec

DEVICE = DeviceSpec("leaf-0", "eos", "", "", "", "S", "127.0.0.1", 0, 8022, 1, ())


def handshake(server: ssl.SSLContext, ca: Path, name: str) -> None:
    """One TLS connection over a socket pair, verified by ``ca`` for ``name``."""
    near, far = socket.socketpair()

    def answer() -> None:
        try:
            server.wrap_socket(far, server_side=True).recv(1)
        except (ssl.SSLError, OSError):
            far.close()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    context = ssl.create_default_context(cafile=str(ca))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    try:
        with near, context.wrap_socket(near, server_hostname=name) as connection:
            connection.sendall(b"x")
    finally:
        thread.join(5)


@pytest.fixture
def certificates(tmp_path: Path) -> LabCertificates:
    return LabCertificates(tmp_path / "ca.pem", tmp_path / "certificates")


@pytest.mark.parametrize("name", ["127.0.0.1", "leaf-0"])
def test_verifying_client_accepts_address_and_name(certificates: LabCertificates, name: str) -> None:
    handshake(certificates.server_context(DEVICE), certificates.ca, name)


def test_other_name_other_ca_and_default_certificate_are_refused(certificates: LabCertificates, tmp_path: Path) -> None:
    other = LabCertificates(tmp_path / "other" / "ca.pem", tmp_path / "other")
    default = DeviceSpec("leaf-0", "eos", "", "", "", "S", "127.0.0.1", 0, 8022, 1, (), certificate="default")
    for server, ca, name in (
        (certificates.server_context(DEVICE), certificates.ca, "127.0.0.2"),
        (certificates.server_context(DEVICE), other.ca, "127.0.0.1"),
        (certificates.server_context(default), certificates.ca, "127.0.0.1"),
    ):
        with pytest.raises(ssl.SSLCertVerificationError):
            handshake(server, ca, name)


def test_restarted_lab_keeps_its_ca_and_certificates_but_not_those_of_another_ca(tmp_path: Path) -> None:
    first = LabCertificates(tmp_path / "ca.pem", tmp_path / "c")
    certificate, _ = first.server(DEVICE)
    before = certificate.read_bytes()
    again = LabCertificates(tmp_path / "ca.pem", tmp_path / "c")
    assert again.server(DEVICE)[0].read_bytes() == before
    (tmp_path / "ca.pem").unlink()
    renewed = LabCertificates(tmp_path / "ca.pem", tmp_path / "c")
    assert renewed.server(DEVICE)[0].read_bytes() != before


def test_private_keys_are_for_the_owner_alone(certificates: LabCertificates, tmp_path: Path) -> None:
    certificates.server(DEVICE)
    certificates.host_key(DEVICE)
    keys = [path for path in tmp_path.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
    assert len(keys) == 3
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in keys)


def test_known_hosts_names_the_key_ssh_clients_will_see(certificates: LabCertificates, tmp_path: Path) -> None:
    certificates.write_known_hosts((DEVICE,), tmp_path / "known_hosts")
    known = paramiko.HostKeys(str(tmp_path / "known_hosts"))
    key = paramiko.Ed25519Key.from_private_key_file(str(certificates.host_key(DEVICE)))
    assert known.check("[127.0.0.1]:8022", key)
