"""BGP sessions and ECMP widths, explained from both ends."""

from dataclasses import replace

import pytest
from lab_evidence import SWITCHES, clean, designed, fabric_port, row, seen, unlike

from nornir_tasks.checks.evidence import Evidence, Verdict
from nornir_tasks.checks.switches.ecmp import check_ecmp
from nornir_tasks.design.config.bgp import Neighbor

BY_DEVICE = pytest.mark.parametrize("device", SWITCHES)


def neighbor_of(device: str) -> Neighbor:
    """The neighbour behind the first fabric port."""
    evidence = clean()
    bgp = evidence.wanted[device].bgp
    assert bgp is not None
    port = fabric_port(device)
    return next(each for each in bgp.neighbors if evidence.port_of_neighbor(device, each.key) == port)


def running_neighbor(device: str, **changes: object) -> Evidence:
    """The session is down: this end is configured otherwise; no changes: the neighbour is not configured at all."""
    neighbor, config = neighbor_of(device), clean().running[device]
    assert config.bgp is not None
    new = (replace(neighbor, **changes),) if changes else ()
    neighbors = tuple(part for each in config.bgp.neighbors for part in (new if each == neighbor else (each,)))
    running = {**clean().running, device: replace(config, bgp=replace(config.bgp, neighbors=neighbors))}
    down = row(device, "bgp", neighbor.address, established=False, state="active", **changes)
    return replace(down, running=running)


@BY_DEVICE
def test_a_session_that_is_down_is_named_with_what_both_ends_say(device) -> None:
    neighbor, port = neighbor_of(device), fabric_port(device)
    far = clean().far[device, port]
    own = clean().wanted[device].bgp
    check, (finding,) = unlike(row(device, "bgp", neighbor.address, established=False, state="idle"))
    assert (check, finding.device, finding.port) == ("bgp", device, port)
    assert finding.message.startswith(
        f"{device} {port} <-> {far.device} {far.port}, neighbour {neighbor.address}: idle"
    )
    assert f"idle with AS {neighbor.remote_as} here, established with AS {own.asn} at the far end" in finding.message
    assert finding.expected == f"established with AS {neighbor.remote_as}"


@BY_DEVICE
def test_a_session_with_another_as_is_no_session_of_the_design(device) -> None:
    check, (finding,) = unlike(row(device, "bgp", neighbor_of(device).address, remote_as=65009))
    assert (check, finding.device, finding.port) == ("bgp", device, fabric_port(device))
    assert "AS 65009 here" in finding.message


@BY_DEVICE
def test_a_session_the_switch_does_not_know_is_missed(device) -> None:
    check, (finding,) = unlike(row(device, "bgp", neighbor_of(device).address))
    assert (check, finding.port) == ("bgp", fabric_port(device))
    assert "no such session here" in finding.message


@BY_DEVICE
def test_a_wrong_as_in_the_configuration_is_the_reason_given_with_both_values(device) -> None:
    far = clean().far[device, fabric_port(device)]
    theirs = clean().wanted[far.device].bgp
    _, (finding,) = unlike(running_neighbor(device, remote_as=65009))
    assert f"remote AS is 65009 here, {far.device} is AS {theirs.asn}" in finding.message


@BY_DEVICE
def test_another_password_than_at_the_far_end_is_the_reason_given(device) -> None:
    far, running = clean().far[device, fabric_port(device)], clean().running
    bgp = running[device].bgp
    groups = tuple(replace(each, password="<secret:another>") for each in bgp.peer_groups)
    changed = running | {device: replace(running[device], bgp=replace(bgp, peer_groups=groups))}
    down = row(device, "bgp", neighbor_of(device).address, established=False, state="active")
    _, (finding,) = unlike(replace(down, running=changed))
    assert f"its password at {far.device} is another than at {device}" in finding.message


@BY_DEVICE
def test_a_neighbour_nobody_configured_is_the_reason_given(device) -> None:
    _, (finding,) = unlike(running_neighbor(device))
    assert f"{device} has no such neighbour configured" in finding.message


