"""The lab's certificates and keys: a CA, a server certificate and an SSH host key per device, and known_hosts for them.

Everything is made once and kept in the lab's directory, so that clients still trust a lab that is started again.
Private keys are written with mode 0600 and never leave that directory.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .spec import DeviceSpec

_VALID_DAYS = 365


class LabCertificates:
    """Certificates and host keys under ``directory``; the CA certificate is ``ca``, its key is next to it (.key)."""

    def __init__(self, ca: Path, directory: Path) -> None:
        self.ca, self.directory = ca, directory
        self._ca_key_path = ca.with_suffix(".key")
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._installed: dict[tuple[str, str], tuple[Path, Path]] = {}
        if not (ca.exists() and self._ca_key_path.exists()):
            self._make_ca()
        self._ca_key = _load_key(self._ca_key_path)
        self._ca_certificate = x509.load_pem_x509_certificate(ca.read_bytes())

    def server_context(self, device: DeviceSpec, name: str = "") -> ssl.SSLContext:
        """A TLS server context for a device: signed by the lab's CA, or self-signed if its spec says ``default``.

        ``name``: of a further certificate of the device, which the CA has signed too.
        """
        certificate, key = self.server(device, name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(certificate, key)
        return context

    def install(self, device: DeviceSpec, name: str, certificate: bytes, key: bytes) -> None:
        """Put a certificate on a device, which it got for a key of its own. PEM.

        Raises ssl.SSLError for a key that is not the certificate's.
        """
        stem = self.directory / f"{device.name}-own-{name}"
        paths = stem.with_suffix(".pem"), stem.with_suffix(".key")
        paths[0].write_bytes(certificate)
        _write_private(paths[1], key)
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*paths)
        self._installed[device.name, name] = paths

    def has_installed(self, device: DeviceSpec, name: str) -> bool:
        """Was a certificate of this name put on the device?"""
        return (device.name, name) in self._installed

    def server(self, device: DeviceSpec, name: str = "") -> tuple[Path, Path]:
        """Paths of a device's certificate and key; made if they are missing or were made for another address."""
        if (device.name, name) in self._installed:
            return self._installed[device.name, name]
        stem = f"{device.name}-{f'named-{name}' if name else device.certificate}-{device.address}"
        certificate_path, key_path = self.directory / f"{stem}.pem", self.directory / f"{stem}.key"
        if not (certificate_path.exists() and key_path.exists() and self._is_ours(certificate_path, device)):
            self._make_server(device, certificate_path, key_path)
        return certificate_path, key_path

    def host_key(self, device: DeviceSpec) -> Path:
        """Path of a device's SSH host key (Ed25519, OpenSSH format); its public half is in known_hosts."""
        path = self.directory / f"{device.name}-ssh.key"
        if not path.exists():
            key = ed25519.Ed25519PrivateKey.generate()
            _write_private(
                path,
                key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
                ),
            )
        return path

    def write_known_hosts(self, devices: tuple[DeviceSpec, ...], path: Path) -> None:
        """Write the known_hosts file for these devices, in OpenSSH's format."""
        lines = []
        for device in devices:
            key = serialization.load_ssh_private_key(self.host_key(device).read_bytes(), None)
            public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
            name = device.address if device.ssh_port == 22 else f"[{device.address}]:{device.ssh_port}"
            lines.append(f"{name} {public.decode()}\n")
        path.write_text("".join(lines), encoding="utf-8")

    def _is_ours(self, certificate_path: Path, device: DeviceSpec) -> bool:
        if device.certificate == "default":
            return True
        issued = x509.load_pem_x509_certificate(certificate_path.read_bytes())
        try:
            issued.verify_directly_issued_by(self._ca_certificate)
        except Exception:  # noqa: BLE001  (any failure of whatever kind means: make a new one)
            return False
        return issued.not_valid_after_utc > dt.datetime.now(dt.UTC)

    def _make_ca(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("switch twins lab CA")
        builder = (
            _builder(name, name, key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        self.ca.parent.mkdir(parents=True, exist_ok=True)
        _write_private(self._ca_key_path, _pem(key))
        self.ca.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _make_server(self, device: DeviceSpec, certificate_path: Path, key_path: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(device.name)
        is_default = device.certificate == "default"
        signer = key if is_default else self._ca_key
        names = [x509.DNSName(device.name), x509.IPAddress(ipaddress.ip_address(device.address))]
        builder = (
            _builder(subject, subject if is_default else self._ca_certificate.subject, key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        )
        _write_private(key_path, _pem(key))
        certificate_path.write_bytes(builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))


def _builder(subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=_VALID_DAYS))
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _load_key(path: Path) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError(f"{path}: expected an elliptic-curve key")
    return key


def _write_private(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
