"""Redundant gateways: both switches have the address, with HSRP one is active, and nobody else has it."""

from dataclasses import replace
from typing import Any

import pytest
from simulated import Network

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.switches.gateways import check_gateways
from nornir_tasks.deploy.tasks import worth_asking
from nornir_tasks.platforms.observed import FIELDS

EOS, NXOS, NVUE = "front-leaf-g1", "front-leaf-g2", "front-leaf-g4"
PAIRS = (EOS, NXOS, NVUE)
SVI = {EOS: "Vlan300", NXOS: "Vlan200", NVUE: "vlan310"}
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000", NVUE: "peerlink"}


def found(network: Network, device: str) -> dict[str, Finding]:
    return {each.port: each for each in check_gateways(network.evidence()) if each.device == device}


def of_gateways(cause: Cause) -> set[tuple[str, str]]:
    return {(each.device, each.port) for each in (cause.lead, *cause.follows) if each.check == "gateways"}


def failed(network: Network) -> set[tuple[str, str]]:
    return {(each.device, each.port) for each in check_gateways(network.evidence()) if each.verdict is Verdict.FAIL}


def svi(network: Network, device: str) -> Any:
    name = SVI[device.rpartition("-")[0]]
    return next(each for each in network.wanted[device].interfaces if each.name == name)


def shows(network: Network, device: str, svi: str, **changes: Any) -> None:
    def changed(seen: Any) -> Any:
        rows = tuple(replace(each, **changes) if each.port == svi else each for each in seen.gateways)
        return replace(seen, gateways=rows)

    network.shows(device, changed)


def test_every_gateway_of_the_design_is_judged_at_both_switches_and_passes() -> None:
    network = Network("front")
    findings = check_gateways(network.evidence())
    wanted = {(name, port.name) for name, each in network.wanted.items() for port in each.interfaces if port.gateway}
    assert {(each.device, each.port) for each in findings} == wanted
    assert len(findings) == len(wanted) == 2 * (2 + 1 + 1 + 2)
    assert {each.verdict for each in findings} == {Verdict.PASS}
    states = {each.device: each.found.rpartition(" ")[2] for each in findings if each.device.startswith(NXOS)}
    assert sorted(states.values()) == ["active", "standby"]


@pytest.mark.parametrize("pair", PAIRS)
def test_each_field_that_is_shown_of_a_gateway_is_judged(pair: str) -> None:
    changes: list[dict[str, Any]] = [{"address": "192.0.2.9"}, {"is_up": False, "state": "word"}, {"port": "Vlan9"}]
    changes.append({"is_active": None, "is_up": False} if pair == NXOS else {"mac_address": "00:00:5e:00:01:09"})
    for change in changes:
        network = Network("front")
        shows(network, f"{pair}-a", SVI[pair], **change)
        (bad,) = network.judge().failed
        assert (bad.check, bad.device, bad.port) == ("gateways", f"{pair}-a", SVI[pair])
        assert bad.found != bad.expected


def test_what_is_not_shown_could_not_be_told() -> None:
    network = Network("front")
    shows(network, f"{EOS}-a", SVI[EOS], is_up=None)
    assert found(network, f"{EOS}-a")[SVI[EOS]].verdict is Verdict.ERROR


@pytest.mark.parametrize(("gateways", "verdict"), [(None, Verdict.ERROR), ((), Verdict.FAIL)])
def test_a_switch_that_refused_the_question_is_not_one_without_gateways(gateways: Any, verdict: Verdict) -> None:
    network = Network("front")
    network.shows(f"{EOS}-a", lambda seen: replace(seen, gateways=gateways))
    assert found(network, f"{EOS}-a")[SVI[EOS]].verdict is verdict


@pytest.mark.parametrize(
    ("is_active", "word"), [(True, "active, active on both"), (False, "standby, active on neither")]
)
def test_a_group_that_both_or_neither_is_active_in_is_one_cause_for_both(is_active: bool, word: str) -> None:
    network = Network("front")
    for leaf in "ab":
        state = "active" if is_active else "standby"
        shows(network, f"{NXOS}-{leaf}", SVI[NXOS], is_active=is_active, state=state)
    (cause,) = network.judge().causes
    assert of_gateways(cause) == {(f"{NXOS}-{leaf}", SVI[NXOS]) for leaf in "ab"}
    address = svi(network, f"{NXOS}-a").gateway.address
    assert cause.lead.expected == f"gateway {address} active on one of both"
    assert cause.lead.found == f"gateway {address} {word}"


@pytest.mark.parametrize("pair", PAIRS)
def test_another_address_at_one_switch_is_its_lines_cause_with_both_values(pair: str) -> None:
    network = Network("front")
    leaf, port = f"{pair}-a", SVI[pair]
    gateway = svi(network, leaf).gateway
    other = gateway.address.rpartition(".")[0] + ".120"
    network.port(leaf, port, gateway=replace(gateway, address=other))
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.port) == ("config", port)
    assert of_gateways(cause) == {(leaf, port)}
    seen = found(network, leaf)[port]
    assert gateway.address in seen.expected and other in seen.found


