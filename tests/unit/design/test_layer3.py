"""A plane with IPv6 and static routes beside one without, in its own VRF and in the default one, on every OS."""

from dataclasses import replace

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.design.realise import ipv6_and_static_routes
from nornir_tasks.errors import DesignError
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.ownership import split
from tests.property.mutants import each_change_is_reported
from tests.unit.design import toy_layer3, toys
from tests.unit.design.toy_layer3 import DEVICES, VRF, both, realised
from tests.unit.design.toys import storage_port, with_storage

SYSTEMS = pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
VRFS = pytest.mark.parametrize("vrf", [None, VRF], ids=["default VRF", "own VRF"])


def leaves(tree: ConfigTree) -> set[tuple[str, ...]]:
    return {path for path, node in tree.walk() if not node}


def of_layer3(device: str, vrf: str | None) -> list[tuple[str, ...]]:
    """The lines of the plane that say something of IPv6 or of its routes."""
    whole = both(device, vrf=vrf)
    mine = split(whole.tree, whole.platform.ownership, whole.claims)["storage"]
    return sorted(
        path for path in leaves(mine) if any(word in " ".join(path) for word in ("ipv6", ":", "route", "static"))
    )


@SYSTEMS
@VRFS
def test_ports_and_routes_are_as_designed_and_spelt_as_switches_print_them(device: str, vrf: str | None) -> None:
    config = realised(device, vrf).config
    port = next(each for each in config.interfaces if each.name == storage_port(device))
    number = int(port.address.split(".")[2])
    assert port.ipv6_address == f"2001:db8:32:{16 + number:x}::/127"
    assert port.ra_interval_ms is None
    mine = {each.prefix: (each.next_hops, each.tag) for each in config.static_routes if each.vrf == vrf}
    out = toy_layer3.DEFAULTS if vrf else toy_layer3.ELSEWHERE
    four, six = sorted(out)
    assert mine[four] == ((f"10.32.{number}.1",), 7)
    hops = tuple(f"2001:db8:32:{16 + number:x}:64::{host}" for host in (2, 3))
    assert mine[six] == (hops, None)
    assert mine[f"2001:db8:32:{16 + number:x}::/64"] == ((), None)


@SYSTEMS
@VRFS
def test_what_is_rendered_reads_back_as_what_was_designed(device: str, vrf: str | None) -> None:
    wanted = both(device, vrf=vrf)
    for tree in (wanted.tree, wanted.platform.to_tree(wanted.text)):
        parsed = wanted.platform.parse(tree, wanted.capabilities, device, wanted.config.model)
        assert not parsed.remainder, list(parsed.remainder.walk())
        assert parsed.config == wanted.config


@pytest.mark.sampled(3)
@SYSTEMS
@VRFS
def test_every_line_of_it_lost_or_changed_shows_in_its_plan_and_not_in_the_others(device, vrf, figure) -> None:
    everything, changed = both(device, vrf=vrf), 0
    lines = of_layer3(device, vrf)
    for path in lines:
        running = everything.tree.copy()
        del running.get(*path[:-1]).children[path[-1]]
        text = everything.platform.to_text(running)
        assert device_plan(both(device, "compute", vrf=vrf), text).changes == ()
        found = {change.path for change in device_plan(both(device, "storage", vrf=vrf), text).changes}
        assert path in found
        changed += sum(each_change_is_reported(everything, path))
    figure(f"{device}: {changed} lines of IPv6 and routes lost or changed, each seen by their plane's plan alone")
    assert len(lines) >= 7


@SYSTEMS
@VRFS
def test_the_planes_pushed_in_either_order_end_as_both_together(device: str, vrf: str | None) -> None:
    whole = both(device, vrf=vrf)
    for order in (("compute", "storage"), ("storage", "compute")):
        running = ConfigTree()
        for plane in order:
            for each in device_plan(both(device, plane, vrf=vrf), whole.platform.to_text(running)).changes:
                running.add_path(each.path)
        assert device_plan(whole, whole.platform.to_text(running)).changes == ()


@SYSTEMS
def test_a_route_out_that_nobody_declares_is_somebody_elses_and_stays(device: str) -> None:
    claims = realised(device, VRF).claims
    assert claims.by_route(f"{VRF} ::/0") == "storage"
    assert claims.by_route(f"{VRF} 2001:db8:99::/48") is None
    assert claims.by_prefix("0.0.0.0/0") is None
    assert claims.by_prefix("::/0") is None
    assert realised(device).claims.by_prefix("198.51.100.0/24") == "storage"
    assert realised(device).claims.by_prefix("198.51.100.0/25") is None


def refused(device: str, config: PartialConfig) -> list[str]:
    with pytest.raises(DesignError) as caught:
        device_config(with_storage(), with_storage().device(device), among=toys.saying(lambda _: config))
    return [f"{each.where}: {each.what}" for each in caught.value.problems]


@SYSTEMS
def test_addresses_and_routes_that_cannot_be_are_refused_by_name(device: str) -> None:
    port = storage_port(device)
    for address, what in (
        ("2001:db8::1/129", "no IPv6 address"),
        ("fe80::1/64", "no address that a port can be reached at from elsewhere"),
    ):
        assert refused(device, PartialConfig(ports={port: PartialPort(mtu_bytes=9000, ipv6_address=address)})) == [
            f"{device} {port}: {what}"
        ]
    switched = PartialPort(access_vlan=7, ipv6_address="2001:db8::1/64")
    assert f"{device} {port}: a switched port has an IPv6 address" in refused(
        device, PartialConfig(ports={port: switched})
    )
    for route, what in (
        (StaticRoute("10.32.0.0/24", None, ("2001:db8::1",)), "a next hop of the other family"),
        (StaticRoute("10.32.0.1/24"), "a route that is none"),
        (StaticRoute("10.32.0.0/24", tag=0), "no such tag can be configured"),
        (StaticRoute("10.32.0.0/24", distance=254), "no distance can be configured"),
    ):
        assert refused(device, PartialConfig(static_routes={route.key: route})) == [
            f"{device} route {route.prefix}: {what}"
        ]


@SYSTEMS
def test_a_route_that_keeps_an_aggregate_out_of_bgp_is_refused_where_it_would(device: str) -> None:
    known = with_storage().device(device).capabilities
    for distance in (None, 199, 200, 254):
        route = StaticRoute("203.0.113.0/24", distance=distance)
        config = PartialConfig(static_routes={route.key: route}, aggregates=frozenset({route.prefix}))
        found = [each.what for each in ipv6_and_static_routes.problems(device, config, known)]
        if known.os == "eos":
            assert found == ([] if distance == 254 else ["it keeps the aggregate of this prefix out of BGP"])
        else:
            assert found == ([] if distance is None else ["no distance can be configured"])


@SYSTEMS
def test_an_os_that_has_no_ipv6_or_no_next_hops_refuses_each_use_of_them(device: str) -> None:
    network = with_storage(VRF)
    there = network.device(device)
    bare = replace(
        there,
        capabilities=replace(
            there.capabilities, has_ipv6=False, ipv6_gap="no source", has_next_hops=False, next_hop_gap="no line"
        ),
    )
    with pytest.raises(DesignError) as caught:
        device_config(network, bare, among=toy_layer3.among())
    found = [each.what for each in caught.value.problems]
    assert found.count("no IPv6 address can be configured: no source") == 1 + (there.level == 0)
    assert found.count("no route of IPv6 can be configured: no source") == 2
    assert found.count("no next hop can be configured: no line") == 2
