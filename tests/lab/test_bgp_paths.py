"""What `show ip bgp` lists: every path, the best one marked, also those over which nothing is forwarded."""

from test_fabric_sim import LEAF1_BLOCK, Fabric


def test_a_path_that_is_not_used_is_listed_and_not_called_used() -> None:
    lab = Fabric(2, 3)
    lab.switches["leaf0"].set_bgp(maximum_paths=2)
    paths = lab.sim.paths("leaf0")[LEAF1_BLOCK]
    assert [(each.is_best, each.is_used) for each in paths] == [(True, True), (False, True), (False, False)]
    hops = {hop.address for hop in lab.sim.rib("leaf0")[LEAF1_BLOCK].next_hops}
    assert {each.next_hop for each in paths if each.is_used} == hops
    assert all(each.as_path == (65000, 65101) and each.local_preference == 100 for each in paths)


def test_an_own_network_is_a_path_without_a_session() -> None:
    lab = Fabric(2, 2)
    (own,) = lab.sim.paths("leaf1")[LEAF1_BLOCK]
    assert (own.is_best, own.session, own.as_path, own.next_hop) == (True, None, (), "")
