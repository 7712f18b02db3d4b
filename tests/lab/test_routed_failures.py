"""A spine dies twice under packets, a cable loses some: how many are lost, who is blamed, and that it heals.

The bound of losses is that of a machine with time for all this. Where it is exceeded, a packet must have gone out late
amid the loss: then failure detection waited for the processor as well (1.7 s were measured where 0.9 s are configured).
What happened before or after the loss excuses nothing. Window, bound and lateness are printed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import ROOT, small_site
from routed_lab import RoutedLab, first_finding, needs_root, on_this_machine, until

from nornir_tasks.usecases.lab.probe import LATE_MS
from tests.published import published

pytestmark = needs_root
SPINE, OTHER = "spine-1", "spine-2"
RATE_HZ = 1000
BFD_MS = 3 * 300
"""As pushed: three packets of 300 ms."""
FOUND_AT_ONCE_MS = 0
PROBE_S, AFTERWARDS_S = 12.0, 3.0
ANSWERED_S = 10
"""Plenty for a lab's switch that answers at all."""
GOLDEN = ROOT / "tests/errors/probes_of_nothing/expected.txt"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    operator = small_site(tmp_path_factory.mktemp("failures"))
    try:
        operator.run("lab", "up", "--routed", "--host-lldp")
        operator.run("push", "--yes")
        yield RoutedLab(operator)
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


@pytest.fixture(autouse=True)
def _whole(lab: RoutedLab) -> Iterator[None]:
    until(lab.assert_both_tiers_agree)
    yield
    lab.operator.run("lab", "mend")


def probe(lab: RoutedLab, seconds: float = 2.0) -> dict[str, Any]:
    found: dict[str, Any] = lab.operator.json("lab", "probe", "gpu-1:rail0", "gpu-2:rail1", "--seconds", str(seconds))
    return found


def probe_while(lab: RoutedLab, *fault: str) -> dict[str, Any]:
    """A probe in whose time a fault is made."""
    words = ("lab", "probe", "gpu-1:rail0", "gpu-2:rail1", "--seconds", str(PROBE_S), "--json")
    before = _forwarded(lab, SPINE)
    under_way = lab.operator.begin(*words)
    until(lambda: _forwarded(lab, SPINE) > before + RATE_HZ / 4)
    lab.operator.run(*fault)
    time.sleep(AFTERWARDS_S)
    assert under_way.poll() is None, "the probe ended before anybody could notice"
    stdout, stderr = under_way.communicate(timeout=60)
    assert under_way.returncode == 0, stderr
    found: dict[str, Any] = published(json.JSONDecoder().raw_decode(stdout)[0])
    return found


def _forwarded(lab: RoutedLab, spine: str) -> int:
    (shown,) = json.loads(lab.inside(spine, "ip", "-json", "-s", "link", "show", "swp2"))
    return int(shown["stats64"]["tx"]["packets"])


def assert_bound(found: dict[str, Any], detection_ms: float) -> str:
    """What the network may lose while it finds out: half as much again as configured, and a second to turn round.

    How it was judged.
    """
    assert found["lost_flows"] < found["flows"], "flows of the other spine lose nothing"
    bound_ms = detection_ms * 1.5 + 1000
    late = f"sent up to {found['late_while_lost_ms']} ms late meanwhile, {found['late_ms']} in all"
    if found["window_ms"] <= bound_ms and found["lost"] <= bound_ms * RATE_HZ / 1000:
        return f"within the bound of {bound_ms:.0f} ms ({late})"
    assert found["late_while_lost_ms"] > LATE_MS, f"above the bound of {bound_ms:.0f} ms, on time: {found}"
    return f"above the bound of {bound_ms:.0f} ms, on a machine without time ({late})"


def assert_crosses(lab: RoutedLab, *spines: str) -> None:
    """Packets take these spines and no other. BGP and BFD add some tens."""
    until(lambda: _next_hops(lab, "leaf-g1-r0") == _next_hops(lab, "leaf-g1-r1") == len(spines))
    found = probe(lab)
    assert found["lost"] == 0
    assert {name for name, packets in found["crossed"].items() if packets > found["sent"] / 10} == {*spines}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("fault", "detection_ms"), [("kill", FOUND_AT_ONCE_MS), ("freeze", BFD_MS)], ids=["carrier lost", "silent"]
)
def test_a_spine_dies_under_packets(
    fault: str, detection_ms: float, lab: RoutedLab, figure: Callable[[str], None]
) -> None:
    assert_crosses(lab, SPINE, OTHER)
    found = probe_while(lab, "lab", fault, SPINE)
    how = f"{found['lost']} of {found['sent']} packets lost within {found['window_ms']} ms"
    figure(f"spine dies by {fault}: {how}: {assert_bound(found, detection_ms)}")
    assert_crosses(lab, OTHER)
    if fault == "freeze":
        assert found["lost"] > 0, "whoever hangs loses what is on its way until it is noticed"
        assert "BFD" in _reason(lab, "leaf-g1-r0", SPINE)
        assert lab.inside("leaf-g1-r0", "cat", "/sys/class/net/et63_1/carrier").strip() == "1"
    _wait_less(lab)
    blamed = first_finding(lab.operator)
    assert (blamed["check"], blamed["device"]) == ("reach", SPINE)
    lab.operator.run("lab", "mend", SPINE)
    until(lab.assert_both_tiers_agree)
    assert_crosses(lab, SPINE, OTHER)


