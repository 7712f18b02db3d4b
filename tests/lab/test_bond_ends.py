"""What a bonded host meets at the leaves' ends of its cables in the lab: LACP, its VLANs' gateways, other hosts."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nornir_tasks.lab.machines.bond_ends import PROGRAM
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.network import LeafNamespace
from nornir_tasks.lab.machines.plan import MachinePlan
from tests.lab.bonded_host import BUSINESS, BondedHost, is_answer, is_lacp, planned

pytestmark = pytest.mark.needs("root")

Cabled = Callable[[MachinePlan], BondedHost]


@pytest.fixture
def namespace(tmp_path: Path) -> Iterator[LeafNamespace]:
    made = LeafNamespace(tmp_path)
    made.make()
    try:
        yield made
    finally:
        made.remove()


@pytest.fixture
def cabled(namespace: LeafNamespace, tmp_path: Path) -> Iterator[Cabled]:
    """Hosts at the ends of their cables."""
    hosts = []

    def cable(plan: MachinePlan) -> BondedHost:
        taps = namespace.prepare(plan)
        hosts.append(BondedHost([taps[name] for name in plan.bonds[0].members], plan.index + 1))
        namespace.adopt(plan, taps)
        assert namespace.answer(plan, tmp_path)
        return hosts[-1]

    yield cable
    for each in hosts:
        each.close()


def processes(namespace: LeafNamespace) -> list[int]:
    return [int(word) for word in run(["ip", "netns", "pids", namespace.name], 30).split()]


def test_both_legs_are_answered_by_one_system_which_repeats_what_the_host_says(cabled: Cabled) -> None:
    host = cabled(planned())
    answers = []
    for leg in range(2):
        host.speak_lacp(leg)
        answers.append(host.hear(leg, lambda frame: is_lacp(frame) and frame[40:46] == host.mac))
    for leg, frame in enumerate(answers):
        assert (frame[20:26].hex(":"), frame[26:28]) == ("02:5e:00:00:00:01", b"\0\1"), "system and key of the pair"
        assert frame[30:32] == bytes([0, leg + 1]), "a port of its own for each leg"
        assert frame[32] == 0b0011_1111
        assert frame[36:53] == b"\2\x14\xff\xff" + host.mac + b"\0\x09\0\xff\0" + bytes([leg + 1]) + b"\x3f"


def test_the_rate_that_the_pair_asks_for_is_the_plans(cabled: Cabled) -> None:
    host = cabled(planned(is_fast=False))
    host.speak_lacp(0)
    assert host.hear(0, lambda frame: is_lacp(frame) and frame[40:46] == host.mac)[32] == 0b0011_1101


def test_a_leg_to_another_bond_of_the_host_is_not_taken_into_the_first(cabled: Cabled) -> None:
    host = cabled(planned())
    host.join()
    host.speak_lacp(1, key=10)
    assert host.hear(1, lambda frame: is_lacp(frame) and frame[46:48] == b"\0\x0a")[32] & 0b0011_1000 == 0


def is_arp(frame: bytes) -> bool:
    """Tagged or not; what IPv6 says of itself in a VLAN is no answer."""
    return frame[16:18] == b"\x08\x06" if frame[12:14] == b"\x81\0" else frame[12:14] == b"\x08\x06"


def test_each_gateway_answers_in_its_own_vlan_alone(cabled: Cabled) -> None:
    host = cabled(planned())
    host.join()
    for address, vlan in (("10.177.0.1", None), ("10.176.0.1", 300)):  # first, so that an answer would be seen below
        host.ask_for(address, leg=1, vlan=vlan)
    host.ask_for("10.176.0.1", leg=1)
    storage = host.hear(0, is_arp)
    assert is_answer(storage, "10.176.0.1", None), "from the leg that the pair sends on, whichever was asked"
    host.ask_for("10.177.0.1", leg=0, vlan=300, mine="10.177.0.9")
    business = host.hear(0, is_arp)
    assert is_answer(business, "10.177.0.1", 300)
    assert business[6:12].hex(":") == BUSINESS.mac


def test_a_gateway_of_ipv6_has_its_address_and_the_vlans_mtu(cabled: Cabled, namespace: LeafNamespace) -> None:
    cabled(planned())
    links = json.loads(run(["ip", "-n", namespace.name, "-j", "address"], 30))
    (bridge,) = [each for each in links if each["ifname"] == BUSINESS.name]
    known = [f"{one['local']}/{one['prefixlen']}" for one in bridge["addr_info"] if one["scope"] == "global"]
    assert (known, bridge["mtu"]) == (["10.177.0.1/25", "fd00:300::1/64"], 1500)


def test_nothing_is_sent_on_a_leg_where_the_host_takes_nothing(cabled: Cabled) -> None:
    host = cabled(planned())
    host.join()
    host.speak_lacp(0, state=0x0F)  # no longer collecting
    host.hear(0, lambda frame: is_lacp(frame) and frame[52] == 0x0F)
    host.ask_for("10.176.0.1", leg=1)
    assert host.hear(1, lambda frame: is_answer(frame, "10.176.0.1", None))


def test_hosts_of_one_pair_are_in_one_vlan(cabled: Cabled) -> None:
    one, two = cabled(planned(0)), cabled(planned(1))
    one.join()
    two.join()
    one.send(0, two.mac, b"to the other host")
    assert two.hear(0, lambda frame: frame[12:14] == b"\x88\xb5")[14:31] == b"to the other host"


def test_a_pair_that_was_killed_is_there_again_and_one_that_runs_is_left_alone(
    cabled: Cabled, namespace: LeafNamespace, tmp_path: Path
) -> None:
    host = cabled(planned())
    (before,) = processes(namespace)
    assert not namespace.answer(planned(), tmp_path)
    os.kill(before, signal.SIGKILL)
    _wait_until(lambda: before not in processes(namespace))
    assert namespace.answer(planned(), tmp_path)
    assert before not in processes(namespace)
    host.join()


def test_what_a_killed_command_left_half_made_is_not_taken_for_whole(cabled: Cabled, namespace: LeafNamespace) -> None:
    plan = planned()
    cabled(plan)
    assert namespace.holds(plan)
    run(["ip", "-n", namespace.name, "link", "set", "h1-b0v1", "down"], 30)
    assert not namespace.holds(plan)
    run(["ip", "-n", namespace.name, "link", "set", "h1-b0v1", "up"], 30)
    run(["ip", "-n", namespace.name, "link", "set", "h1-b0v1", "nomaster"], 30)
    assert not namespace.holds(plan)
    run(["ip", "-n", namespace.name, "link", "set", "h1-b0v1", "master", BUSINESS.name], 30)
    assert namespace.holds(plan)
    run(["ip", "-n", namespace.name, "link", "delete", BUSINESS.name], 30)
    assert not namespace.holds(plan)


def test_what_plays_the_pair_ends_with_its_cables_though_nobody_ends_it(
    cabled: Cabled, namespace: LeafNamespace
) -> None:
    cabled(planned())
    run(["ip", "-n", namespace.name, "link", "delete", "h1-front1"], 30)
    _wait_until(lambda: not processes(namespace))


def test_forgetting_a_host_ends_its_pair_alone_and_removing_all_leaves_nothing(
    cabled: Cabled, namespace: LeafNamespace
) -> None:
    plans = (planned(0), planned(1))
    for plan in plans:
        cabled(plan)
    before = processes(namespace)
    namespace.forget(0)
    (left,) = processes(namespace)
    assert left in before and not namespace.holds(plans[0]) and namespace.holds(plans[1])
    namespace.remove()
    assert str(PROGRAM).encode() not in _command(left)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)
