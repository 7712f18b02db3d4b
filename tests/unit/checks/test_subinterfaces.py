"""A second plane over subinterfaces of the links between switches: its sessions are judged apart from the first's."""

from types import SimpleNamespace

import pytest

from tests.unit.checks.simulated import Network
from tests.unit.design import tagged
from tests.unit.design.tagged import UPLINK_TAG, VRF


class Tagged(Network):
    """The site with planes told apart by tags."""

    def __init__(self) -> None:
        network = tagged.tagged()
        made = {device.name: tagged.realised(device.name) for device in network.devices}
        self._begin(SimpleNamespace(network=network), made)


def failed(network: Network) -> set[tuple[str, str, str]]:
    return {(each.check, each.device, each.port) for each in network.judge().failed}


def test_a_site_as_it_is_wanted_passes_with_a_session_of_each_plane_on_every_link_between_switches() -> None:
    report = Tagged().judge()
    assert failed(Tagged()) == set()
    sessions = {(each.device, each.port) for each in report.findings if each.check == "bgp"}
    between = [each for each in tagged.tagged().circuits if each.link.kind == "fabric"]
    assert sessions == {
        (end.device, each.interface(end.device)) for each in between for end in (each.link.upper, each.link.lower)
    }
    heard = [each.port for each in report.findings if each.check == "lldp"]
    assert heard
    assert not [port for port in heard if "." in port]


@pytest.mark.parametrize("device", ["leaf-g1-r0", "leaf-g1-r1", "spine-1"])
def test_a_wrong_tag_takes_down_the_session_over_it_and_no_other_and_is_its_cause(device: str) -> None:
    circuit = next(each for each in tagged.tagged().circuits_of(device) if each.use.tag == UPLINK_TAG)
    far, here = circuit.link.far(device).device, circuit.interface(device)
    network = Tagged()
    network.port(device, here, tag=UPLINK_TAG + 1)
    found = {each for each in failed(network) if each[0] == "bgp"}
    assert found == {("bgp", device, here), ("bgp", far, circuit.interface(far))}
    causes = [each for each in network.judge().causes if each.lead.verdict == "fail"]
    assert [(each.lead.check, each.lead.device, each.lead.port) for each in causes] == [("config", device, here)]


def test_a_port_that_is_shut_is_the_one_cause_of_what_fails_on_it_and_on_its_subinterfaces() -> None:
    device = "leaf-g1-r0"
    circuit = next(each for each in tagged.tagged().circuits_of(device) if each.use.tag == UPLINK_TAG)
    port = circuit.link.end(device).port
    network = Tagged()
    network.port(device, port, enabled=False)
    found = failed(network)
    assert {
        ("bgp", device, port),
        ("bgp", device, f"{port}.{UPLINK_TAG}"),
        ("port", device, f"{port}.{UPLINK_TAG}"),
    } <= found
    causes = [each for each in network.judge().causes if each.lead.verdict == "fail"]
    assert [(each.lead.check, each.lead.device, each.lead.port) for each in causes] == [("config", device, port)]


def test_what_fails_in_the_vrf_of_a_plane_says_so() -> None:
    device = "leaf-g1-r0"
    circuit = next(each for each in tagged.tagged().circuits_of(device) if each.use.tag == UPLINK_TAG)
    network = Tagged()
    network.port(device, circuit.interface(device), tag=99)
    (message,) = [each.message for each in network.judge().failed if each.check == "bgp" and each.device == device]
    assert f"in VRF {VRF}" in message
    assert circuit.interface(device) in message
