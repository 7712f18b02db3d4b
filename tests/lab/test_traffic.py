"""Traffic that is played moves the counters of what was pushed; three systems show them, and each what is impaired."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator, small_site

from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.platforms.counted import Counter, Place, Reading

pytestmark = pytest.mark.xdist_group("lab-traffic")

EOS, NXOS, NVUE = "leaf-g1-r0", "leaf-g1-r1", "spine-1"
TO_HOST = {EOS: "Ethernet1/1", NXOS: "Ethernet1/1", NVUE: "swp1"}
"""Of leaves, the port to gpu-1; of the spine, that to the leaf of EOS."""
LOSSLESS = 3


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """A lab that was pushed to; each test leaves it whole and without traffic."""
    made = small_site(tmp_path_factory.mktemp("lab-traffic"))
    made.run("lab", "up")
    try:
        made.run("push", "--yes")
        yield made
    finally:
        made.run("lab", "down")


@pytest.fixture(autouse=True)
def whole(lab: Operator) -> Iterator[None]:
    yield
    lab.control.ask("play", pattern="none")
    lab.run("lab", "mend")


def play_for(lab: Operator, seconds: float) -> None:
    """Let the lab's clock go on, and wait until all of that is played."""
    lab.control.ask("advance-clock", seconds=seconds)
    deadline_s = time.monotonic() + 60
    while lab.control.ask("status")["traffic"]["behind_s"] > 0.5:
        assert time.monotonic() < deadline_s
        time.sleep(0.1)


def reading(lab: Operator, name: str) -> Reading:
    """All counters of a switch, as the product reads them over its API."""
    spec = json.loads((lab.lab / "spec.json").read_text())
    entry = next(each for each in spec["devices"] if each["name"] == name)
    endpoint = Endpoint(
        device=name,
        address=entry["address"],
        api_port=entry["api_port"],
        ssh_port=entry["ssh_port"],
        username=spec["username"],
        password=Path(spec["password_file"]).read_text().strip(),
        ca_file=Path(spec["ca"]),
        fingerprint=None,
        known_hosts=lab.lab / "known_hosts",
        timeout_s=30.0,
    )
    session = open_session(lab.hands()[name].os, endpoint)
    try:
        return session.counters()
    finally:
        session.close()


def sums(flows: list[dict[str, Any]]) -> tuple[dict[str, float], dict[str, float]]:
    """Packets out of each port, and into each host's port, added up over flows alone."""
    out: dict[str, float] = defaultdict(float)
    into: dict[str, float] = defaultdict(float)
    for flow in flows:
        into[flow["destination"]] += flow["packets"]["delivered"]
        for port in flow["ports"]:
            out[port] += flow["packets"]["delivered"]
    return out, into


def test_what_each_system_shows_is_the_sum_of_the_flows_through_it(lab: Operator) -> None:
    switches, hosts = (EOS, NXOS, NVUE, "spine-2"), ("gpu-1", "gpu-2")
    before = {name: reading(lab, name).values for name in switches}
    received = {host: lab.control.ask("host-counters", host=host) for host in hosts}
    lab.run("lab", "play", "all-to-all")
    play_for(lab, 5.0)
    lab.run("lab", "play", "none")
    out, into = sums(lab.control.ask("flows"))
    assert len(out) > 20
    for name in switches:
        seen = reading(lab, name)
        assert seen.problems == ()
        ports = {port.partition(":")[2]: packets for port, packets in out.items() if port.startswith(f"{name}:")}
        assert ports
        more = {
            counter: {place: value - before[name][counter][place] for place, value in places.items()}
            for counter, places in seen.values.items()
        }
        for port, packets in ports.items():
            assert more[Counter.PACKETS_OUT][Place(port)] == pytest.approx(packets, abs=1)
            assert more[Counter.QUEUE_PACKETS][Place(port, LOSSLESS)] == pytest.approx(packets, abs=1)
            assert more[Counter.BYTES_OUT][Place(port)] == pytest.approx(packets * 4096, abs=4096)
        for counter in (Counter.QUEUE_DROPS, Counter.INPUT_DROPS, Counter.PFC_TX, Counter.PFC_RX):
            assert not any(more[counter].values())
    for host in hosts:
        for port, counted in lab.control.ask("host-counters", host=host).items():
            more_packets = counted["ethtool"]["rx_packets_phy"] - received[host][port]["ethtool"]["rx_packets_phy"]
            assert more_packets == pytest.approx(into[f"{host}:{port}"], abs=1)


