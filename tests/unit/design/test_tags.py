"""Planes told apart by 802.1Q tags on the links they share: VLANs of one trunk, subinterfaces of one port."""

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.design.demand.kinds import PlaneKind
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import join, split
from tests.property.mutants import instead, other_values, running_text, without
from tests.svi import LEAVES
from tests.unit.design import tagged
from tests.unit.design.tagged import BOOT_VLAN, BUSINESS_VLAN, DEVICES, STORAGE_VLAN, UPLINK_TAG, VRF, part, realised

FABRIC = "fabric compute"
PLANES = ("compute", "storage", "business")
SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
ON_LEAVES = pytest.mark.parametrize("device", LEAVES.values(), ids=LEAVES)


def leaves(tree: ConfigTree) -> set[Path]:
    return {path for path, node in tree.walk() if not node}


def by_owner(device: str) -> dict[str | None, ConfigTree]:
    whole = part(device)
    return split(whole.tree, whole.platform.ownership, whole.claims)


@ON_LEAVES
def test_a_trunk_has_the_vlans_of_both_planes_and_each_vlan_its_svi_in_its_planes_vrf(device: str) -> None:
    config = realised(device).config
    ports = {port.name: port for port in config.interfaces}
    trunk = ports[tagged.host_port(device, "trunk")]
    assert (trunk.tagged_vlans, trunk.native_vlan) == ((STORAGE_VLAN, BUSINESS_VLAN), BOOT_VLAN)
    assert (trunk.address, trunk.vrf, trunk.access_vlan, trunk.edge) == (None, None, None, True)
    svi = realised(device).capabilities.svi_prefix
    in_vrfs = {number: ports[f"{svi}{number}"].vrf for number in (STORAGE_VLAN, BUSINESS_VLAN, BOOT_VLAN)}
    assert in_vrfs == {STORAGE_VLAN: None, BUSINESS_VLAN: VRF, BOOT_VLAN: VRF}


@SYSTEMS
def test_the_second_plane_has_a_subinterface_and_a_session_in_its_vrf_on_every_link_between_switches(
    device: str,
) -> None:
    config = realised(device).config
    ports = {port.name: port for port in config.interfaces}
    links = [each for each in tagged.tagged().circuits_of(device) if each.link.kind == "fabric" and each.use.tag]
    assert len(links) >= 2
    for circuit in links:
        name = circuit.link.end(device).port
        above, below = ports[name], ports[f"{name}.{UPLINK_TAG}"]
        assert (below.tag, below.vrf, below.layer1, below.qos_profile) == (UPLINK_TAG, VRF, None, None)
        assert above.vrf is None
        assert above.layer1 is not None
        assert above.mtu_bytes > below.mtu_bytes == 1500
    peers = {each.address for each in config.bgp.neighbors if each.vrf == VRF}
    assert peers == {each.address(each.link.far(device).device) for each in links}


@SYSTEMS
def test_what_is_rendered_with_tags_reads_back_as_what_was_designed(device: str) -> None:
    for planes in ((), *((plane,) for plane in PLANES)):
        wanted = part(device, *planes)
        trees = [wanted.tree] if planes else [wanted.tree, wanted.platform.to_tree(wanted.text)]
        for tree in trees:
            parsed = wanted.platform.parse(tree, wanted.capabilities, device, wanted.config.model)
            assert not parsed.remainder or planes, list(parsed.remainder.walk())
            assert planes or parsed.config == wanted.config
            assert wanted.platform.to_tree(wanted.platform.to_text(tree)) == tree


@SYSTEMS
def test_what_each_plane_pushes_is_together_what_all_push_and_they_meet_in_shared_owners_alone(device: str) -> None:
    everything, parts = part(device), {plane: part(device, plane) for plane in PLANES}
    assert join([each.tree for each in parts.values()]) == everything.tree
    lines = leaves(everything.tree)
    shared = leaves(join([by_owner(device)[FABRIC], by_owner(device)[SWITCH]])) & lines
    for one in PLANES:
        for other in set(PLANES) - {one}:
            assert leaves(parts[one].tree) & leaves(parts[other].tree) & lines == shared
    assert not by_owner(device)[None]


