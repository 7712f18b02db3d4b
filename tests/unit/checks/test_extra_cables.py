"""Cables that the plan does not have: named at both ends; what has its place in the plan is left to other checks."""

from dataclasses import replace

import pytest
from lab_evidence import LEAVES, clean, fabric_port, row, unlike

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.checks.suite import judge
from nornir_tasks.platforms.observed import LldpNeighbor

LEAF, OTHER = LEAVES


def hears(device: str, *neighbours: tuple[str, str, str], evidence: Evidence | None = None) -> Evidence:
    """These (port, device, port) too."""
    good = evidence or clean()
    lldp = (*good.observed[device].lldp, *(LldpNeighbor(*each) for each in neighbours))
    return replace(good, observed={**good.observed, device: replace(good.observed[device], lldp=lldp)})


def test_a_cable_between_two_rails_that_no_plan_has_is_named_at_both_switches() -> None:
    evidence = hears(LEAF, ("Ethernet60/1", OTHER, "Ethernet60/1"))
    check, findings = unlike(hears(OTHER, ("Ethernet60/1", LEAF, "Ethernet60/1"), evidence=evidence))
    assert (check, {each.device for each in findings}) == ("extra-cables", {LEAF, OTHER})
    by_device = {each.device: each for each in findings}
    assert by_device[LEAF].found == f"Ethernet60/1 to {OTHER} Ethernet60/1"
    assert f"{LEAF}: the plan has no cable from Ethernet60/1 to {OTHER} Ethernet60/1" in by_device[LEAF].message


@pytest.mark.parametrize("name", ["gpu-1", "gpu-1.example.net"])
def test_a_host_at_a_port_that_the_plan_leaves_empty_is_named_whatever_it_calls_its_interface(name: str) -> None:
    check, (finding,) = unlike(hears(LEAF, ("Ethernet60/1", name, "enp7s0")))
    assert (check, finding.device, finding.found) == ("extra-cables", LEAF, "Ethernet60/1 to gpu-1 enp7s0")


def test_what_the_plan_does_not_know_is_others() -> None:
    found = judge(hears(LEAF, ("Management1", "campus-7", "Gi1/0/3"), ("Ethernet60/1", "console-2", "eth0")))
    assert not found.failed


def test_an_end_of_a_planned_cable_in_a_wrong_port_is_one_fault_and_the_cable_is_named() -> None:
    port = fabric_port(LEAF)
    far = clean().far[LEAF, port]
    check, findings = unlike(hears(LEAF, ("Ethernet60/1", far.device, far.port), evidence=row(LEAF, "lldp", port)))
    assert check == "lldp"
    assert [each.port for each in findings] == [port]
