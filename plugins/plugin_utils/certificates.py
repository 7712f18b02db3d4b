"""Certificates of published services that clients would refuse today or soon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509.oid import NameOID

REMEDY = "certificate, those of its issuers, and key in one file"
SOON = "give a new one, or load_balancer_certificate_days"


def certificate_problems(
    given: Mapping[str, str],
    with_tls: Sequence[str],
    contents: Mapping[str, str],
    there: Mapping[str, str],
    days: int,
    now_s: float,
) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`; never what is in a key.

    ``given``: service -> file where Ansible runs; ``contents``: file -> PEM, key included, of those that are there.
    ``there``: service -> certificates that the host has already, without keys, empty where it has none.
    ``with_tls``: services that need one. ``now_s``: seconds since 1970.
    """
    now = datetime.fromtimestamp(now_s, UTC)
    found = []
    for service in with_tls:
        if service in given:
            where = f"load_balancer_certificates {service}"
            path = given[service]
            found += _of_given(where, path, contents[path], days, now) if path in contents else [_no_file(where, path)]
        elif not there.get(service):
            found.append(_none(service))
        else:
            path = f"/etc/haproxy/certificates/{service}.pem"
            found += _of_chain(f"load_balancer_published {service}", path, there[service], days, now)
    for service in given:
        if service not in with_tls:
            known = ", ".join(with_tls) or "none"
            found.append(
                f"load_balancer_certificates {service}: no published service that ends TLS, but {known}; take it out"
            )
    return found


def _no_file(where: str, path: str) -> str:
    return f"{where}: no file {path} where Ansible runs; {REMEDY}"


def _none(service: str) -> str:
    path = f"/etc/haproxy/certificates/{service}.pem"
    return f"load_balancer_certificates: none for {service}, and the host has no {path}; name a file: {REMEDY}"


def _of_given(where: str, path: str, pem: str, days: int, now: datetime) -> Iterator[str]:
    yield from _of_chain(where, path, pem, days, now)
    try:
        key = load_pem_private_key(_key_of(pem), password=None)
    except (ValueError, TypeError):
        yield f"{where}: no key in {path} that can be read without a passphrase; {REMEDY}"
        return
    try:
        first = x509.load_pem_x509_certificates(pem.encode())[0]
    except ValueError:
        return  # told by _of_chain
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if key.public_key().public_bytes(*form) != first.public_key().public_bytes(*form):
        yield f"{where}: the key in {path} is not that of its first certificate; {REMEDY}"


def _key_of(pem: str) -> bytes:
    """The part of a file that is a key."""
    lines, inside = [], False
    for line in pem.splitlines():
        if line.startswith("-----BEGIN ") and line.endswith("PRIVATE KEY-----"):
            inside = True
        if inside:
            lines.append(line)
        if line.startswith("-----END "):
            inside = False
    return "\n".join(lines).encode()


def _of_chain(where: str, path: str, pem: str, days: int, now: datetime) -> Iterator[str]:
    try:
        chain = x509.load_pem_x509_certificates(pem.encode())
    except ValueError:
        yield f"{where}: no certificate in {path} that can be read; {REMEDY}"
        return
    for each in chain:
        left = each.not_valid_after_utc - now
        ends = f"{each.not_valid_after_utc:%Y-%m-%d}"
        whose = f"the certificate of {_subject(each)} in {path}"
        if each.not_valid_before_utc > now:
            yield f"{where}: {whose} is valid from {each.not_valid_before_utc:%Y-%m-%d} on; wait, or correct the clock"
        if left < timedelta(0):
            yield f"{where}: {whose} has expired on {ends}; give a new one"
        elif left < timedelta(days=days):
            yield f"{where}: {whose} expires in {left.days} days, on {ends}; {SOON}"


def _subject(each: x509.Certificate) -> str:
    names = each.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else each.subject.rfc4514_string() or "no name"