def lines_of(device: str, port: str) -> dict[Path, str | None]:
    """The lines of one port or subinterface, and whose they are."""
    return {
        path: owner
        for owner, tree in by_owner(device).items()
        for path in leaves(tree)
        if port in (path[0].removeprefix("interface "), *path[1:2])
    }


@ON_LEAVES
def test_each_tag_of_a_trunk_is_its_planes_and_all_else_of_the_port_the_fabrics(device: str) -> None:
    owners = lines_of(device, tagged.host_port(device, "trunk"))
    tags = {path: owner for path, owner in owners.items() if path[-1].rpartition(" ")[2] in {"410", "420", "430"}}
    of_one = {owner for path, owner in tags.items() if "native" in path[-1] or "untagged" in path[-1]}
    assert of_one == {FABRIC}
    for number, plane in ((STORAGE_VLAN, "storage"), (BUSINESS_VLAN, "business")):
        assert {owner for path, owner in tags.items() if path[-1].endswith(str(number))} == {plane}
    assert {owner for path, owner in owners.items() if path not in tags} == {FABRIC}
    assert len(owners) > 8


@SYSTEMS
def test_a_subinterface_is_its_planes_and_the_port_below_the_fabrics(device: str) -> None:
    tags = {UPLINK_TAG: "business", **({510: "storage", 520: "business"} if device in LEAVES.values() else {})}
    for circuit in tagged.tagged().circuits_of(device):
        if circuit.use.tag in tags:
            below = lines_of(device, circuit.interface(device))
            assert set(below.values()) == {tags[circuit.use.tag]}
            assert len(below) > 3
            assert set(lines_of(device, circuit.link.end(device).port).values()) == {FABRIC}


@pytest.mark.sampled(1)
@SYSTEMS
def test_every_line_of_a_plane_lost_or_changed_shows_in_its_plan_and_not_in_the_others(device: str, figure) -> None:
    everything, counted, shared = part(device), 0, 0
    for plane in ("storage", "business"):
        for path in leaves(by_owner(device)[plane]):
            mutants = [without(everything.tree, path)]
            mutants += [instead(everything.tree, path, line) for line in other_values(path[-1])]
            for mutant in mutants:
                if everything.platform.to_tree(running_text(everything, mutant)) == everything.tree:
                    continue
                text = running_text(everything, mutant)
                assert path in {change.path for change in device_plan(part(device, plane), text).changes}, path
                for other in set(PLANES) - {plane}:
                    found = device_plan(part(device, other), text).changes
                    # a VLAN that nobody has on a trunk of ours is its fabric's to clear away, whoever is pushed
                    assert all(_is_strange_tag(change.path, everything) and change.op == "-" for change in found), path
                    shared += bool(found)
                counted += 1
    figure(f"{device}: {counted} lines of planes with tags lost or changed, each seen by its plane ({shared} by all)")
    assert counted > (40 if device in LEAVES.values() else 20)
    assert shared <= 6


def _is_strange_tag(path: Path, everything) -> bool:
    whole = split(
        everything.platform.to_tree(everything.platform.to_text(_only(path))),
        everything.platform.ownership,
        everything.claims,
    )
    return "vlan" in " ".join(path) and not everything.tree.get(*path) and bool(whole[FABRIC])


def _only(path: Path) -> ConfigTree:
    tree = ConfigTree()
    tree.add_path(path)
    return tree


