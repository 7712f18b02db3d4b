"""A switch is asked only for what some check says it reads, so no check may read anything else."""

from dataclasses import replace

import pytest
from edge_evidence import evidence as edge_evidence
from lab_evidence import clean

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.checks.suite import CHECKS, Check, needed
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.observed import FIELDS, Observed, Request


class Watched:
    """One switch's answers, and which of them anybody looked at."""

    def __init__(self, seen: Observed, read: set[str]) -> None:
        self._seen, self._read = seen, read

    def __getattr__(self, field: str) -> object:
        if field in FIELDS:
            self._read.add(field)
        return getattr(self._seen, field)


def fields_read_by(check: Check, evidence: Evidence) -> set[str]:
    read: set[str] = set()
    watched = {name: Watched(each, read) for name, each in evidence.observed.items()}
    check.judge(replace(evidence, observed=watched))  # type: ignore[arg-type]
    return read


def all_wrong() -> Evidence:
    """Switches that show nothing as it should be, so that checks look at the far ends as well."""
    evidence = clean()
    bad = {
        name: replace(
            each,
            ports=tuple(replace(port, mtu_bytes=1000, vlan="77", oper_up=False) for port in each.ports),
            lldp=(),
            bgp=tuple(replace(session, established=False) for session in each.bgp),
            routes=(((None, "192.0.2.0/24"), 1),),
            qos=tuple(replace(port, trust_dscp=False) for port in each.qos),
        )
        for name, each in evidence.observed.items()
    }
    return replace(evidence, observed=bad)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.judge.__name__)
def test_a_check_reads_the_fields_it_declares_and_no_other(check: Check) -> None:
    assert check.needs <= set(FIELDS)
    read = (
        fields_read_by(check, clean())
        | fields_read_by(check, all_wrong())
        | fields_read_by(check, edge_evidence("nvue"))
    )
    assert read == check.needs


def test_every_field_of_what_a_switch_says_is_there_for_some_check() -> None:
    assert set(FIELDS) == needed()


@pytest.mark.parametrize("os", sorted(platforms()))
def test_a_platform_has_requests_for_each_field_or_says_that_it_shows_none_of_it(os: str) -> None:
    observing = platforms()[os].observing
    assert set(observing.requests) == set(FIELDS)
    nothing = observing.read("leaf", {})
    for field in (field for field, requests in observing.requests.items() if not requests):
        default = Observed("leaf", (), (), (), (), (), None)
        assert getattr(nothing, field) == getattr(default, field)


@pytest.mark.parametrize("os", sorted(platforms()))
def test_what_several_fields_need_is_asked_once(os: str) -> None:
    observing = platforms()[os].observing
    found = [each.what for each in observing.requests_for(FIELDS)]
    assert len(set(found)) == len(found)
    assert set(found) == {each.what for requests in observing.requests.values() for each in requests}
    assert observing.requests_for(()) == ()


def test_a_whole_look_asks_no_more_than_it_did() -> None:
    """On EOS in two requests, on NX-OS in one.

    Learned addresses are one more everywhere, on EOS neighbours of IPv6; prefixes of edge routers two more there, and
    one on NX-OS; power supplies one everywhere.

    Of groups, partners, gateways, trunks and trees one command more each, of a pair two, on Cumulus Linux 0 and 2; of
    base configuration five, on Cumulus Linux two.
    """

    def commands(*without: str) -> dict[str, int]:
        wanted = [each for each in FIELDS if each not in without]
        return {os: len(each.observing.requests_for(wanted)) for os, each in platforms().items()}

    base = ("clock", "log_targets", "zero_touch", "vrf_ports", "accounts", "macs", "exchanged", "supplies")
    trees = ("trees", "tree_ports", "partners", *base)
    assert commands("groups", "pair", "gateways", "carried", *trees) == {"eos": 13, "nvue": 7, "nxos": 14}
    assert commands("pair", "gateways", "carried", *trees) == {"eos": 14, "nvue": 7, "nxos": 15}
    assert commands("gateways", "carried", *trees) == {"eos": 16, "nvue": 9, "nxos": 17}
    assert commands("carried", *trees) == {"eos": 17, "nvue": 9, "nxos": 18}
    assert commands(*trees) == {"eos": 18, "nvue": 9, "nxos": 19}
    assert commands("partners", *base) == {"eos": 19, "nvue": 9, "nxos": 20}
    assert commands(*base) == {"eos": 20, "nvue": 9, "nxos": 21}
    assert commands("macs", "exchanged", "supplies") == {"eos": 25, "nvue": 11, "nxos": 26}
    assert commands("exchanged", "supplies") == {"eos": 26, "nvue": 12, "nxos": 27}
    assert commands("supplies") == {"eos": 28, "nvue": 12, "nxos": 28}
    assert commands() == {"eos": 29, "nvue": 13, "nxos": 29}


def test_vrfs_cost_a_request_each_on_nvue_and_nowhere_else_and_none_where_there_are_none() -> None:
    def commands(os: str, *vrfs: str) -> int:
        return len(platforms()[os].observing.requests_for(FIELDS, vrfs))

    assert {os: commands(os, "RED", "BLUE") - commands(os) for os in platforms()} == {"eos": 0, "nvue": 2, "nxos": 0}


@pytest.mark.parametrize("os", sorted(platforms()))
def test_who_looks_at_no_routes_asks_nothing_for_the_sake_of_vrfs(os: str) -> None:
    observing = platforms()[os].observing
    assert observing.requests_for(("lldp", "qos"), ("RED",)) == observing.requests_for(("lldp", "qos"))


def test_of_a_collection_that_several_fields_need_the_parts_of_all_are_asked() -> None:
    observing = platforms()["nvue"].observing
    found = {each.what: each.parts for each in observing.requests_for(("lldp", "qos"))}
    assert found == {"interface": ("/*/lldp/neighbor", "/*/qos")}
    whole = replace(observing, requests={**observing.requests, "qos": (Request("interface"),)})
    assert whole.requests_for(("lldp", "qos")) == (Request("interface"),)
