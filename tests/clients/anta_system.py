"""ANTA's tests of configuration, software, system and the API's security."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import requests
from anta_client import AntaCase, Fault, Lab, bgp, seeding, typing

LEAF = "leaf-g1-r0"
_API, _VRF, _LIST, _CERTIFICATE = "management api http-commands", "MGMT", "MGMT-ACCESS", "eapi.crt"
"""What day 0 left: the VRF of the API and a list of it; the certificate that the lab's CA signed."""


def _rules(lab: Lab) -> dict[str, Any]:
    """The lines of BGP in the intent's rendering, and the widest ECMP of the design."""
    asn, ways = lab.device(LEAF)["asn"], lab.design["routes"][LEAF]["ecmp_widest"]
    entries: list[dict[str, Any]] = [
        {"match": f"router-id {lab.device(LEAF)['loopback']}"},
        {"match": r"maximum-paths (\d+) ecmp \d+", "mode": "regex", "threshold": {"value": ways}},
    ]
    top = {"entries": [{"match": "ip routing"}, {"match": "ipv6 unicast-routing", "absent": True}]}
    return {"rules": [{"section": [f"router bgp {asn}"], "entries": entries}, top]}


def _lines(lab: Lab) -> dict[str, Any]:
    """Each description of a port that the intent renders."""
    return {"regex_patterns": [f"^ +{line.strip()}$" for line in lab.wanted[LEAF] if " description spine" in line]}


def _certificate(_: Lab) -> dict[str, Any]:
    """The lab's CA signs keys of P-256 for the switch's name."""
    made = {"encryption_algorithm": "ECDSA", "key_size": 256, "expiry_threshold": 30}
    return {"certificates": [{"certificate_name": _CERTIFICATE, "common_name": LEAF, **made}]}


def _wrong_clock(lab: Lab) -> AbstractContextManager[None]:
    """Certificates are judged by the switch's own clock."""
    right = time.strftime("%H:%M:%S %m/%d/%Y", time.gmtime())
    return lab.run_exec(LEAF, "clock set 12:00:00 01/01/2090", f"clock set {right}")


@contextmanager
def _without_power(lab: Lab) -> Iterator[None]:
    """Off and on again; then an operator reloads it, and some time goes by."""
    lab.operator.control.ask("switch-off", device=LEAF)
    lab.operator.control.ask("switch-on", device=LEAF)
    try:
        yield
    finally:
        lab.hands[LEAF].eapi("reload now")
        lab.operator.control.ask("advance-clock", seconds=60)


def _api(lines: list[str], back: list[str]) -> Fault:
    """The API is restarted by such lines and cuts the connection by which they came."""

    @contextmanager
    def fault(lab: Lab) -> Iterator[None]:
        _type(lab, lines)
        try:
            yield
        finally:
            _type(lab, back)

    return fault


def _type(lab: Lab, lines: list[str]) -> None:
    with suppress(requests.ConnectionError):
        lab.hands[LEAF].configure(*lines)


_OTHER_PROFILE = _api(
    [
        "management security",
        "ssl profile OTHER",
        f"certificate {_CERTIFICATE} key eapi.key",
        _API,
        "protocol https ssl profile OTHER",
    ],
    [_API, "protocol https ssl profile EAPI", "management security", "no ssl profile OTHER"],
)
_IN_VRF = [_API, f"vrf {_VRF}"]

CASES = [
    AntaCase(
        "configuration.VerifyRunningConfig",
        LEAF,
        bgp(LEAF, ["maximum-paths 4 ecmp 4"], ["maximum-paths 2 ecmp 2"]),
        "Actual: 4",
        _rules,
    ),
    AntaCase(
        "configuration.VerifyRunningConfigDiffs",
        LEAF,
        typing(
            LEAF,
            ["interface Ethernet9/1", "description typed by hand"],
            ["interface Ethernet9/1", "no description"],
        ),
        r"\+ +description typed by hand",
    ),
    AntaCase(
        "configuration.VerifyRunningConfigLines",
        LEAF,
        typing(
            LEAF,
            ["interface Ethernet63/1", "description somewhere"],
            ["interface Ethernet63/1", "description spine-1 swp1"],
        ),
        "patterns were not found: .*spine-1 swp1",
        _lines,
    ),
    AntaCase(
        "configuration.VerifyZeroTouch",
        LEAF,
        lambda lab: lab.run_exec(LEAF, "zerotouch enable", "zerotouch disable"),
        "ZTP is NOT disabled",
    ),
    AntaCase(
        "software.VerifyEOSVersion",
        LEAF,
        seeding(LEAF, "release", "", "4.30.1F"),
        "EOS version mismatch - Actual: 4.30.1F",
        lambda lab: {"versions": [lab.device(LEAF)["release"]]},
    ),
    AntaCase(
        "software.VerifyEOSExtensions",
        LEAF,
        seeding(LEAF, "extension", "", "tool.rpm"),
        "EOS extensions mismatch - Installed: tool.rpm Configured: Not found",
    ),
    AntaCase("system.VerifyReloadCause", LEAF, _without_power, "Invalid reload cause .*Power Loss"),
    AntaCase("system.VerifyUptime", LEAF, _without_power, "Device uptime is incorrect", lambda _: {"minimum": 5}),
    AntaCase(
        "security.VerifyAPIHttpStatus",
        LEAF,
        _api([_API, "protocol http"], [_API, "no protocol http"]),
        "eAPI HTTP server is enabled globally",
    ),
    AntaCase(
        "security.VerifyAPIHttpsSSL",
        LEAF,
        _OTHER_PROFILE,
        "SSL profile EAPI is misconfigured or invalid",
        lambda _: {"profile": "EAPI"},
    ),
    AntaCase(
        "security.VerifyAPIIPv4Acl",
        LEAF,
        _api([*_IN_VRF, f"ip access-group {_LIST}"], [*_IN_VRF, "no ip access-group"]),
        "eAPI IPv4 ACL.s. count mismatch - Expected: 0 Actual: 1",
        lambda _: {"number": 0, "vrf": _VRF},
    ),
    AntaCase(
        "security.VerifyAPIIPv6Acl",
        LEAF,
        _api([*_IN_VRF, "ipv6 access-group API6"], [*_IN_VRF, "no ipv6 access-group"]),
        "eAPI IPv6 ACL.s. count mismatch - Expected: 0 Actual: 1",
        lambda _: {"number": 0, "vrf": _VRF},
    ),
    AntaCase(
        "security.VerifyAPISSLCertificate", LEAF, _wrong_clock, f"{_CERTIFICATE}.*certificate expired", _certificate
    ),
]
