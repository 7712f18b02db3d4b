"""A device of the out-of-band plane that is given a port is cabled there, and nothing else moves without need."""

from itertools import permutations
from typing import Any

import pytest

from nornir_tasks.design.model.network import Network
from tests.unit.design.test_out_of_band import designed, place, site


def ports(found: Network) -> dict[str, tuple[str, str, str]]:
    """Device -> access switch, port and address."""
    return {each.host: place(found, each.host) for each in found.attached}


def at(found: Network, device: str) -> dict[str, str]:
    """The port of a device, as the intent says it."""
    leaf, port, _ = place(found, device)
    return {"switch": leaf, "port": port}


def moved(before: Network, after: Network) -> set[str]:
    """Devices that have another port or address."""
    one, other = ports(before), ports(after)
    assert one.keys() == other.keys()
    return {name for name in one if one[name] != other[name]}


PLAIN = designed(site())
FREE = {"switch": "oob-leaf-g2", "port": "swp40"}


def test_a_device_that_is_given_a_free_port_moves_alone() -> None:
    after = designed(site(places={"gpu-bmc-1": FREE}))
    assert place(after, "gpu-bmc-1")[:2] == ("oob-leaf-g2", "swp40")
    assert moved(PLAIN, after) == {"gpu-bmc-1"}


def test_a_device_that_is_given_anothers_port_changes_places_with_it() -> None:
    after = designed(site(places={"gpu-bmc-1": at(PLAIN, "leaf-g1-r7")}))
    assert moved(PLAIN, after) == {"gpu-bmc-1", "leaf-g1-r7"}
    assert ports(after)["leaf-g1-r7"] == ports(PLAIN)["gpu-bmc-1"]
    assert ports(after)["gpu-bmc-1"] == ports(PLAIN)["leaf-g1-r7"]


def test_a_place_that_says_what_would_follow_moves_nothing() -> None:
    assert moved(PLAIN, designed(site(places={"pdu-2": at(PLAIN, "pdu-2")}))) == set()


CHAIN = {
    "pdu-1": at(PLAIN, "gpu-bmc-1"),
    "gpu-bmc-2": at(PLAIN, "pdu-1"),
    "gpu-bmc-3": at(PLAIN, "gpu-bmc-2"),
}
"""Each takes the port of the one before; of gpu-bmc-1 nothing is said."""


def test_the_order_of_the_file_does_not_matter_and_each_place_moves_one_other_at_most() -> None:
    found = [ports(designed(site(places=dict(order)))) for order in permutations(CHAIN.items())]
    assert all(each == found[0] for each in found)
    assert moved(PLAIN, designed(site(places=CHAIN))) == {*CHAIN, "gpu-bmc-1"}
    assert found[0]["gpu-bmc-1"] == ports(PLAIN)["gpu-bmc-3"]


def test_no_port_has_two_devices_whatever_is_given_a_place() -> None:
    after = ports(designed(site(places={**CHAIN, "spine-1": FREE, "bastion-1": at(PLAIN, "spine-1")})))
    assert len({each[:2] for each in after.values()}) == len(after) == len(ports(PLAIN))
    assert len({each[2] for each in after.values()}) == len(after)


@pytest.mark.parametrize("places", [{"gpu-bmc-1": FREE}, {"gpu-bmc-30": FREE, "pdu-1": {**FREE, "port": "swp2"}}])
def test_growth_within_max_moves_nothing_that_has_a_place_or_has_none(places: dict[str, Any]) -> None:
    few, many = (ports(designed(site(count=count, max=40, places=places))) for count in (4, 40))
    assert few.items() <= many.items()


def test_the_lists_hold_the_address_that_goes_with_the_port() -> None:
    after = designed(site(places={"bastion-1": at(PLAIN, "gpu-bmc-3")}))
    leaf, _, address = place(after, "bastion-1")
    assert f"{address}/32" in after.attached_prefixes[leaf, "oob"]["bastion"]
