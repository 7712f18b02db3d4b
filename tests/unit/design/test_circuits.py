"""A link is physical alone; who uses it, and with which addresses, is said by its circuits."""

from dataclasses import replace
from functools import cache

import pytest

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.model.links import Circuit, Endpoint, Link, Use
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.moves import moves
from tests.unit.design.lab_like import configs, lab

LEAF, HOST = "leaf-g1-r0", "gpu-1"
STORAGE = Use("storage", 9000, prefix_length=31, vrf="storage", tag=300)


@cache
def uplink() -> Link:
    return next(link for link in lab().links_of(LEAF) if link.kind == "fabric")


@cache
def down() -> Link:
    return next(link for link in lab().links_of(HOST) if link.upper.device == LEAF)


def management() -> Link:
    """The leaf's management port, cabled to a switch of another fabric."""
    return Link("oob-1-p1", "host", "oob", Endpoint("oob-1", "swp1"), Endpoint(LEAF, "Management1"), 1, 1, "oob-1-p1")


def unused(link: Link) -> Network:
    """The lab with nothing running over one of its links."""
    return replace(lab(), circuits=tuple(each for each in lab().circuits if each.link is not link))


def shared(link: Link) -> Network:
    """The lab with another plane's circuit beside the first on one of its links."""
    return replace(lab(), circuits=(*lab().circuits, Circuit(link, STORAGE, "10.99.0.0", "10.99.0.1")))


def leaf(network: Network) -> Realised:
    return device_config(network, network.device(LEAF))


def test_a_management_port_as_the_lower_end_of_another_fabrics_link_gets_no_line_and_no_owner() -> None:
    network = replace(lab(), links=(*lab().links, management()))
    assert network.far_end(LEAF, "Management1") == Endpoint("oob-1", "swp1")
    assert leaf(network).config == configs()[LEAF].config
    assert leaf(network).claims == configs()[LEAF].claims
    assert leaf(network).claims.by_port("Management1") is None


def test_a_link_of_another_fabric_is_none_of_this_ones_counts() -> None:
    network = replace(lab(), links=(*lab().links, management()))
    assert design_counts(network)["planes"] == design_counts(lab())["planes"]
    assert count_routes(network) == count_routes(lab())


@pytest.mark.parametrize("which", ["uplink", "host link"])
def test_a_port_whose_link_nobody_uses_gets_no_line_and_no_owner(which: str) -> None:
    link = uplink() if which == "uplink" else down()
    port = link.end(LEAF).port
    before, after = configs()[LEAF], leaf(unused(link))
    assert set(before.config.interfaces) - set(after.config.interfaces) == {
        each for each in before.config.interfaces if each.name == port
    }
    owner = "fabric compute" if which == "uplink" else "compute"
    assert (before.claims.by_port(port), after.claims.by_port(port)) == (owner, None)


def test_a_link_between_switches_that_nobody_uses_has_no_session_and_no_next_hop() -> None:
    network = unused(uplink())
    assert [each.name for each in network.links] == [each.name for each in lab().links]
    before, after = configs()[LEAF].config.bgp, leaf(network).config.bgp
    assert before is not None
    assert after is not None
    assert len(before.neighbors) - len(after.neighbors) == 1
    assert count_routes(network)[LEAF].connected == count_routes(lab())[LEAF].connected - 1
    assert count_routes(network)[LEAF].widest < count_routes(lab())[LEAF].widest


@pytest.mark.parametrize("which", ["uplink", "host link"])
def test_a_second_planes_circuit_on_a_link_changes_nothing_of_the_first(which: str) -> None:
    link = uplink() if which == "uplink" else down()
    network = shared(link)
    first = "fabric compute" if which == "uplink" else "compute"
    assert [each.owner for each in network.circuits_on(link)] == [first, "storage"]
    assert leaf(network).config == configs()[LEAF].config
    assert network.rails_of(HOST, "compute") == lab().rails_of(HOST, "compute")


def test_a_session_in_a_vrf_is_no_next_hop_of_the_default_one() -> None:
    before, after = count_routes(lab())[LEAF], count_routes(shared(uplink()))[LEAF]
    assert (after.learned, after.widest) == (before.learned, before.widest)


def test_a_new_address_of_any_circuit_is_told_among_the_moves() -> None:
    assert moves(lab(), lab()).readdressed == ()
    assert moves(lab(), shared(down())).readdressed == (down().name,)
