"""A plane in a VRF of its own beside one in the default VRF, on every OS."""

import re
from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan, sides
from nornir_tasks.deploy.wanted import is_protected
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort, PartialVrf
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.ownership import join, split
from tests.property.mutants import each_change_is_reported
from tests.pushed import done, evidence, pushed
from tests.unit.design import toys
from tests.unit.design.toys import ONE_OF_EACH, both, realised, storage_port, with_storage

VRF = "STORAGE"
HOLDS = {**ONE_OF_EACH, "nvue-5.14": "spine-2"}
SYSTEMS = pytest.mark.parametrize("device", HOLDS.values(), ids=HOLDS)


def leaves(tree: ConfigTree) -> set[tuple[str, ...]]:
    return {path for path, node in tree.walk() if not node}


def of_storage(device: str) -> ConfigTree:
    whole = both(device, vrf=VRF)
    return split(whole.tree, whole.platform.ownership, whole.claims)["storage"]


@SYSTEMS
def test_ports_routes_and_sessions_of_the_plane_are_in_its_vrf_alone(device: str) -> None:
    config = realised(device, VRF).config
    port = next(each for each in config.interfaces if each.name == storage_port(device))
    assert port.vrf == VRF
    assert [each.name for each in config.vrfs] == [VRF]
    assert {each.vrf for each in config.static_routes if each.prefix.startswith("10.32.")} == {VRF}
    assert {each.vrf for each in config.bgp.neighbors if each.peer_group == "STORAGE-PEERS"} == {VRF}
    assert {each.vrf for each in config.interfaces if each != port} == {None}
    assert not any(each.startswith("10.32.") for each in config.bgp.networks)
    assert [(each.maximum_paths, len(each.networks)) for each in config.bgp.vrfs] == [(4, 1)]


@SYSTEMS
def test_the_fabric_lets_no_prefix_of_a_plane_in_a_vrf_through_its_own_lists(device: str) -> None:
    lists = realised(device, VRF).config.routing_policy.prefix_lists
    assert not [
        rule
        for each in lists
        if each.name.startswith("COMPUTE-")
        for rule in each.rules
        if rule.prefix.startswith("10.32.")
    ]


@SYSTEMS
def test_what_is_rendered_in_a_vrf_reads_back_as_what_was_designed(device: str) -> None:
    wanted = both(device, vrf=VRF)
    for tree in (wanted.tree, wanted.platform.to_tree(wanted.text)):
        parsed = wanted.platform.parse(tree, wanted.capabilities, device, wanted.config.model)
        assert not parsed.remainder, list(parsed.remainder.walk())
        assert parsed.config == wanted.config


@SYSTEMS
def test_every_line_of_the_vrf_is_its_planes_and_nobody_elses(device: str) -> None:
    whole = both(device, vrf=VRF)
    by_owner = split(whole.tree, whole.platform.ownership, whole.claims)
    named = [path for path in leaves(whole.tree) if VRF in " / ".join(path).replace("/", " ").split()]
    assert len(named) > 5
    assert all(by_owner["storage"].get(*path) is not None for path in named)
    assert not by_owner[None]


@pytest.mark.sampled(2)
@SYSTEMS
def test_every_line_of_the_vrf_lost_or_changed_shows_in_its_plan_and_not_in_the_others(device: str, figure) -> None:
    everything, changed = both(device, vrf=VRF), 0
    for path in leaves(of_storage(device)):
        running = everything.tree.copy()
        del running.get(*path[:-1]).children[path[-1]]
        text = everything.platform.to_text(running)
        assert device_plan(both(device, "compute", vrf=VRF), text).changes == ()
        found = {change.path for change in device_plan(both(device, "storage", vrf=VRF), text).changes}
        assert path in found
        changed += sum(each_change_is_reported(everything, path))
    figure(f"{device}: {changed} lines of a plane in a VRF lost or changed, each seen by its plan alone")
    assert changed > 20


@SYSTEMS
def test_a_plane_moves_into_a_vrf_and_out_again_and_leaves_nothing_behind(device: str) -> None:
    inside, outside = both(device, vrf=VRF), both(device)
    for before, after in ((outside, inside), (inside, outside)):
        plan = device_plan(after, before.platform.to_text(before.tree), pushed(before))
        running = before.tree.copy()
        gone = sorted((each.path for each in plan.changes if each.op == "-"), key=len, reverse=True)
        for path in gone:
            del running.get(*path[:-1]).children[path[-1]]
        for each in plan.changes:
            if each.op == "+":
                running.add_path(each.path)
        assert running == after.tree
        assert device_plan(after, after.platform.to_text(running)).changes == ()


THEIR_ROUTE = {
    "eos": (f"ip route vrf {VRF} 0.0.0.0/0 192.0.2.1",),
    "nxos": (f"vrf context {VRF}", "ip route 0.0.0.0/0 192.0.2.1"),
    "nvue": ("vrf", VRF, "router", "static", "0.0.0.0/0", "via", "192.0.2.1", 'type: "ipv4-address"'),
}


