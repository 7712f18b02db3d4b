"""Proofs of cables: what is said of lines beside the model, of a site without data, of a port left out; reports."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from nornir_tasks.platforms.lossless import NOTHING_KNOWN
from nornir_tasks.proofs import class_path, layer1, marks_first, mtus, pauses
from nornir_tasks.proofs.cables import NO_RDMA, Read
from nornir_tasks.proofs.quotes import findings
from nornir_tasks.usecases.proofs.proof_reports import groups, outcome_as_json
from nornir_tasks.usecases.proofs.prove import PROOFS, Proved, prove
from nornir_tasks.usecases.site import load
from nornir_tasks.usecases.verdict_reports import junit, sarif
from tests.unit.proofs.lossless_mutants import Mutant, Rendered
from tests.unit.proofs.lossless_mutants import Proved as Found

EOS, NXOS, SPINE = "leaf-g1-r0", "leaf-g1-r1", "spine-1"


@cache
def rails() -> Rendered:
    return Rendered(load("lab-rails"))


def with_line(device: str, after: str, *lines: str) -> Found:
    """The site with lines added below one row."""
    text = rails().texts[device]
    assert after in text, after
    added = "\n".join((after, *lines))
    return rails().proved(Mutant(device, 0, "", "", text.replace(after, added, 1)))


def of(found: Found, name: str) -> Any:
    return next(each for each in found.outcomes if each.name == name)


GLOBAL_PAUSE = {
    EOS: ("   description gpu-1 rail0", "   flowcontrol receive on"),
    NXOS: ("  description gpu-1 rail1", "  flowcontrol receive on"),
    SPINE: ('    description: "leaf-g1-r0 Ethernet63/1"', "    qos:", "      link-pause:", '        profile: "x"'),
}


@pytest.mark.parametrize("device", [EOS, NXOS])
def test_global_pause_beside_pfc_fails_with_its_line(device: str) -> None:
    found = with_line(device, *GLOBAL_PAUSE[device])
    (broken,) = of(found, pauses.NAME).broken
    assert "global pause" in broken.what
    assert any("flowcontrol receive on" in each.text and each.row for each in found.quoted)


def test_link_pause_fails_on_a_spine() -> None:
    text = (
        rails()
        .texts[SPINE]
        .replace(
            "    qos:\n      pfc-watchdog:", '    qos:\n      link-pause:\n        profile: "x"\n      pfc-watchdog:', 1
        )
    )
    found = rails().proved(Mutant(SPINE, 0, "", "", text))
    assert "global pause" in of(found, pauses.NAME).broken[0].what
    assert any("link-pause" in each.text for each in found.quoted)


REWRITES = {
    EOS: ("   description gpu-1 rail0", "   qos rewrite dscp"),
    NXOS: ("    set qos-group 3", "    set dscp 0"),
    SPINE: ('    mode: "lossless"', "  remark:", "    default-global:", '      rewrite: "l3"'),
}


@pytest.mark.parametrize("device", REWRITES)
def test_a_line_that_rewrites_dscp_fails_the_class_path(device: str) -> None:
    found = with_line(device, *REWRITES[device])
    assert "packets get another DSCP" in of(found, class_path.NAME).broken[0].what
    assert any(each.file == device and each.row for each in found.quoted)


UNKNOWN = {
    EOS: ("   description gpu-1 rail0", "   tx-queue 3"),
    NXOS: ("  description gpu-1 rail1", "  service-policy type queuing input X"),
    SPINE: ('    mode: "lossless"', "  advance-buffer-config:", "    default-global:", '      x: "y"'),
}


@pytest.mark.parametrize("device", UNKNOWN)
def test_a_line_about_queues_that_nobody_knows_is_never_a_pass(device: str) -> None:
    found = with_line(device, *UNKNOWN[device])
    outcome = of(found, class_path.NAME)
    assert not outcome.broken
    (reason,) = outcome.undecided
    assert reason.startswith(f"{device}: not known what it does: ")
    assert outcome.verdict == "could not tell"


def test_a_line_about_spreading_that_nobody_knows_is_no_pass_for_nics_that_put_nothing_in_order() -> None:
    found = of(with_line(NXOS, "feature lldp", "hardware profile dlb", "  mode by-guess"), class_path.NAME)
    assert not found.broken
    assert f"{NXOS}: not known how it spreads packets over equal-cost paths" in found.undecided
    hosts = {name: {**each, "roce_qos_reorder_rails": each["roce_qos_rails"]} for name, each in rails().hosts.items()}
    text = rails().texts[NXOS].replace("feature lldp", "feature lldp\nhardware profile dlb\n  mode by-guess", 1)
    found = of(rails().proved(Mutant(NXOS, 0, "", "", text), hosts), class_path.NAME)
    assert not [each for each in found.undecided if "spreads" in each]


def test_a_switch_that_was_not_read_leaves_its_cables_open() -> None:
    others = {name: each for name, each in rails().switches.items() if name != SPINE}
    read = Read(rails().design.network, others, rails().hosts, {SPINE: "no answer"})
    for proof in (class_path, pauses, mtus, layer1):
        outcome = proof.judge(read)
        assert outcome.undecided == {"spine-1 could not be read: no answer": 8}, proof.NAME
        assert not outcome.broken


def test_a_commit_that_waits_leaves_a_switch_open() -> None:
    switches = {**rails().switches, EOS: replace(rails().switches[EOS], reverts=True)}
    outcome = pauses.judge(Read(rails().design.network, switches, rails().hosts))
    assert list(outcome.undecided) == [f"{EOS}: an unconfirmed commit waits, and is reverted by itself"]


def test_of_a_system_of_which_nothing_is_written_down_every_unread_line_may_matter() -> None:
    own = rails().switches[EOS]
    switches = {**rails().switches, EOS: replace(own, lossless=NOTHING_KNOWN, unread=(("hostname x",),))}
    outcome = pauses.judge(Read(rails().design.network, switches, rails().hosts))
    assert list(outcome.undecided) == [f"{EOS}: not known what it does: hostname x"]


def test_without_variables_cables_to_hosts_are_skipped_with_the_reason() -> None:
    read = Read(rails().design.network, rails().switches, {}, no_hosts="to hosts without variables (x)")
    for proof in (class_path, pauses, mtus):
        assert proof.judge(read).skipped["to hosts without variables (x)"] == 32, proof.NAME
    assert Read(rails().design.network, rails().switches, {}).no_hosts == ""
    assert class_path.judge(Read(rails().design.network, rails().switches, {})).skipped == {NO_RDMA: 32}


def test_a_kind_of_ports_that_pauses_nothing_fails_where_the_other_kind_does() -> None:
    """Every host and every port to a host without PFC: equal at both ends, and still wrong."""
    own = rails().switches[EOS]
    qos = own.config.qos
    assert qos is not None
    (profile,) = qos.profiles
    lossy = replace(profile, name="LOSSY", pfc_priorities=(), watchdog=False)
    ports = tuple(
        replace(each, qos_profile="LOSSY") if (each.description or "").startswith("gpu") else each
        for each in own.config.interfaces
    )
    config = replace(own.config, interfaces=ports, qos=replace(qos, profiles=(profile, lossy)))
    hosts = {name: without_pfc(each) for name, each in rails().hosts.items()}
    outcome = pauses.judge(Read(rails().design.network, {**rails().switches, EOS: replace(own, config=config)}, hosts))
    assert "cables between switches are lossless, and none to hosts is" in {
        each.what for each in outcome.broken if each.where == EOS
    }


def without_pfc(variables: Mapping[str, Any]) -> dict[str, Any]:
    classes = [{**each, "lossless": False} for each in variables["roce_qos_classes"]]
    return {**variables, "roce_qos_classes": classes}


def test_marks_before_pauses_are_never_passed() -> None:
    outcome = marks_first.judge(Read(rails().design.network, rails().switches, rails().hosts))
    assert (outcome.passed, sum(outcome.not_shown.values()), outcome.verdict) == (0, 10, "could not tell")


def test_other_traffic_in_the_queue_of_notifications_is_named() -> None:
    outcome = class_path.judge(Read(rails().design.network, rails().switches, rails().hosts))
    (note,) = outcome.notes
    assert note.startswith("fabric compute: notifications (DSCP 48) share their queue with CS6 (48)")


def test_one_line_that_breaks_many_cables_is_one_finding_with_both_ends() -> None:
    text = (
        rails()
        .texts[EOS]
        .replace("   priority-flow-control priority 3 no-drop", "   priority-flow-control priority 4 no-drop")
    )
    found = rails().proved(Mutant(EOS, 0, "", "", text))
    outcome = of(found, pauses.NAME)
    assert len(outcome.broken) == 12  # two priorities at four hosts and two spines
    named = findings(outcome, found.quotes)
    assert len(named) == 2
    for each in named:
        assert len(each.also) == 5
        assert EOS in [line.file for _, lines in each.ends for line in lines]


# -- reports -------------------------------------------------------------------------------------------------------


@cache
def broken_site() -> Proved:
    """The rails with one fault, as ``nornir prove`` has it."""
    clean = prove(rails().design)
    text = rails().texts[SPINE].replace("      mtu: 9214", "      mtu: 9000", 1)
    found = rails().proved(Mutant(SPINE, 0, "", "", text))
    return Proved(clean.isolation, tuple(found.outcomes), (), found.quotes)


def test_every_proof_has_its_words_and_order() -> None:
    of_cables = ("class-path", "pfc", "headroom-fits", "mtu", "layer-1", "ecn-before-pfc")
    assert ("isolation", "boundary", *of_cables) == PROOFS
    assert tuple(each.name for each in broken_site().outcomes) == of_cables


def test_junit_counts_what_it_has_and_names_both_lines() -> None:
    tree = ElementTree.fromstring(junit("prove", "lab-rails", groups(broken_site())).encode())
    suites = {each.get("name"): each for each in tree}
    assert tuple(suites) == tuple(each for each in PROOFS if each != "boundary"), "this site has none"
    for suite in suites.values():
        for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(kind, "")) == len(suite.findall(f"testcase/{element}"))
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
    (failure,) = suites["mtu"].findall("testcase/failure")
    assert failure.text is not None
    assert "link / mtu: 9000" in failure.text
    assert f"{EOS}:" in failure.text
    skipped = suites["ecn-before-pfc"].findall("testcase/skipped")
    assert all((each.get("message") or "").startswith("could not tell: ") for each in skipped)
    assert skipped


def test_sarif_has_a_result_of_each_kind_with_the_row_of_each_line() -> None:
    log = json.loads(sarif("prove", "lab-rails", groups(broken_site())))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    rules = {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert {each["ruleId"] for each in run["results"]} == rules
    assert {each["kind"] for each in run["results"]} == {"fail", "pass", "open", "notApplicable"}
    assert all((each["level"] == "error") == (each["kind"] == "fail") for each in run["results"])
    (failed,) = [each for each in run["results"] if each["kind"] == "fail"]
    places = [*failed["locations"], *failed["relatedLocations"]]
    regions = [each["physicalLocation"] for each in places if "physicalLocation" in each]
    assert {each["artifactLocation"]["uri"] for each in regions} == {EOS, SPINE}
    for each in regions:
        name, row = each["artifactLocation"]["uri"], each["region"]["startLine"]
        assert "mtu" in rails().texts[name].splitlines()[row - 1]


def test_json_has_the_verdict_the_counts_and_both_lines() -> None:
    found = {each.name: outcome_as_json(each, broken_site()) for each in broken_site().outcomes}
    assert {name: each["verdict"] for name, each in found.items()} == {
        "class-path": "pass", "pfc": "pass", "headroom-fits": "could not tell", "mtu": "fail",
        "layer-1": "could not tell", "ecn-before-pfc": "could not tell",
    }  # fmt: skip
    (finding,) = found["mtu"]["findings"]
    assert [end["found"] for end in finding["ends"]] == ["MTU 9214", "MTU 9000"]
    assert all(end["lines"][0]["row"] for end in finding["ends"])
