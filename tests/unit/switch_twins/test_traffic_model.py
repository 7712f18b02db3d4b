"""What is played obeys the laws of packets: none is made, none lost uncounted, each counter is a sum of flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switch_twins.counted import Counted, PortCounts
from switch_twins.spec import End
from switch_twins.traffic.flows import Flow
from switch_twins.traffic.model import STEP_S, Model
from switch_twins.traffic.paths import Path
from switch_twins.traffic.rules import Marking, PortRules, QueueRules, SwitchRules
from tests.work import calls_of

ROCE, OTHER = 26, 0
CLASSES = tuple(3 if dscp == ROCE else 0 for dscp in range(64))
QUEUES = {3: QueueRules(60, Marking(256e3, 512e3)), 0: QueueRules(40)}
LOSSLESS = PortRules(CLASSES, pauses=frozenset({3}), queues=QUEUES)
LOSSY = PortRules(CLASSES, queues=QUEUES)
UNMARKED = PortRules(CLASSES, pauses=frozenset({3}))
LINE = 400e9
CALM = [(source, 0, 0.2, ROCE) for source in (1, 2, 3, 4)]
"""Four hosts that together do not fill h0's line."""


@dataclass
class Fabric:
    """Hosts h0, h1 ... at leaf1 and leaf2 by turns, which one spine joins."""

    model: Model
    counted: Counted
    flows: list[tuple[Flow, Path]]

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.model.step(STEP_S)

    def at(self, device: str, port: str) -> PortCounts:
        return self.counted.of(End(device, port))


def _leaf(host: int) -> str:
    return f"leaf{host % 2 + 1}"


def fabric(
    flows: Sequence[tuple[int, int, float, int]],
    leaf: PortRules = LOSSLESS,
    spine: PortRules = LOSSLESS,
    impaired: Sequence[tuple[str, str, str]] = (),
    hosts: int = 6,
) -> Fabric:
    """``flows``: source, destination, share of the line, DSCP."""
    counted, far, speeds = Counted(), {}, {}
    for kind, device, port in impaired:
        counted.impairments.put(kind, device, port, None, 0.0)
    cables = [(End(f"h{n}", "nic"), End(_leaf(n), f"to-h{n}")) for n in range(hosts)]
    cables += [(End(leaf_, "up"), End("spine", f"to-{leaf_}")) for leaf_ in ("leaf1", "leaf2")]
    for one, other in cables:
        far[one], far[other] = other, one
        speeds[one] = speeds[other] = LINE
    ports = {
        end.device: {e.port: spine if e.device == "spine" else leaf for e in far if e.device == end.device}
        for end in far
    }
    rules = {device: SwitchRules(each) for device, each in ports.items() if not device.startswith("h")}
    played = []
    for number, (source, destination, share, dscp) in enumerate(flows):
        way = [End(f"h{source}", "nic")]
        if _leaf(source) != _leaf(destination):
            way += [End(_leaf(source), "up"), End("spine", f"to-{_leaf(destination)}")]
        way.append(End(_leaf(destination), f"to-h{destination}"))
        flow = Flow(way[0], End(f"h{destination}", "nic"), "", "", LINE * share, number, dscp=dscp)
        played.append((flow, Path(tuple(way), is_whole=True)))
    return Fabric(Model(played, rules, speeds, far, counted), counted, played)


def incast(leaf: PortRules = LOSSLESS, spine: PortRules = LOSSLESS, share: float = 1.0) -> Fabric:
    """Four hosts send to h0, of which h2 and h4 are at its own leaf."""
    return fabric([(source, 0, share, ROCE) for source in (1, 2, 3, 4)], leaf, spine)


PLACES = st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0.01, 1.0), st.sampled_from([ROCE, OTHER])).filter(
    lambda each: each[0] != each[1]
)


@given(st.lists(PLACES, min_size=1, max_size=12), st.sampled_from([LOSSLESS, LOSSY, UNMARKED]), st.integers(1, 200))
def test_every_packet_that_was_sent_arrived_was_dropped_or_waits(
    flows: list[tuple[int, int, float, int]], rules: PortRules, steps: int
) -> None:
    played = fabric(flows, rules, rules)
    played.run(steps)
    sent, delivered, dropped = (sum(each[at] for each in played.model.flows()) for at in (1, 2, 3))
    assert sent == pytest.approx(delivered + dropped + played.model.waiting_bytes(), rel=1e-9, abs=1e-3)


