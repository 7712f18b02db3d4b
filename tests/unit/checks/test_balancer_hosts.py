"""A load balancer, on machines of its own or on the firewalls: each wrong knob is named, certificates by their days."""

import hashlib
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.boundary_parts import files, shared, units
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.host_suite import HostReport, judge_host, requests, roles
from nornir_tasks.design.hosts.load_balancer_vars import load_balancer_host_vars
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.platforms import platforms
from tests.unit.checks.right_boundary import SITE

NOW = datetime(2026, 11, 28, tzinfo=UTC)
PATH = "/etc/haproxy/certificates/gpufabric-portal.pem"
SYSCTL = "/etc/sysctl.d/60-gpufabric-load-balancer.conf"
TEXTS = {
    "/etc/haproxy/haproxy.cfg": "global\n",
    "/etc/keepalived/keepalived.conf": "global_defs {\n}\n",
    "/etc/systemd/system/keepalived.service.d/gpufabric-load-balancer.conf": "[Service]\n",
    SYSCTL: "net.ipv4.ip_nonlocal_bind = 1\n",
}
PUBLISHED = ("203.0.113.70/32", "2001:db8:101::46/128")


@cache
def certificate(first_day: int, last_day: int) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "portal.example.org")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(NOW + timedelta(first_day)).not_valid_after(NOW + timedelta(last_day))
    return made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()


@cache
def _designed() -> dict[str, Any]:
    intent = load_intent(SITE)
    known = {name: each.facts for name, each in platforms().items()}
    return load_balancer_host_vars(intent, design(intent, load_catalogue(), known))["balancer-1"].ansible()


def variables(**changes: Any) -> dict[str, Any]:
    given = {"load_balancer_certificates": {"portal": "portal.pem"}, "load_balancer_certificate_days": 14}
    return {**_designed(), **given, "host_validate_generated": dict(TEXTS), **changes}


def facts(pem: str | None = "", **changes: Any) -> dict[str, Any]:
    own = ["203.0.113.72/27", "2001:db8:101::48/64"]
    found = {
        "ports": {"dmz": {"up": True, "carrier": True, "mac": "", "addresses": [*own, *PUBLISHED]}},
        "wire": {"dmz": {each.partition("/")[0]: False for each in PUBLISHED}},
        "routes": [],
        "files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in TEXTS.items()},
        "tables": {},
        "counters": {},
        "strangers": [],
        "units": dict.fromkeys(("haproxy.service", "keepalived.service"), "enabled, active"),
        "settings": {"net.ipv4.ip_nonlocal_bind": "1"},
        "connections": {},
        "logs": {},
        "certificates": {PATH: certificate(-10, 90) if pem == "" else pem},
        "now_s": int(NOW.timestamp()),
    }
    return {"gpufabric_boundary": {**found, **changes}}


def judged(found: dict[str, Any], values: dict[str, Any] | None = None) -> HostReport:
    return judge_host(HostEvidence("balancer-1", values or variables(), found, {}))


def test_a_right_balancer_passes() -> None:
    report = judged(facts())
    assert [str(each) for each in report.findings if each.verdict is not Verdict.PASS] == []
    # files, services, a setting, link and two addresses, all shared ones together and each, a certificate
    assert len(report.findings) == 4 + 2 + 1 + 3 + 3 + 1


@pytest.mark.parametrize(
    ("pem", "found"),
    [
        (certificate(-10, 13), "13 days left"),
        (certificate(-30, -2), "ended 2 days ago"),
        (certificate(1, 90), "not valid yet"),
        (certificate(-10, 90) + certificate(-30, 3), "3 days left"),
        (None, "no such file"),
    ],
    ids=["ends soon", "has ended", "begins later", "an issuer ends soon", "no file"],
)
def test_a_certificate_that_clients_refuse_soon_is_named_with_its_days(pem: str | None, found: str) -> None:
    report = judged(facts(pem))
    (failed,) = report.of(Verdict.FAIL)
    assert (failed.check, failed.subject, failed.found) == ("host_certificates", "portal", found)
    assert not report.of(Verdict.ERROR)


def test_what_is_no_certificate_is_untold() -> None:
    (untold,) = judged(facts("none")).of(Verdict.ERROR)
    assert untold.why == f"no certificate in {PATH} can be read"


def test_a_certificate_that_the_host_has_already_is_looked_for_where_it_is() -> None:
    (request,) = requests(variables(load_balancer_certificates={}))
    assert request.arguments["certificates"] == ["/etc/haproxy/certificates/portal.pem"]
    assert request.arguments["shared"] == {"dmz": ["203.0.113.70", "2001:db8:101::46"]}


def test_published_addresses_on_both_are_named() -> None:
    wire = {"dmz": {"203.0.113.70": True, "2001:db8:101::46": False}}
    (failed,) = judged(facts(wire=wire)).of(Verdict.FAIL)
    assert (failed.name, failed.found) == ("published 203.0.113.70", "on both")


def test_where_the_firewalls_are_the_balancers_keepalived_and_addresses_are_theirs() -> None:
    values = variables(load_balancer_shares=False, load_balancer_address=None, load_balancer_address_v6=None)
    assert "/etc/keepalived/keepalived.conf" not in files(values)
    assert units(values) == ("haproxy.service",)
    assert shared(values) == ()
    report = judged(facts(), values)
    assert report.passed
    assert len(report.findings) == 2 + 1 + 1 + 1


def test_roles_are_those_that_the_host_has() -> None:
    assert roles(variables()) == ("load_balancer", "host_validate")
