"""Every check says of itself what it judges, and that holds; how much a site has of each is known beforehand."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

import edge_evidence
import macs_evidence
import pytest
from lab_evidence import as_wanted, clean, lab, report, seen
from simulated import SMALL, Network, site_design
from test_load_balancing import balanced
from test_suite import BELONGS

import nornir_tasks.checks
from nornir_tasks.checks.about import NEVER, About
from nornir_tasks.checks.counters.suite import RULES
from nornir_tasks.checks.evidence import Evidence, Verdict
from nornir_tasks.checks.hosts import boundary_suite, host_suite
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.suite import ABOUT, CHECKS, Check, expected, not_shown
from nornir_tasks.checks.switches import balancing
from nornir_tasks.checks.switches.balancing import check_balancing
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.observed import (
    BgpSession,
    ClockState,
    GatewayState,
    GroupMember,
    LacpPartner,
    LearnedMac,
    LldpNeighbor,
    LogTarget,
    Observed,
    PortQos,
    PortState,
    PortVlans,
    SessionPrefixes,
    ShownAccount,
    Supply,
    TreePort,
    TreeState,
    ZeroTouch,
)
from nornir_tasks.usecases import validate
from nornir_tasks.usecases.site import select
from tests.unit.checks.right_host import facts, variables
from tests.unit.design import managed

HOST_ABOUT = tuple(each.about for each in (*host_suite.CHECKS, *boundary_suite.CHECKS))
EVERY = pytest.mark.parametrize("about", (*ABOUT, *HOST_ABOUT), ids=lambda about: about.name)
TABLES = {
    PortState: "ports",
    LldpNeighbor: "lldp",
    BgpSession: "bgp",
    PortQos: "qos",
    GroupMember: "groups",
    GatewayState: "gateways",
    PortVlans: "carried",
    TreeState: "trees",
    TreePort: "tree_ports",
    LacpPartner: "partners",
    ClockState: "clock",
    LogTarget: "log_targets",
    ZeroTouch: "zero_touch",
    ShownAccount: "accounts",
    LearnedMac: "macs",
    SessionPrefixes: "exchanged",
    Supply: "supplies",
}
KEYS = {"name", "port", "address", "vrf"}
"""What a row is about, not what it says."""


def test_a_function_that_checks_and_is_in_no_list_is_found() -> None:
    modules = [
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(nornir_tasks.checks.__path__, "nornir_tasks.checks.")
    ]
    written = {
        function
        for module in modules
        for name, function in vars(module).items()
        if name.startswith("check_") and function.__module__ == module.__name__
    }
    assert written == {each.judge for each in (*CHECKS, *host_suite.CHECKS, *boundary_suite.CHECKS, *RULES)}


@EVERY
def test_a_check_without_a_description_is_refused(about: About) -> None:
    for field in ("name", "each", "wanted", "passes", "fails", "cannot_tell", "skipped"):
        assert getattr(about, field).strip(), field
    assert [each.name for each in (*ABOUT, *HOST_ABOUT)].count(about.name) == 1


def seen_everywhere() -> Iterator[Evidence]:
    """Sites of every kind, switches that balance, and one whose change is not through."""
    yield from (Network(site).evidence() for site in ("lab-rails", "lab-unnumbered", "svi", "front"))
    yield balanced()
    yield as_wanted(managed.design())
    yield macs_evidence.evidence()
    yield edge_evidence.evidence("nvue")
    yield replace(clean(), unfinished={"spine-1": "a commit waits"})


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.judge.__name__)
def test_findings_of_a_check_bear_a_name_that_is_described_with_it_and_each_name_has_findings(check: Check) -> None:
    names = {finding.check for evidence in seen_everywhere() for finding in check.judge(evidence)}
    assert names == {each.name for each in check.about}


def test_what_is_said_to_be_never_skipped_or_untold_never_is() -> None:
    """Switches that answer and show nothing, and one that learns a stranger's route."""
    blank = {name: Observed(name, (), (), (), (), (), None) for name in clean().observed}
    found = [
        finding
        for evidence in (
            replace(clean(), observed=blank),
            seen("spine-1", routes=(((None, "192.0.2.0/24"), 1),)),
            *seen_everywhere(),
        )
        for check in CHECKS
        for finding in check.judge(evidence)
    ]
    by_name = {about.name: about for about in ABOUT}
    assert {
        each.check for each in found if by_name[each.check].cannot_tell == NEVER and each.verdict == Verdict.ERROR
    } == set()
    assert {
        each.check for each in found if by_name[each.check].skipped == NEVER and each.verdict == Verdict.SKIPPED
    } == set()
    assert {each.check for each in found if not by_name[each.check].uncounted and not each.counted} == set()
    assert {each.check for each in found if each.verdict == Verdict.SKIPPED} == {"ecmp", "lldp", "macs"}


