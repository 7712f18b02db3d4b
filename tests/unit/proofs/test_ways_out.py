"""The way of packets out of a site and back: lines that it needs are taken out or altered, and the proof names them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.proofs.breach import Judged
from tests.unit.design import front as small
from tests.unit.design import front_full
from tests.unit.proofs.front_proved import GUARDED, front
from tests.unit.proofs.site_proved import Site, site

LEAVES = ("front-leaf-g3-a", "front-leaf-g3-b")
"""Of the way out."""
SPINES = ("front-spine-1", "front-spine-2")
OUT = {f"{group} on business -> outside on business" for group in ("gpu", "login", "api")}
BACK = {f"outside on business -> {group} on business" for group in ("gpu", "login", "api")}
HTTPS = (443, 443)
OF_GPU = {"gpu on business -> outside on business"}


@cache
def open_front() -> Site:
    """The same without flows on business: hosts of every group leave and are come to by any packet."""
    data = front_full.data()
    for key in ("flows", "services", "networks"):
        del data["planes"]["business"][key]
    return site(small.built(data), GUARDED)


def on(
    devices: tuple[str, ...], change: Callable[[DeviceConfig], dict[str, Any]], of: Callable[[], Site] = open_front
) -> Site:
    changed = of()
    for name in devices:
        changed = changed.with_device(name, **change(changed.configs[name]))
    return changed


def routes(hop: str | None) -> Callable[[DeviceConfig], dict[str, Any]]:
    """The default route by another next hop, or gone."""

    def change(config: DeviceConfig) -> dict[str, Any]:
        own = (each for each in config.static_routes if each.prefix != "0.0.0.0/0" or hop is not None)
        return {"static_routes": tuple(replace(each, next_hops=(hop,)) if hop is not None else each for each in own)}

    return change


def untold(config: DeviceConfig) -> dict[str, Any]:
    assert config.bgp is not None
    return {"bgp": replace(config.bgp, networks=tuple(each for each in config.bgp.networks if each != "0.0.0.0/0"))}


def unlisted(config: DeviceConfig) -> dict[str, Any]:
    """No prefix list permits the default route."""
    lists = tuple(
        replace(each, rules=tuple(rule for rule in each.rules if rule.prefix != "0.0.0.0/0"))
        for each in config.routing_policy.prefix_lists
    )
    return {"routing_policy": replace(config.routing_policy, prefix_lists=lists)}


def ports(config: DeviceConfig, name: str, **fields: Any) -> dict[str, Any]:
    there = tuple(replace(each, **fields) if each.name == name else each for each in config.interfaces)
    return {"interfaces": there}


def rules(config: DeviceConfig, name: str, change: Callable[[AclRule], AclRule | None]) -> dict[str, Any]:
    lists = tuple(
        replace(each, rules=tuple(made for rule in each.rules if (made := change(rule)) is not None))
        if each.name == name
        else each
        for each in config.access_lists
    )
    return {"access_lists": lists}


def failed(site: Site) -> dict[str, Judged]:
    return {f"{each.source} -> {each.destination}": each for each in site.judged().failed}


CHANGES: dict[str, tuple[Callable[[], Site], set[str], str]] = {
    "no default route on both leaves": (lambda: on(LEAVES, routes(None)), OUT, "no route to 0.0.0.0/0"),
    "another next hop": (lambda: on(LEAVES, routes("10.190.0.9")), OUT, "not 10.190.0.1 on VLAN 390"),
    "a next hop that is nowhere": (lambda: on(LEAVES, routes("192.0.2.1")), OUT, "no route to 0.0.0.0/0"),
    "neither leaf tells it": (lambda: on(LEAVES, untold), OF_GPU, "no route to 0.0.0.0/0"),
    "no spine takes it": (lambda: on(SPINES, unlisted), OF_GPU, "no route to 0.0.0.0/0"),
    "the leaves of hosts do not take it": (
        lambda: on(("front-leaf-g1-a", "front-leaf-g1-b"), unlisted),
        OF_GPU,
        "no route to 0.0.0.0/0",
    ),
    "no gateway for the machines": (
        lambda: on(LEAVES, lambda config: ports(config, "vlan390", gateway=None)),
        BACK,
        "not 10.190.0.4",
    ),
    "hosts' subnet is not told": (
        lambda: on(("front-leaf-g1-a", "front-leaf-g1-b"), lambda config: {"bgp": None}),
        {*OF_GPU, "outside on business -> gpu on business"},
        "no route to",
    ),
    "the way out's list lets hosts' addresses out no more": (
        lambda: on(
            LEAVES,
            lambda config: rules(config, "BUSINESS-V390-OUT", lambda r: None if r.source == "10.169.0.0/16" else r),
        ),
        OUT - {"api on business -> outside on business"},
        "BUSINESS-V390-OUT",
    ),
    "it lets nothing in for hosts": (
        lambda: on(
            LEAVES,
            lambda config: rules(config, "BUSINESS-V390-IN", lambda r: None if r.destination == "10.171.1.0/24" else r),
        ),
        {"outside on business -> api on business"},
        "BUSINESS-V390-IN",
    ),
    "hosts' list refuses what a flow lets in from outside": (
        lambda: on(
            LEAVES,
            lambda config: rules(config, "BUSINESS-V320-OUT", lambda r: None if r.destination_ports == HTTPS else r),
            front,
        ),
        {"outside on business -> api on business"},
        "BUSINESS-V320-OUT",
    ),
    "a relay goes elsewhere": (
        lambda: on(LEAVES, lambda config: ports(config, "vlan310", dhcp_servers=("192.0.2.99",))),
        {"login on business -> DHCP server 192.0.2.53 on business"},
        "relays no DHCP to 192.0.2.53",
    ),
}


@pytest.mark.parametrize(("made", "pairs", "words"), CHANGES.values(), ids=CHANGES)
def test_a_line_that_packets_need_to_leave_or_come_back_is_named(
    made: Callable[[], Site], pairs: set[str], words: str
) -> None:
    found = failed(made())
    assert pairs <= {*found}, {name: each.breaches for name, each in found.items()}
    others = {name for name in found if name not in pairs and "DHCP" not in name and "outside" in name}
    assert others == set(), others
    for name in pairs:
        assert any(words in line for each in found[name].breaches for line in each.by), found[name].breaches


def test_one_leaf_of_the_way_out_without_its_route_is_left_by_the_other() -> None:
    assert failed(on(LEAVES[:1], routes(None))) == {}


def test_hosts_of_another_plane_do_not_leave_by_it() -> None:
    """Without a list on their own VLAN, too."""
    opened = open_front()
    for leaf in ("front-leaf-g2-a", "front-leaf-g2-b"):
        opened = opened.with_port(leaf, "Vlan200", acls=())
    assert not [name for name in failed(opened) if "router" in name]
    bare = on(LEAVES, lambda config: ports(config, "vlan390", acls=()))
    for leaf in ("front-leaf-g2-a", "front-leaf-g2-b"):
        bare = bare.with_port(leaf, "Vlan200", acls=())
    assert "store on storage -> router on business" in failed(bare)
