"""The hosts' VLAN: every host port alone in it, nobody else, and what is not shown is not passed."""

from dataclasses import replace

import pytest
from lab_evidence import clean as routed

from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.vlans import check_vlans
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.observed import Observed, PortState
from tests.svi import LEAVES, all_wanted, network


def shown(config: DeviceConfig) -> Observed:
    """What a switch shows that is as wanted."""
    ports = []
    for port in config.interfaces:
        vlan = str(port.access_vlan) if port.access_vlan is not None else "routed"
        ports.append(PortState(port.name, port.enabled, port.enabled, port.mtu_bytes, vlan=vlan))
    return Observed(config.name, tuple(ports), (), (), (), (), None)


def evidence(**vlans: str | None) -> Evidence:
    """The site as wanted, but for what the first leaf shows of these ports (``_`` stands for ``/``)."""
    wanted = {name: each.config for name, each in all_wanted().items()}
    observed = {name: shown(config) for name, config in wanted.items()}
    leaf = LEAVES["eos"]
    other = {name.replace("_", "/"): vlan for name, vlan in vlans.items()}
    ports = (replace(port, vlan=other.get(port.name, port.vlan)) for port in observed[leaf].ports)
    observed[leaf] = replace(observed[leaf], ports=tuple(ports))
    return Evidence(network(), wanted, {}, {}, observed, {}, {})


def bad(findings: list[Finding]) -> list[Finding]:
    return [each for each in findings if each.verdict is not Verdict.PASS]


def test_host_ports_alone_in_their_vlan_pass_and_each_leaf_is_judged_as_a_whole() -> None:
    findings = check_vlans(evidence())
    assert bad(findings) == []
    assert sorted(each.device for each in findings if not each.port) == sorted(LEAVES.values())
    assert len([each for each in findings if each.port]) == 8


@pytest.mark.parametrize("found", ["routed", "trunk", "1", "201"])
def test_a_host_port_of_another_mode_or_vlan_is_named(found: str) -> None:
    (finding,) = bad(check_vlans(evidence(Ethernet1_1=found)))
    assert (finding.port, finding.verdict, finding.expected) == ("Ethernet1/1", Verdict.FAIL, "access port of VLAN 200")
    assert found in finding.found


def test_a_port_that_shall_not_be_in_the_hosts_vlan_and_is_makes_the_leaf_fail() -> None:
    (finding,) = bad(check_vlans(evidence(Ethernet40_1="200")))
    assert (finding.port, finding.verdict, finding.found) == ("", Verdict.FAIL, "Ethernet40/1")


def test_a_port_whose_vlan_is_not_shown_is_not_passed() -> None:
    (finding,) = bad(check_vlans(evidence(Ethernet1_1=None)))
    assert finding.verdict is Verdict.ERROR
    dark = evidence()
    leaf = LEAVES["nvue 5.14"]
    ports = tuple(replace(port, vlan=None) for port in dark.observed[leaf].ports)
    silent = replace(dark, observed={**dark.observed, leaf: replace(dark.observed[leaf], ports=ports)})
    assert [each.verdict for each in bad(check_vlans(silent))] == [Verdict.ERROR] * 3


def test_a_site_with_routed_host_ports_has_nothing_to_judge() -> None:
    assert check_vlans(routed()) == []
