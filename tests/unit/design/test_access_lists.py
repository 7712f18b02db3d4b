"""What is refused of access lists before anything is rendered, with the switch, the list and the rule."""

from dataclasses import replace
from itertools import pairwise

import pytest

from nornir_tasks.design.config.access_lists import ICMP, TCP, UDP, AccessList, AclRule, Direction, Family
from nornir_tasks.design.config.lag import Lag
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.system_facts import AclFacts
from nornir_tasks.design.pipeline import Realised, device_config
from nornir_tasks.design.realise import filtering
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms
from nornir_tasks.render.render import render
from tests.unit.design import bundled, filtered, toys
from tests.unit.design.toys import ONE_OF_EACH

SYSTEMS = pytest.mark.parametrize("os", ONE_OF_EACH)
LAST = AclRule(1000, permit=False)
PINGS = AclRule(10, True, ICMP["ipv4"])
PINGS6 = AclRule(10, True, ICMP["ipv6"])
USE: tuple[Family, Direction] = ("ipv4", "in")


def listed(*rules: AclRule, name: str = "STORAGE-IN", family: Family = "ipv4") -> AccessList:
    return AccessList(name, family, rules)


ECHO = listed(AclRule(5, True, ICMP["ipv4"], icmp_type=8), PINGS, LAST)
ECHO6 = listed(AclRule(5, True, ICMP["ipv6"], icmp_type=128), PINGS6, LAST, name="STORAGE-IN6", family="ipv6")
ECHOES = {
    "eos": ["5 permit icmp any any 8", "5 permit icmpv6 any any echo-request"],
    "nxos": ["5 permit icmp any any 8", "5 permit icmp any any echo-request"],
    "nvue": ["icmp-type: 8", "icmpv6-type: 128"],
}
"""How each system spells the first rules of both; of ICMPv6 EOS and NX-OS print words."""


def with_facts(facts: AclFacts | None) -> Network:
    """The lab under systems that can do this much with access lists."""
    site = toys.with_storage()
    known = {each.name: replace(each.capabilities, acls=facts, acl_gap="nothing is known") for each in site.devices}
    devices = tuple(replace(each, capabilities=known[each.name]) for each in site.devices)
    return replace(site, devices=devices)


def realise(
    os: str, *acls: AccessList, port: PartialPort | None = None, name: str = "", site: Network | None = None
) -> Realised:
    """A switch on which storage wants these lists, and this port."""

    def config(device: Device) -> PartialConfig:
        ports = {name or toys.storage_port(device.name): port} if port is not None else None
        return PartialConfig(access_lists={each.name: each for each in acls} or None, ports=ports)

    site = site or toys.with_storage()
    return device_config(site, site.device(ONE_OF_EACH[os]), among=toys.saying(config))


def refused(os: str, *acls: AccessList, **more: object) -> list[Problem]:
    with pytest.raises(DesignError) as error:
        realise(os, *acls, **more)  # type: ignore[arg-type]
    return list(error.value.problems)


def routed(**uses: str) -> PartialPort:
    acls = {("ipv4" if use[:2] == "v4" else "ipv6", use[3:]): name for use, name in uses.items()}
    return PartialPort(address="10.32.9.0/31", mtu_bytes=9000, profile="fabric", acls=acls)  # type: ignore[arg-type]


@SYSTEMS
def test_a_good_list_is_on_the_switch_with_what_its_system_needs_beside_it(os: str) -> None:
    found = realise(os, listed(PINGS, LAST), port=routed(v4_in="STORAGE-IN")).config
    assert [each.name for each in found.access_lists] == ["STORAGE-IN"]
    assert [each.name for port in found.interfaces for each in port.acls] == ["STORAGE-IN"]
    beside = platforms()[os].facts.capabilities(found.release, found.asic).acls
    assert beside is not None
    assert {service for use, service in beside.services if use == "any"} <= set(found.services)
    assert not {service for use, service in beside.services if use == "ipv6 out"} & set(found.services)


@SYSTEMS
def test_a_switch_without_lists_has_nothing_beside_them(os: str) -> None:
    found = toys.realised(ONE_OF_EACH[os])
    assert not [name for name in found.config.services if name.startswith("acl")]
    assert not found.claims.has_acls


