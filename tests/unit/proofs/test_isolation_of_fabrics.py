"""Two fabrics, each in a VRF of its own: what a cable between them, a VLAN or a route joins is named, and arrives."""

from functools import cache

import pytest

from nornir_tasks.design.config.access_lists import TCP, AclRule
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from tests.unit.design import front_full
from tests.unit.proofs import mutants
from tests.unit.proofs.random_sites import add_rails, built, in_vrf
from tests.unit.proofs.site_proved import Site

FRONT, RAILS = "front-leaf-g1-a", "leaf-g1-r0"
ENDS = ((FRONT, "Ethernet48"), (RAILS, "Ethernet30/1"))
VRFS = pytest.mark.parametrize("has_vrfs", [True, False], ids=["each in its VRF", "all in the default VRF"])


@cache
def site(has_vrfs: bool) -> Site:
    data = front_full.data()
    if has_vrfs:
        in_vrf(data)
    add_rails(data, "RAILS" if has_vrfs else None)
    return built(data)


def opened(made: Site) -> dict[tuple[str, str], tuple[str, ...]]:
    """Pairs with an open way, and the lines of it. The packets shown arrive by these."""
    found = made.judged().failed
    for pair in found:
        for breach in pair.breaches:
            if breach.packet is not None:
                arrivals = made.walked(pair.source, breach)
                assert any(host.startswith(pair.destination.group) for _, host in arrivals), breach
    return {(str(each.source), str(each.destination)): each.breaches[0].by for each in found}


def routed(has_vrfs: bool) -> Site:
    return mutants.routed(site(has_vrfs), ENDS)


@VRFS
def test_fabrics_with_a_cable_between_them_are_apart_while_it_carries_nothing(has_vrfs: bool) -> None:
    clean = site(has_vrfs)
    assert {each.vrf for _, each in clean.ports() if each.address and "Loopback" in each.name} == (
        {"FRONT", "RAILS"} if has_vrfs else {None}
    )
    assert clean.judged().failed == ()
    assert routed(has_vrfs).judged().failed == (), "addresses at both ends, and no route"


@VRFS
def test_a_session_between_fabrics_opens_what_the_lists_of_one_let_in_from_anywhere(has_vrfs: bool) -> None:
    joined = mutants.with_session(routed(has_vrfs), ENDS)
    assert opened(joined) == {}, "they are of this site, and what is let in from outside is not"
    name = "BUSINESS-V320-OUT"
    anybody = AclRule(1, permit=True, protocol=TCP, destination_ports=(443, 443))
    found = opened(joined.with_rules("front-leaf-g3-a", name, (anybody, *joined.rules("front-leaf-g3-a", name))))
    assert found == {
        ("gpu on compute", "api on business"): (
            f"{RAILS} Ethernet1/1: no access list in", "front-leaf-g3-a vlan320: rule 1 of BUSINESS-V320-OUT",
        )
    }  # fmt: skip


@VRFS
def test_a_static_route_over_the_cable_opens_one_way(has_vrfs: bool) -> None:
    joined = routed(has_vrfs)
    route = StaticRoute("10.169.0.0/25", "RAILS" if has_vrfs else None, (mutants.ADDRESSES[0],))
    assert opened(joined.with_device(RAILS, static_routes=(*joined.configs[RAILS].static_routes, route))) == {}
    bare = joined.with_port(FRONT, "Vlan300", acls=())
    assert opened(bare) == {}, "no list, and no way to it"
    both = bare.with_device(RAILS, static_routes=(*bare.configs[RAILS].static_routes, route))
    assert opened(both) == {
        ("gpu on compute", "gpu on business"): (
            f"{RAILS} Ethernet1/1: no access list in", f"{FRONT} Vlan300: no access list out",
        )
    }  # fmt: skip


@VRFS
def test_a_route_to_the_other_end_of_a_cable_leaves_its_vrf_there(has_vrfs: bool) -> None:
    """The cable's end decides in which VRF a packet goes on, not that of the switch that sent it."""
    joined = routed(has_vrfs).with_port(FRONT, "Vlan300", acls=())
    route = StaticRoute("10.169.0.0/25", "RAILS" if has_vrfs else None, (mutants.ADDRESSES[0],))
    away = joined.with_port(FRONT, "Ethernet48", vrf="ELSEWHERE")
    assert opened(away.with_device(RAILS, static_routes=(*away.configs[RAILS].static_routes, route))) == {}


@VRFS
def test_a_vlan_of_one_fabric_on_a_hosts_port_of_the_other_is_named(has_vrfs: bool) -> None:
    here = mutants.switched(site(has_vrfs), FRONT, "Ethernet48", 200)
    there = mutants.switched(here, RAILS, "Ethernet30/1", 1003)
    assert opened(there) == {}
    by = (f"both are in one VLAN: {RAILS} Ethernet1/1, VLAN 1003",)
    assert opened(mutants.switched(there, RAILS, "Ethernet1/1", 1003)) == {
        ("gpu on compute", "gpu on storage"): by,
        ("gpu on storage", "gpu on compute"): by,
    }


@VRFS
def test_a_vlan_of_one_fabric_with_a_gateway_on_the_other_is_named(has_vrfs: bool) -> None:
    here = mutants.switched(site(has_vrfs), FRONT, "Ethernet48", 200)
    there = mutants.switched(here, RAILS, "Ethernet30/1", 1003)
    svi = Interface("Vlan1003", None, "10.197.0.1/24", 9000, True, None, vrf="RAILS" if has_vrfs else None)
    assert opened(there.with_ports(RAILS, svi)) == {
        ("gpu on storage", "gpu on compute"): (
            f"{RAILS} Vlan1003: no access list in", f"{RAILS} Ethernet1/1: no access list out",
        )
    }  # fmt: skip
    elsewhere = Interface("Vlan1003", None, "10.197.0.1/24", 9000, True, None, vrf="ELSEWHERE")
    assert opened(there.with_ports(RAILS, elsewhere)) == {}, "in a VRF that routes nothing"


@VRFS
def test_one_vlan_over_uplinks_of_two_leaves_joins_what_is_in_it_there(has_vrfs: bool) -> None:
    clean, spine = site(has_vrfs), "front-spine-1"
    leaves = [each.lower for each in clean.network.links_of(spine) if each.lower.device in (FRONT, "front-leaf-g2-a")]
    uplinks = [each.upper for each in clean.network.links_of(spine) if each.lower in leaves]
    for leaf, up in zip(leaves, uplinks, strict=True):
        clean = mutants.switched(mutants.switched(clean, leaf.device, leaf.port, 200), spine, up.port, 1002)
    found = opened(clean)
    assert set(found) == {("gpu on storage", "store on storage"), ("store on storage", "gpu on storage")}
    assert found["gpu on storage", "store on storage"] == (
        f"both are in one VLAN: VLAN 1002 of {spine} and VLAN 200 of {FRONT} are one by {spine} swp1",
    )


@VRFS
def test_a_gateway_in_another_vrf_is_cut_off_and_the_vrf_is_named(has_vrfs: bool) -> None:
    moved = site(has_vrfs).with_port(FRONT, "Vlan200", vrf="ELSEWHERE")
    (pair,) = moved.judged().failed
    assert (str(pair.source), str(pair.destination)) == ("gpu on storage", "store on storage")
    assert pair.breaches[0].kind == "blocked"
    assert pair.breaches[0].by == (f"{FRONT} Vlan200: no route in VRF ELSEWHERE to 10.168.0.128/25",)
