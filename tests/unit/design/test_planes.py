"""Two planes on one fabric: each owns what bears its mark, they share what is the fabric's, and neither overwrites."""

import json
from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan, sides
from nornir_tasks.design.contribute.merge import merge
from nornir_tasks.design.demand.kinds import PlaneKind
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.realise.configuration import realise
from nornir_tasks.errors import DesignError
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.ownership import join, split
from tests import pushed as pushed_by
from tests.unit.design import toys
from tests.unit.design.toys import ONE_OF_EACH, both, real_lab, realised, storage_port, with_storage
from tests.unit.design.wanted_of import wanted_of

FABRIC = "fabric compute"
SYSTEMS = pytest.mark.parametrize("device", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


def parts(device: str) -> dict[str | None, ConfigTree]:
    """The whole wanted configuration, by owner."""
    whole = both(device)
    return split(whole.tree, whole.platform.ownership, whole.claims)


def leaves(tree: ConfigTree) -> set[tuple[str, ...]]:
    return {path for path, node in tree.walk() if not node}


@SYSTEMS
def test_what_each_plane_pushes_is_together_what_all_push_and_common_to_them_is_the_shared_owners_alone(device) -> None:
    compute, storage, everything = both(device, "compute"), both(device, "storage"), both(device)
    assert join([compute.tree, storage.tree]) == everything.tree
    shared = join([parts(device)[FABRIC], parts(device)[SWITCH]])
    lines = leaves(everything.tree)  # headers of containers that several live in stand with each of them
    assert compute.tree.paths() & storage.tree.paths() & lines == shared.paths() & lines
    assert (storage.tree.paths() - compute.tree.paths()) & lines == leaves(parts(device)["storage"]) != set()


@SYSTEMS
def test_lists_routes_sessions_and_ports_of_the_second_plane_are_its_own(device) -> None:
    by_owner = parts(device)
    for mark in ("STORAGE-OUT", "STORAGE-PEERS", "10.32.", storage_port(device)):
        found = {key for key, tree in by_owner.items() for path in leaves(tree) if mark in " / ".join(path)}
        # what the fabric's own lists let through is the fabric's, whoever's prefix it is
        assert found - {FABRIC} == {"storage"}, mark
    assert not by_owner[None]


@SYSTEMS
def test_a_port_that_only_the_second_plane_uses_is_pushed_by_that_plane_alone(device) -> None:
    port = storage_port(device)
    config = next(each for each in realised(device).config.interfaces if each.name == port)
    assert (config.enabled, config.mtu_bytes, config.description[:6]) == (True, 9000, "store-")
    assert config.layer1 is not None
    named = [
        {path for path in leaves(both(device, plane).tree) if port in " / ".join(path).split()}
        for plane in ("compute", "storage")
    ]
    assert named[0] == set() != named[1]


@SYSTEMS
def test_every_line_of_the_second_plane_that_is_lost_shows_in_its_plan_and_in_nobody_elses(device, figure) -> None:
    everything, mine = both(device), leaves(parts(device)["storage"])
    for path in mine:
        running = everything.tree.copy()
        del running.get(*path[:-1]).children[path[-1]]
        text = everything.platform.to_text(running)
        assert device_plan(both(device, "compute"), text).changes == ()
        assert {change.path for change in device_plan(both(device, "storage"), text).changes} >= {path}
    figure(f"{device}: {len(mine)} lines of storage lost one by one, each seen by storage alone")
    assert len(mine) > 8


@SYSTEMS
def test_what_an_earlier_design_left_behind_still_has_its_owner(device) -> None:
    claims = realised(device).claims
    assert (claims.by_name("STORAGE-OLD"), claims.by_name("COMPUTE-OLD")) == ("storage", FABRIC)
    assert claims.by_name("COMPUTE-HOSTS") == "compute"  # of a VLAN under an old number
    assert (claims.by_name("GPUFABRIC-OLD"), claims.by_name("CUSTOMER-OUT")) == (SWITCH, None)
    assert claims.by_address("10.32.255.9") == "storage"
    pools = {**real_lab().fabrics["compute"].pools, **real_lab().planes["compute"].pools}
    assert [claims.by_address(pools[name]) for name in ("hosts", "links", "loopback")] == ["compute", FABRIC, FABRIC]
    assert claims.by_address("192.0.2.1") is None


@SYSTEMS
def test_the_greater_number_of_paths_counts(device) -> None:
    alone = device_config(real_lab(), real_lab().device(device))
    assert alone.config.bgp.maximum_paths == 2
    assert realised(device).config.bgp.maximum_paths == 4


@SYSTEMS
def test_the_fabric_lets_through_what_the_second_plane_announces(device) -> None:
    lists = {
        each.name: [rule.prefix for rule in each.rules] for each in realised(device).config.routing_policy.prefix_lists
    }
    pools = {**real_lab().fabrics["compute"].pools, **real_lab().planes["compute"].pools}
    assert lists["COMPUTE-FABRIC"] == [pools["loopback"], pools["hosts"], toys.POOL]
    own = next(lists[name] for name in ("COMPUTE-OWN", "COMPUTE-LEAF-G1-R0") if name in lists)
    assert len(own) == 3
    assert own[2].startswith("10.32.")


@SYSTEMS
def test_a_second_plane_changes_nothing_of_the_first(device) -> None:
    alone = device_config(real_lab(), real_lab().device(device)).config
    beside = realised(device).config
    ports = {port.name: port for port in beside.interfaces}
    assert all(ports[port.name] == port for port in alone.interfaces if port.name != storage_port(device))
    assert set(beside.bgp.neighbors) > set(alone.bgp.neighbors)
    assert beside.qos == alone.qos


@SYSTEMS
def test_the_device_of_a_fabric_without_planes_has_lines_of_fabric_and_switch_alone(device) -> None:
    network = real_lab()
    circuits = tuple(each for each in network.circuits if each.link.kind == "fabric")
    bare = device_config(replace(network, planes={}, circuits=circuits), network.device(device))
    made = wanted_of(bare)
    by_owner = split(made.tree, made.platform.ownership, made.claims)
    assert {key for key, tree in by_owner.items() if tree} == {FABRIC, SWITCH}
    assert made.owners == {SWITCH}
    cabled = {link.end(device).port for link in network.links_of(device) if link.kind == "host"}
    assert not cabled & {port.name for port in bare.config.interfaces}


def test_a_plane_is_asked_about_switches_of_its_own_fabric_alone() -> None:
    def never(*_: object):
        raise AssertionError("asked about a switch of another fabric")

    network = with_storage()
    planes = {**network.planes, "storage": replace(network.planes["storage"], fabric="front")}
    circuits = tuple(each for each in network.circuits if each.owner != "storage")
    network = replace(network, planes=planes, circuits=circuits)
    kinds = toys.with_kind(PlaneKind(never, never, never))
    assert device_config(network, network.device("leaf-g1-r0"), among=kinds).config.name == "leaf-g1-r0"


def test_a_clash_names_both_owners_the_switch_the_field_and_both_values_and_all_clashes_come_at_once() -> None:
    device = with_storage().device("leaf-g1-r0")
    greedy = toys.saying(
        lambda _: PartialConfig(asn=65000, ports={"Ethernet1/1": PartialPort(address="10.99.0.0/31", mtu_bytes=1500)})
    )
    with pytest.raises(DesignError) as caught:
        device_config(with_storage(), device, among=greedy)
    found = {each.where: (each.what, each.expected, each.found) for each in caught.value.problems}
    both_want = "plane compute and plane storage want different things"
    assert found == {
        "leaf-g1-r0 asn": (
            "fabric compute and plane storage want different things",
            f"fabric compute: {device.asn}",
            "plane storage: 65000",
        ),
        "leaf-g1-r0 ports.Ethernet1/1.address": (
            both_want,
            "plane compute: 10.168.0.0/31",
            "plane storage: 10.99.0.0/31",
        ),
        "leaf-g1-r0 ports.Ethernet1/1.mtu_bytes": (both_want, "plane compute: 9214", "plane storage: 1500"),
    }


def test_a_port_profile_that_no_switch_holds_is_refused_by_name_and_never_taken_for_another() -> None:
    port = storage_port("leaf-g1-r0")
    lossy = toys.saying(lambda device: PartialConfig(ports={storage_port(device.name): PartialPort(profile="lossy")}))
    with pytest.raises(DesignError) as caught:
        device_config(with_storage(), with_storage().device("leaf-g1-r0"), among=lossy)
    (problem,) = caught.value.problems
    assert problem.where == f"leaf-g1-r0 {port}"
    assert "lossy" in problem.what


def test_sessions_without_a_process_are_refused() -> None:
    network = real_lab()
    device = network.device("leaf-g1-r0")
    config = merge(device.name, [])
    each = device_config(network, device)
    assert realise(config, device, network.facts[device.os], each.claims, {}).config.bgp is None
    with pytest.raises(DesignError, match="no owner sets the ASN"):
        realise(PartialConfig(networks=frozenset({"10.0.0.0/24"})), device, network.facts[device.os], each.claims, {})


LISTS = ("COMPUTE-OLD", "STORAGE-OLD", "CUSTOMER")
LEFT_BEHIND = {
    "eos": "".join(f"ip prefix-list {name}\n   seq 10 permit 10.1.0.0/16\n" for name in LISTS),
    "nxos": "".join(f"ip prefix-list {name} seq 10 permit 10.1.0.0/16\n" for name in LISTS),
    "nvue": json.dumps({"router": {"policy": {"prefix-list": {name: {} for name in LISTS}}}}),
}


@pytest.mark.parametrize("os", ONE_OF_EACH)
def test_two_planes_pushed_one_by_one_come_out_alike_in_either_order_and_leave_strangers_alone(os: str) -> None:
    device = ONE_OF_EACH[os]
    everything = both(device)
    start = everything.platform.to_tree(LEFT_BEHIND[os])
    found = sides(everything, start)
    ends = []
    for order in (("compute", "storage"), ("storage", "compute")):
        running = start
        for plane in order:
            pushed = both(device, plane)
            running = join([sides(pushed, running).foreign, pushed.tree])
        ends.append(running)
    assert ends[0] == ends[1] == join([found.foreign, everything.tree])
    text = everything.platform.to_text(ends[0])
    assert all(name in text for name in LISTS), "a name like ours shows nothing"
    named = " ".join(" ".join(each.path) for each in found.others)
    assert "COMPUTE-OLD" in named
    assert "STORAGE-OLD" in named
    assert "CUSTOMER" not in named


@SYSTEMS
def test_what_goes_with_one_plane_leaves_what_lines_of_another_plane_are_in(device: str) -> None:
    """As does a rollback to before anything was there: sessions of the second plane are in the process of the first."""
    everything = both(device)
    nothing = everything.platform.to_tree(everything.platform.to_text(ConfigTree()))
    empty = replace(both(device, "compute"), tree=nothing)
    plan = device_plan(empty, everything.text, pushed_by.pushed(everything), allow_management=True)
    gone = {each.path for each in plan.changes}
    storage = split(everything.tree, everything.platform.ownership, everything.claims)["storage"]
    assert gone
    assert not gone & storage.paths()
    assert any(each.reason.endswith("and stays") for each in plan.others)


OTHERS_PROCESS = {
    "eos": "router bgp 65001\n   neighbor 192.0.2.1 remote-as 65002\n",
    "nxos": "router bgp 65001\n  neighbor 192.0.2.1\n    remote-as 65002\n",
}


@pytest.mark.parametrize("os", OTHERS_PROCESS)
def test_a_container_of_which_others_lines_alone_are_left_is_no_difference_to_plan_and_gate_alike(os: str) -> None:
    """The gate would take a push back whose plan had left that container to its other users."""
    nothing = replace(both(ONE_OF_EACH[os], "compute"), tree=ConfigTree())
    assert device_plan(nothing, OTHERS_PROCESS[os]).changes == ()
    found = sides(nothing, nothing.platform.to_tree(OTHERS_PROCESS[os]))
    assert not found.owned
    assert any("192.0.2.1" in line for path, _ in found.foreign.walk() for line in path)
