"""A relay is judged for what the intent asks it for, and for the proxy's addresses with the other relay."""

import hashlib
from typing import Any

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.boundary_parts import FACT, files, units
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.host_suite import HostReport, judge_host, requests, roles

PROXY = {"shared": "203.0.113.78/27", "shared_v6": "2001:db8:101::4e/64"}


def variables(**changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "boundary_relay_clients": ["10.177.0.0/16"],
        "boundary_relay_port": "dmz",
        "boundary_relay_address": "203.0.113.76/27",
        "boundary_relay_address_v6": "2001:db8:101::4c/64",
        "boundary_relay_dns": {"forwarders": [], "dnssec": True},
        "boundary_relay_ntp": {"servers": ["192.0.2.123"]},
        "boundary_relay_proxy": PROXY,
        **changes,
    }
    return {**found, "host_validate_generated": {path: path for path in files(found)}}


def facts(values: dict[str, Any], **changes: Any) -> dict[str, Any]:
    own = ["203.0.113.76/27", "2001:db8:101::4c/64"]
    found = {
        "ports": {"dmz": {"up": True, "carrier": True, "mac": "", "addresses": own}},
        "wire": {"dmz": {each.partition("/")[0]: True for each in PROXY.values()}},
        "routes": [],
        "files": {path: hashlib.sha256(path.encode()).hexdigest() for path in files(values)},
        "units": dict.fromkeys(units(values), "enabled, active"),
        "settings": {},
        "strangers": [],
    }
    return {FACT: {**found, **changes}}


def judged(values: dict[str, Any], **changes: Any) -> HostReport:
    return judge_host(HostEvidence("relay-2", values, facts(values, **changes), {}))


def test_a_relay_without_the_proxys_addresses_passes_while_the_other_one_has_them() -> None:
    report = judged(variables())
    assert [str(each) for each in report.findings if each.verdict is not Verdict.PASS] == []
    assert len(report.findings) == 7 + 4 + 3 + 3
    assert roles(variables()) == ("boundary_relay", "host_validate")


def test_a_proxys_address_that_nobody_has_is_named() -> None:
    (failed,) = judged(variables(), wire={"dmz": {"203.0.113.78": False, "2001:db8:101::4e": True}}).of(Verdict.FAIL)
    assert (failed.name, failed.found) == ("proxy 203.0.113.78", "on neither")


def test_what_the_intent_does_not_ask_a_relay_for_is_not_judged() -> None:
    values = variables(boundary_relay_proxy=None, boundary_relay_ntp=None)
    assert set(files(values)) == {"/etc/unbound/unbound.conf"}
    assert units(values) == ("unbound.service",)
    assert {each.check for each in judged(values).findings} == {
        "boundary_files", "boundary_services", "boundary_addresses",
    }  # fmt: skip
    (request,) = requests(values)
    assert request.arguments["shared"] == {}