def test_a_check_reads_just_what_it_says_of_each_row() -> None:
    """As changing each field of what a switch shows tells (``BELONGS``)."""
    for about in ABOUT:
        rows = {read for read in about.reads if read.partition(".")[0] in TABLES.values() and read != "ports.vlan"}
        judged = {
            f"{TABLES[kind]}.{field}"
            for (kind, field), names in BELONGS.items()
            if about.name in names and field not in KEYS
        }
        assert rows == judged, about.name


def parts() -> set[str]:
    """Everything that a check may say it reads."""
    hints = get_type_hints(Observed)
    rows = {name: _row(hint) for name, hint in hints.items() if name != "device"}
    inner = {
        f"{name}.{field.name}"
        for name, row in rows.items()
        for field in (fields(row) if hasattr(row, "__dataclass_fields__") else ())
    }
    return {*rows, *inner}


def _row(hint: Any) -> Any:
    """Of a value that may not be shown, and of a tuple: what is in it."""
    inner = get_args(hint)
    return _row(inner[0]) if inner else hint


def test_what_is_read_and_what_is_not_shown_are_fields_that_there_are() -> None:
    assert {read for about in ABOUT for read in about.reads} <= parts()
    for each in platforms().values():
        assert set(each.observing.not_shown) <= parts()


def test_a_system_that_never_shows_what_a_check_reads_is_named_with_it() -> None:
    waits, works = "paths.waits_for_reload", ("paths.mode", "paths.ports")
    assert not_shown(balancing.ABOUT) == {"eos": (*works, waits), "nvue": (waits,), "nxos": works}
    (advertised,) = (about for about in ABOUT if about.name == "ra")
    assert not_shown(advertised) == {"eos": advertised.reads, "nvue": (), "nxos": advertised.reads}
    (bundled,) = (about for about in ABOUT if about.name == "lacp")
    assert not_shown(bundled) == {"eos": (), "nvue": ("groups.bundled",), "nxos": ()}
    (alike,) = (about for about in ABOUT if about.name == "pairs")
    assert not_shown(alike) == {"eos": (), "nvue": (), "nxos": ()}
    (trees,) = (about for about in ABOUT if about.name == "stp")
    assert not_shown(trees) == {
        "eos": ("tree_ports.guarded",),
        "nvue": ("trees.root", "trees.priority", "trees.bridge"),
        "nxos": ("tree_ports.edge", "tree_ports.guarded"),
    }
    (partners,) = (about for about in ABOUT if about.name == "partners")
    assert not_shown(partners) == {"eos": (), "nvue": partners.reads, "nxos": ()}
    (log,) = (about for about in ABOUT if about.name == "syslog")
    assert not_shown(log) == {"eos": log.reads, "nvue": log.reads, "nxos": ()}
    named = {"ra", "load-balancing", "lacp", "pairs", "stp", "partners", "syslog"}
    others = [about for about in ABOUT if about.name not in named]
    assert {missing for about in others for missing in not_shown(about).values()} == {()}


@pytest.mark.parametrize("site", SMALL)
def test_how_much_a_site_has_of_each_check_is_what_its_switches_are_judged_by(site: str) -> None:
    found = Network(site).judge()
    counts = validate.expected(select(site_design(site)))
    assert sum(counts.values()) == found.total
    assert {name: count for name, count in counts.items() if count} == Counter(
        each.check for each in found.findings if each.counted
    )


def test_the_lab_has_as_much_as_validate_prints(figure: Callable[[str], None]) -> None:
    counts = validate.expected(select(lab()))
    assert sum(counts.values()) == report().total == 1144
    assert sum(validate.expected(select(lab(), ["compute"])).values()) == report().total
    assert 0 < sum(validate.expected(select(lab(), limit=["leaf-*"])).values()) < report().total
    figure(f"findings of the lab, by check: {counts}")


def test_ports_that_balance_are_counted_beforehand() -> None:
    judged = Counter(each.check for each in check_balancing(balanced()) if each.counted)
    assert expected(balanced(), balanced().observed)["load-balancing"] == judged["load-balancing"] > 0


class Noting(dict[str, object]):
    """A host's facts, and which of them were asked for."""

    def __init__(self, values: dict[str, object]) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    def get(self, key: str, default: object = None) -> object:
        self.read.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("check", host_suite.CHECKS, ids=lambda check: check.about.name)
def test_a_host_check_reads_the_facts_and_bears_the_name_that_it_says(check: host_suite.HostCheck) -> None:
    noting = Noting(facts())
    noting["gpufabric_plane_guard"] = {"rc": 1, "stdout": "", "stderr": "Error: No such file or directory"}
    found = check.judge(HostEvidence("gpu-1", variables(), noting, {}))
    assert noting.read == set(check.about.reads)
    assert {each.check for each in found} == {check.about.name}