def test_where_an_os_has_no_lists_each_one_is_refused_by_its_name() -> None:
    found = refused("eos", listed(PINGS, LAST), site=with_facts(None))
    assert [(each.where.rpartition(" ")[2], "nothing is known" in each.what) for each in found] == [
        ("STORAGE-IN", True)
    ]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ((), "the last rule does not deny all else"),
        ((PINGS,), "the last rule does not deny all else"),
        ((PINGS, AclRule(20, False, TCP)), "the last rule does not deny all else"),
        ((LAST,), "may be denied"),
        ((AclRule(5, False, None, "10.0.0.0/8"), PINGS, LAST), "may be denied"),
        ((AclRule(10, True, ICMP["ipv4"], "10.0.0.0/8"), LAST), "may be denied"),
        ((PINGS, AclRule(20, True, TCP, "10.0.0.1/8"), LAST), "no prefix of the list's family"),
        ((PINGS, AclRule(20, True, TCP, "2001:db8::/32"), LAST), "no prefix of the list's family"),
        ((PINGS, AclRule(20, True, 89, None, None, (1, 1)), LAST), "no such ports"),
        ((PINGS, AclRule(20, True, UDP, None, None, (9, 1)), LAST), "no such ports"),
        ((PINGS, AclRule(20, True, UDP, None, None, None, (1, 65536)), LAST), "no such ports"),
        ((PINGS, AclRule(20, True, UDP, established=True), LAST), "only TCP has established"),
        ((PINGS, AclRule(20, True, TCP, icmp_type=3), LAST), "has ICMP types"),
        ((replace(PINGS, sequence=0), LAST), "no such number"),
    ],
)
def test_a_rule_or_list_that_would_not_do_what_it_says_is_refused(rules: tuple[AclRule, ...], words: str) -> None:
    assert any(words in each.what for each in refused("eos", listed(*rules)))


def test_each_icmp_type_that_must_pass_is_named() -> None:
    some = (AclRule(10, True, 58, icmp_type=2), AclRule(20, True, 58, icmp_type=135))
    found = refused("nvue", listed(*some, LAST, name="STORAGE-IN6", family="ipv6"))
    assert [each.found for each in found if "may be denied" in each.what] == ["133, 134, 136"]


def test_a_single_icmp_type_is_refused_where_no_source_has_one() -> None:
    facts = realise("eos").capabilities.acls
    assert facts is not None
    of_ipv4 = with_facts(replace(facts, icmp_types=frozenset({"ipv4"})))
    found = refused("eos", ECHO6, site=of_ipv4)
    assert [("no source has single ICMP types" in each.what, each.found) for each in found] == [(True, "128")]
    assert realise("eos", ECHO, site=of_ipv4)


@SYSTEMS
def test_each_system_permits_a_single_icmp_type_of_either_family(os: str) -> None:
    found = realise(os, ECHO, ECHO6)
    assert found.config.access_lists == (ECHO, ECHO6)
    text = render(found.config, found.capabilities, environment(found.config.os))
    assert [line.strip() for line in text.splitlines() if line.strip() in ECHOES[os]] == ECHOES[os]


@SYSTEMS
@pytest.mark.parametrize(
    ("acl", "port", "words"),
    [
        (listed(PINGS, LAST, name="SOMEBODYS-IN"), None, "has no owner"),
        (listed(PINGS, LAST), routed(v4_in="STORAGE-OTHER"), "not declared"),
        (listed(PINGS, LAST), routed(v6_in="STORAGE-IN"), "of the other family"),
    ],
)
def test_a_list_that_is_nobodys_or_not_there_is_refused(
    os: str, acl: AccessList, port: PartialPort | None, words: str
) -> None:
    assert any(words in each.what for each in refused(os, acl, port=port))


@SYSTEMS
def test_a_list_goes_out_of_a_switched_port_on_no_system(os: str) -> None:
    port = PartialPort(access_vlan=310, acls={("ipv4", "out"): "STORAGE-IN"})
    assert any("switched port" in each.what for each in refused(os, listed(PINGS, LAST), port=port))


def test_a_list_goes_out_of_a_routed_group_where_a_source_says_how() -> None:
    for os, device in bundled.DEVICES.items():
        known = bundled.bundled().device(device).capabilities
        group = replace(routed(v4_out="BUSINESS-OUT"), lag=Lag("fast"))
        config = PartialConfig(access_lists=filtered.lists("business"), ports={f"{known.lag_prefix}3": group})
        claims = bundled.realised(device).claims
        words = [each.what for each in filtering.problems(device, config, known, claims)]
        assert len(words) == (1 if os.startswith("nvue") else 0), words
        assert all("link aggregation group so" in each for each in words)


def test_a_range_of_ports_going_out_is_refused_where_the_system_takes_single_ones() -> None:
    acl = listed(PINGS, AclRule(20, True, TCP, None, None, None, (1000, 2000)), LAST)
    assert any("no ranges of ports" in each.what for each in refused("nvue", acl, port=routed(v4_out="STORAGE-IN")))
    assert realise("eos", acl, port=routed(v4_out="STORAGE-IN"))


@SYSTEMS
def test_a_list_of_one_plane_on_a_port_of_another_is_refused(os: str) -> None:
    """A push of the port's plane alone would apply a list that is not there."""
    site = toys.with_storage()
    circuits = site.circuits_of(ONE_OF_EACH[os])
    theirs = next(each for each in circuits if each.owner != "storage").link.end(ONE_OF_EACH[os]).port
    port = PartialPort(acls={USE: "STORAGE-IN"})
    found = refused(os, listed(PINGS, LAST), port=port, name=theirs)
    assert any("port of another owner" in each.what for each in found)


def test_the_toys_number_their_rules_in_ascending_order_and_end_in_a_denial_of_everything() -> None:
    for plane in ("storage", "business"):
        for acl in filtered.lists(plane).values():
            assert all(one.sequence < other.sequence for one, other in pairwise(acl.rules))
            assert acl.rules[-1].is_all and not acl.rules[-1].permit
