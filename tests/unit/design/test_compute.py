"""The compute plane's rules: what is announced, who hears it, what a drain changes, which rails meet."""

from nornir_tasks.design.config.routing_policy import GSHUT
from nornir_tasks.design.pipeline import device_configs
from nornir_tasks.design.reports.counts import design_counts
from tests.strategies import built
from tests.unit.design.lab_like import configs, lab
from tests.unit.design.test_nearest import site


def test_a_leaf_announces_its_loopback_and_its_host_block_and_nothing_else() -> None:
    config = configs()["leaf-g1-r3"].config
    assert config.bgp.networks == ("10.171.0.0/24", "10.255.48.1/32")
    lists = {each.name: [rule.prefix for rule in each.rules] for each in config.routing_policy.prefix_lists}
    maps = {each.name: each.rules[0].match_prefix_list for each in config.routing_policy.route_maps}
    assert sorted(lists[maps[config.bgp.peer_groups[0].route_map_out]]) == sorted(config.bgp.networks)
    assert [route.prefix for route in config.static_routes] == ["10.171.0.0/24"]


def test_a_spine_announces_its_loopback_only_and_takes_from_each_leaf_only_what_is_that_leafs() -> None:
    config = configs()["spine-2"].config
    assert config.bgp.networks == (f"{lab().device('spine-2').loopback}/32",)
    assert config.static_routes == ()
    lists = {each.name: {rule.prefix for rule in each.rules} for each in config.routing_policy.prefix_lists}
    maps = {each.name: each.rules[0].match_prefix_list for each in config.routing_policy.route_maps}
    for neighbor in config.bgp.neighbors:
        leaf = neighbor.description.split()[0]
        wanted = {f"{lab().device(leaf).loopback}/32", lab().host_block(leaf, "compute")}
        assert lists[maps[neighbor.route_map_in]] == wanted


def test_no_link_prefix_is_ever_announced_or_let_through() -> None:
    for each in configs().values():
        assert not any(prefix.startswith("10.16") and prefix.endswith("/31") for prefix in each.config.bgp.networks)


def test_spines_share_an_asn_and_no_leaf_shares_one() -> None:
    asns = {device.name: device.asn for device in lab().devices}
    assert asns["spine-1"] == asns["spine-2"]
    leaves = [asn for name, asn in asns.items() if name.startswith("leaf")]
    assert len(set(leaves)) == len(leaves)


def test_a_drain_lengthens_every_path_through_the_switch_and_touches_nothing_else() -> None:
    drained = {each.config.name: each.config for each in device_configs(lab(), drained={"spine-1"})}
    for name, before in configs().items():
        if name != "spine-1":
            assert drained[name] == before.config
    rules = [rule for each in drained["spine-1"].routing_policy.route_maps for rule in each.rules]
    asn = lab().device("spine-1").asn
    assert all(rule.prepend == (asn, asn, asn) and rule.communities == (GSHUT,) for rule in rules)
    quiet = [rule for each in configs()["spine-1"].config.routing_policy.route_maps for rule in each.rules]
    assert all(rule.prepend == () and rule.communities == () for rule in quiet)
    assert drained["spine-1"].bgp == configs()["spine-1"].config.bgp


def test_the_lab_is_two_spines_and_eight_leaves_at_one_to_one() -> None:
    counts = design_counts(lab())
    assert counts["planes"]["compute"] == {
        "fabric": "compute",
        "tiers": {"leaf": {"switches": 8}, "spine": {"switches": 2}, "core": {"switches": 0}},
        "oversubscription": 1.0,
        "host_links": 32,
        "fabric_links": 16,
    }
    assert counts["totals"] == {"switches": 10, "links": 48, "cables": 48, "optics": 32}  # hosts have AOCs


def test_copper_cables_have_no_optics() -> None:
    fabric = built(site(leaf__medium="DAC", leaf__cable_m=2))
    counts = design_counts(fabric)
    assert counts["totals"]["optics"] == 2 * counts["planes"]["compute"]["fabric_links"]


def test_when_spines_form_groups_contiguous_rails_stay_together_and_a_rail_is_never_split() -> None:
    fabric = built(site(hosts__max=400, hosts__count=400, cross_rail="nvlink", spine__groups=2))
    made = fabric.fabrics["compute"]
    assert [made.reachable(0, rail) for rail in range(8)] == [True] * 4 + [False] * 4
    assert all(made.reachable(rail, rail) for rail in range(8))
    groups = {device.rail: device.spine_group for device in fabric.devices if device.role == "leaf"}
    assert [groups[rail] for rail in range(8)] == [1] * 4 + [2] * 4
    assert len({device.asn for device in fabric.devices if device.role == "spine"}) == 2


def test_where_nvlink_joins_rails_they_part_as_is_cheapest() -> None:
    """Of 80 leaves with 20 uplinks each, 40 in a group need 20 spines of 64 ports, 20 leaves in a group 7."""
    fabric = built(site(hosts__max=400, hosts__count=400, cross_rail="nvlink"))
    assert fabric.fabrics["compute"].rail_spine_group == (1, 1, 2, 2, 3, 3, 4, 4)
    assert fabric.fabrics["compute"].spines == 28


def test_look_ups_find_both_ends() -> None:
    far = lab().far_end("leaf-g1-r0", "Ethernet63/1")
    assert far is not None
    assert (far.device, far.port) == ("spine-1", "swp1")
    back = lab().far_end(far.device, far.port)
    assert back is not None
    assert back.device == "leaf-g1-r0"
    assert lab().far_end("leaf-g1-r0", "Ethernet40/1") is None
    assert "leaf-g1-r0" in lab()
    assert "nobody" not in lab()
    assert [nic.rail for nic in lab().rails_of("gpu-1", "compute")] == list(range(8))
    assert lab().rails_of("gpu-1", "compute")[3].gateway == "10.171.0.0"


def test_the_prefix_limit_leaves_room_for_the_whole_layout_and_for_planes_to_come() -> None:
    """A leaf counts as 4 prefixes, so a spine with 8 leaves announces 4 x 8 + 1; half as much again."""
    limits = {
        each.config.name: {group.max_prefixes for group in each.config.bgp.peer_groups} for each in configs().values()
    }
    assert all(limit == {6} if name.startswith("spine") else limit == {50} for name, limit in limits.items())
