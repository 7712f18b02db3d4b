"""What a test seeds is what the switch shows; what no show command reads, and what is of no port there, is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_eos_twin_shell import ask, fail
from test_fabric_sim import Fabric

from switch_twins.certificates import LabCertificates
from switch_twins.clock import ManualClock
from switch_twins.eos import EosTwin, build
from switch_twins.errors import TwinError
from switch_twins.fabric import FabricSim
from switch_twins.lab_context import LabContext
from switch_twins.spec import Cable, DeviceSpec, End


@pytest.fixture
def pair(tmp_path: Path) -> tuple[FabricSim, EosTwin, EosTwin]:
    """Two switches with one cable."""
    clock = ManualClock(1000.0)
    fabric = FabricSim([Cable("c1", End("one", "Ethernet1"), End("two", "Ethernet1"))], [], clock)
    certificates = LabCertificates(tmp_path / "ca.pem", tmp_path / "certificates")
    context = LabContext("test", tmp_path, "gpufabric", "correct horse", clock, certificates, fabric)
    twins = [build(_device(name, number), context) for number, name in enumerate(("one", "two"), start=1)]
    for twin in twins:
        fabric.attach(twin)
    return fabric, twins[0], twins[1]


def _device(name: str, number: int) -> DeviceSpec:
    ports = tuple(f"Ethernet{port}" for port in range(1, 5))
    model = ("4.33.1F", "7050SX3-48YC8", "trident3x3", f"LAB000{number}", f"127.99.0.{number}")
    return DeviceSpec(name, "eos", *model, 8443, 8022, 4200000001, ports)


def test_a_seeded_counter_is_shown_by_each_command_that_has_it_until_it_is_taken_back(
    pair: tuple[FabricSim, EosTwin, EosTwin],
) -> None:
    fabric, one, _ = pair
    fabric.seed("one", "fcsErrors", "Ethernet1", 7)
    errors, ports = ask(one, "show interfaces counters errors", "show interfaces")
    assert errors["interfaceErrorCounters"]["Ethernet1"]["fcsErrors"] == 7
    assert errors["interfaceErrorCounters"]["Ethernet1"]["inErrors"] == 7  # a checksum that is wrong is an error
    assert ports["interfaces"]["Ethernet1"]["interfaceCounters"]["inputErrorsDetail"]["fcsErrors"] == 7
    assert errors["interfaceErrorCounters"]["Ethernet2"]["fcsErrors"] == 0
    fabric.seed("one", "fcsErrors", "Ethernet1", None)
    (errors,) = ask(one, "show interfaces counters errors")
    assert errors["interfaceErrorCounters"]["Ethernet1"]["inErrors"] == 0


def test_a_port_that_the_switch_shut_itself_is_down_at_both_ends(pair: tuple[FabricSim, EosTwin, EosTwin]) -> None:
    fabric, one, two = pair
    assert fabric.is_up("two", "Ethernet1")
    fabric.seed("one", "errdisabled", "Ethernet1", "bpduguard")
    assert not fabric.is_up("one", "Ethernet1") and not fabric.is_up("two", "Ethernet1")
    (shown,) = ask(one, "show interfaces status")
    assert shown["interfaceStatuses"]["Ethernet1"]["linkStatus"] == "errdisabled"
    (far,) = ask(two, "show interfaces status")
    assert far["interfaceStatuses"]["Ethernet1"]["linkStatus"] == "notconnect"
    fabric.seed("one", "errdisabled", "Ethernet1", None)
    assert fabric.is_up("two", "Ethernet1")


@pytest.mark.parametrize(
    ("what", "on", "value", "words"),
    [
        ("inMisfits", "Ethernet1", 1, "nothing of this switch reads 'inMisfits'"),
        ("inDiscards", "Ethernet99", 1, "inDiscards is of a port, and there is no 'Ethernet99'"),
        ("inDiscards", "", 1, "there is no ''"),
        ("inDropAsloop", "192.0.2.1", 1, "inDropAsloop is of a peer"),
        ("inDiscards", "Ethernet1", -1, "inDiscards is a counter, not -1"),
        ("inDiscards", "Ethernet1", 1.5, "inDiscards is a counter, not 1.5"),
        ("inDiscards", "Ethernet1", "many", "inDiscards is a counter, not 'many'"),
        ("errdisabled", "Ethernet1", 1, "errdisabled is a word, not 1"),
    ],
)
def test_what_the_switch_has_not_cannot_be_seeded(
    pair: tuple[FabricSim, EosTwin, EosTwin], what: str, on: str, value: float | str, words: str
) -> None:
    with pytest.raises(TwinError, match=words):
        pair[0].seed("one", what, on, value)


def test_a_switch_of_a_system_without_seeds_says_so() -> None:
    with pytest.raises(TwinError, match="nothing can be seeded in a switch of this system"):
        Fabric(1, 1).sim.seed("leaf0", "inDiscards", "p0", 1)


def test_a_reload_keeps_what_was_saved_and_names_its_cause(pair: tuple[FabricSim, EosTwin, EosTwin]) -> None:
    _, one, _ = pair
    (before,) = ask(one, "show reload cause")
    ask(one, "configure", "hostname typed", "end")
    one.boot()
    (lost,) = ask(one, "show reload cause")
    ask(one, "reload now")
    (wanted,) = ask(one, "show reload cause")
    causes = [each["resetCauses"][0]["description"] if each["resetCauses"] else "" for each in (before, lost, wanted)]
    assert causes == ["", "The system rebooted due to a Power Loss", "Reload requested by the user."]
    assert ask(one, "show hostname")[0]["hostname"] == "one"


def test_another_routing_model_waits_for_a_reload(pair: tuple[FabricSim, EosTwin, EosTwin]) -> None:
    _, one, _ = pair
    ask(one, "configure", "service routing protocols model ribd", "end", "write")
    model = ask(one, "show ip route summary")[0]["protoModelStatus"]
    assert model == {"configuredProtoModel": "ribd", "operatingProtoModel": "multi-agent"}
    ask(one, "reload now")
    assert ask(one, "show ip route summary")[0]["protoModelStatus"]["operatingProtoModel"] == "ribd"


def test_the_clock_that_an_operator_sets_is_the_one_that_is_shown(pair: tuple[FabricSim, EosTwin, EosTwin]) -> None:
    _, one, _ = pair
    ask(one, "clock set 12:00:00 01/01/2090")
    assert ask(one, "show clock")[0]["utcTime"] == pytest.approx(3786955200, abs=5)
    assert fail(one, "clock set 12:00:00 13/41/2090")["message"].endswith("failed: could not run command")


def test_a_switch_without_virtual_output_queues_knows_their_counters_with_more_words_only(
    pair: tuple[FabricSim, EosTwin, EosTwin],
) -> None:
    error = fail(pair[1], "show interfaces counters queue drops")
    assert error["code"] == 1002
    assert error["data"][-1]["errors"] == ["Incomplete command (at token 4: 'drops')"]


def test_links_that_went_and_came_are_counted_at_both_ends(pair: tuple[FabricSim, EosTwin, EosTwin]) -> None:
    fabric, one, two = pair

    def changes(twin: EosTwin, port: str) -> int:
        (shown,) = ask(twin, "show interfaces")
        count: int = shown["interfaces"][port]["interfaceCounters"]["linkStatusChanges"]
        return count

    before = changes(one, "Ethernet1"), changes(two, "Ethernet1"), changes(one, "Ethernet2")
    fabric.cut_cable("c1")
    fabric.mend_cable("c1")
    assert (changes(one, "Ethernet1"), changes(two, "Ethernet1")) == (before[0] + 2, before[1] + 2)
    ask(two, "configure", "interface Ethernet1", "shutdown", "end")
    assert changes(one, "Ethernet1") == before[0] + 3
    assert changes(one, "Ethernet2") == before[2]