@SYSTEMS
def test_somebody_elses_route_in_a_vrf_of_ours_stays_and_holds_the_vrf(device: str) -> None:
    inside, outside = both(device, vrf=VRF), both(device)
    running = inside.tree.copy()
    running.add_path(THEIR_ROUTE[inside.config.os])
    text = inside.platform.to_text(running)
    assert device_plan(inside, text).changes == ()
    plan = device_plan(outside, text, pushed(inside))
    runs = join((plan.owned_after, plan.foreign_before))
    assert runs.get(*THEIR_ROUTE[inside.config.os]) is not None
    holds = {"eos": f"vrf instance {VRF}", "nxos": f"vrf context {VRF}"}.get(inside.config.os)
    assert any(path[0] == holds or path[:2] == ("vrf", VRF) for path, _ in runs.walk())
    assert any(" and stays" in each.reason and VRF in " ".join(each.path) for each in plan.others)
    assert not any(each.path == (holds,) for each in plan.changes)


def their_session(asn: int) -> dict[str, tuple[tuple[str, ...], ...]]:
    """A session with a border router, in a VRF of ours, as each OS has it."""
    process, neighbor = (f"router bgp {asn}", f"vrf {VRF}"), ("vrf", VRF, "router", "bgp", "neighbor", "192.0.2.9")
    return {
        "eos": (
            (*process, "neighbor 192.0.2.9 remote-as 64999"),
            (*process, "neighbor 192.0.2.9 description border"),
            (*process, "address-family ipv4", "neighbor 192.0.2.9 activate"),
            (*process, "address-family ipv4", "network 198.51.100.0/24"),
            (*process, "address-family ipv6", "neighbor 2001:db8::9 activate"),
        ),
        "nxos": (
            (*process, "neighbor 192.0.2.9", "remote-as 64999"),
            (*process, "neighbor 192.0.2.9", "address-family ipv4 unicast"),
            (*process, "address-family ipv4 unicast", "network 198.51.100.0/24"),
        ),
        "nvue": (
            (*neighbor, "remote-as: 64999"),
            (*neighbor, 'type: "numbered"'),
            ("vrf", VRF, "router", "bgp", "peer-group", "BORDER", 'description: "border"'),
            ("vrf", VRF, "router", "bgp", "address-family", "ipv4-unicast", "network", "198.51.100.0/24"),
        ),
    }


@SYSTEMS
def test_somebody_elses_session_in_a_vrf_of_ours_stays_whatever_is_pushed(device: str) -> None:
    inside, outside = both(device, vrf=VRF), both(device)
    bgp = inside.config.bgp
    assert bgp is not None
    theirs = their_session(bgp.asn)[inside.config.os]
    running = inside.tree.copy()
    for path in theirs:
        running.add_path(path)
    text = inside.platform.to_text(running)
    assert device_plan(inside, text).changes == ()
    found = sides(inside, inside.platform.to_tree(text))
    assert all(found.foreign.get(*path) is not None and found.owned.get(*path) is None for path in theirs)
    plan = device_plan(outside, text, pushed(inside))
    gone = {each.path for each in plan.changes if each.op == "-"}
    assert gone, "the VRF's own lines go"
    assert not any(path[:depth] in gone for path in theirs for depth in range(1, len(path) + 1))
    assert any("and stays" in each.reason for each in plan.others)


@SYSTEMS
def test_an_old_session_of_ours_in_our_vrf_goes_and_theirs_beside_it_stays(device: str) -> None:
    inside = both(device, vrf=VRF)
    (mine,) = [each for each in inside.config.bgp.neighbors if each.vrf == VRF]
    old, running = "10.32.250.1", inside.tree.copy()
    added = [
        tuple(line.replace(mine.peer, old) for line in path)
        for path in leaves(inside.tree)
        if any(re.search(rf"\b{re.escape(mine.peer)}\b", line) for line in path)
        and path[0].startswith(("router", "vrf"))
    ]
    for path in added:
        running.add_path(path)
    before = running.copy()
    for path in their_session(inside.config.bgp.asn)[inside.config.os]:
        running.add_path(path)
    plan = device_plan(inside, inside.platform.to_text(running), evidence(done(inside, ConfigTree(), before)))
    assert plan.changes
    assert all(each.op == "-" and old in " ".join(each.path) for each in plan.changes), plan.changes


@SYSTEMS
def test_a_vrf_of_strangers_stays_untouched_whatever_addresses_are_in_it(device: str) -> None:
    whole = both(device, vrf=VRF)
    mine = split(whole.tree, whole.platform.ownership, whole.claims)["storage"]
    theirs = whole.platform.to_tree(whole.platform.to_text(mine).replace(VRF, "CUSTOMER"))
    named = {path for path in leaves(theirs) if "CUSTOMER" in " / ".join(path).replace("/", " ").split()}
    parts = split(theirs, whole.platform.ownership, whole.claims)
    ports = {path for path in named if path[0].startswith("interface")}
    assert len(named - ports) > 5
    assert all(parts[None].get(*path) is not None for path in named - ports)