@given(st.lists(PLACES, min_size=1, max_size=12), st.sampled_from([LOSSLESS, LOSSY]), st.integers(1, 100))
def test_a_port_counts_what_the_flows_through_it_add_up_to(
    flows: list[tuple[int, int, float, int]], rules: PortRules, steps: int
) -> None:
    played = fabric(flows, rules, rules)
    played.run(steps)
    ended: dict[End, float] = {}
    for flow, _, delivered, _ in played.model.flows():
        ended[flow.destination] = ended.get(flow.destination, 0.0) + delivered / flow.packet_bytes
    for end, packets in ended.items():
        last = next(path.ports[-1] for flow, path in played.flows if flow.destination == end)
        assert played.counted.of(end).packets_in == pytest.approx(packets)
        assert played.counted.of(last).packets_out == pytest.approx(packets)
        assert sum(played.counted.of(last).queue_packets) == pytest.approx(packets)
    for end, counts in played.counted.ports():
        assert counts.bytes_out == pytest.approx(counts.packets_out * 4096)
        assert sum(counts.queue_bytes) == pytest.approx(counts.bytes_out)
        assert sum(counts.marked) <= counts.packets_out + 1e-6, end


def test_a_fabric_that_is_not_overloaded_queues_marks_and_drops_nothing() -> None:
    played = fabric([(n, (n + 1) % 6, 0.9, ROCE) for n in range(0, 6, 3)])
    played.run(100)
    assert played.model.is_steady
    for _, counts in played.counted.ports():
        assert not any((*counts.marked, *counts.dropped, *counts.input_drops, *counts.pfc_tx))
        assert not any(counts.watermark_bytes)


def test_a_long_step_of_a_steady_fabric_counts_as_many_short_ones() -> None:
    short, long = (fabric([(0, 1, 0.5, ROCE), (2, 3, 0.3, OTHER)]) for _ in range(2))
    short.run(1001)
    long.run(1)
    long.model.step(1000 * STEP_S)
    for (end, one), (_, other) in zip(short.counted.ports(), long.counted.ports(), strict=True):
        assert one.packets_out == pytest.approx(other.packets_out), end


def test_a_healthy_incast_is_marked_and_hardly_paused() -> None:
    played = incast()
    played.run(2000)
    target = played.at("leaf1", "to-h0")
    assert target.marked[3] > 1000
    paused_s = [counts.paused_tx_s[3] for end, counts in played.counted.ports()]
    assert max(paused_s) < 0.01 * 2000 * STEP_S
    assert not any(sum(counts.dropped) + sum(counts.input_drops) for _, counts in played.counted.ports())
    assert target.packets_out > 0.9 * LINE / 8 / 1000 / 4096 * 2000 * STEP_S  # and the line is full
    assert played.at("h0", "nic").cnp_sent > 0
    handled = sum(played.at(f"h{n}", "nic").cnp_handled for n in (1, 2, 3, 4))
    assert handled == played.at("h0", "nic").cnp_sent


def test_without_thresholds_of_ecn_pauses_reach_the_senders_and_nothing_is_marked() -> None:
    played = incast(UNMARKED, UNMARKED)
    played.run(1000)
    assert sum(sum(counts.marked) for _, counts in played.counted.ports()) == 0
    assert played.at("h2", "nic").paused_rx_s[3] > 0.3 * 1000 * STEP_S
    assert played.at("leaf1", "up").pfc_tx[3] > 0  # towards the spine
    assert played.at("spine", "to-leaf1").pfc_rx[3] == played.at("leaf1", "up").pfc_tx[3]
    assert played.at("h1", "nic").pfc_rx[3] > 0  # over two switches, to the far leaf's hosts
    assert not any(sum(counts.dropped) + sum(counts.input_drops) for _, counts in played.counted.ports())


def test_a_switch_without_pfc_sends_no_pause_and_drops() -> None:
    unmarked = PortRules(CLASSES)
    played = incast(unmarked, unmarked)
    played.run(1000)
    assert not any(sum(counts.pfc_tx) for _, counts in played.counted.ports())
    assert played.at("leaf1", "to-h0").dropped[3] > 0
    assert played.at("h0", "nic").out_of_sequence > 0


def test_one_end_that_does_not_obey_pauses_overruns_the_other() -> None:
    played = incast(UNMARKED, PortRules(CLASSES))
    played.run(1000)
    assert played.at("leaf1", "up").pfc_tx[3] > 0
    assert played.at("leaf1", "up").input_drops[3] > 0
    assert played.at("spine", "to-leaf1").paused_rx_s[3] == 0


def test_what_shares_a_port_with_a_paused_class_goes_on() -> None:
    played = fabric([*((source, 0, 1.0, ROCE) for source in (1, 2, 3, 4)), (2, 0, 0.2, OTHER)], UNMARKED, UNMARKED)
    played.run(1000)
    delivered = next(each[2] for each in played.model.flows() if each[0].dscp == OTHER)
    assert delivered > 0.9 * 0.2 * LINE / 8 / 1000 * 1000 * STEP_S