@SYSTEMS
def test_a_subinterface_left_behind_is_its_planes_by_vrf_or_address_and_else_whose_port_it_is_on(device: str) -> None:
    whole = part(device)
    circuit = next(each for each in tagged.tagged().circuits_of(device) if each.link.kind == "fabric" and each.use.tag)
    name = circuit.interface(device)
    port, old = circuit.link.end(device).port, f"{circuit.link.end(device).port}.777"
    text = whole.platform.to_text(whole.tree)
    renamed = whole.platform.to_tree(text.replace(name, old))
    mine = [path for path, _ in renamed.walk() if old in path or f"interface {old}" in path]
    owners = split(renamed, whole.platform.ownership, whole.claims)
    assert mine
    assert all(owners["business"].get(*path) is not None for path in mine)
    bare = ConfigTree()
    bare.add_path(("interface", old) if whole.config.os == "nvue" else (f"interface {old}",)).add("description x")
    parts = split(bare, whole.platform.ownership, whole.claims)
    assert parts[FABRIC].paths() == bare.paths()
    strange = ConfigTree()
    other = old.replace(port, "swp200" if whole.config.os == "nvue" else "Ethernet1/99")
    strange.add_path(("interface", other) if whole.config.os == "nvue" else (f"interface {other}",)).add(
        "description x"
    )
    parts = split(strange, whole.platform.ownership, whole.claims)
    assert not parts[FABRIC]


def refused(device: str, intended: PartialConfig, **known: object) -> list[str]:
    network = tagged.tagged()
    there = network.device(device)
    there = replace(there, capabilities=replace(there.capabilities, **known))
    saying = PlaneKind(tagged.KIND.owner, lambda *_: (), lambda *_: iter((intended,)))
    quiet = PlaneKind(tagged.KIND.owner, lambda *_: (), lambda *_: iter(()))
    among = tagged.with_kinds().with_plane("storage", saying).with_plane("business", quiet)
    with pytest.raises(DesignError) as caught:
        device_config(network, there, among=among)
    return [f"{each.where}: {each.what}" for each in caught.value.problems]


@ON_LEAVES
def test_what_cannot_be_a_trunk_or_a_subinterface_is_refused_by_port(device: str) -> None:
    trunk, routed = tagged.host_port(device, "trunk"), tagged.host_port(device, "routed")
    here, there = f"{device} {trunk}", f"{device} {routed}"

    def port(name: str, **fields: object) -> PartialConfig:
        return PartialConfig(ports={name: PartialPort(mtu_bytes=1500, **fields)})

    vlan = frozenset({STORAGE_VLAN})
    assert refused(device, port(trunk, tagged_vlans=vlan)) == [
        f"{here}: a trunk carries a VLAN that no owner declares on this switch"
    ]
    assert refused(device, port(trunk, tagged_vlans=frozenset(), access_vlan=200)) == [
        f"{here}: a trunk is also wanted as an access port"
    ]
    assert refused(device, port(trunk, tagged_vlans=frozenset(), address="10.34.0.1/31")) == [
        f"{here}: a trunk is also wanted as a routed port"
    ]
    assert refused(device, port(trunk, tagged_vlans=frozenset({200}), native_vlan=200)) == [
        f"{here}: the VLAN of untagged frames is one of those with tags"
    ]
    assert refused(device, port(trunk, native_vlan=200)) == [f"{here}: no VLAN has a tag"]
    assert refused(device, port(f"{routed}.9", tag=10)) == [f"{there}.9: a subinterface is not named after its tag"]
    assert refused(device, port(f"{routed}.1", tag=1)) == [f"{there}.1: no such tag can be configured"]
    assert refused(device, port(f"{routed}.200", tag=200)) == [f"{there}.200: the tag is also a VLAN of this switch"]
    assert refused(device, port(f"{routed}.10", tag=10, ra_interval_ms=10_000)) == [
        f"{there}.10: no unnumbered link can run over a subinterface"
    ]
    wide = PartialConfig(ports={f"{routed}.10": PartialPort(mtu_bytes=9100, tag=10)})
    assert refused(device, wide) == [f"{there}.10: a subinterface holds no more than its port"]
    nobodys = f"{routed}x"
    assert refused(device, port(f"{nobodys}.10", tag=10)) == [
        f"{device} {nobodys}.10: a subinterface is part of a routed port"
    ]
    gap = {"has_tags": False, "tag_gap": "no source has a line"}
    assert refused(device, port(f"{routed}.10", tag=10), **gap) == [
        f"{there}.10: no VLAN tags can be configured: no source has a line"
    ]