@SYSTEMS
def test_no_vrf_that_management_is_commonly_in_is_anybodys(device: str) -> None:
    claims = realised(device, VRF).claims
    assert (claims.by_vrf(VRF), claims.by_vrf("STORAGE-B"), claims.by_vrf("COMPUTE")) == (
        "storage",
        "storage",
        "fabric compute",
    )
    assert claims.by_vrf("GPUFABRIC") == SWITCH
    for name in ("MGMT", "mgmt", "management", "default", "OOB", "STORAGEX", "CUSTOMER"):
        assert claims.by_vrf(name) is None, name
    assert (claims.by_route("STORAGE 10.32.0.0/24"), claims.by_route("STORAGE 0.0.0.0/0")) == ("storage", None)
    assert claims.by_route("CUSTOMER 10.32.0.0/24") is None


def test_in_the_default_vrf_an_address_of_a_plane_in_another_tells_nothing() -> None:
    assert realised("leaf-g1-r0", VRF).claims.by_address("10.32.0.1") is None
    assert realised("leaf-g1-r0").claims.by_address("10.32.0.1") == "storage"


def refused(device: str, config: PartialConfig) -> list[str]:
    with pytest.raises(DesignError) as caught:
        device_config(with_storage(), with_storage().device(device), among=toys.saying(lambda _: config))
    return [f"{each.where}: {each.what}" for each in caught.value.problems]


@SYSTEMS
def test_an_os_that_holds_no_vrf_refuses_it_by_name(device: str) -> None:
    network = with_storage(VRF)
    there = network.device(device)
    bare = replace(there, capabilities=replace(there.capabilities, has_vrfs=False, vrf_gap="no source has a line"))
    with pytest.raises(DesignError) as caught:
        device_config(network, bare, among=toys.with_kind())
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{device} VRF {VRF}: VRFs are not supported: no source has a line")


@SYSTEMS
def test_an_unnumbered_link_in_a_vrf_is_refused(device: str) -> None:
    port = storage_port(device)
    config = PartialConfig(
        vrfs={VRF: PartialVrf()}, ports={port: PartialPort(mtu_bytes=9000, vrf=VRF, ra_interval_ms=10_000)}
    )
    assert refused(device, config) == [f"{device} {port}: unnumbered links in a VRF are not supported"]


@SYSTEMS
def test_a_vrf_of_nobodys_name_one_that_is_not_there_and_one_without_router_id_are_refused(device: str) -> None:
    port = storage_port(device)
    assert refused(device, PartialConfig(vrfs={"MGMT": PartialVrf()})) == [
        f"{device} VRF MGMT: a VRF of this name has no owner"
    ]
    assert refused(device, PartialConfig(ports={port: PartialPort(mtu_bytes=9000, vrf=VRF)})) == [
        f"{device} VRF {VRF}: a VRF is used, but not declared"
    ]
    assert refused(device, PartialConfig(vrfs={VRF: PartialVrf(networks=frozenset({"10.32.0.0/24"}))})) == [
        f"{device} VRF {VRF}: BGP is wanted in a VRF, but no owner sets the router-id there"
    ]


def test_the_vrf_that_the_management_port_is_in_is_protected_whatever_it_is_called() -> None:
    eos = platforms()["eos"]
    running = eos.to_tree("interface Management1\n   vrf STORAGE\nmanagement api http-commands\n   vrf STORE\n")
    here = eos.management_path(running)
    for line in (
        ("vrf instance STORAGE",),
        ("ip routing vrf STORE",),
        ("ip route vrf STORAGE 10.32.0.0/24 Null0",),
        ("ip route vrf STORAGE 0.0.0.0/0 10.32.0.1",),
        ("ipv6 route vrf STORAGE ::/0 2001:db8::1",),
        ("ipv6 unicast-routing vrf STORE",),
        ("router bgp 65001", "vrf STORAGE", "router-id 10.0.0.1"),
    ):
        assert is_protected(line, eos, here), line
        assert not is_protected(line, eos), line
    assert not is_protected(("vrf instance STORAGE-B",), eos, here)
    for line in ("vrf instance mgmt", "ip route vrf MGMT 10.0.0.0/8 Null0"):
        assert is_protected((line,), eos), line


def test_a_default_route_is_protected_where_the_management_port_is_in_the_same_vrf() -> None:
    beside = {
        "eos": "interface Management1\n   ip address 192.0.2.7/24\n",
        "nvue": "interface:\n  eth0:\n    ip:\n      address:\n        192.0.2.7/24: {}\n",
    }
    apart = {
        "eos": "interface Management1\n   vrf MGMT\n   ip address 192.0.2.7/24\n",
        "nvue": "interface:\n  eth0:\n    ip:\n      vrf: mgmt\n",
    }
    lines = {
        "eos": ("ip route 0.0.0.0/0 Vlan390 10.190.0.1",),
        "nvue": ("vrf", "default", "router", "static", "0.0.0.0/0", "via", "10.190.0.1"),
    }
    for name, line in lines.items():
        os = platforms()[name]
        for running, expected in ((beside[name], True), (apart[name], False)):
            assert is_protected(line, os, os.management_path(os.to_tree(running))) is expected, (name, running)
