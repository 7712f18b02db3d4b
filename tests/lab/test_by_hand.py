"""What a hand did at a switch is named with device, port and both values; a push sends the lines of it and no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from at_terminal import ROOT, Operator

pytestmark = pytest.mark.xdist_group("front-site")

EOS, NXOS, NVUE = "front-leaf-g1-a", "front-leaf-g2-b", "front-leaf-g4-a"


@dataclass(frozen=True)
class Fault:
    """One fault: what the hand does, and what follows."""

    device: str
    port: str
    typed: Any
    """Lines in configuration mode; on Cumulus Linux a subtree, or the path of what is deleted."""
    message: str
    """What `validate` says of it, with both values."""
    sent: tuple[str, ...]
    """The lines of the plan."""


def on_bond(**keys: Any) -> dict[str, Any]:
    return {"interface": {"bond1": keys}}


FAULTS = {
    "a VLAN missing on a trunk": (
        Fault(
            EOS,
            "Port-Channel1",
            ("interface Port-Channel1", "switchport trunk allowed vlan 200"),
            "tagged VLANs none here, 300 wanted",
            ("+ interface Port-Channel1 / switchport trunk allowed vlan 300",),
        ),
        Fault(
            NXOS,
            "port-channel1000",
            ("interface port-channel1000", "switchport trunk allowed vlan 1"),
            "tagged VLANs 1 here, 200 wanted",
            (
                "- interface port-channel1000 / switchport trunk allowed vlan 1",
                "+ interface port-channel1000 / switchport trunk allowed vlan 200",
            ),
        ),
        Fault(
            NVUE,
            "bond1",
            on_bond(bridge={"domain": {"br_default": {"access": 999}}}),
            "VLAN 999 here, 310 wanted",
            (
                "- interface / bond1 / bridge / domain / br_default / access: 999",
                "+ interface / bond1 / bridge / domain / br_default / access: 310",
            ),
        ),
    ),
    "another rate of LACP": (
        Fault(
            EOS,
            "Ethernet1",
            ("interface Ethernet1", "lacp timer normal"),
            "LACP rate slow here, fast wanted",
            ("+ interface Ethernet1 / lacp timer fast",),
        ),
        Fault(
            NXOS,
            "Ethernet1/1",
            ("interface Ethernet1/1", "shutdown", "lacp rate normal", "no shutdown"),
            "LACP rate slow here, fast wanted",
            ("+ interface Ethernet1/1 / lacp rate fast",),
        ),
        Fault(
            NVUE,
            "bond1",
            on_bond(bond={"lacp-rate": "slow"}),
            "LACP rate slow here, fast wanted",
            (
                '- interface / bond1 / bond / lacp-rate: "slow"',
                '+ interface / bond1 / bond / lacp-rate: "fast"',
            ),
        ),
    ),
    "the gateway's address on one member alone": (
        Fault(
            EOS,
            "Vlan300",
            ("interface Vlan300", "ip address 10.177.0.1/25"),
            "address 10.177.0.1/25 here, 10.177.0.2/25 wanted",
            (
                "- interface Vlan300 / ip address 10.177.0.1/25",
                "+ interface Vlan300 / ip address 10.177.0.2/25",
            ),
        ),
        Fault(
            NXOS,
            "Vlan200",
            ("interface Vlan200", "ip address 10.176.0.129/25"),
            "address 10.176.0.129/25 here, 10.176.0.131/25 wanted",
            (
                "- interface Vlan200 / ip address 10.176.0.129/25",
                "+ interface Vlan200 / ip address 10.176.0.131/25",
            ),
        ),
        Fault(
            NVUE,
            "vlan310",
            {"interface": {"vlan310": {"ipv4": {"address": {"10.177.1.129/25": {}}}}}},
            "line 'interface / vlan310 / ipv4 / address / 10.177.1.129/25' is not asked for",
            ("- interface / vlan310 / ipv4 / address / 10.177.1.129/25",),
        ),
    ),
    "one line more in a list": (
        Fault(
            EOS,
            "Vlan200",
            ("ip access-list STORAGE-V200-IN", "35 permit tcp any any eq telnet"),
            "line 'ip access-list STORAGE-V200-IN / 35 permit tcp any any eq 23' is not asked for",
            ("- ip access-list STORAGE-V200-IN / 35 permit tcp any any eq 23",),
        ),
        Fault(
            NXOS,
            "Vlan200",
            ("ip access-list STORAGE-V200-IN", "45 permit tcp any any eq telnet"),
            "line 'ip access-list STORAGE-V200-IN / 45 permit tcp any any eq 23' is not asked for",
            ("- ip access-list STORAGE-V200-IN / 45 permit tcp any any eq 23",),
        ),
    ),
    "another MTU": (
        Fault(
            EOS,
            "Vlan300",
            ("interface Vlan300", "mtu 1500"),
            "MTU 1500 here, 9214 wanted",
            ("- interface Vlan300 / mtu 1500", "+ interface Vlan300 / mtu 9214"),
        ),
        Fault(
            NXOS,
            "Vlan200",
            ("interface Vlan200", "mtu 1500"),
            "MTU 1500 here, 9216 wanted",
            ("+ interface Vlan200 / mtu 9216",),
        ),
        Fault(
            NVUE,
            "swp53",
            {"interface": {"swp53": {"link": {"mtu": 1500}}}},
            "MTU 1500 here, 9216 wanted",
            ("- interface / swp53 / link / mtu: 1500", "+ interface / swp53 / link / mtu: 9216"),
        ),
    ),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_made_by_hand_is_one_cause_with_both_values_and_repaired_by_just_its_lines(
    front: Operator, what: str
) -> None:
    try:
        named_and_repaired(front, FAULTS[what])
    finally:
        front.run("push", "--yes")


@pytest.fixture
def lists_on_cumulus_linux(tmp_path: Any) -> Iterator[Operator]:
    """Storage alone, on leaves of Cumulus Linux: their lists of IPv4 are those that flows become."""
    site = yaml.safe_load((ROOT / "tests/sites/front/fabric.yml").read_text())
    del site["planes"]["business"], site["planes"]["compute"], site["fabrics"]["compute"]
    del site["planes"]["storage"]["dhcp_relay"]  # the server is one of business
    site["hosts"] = {name: site["hosts"][name] for name in ("gpu", "storage")}
    site["hosts"]["gpu"]["nics"] = {"storage": site["hosts"]["gpu"]["nics"]["storage"]}
    leaf = site["fabrics"]["front"]["leaf"]
    leaf.update(platform="nvue", release="5.16", model="SN2410", overrides=[])
    (tmp_path / "front").mkdir()
    (tmp_path / "front/fabric.yml").write_text(yaml.safe_dump(site, sort_keys=False))
    operator = Operator(tmp_path / "front", tmp_path / "state")
    operator.start()
    try:
        operator.run("push", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


def test_one_line_more_in_a_list_of_cumulus_linux_is_named_and_repaired(lists_on_cumulus_linux: Operator) -> None:
    match = {"ip": {"protocol": "tcp", "tcp": {"dest-port": {"23": {}}}}}
    rule = {"35": {"action": {"permit": {}}, "match": match}}
    below = "acl / STORAGE-V200-IN / rule / 35"
    tcp = "match / ip / tcp / dest-port"
    within = (
        "action",
        "action / permit",
        "match",
        "match / ip",
        'match / ip / protocol: "tcp"',
        tcp.removesuffix(" / dest-port"),
        tcp,
        f"{tcp} / 23",
    )
    lines = (f"- {below}", *(f"- {below} / {line}" for line in within))
    fault = Fault(
        "front-leaf-g1-a",
        "vlan200",
        {"acl": {"STORAGE-V200-IN": {"rule": rule}}},
        f"line '{below}",
        lines,
    )
    named_and_repaired(lists_on_cumulus_linux, (fault,))


def named_and_repaired(site: Operator, faults: tuple[Fault, ...]) -> None:
    before, hands = site.running(), site.hands()
    for fault in faults:
        hand = hands[fault.device]
        hand.nvue(fault.typed) if hand.os == "nvue" else hand.configure(*fault.typed)
    report = site.json("validate", code=8)
    of_faults = [each for each in report["findings"] if each["id"] in report["causes"]]
    assert {(each["device"], each["port"]) for each in of_faults} == {(fault.device, fault.port) for fault in faults}
    for fault in faults:
        (cause,) = (each for each in of_faults if (each["device"], each["port"]) == (fault.device, fault.port))
        assert cause["message"].startswith(f"{fault.device} {fault.port}")
        assert fault.message in cause["message"]
    devices = site.json("plan", code=0)["devices"]
    sent = {
        name: {f"{each['op']} {' / '.join(each['path'])}" for each in plan["changes"]} for name, plan in devices.items()
    }
    assert {name: lines for name, lines in sent.items() if lines} == {each.device: set(each.sent) for each in faults}
    assert f"{len(faults)} of " in site.run("push", "--yes")
    assert site.running() == before
    report = site.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    assert "0 of " in site.run("push", "--yes")
