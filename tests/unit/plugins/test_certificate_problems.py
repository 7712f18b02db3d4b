"""Certificates that clients would refuse, today or soon, are found before they are in place; keys are never shown."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from ansible_collections.gpufabric.host.plugins.filter.certificate_problems import certificate_problems

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
HINT = "certificate, those of its issuers, and key in one file"


@cache
def key(which: int = 1) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(which, ec.SECP256R1())


def of_key(which: int = 1, encryption: KeySerializationEncryption | None = None) -> str:
    return key(which).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption()).decode()


def certificate(days: float, begins_days: float = -30, common: str = "portal.example") -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key().public_key())
    made = made.serial_number(1).not_valid_before(NOW + timedelta(days=begins_days))
    signed = made.not_valid_after(NOW + timedelta(days=days)).sign(key(), SHA256())
    return signed.public_bytes(Encoding.PEM).decode()


def problems(
    contents: Mapping[str, str],
    given: Mapping[str, str] | None = None,
    there: Mapping[str, str] | None = None,
    with_tls: Sequence[str] = ("portal",),
) -> list[str]:
    of = {"portal": "p.pem"} if given is None else given
    return certificate_problems(of, with_tls, contents, there or {}, 14, NOW.timestamp())


@pytest.mark.parametrize("days", [14, 14.01, 400])
def test_a_certificate_with_days_left_and_its_key_is_taken_in_any_order(days: float) -> None:
    assert problems({"p.pem": certificate(days) + of_key()}) == []
    assert problems({"p.pem": of_key() + certificate(days)}) == []


@pytest.mark.parametrize("days", [13.99, 5.5, 0.01])
def test_one_that_ends_within_days_is_refused(days: float) -> None:
    (problem,) = problems({"p.pem": certificate(days) + of_key()})
    assert problem == (
        f"load_balancer_certificates portal: the certificate of portal.example in p.pem expires in {int(days)} days, "
        f"on {NOW + timedelta(days=days):%Y-%m-%d}; give a new one, or load_balancer_certificate_days"
    )


def test_one_that_has_ended_or_not_begun_is_refused() -> None:
    (ended,) = problems({"p.pem": certificate(-1) + of_key()})
    assert "has expired on 2027-02-28; give a new one" in ended
    (early,) = problems({"p.pem": certificate(90, begins_days=2) + of_key()})
    assert "is valid from 2027-03-03 on; wait, or correct the clock" in early


def test_an_issuer_that_ends_is_refused_as_well() -> None:
    (problem,) = problems({"p.pem": certificate(90) + certificate(3, common="issuer") + of_key()})
    assert "the certificate of issuer in p.pem expires in 3 days" in problem


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (of_key(2), "the key in p.pem is not that of its first certificate"),
        ("", "no key in p.pem that can be read without a passphrase"),
        (of_key(1, BestAvailableEncryption(b"word")), "no key in p.pem that can be read without a passphrase"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no key in p.pem that can be read"),
    ],
)
def test_a_key_that_does_not_fit_is_refused_and_not_shown(text: str, says: str) -> None:
    (problem,) = problems({"p.pem": certificate(90) + text})
    assert says in problem
    assert all(line not in problem for line in text.splitlines() if line)


def test_a_file_without_a_certificate_and_a_file_that_is_not_there_are_said_together() -> None:
    found = problems({"p.pem": "no"}, {"portal": "p.pem", "mail": "m.pem"}, with_tls=("portal", "mail"))
    assert found == [
        f"load_balancer_certificates portal: no certificate in p.pem that can be read; {HINT}",
        f"load_balancer_certificates portal: no key in p.pem that can be read without a passphrase; {HINT}",
        f"load_balancer_certificates mail: no file m.pem where Ansible runs; {HINT}",
    ]


def test_what_the_host_has_already_is_judged_by_its_certificates_alone() -> None:
    assert problems({}, {}, {"portal": certificate(90)}) == []
    (problem,) = problems({}, {}, {"portal": certificate(3)})
    assert "in /etc/haproxy/certificates/portal.pem expires in 3 days" in problem
    (problem,) = problems({}, {}, {"portal": ""})
    assert problem.startswith("load_balancer_certificates: none for portal, and the host has no /etc/haproxy/")


def test_a_certificate_of_no_service_is_refused() -> None:
    (problem,) = problems({"p.pem": certificate(90) + of_key()}, with_tls=())
    assert problem == "load_balancer_certificates portal: no published service that ends TLS, but none; take it out"
