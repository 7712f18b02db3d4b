"""The routed lab of a site with four planes, of which compute is routed: judged by the kernel, changed, rewired."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_terminal import ROOT, Operator
from by_hand import Hand
from routed_lab import RoutedLab, first_finding, needs_root, on_this_machine, until

from nornir_tasks.design.capacity.ecmp_hash_model import even, fullest
from nornir_tasks.usecases.site import SiteDesign, load

pytestmark = needs_root
FLOWS, PACKETS = 64, 8
"""A flow's path is chosen by its hash: that 64 flows all take one of two paths happens once in 2^63 tries."""
_SEND = """
import socket, sys
for port in range(40000, 40000 + {flows}):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("{source}", port))
        for _ in range({packets}):
            one.sendto(b"x" * 64, ("{target}", 4791))
"""
_COUNTED = "/proc/net/snmp"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    operator = Operator(ROOT / "inventory/lab", tmp_path_factory.mktemp("routed"))
    try:
        operator.run("lab", "up", "--routed", "--plane", "compute")
        operator.run("push", "--plane", "compute", "--yes")
        yield RoutedLab(operator)
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


@pytest.fixture(scope="module")
def design(lab: RoutedLab) -> SiteDesign:
    return load(lab.operator.site)


@pytest.fixture(autouse=True)
def _converged(lab: RoutedLab) -> None:
    until(lab.assert_both_tiers_agree)


