"""A ping is answered only if routes lead there and back over ports that are up and as large as the packet."""

from test_fabric_sim import LEAF1_BLOCK, SPINE0, Fabric

from switch_twins.reach import Found, Ping, longest_match, ping
from switch_twins.state import StaticRoute

LEAF0, LEAF1, SPINE1 = "10.255.0.0", "10.255.0.1", "10.255.0.3"


def pinged(lab: Fabric, to: str, **how: object) -> Found:
    return ping(lab.sim, Ping("leaf0", "default", to, **how))  # type: ignore[arg-type]


def test_a_leaf_reaches_another_ones_loopback_from_its_own() -> None:
    lab = Fabric(2, 2)
    assert pinged(lab, LEAF1, source="lo") == Found(answers=True, source=LEAF0)
    assert pinged(lab, LEAF0, source="lo").answers  # itself
    assert pinged(lab, SPINE0) == Found(answers=True, source="10.160.0.1")


def test_without_a_route_or_the_source_nothing_is_sent() -> None:
    lab = Fabric(2, 2)
    assert pinged(lab, "192.0.2.1").mistake == "ping: connect: Network is unreachable"
    assert pinged(lab, LEAF1, source="192.0.2.7").mistake == "ping: bind: Cannot assign requested address"
    assert pinged(lab, LEAF1, source="Loopback9").mistake == "ping: bind: Cannot assign requested address"


def test_what_is_sent_into_a_discard_route_or_to_nobody_is_lost() -> None:
    lab = Fabric(2, 2)
    assert pinged(lab, LEAF1_BLOCK.replace("0/24", "9")) == Found(source="10.160.0.1")  # leaf1 discards what it has not
    lab.switches["leaf0"].commit(static_routes=(StaticRoute("192.0.2.0/24"),))
    assert not pinged(lab, "192.0.2.1", source="lo").answers


def test_an_answer_without_a_way_back_is_lost() -> None:
    lab = Fabric(2, 2)
    lab.switches["leaf0"].set_bgp(networks=())
    assert pinged(lab, LEAF1).source == "10.160.0.1"
    assert not pinged(lab, LEAF1, source="lo").answers


def test_a_packet_larger_than_a_port_on_its_way_does_not_arrive() -> None:
    lab = Fabric(2, 2)
    assert pinged(lab, LEAF1, source="lo", size_bytes=9000, keeps_whole=True).answers
    assert pinged(lab, LEAF1, source="lo", size_bytes=9300, keeps_whole=True).mtu_bytes == 9214  # its own port
    for spine in ("spine0", "spine1"):
        lab.switches[spine].set_interface("p1", mtu_bytes=1500)
    found = pinged(lab, LEAF1, source="lo", size_bytes=9000, keeps_whole=True)
    assert (found.answers, found.mtu_bytes) == (False, 0)


def test_after_a_cut_the_other_spine_is_taken() -> None:
    lab = Fabric(2, 2)
    lab.sim.cut_cable("l0s0")
    assert pinged(lab, LEAF1, source="lo").answers
    assert pinged(lab, SPINE1).answers
    assert pinged(lab, SPINE0).mistake  # its network went with the port


def test_the_most_specific_route_is_the_one_that_is_taken() -> None:
    table = Fabric(2, 2).sim.rib("leaf0")
    found = longest_match(table, "10.170.1.77")
    assert found is not None and found.prefix == LEAF1_BLOCK
    assert longest_match(table, "192.0.2.1") is None
