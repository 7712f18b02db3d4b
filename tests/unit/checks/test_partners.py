"""Partners of groups, as LACP hears them: one system on all members and on both switches of a pair, at our rate."""

from dataclasses import replace
from typing import Any

import pytest
from simulated import Network

from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.switches.lacp_partners import check_partners
from nornir_tasks.platforms.observed import Observed

EOS, NXOS = "front-leaf-g1", "front-leaf-g2"
PAIRS = (EOS, NXOS)
GROUP = {EOS: "Port-Channel1", NXOS: "port-channel1"}
LINK = {EOS: "Port-Channel1000", NXOS: "port-channel1000"}
PORT = {EOS: "Ethernet1", NXOS: "Ethernet1/1"}
LINK_PORTS = {EOS: ("Ethernet55/1", "Ethernet56/1"), NXOS: ("Ethernet1/53", "Ethernet1/54")}
STRANGER = "02:00:5e:00:00:99"


def found(network: Network) -> dict[tuple[str, str], Finding]:
    return {(each.device, each.port): each for each in check_partners(network.evidence())}


def of_partners(cause: Cause) -> set[tuple[str, str]]:
    return {(each.device, each.port) for each in (cause.lead, *cause.follows) if each.check == "partners"}


def shows(network: Network, device: str, member: str, **changes: Any) -> None:
    def changed(seen: Observed) -> Observed:
        rows = tuple(replace(each, **changes) if each.port == member else each for each in seen.partners or ())
        return replace(seen, partners=rows)

    network.show_more(device, changed)


def test_every_group_of_a_system_that_shows_partners_is_judged_at_each_switch_and_passes() -> None:
    network = Network("front")
    findings = found(network)
    wanted = {
        (name, port.name)
        for name, config in network.wanted.items()
        for port in config.interfaces
        if port.lag is not None and config.os != "nvue"
    }
    assert findings.keys() == wanted
    assert len(wanted) == 2 * 3 + 2 * 3
    assert {each.verdict for each in findings.values()} == {Verdict.PASS}
    assert {each.expected for each in findings.values()} == {"one partner, fast"}
    for pair in PAIRS:  # a host is one system to both, each switch of a peer link its own
        assert len({findings[f"{pair}-{leaf}", GROUP[pair]].found for leaf in "ab"}) == 1
        assert len({findings[f"{pair}-{leaf}", LINK[pair]].found for leaf in "ab"}) == 2


@pytest.mark.parametrize("pair", PAIRS)
def test_each_field_that_is_shown_is_judged(pair: str) -> None:
    for change in ({"port": "Ethernet99"}, {"system": STRANGER}, {"rate": "slow"}):
        network = Network("front")
        shows(network, f"{pair}-a", PORT[pair], **change)
        bad = network.judge().failed
        assert {(each.check, each.port) for each in bad} == {("partners", GROUP[pair])}
        assert f"{pair}-a" in {each.device for each in bad}


@pytest.mark.parametrize("pair", PAIRS)
def test_another_host_behind_one_switch_of_a_pair_is_one_cause_with_both_systems(pair: str) -> None:
    network = Network("front")
    right = found(network)[f"{pair}-b", GROUP[pair]].found.split()[1].rstrip(",")
    shows(network, f"{pair}-a", PORT[pair], system=STRANGER)
    (cause,) = network.judge().causes
    assert of_partners(cause) == {(f"{pair}-{leaf}", GROUP[pair]) for leaf in "ab"}
    assert cause.lead.message == f"{pair}-a {GROUP[pair]}: partners {STRANGER} and {right}, fast"


@pytest.mark.parametrize("pair", PAIRS)
def test_members_of_one_switch_that_lead_to_two_systems_are_named_there(pair: str) -> None:
    network = Network("front")
    shows(network, f"{pair}-a", LINK_PORTS[pair][1], system=STRANGER)
    (cause,) = network.judge().causes
    assert of_partners(cause) == {(f"{pair}-a", LINK[pair])}
    assert STRANGER in cause.lead.found


@pytest.mark.parametrize("pair", PAIRS)
def test_another_rate_in_the_lines_of_a_peer_links_member_is_their_cause_at_the_other_switch(pair: str) -> None:
    network = Network("front")
    leaf, port = f"{pair}-a", LINK_PORTS[pair][0]
    member = next(each.member for each in network.wanted[leaf].interfaces if each.name == port)
    assert member is not None
    network.port(leaf, port, member=replace(member, lacp_rate="slow"))
    (cause,) = network.judge().causes
    assert (cause.lead.check, cause.lead.device, cause.lead.port) == ("config", leaf, port)
    assert of_partners(cause) == {(f"{pair}-b", LINK[pair])}
    assert found(network)[f"{pair}-b", LINK[pair]].found.endswith(", slow and fast")


@pytest.mark.parametrize("pair", PAIRS)
def test_a_group_that_is_shut_hears_nobody_and_follows_its_lines_at_both_ends(pair: str) -> None:
    network = Network("front")
    network.port(f"{pair}-a", LINK[pair], enabled=False)
    (cause,) = network.judge().causes
    assert of_partners(cause) == {(f"{pair}-{leaf}", LINK[pair]) for leaf in "ab"}
    assert found(network)[f"{pair}-a", LINK[pair]].found == "no partner"


@pytest.mark.parametrize("pair", PAIRS)
def test_a_member_of_a_pair_that_is_gone_leaves_the_others_groups_judged_by_themselves(pair: str) -> None:
    network = Network("front")
    network.silence(f"{pair}-a", dead=True)
    (cause,) = network.judge().causes
    assert cause.lead.check == "reach"
    assert found(network)[f"{pair}-b", GROUP[pair]].verdict is Verdict.PASS


def test_a_switch_that_shows_no_partners_or_not_their_rate_could_not_be_told_by_one_cause() -> None:
    network = Network("front")
    shows(network, f"{EOS}-a", "Ethernet1", rate=None)
    assert found(network)[f"{EOS}-a", GROUP[EOS]].verdict is Verdict.ERROR
    network.shows(f"{EOS}-a", lambda seen: replace(seen, partners=None))
    undecided = {(each.device, each.port) for each in network.judge().undecided}
    assert undecided == {(f"{EOS}-a", f"Port-Channel{number}") for number in (1, 2, 1000)}
