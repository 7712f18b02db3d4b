"""What rests on hosts that a lab plays is counted apart, and a network of real hosts never hears of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from simulated import Network

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.checks.suite import judge
from nornir_tasks.cli.findings import as_json, print_report


def played(network: Network) -> Evidence:
    evidence = network.evidence()
    return replace(evidence, played=frozenset(evidence.network.hosts))


def test_results_at_ports_to_played_hosts_and_at_groups_of_these_are_counted_and_no_others() -> None:
    """Six hosts with a bond of two ports, two of them with two rails: 16 ports, 12 groups, 4 of them trunks."""
    report = judge(played(Network("front")))
    assert Counter(each.check for each in report.on_played if each.counted) == {
        "port": 16 + 12,
        "lacp": 12,
        "trunks": 4,
        "stp": 12,
        "partners": 8,
    }
    assert report.played == 64
    assert {each.port for each in report.on_played if each.device == "front-leaf-g1-a"} == {
        "Ethernet1",
        "Ethernet2",
        "Port-Channel1",
        "Port-Channel2",
    }
    assert report.summary() == f"tested {report.total} of {report.total}, 64 of them with played hosts"


def test_a_result_that_failed_counts_and_one_that_could_not_be_told_does_not() -> None:
    evidence = played(Network("front"))
    leaf = "front-leaf-g1-a"
    mute = replace(evidence.observed[leaf], ports=(), groups=())
    report = judge(replace(evidence, observed={**evidence.observed, leaf: mute}))
    assert report.played == 64 - 6
    network = Network("front")
    network.port(leaf, "Ethernet1", enabled=False)
    assert judge(played(network)).played == 64


def test_of_real_hosts_neither_text_nor_data_has_the_word(capsys: pytest.CaptureFixture[str]) -> None:
    report = Network("front").judge()
    print_report(report, show_all=True)
    assert "played" not in capsys.readouterr().out + json.dumps(as_json(report, show_all=True)) + report.summary()
    assert "played" in json.dumps(as_json(judge(played(Network("front"))), show_all=True))
