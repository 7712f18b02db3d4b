"""Lists of the control plane on EOS' twins: which sessions come up, by what both ends let in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from ipaddress import ip_address

import pytest
from loaded_twins import loaded

from nornir_tasks.design.pipeline import device_config
from switch_twins.control_lists import OWN, TCP, UDP, ControlLists, Sent
from switch_twins.engine import load_text
from switch_twins.eos.control_plane import control_lists
from switch_twins.eos.twin import EosTwin
from switch_twins.server import LabServer
from tests.unit.design import fabric_listed

LEAF, FOUR = "front-leaf-g1-a", "GPUFABRIC-BASE-FABRIC"
REFUSED = "a list of the control plane refuses TCP port 179"
HERE, THERE = ip_address("10.0.0.1"), ip_address("10.0.0.2")
PLAYED = ["compute", "storage", "business", "base"]


def numbers_of(switch: str) -> Mapping[str, list[int]]:
    """Numbers of rules of the list of IPv4, by what they are for."""
    network = fabric_listed.site().network
    (rules,) = (e.rules for e in device_config(network, network.device(switch)).config.base.reach.fabric[:1])
    wanted = {"BGP": (179, 179), "BFD": (3784, 3784)}
    found = {name: [e.sequence for e in rules if e.destination_ports == port] for name, port in wanted.items()}
    return {**found, "answers": [e.sequence for e in rules if e.established]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabServer:
    return loaded(fabric_listed.site(), PLAYED, tmp_path_factory.mktemp("twins"))


def typed(lab: LabServer, switch: str, text: str) -> None:
    """By hand, at the switch."""
    twin = lab.twins[switch]
    assert isinstance(twin, EosTwin)
    assert not load_text(twin.configuration.running, twin.configuration.context, text)
    twin.configuration.changed()


def down(lab: LabServer, switch: str) -> dict[str | None, str]:
    """The far end of each session of ours that is not up, and why."""

    async def ask() -> dict[str | None, str]:  # its clock is the loop's
        ours = [each for each in lab.fabric.sessions(switch) if each.neighbor.peer_group]
        assert ours
        return {each.peer_device: each.reason for each in ours if each.state != "established"}

    return asyncio.run(ask())


def test_with_the_lists_as_rendered_every_session_is_up(lab: LabServer) -> None:
    for name, twin in lab.twins.items():
        assert twin.state().control != OWN, name
        assert down(lab, name) == {}, name


def take_out(lab: LabServer, switch: str, what: str) -> str:
    """The permits for something, of the list of IPv4; what brings them back."""
    before = lab.twins[switch].running_text()
    lines = "".join(f"   no {number}\n" for number in numbers_of(switch)[what])
    typed(lab, switch, f"ip access-list {FOUR}\n{lines}")
    return before[before.index(f"ip access-list {FOUR}") :].partition("!")[0]


def test_a_session_loses_its_bfd_if_one_end_refuses_that(lab: LabServer) -> None:
    async def heard() -> set[str | None]:
        return {each.peer_device for each in lab.fabric.sessions(LEAF) if each.is_bfd_up}

    spines = {"front-spine-1", "front-spine-2"}
    assert asyncio.run(heard()) == spines  # the session to the other leaf of the pair has none
    own = take_out(lab, LEAF, "BFD")
    assert (down(lab, LEAF), asyncio.run(heard())) == ({}, set())
    typed(lab, LEAF, own)
    assert asyncio.run(heard()) == spines


@pytest.mark.parametrize("what", ["BGP", "answers"])
def test_a_session_comes_up_if_one_end_lets_it_be_opened_and_goes_down_if_neither_does(
    lab: LabServer, what: str
) -> None:
    spines, own = ["front-spine-1", "front-spine-2"], dict[str, str]()
    for name in (LEAF, *spines):
        own[name] = take_out(lab, name, what)
        refused = {each for each in spines if each in own}
        assert down(lab, LEAF) == dict.fromkeys(refused, REFUSED)
    for name, text in own.items():
        typed(lab, name, text)
    assert down(lab, LEAF) == {}


@pytest.mark.parametrize(
    ("line", "admits"),
    [
        ("", True),  # the OS' own list
        ("ip access-group A in", False),
        ("ip access-group A vrf default in", False),
        ("ip access-group A vrf MGMT in", True),
        ("ip access-group NOT-THERE in", True),
        ("ipv6 access-group A in", True),
    ],
)
def test_the_list_of_the_default_vrf_is_that_without_a_vrf(lab: LabServer, line: str, *, admits: bool) -> None:
    twin = lab.twins["leaf-g1-r0"]
    assert isinstance(twin, EosTwin)
    tree = twin.configuration.running.copy()
    own = "system control-plane\n   no ip access-group GPUFABRIC-BASE-FABRIC in\n"
    rules = "ip access-list A\n   10 permit tcp any any eq bgp\n   20 deny ip any any\n"
    applied = f"system control-plane\n   {line}\n" if line else ""
    assert not load_text(tree, twin.configuration.context, own + rules + applied)
    assert control_lists(tree).admits(Sent(HERE, THERE, TCP, 49152, 22)) is admits
    assert control_lists(tree).admits(Sent(HERE, THERE, TCP, 49152, 179))


@pytest.mark.parametrize(
    ("rule", "sent", "admits"),
    [
        ("permit ip any any", (TCP, 1, 22, False), True),
        ("permit tcp any any established", (TCP, 179, 49152, True), True),
        ("permit tcp any any established", (TCP, 179, 49152, False), False),
        ("permit udp any any", (TCP, 1, 22, False), False),
        ("permit udp 10.0.0.0/24 any eq bfd ttl eq 255", (UDP, 1, 3784, False), True),
        ("permit udp host 10.0.0.9 any eq bfd", (UDP, 1, 3784, False), False),
        ("permit tcp any eq ssh any", (TCP, 22, 49152, False), True),
        ("permit udp any any range 33434 33523", (UDP, 1, 33500, False), True),
        ("permit udp any any range 33434 33523", (UDP, 1, 33524, False), False),
        ("permit tcp any any eq bgp ssh", (TCP, 1, 22, False), True),
        ("permit tcp any any gt 1023", (TCP, 1, 22, False), False),
        ("permit tcp any any lt 1024", (TCP, 1, 22, False), True),
        ("permit tcp any any neq 22", (TCP, 1, 22, False), False),
        ("permit icmp any any 8", (TCP, 1, 22, False), False),
    ],
)
def test_a_rule_matches_what_it_says(
    lab: LabServer, rule: str, sent: tuple[int, int, int, bool], *, admits: bool
) -> None:
    twin = lab.twins["leaf-g1-r0"]
    assert isinstance(twin, EosTwin)
    tree = twin.configuration.running.copy()
    text = f"ip access-list A\n   10 {rule}\nsystem control-plane\n   ip access-group A in\n"
    assert not load_text(tree, twin.configuration.context, text)
    assert control_lists(tree).admits(Sent(HERE, THERE, *sent)) is admits


def test_without_a_list_everything_gets_in_and_an_empty_one_refuses_all() -> None:
    assert OWN.admits(Sent(HERE, THERE, UDP, 1, 1))
    assert not ControlLists(four=()).admits(Sent(HERE, THERE, UDP, 1, 1))
