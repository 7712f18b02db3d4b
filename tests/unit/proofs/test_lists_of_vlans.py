"""Lists of VLANs without one of their rules: the proof names what hosts no longer reach, or reach and should not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from nornir_tasks.design.config.access_lists import ICMP, UDP, AccessList, AclRule
from tests.unit.design import front_full
from tests.unit.proofs.front_proved import front
from tests.unit.proofs.site_proved import Site

BRIDGED = "front-leaf-g3-a"
"""Cumulus Linux: its lists on VLANs meet what is only bridged."""
LOGIN = "BUSINESS-V310"


def changed(name: str, edit: Callable[[AccessList], AccessList], device: str = BRIDGED) -> Site:
    """The front fabric with one list of one switch edited."""
    before = front().configs[device].access_lists
    assert name in {each.name for each in before}
    return front().with_device(device, access_lists=tuple(edit(each) if each.name == name else each for each in before))


def without(which: Callable[[AclRule], bool]) -> Callable[[AccessList], AccessList]:
    def edit(found: AccessList) -> AccessList:
        assert any(map(which, found.rules)), "nothing is taken out"
        return replace(found, rules=tuple(each for each in found.rules if not which(each)))

    return edit


def breaches(site: Site) -> set[tuple[str, str, str]]:
    """(kind, source, destination) of all that is not as asked."""
    return {
        (b.kind, str(each.source), str(each.destination)) for each in site.judged_whole().failed for b in each.breaches
    }


def for_hosts(rule: AclRule) -> bool:
    """Is it for hosts of the VLAN, by any protocol?"""
    return rule.permit and rule.protocol is None and not rule.is_all


def test_as_rendered_nothing_is_wrong() -> None:
    assert breaches(front()) == set()


@pytest.mark.parametrize(
    ("name", "which", "expected"),
    [
        pytest.param(f"{LOGIN}-IN", for_hosts, ("blocked", "login", "login"), id="hosts-to-hosts-coming-in"),
        pytest.param(f"{LOGIN}-OUT", for_hosts, ("blocked", "login", "login"), id="hosts-to-hosts-going-out"),
        pytest.param(
            f"{LOGIN}-IN",
            lambda each: each.protocol == ICMP["ipv4"] and each.icmp_type == 8,
            ("blocked", "login", "gateways"),
            id="ping-to-gateways",
        ),
        pytest.param(
            f"{LOGIN}-IN",
            lambda each: each.protocol == UDP and each.destination_ports == (33434, 33523),
            ("blocked", "login", "gateways"),
            id="traceroute-to-gateways",
        ),
        pytest.param(
            f"{LOGIN}-OUT",
            lambda each: each.protocol == UDP and each.source_ports == (67, 67) == each.destination_ports,
            ("blocked", "login", "gateways"),
            id="answers-to-the-other-leafs-relay",
        ),
        pytest.param(
            f"{LOGIN}-IN",
            lambda each: not each.permit and not each.is_all,
            ("open", "login", "gateways"),
            id="what-is-refused-to-switches",
        ),
    ],
)
def test_a_rule_less_is_named(name: str, which: Callable[[AclRule], bool], expected: tuple[str, str, str]) -> None:
    kind, source, destination = expected
    found = breaches(changed(name, without(which)))
    assert (kind, f"{source} on business", f"{destination} on business") in found


def test_on_systems_whose_lists_meet_routed_packets_alone_hosts_need_no_rule_among_themselves() -> None:
    for device in (front_full.DEVICES["eos"], front_full.DEVICES["nxos"]):
        assert not any(for_hosts(rule) for each in front().configs[device].access_lists for rule in each.rules)


def test_a_gateway_that_a_flow_to_outside_would_open_is_named_on_every_system() -> None:
    def opened(found: AccessList) -> AccessList:
        first = AclRule(1, permit=True, protocol=6, source=None, destination=None, destination_ports=(22, 22))
        return replace(found, rules=(first, *found.rules))

    for os, device in front_full.DEVICES.items():
        name = "STORAGE-V200-IN" if os != "nvue" else f"{LOGIN}-IN"
        group, plane = (
            ("gpu", "storage") if os == "eos" else ("store", "storage") if os == "nxos" else ("login", "business")
        )
        assert ("open", f"{group} on {plane}", f"gateways on {plane}") in breaches(changed(name, opened, device)), os


def test_a_list_that_lets_in_what_is_from_the_vlan_alone_loses_what_the_other_leaf_routed() -> None:
    def narrowed(found: AccessList) -> AccessList:
        rules = (replace(each, source=each.destination) if for_hosts(each) else each for each in found.rules)
        return replace(found, rules=tuple(rules))

    assert ("blocked", "login on business", "login on business") in breaches(changed(f"{LOGIN}-IN", narrowed))