@pytest.mark.parametrize("pair", PAIRS)
def test_a_gateway_that_is_a_switchs_own_address_as_well_is_named_and_follows_its_lines(pair: str) -> None:
    network = Network("front")
    leaf, port = f"{pair}-b", SVI[pair]
    wanted = svi(network, leaf)
    own = f"{wanted.gateway.address}/{wanted.address.partition('/')[2]}"
    network.port(leaf, port, address=own)
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device, cause.lead.port) == ("config", leaf, port)
    assert of_gateways(cause) == {(f"{pair}-{each}", port) for each in "ab"}
    for each in "ab":
        message = found(network, f"{pair}-{each}")[port].message
        assert message.endswith(f"; {leaf} {port} has {own} for its own, where {wanted.address} is wanted")


def test_a_gateway_that_another_pair_has_is_named_at_both_switches_of_either_pair() -> None:
    network = Network("front")
    gateway, theirs = svi(network, f"{NXOS}-a").gateway, svi(network, f"{EOS}-a").gateway
    network.port(f"{EOS}-a", SVI[EOS], gateway=replace(theirs, address=gateway.address))
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device) == ("config", f"{EOS}-a")
    assert failed(network) == {(f"{EOS}-a", SVI[EOS]), *((f"{NXOS}-{leaf}", SVI[NXOS]) for leaf in "ab")}
    message = found(network, f"{NXOS}-b")[SVI[NXOS]].message
    words = f"it is the gateway of {EOS}-a {SVI[EOS]} as well, where {theirs.address} is wanted"
    assert message.endswith(words)


def test_the_same_address_in_another_vrf_is_no_second_one() -> None:
    network = Network("front")
    wanted = svi(network, f"{NXOS}-a")
    network.port(f"{EOS}-a", SVI[EOS], address=f"{wanted.gateway.address}/25", vrf="OTHER")
    assert {device for device, _ in failed(network)} <= {f"{EOS}-a"}


@pytest.mark.parametrize("pair", PAIRS)
def test_an_svi_that_is_shut_is_one_cause_and_takes_its_gateway_along_at_that_switch_alone(pair: str) -> None:
    network = Network("front")
    network.port(f"{pair}-a", SVI[pair], enabled=False)
    (cause,) = network.judge().causes
    assert cause.lead.check == "config"
    assert of_gateways(cause) == {(f"{pair}-a", SVI[pair])}


def test_an_svi_that_is_down_with_its_ports_takes_its_gateway_along() -> None:
    network = Network("front")
    leaf = f"{NVUE}-a"
    for port in network.wanted[leaf].interfaces:
        if port.lag is not None:
            network.port(leaf, port.name, enabled=False)
    causes = network.judge().causes
    assert {each.lead.check for each in causes} == {"config"}
    assert (leaf, SVI[NVUE]) in set().union(*map(of_gateways, causes))


def test_switches_whose_peer_link_is_out_are_both_active_and_that_follows_the_cables() -> None:
    network = Network("front")
    leaves = {f"{NXOS}-{leaf}" for leaf in "ab"}
    network.cut = {name for name, ends in network.cables.items() if {end.device for end in ends} == leaves}
    report = network.judge()
    assert {each.lead.check for each in report.causes} == {"port"}
    assert failed(network) == {(leaf, SVI[NXOS]) for leaf in leaves}
    assert found(network, f"{NXOS}-a")[SVI[NXOS]].found.endswith("active, active on both")


def test_switches_of_different_domains_are_both_active_and_that_follows_the_lines() -> None:
    network = Network("front")
    lines = network.running[f"{NXOS}-a"].pair
    assert lines is not None
    network.config(f"{NXOS}-a", pair=replace(lines, number=77))
    (cause,) = network.judge().causes
    assert of_gateways(cause) == {(f"{NXOS}-{leaf}", SVI[NXOS]) for leaf in "ab"}


@pytest.mark.parametrize("pair", PAIRS)
def test_of_a_member_that_is_gone_the_other_one_answers_alone(pair: str) -> None:
    network = Network("front")
    network.silence(f"{pair}-a", dead=True)
    report = network.judge()
    (cause,) = report.causes
    assert cause.lead.check == "reach"
    assert found(network, f"{pair}-b")[SVI[pair]].verdict is Verdict.PASS
    if pair == NXOS:
        assert found(network, f"{pair}-b")[SVI[pair]].found.endswith(" active")


def test_only_switches_that_shall_have_gateways_are_asked_for_them() -> None:
    wanted = Network("front").wanted
    with_requests = {name for name, config in wanted.items() if "gateways" in worth_asking(config, FIELDS)}
    assert with_requests == {f"front-leaf-g{number}-{leaf}" for number in range(1, 5) for leaf in "ab"}
