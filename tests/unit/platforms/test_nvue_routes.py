"""What Cumulus Linux shows of routes becomes the neutral shape, in each VRF that was asked for."""

from typing import Any

from nornir_tasks.platforms.nvue.observe import GROUPS, OBSERVING, routes_of
from nornir_tasks.platforms.observed import FIELDS


def route(group: int, protocol: str = "bgp") -> dict[str, Any]:
    """One of the list that NVUE-API.md publishes."""
    return {"route-entry": {"1": {"distance": 20, "nexthop-group-id": group, "protocol": protocol}}}


ANSWERS = {
    routes_of("default").what: {"10.255.0.1/32": route(12)},
    routes_of("COMPUTE").what: {"10.168.0.0/24": route(14), "10.168.1.0/24": route(12, "static")},
    GROUPS.what: {"12": {"via": {"1": {}}}, "13": {"via": {"1": {}}}, "14": {"depends": {"12": {}, "13": {}}}},
}


def test_routes_say_their_vrf_and_count_the_members_of_their_group() -> None:
    assert OBSERVING.read("leaf", ANSWERS).routes == (((None, "10.255.0.1/32"), 1), (("COMPUTE", "10.168.0.0/24"), 2))


def test_each_vrf_is_asked_for_by_its_name_and_the_default_one_always() -> None:
    requests = [each.what for each in OBSERVING.requests_for(FIELDS, ("COMPUTE",))]
    assert {routes_of("default").what, routes_of("COMPUTE").what} <= set(requests)
    assert len(requests) == len(OBSERVING.requests_for(FIELDS)) + 1