class TestImpaired:
    """Each impairment moves its own counters, and no others of its kind."""

    def test_a_storm_of_one_host_pauses_its_leaf_and_all_who_send_there(self) -> None:
        played = fabric(CALM, UNMARKED, UNMARKED, [("pause-storm", "h0", "nic")])
        played.run(1000)
        assert played.at("leaf1", "to-h0").paused_rx_s[3] == pytest.approx(1000 * STEP_S)
        assert played.at("leaf1", "to-h0").pfc_rx[3] > 100
        assert played.at("spine", "to-leaf1").paused_rx_s[3] > 0
        assert played.at("h1", "nic").paused_rx_s[3] > 0
        assert played.at("h0", "nic").packets_in < 100

    def test_a_watchdog_finds_the_queue_stuck_drops_and_frees_the_others(self) -> None:
        watched = PortRules(CLASSES, pauses=frozenset({3}), watched=True)
        played = fabric([*CALM, (1, 2, 0.1, ROCE)], watched, watched, [("pause-storm", "h0", "nic")])
        played.run(1000)
        assert played.at("leaf1", "to-h0").watchdog[3] == 1
        assert played.at("leaf1", "to-h0").dropped[3] > 0
        before, arrived = played.at("h1", "nic").paused_rx_s[3], played.at("h0", "nic").packets_in
        dropped, other = played.at("leaf1", "to-h0").dropped[3], played.at("h2", "nic").packets_in
        played.run(1000)
        assert played.at("h0", "nic").packets_in == arrived
        assert played.at("leaf1", "to-h0").dropped[3] > dropped + 1000
        assert played.at("h2", "nic").packets_in > other + 1000
        assert played.at("h1", "nic").paused_rx_s[3] == pytest.approx(before)

    def test_drops_of_a_queue_are_the_share_that_was_put(self) -> None:
        played = fabric(CALM, UNMARKED, UNMARKED, [("drops", "leaf1", "to-h0")])
        played.run(1000)
        target = played.at("leaf1", "to-h0")
        assert target.dropped[3] == pytest.approx((target.dropped[3] + target.packets_out) / 100, rel=1e-6)
        assert played.at("h0", "nic").out_of_sequence == pytest.approx(target.dropped[3], rel=0.1)

    def test_a_host_that_ignores_notifications_is_not_slowed(self) -> None:
        played = fabric([(source, 0, 1.0, ROCE) for source in (1, 2, 3, 4)], impaired=[("ignores-cnps", "h2", "")])
        played.run(1000)
        assert played.at("h2", "nic").cnp_ignored > 0 and played.at("h2", "nic").cnp_handled == 0
        assert played.at("h4", "nic").cnp_handled > 0
        assert played.model.rates()[1] == 1.0


def test_the_work_of_a_step_of_288_switches_grows_with_flows_alone() -> None:
    """256 leaves with 14 hosts each and 32 spines; each host sends to the one with its number at the next leaf."""
    leaves, spines, hosts = 256, 32, 14

    def step_calls(flows_of_host: int) -> int:
        far, played = {}, []
        ports: dict[str, dict[str, PortRules]] = {}
        for leaf in range(leaves):
            cables = [(End(f"l{leaf}", f"s{n}"), End(f"s{n}", f"l{leaf}")) for n in range(spines)]
            cables += [(End(f"h{leaf}-{n}", "nic"), End(f"l{leaf}", f"h{n}")) for n in range(hosts)]
            for one, other in cables:
                far[one], far[other] = other, one
                for end in (one, other):
                    ports.setdefault(end.device, {})[end.port] = LOSSLESS
            following = (leaf + 1) % leaves
            for number in range(hosts * flows_of_host):
                host, spine = number % hosts, number % spines
                way = (
                    End(f"h{leaf}-{host}", "nic"),
                    End(f"l{leaf}", f"s{spine}"),
                    End(f"s{spine}", f"l{following}"),
                    End(f"l{following}", f"h{host}"),
                )
                share = LINE * 2 / flows_of_host  # overloaded, so that queues, marks and pauses are all at work
                flow = Flow(way[0], End(f"h{following}-{host}", "nic"), "", "", share, number, dscp=ROCE)
                played.append((flow, Path(way, is_whole=True)))
        rules = {device: SwitchRules(each) for device, each in ports.items() if not device.startswith("h")}
        model = Model(played, rules, dict.fromkeys(far, LINE), far, Counted())
        model.step(STEP_S)
        return calls_of(lambda: model.step(STEP_S))

    assert step_calls(4) < 5 * step_calls(1)
