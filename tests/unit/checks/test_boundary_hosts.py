"""Each wrong knob of a firewall is named, alone; a right one raises no alarm; what cannot be told never passes."""

from collections.abc import Callable
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.boundary_parts import GENERATED, PARTS, files
from nornir_tasks.checks.hosts.boundary_suite import CHECKS
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.host_suite import HostReport, judge_host, missing, requests, roles
from tests.unit.checks.right_boundary import NAT_LOG, RULES, SHARED, SITE, SYSCTL, facts, statistics, variables

Change = Callable[[dict[str, Any]], object]
TOTAL = 18 + 5 + 5 + 3 + 4 + 7 + 1 + 6 + 4 + 4 + 1
"""Files; two tables' rules and counters, and others' chains; services; settings; links and addresses of four ports; all
shared addresses together, each, and four routes; four of conntrackd; a log."""
FACT = "gpufabric_boundary"


def judged(found: dict[str, Any], values: dict[str, Any] | None = None) -> HostReport:
    return judge_host(HostEvidence("firewall-1", values or variables(), found, {}))


def wrong(report: HostReport) -> list[str]:
    return [f"{each.check}: {each.name}" for each in report.findings if each.verdict is not Verdict.PASS]


def put(part: str, key: str, value: Any) -> Change:
    return lambda found: found[part].update({key: value})


def only_one_moved(found: dict[str, Any]) -> None:
    found["ports"]["dmz"]["addresses"].remove("203.0.113.65/27")
    found["wire"]["dmz"]["203.0.113.65"] = True


MUTANTS: dict[str, tuple[Change, list[str]]] = {
    "a file changed by hand": (put("files", RULES, "0" * 64), [f"boundary_files: {RULES} text"]),
    "no file": (put("files", SYSCTL, None), [f"boundary_files: {SYSCTL} text"]),
    "a rule taken out": (
        lambda f: f["tables"]["inet gpufabric_firewall"].update(same=False, differs="lacks drop"),
        ["boundary_rules: inet gpufabric_firewall rules"],
    ),
    "no table": (
        lambda f: (
            f["tables"]["inet gpufabric_firewall"].update(same=False, there=False),
            f["counters"].update({"inet gpufabric_firewall": {}}),
        ),
        ["boundary_rules: inet gpufabric_firewall rules", "boundary_rules: inet gpufabric_firewall counters"],
    ),
    "Docker's chains": (lambda f: f["strangers"].append("ip filter FORWARD"), ["boundary_rules: other chains"]),
    "keepalived is dead": (
        put("units", "keepalived.service", "enabled, failed"),
        ["boundary_services: keepalived.service service"],
    ),
    "conntrackd does not come back": (
        put("units", "conntrackd.service", "disabled, active"),
        ["boundary_services: conntrackd.service service"],
    ),
    "it does not forward": (put("settings", "net.ipv4.ip_forward", "0"), ["boundary_kernel: net.ipv4.ip_forward"]),
    "no cable": (lambda f: f["ports"]["lan"].update(carrier=False), ["boundary_addresses: lan link"]),
    "no address of its own": (
        lambda f: f["ports"]["wan"]["addresses"].remove("203.0.113.2/29"),
        ["boundary_addresses: wan address"],
    ),
    "one address moved alone": (only_one_moved, ["vrrp: shared addresses"]),
    "both have one": (lambda f: f["wire"]["wan"].update({"203.0.113.1": True}), ["vrrp: outside 203.0.113.1"]),
    "no way out": (lambda f: f["routes"].pop(0), ["vrrp: outside route 0.0.0.0/0"]),
    "conntrackd does not answer": (
        lambda f: f.update(connections={"reason": "can't connect: is conntrackd running?"}),
        ["conntrack: conntrackd", "conntrack: the other firewall"],
    ),
    "the other one is silent": (put("connections", "heard", False), ["conntrack: the other firewall"]),
    "no record of translations": (put("logs", NAT_LOG, None), [f"boundary_logs: {NAT_LOG} newest word"]),
    "a record that nobody writes any more": (put("logs", NAT_LOG, 151), [f"boundary_logs: {NAT_LOG} newest word"]),
    "nearly full": (put("settings", "net.netfilter.nf_conntrack_count", "235930"), ["conntrack: connections"]),
}
OF_THE_OTHER: dict[str, tuple[Change, list[str]]] = {
    "nobody has one": (lambda f: f["wire"]["lan"].update({"fd00:190::1": False}), ["vrrp: business fd00:190::1"]),
    "a route was left": (
        lambda f: f["routes"].append("0.0.0.0/0 via 203.0.113.4 dev wan"),
        ["vrrp: outside route 0.0.0.0/0"],
    ),
}


@pytest.mark.parametrize("is_owner", [True, False], ids=["with the addresses", "without"])
def test_a_right_firewall_passes_whether_it_has_the_addresses_or_not(is_owner: bool) -> None:
    report = judged(facts(is_owner=is_owner))
    assert wrong(report) == []
    assert report.summary() == f"firewall-1: tested {TOTAL} of {TOTAL}"
    assert all(each.shown_by and each.wanted for each in report.findings)


@pytest.mark.parametrize("name", [*MUTANTS, *OF_THE_OTHER])
def test_what_is_wrong_is_named_and_nothing_else(name: str) -> None:
    change, named = {**MUTANTS, **OF_THE_OTHER}[name]
    found = facts(is_owner=name in MUTANTS)
    change(found[FACT])
    report = judged(found)
    assert wrong(report) == named
    assert not report.passed
    assert len(report.findings) == TOTAL


