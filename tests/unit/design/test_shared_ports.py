"""Two planes on one NIC port: a tag tells their packets apart, and nothing of the plane whose port it is changes."""

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
import yaml

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.design.reports.cabling_plan import cabling_plan
from nornir_tasks.design.reports.moves import moves
from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.intent_parts import needs

LAB = Path(__file__).parents[3] / "inventory" / "lab-rails" / "fabric.yml"
CATALOGUE = load_catalogue()
FACTS = {name: each.facts for name, each in platforms().items()}
DATA = {"fabric": "compute", "kind": "compute", "tag": 310, "mtu": 4200, "pools": {"hosts": "10.180.0.0/14"}}
TAG, RAILS = 310, 3


def intent(folder: Path, *, with_data: bool = True) -> Intent:
    """The lab, where the first three rails carry a second plane."""
    site = yaml.safe_load(LAB.read_text())
    if with_data:
        site["planes"]["data"] = DATA
        site["hosts"]["gpu"]["nics"]["data"] = {"rails": RAILS, "speed": "200G", "ports_of": "compute"}
    file = folder / "fabric.yml"
    file.write_text(yaml.safe_dump(site, sort_keys=False))
    return load_intent(file)


def built(intent: Intent) -> Network:
    return design(intent, CATALOGUE, FACTS)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return built(intent(tmp_path_factory.mktemp("shared")))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Network:
    return built(intent(tmp_path_factory.mktemp("alone"), with_data=False))


def test_a_plane_on_the_ports_of_another_moves_no_cable_and_no_address(network: Network, before: Network) -> None:
    assert cabling_plan(network) == cabling_plan(before)
    found = moves(before, network)
    assert found.steps == ()
    assert network.rails_of("gpu-1", "compute") == before.rails_of("gpu-1", "compute")
    assert network.devices == before.devices


def test_both_planes_have_a_circuit_on_the_port_with_addresses_of_their_own_and_one_tag(network: Network) -> None:
    for nic in network.rails_of("gpu-2", "data"):
        compute, data = network.circuits_on(nic.at.link)
        assert (compute.owner, compute.use.tag, data.owner, data.use.tag) == ("compute", None, "data", TAG)
        assert compute.use.rail == data.use.rail
        for circuit in (compute, data):
            block = IPv4Network(str(network.host_block(nic.at.leaf, circuit.owner)))
            assert {IPv4Address(circuit.upper_address), IPv4Address(circuit.lower_address)} <= set(block)
            assert block.subnet_of(IPv4Network(network.planes[circuit.owner].pools["hosts"]))
        assert IPv4Network(network.planes["data"].rail_supernets[nic.rail]).supernet_of(block)


def test_the_host_has_an_interface_of_its_own_for_each_plane(network: Network) -> None:
    assert [nic.port for nic in network.rails_of("gpu-1", "data")] == [f"rail{rail}.{TAG}" for rail in range(RAILS)]
    assert [nic.port for nic in network.rails_of("gpu-1", "compute")] == [f"rail{rail}" for rail in range(8)]
    assert {nic.mtu_bytes for nic in network.rails_of("gpu-1", "data")} == {4200}


def test_rails_that_the_plane_does_not_use_carry_the_other_one_alone(network: Network) -> None:
    alone = network.rails_of("gpu-1", "compute")[RAILS:]
    assert all(len(network.circuits_on(nic.at.link)) == 1 for nic in alone)


def test_leaves_announce_a_prefix_of_each_plane_and_every_session_takes_them(network: Network, before: Network) -> None:
    leaves = [each for each in network.devices if each.level == 0]
    planes = {each.rail: set(network.blocks_at(each.name)) for each in leaves}
    assert planes == {rail: {"compute", "data"} if rail < RAILS else {"compute"} for rail in range(8)}
    more, fewer = count_routes(network)[leaves[0].name], count_routes(before)[leaves[0].name]
    assert more.learned == fewer.learned + RAILS - 1
    assert max(1 + len(network.blocks_at(each.name)) for each in leaves) <= network.fabrics["compute"].prefixes_from[0]


def test_bringing_up_hosts_on_shared_ports_is_refused_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(IntentError) as caught:
        needs(intent(tmp_path))
    (problem,) = caught.value.problems
    assert problem.what.startswith("hosts.gpu.nics.data.ports_of: host roles do not configure VLANs")
