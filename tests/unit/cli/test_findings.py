"""What ``nornir validate`` prints: causes, what is folded, and names that are never cut."""

import json

import pytest
from rich.console import Console

from nornir_tasks.cli.findings import SHOWN_EACH, as_json, print_report
from nornir_tasks.cli.tables import named_table
from nornir_tasks.errors import Problem
from nornir_tasks.usecases.site import select
from nornir_tasks.usecases.validate import expected
from tests.unit.checks.simulated import Network, site_design

COUNTS = {limit: sum(expected(select(site_design("lab-rails"), limit=limit)).values()) for limit in ((), ("spine-2",))}
TOTAL, OF_SPINE = COUNTS.values()


def shut() -> Network:
    network = Network("lab-rails")
    network.port("leaf-g1-r0", "Ethernet63/1", enabled=False)
    return network


def printed(network: Network, capsys: pytest.CaptureFixture[str], *, show_all: bool = False) -> str:
    print_report(network.judge(), show_all=show_all)
    return capsys.readouterr().out


def test_what_follows_is_a_count_and_with_all_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    short, long = printed(shut(), capsys), printed(shut(), capsys, show_all=True)
    assert short.count("fail: ") == 1
    assert "  hint: nornir push --limit leaf-g1-r0" in short
    assert "  37 more follow from it: 2 port, 2 lldp, 2 bgp, 31 ecmp (--all shows them)" in short
    assert f"FAILED, 1 cause, tested {TOTAL} of {TOTAL}" in short
    assert long.count("fail: ") == 38


def test_causes_that_are_not_printed_are_named_by_their_switches(capsys: pytest.CaptureFixture[str]) -> None:
    network = Network("lab-rails")
    ports = [(device, port) for device in ("spine-1", "spine-2") for port in [f"swp{n}" for n in range(1, 9)]]
    for device, port in ports:
        network.port(device, port, mtu_bytes=1500)
    assert len(network.judge().causes) == len(ports)
    text = printed(network, capsys)
    assert f"{len(ports) - SHOWN_EACH} more like these of config (--all shows them), on spine-2" in text


def test_what_breaks_most_is_printed_first(capsys: pytest.CaptureFixture[str]) -> None:
    network = shut()
    network.port("leaf-g1-r0", "Ethernet1/1", mtu_bytes=1500)
    network.silence("spine-2", dead=True)
    text = printed(network, capsys)
    causes = [
        "spine-2: nothing answers",
        "leaf-g1-r0 Ethernet63/1 <-> spine-1",
        "Ethernet1/1 / mtu 1500' is not asked for",
    ]
    assert sorted(causes, key=text.index) == causes


def test_nothing_failed_where_switches_were_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    network = Network("lab-rails")
    network.silence("spine-2", dead=False)
    network.silent["spine-2"] = Problem(
        "spine-2", "another switch answers", "serial number A", "serial number B (SN5600)"
    )
    text = printed(network, capsys)
    assert f"COULD NOT TELL, 1 cause, tested {TOTAL - OF_SPINE} of {TOTAL}" in text
    assert (
        "could not tell: reach: spine-2: another switch answers: serial number B (SN5600), not serial number A" in text
    )
    assert "FAILED" not in text


@pytest.mark.parametrize(
    ("fault", "words"),
    [("dead", "all 8 neighbours of spine-2 lost the carrier: power"), ("hangs", "hear nothing: it hangs")],
)
def test_a_dead_switch_is_not_taken_for_one_that_hangs(
    capsys: pytest.CaptureFixture[str], fault: str, words: str
) -> None:
    network = Network("lab-rails")
    network.silence("spine-2", dead=True) if fault == "dead" else network.hang("spine-2")
    assert words in printed(network, capsys)


def test_json_keeps_every_finding_and_names_its_cause() -> None:
    report = shut().judge()
    data = json.loads(json.dumps(as_json(report, show_all=True)))
    assert len(data["findings"]) == len(report.findings)
    (lead,) = data["causes"]
    wrong = [each for each in data["findings"] if each["verdict"] == "fail"]
    assert [each["cause"] for each in wrong if each["id"] == lead] == [""]
    assert [each["cause"] for each in wrong if each["id"] != lead] == [lead] * 37
    assert {each["cause"] for each in data["findings"] if each["verdict"] == "pass"} == {""}


def test_json_without_all_has_what_did_not_pass_and_the_same_counts() -> None:
    report = shut().judge()
    short, long = (as_json(report, show_all=show_all) for show_all in (False, True))
    assert short["findings"] == [each for each in long["findings"] if each["verdict"] != "pass"]
    assert {key: each for key, each in short.items() if key != "findings"} == {
        key: each for key, each in long.items() if key != "findings"
    }


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_the_first_column_is_never_cut(width: int) -> None:
    name = "leaf-g128-r7-of-a-long-site"
    table = named_table("switch", "system", "address", "BGP", "connections", "requests")
    table.add_row(name, "nvue 5.14.0 with more words", "127.200.100.100", "128 of 128 up", "123456", "1234567")
    screen = Console(width=width, highlight=False, soft_wrap=True)
    with screen.capture() as captured:
        screen.print(table)
    assert name in captured.get()