def test_there_is_a_mutant_of_every_kind_of_knob() -> None:
    def kind(each: Any) -> tuple[str, str]:
        knob = "setting" if each.check == "boundary_kernel" else each.knob
        return each.check, knob.partition(" ")[0] if each.check == "vrrp" else knob

    kinds = {kind(each) for each in judged(facts()).findings}
    mutated = set()
    for is_owner, mutants in ((True, MUTANTS), (False, OF_THE_OTHER)):
        for change, _ in mutants.values():
            found = facts(is_owner=is_owner)
            change(found[FACT])
            mutated |= {kind(each) for each in judged(found).of(Verdict.FAIL)}
    of_addresses = {("vrrp", each.split("/")[0]) for shared in SHARED.values() for each in shared}
    # Of this a table of its own, below.
    assert kinds - mutated - of_addresses == {("conntrack", "connections that the other firewall has")}


def test_a_host_that_could_not_be_read_is_untold_in_everything_and_counted() -> None:
    report = judge_host(HostEvidence("firewall-1", variables(), {}, {FACT: "no program ip"}))
    assert len(report.of(Verdict.ERROR)) == TOTAL
    assert {each.why for each in report.of(Verdict.ERROR)} == {"no program ip"}
    assert report.summary() == f"firewall-1: tested 0 of {TOTAL}"


def test_a_port_without_carrier_leaves_its_shared_addresses_untold() -> None:
    found = facts()
    found[FACT]["ports"]["dmz"]["carrier"] = False
    del found[FACT]["wire"]["dmz"]
    report = judged(found)
    assert [each.name for each in report.of(Verdict.FAIL)] == ["dmz link"]
    assert [each.name for each in report.of(Verdict.ERROR)] == ["dmz 203.0.113.65", "dmz 2001:db8:101::1"]


@pytest.mark.parametrize(
    ("own", "there", "verdict"),
    [
        (200, 160, Verdict.FAIL),
        (200, 233, Verdict.FAIL),
        (9000, 8101, Verdict.PASS),
        (9000, 8099, Verdict.FAIL),
        (0, 0, Verdict.PASS),
    ],
)
def test_the_other_firewall_has_as_many_connections_but_for_those_that_come_and_go(
    own: int, there: int, verdict: Verdict
) -> None:
    both = {"own": statistics(own, 7), "other": statistics(9, there)}
    report = judged(facts(), variables(host_validate_conntrackd=both))
    (found,) = (each for each in report.findings if each.knob == "connections that the other firewall has")
    assert (found.verdict, found.found) == (verdict, f"{own} here, {there} there")


def test_where_the_other_firewall_is_not_judged_nobody_knows_what_it_was_told() -> None:
    both = {"own": statistics(9, 0), "other": ""}
    (skipped,) = judged(facts(), variables(host_validate_conntrackd=both)).of(Verdict.SKIPPED)
    assert skipped.knob == "connections that the other firewall has"


def test_a_ruleset_that_nft_does_not_take_is_untold_with_what_nft_said() -> None:
    found = facts()
    found[FACT]["tables"]["inet gpufabric_firewall"] = {"same": None, "reason": "syntax error"}
    (untold,) = judged(found).of(Verdict.ERROR)
    assert untold.why == "syntax error"


def test_a_limit_that_holds_after_a_restart_alone_is_skipped() -> None:
    (skipped,) = judged(facts(), variables(firewall_kernel_at_run_time=False)).of(Verdict.SKIPPED)
    assert skipped.knob == "net.netfilter.nf_conntrack_max"


def test_one_fact_is_asked_with_all_that_is_judged_and_no_variable_of_gpu_hosts_is_missed() -> None:
    (request,) = requests(variables())
    assert request.module == "gpufabric.host.boundary_facts"
    assert request.arguments["shared"] == {
        port: [each.split("/")[0] for each in shared] for port, shared in SHARED.items()
    }
    assert request.arguments["tables"]["inet gpufabric_firewall"].startswith("table inet")
    assert "net.netfilter.nf_conntrack_count" in request.arguments["settings"]
    assert missing(variables()) == []
    assert roles(variables()) == ("firewall", "nat_gateway", "host_validate")


OF_FIREWALLS = [each for each in CHECKS if each.about.name not in ("host_certificates", "bastion")]


@pytest.mark.parametrize("check", OF_FIREWALLS, ids=lambda check: check.about.name)
def test_a_check_bears_the_name_that_it_says_and_reads_what_it_says(check: Any) -> None:
    found = check.judge(HostEvidence("firewall-1", variables(), facts(), {}))
    assert {each.check for each in found} == {check.about.name}
    untold = check.judge(HostEvidence("firewall-1", variables(), {}, {}))
    assert {each.why for each in untold} == {f"{check.about.reads[0]} was not read"}


def test_every_template_that_is_compared_is_one_of_its_role() -> None:
    folder = SITE.parents[3] / "roles"
    assert len(files(variables())) == 18
    for part in PARTS:
        of_role = {each.name for kind in ("templates", "files") for each in (folder / part.role / kind).glob("*")}
        assert {*part.files.values()} <= of_role
        assert {*part.tables.values(), *filter(None, [part.settings])} <= set(part.files)


@pytest.mark.parametrize(
    "written", ["counter refused {\n\t}", "counter refused { }", "counter other { }; counter refused { }"]
)
def test_a_counter_that_does_not_count_is_named_however_its_ruleset_is_written(written: str) -> None:
    values, found = variables(), facts()
    ruleset = f"table inet gpufabric_firewall {{\n\t{written}\n}}\n"
    values[GENERATED] = {**values[GENERATED], RULES: ruleset}
    found[FACT]["counters"]["inet gpufabric_firewall"] = {"other": 0}
    assert "boundary_rules: inet gpufabric_firewall counters" in wrong(judged(found, values))
