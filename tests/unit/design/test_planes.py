"""Two planes on one switch: they share what they want alike, own what bears their mark, and never overwrite."""

from collections.abc import Iterator

import pytest

from nornir_tasks.design.claims import SWITCH, Claims, PlaneClaim
from nornir_tasks.design.device_config import Interface
from nornir_tasks.design.merge import Contribution, merge
from nornir_tasks.design.network import Device, Network
from nornir_tasks.design.pipeline import PLANES, device_configs
from nornir_tasks.errors import DesignError
from tests.unit.design.lab_like import configs, lab


def toy(network: Network, device: Device, *, drained: bool) -> Iterator[Contribution]:
    """A second plane in two lines: a port of its own, and the router-id that the compute plane wants as well."""
    port = Interface("Ethernet40/1", "toy", "10.99.0.0/31", 1500, enabled=True, qos_profile=None)
    yield Contribution(device.name, "interfaces", port.name, port, "toy")
    yield Contribution(device.name, "bgp", "router_id", device.loopback, "toy")


def greedy(network: Network, device: Device, *, drained: bool) -> Iterator[Contribution]:
    """A plane that wants another ASN and the compute plane's first host port."""
    port = next(each for each in configs()[device.name].config.interfaces if each.qos_profile)
    mine = Interface(port.name, "greedy", "10.99.0.0/31", 1500, enabled=True, qos_profile=None)
    yield Contribution(device.name, "interfaces", port.name, mine, "greedy")
    yield Contribution(device.name, "bgp", "asn", 65000, "greedy")


def test_a_second_planes_pieces_are_added_and_nothing_of_the_first_changes() -> None:
    both = {each.config.name: each.config for each in device_configs(lab(), planes={**PLANES, "toy": toy})}
    for name, alone in configs().items():
        added = set(both[name].interfaces) - set(alone.config.interfaces)
        assert {port.description for port in added} == {"toy"}
        assert both[name].bgp == alone.config.bgp
        assert both[name].qos == alone.config.qos


def test_a_clash_names_both_planes_and_every_thing_they_clash_over() -> None:
    with pytest.raises(DesignError) as caught:
        list(device_configs(lab(), planes={**PLANES, "greedy": greedy}))
    assert [problem.what for problem in caught.value.problems] == [
        "planes compute and greedy want different things"
    ] * 2
    assert {problem.where for problem in caught.value.problems} == {
        "leaf-g1-r0 interfaces.Ethernet1/1",
        "leaf-g1-r0 bgp.asn",
    }


def test_merge_joins_equal_wishes_of_two_planes() -> None:
    wishes = [Contribution("leaf", "bgp", "asn", 65000, plane) for plane in ("compute", "toy")]
    assert merge("leaf", wishes) == {"bgp": {"asn": 65000}}


def test_a_plane_claims_its_cabled_ports_its_loopback_its_pools_and_its_names() -> None:
    claims = configs()["leaf-g1-r0"].claims
    assert claims.by_port("Ethernet1/1") == claims.by_port("Ethernet64/1") == claims.by_port("Loopback0") == "compute"
    assert claims.by_port("Ethernet40/1") == SWITCH  # kept shut
    assert claims.by_address("10.168.0.0/24") == "compute"
    assert claims.by_address("192.0.2.1") is None
    assert claims.by_name("COMPUTE-OUT") == "compute"
    assert claims.by_name("GPUFABRIC-LOSSLESS") == SWITCH
    assert claims.by_name("CUSTOMER-OUT") is None


def test_claims_of_two_planes_do_not_meet() -> None:
    claims = Claims(
        (*configs()["leaf-g1-r0"].claims.planes, PlaneClaim("toy", frozenset({"Ethernet40/1"}), ("10.99.0.0/16",)))
    )
    assert (claims.by_port("Ethernet40/1"), claims.by_port("Ethernet1/1")) == ("toy", "compute")
    assert (claims.by_address("10.99.1.1"), claims.by_name("TOY-X")) == ("toy", "toy")
