"""The site's CA at work: the server's own certificate, and those that switches ask for at first boot."""

import datetime as dt
import hashlib
import os
import ssl
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from nornir_tasks.errors import LocalError, Problem, words_of

VALID_DAYS = 365
"""A switch's certificate is exchanged before: the base configuration's job, not day 0's."""
_SERVER_VALID_DAYS = 2
_MIN_RSA_BITS = 2048
_CLOCKS_DIFFER = dt.timedelta(hours=24)
"""A factory switch's clock may be behind; NTP comes with the configuration."""


class RequestError(ValueError):
    """A signing request that gets no certificate; the text says why."""


class Authority:
    """A CA with its key: ``ca.pem``, and ``ca.key`` beside it."""

    def __init__(self, certificate: Path) -> None:
        key = certificate.with_suffix(".key")
        hint = "nornir day0 serve signs with the CA's key: put it beside the certificate, mode 0600, or serve otherwise"
        try:
            self._key: Any = serialization.load_pem_private_key(key.read_bytes(), None)
            self._certificate = x509.load_pem_x509_certificate(certificate.read_bytes())
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise LocalError(Problem(str(key), f"the CA's key cannot be used: {words_of(error)}", hint=hint)) from error
        if self._key.public_key() != self._certificate.public_key():
            raise LocalError(Problem(str(key), "not the key of the CA's certificate", str(certificate), hint=hint))

    def signed(self, request: bytes, name: str, addresses: Iterable[str]) -> bytes:
        """A switch's certificate, PEM. Its names come from the design; of the request only the key is taken.

        Raises RequestError for what is no request of this switch, and for a key that is too weak.
        """
        try:
            csr = x509.load_pem_x509_csr(request)
            is_own = csr.is_signature_valid
            key = csr.public_key()
        except (ValueError, InvalidSignature, UnsupportedAlgorithm) as error:
            raise RequestError(f"not a signing request: {error}") from error
        names = [str(each.value) for each in csr.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
        if not is_own:
            raise RequestError("the request is not signed with the key that it holds")
        if names != [name]:
            raise RequestError(f"the request is for {', '.join(names) or 'no name'}, not for {name}")
        if isinstance(key, rsa.RSAPublicKey) and key.key_size < _MIN_RSA_BITS:
            raise RequestError(f"a key of {key.key_size} bits is too weak: {_MIN_RSA_BITS} at least")
        if not isinstance(key, rsa.RSAPublicKey | ec.EllipticCurvePublicKey):
            raise RequestError("a key of another kind than RSA or elliptic curves")
        return self._issue(key, name, addresses, VALID_DAYS)

    def server_context(self, address: str, folder: Path) -> ssl.SSLContext:
        """A TLS context of the server at this address, with a key of its own that does not outlive the folder."""
        key = ec.generate_private_key(ec.SECP256R1())
        file = folder / "server.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as made:
            made.write(private + self._issue(key.public_key(), "day0", [address], _SERVER_VALID_DAYS))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(file)
        return context

    def _issue(self, key: Any, name: str, addresses: Iterable[str], days: int) -> bytes:  # noqa: ANN401 - any kind
        now = dt.datetime.now(dt.UTC)
        known = [x509.IPAddress(ip_address(each)) for each in dict.fromkeys(addresses)]
        algorithm = (
            None if isinstance(self._key, ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey) else hashes.SHA256()
        )
        made = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(self._certificate.subject)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _CLOCKS_DIFFER)
            .not_valid_after(now + dt.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(name), *known]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._certificate.public_key()),  # type: ignore[arg-type]
                critical=False,
            )
        )
        return made.sign(self._key, algorithm).public_bytes(serialization.Encoding.PEM)


def fingerprint(certificate: bytes) -> str:
    """SHA-256 of a certificate in PEM, hex, as ``nornir trust`` shows it."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.decode())).hexdigest()