def test_a_far_end_without_us_is_the_reason_given() -> None:
    spine = running_neighbor("spine-1")
    leaf = clean().far["spine-1", fabric_port("spine-1")]
    address = next(each.address for each in clean().wanted[leaf.device].interfaces if each.name == leaf.port)
    mine = next(
        each.address
        for each in clean().wanted[leaf.device].bgp.neighbors
        if clean().port_of_neighbor(leaf.device, each.key) == leaf.port
    )
    down = row(leaf.device, "bgp", mine, established=False, state="active")
    _, (finding,) = unlike(replace(spine, observed=down.observed))
    assert finding.device == leaf.device
    assert f"spine-1 has no neighbour {address.split('/')[0]}" in finding.message


def test_a_far_end_that_did_not_answer_is_the_reason_given() -> None:
    device, neighbor = "leaf-g1-r0", neighbor_of("leaf-g1-r0")
    down = row(device, "bgp", neighbor.address, established=False, state="active")
    alone = {name: config for name, config in down.running.items() if name != "spine-1"}
    _, (finding,) = unlike(replace(down, running=alone))
    assert "spine-1 runs no BGP or did not answer" in finding.message


@BY_DEVICE
def test_another_neighbour_in_the_intent_than_on_the_switch_fails(device) -> None:
    config = clean().wanted[device]
    wanted = tuple(
        replace(each, remote_as=65010) if each == neighbor_of(device) else each for each in config.bgp.neighbors
    )
    check, (finding,) = unlike(designed(device, bgp=replace(config.bgp, neighbors=wanted)))
    assert (check, finding.expected) == ("bgp", "established with AS 65010")


@BY_DEVICE
@pytest.mark.parametrize("step", [-1, +1])
def test_too_few_or_too_many_next_hops_name_the_prefix_and_who_announces_it(device, step) -> None:
    routes = clean().observed[device].routes
    (vrf, prefix), width = routes[0]
    check, (finding,) = unlike(seen(device, routes=(((vrf, prefix), width + step), *routes[1:])))
    assert (check, finding.device) == ("ecmp", device)
    owner = next(name for name, config in clean().wanted.items() if prefix in config.bgp.networks)
    assert finding.message == f"{device}: {width + step} of {width} next hops to {prefix} ({owner})"


@BY_DEVICE
def test_a_route_that_is_missing_has_no_next_hop(device) -> None:
    (_, *others) = clean().observed[device].routes
    check, (finding,) = unlike(seen(device, routes=tuple(others)))
    assert (check, finding.found) == ("ecmp", "0")


def test_a_path_limit_below_the_width_is_what_is_expected() -> None:
    config = clean().wanted["leaf-g1-r0"]
    limited = designed("leaf-g1-r0", bgp=replace(config.bgp, maximum_paths=1))
    wide = [each for each in check_ecmp(limited) if each.device == "leaf-g1-r0" and each.expected == "1 next hops"]
    assert {each.found for each in wide if each.verdict is Verdict.FAIL} == {"2"}


def test_every_host_block_is_expected_on_every_other_switch() -> None:
    blocks = {prefix for config in clean().wanted.values() for prefix in config.bgp.networks if prefix.endswith("/24")}
    assert len(blocks) == 8
    for device, config in clean().wanted.items():
        judged = {word for each in check_ecmp(clean()) if each.device == device for word in each.message.split()}
        assert blocks - set(config.bgp.networks) <= judged
        assert not set(config.bgp.networks) & judged


def test_a_session_in_another_vrf_is_no_session_of_the_design() -> None:
    device = SWITCHES[0]
    neighbor = clean().wanted[device].bgp.neighbors[0]
    check, (finding,) = unlike(row(device, "bgp", neighbor.address, vrf="storage"))
    assert (check, finding.subject) == ("bgp", neighbor.peer)
    assert "no such session here" in finding.message
