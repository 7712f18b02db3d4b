"""What a lab's boundary hosts are given by their site: keys, authorities, second factors, certificates.

All of it is made by the lab, stays in its private folder and ends with it. Of a real site this is in group_vars and a
vault.
"""

import base64
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nornir_tasks.lab.machines.commands import run

KEYGEN_TIMEOUT_S = 30.0
PRINCIPAL = "gpufabric"
"""Of the tool's certificate; role bastion's default."""
TOTP_BYTES = 20
"""As long as the digest that codes are made of (RFC 4226)."""
VALID_DAYS = 365


@dataclass(frozen=True, slots=True)
class Credentials:
    """The files of one lab."""

    directory: Path

    @property
    def tool(self) -> Path:
        """Ansible's private key; its certificate is beside it."""
        return self.directory / "tool"

    @property
    def authority(self) -> Path:
        """Private key that signs the tool's certificate."""
        return self.directory / "tool_ca"

    def person(self, name: str) -> Path:
        """A person's private key."""
        return self.directory / "people" / name

    def second_factor(self, name: str) -> str:
        """A person's secret for codes, in base32."""
        return self.person(name).with_suffix(".totp").read_text(encoding="ascii").strip()

    def certificate(self, service: str) -> Path:
        """A published service's certificate and key."""
        return self.directory / "services" / f"{service}.pem"

    def make(self, people: Iterable[str], services: Iterable[str]) -> None:
        """Whatever is not there yet."""
        for folder in ("people", "services"):
            (self.directory / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        for key in (self.authority, self.tool):
            generate(key)
        signed = self.tool.with_name("tool-cert.pub")
        if not signed.exists():
            public = self.tool.with_suffix(".pub")
            sign = ["ssh-keygen", "-q", "-s", str(self.authority), "-I", "lab", "-n", PRINCIPAL, str(public)]
            run(sign, KEYGEN_TIMEOUT_S)
        for name in people:
            generate(self.person(name))
            secret = self.person(name).with_suffix(".totp")
            if not secret.exists():
                _write_private(secret, base64.b32encode(secrets.token_bytes(TOTP_BYTES)).decode())
        for service in services:
            if not self.certificate(service).exists():
                _write_private(self.certificate(service), _self_signed(service))


def public(key: Path) -> str:
    """The public half of a private key's file: kind and key."""
    return " ".join(Path(f"{key}.pub").read_text(encoding="utf-8").split()[:2])


def generate(key: Path) -> None:
    """An ed25519 key pair, if there is none yet."""
    if not Path(f"{key}.pub").exists():
        key.unlink(missing_ok=True)
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", str(key)], KEYGEN_TIMEOUT_S)


def _self_signed(service: str) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{service}.lab.invalid")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(hours=1))
    made = made.not_valid_after(now + timedelta(days=VALID_DAYS))
    names = x509.SubjectAlternativeName([x509.DNSName(f"{service}.lab.invalid")])
    signed = made.add_extension(names, critical=False).sign(key, hashes.SHA256())
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return signed.public_bytes(serialization.Encoding.PEM).decode() + secret.decode()


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