def _wait_less(lab: RoutedLab) -> None:
    """A switch that hangs is asked twice, and 30 s each time would do nothing here (test_lab_faults.py sees them)."""
    file = lab.operator.lab / "devices.yml"
    text = file.read_text()
    if "timeout_s:" not in text:
        file.write_text(f"timeout_s: {ANSWERED_S}\n{text}")


def _next_hops(lab: RoutedLab, leaf: str) -> int:
    return len(set().union(*lab.kernel(leaf).values()))


def _reason(lab: RoutedLab, switch: str, peer: str) -> str:
    return next(str(each["reason"]) for each in lab.ask("sessions", device=switch) if each["peer"] == peer)


def test_a_switch_that_hangs_comes_back_when_its_power_was_off(lab: RoutedLab) -> None:
    lab.operator.run("lab", "freeze", SPINE)
    assert "frozen" in str(lab.operator.json("lab", "status")["faults"])
    lab.operator.run("lab", "kill", SPINE)
    until(lambda: _next_hops(lab, "leaf-g1-r0") == 1)
    lab.operator.run("lab", "revive", SPINE)
    until(lab.assert_both_tiers_agree)
    assert_crosses(lab, SPINE, OTHER)


@pytest.mark.long
def test_a_cable_loses_the_share_that_it_is_to_lose(lab: RoutedLab, figure: Callable[[str], None]) -> None:
    """At a host's cable, all packets pass it: of 4000 at 20 %, 800 with a deviation of 25."""
    cable = "leaf-g1-r1-h2"
    _remember_neighbour(lab, "leaf-g1-r1", "gpu-2", "rail1")
    assert f"cable {cable} loses 20 % of the packets each way" in lab.operator.run("lab", "loss", "gpu-2:rail1", "20")
    assert "nothing changed: cable" in lab.operator.run("lab", "loss", cable, "20%")
    found = probe(lab, 4.0)
    figure(f"a cable with 20 % loss: {found['lost']} of {found['sent']} packets lost")
    assert 650 <= found["lost"] <= 950
    changed = lab.operator.json("lab", "loss", cable, "5")
    assert [each["percent"] for each in (*changed["broken"], *changed["mended"])] == [5, 20]
    assert 100 <= probe(lab, 4.0)["lost"] <= 300
    assert "no more: cable" in lab.operator.run("lab", "mend", cable)
    assert probe(lab)["lost"] == 0
    assert "from 0.01 to 100" in lab.operator.run("lab", "loss", cable, "200", code=10)


def _remember_neighbour(lab: RoutedLab, switch: str, host: str, port: str) -> None:
    """A lost ARP packet would cost a second of packets more."""
    assert probe(lab)["lost"] == 0
    (own,) = json.loads(lab.inside(host, "ip", "-json", "-4", "address", "show", "dev", port))
    address = str(own["addr_info"][0]["local"])
    (found,) = json.loads(lab.inside(switch, "ip", "-json", "neigh", "show", "to", address))
    words = (address, "lladdr", found["lladdr"], "dev", found["dev"], "nud", "permanent")
    lab.inside(switch, "ip", "neigh", "replace", *words)


def test_a_cable_that_loses_all_is_down_to_bgp_with_its_carrier_there(lab: RoutedLab) -> None:
    cable = "leaf-g1-r0-u1"
    lab.operator.run("lab", "loss", cable, "100")
    until(lambda: _next_hops(lab, "leaf-g1-r0") == 1)
    assert "BFD" in _reason(lab, "leaf-g1-r0", SPINE)
    blamed = first_finding(lab.operator)
    assert {"leaf-g1-r0", SPINE} & {blamed["device"]}


REFUSED = (
    ("probe", "gpu-9", "gpu-2"),
    ("probe", "gpu-1:rail9", "gpu-2"),
    ("probe", "gpu-1:rail0", "gpu-1:rail1"),
    ("loss", "leaf-g1-r0-u1", "0"),
    ("loss", "leaf-g1-r0-u1", "some"),
)


def test_a_cable_holds_packets_back_where_the_kernel_has_netem_and_else_the_lab_says_so(lab: RoutedLab) -> None:
    if lab.ask("faults")["can_delay"]:
        assert "holds back every packet 5 ms each way" in lab.operator.run("lab", "delay", "leaf-g1-r0-u1", "5")
        assert "netem" in lab.inside("leaf-g1-r0", "tc", "qdisc", "show", "dev", "et63_1")
        assert "from 0.1 to 10000" in lab.operator.run("lab", "delay", "leaf-g1-r0-u1", "0", code=10)
    else:
        refused = lab.operator.run("lab", "delay", "leaf-g1-r0-u1", "5", code=10)
        assert "delay 5: cannot be put on cable leaf-g1-r0-u1 in this lab" in refused
        assert "where the kernel has netem" in refused
    assert not list(Path("/run/netns").glob(f"{lab.name}-probe"))


def test_what_cannot_be_probed_or_lost_is_said(lab: RoutedLab, request: pytest.FixtureRequest) -> None:
    text = ""
    for words in REFUSED:
        refused = lab.operator.run("lab", *words, code=10).replace(f" --site {lab.operator.site}", "")
        text += f"$ nornir lab {' '.join(words)}\n{refused}\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
