"""What stands on ports that failed follows them: groups, SVIs, the subnets announced there; and nothing else does."""

from dataclasses import replace

from simulated import Network

from nornir_tasks.checks.causes.interface_dependencies import Standing
from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import End
from nornir_tasks.platforms.observed import PortState

LEAF, OTHER, SUBNETS = "front-leaf-g1-a", "front-leaf-g1-b", ("10.176.0.0/25", "10.177.0.0/25")
HOSTS, PEER = ("Ethernet1", "Ethernet2"), ("Ethernet55/1", "Ethernet56/1")


def ports_of(cause: Cause) -> set[str]:
    return {each.message.partition(":")[0] for each in cause.follows if each.check == "port"}


def down(port: PortState) -> PortState:
    return replace(port, oper_up=False) if port.name == "Vlan200" else port


def shut(network: Network, device: str, names: tuple[str, ...]) -> None:
    for name in names:
        network.port(device, name, enabled=False)


def test_a_clean_pair_has_no_cause() -> None:
    assert Network("front").judge().causes == ()


def test_a_group_with_one_member_left_is_no_failure() -> None:
    network = Network("front")
    shut(network, LEAF, PEER[:1])
    (cause,) = network.judge().causes
    assert not any("Port-Channel" in each.port for each in cause.follows)


def test_every_port_shut_is_a_cause_and_groups_svis_and_subnets_follow_them() -> None:
    network = Network("front")
    shut(network, LEAF, (*HOSTS, *PEER))
    ports = [*HOSTS, *PEER]
    causes = sorted(network.judge().causes, key=lambda each: ports.index(each.lead.port))
    assert [(each.lead.check, each.lead.port) for each in causes] == [("config", port) for port in ports]
    first, second, third, _ = causes
    assert {f"{LEAF} Port-Channel1", f"{LEAF} Vlan200", f"{LEAF} Vlan300"} <= ports_of(first)
    assert f"{LEAF} Port-Channel2" in ports_of(second)
    assert {f"{LEAF} Port-Channel1000", f"{OTHER} Port-Channel1000"} <= ports_of(third)
    lost = {(each.device, each.subject) for each in first.follows if each.check == "ecmp"}
    assert lost == {(LEAF, "others"), *((f"front-spine-{n}", subnet) for n in (1, 2) for subnet in SUBNETS)}


def test_a_group_that_is_shut_at_one_end_is_one_cause_for_both_ends() -> None:
    network = Network("front")
    network.port(LEAF, "Port-Channel1000", enabled=False)
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.port) == ("config", "Port-Channel1000")
    assert {f"{LEAF} Port-Channel1000", f"{OTHER} Port-Channel1000"} <= ports_of(cause)


def test_cut_cables_of_a_group_lead_and_the_group_follows_the_first() -> None:
    network = Network("front")
    network.cut = {name for name, ends in network.cables.items() if {end.device for end in ends} == {LEAF, OTHER}}
    assert len(network.cut) == len(PEER)
    causes = network.judge().causes
    assert all(each.lead.check == "port" and "Port-Channel" not in each.lead.port for each in causes)
    groups = {each for cause in causes for each in ports_of(cause) if "Port-Channel" in each}
    assert groups == {f"{name} Port-Channel1000" for name in (LEAF, OTHER)}


def test_an_svi_that_is_down_beside_ports_that_are_up_leads_by_itself() -> None:
    network = Network("front")
    network.shows(LEAF, lambda seen: replace(seen, ports=tuple(map(down, seen.ports))))
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.port, cause.follows) == ("port", "Vlan200", ())


def test_what_stands_on_what() -> None:
    standing = Standing(Network("front").evidence())
    heights: dict[End, int] = {(LEAF, "Ethernet1"): 0, (LEAF, "Port-Channel1"): 1, (LEAF, "Vlan200"): 2}
    assert {end: standing.height(end) for end in heights} == heights
    assert standing.beneath((LEAF, "Port-Channel1")) == ((LEAF, "Ethernet1"),)
    assert standing.beneath((LEAF, "Port-Channel1000"))[2:] == ((OTHER, "Port-Channel1000"),)
    assert standing.beneath((LEAF, "Vlan200")) == tuple((LEAF, f"Port-Channel{n}") for n in (1, 2, 1000))
    assert standing.beneath(("front-leaf-g4-a", "vlan310")) == tuple(
        ("front-leaf-g4-a", n) for n in ("peerlink", "bond1")
    )
    assert standing.beneath((LEAF, "Ethernet1")) == ()