def test_playing_the_same_again_changes_nothing_and_what_is_played_is_shown(lab: Operator) -> None:
    assert lab.json("lab", "play", "incast", "gpu-1:rail1")["changed"]
    assert not lab.json("lab", "play", "incast", "gpu-1:rail1")["changed"]
    assert "played: incast to gpu-1:rail1" in lab.run("lab", "status")
    assert lab.json("lab", "play", "none")["changed"]
    assert not lab.json("lab", "play", "none")["changed"]
    assert "played: incast" not in lab.run("lab", "status")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("play", "storm"), "there is no such pattern"),
        (("play", "incast", "gpu-99"), "there is no such host that can receive"),
        (("play", "all-to-all", "gpu-1"), "all-to-all has no target"),
        (("impair", "rust", "gpu-1"), "there is no such impairment"),
        (("impair", "drops", "gpu-1:rail0"), "there is no such switch"),
        (("impair", "drops", f"{EOS}:Ethernet99/1"), "no cable is plugged in there"),
        (("impair", "drops", f"{EOS}:Ethernet1/1", "much"), "is no amount of drops"),
        (("impair", "drops", f"{EOS}:Ethernet1/1", "150"), "no such amount"),
        (("impair", "no-marks", f"{EOS}:Ethernet1/1"), "this is of a whole switch"),
    ],
)
def test_what_cannot_be_played_or_impaired_is_refused(lab: Operator, words: tuple[str, ...], answer: str) -> None:
    assert answer in lab.run("lab", *words, code=10)
    assert lab.json("lab", "status")["faults"] == []


def test_an_incast_is_marked_where_marks_are_counted_and_its_senders_hear_of_it(lab: Operator) -> None:
    before = reading(lab, NXOS)
    lab.run("lab", "play", "incast", "gpu-1:rail1")
    play_for(lab, 5.0)
    lab.run("lab", "play", "none")
    after, place = reading(lab, NXOS), Place("Ethernet1/1", LOSSLESS)
    assert after.values[Counter.ECN_MARKED][place] > before.values[Counter.ECN_MARKED][place] + 100
    assert after.values[Counter.QUEUE_DROPS] == before.values[Counter.QUEUE_DROPS]
    target = lab.control.ask("host-counters", host="gpu-1")["rail1"]["hw_counters"]
    assert target["np_cnp_sent"] > 0 and target["np_ecn_marked_roce_packets"] > target["np_cnp_sent"]
    assert lab.control.ask("host-counters", host="gpu-2")["rail1"]["hw_counters"]["rp_cnp_handled"] > 0
    # EOS counts no marks without a line that has it do so, and shows none rather than zero
    assert Place("Ethernet1/1", LOSSLESS) not in reading(lab, EOS).values.get(Counter.ECN_MARKED, {})


def test_a_storm_of_one_host_pauses_its_port_until_it_is_mended(lab: Operator) -> None:
    lab.run("lab", "play", "all-to-all")
    assert "gpu-1:rail0 is impaired: pause-storm" in lab.run("lab", "impair", "pause-storm", "gpu-1:rail0")
    assert "nothing changed" in lab.run("lab", "impair", "pause-storm", "gpu-1:rail0")
    before = reading(lab, EOS)
    play_for(lab, 3.0)
    after, place = reading(lab, EOS), Place(TO_HOST[EOS], LOSSLESS)
    assert after.values[Counter.PFC_RX][place] > before.values[Counter.PFC_RX][place] + 50
    assert after.values[Counter.WATCHDOG][place] >= 1  # as pushed, it drops what is for the host that takes nothing
    assert after.values[Counter.QUEUE_DROPS][place] > before.values[Counter.QUEUE_DROPS][place]
    assert "no more: gpu-1:rail0 is impaired" in lab.run("lab", "mend", "gpu-1")
    play_for(lab, 1.0)
    one = reading(lab, EOS)
    play_for(lab, 1.0)
    assert reading(lab, EOS).values[Counter.PFC_RX][place] == one.values[Counter.PFC_RX][place]


def test_without_a_watchdog_the_storm_spreads_to_the_spine(lab: Operator) -> None:
    hand = lab.hands()[NXOS]
    hand.configure("no priority-flow-control watch-dog-interval on")
    try:
        lab.run("lab", "play", "all-to-all")
        lab.run("lab", "impair", "pause-storm", "gpu-1:rail1")
        before = [reading(lab, name) for name in ("spine-1", "spine-2")]
        play_for(lab, 5.0)
        after = [reading(lab, name) for name in ("spine-1", "spine-2")]
    finally:
        hand.configure("priority-flow-control watch-dog-interval on")
    place = Place("swp2", LOSSLESS)
    assert any(
        b.values[Counter.PFC_RX][place] > a.values[Counter.PFC_RX][place] for a, b in zip(before, after, strict=True)
    )
    assert any(
        b.values[Counter.PAUSE_RX_US][place] > a.values[Counter.PAUSE_RX_US][place] + 1e6
        for a, b in zip(before, after, strict=True)
    )


