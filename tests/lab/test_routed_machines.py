"""Machines at the ports of a routed lab's switches, as far as it takes no guest: their TAPs, what they announce."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import small_site
from routed_lab import RoutedLab, needs_root, on_this_machine, until
from tap_host import ANNOUNCED, PORT, SYSTEM, TapHost

from switch_twins.client import TwinError
from switch_twins.routed.announced import read

pytestmark = needs_root
LEAF, OTHER = "leaf-g1-r0", "leaf-g1-r1"
HOST = "gpu-1"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    operator = small_site(tmp_path_factory.mktemp("machines"))
    try:
        operator.run("lab", "up", "--routed")
        operator.run("push", "--yes")
        yield RoutedLab(operator)
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


@pytest.fixture
def nic(lab: RoutedLab) -> Iterator[TapHost]:
    """The NIC of a machine's rail 0, at the leaf's port."""
    with TapHost("gptap0") as found:
        lab.ask("plug-machine", host=HOST, port="rail0", tap=found.name)
        try:
            yield found
        finally:
            lab.ask("unplug-machine", host=HOST)
            found.power_off()


def port(lab: RoutedLab, switch: str, name: str) -> Any:
    (found,) = json.loads(lab.inside(switch, "ip", "-json", "-details", "address", "show", name))
    return found


def kind(lab: RoutedLab, switch: str, name: str) -> str:
    return str(port(lab, switch, name)["linkinfo"]["info_kind"])


def is_lit(lab: RoutedLab, switch: str, name: str) -> bool:
    return {"UP", "LOWER_UP"} <= set(port(lab, switch, name)["flags"])


def heard(lab: RoutedLab, switch: str) -> dict[str, tuple[str, str]]:
    return {each["port"]: (each["device"], each["far_port"]) for each in lab.ask("lldp", device=switch)}


def test_the_machines_tap_is_the_leafs_port_with_what_was_pushed_to_it(lab: RoutedLab, nic: TapHost) -> None:
    found = port(lab, LEAF, "et1_1")
    assert (kind(lab, LEAF, "et1_1"), found["mtu"]) == ("tun", 9214)
    assert [each["local"] for each in found["addr_info"] if each["family"] == "inet"] == ["10.168.0.0"]
    assert is_lit(lab, LEAF, "et1_1")
    assert lab.ask("machines") == {HOST: {"rail0": [LEAF, "Ethernet1/1"]}}
    assert HOST not in lab.ask("status")["played"]
    until(lab.assert_both_tiers_agree)
    assert re.search(r"passed, tested (\d+) of \1\b", lab.operator.run("validate"))


def test_a_leaf_hears_what_the_machine_announces_and_nothing_before(lab: RoutedLab, nic: TapHost) -> None:
    assert "Ethernet1/1" not in heard(lab, LEAF)
    nic.announce()
    until(lambda: heard(lab, LEAF)["Ethernet1/1"] == (SYSTEM, PORT) if "Ethernet1/1" in heard(lab, LEAF) else False)
    shown = lab.operator.hands()[LEAF].shown("show lldp neighbors")["lldpNeighbors"]
    assert (SYSTEM, PORT, "Ethernet1/1") in {
        (each["neighborDevice"], each["neighborPort"], each["port"]) for each in shown
    }


def test_a_cut_cable_closes_the_port_and_what_was_heard_there_is_void(lab: RoutedLab, nic: TapHost) -> None:
    nic.announce()
    until(lambda: "Ethernet1/1" in heard(lab, LEAF))
    lab.operator.run("lab", "cut", f"{HOST}:rail0")
    try:
        assert not is_lit(lab, LEAF, "et1_1")
        assert "look at cable leaf-g1-r0-h1" in lab.operator.run("validate", code=8)
    finally:
        lab.operator.run("lab", "mend")
    assert is_lit(lab, LEAF, "et1_1")
    assert "Ethernet1/1" not in heard(lab, LEAF)
    nic.announce()
    until(lambda: "Ethernet1/1" in heard(lab, LEAF))


def test_a_swapped_cable_takes_the_machine_to_the_other_leaf_and_back(lab: RoutedLab, nic: TapHost) -> None:
    nic.announce()
    until(lambda: "Ethernet1/1" in heard(lab, LEAF))
    lab.operator.run("lab", "swap", f"{HOST}:rail0", "gpu-2:rail1")
    try:
        assert (kind(lab, LEAF, "et1_1"), kind(lab, OTHER, "et1_2")) == ("veth", "tun")
        assert lab.ask("machines") == {HOST: {"rail0": [OTHER, "Ethernet1/2"]}}
        assert is_lit(lab, OTHER, "et1_2")
        assert heard(lab, LEAF)["Ethernet1/1"] == ("gpu-2", "rail1")
        nic.announce()
        until(lambda: heard(lab, OTHER).get("Ethernet1/2") == (SYSTEM, PORT))
    finally:
        lab.operator.run("lab", "mend")
    assert (kind(lab, LEAF, "et1_1"), kind(lab, OTHER, "et1_2")) == ("tun", "veth")
    assert is_lit(lab, LEAF, "et1_1")


def is_lossy(lab: RoutedLab, switch: str, name: str) -> bool:
    """Does the kernel drop packets at a port of a switch?"""
    return f'hook ingress device "{name}"' in lab.inside(switch, "nft", "list", "ruleset")


def test_a_lossy_cable_stays_lossy_at_its_leaf_whatever_is_plugged_in_there(lab: RoutedLab, nic: TapHost) -> None:
    nic.announce()
    until(lambda: "Ethernet1/1" in heard(lab, LEAF))
    lab.operator.run("lab", "loss", f"{HOST}:rail0", "100")
    assert is_lossy(lab, LEAF, "et1_1")
    assert is_lit(lab, LEAF, "et1_1")
    lab.operator.run("lab", "swap", f"{HOST}:rail0", "gpu-2:rail1")
    try:
        assert (kind(lab, LEAF, "et1_1"), kind(lab, OTHER, "et1_2")) == ("veth", "tun")
        assert (is_lossy(lab, LEAF, "et1_1"), is_lossy(lab, OTHER, "et1_2")) == (True, False)
        nic.announce()
        until(lambda: heard(lab, OTHER).get("Ethernet1/2") == (SYSTEM, PORT))
    finally:
        lab.operator.run("lab", "mend")
    assert (is_lossy(lab, LEAF, "et1_1"), is_lossy(lab, OTHER, "et1_2")) == (False, False)
    nic.announce()
    until(lambda: heard(lab, LEAF).get("Ethernet1/1") == (SYSTEM, PORT))


def test_a_leaf_that_hangs_hears_no_machine_until_it_goes_on(lab: RoutedLab, nic: TapHost) -> None:
    nic.announce()
    until(lambda: "Ethernet1/1" in heard(lab, LEAF))
    lab.operator.run("lab", "freeze", LEAF)
    try:
        assert is_lit(lab, LEAF, "et1_1"), "whoever hangs keeps its carrier"
        assert " et1_1," in lab.inside(LEAF, "nft", "list", "table", "netdev", "hangs")
    finally:
        lab.operator.run("lab", "mend")
    assert "hangs" not in lab.inside(LEAF, "nft", "list", "ruleset")
    until(lab.assert_both_tiers_agree)


def test_machines_on_one_leaf_can_be_swapped(lab: RoutedLab, nic: TapHost) -> None:
    with TapHost("gptap1") as other:
        lab.ask("plug-machine", host="gpu-2", port="rail0", tap=other.name)
        lab.operator.run("lab", "swap", f"{HOST}:rail0", "gpu-2:rail0")
        try:
            other.announce()
            until(lambda: heard(lab, LEAF).get("Ethernet1/1") == (SYSTEM, PORT))
            assert "Ethernet2/1" not in heard(lab, LEAF)
        finally:
            lab.operator.run("lab", "mend")
            lab.ask("unplug-machine", host="gpu-2")
            other.power_off()
    assert kind(lab, LEAF, "et2_1") == "veth"


def test_a_machine_without_power_gives_its_leaf_no_carrier(lab: RoutedLab) -> None:
    with TapHost("gptap2") as found:
        lab.ask("plug-machine", host=HOST, port="rail0", tap=found.name)
        found.power_off()
        assert not is_lit(lab, LEAF, "et1_1")
        assert "admin up, link down" in lab.operator.run("validate", code=8)
        lab.ask("unplug-machine", host=HOST)


def test_after_the_machine_a_namespace_is_the_host_again(lab: RoutedLab) -> None:
    with TapHost("gptap3") as found:
        lab.ask("plug-machine", host=HOST, port="rail0", tap=found.name)
        lab.ask("unplug-machine", host=HOST)
        found.power_off()
    assert kind(lab, LEAF, "et1_1") == "veth"
    assert is_lit(lab, LEAF, "et1_1")
    (shown,) = json.loads(lab.inside(HOST, "ip", "-json", "address", "show", "rail0"))
    assert "10.168.0.1" in [each["local"] for each in shown["addr_info"]]
    assert (shown["mtu"], "LOWER_UP" in shown["flags"]) == (9000, True)
    assert HOST in lab.ask("status")["played"]


def test_what_is_not_there_cannot_be_plugged_in(lab: RoutedLab) -> None:
    with pytest.raises(TwinError, match="gptap9"):
        lab.ask("plug-machine", host=HOST, port="rail0", tap="gptap9")
    with pytest.raises(TwinError, match="gpu-1:rail7: no cable is plugged in there"):
        lab.ask("plug-machine", host=HOST, port="rail7", tap="gptap9")
    assert kind(lab, LEAF, "et1_1") == "veth"


def test_down_after_a_kill_takes_the_taps_of_machines_too(tmp_path: Path) -> None:
    operator = small_site(tmp_path)
    try:
        operator.run("lab", "up", "--routed")
        lab = RoutedLab(operator)
        with TapHost("gptap4") as found:
            lab.ask("plug-machine", host=HOST, port="rail0", tap=found.name)
            process = int((operator.lab / "pid").read_text())
            os.kill(process, signal.SIGKILL)
            until(lambda: not Path(f"/proc/{process}/ns/net").exists())
            operator.run("lab", "down")
            found.power_off()
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


def test_a_frame_that_is_cut_off_anywhere_says_nothing_or_the_same() -> None:
    whole = read(ANNOUNCED)
    assert whole is not None
    assert (whole.system, whole.port, whole.port_description, whole.ttl_s) == (SYSTEM, PORT, PORT, 8)
    for length in range(len(ANNOUNCED)):
        found = read(ANNOUNCED[:length])
        assert found is None or (found.port, found.ttl_s) == (PORT, 8)
