"""What LLDP sees against the cabling plan."""

from dataclasses import replace

import pytest
from lab_evidence import SWITCHES, clean, fabric_port, host_port, row, seen, unlike

from nornir_tasks.checks.evidence import Evidence, Verdict
from nornir_tasks.checks.suite import judge
from nornir_tasks.checks.switches.lldp import check_lldp
from nornir_tasks.platforms.observed import LldpNeighbor

BY_DEVICE = pytest.mark.parametrize("device", SWITCHES)


@BY_DEVICE
@pytest.mark.parametrize("changes", [{"remote_device": "somebody"}, {"remote_port": "swp60"}])
def test_another_neighbour_than_planned_names_the_cable_and_what_it_leads_to(device, changes) -> None:
    port = fabric_port(device)
    far = clean().far[device, port]
    check, (finding,) = unlike(row(device, "lldp", port, **changes))
    assert (check, finding.device, finding.port) == ("lldp", device, port)
    leads_to = f"{changes.get('remote_device', far.device)} {changes.get('remote_port', far.port)}"
    assert f"{device} {port}: cable {far.cable} leads to {leads_to}, not to {far.device} {far.port}" in finding.message


@BY_DEVICE
def test_a_port_that_hears_nobody_is_named_with_its_cable(device) -> None:
    port = fabric_port(device)
    check, (finding,) = unlike(row(device, "lldp", port))
    assert (check, finding.device, finding.port, finding.found) == ("lldp", device, port, "no neighbour")
    assert clean().far[device, port].cable in finding.message


@BY_DEVICE
def test_a_neighbour_heard_on_another_port_is_missed_on_this_one(device) -> None:
    port = fabric_port(device)
    check, (finding,) = unlike(row(device, "lldp", port, port="Ethernet99"))
    assert (check, finding.port, finding.found) == ("lldp", port, "no neighbour")


def test_two_swapped_cables_are_both_named_at_all_four_ends() -> None:
    evidence = clean()
    ports = [port for (name, port), far in sorted(evidence.far.items()) if name == "spine-1"][:2]
    ends = [evidence.far["spine-1", port] for port in ports]
    here = tuple(
        replace(
            each,
            remote_device=ends[1 - ports.index(each.port)].device,
            remote_port=ends[1 - ports.index(each.port)].port,
        )
        if each.port in ports
        else each
        for each in evidence.observed["spine-1"].lldp
    )
    observed = {**evidence.observed, "spine-1": replace(evidence.observed["spine-1"], lldp=here)}
    for end, port in zip(ends, reversed(ports), strict=True):
        there = tuple(
            replace(each, remote_port=port) if each.port == end.port else each
            for each in evidence.observed[end.device].lldp
        )
        observed[end.device] = replace(evidence.observed[end.device], lldp=there)
    check, findings = unlike(replace(evidence, observed=observed))
    assert check == "lldp"
    assert len(findings) == 4
    first, second = (end.cable for end in ends)
    for finding in findings:
        assert f"swap the ends of {first} and {second}" in finding.message or (
            f"swap the ends of {second} and {first}" in finding.message
        )


def test_two_neighbours_on_one_port_are_no_cable_as_planned() -> None:
    port = fabric_port("leaf-g1-r0")
    lldp = clean().observed["leaf-g1-r0"].lldp
    check, (finding,) = unlike(seen("leaf-g1-r0", lldp=(LldpNeighbor(port, "hub", "7"), *lldp)))
    assert (check, finding.port) == ("lldp", port)
    assert "hub 7" in finding.message


def test_a_switch_that_says_its_whole_dns_name_is_the_planned_one() -> None:
    port = fabric_port("leaf-g1-r0")
    findings = check_lldp(row("leaf-g1-r0", "lldp", port, remote_device="spine-1.cluster.example"))
    assert {each.verdict for each in findings} == {Verdict.PASS}


def hosts_say(**changes: dict[str, str]) -> Evidence:
    """What hosts say otherwise than planned, by the port of leaf-g1-r0 that hears it."""
    heard = [replace(each, **changes.get(each.port, {})) for each in clean().observed["leaf-g1-r0"].lldp]
    return seen("leaf-g1-r0", lldp=tuple(heard))


def test_hosts_that_are_silent_fail_nothing_change_no_count_and_are_said_once_with_the_remedy() -> None:
    evidence = clean()
    silent = {
        name: replace(each, lldp=tuple(one for one in each.lldp if not evidence.far[name, one.port].is_host))
        for name, each in evidence.observed.items()
    }
    report, speaking = judge(replace(evidence, observed=silent)), judge(evidence)
    (skipped,) = report.skipped
    assert skipped.message == (
        "32 ports to hosts on 8 switches hear no neighbour, so these cables are not judged from here "
        "(role rail_interfaces has hosts speak LLDP: rail_interfaces_lldp)"
    )
    assert (report.failed, speaking.failed, speaking.skipped) == ((), (), ())
    assert (report.tested, report.total) == (speaking.tested, speaking.total)


def test_two_hosts_cables_swapped_at_a_leaf_are_both_named_as_one_cause() -> None:
    """Each host's own settings stay right; so it is where both are legs of one split cage."""
    ports = [port for (name, port), far in sorted(clean().far.items()) if name == "leaf-g1-r0" and far.is_host][:2]
    first, second = (clean().far["leaf-g1-r0", port] for port in ports)
    swapped = {"remote_device": second.device}, {"remote_device": first.device}
    report = judge(hosts_say(**dict(zip(ports, swapped, strict=True))))
    assert f"swap the ends of {first.cable} and {second.cable}" in report.failed[0].message
    assert f"swap the ends of {second.cable} and {first.cable}" in report.failed[1].message
    assert len(report.failed) == 2
    assert [each.lead.check for each in report.causes] == ["lldp"]
    assert report.total == judge(clean()).total


def test_a_host_that_names_its_interface_otherwise_is_not_said_to_be_elsewhere() -> None:
    port = host_port("leaf-g1-r0")
    report = judge(hosts_say(**{port: {"remote_port": "0c:42:a1:00:00:10"}}))
    assert report.failed == ()
    (skipped,) = report.skipped
    assert (skipped.device, skipped.port, skipped.found) == ("leaf-g1-r0", port, "0c:42:a1:00:00:10")


def test_a_host_that_says_its_whole_dns_name_is_the_planned_one() -> None:
    port = host_port("leaf-g1-r0")
    host = clean().far["leaf-g1-r0", port].device
    report = judge(hosts_say(**{port: {"remote_device": f"{host}.cluster.example"}}))
    assert (report.failed, report.skipped) == ((), ())


def test_a_host_that_is_none_of_the_site_is_named() -> None:
    port = host_port("leaf-g1-r0")
    (failed,) = judge(hosts_say(**{port: {"remote_device": "stranger"}})).failed
    assert (failed.device, failed.port, failed.found) == (
        "leaf-g1-r0",
        port,
        f"stranger {clean().far['leaf-g1-r0', port].port}",
    )