def test_validate_finds_everything_as_designed(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    output = lab.operator.run("validate", "--plane", "compute")
    assert re.search(r"passed, tested (\d+) of \1\b", output)
    figure(f"routed lab of {len(lab.switches)} switches: {output.strip().splitlines()[-2]}")


def test_a_second_push_changes_nothing(lab: RoutedLab) -> None:
    kernel = {name: lab.kernel(name) for name in lab.switches}
    assert "0 of 10 changed" in lab.operator.run("push", "--plane", "compute", "--yes")
    assert {name: lab.kernel(name) for name in lab.switches} == kernel


def test_every_leaf_has_exactly_the_next_hops_that_the_design_gives_it(lab: RoutedLab, design: SiteDesign) -> None:
    network = design.network
    underlay = [each for each in network.circuits if each.is_underlay and each.link.fabric == "compute"]
    leaves = {each.link.lower.device for each in underlay}
    assert len(leaves) == 8
    for leaf in leaves:
        up = {each.link.upper.device: each.upper_address for each in underlay if each.link.lower.device == leaf}
        wanted = {f"10.{168 + rail}.0.0/24": set(up.values()) for rail in range(8)}
        wanted |= {str(network.device(other).loopback): set(up.values()) for other in leaves}
        wanted |= {str(network.device(spine).loopback): {address} for spine, address in up.items()}
        rail = int(leaf.rpartition("r")[2])
        for own in (f"10.{168 + rail}.0.0/24", str(network.device(leaf).loopback)):
            del wanted[own]
        assert lab.kernel(leaf) == wanted, leaf


def test_packets_between_hosts_cross_every_spine(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    spines = ("spine-1", "spine-2")
    before = {spine: _sent(lab, spine, "swp2") for spine in spines}
    arrived = _received(lab, "gpu-2")
    script = _SEND.format(flows=FLOWS, packets=PACKETS, source="10.168.0.1", target="10.169.0.3")
    lab.inside("gpu-1", "python3", "-", text=script)
    until(lambda: _received(lab, "gpu-2") - arrived >= FLOWS * PACKETS, 10.0)
    crossed = {spine: _sent(lab, spine, "swp2") - before[spine] for spine in spines}
    by_chance = fullest(FLOWS, even(len(spines)))
    figure(
        f"{FLOWS * PACKETS} probes of {FLOWS} flows crossed {crossed}: {max(crossed.values()) / PACKETS:.1f} on the "
        f"fuller one; by chance {by_chance.expected:.1f}, in 99 of 100 cases at most {by_chance.rare}"
    )
    assert min(crossed.values()) > PACKETS


def _sent(lab: RoutedLab, spine: str, port: str) -> int:
    (shown,) = json.loads(lab.inside(spine, "ip", "-json", "-s", "link", "show", port))
    return int(shown["stats64"]["tx"]["packets"])


def _received(lab: RoutedLab, host: str) -> int:
    """Datagrams that reached the host, wanted there or not (RFC 4113, udpInDatagrams and udpNoPorts)."""
    names, values = (
        row.split()[1:] for row in lab.inside(host, "cat", _COUNTED).splitlines() if row.startswith("Udp: ")
    )
    found = dict(zip(names, map(int, values), strict=True))
    return found["InDatagrams"] + found["NoPorts"]


def test_a_wrong_as_number_by_hand_keeps_the_session_down_in_frr(lab: RoutedLab) -> None:
    leaf = lab.operator.hands()["leaf-g1-r0"]
    others = {name: up for name, up in lab.established("leaf-g1-r0").items() if name != "10.160.0.0"}
    leaf.configure("router bgp 4200000000", "neighbor 10.160.0.0 remote-as 4200099000")
    try:
        until(lambda: "Bad Peer AS" in _reason(lab, "leaf-g1-r0", "10.160.0.0"), 120.0)
        assert {**others, "10.160.0.0": False} == lab.established("leaf-g1-r0")
        shown = leaf.shown("show ip bgp summary")["vrfs"]["default"]["peers"]
        assert shown["10.160.0.0"]["peerState"] != "Established"
        assert shown["10.160.0.2"]["peerState"] == "Established"
        assert lab.kernel("leaf-g1-r0")["10.169.0.0/24"] == {"10.160.0.2"}
        first = first_finding(lab.operator)
        assert "10.160.0.0" in str(first) and "4200099000" in str(first)
    finally:
        leaf.configure("router bgp 4200000000", "neighbor 10.160.0.0 remote-as 4200099998")
    until(lambda: lab.established("leaf-g1-r0")["10.160.0.0"])


def _reason(lab: RoutedLab, switch: str, neighbor: str) -> str:
    return next(str(each["reason"]) for each in lab.ask("sessions", device=switch) if each["neighbor"] == neighbor)


def test_a_commit_that_is_not_confirmed_is_undone_in_frr_and_disturbs_no_other_session(lab: RoutedLab) -> None:
    leaf = lab.operator.hands()["leaf-g1-r0"]
    drained = ("route-map COMPUTE-OUT permit 10", "set as-path prepend 4200000000 4200000000")
    before = _flaps(lab, "leaf-g1-r0")
    leaf.eapi("configure session drill", *drained, "commit timer 00:10:00")
    until(lambda: _path(lab, "leaf-g1-r2", "10.168.0.0/24").count(4200000000) == 3)
    lab.ask("advance-clock", seconds=601)
    until(lambda: _path(lab, "leaf-g1-r2", "10.168.0.0/24").count(4200000000) == 1)
    assert _flaps(lab, "leaf-g1-r0") == before


def _path(lab: RoutedLab, switch: str, prefix: str) -> list[int]:
    return list(lab.ask("rib", device=switch)[prefix]["as_path"])


def _flaps(lab: RoutedLab, switch: str) -> dict[str, int]:
    """How often each session came up, as FRR counts."""
    found = json.loads(_vtysh(lab, switch, "show bgp neighbors json"))
    return {
        name: each["connectionsEstablished"] for name, each in found.items() if ":" not in name and name[0].isdigit()
    }


def _vtysh(lab: RoutedLab, switch: str, command: str) -> str:
    folder = f"/run/gpufabric/{lab.name}/{lab.switches.index(switch)}"
    return lab.inside(switch, "vtysh", "--vty_socket", folder, "--config_dir", folder, "-c", command)


def test_swapped_cables_are_seen_by_lldp_and_by_bgp(lab: RoutedLab) -> None:
    links = [each for each in lab.ask("status")["cables"] if each.startswith(("leaf-g1-r0-", "leaf-g1-r2-"))]
    first, second = _uplinks_of(lab, "leaf-g1-r0")[0], _uplinks_of(lab, "leaf-g1-r2")[0]
    assert links or first
    heard = _heard(lab, "leaf-g1-r0")
    lab.operator.run("lab", "swap", first, second)
    try:
        assert _heard(lab, "leaf-g1-r0") != heard
        until(lambda: not lab.established("leaf-g1-r0")["10.160.0.0"])
        first_found = str(first_finding(lab.operator))
        assert "swap the ends of" in first_found and first in first_found and second in first_found
    finally:
        lab.operator.run("lab", "mend")
    assert _heard(lab, "leaf-g1-r0") == heard
    until(lab.assert_both_tiers_agree)


def _heard(lab: RoutedLab, switch: str) -> list[tuple[str, str, str]]:
    return [(each["port"], each["device"], each["far_port"]) for each in lab.ask("lldp", device=switch)]


def _uplinks_of(lab: RoutedLab, leaf: str) -> list[str]:
    cables = lab.ask("status")["cables"].items()
    ends = ((name, {cable["a"][0], cable["b"][0]}) for name, cable in cables)
    return sorted(name for name, devices in ends if leaf in devices and devices & {"spine-1", "spine-2"})


def test_a_line_without_a_counterpart_stops_the_switch_from_routing_and_is_named(lab: RoutedLab) -> None:
    leaf = lab.operator.hands()["leaf-g1-r1"]
    leaf.configure("route-map COMPUTE-IN permit 10", "set metric 50")
    try:
        (line,) = lab.ask("routing", device="leaf-g1-r1")["refused"]
        assert "set metric 50" in line and "route-map COMPUTE-IN permit 10" in line
        until(lambda: not any(lab.established("spine-1")[peer] for peer in ("10.161.0.1",)))
        assert not any(lab.established("leaf-g1-r1").values())
        assert line in lab.operator.run("lab", "status")
    finally:
        leaf.configure("route-map COMPUTE-IN permit 10", "no set metric 50")
        leaf.nxapi("copy running-config startup-config")
    assert lab.ask("routing", device="leaf-g1-r1")["refused"] == []


def test_a_switch_without_power_is_gone_and_comes_back(lab: RoutedLab) -> None:
    lab.ask("switch-off", device="spine-2")
    try:
        until(lambda: set().union(*lab.kernel("leaf-g1-r0").values()) == {"10.160.0.0"})
    finally:
        lab.ask("switch-on", device="spine-2")
    until(lab.assert_both_tiers_agree)


def test_a_cut_cable_leaves_the_other_spine(lab: RoutedLab) -> None:
    cable = _uplinks_of(lab, "leaf-g1-r0")[0]
    lab.ask("cut-cable", cable=cable)
    began = time.monotonic()
    try:
        until(lambda: len(set().union(*lab.kernel("leaf-g1-r0").values())) == 1)
        until(lab.assert_both_tiers_agree)
    finally:
        lab.ask("mend-cable", cable=cable)
    assert time.monotonic() - began < 60
    until(lambda: len(lab.kernel("leaf-g1-r0")["10.169.0.0/24"]) == 2)  # both again, in the kernel too


def test_a_bgp_daemon_that_is_gone_is_said_and_the_next_commit_starts_it(lab: RoutedLab) -> None:
    leaf = lab.operator.hands()["leaf-g1-r2"]
    daemon = Path(f"/run/gpufabric/{lab.name}/{lab.switches.index('leaf-g1-r2')}/bgpd.pid")
    os.kill(int(daemon.read_text()), signal.SIGKILL)
    until(lambda: "does not answer" in _reason(lab, "leaf-g1-r2", "10.162.0.0"))
    assert leaf.shown("show ip bgp summary")["vrfs"]["default"]["peers"]["10.162.0.0"]["peerState"] != "Established"
    leaf.configure("ip prefix-list DRILL", "seq 10 permit 198.18.0.0/15")
    try:
        until(lambda: all(lab.established("leaf-g1-r2").values()))
    finally:
        leaf.configure("no ip prefix-list DRILL")


def test_bfd_is_shown_as_frr_has_it(lab: RoutedLab) -> None:
    hands = lab.operator.hands()
    until(lambda: set(_bfd_of_eos(hands["leaf-g1-r0"]).values()) == {"up"})
    assert list(_bfd_of_eos(hands["leaf-g1-r0"])) == ["10.160.0.0", "10.160.0.2"]
    rows = hands["leaf-g1-r1"].shown("show bfd neighbors")["TABLE_bfdNeighbor"]["ROW_bfdNeighbor"]
    assert [(each["dest_ip_addr"], each["state"]) for each in rows] == [("10.161.0.0", "Up"), ("10.161.0.2", "Up")]
    assert _status_in_frr(lab, "leaf-g1-r0") == {"10.160.0.0": "up", "10.160.0.2": "up"}


def _bfd_of_eos(leaf: Hand) -> dict[str, str]:
    found = leaf.shown("show bfd peers")["vrfs"]["default"]["ipv4Neighbors"]
    return {peer: each["status"] for peer, entry in sorted(found.items()) for each in entry["peerStats"].values()}


def _status_in_frr(lab: RoutedLab, switch: str) -> dict[str, str]:
    return {each["peer"]: each["status"] for each in json.loads(_vtysh(lab, switch, "show bfd peers json"))}


def test_lldp_is_what_the_kernel_has_plugged_in(lab: RoutedLab, design: SiteDesign) -> None:
    for link in design.network.links:
        if {link.lower.device, link.upper.device} <= set(lab.switches):
            assert (link.lower.port, link.upper.device, link.upper.port) in _heard(lab, link.lower.device)


def test_nvue_shows_what_frr_and_the_kernel_have_whatever_the_lab_did_not_do(lab: RoutedLab) -> None:
    """Somebody shuts a port in the kernel, behind the back of the lab and of the switch."""
    spine, port, peer = lab.operator.hands()["spine-1"], "swp5", "10.164.0.1"

    def sessions() -> dict[str, bool]:
        found = spine.shown("vrf/default/router/bgp/neighbor")
        return {name: each["state"] == "established" for name, each in found.items()}

    def assert_all_is_up(*, but: str = "") -> None:
        expected = {name: name != but for name in lab.established("spine-1")}
        assert sessions() == lab.established("spine-1") == expected
        assert [*spine.shown(f"interface/{port}/link/state")] == ["down" if but else "up"]
        assert bool(spine.shown(f"interface/{port}/lldp/neighbor")) is not bool(but)
        routes = spine.shown("vrf/default/router/rib/ipv4/route")
        assert ("10.172.0.0/24" in routes) is not bool(but)

    assert_all_is_up()
    lab.inside("spine-1", "ip", "link", "set", port, "down")
    try:
        until(lambda: assert_all_is_up(but=peer))
    finally:
        lab.inside("spine-1", "ip", "link", "set", port, "up")
    until(assert_all_is_up)


def test_the_daemons_files_are_under_run_alone(lab: RoutedLab) -> None:
    assert Path(f"/run/gpufabric/{lab.name}").is_dir()
