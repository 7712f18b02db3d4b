"""BGP sessions are told apart by VRF and peer: two VRFs may use the same addresses."""

from dataclasses import replace

from nornir_tasks.design.config.bgp import Neighbor
from nornir_tasks.design.config.vrfs import key_name
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.links import Circuit, Use
from nornir_tasks.design.model.order import in_order
from tests.unit.checks.lab_evidence import clean
from tests.unit.design.lab_like import configs, lab

LEAF = "leaf-g1-r0"


def with_neighbors(*neighbors: Neighbor) -> DeviceConfig:
    config = configs()[LEAF].config
    assert config.bgp is not None
    return replace(config, bgp=replace(config.bgp, neighbors=neighbors))


def test_sessions_of_equal_peers_in_two_vrfs_are_two_sessions_of_a_switch() -> None:
    plain = Neighbor("10.0.0.1", 65001, "COMPUTE-SPINES", "spine-1 swp1")
    other = replace(plain, vrf="storage")
    assert (plain.key, other.key) == ((None, "10.0.0.1"), ("storage", "10.0.0.1"))
    assert plain.peer == other.peer
    assert [key_name(each.key) for each in (plain, other)] == ["10.0.0.1", "10.0.0.1 in VRF storage"]


def test_sessions_stand_in_the_order_of_their_vrfs_the_default_one_first() -> None:
    plain = Neighbor("10.0.0.9", 65001, "COMPUTE-SPINES", "spine-1 swp1")
    late, early = replace(plain, vrf="storage", address="10.0.0.2"), replace(plain, vrf="business")
    sort_key = lab().facts[lab().device(LEAF).os].sort_key
    ordered = in_order(with_neighbors(late, early, plain), sort_key)
    assert ordered.bgp is not None
    assert ordered.bgp.neighbors == (plain, early, late)
    assert in_order(with_neighbors(plain, late, early), sort_key) == ordered


def test_the_port_of_a_session_is_looked_for_in_its_own_vrf() -> None:
    first, second = (each for each in lab().circuits_of(LEAF) if each.link.kind == "fabric")
    far = second.link.upper.device
    twin = Circuit(first.link, Use("storage", 9000, vrf="storage", tag=300), second.upper_address, second.lower_address)
    evidence = replace(clean(), network=replace(lab(), circuits=(*lab().circuits, twin)))
    peer = second.address(far)
    assert evidence.port_of_neighbor(LEAF, (None, peer)) == second.link.lower.port
    assert evidence.port_of_neighbor(LEAF, ("storage", peer)) == f"{first.link.lower.port}.300"
    assert evidence.port_of_neighbor(LEAF, ("business", peer)) == ""
