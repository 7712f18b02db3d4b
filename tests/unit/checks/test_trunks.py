"""What trunks carry, as switches show it: all VLANs of the design, and none that belongs elsewhere."""

from dataclasses import replace

import pytest
from simulated import Network

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.switches.trunks import check_trunks
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.platforms.observed import Observed, PortVlans

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000", NVUE: "peerlink"}
HOST = "Port-Channel1"


def found(network: Network) -> dict[tuple[str, str], Finding]:
    return {(each.device, each.port): each for each in check_trunks(network.evidence())}


def of_trunks(cause: Cause) -> set[tuple[str, str]]:
    return {(each.device, each.port) for each in (cause.lead, *cause.follows) if each.check == "trunks"}


def shows(network: Network, device: str, port: str, vlans: frozenset[int]) -> None:
    def changed(seen: Observed) -> Observed:
        rows = tuple(replace(each, vlans=vlans) if each.port == port else each for each in seen.carried or ())
        return replace(seen, carried=rows)

    network.shows(device, changed)


def test_every_trunk_of_hosts_and_every_peer_link_is_judged_at_both_switches_and_passes() -> None:
    findings = found(Network("front"))
    hosts = {(f"{EOS}-{leaf}", f"Port-Channel{number}") for leaf in "ab" for number in (1, 2)}
    pairs = (EOS, NXOS, "front-leaf-g3", NVUE)
    assert findings.keys() == hosts | {
        (f"{pair}-{leaf}", LINK.get(pair, "peerlink")) for pair in pairs for leaf in "ab"
    }
    assert {each.verdict for each in findings.values()} == {Verdict.PASS}
    assert findings[f"{EOS}-a", HOST].expected == "carries VLANs 200, 300"


@pytest.mark.parametrize("pair", [EOS, NXOS, NVUE])
def test_each_field_that_is_shown_is_judged(pair: str) -> None:
    leaf, link = f"{pair}-a", LINK[pair]
    for change in ({"port": "Ethernet99"}, {"vlans": frozenset[int]()}):
        network = Network("front")
        network.shows(
            leaf,
            lambda seen, change=change: replace(
                seen, carried=tuple(replace(each, **change) if each.port == link else each for each in seen.carried)
            ),
        )
        (bad,) = network.judge().failed
        assert (bad.check, bad.device, bad.port, bad.found) == ("trunks", leaf, link, "carries no VLAN")


def test_a_vlan_that_a_switch_does_not_carry_though_its_lines_say_so_leads_with_both_values() -> None:
    network = Network("front")
    shows(network, f"{EOS}-b", HOST, frozenset({200}))
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device, cause.lead.port) == ("trunks", f"{EOS}-b", HOST)
    assert (cause.lead.expected, cause.lead.found) == ("carries VLANs 200, 300", "carries VLANs 200")
    assert cause.follows == ()


def test_a_vlan_of_the_design_that_belongs_elsewhere_fails_and_one_of_others_does_not() -> None:
    network = Network("front")
    shows(network, f"{EOS}-a", HOST, frozenset({200, 300, 4094}))
    assert found(network)[f"{EOS}-a", HOST].found == "carries VLANs 200, 300, 4094"
    shows(network, f"{EOS}-a", HOST, frozenset({1, 200, 300, 999}))
    assert found(network)[f"{EOS}-a", HOST].verdict is Verdict.PASS


def test_a_vlan_missing_in_the_lines_of_a_trunk_is_their_cause_at_that_switch_alone() -> None:
    network = Network("front")
    network.port(f"{EOS}-a", HOST, tagged_vlans=())
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device, cause.lead.port) == ("config", f"{EOS}-a", HOST)
    assert of_trunks(cause) == {(f"{EOS}-a", HOST)}


def test_a_vlan_that_is_gone_from_a_switch_is_one_cause_for_all_its_trunks() -> None:
    network = Network("front")
    vlans: tuple[Vlan, ...] = network.running[f"{EOS}-a"].vlans
    network.config(f"{EOS}-a", vlans=tuple(each for each in vlans if each.number != 300))
    (cause,) = network.judge().causes
    assert cause.lead.check == "config"
    assert of_trunks(cause) == {(f"{EOS}-a", port) for port in (HOST, "Port-Channel2", LINK[EOS])}


@pytest.mark.parametrize("pair", [EOS, NXOS, NVUE])
def test_a_peer_link_that_is_down_carries_nothing_and_that_follows_what_took_it_down(pair: str) -> None:
    network = Network("front")
    leaves = {f"{pair}-{leaf}" for leaf in "ab"}
    network.cut = {name for name, ends in network.cables.items() if {end.device for end in ends} == leaves}
    causes = network.judge().causes
    assert {each.lead.check for each in causes} == {"port"}
    assert set().union(*map(of_trunks, causes)) == {(leaf, LINK[pair]) for leaf in leaves}


def test_a_group_that_is_shut_takes_its_trunk_along() -> None:
    network = Network("front")
    network.port(f"{EOS}-a", HOST, enabled=False)
    (cause,) = network.judge().causes
    assert of_trunks(cause) == {(f"{EOS}-a", HOST)}


def test_a_switch_that_does_not_show_its_vlans_could_not_be_told_of_all_its_trunks_by_one_cause() -> None:
    network = Network("front")
    network.shows(f"{EOS}-a", lambda seen: replace(seen, carried=None))
    report = network.judge()
    assert {each.check for each in report.undecided} == {"trunks"}
    assert len(report.undecided) == 3
    assert len(report.causes) == 1
    network.shows(f"{EOS}-a", lambda seen: replace(seen, carried=(PortVlans("Ethernet9", frozenset({200})),)))
    assert {each.verdict for (device, _), each in found(network).items() if device == f"{EOS}-a"} == {Verdict.FAIL}
