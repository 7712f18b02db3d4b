"""A plane in a VRF takes the routing of its whole fabric along; in the default VRF nothing is left to route."""

from collections.abc import Callable
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.ownership import split
from nornir_tasks.usecases.site import SiteDesign, load
from tests.property.mutants import each_change_is_reported
from tests.vrf_site import LEAVES, PLANE, SITE, VRF, all_wanted, network

SVI, SUBNET = PLANE.replace("p2p", "svi"), PLANE.replace("p2p", "subnet/29")
OUTSIDE = "link: p2p"
SWITCHES = pytest.mark.parametrize("device", [*LEAVES.values(), "spine-1"])
LINKS = pytest.mark.parametrize("plane", [PLANE, SUBNET, SVI], ids=["p2p", "subnet", "svi"])


@LINKS
@SWITCHES
def test_every_address_route_session_and_network_is_in_the_vrf(device: str, plane: str) -> None:
    config = all_wanted(plane)[device].config
    assert [each.name for each in config.vrfs] == [VRF]
    assert {each.vrf for each in config.interfaces if each.address} == {VRF}
    assert {each.vrf for each in config.static_routes} <= {VRF}
    assert config.bgp is not None
    assert {each.vrf for each in config.bgp.neighbors} == {VRF}
    assert config.bgp.networks == ()
    (inner,) = config.bgp.vrfs
    there = network(plane).device(device)
    assert set(inner.networks) == {f"{there.loopback}/32", *({network(plane).host_block(device, "compute")} - {None})}


@SWITCHES
def test_a_vrf_changes_where_a_switch_routes_and_nothing_else(device: str) -> None:
    inside, outside = (all_wanted(plane)[device].config for plane in (PLANE, OUTSIDE))
    assert inside.routing_policy == outside.routing_policy
    assert (inside.qos, inside.hashing, inside.bfd, inside.services) == (
        outside.qos,
        outside.hashing,
        outside.bfd,
        outside.services,
    )
    assert count_routes(network(PLANE)) == count_routes(network(OUTSIDE))


@LINKS
@SWITCHES
def test_what_is_rendered_reads_back_as_what_was_designed_and_all_of_it_is_owned(device: str, plane: str) -> None:
    each = all_wanted(plane)[device]
    for tree in (each.tree, each.platform.to_tree(each.text)):
        parsed = each.platform.parse(tree, each.capabilities, device, each.config.model)
        assert not parsed.remainder, list(parsed.remainder.walk())
        assert parsed.config == each.config
    assert not split(each.tree, each.platform.ownership, each.claims)[None]


@pytest.mark.sampled(2)
@SWITCHES
def test_every_line_of_the_vrf_that_is_lost_or_changed_shows_in_the_plan(
    device: str, figure: Callable[[str], None]
) -> None:
    each = all_wanted()[device]
    leaves = [path for path, node in each.tree.walk() if not node]
    there = [path for path in leaves if VRF in " / ".join(path).replace('"', " ").replace("/", " ").split()]
    changed = sum(sum(each_change_is_reported(each, path)) for path in there)
    assert changed > len(there)
    figure(f"{device}: {changed} changes of {len(there)} lines of the VRF, each reported")


def in_its_fabrics_vrf(folder: Path) -> SiteDesign:
    """The site of two fabrics, with both planes of one of them in that fabric's VRF."""
    text = (SITE.parent / "fabrics" / "fabric.yml").read_text(encoding="utf-8")
    for plane in TOGETHER:
        assert text.count(f"\n  {plane}:\n    fabric: front\n") == 1
        text = text.replace(f"\n  {plane}:\n", f"\n  {plane}:\n    vrf: FRONT\n")
    (folder / "fabric.yml").write_text(text, encoding="utf-8")
    return load(folder)


TOGETHER = ("data", "archive")


def test_planes_that_share_a_fabric_share_its_vrf_and_each_owns_its_routes_there(tmp_path: Path) -> None:
    site, pools = in_its_fabrics_vrf(tmp_path), dict[str, set[str]]()
    for each in site.realised():
        made = wanted(each.config, each.capabilities, each.claims, environment(each.config.os))
        parts = split(made.tree, made.platform.ownership, made.claims)
        assert not parts[None]
        there = site.network.device(each.config.name).fabric == "front"
        assert {vrf.name for vrf in each.config.vrfs} == ({"FRONT"} if there else set())
        for plane in TOGETHER:
            text = made.platform.to_text(parts.get(plane, ConfigTree()))
            mine = {block for block in site.network.blocks_at(each.config.name).values() if block in text}
            pools.setdefault(plane, set()).update(mine)
    assert all(pools.values())
    for plane, blocks in pools.items():
        pool = IPv4Network(site.network.planes[plane].pools["hosts"])
        assert all(IPv4Network(block).subnet_of(pool) for block in blocks)
