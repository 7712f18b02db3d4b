"""Where routes take a packet: the longest prefix, next hops, and circles that have a way out."""

from nornir_tasks.design.config.access_lists import AclBinding
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.static_routes import StaticRoute
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.proofs.routing import Router, Routing
from nornir_tasks.proofs.spans import span
from nornir_tasks.proofs.ways import Met

BEHIND = "10.9.0.0/24"


def port(
    name: str, address: str, *, enabled: bool = True, vrf: str | None = None, acls: tuple[AclBinding, ...] = ()
) -> Interface:
    return Interface(name, None, address, 9000, enabled, None, vrf=vrf, acls=acls)


def switch(name: str, *interfaces: Interface, routes: dict[str, tuple[str, ...]] | None = None) -> DeviceConfig:
    statics = tuple(StaticRoute(prefix, next_hops=hops) for prefix, hops in (routes or {}).items())
    return DeviceConfig(name, "eos", "4.33.1F", "any", "any", interfaces=interfaces, static_routes=statics)


def routing(*switches: DeviceConfig) -> Routing:
    return Routing({each.name: each for each in switches}, {})


def exits(found: Routing, device: str, vrf: str | None = None) -> set[str]:
    return {each.device for each in found.exits(Router(device, vrf), span(BEHIND))}


def test_routers_that_point_at_one_another_and_out_both_lead_out_whichever_is_asked_first() -> None:
    one = switch("one", port("a", "10.0.0.0/31"), routes={BEHIND: ("10.0.0.1",)})
    other = switch(
        "other", port("a", "10.0.0.1/31"), port("b", "10.0.1.0/31"), routes={BEHIND: ("10.0.0.0", "10.0.1.1")}
    )
    out = switch("out", port("b", "10.0.1.1/31"), port("c", "10.9.0.1/24"))
    for order in (("one", "other"), ("other", "one")):
        found = routing(one, other, out)
        assert [exits(found, each) for each in order] == [{"out"}, {"out"}]


def test_routers_that_only_point_at_one_another_lead_nowhere() -> None:
    one = switch("one", port("a", "10.0.0.0/31"), routes={BEHIND: ("10.0.0.1",)})
    other = switch("other", port("a", "10.0.0.1/31"), routes={BEHIND: ("10.0.0.0",)})
    assert exits(routing(one, other), "one") == set()


def test_a_longer_discard_route_stops_what_a_default_route_would_carry() -> None:
    out = switch("out", port("b", "10.0.1.1/31"), port("c", "10.9.0.1/24"))
    to_it = {"0.0.0.0/0": ("10.0.1.1",)}
    assert exits(routing(switch("one", port("b", "10.0.1.0/31"), routes=to_it), out), "one") == {"out"}
    discards = {**to_it, "10.9.0.0/16": ()}
    assert exits(routing(switch("one", port("b", "10.0.1.0/31"), routes=discards), out), "one") == set()


def test_another_vrf_and_a_port_that_is_shut_have_no_route() -> None:
    assert exits(routing(switch("one", port("c", "10.9.0.1/24", vrf="RED"))), "one") == set()
    assert exits(routing(switch("one", port("c", "10.9.0.1/24", vrf="RED"))), "one", "RED") == {"one"}
    assert exits(routing(switch("one", port("c", "10.9.0.1/24", enabled=False))), "one") == set()


def test_lists_on_both_interfaces_of_a_next_hop_are_met_and_a_way_without_any_goes_before_one_with_lists() -> None:
    into, out_of = AclBinding("ipv4", "in", "INTO"), AclBinding("ipv4", "out", "OUT-OF")
    one = switch("one", port("a", "10.0.0.0/31", acls=(out_of,)), routes={BEHIND: ("10.0.0.1",)})
    out = switch("out", port("a", "10.0.0.1/31", acls=(into,)), port("c", "10.9.0.1/24"))
    (way,) = routing(one, out).exits(Router("one", None), span(BEHIND))[Router("out", None)]
    assert sorted(way) == [Met("one", "a", (out_of,), "out"), Met("out", "a", (into,), "in")]
    two = switch("one", *one.interfaces, port("b", "10.0.1.0/31"), routes={BEHIND: ("10.0.0.1", "10.0.1.1")})
    both = switch("out", *out.interfaces, port("b", "10.0.1.1/31"))
    (way,) = routing(two, both).exits(Router("one", None), span(BEHIND))[Router("out", None)]
    assert way == frozenset()
