"""certificates.py FOLDER: an authority and what it signed: files with certificate and key, good and bad ones."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

NOW = datetime.now(UTC)


def name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def signed(
    common: str, key: ec.EllipticCurvePrivateKey, issuer: str, by: ec.EllipticCurvePrivateKey, days: int
) -> x509.Certificate:
    made = x509.CertificateBuilder().subject_name(name(common)).issuer_name(name(issuer)).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number())
    made = made.not_valid_before(NOW - timedelta(days=30)).not_valid_after(NOW + timedelta(days=days, hours=1))
    made = made.add_extension(x509.BasicConstraints(ca=key is by, path_length=None), critical=True)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(common)]), critical=False)
    return made.sign(by, SHA256())


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = signed("authority", authority, "authority", authority, 300)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "authority.pem").write_bytes(root.public_bytes(Encoding.PEM))
    for file, days, its in (
        ("portal", 90, secret),
        ("mail", 90, secret),
        ("soon", 5, secret),
        ("other_key", 90, other),
    ):
        made = signed("portal" if file != "mail" else "mail", key, "authority", authority, days)
        (folder / f"{file}.pem").write_bytes(made.public_bytes(Encoding.PEM) + its)


main()