SHOWN = [
    ("drops", EOS, "", Counter.QUEUE_DROPS, LOSSLESS, True),
    ("drops", NXOS, "", Counter.QUEUE_DROPS, LOSSLESS, True),
    ("drops", NVUE, "", Counter.QUEUE_DROPS, LOSSLESS, True),
    ("flaps", EOS, "5", Counter.LINK_CHANGES, None, True),
    ("flaps", NVUE, "5", Counter.LINK_CHANGES, None, True),
    ("fec-corrected", EOS, "", Counter.FEC_CORRECTED, None, True),
    ("fec-corrected", NVUE, "", Counter.FEC_CORRECTED, None, True),
    ("fec-uncorrected", EOS, "", Counter.FEC_UNCORRECTED, None, True),
    ("fec-uncorrected", NVUE, "", Counter.FEC_UNCORRECTED, None, True),
    ("symbol-errors", EOS, "", Counter.SYMBOL_ERRORS, None, True),
    ("symbol-errors", NXOS, "", Counter.SYMBOL_ERRORS, None, True),
    ("symbol-errors", NVUE, "", Counter.SYMBOL_ERRORS, None, True),
    ("crc-errors", EOS, "", Counter.CRC_ERRORS, None, True),
    ("crc-errors", NXOS, "", Counter.CRC_ERRORS, None, True),
    ("hot-optic", EOS, "", Counter.TEMPERATURE_C, None, True),
    ("hot-optic", NXOS, "", Counter.TEMPERATURE_C, 1, True),
    ("hot-optic", NVUE, "", Counter.TEMPERATURE_C, None, True),
    ("low-light", EOS, "", Counter.RX_POWER_DBM, 1, False),
    ("low-light", NXOS, "", Counter.RX_POWER_DBM, 1, False),
    ("low-light", NVUE, "", Counter.RX_POWER_DBM, 1, False),
]
"""Kind, switch, amount, counter, index, does it grow?"""


@pytest.mark.parametrize("name", [EOS, NXOS, NVUE])
def test_each_impairment_shows_in_its_counter_at_its_port_alone(lab: Operator, name: str) -> None:
    port = TO_HOST[name]
    lab.run("lab", "play", "all-to-all")
    play_for(lab, 1.0)
    rows = [row for row in SHOWN if row[1] == name]
    before = reading(lab, name)
    for kind, _, amount, *_ in rows:
        lab.run("lab", "impair", kind, f"{name}:{port}", *([amount] if amount else []))
    play_for(lab, 3.0)
    after = reading(lab, name)
    for kind, _, _, counter, index, grows in rows:
        place = Place(port, index)
        was, now = before.values[counter][place], after.values[counter][place]
        assert now > was if grows else now < was, kind
        others = {each: value for each, value in after.values[counter].items() if each.port != port}
        assert others == {each: before.values[counter][each] for each in others}, kind
    assert after.problems == ()


def test_a_dead_member_gets_nothing_and_the_others_all(lab: Operator) -> None:
    uplinks = ("Ethernet63/1", "Ethernet64/1")
    lab.run("lab", "impair", "dead-member", f"{EOS}:{uplinks[0]}")
    lab.run("lab", "play", "all-to-all")
    before = reading(lab, EOS).values[Counter.PACKETS_OUT]
    play_for(lab, 2.0)
    after = reading(lab, EOS).values[Counter.PACKETS_OUT]
    assert after[Place(uplinks[0])] == before[Place(uplinks[0])]
    assert after[Place(uplinks[1])] > before[Place(uplinks[1])]


def test_a_host_of_another_class_is_in_another_queue(lab: Operator) -> None:
    lab.run("lab", "impair", "wrong-class", "gpu-2", "0")
    lab.run("lab", "play", "all-to-all")
    before = reading(lab, NXOS).values[Counter.QUEUE_PACKETS]
    play_for(lab, 2.0)
    after = reading(lab, NXOS).values[Counter.QUEUE_PACKETS]
    moved = {place for place in after if after[place] > before[place]}
    assert {place.index for place in moved} == {0, LOSSLESS}


def test_a_switch_that_lost_its_power_counts_from_zero(lab: Operator) -> None:
    lab.run("lab", "play", "all-to-all")
    play_for(lab, 1.0)
    lab.run("lab", "play", "none")
    place = Place(TO_HOST[EOS])
    assert reading(lab, EOS).values[Counter.PACKETS_OUT][place] > 0
    lab.hands()[EOS].eapi("write memory")
    lab.run("lab", "kill", EOS)
    lab.run("lab", "revive", EOS)
    assert reading(lab, EOS).values[Counter.PACKETS_OUT][place] == 0


def test_switches_show_what_is_recorded(lab: Operator) -> None:
    """Beside what the product reads: PFC of EOS by port, and NX-OS's table of it, have the sums of the same frames."""
    lab.run("lab", "play", "all-to-all")
    lab.run("lab", "impair", "pause-storm", "gpu-1:rail0")
    play_for(lab, 2.0)
    lab.run("lab", "mend")
    lab.run("lab", "play", "none")
    hand = lab.hands()[EOS]
    total = hand.shown("show priority-flow-control counters")["interfaceCounters"]["Ethernet1/1"]["rxFrames"]
    rows = hand.shown("show priority-flow-control counters detail")["interfaces"]["Ethernet1/1"]["priorities"]
    assert total == sum(row["rxFrames"] for row in rows.values()) > 0
    assert Path(lab.lab).exists()
