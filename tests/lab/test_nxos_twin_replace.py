"""The NX-OS twin's configurations: configure replace and its timer, checkpoints, rollback, what cuts the way in."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import pytest
import requests
from described_lab import LabDescription, RunningLab
from test_nxos_twin_corpus import spec

from switch_twins.certificates import LabCertificates
from switch_twins.clock import ManualClock
from switch_twins.engine import ConfigSession
from switch_twins.fabric import FabricSim
from switch_twins.lab_context import LabContext
from switch_twins.nxos import NxosTwin, build
from switch_twins.nxos.cli import Cli
from switch_twins.nxos.patch import patch

ROCE = """
feature lldp
class-map type qos match-any CNP
  match dscp 48
class-map type qos match-any ROCEv2
  match dscp 24-31
policy-map type qos QOS_CLASSIFICATION
  class ROCEv2
    set qos-group 3
  class CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type network-qos qos_network
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing QOS_EGRESS_PORT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 50
  class type queuing c-out-8q-q7
    priority level 1
system qos
  service-policy type queuing output QOS_EGRESS_PORT
  service-policy type network-qos qos_network
priority-flow-control watch-dog-interval on
interface Ethernet1/1
  no switchport
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  mtu 9216
  service-policy type qos input QOS_CLASSIFICATION
  ip address 10.160.0.0/31
  no shutdown
ip prefix-list OWN seq 5 permit 10.255.0.1/32
route-map OUT permit 10
  match ip address prefix-list OWN
router bgp 4200000002
  template peer SPINES
    timers 3 9
    address-family ipv4 unicast
      route-map OUT out
  neighbor 10.160.0.1
    inherit peer SPINES
    remote-as 65000
    address-family ipv4 unicast
"""
"""Lines of the corpus (roce_enable.py 0.22 and cisco.nxos) put together."""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def make(tmp_path: Path, clock: ManualClock) -> Callable[[str], NxosTwin]:
    """Builds switches of one lab; nothing listens."""
    fabric = FabricSim((), (), clock)
    certificates = LabCertificates(tmp_path / "ca.pem", tmp_path / "certificates")
    lab = LabContext("test", tmp_path, "gpufabric", "secret", clock, certificates, fabric)

    def build_one(name: str) -> NxosTwin:
        twin = build(spec(name=name), lab)
        fabric.attach(twin)
        return twin

    return build_one


@pytest.fixture
def twin(make: Callable[[str], NxosTwin]) -> NxosTwin:
    return make("leaf-g0-r1")


@pytest.fixture
def cli(twin: NxosTwin) -> Cli:
    return twin.open_cli("gpufabric")


def stage(twin: NxosTwin, old: str = "", new: str = "") -> None:
    """Put the running configuration, with one passage exchanged, on bootflash as candidate.cfg."""
    twin.open_cli("gpufabric").run("copy running-config bootflash:candidate.cfg")
    text = twin.store.read("candidate.cfg")
    assert old in text
    twin.store.write("candidate.cfg", text.replace(old, new, 1) if old else text)


def described(text: str) -> str:
    return f"interface Ethernet1/5\n  description {text}\n"


PORT = "interface Ethernet1/5\n"


# -- configure replace ----------------------------------------------------------------------------------------------


def test_replacing_a_configuration_with_itself_changes_nothing(twin: NxosTwin, cli: Cli) -> None:
    before = twin.running_text()
    stage(twin)
    reply = cli.run("configure replace bootflash:candidate.cfg")
    assert "Rollback Patch is Empty" in reply.text
    assert "Configure replace completed successfully" in reply.text
    assert twin.running_text() == before


def test_verify_only_shows_the_patch_and_changes_nothing(twin: NxosTwin, cli: Cli) -> None:
    before = twin.running_text()
    stage(twin, PORT, described("verified"))
    reply = cli.run("configure replace bootflash:candidate.cfg verify-only")
    assert "`interface Ethernet1/5`\n`description verified`" in reply.text
    assert "Patch validation completed successful" in reply.text
    assert twin.running_text() == before
    assert "`description verified`" in cli.run("show config-replace log verify").text


def test_unconfirmed_replace_is_taken_back_when_its_timer_ends(twin: NxosTwin, cli: Cli, clock: ManualClock) -> None:
    before = twin.running_text()
    stage(twin, PORT, described("unconfirmed"))
    assert not cli.run("configure replace bootflash:candidate.cfg commit-timeout 60").is_refused
    assert "description unconfirmed" in twin.running_text()
    clock.advance(59)
    assert "description unconfirmed" in twin.running_text()
    assert twin.replace.is_pending
    clock.advance(1)
    assert twin.running_text() == before
    assert not twin.replace.is_pending
    assert "timer expired" in cli.run("show config-replace log exec").text


def test_neighbours_learn_of_the_replace_and_of_its_end(twin: NxosTwin, cli: Cli, clock: ManualClock) -> None:
    stage(twin, PORT, described("seen by neighbours"))
    cli.run("configure replace bootflash:candidate.cfg commit-timeout 30")
    port = next(each for each in twin.state().interfaces if each.name == "Ethernet1/5")
    assert port.description == "seen by neighbours"
    clock.advance(30)
    port = next(each for each in twin.state().interfaces if each.name == "Ethernet1/5")
    assert port.description == ""


def test_confirmed_replace_stays(twin: NxosTwin, cli: Cli, clock: ManualClock) -> None:
    stage(twin, PORT, described("confirmed"))
    cli.run("configure replace bootflash:candidate.cfg commit-timeout 30")
    assert not cli.run("configure replace commit").is_refused
    clock.advance(10_000)
    assert "description confirmed" in twin.running_text()
    assert cli.run("configure replace commit").is_refused, "there was nothing left to confirm"


def test_replace_with_a_refused_line_changes_nothing_at_all(twin: NxosTwin, cli: Cli) -> None:
    before = twin.running_text()
    stage(twin, PORT, described("half") + "  mtu 99999\n")
    reply = cli.run("configure replace bootflash:candidate.cfg commit-timeout 60")
    assert reply.is_refused
    assert "completed successfully" not in reply.text
    assert twin.running_text() == before
    assert not twin.replace.is_pending
    log = cli.run("show config-replace log exec").text
    assert "`mtu 99999`" in log
    assert "Rollback Status      : Failed" in log
    assert cli.run("configure replace bootflash:candidate.cfg verify-only").is_refused


def test_second_replace_waits_for_the_first_ones_commit(twin: NxosTwin, cli: Cli) -> None:
    stage(twin, PORT, described("first"))
    cli.run("configure replace bootflash:candidate.cfg commit-timeout 60")
    stage(twin, described("first"), described("second"))
    assert cli.run("configure replace bootflash:candidate.cfg").is_refused
    assert "description first" in twin.running_text()


@pytest.mark.parametrize("timeout", ["29", "3601", "soon", ""])
def test_timer_out_of_range_is_refused(twin: NxosTwin, cli: Cli, timeout: str) -> None:
    stage(twin, PORT, described("never"))
    assert cli.run(f"configure replace bootflash:candidate.cfg commit-timeout {timeout}").is_refused
    assert "description never" not in twin.running_text()


def test_file_of_another_release_or_none_is_refused(twin: NxosTwin, cli: Cli) -> None:
    stage(twin, "version 10.4(3)", "version 10.5(1)")
    assert "Version mismatch" in cli.run("configure replace bootflash:candidate.cfg").text
    assert cli.run("configure replace bootflash:missing.cfg").is_refused


@pytest.mark.parametrize(
    "cut",
    ["  ip address 192.0.2.12/24\n", "nxapi https port 8443\n", "  vrf member management\n"],
    ids=["address", "port", "vrf"],
)
def test_replace_that_cuts_the_way_in_is_felt_until_the_timer_ends(
    twin: NxosTwin, clock: ManualClock, cut: str
) -> None:
    stage(twin, cut, "")
    assert twin.is_api_reachable()
    twin.open_cli("gpufabric").run("configure replace bootflash:candidate.cfg commit-timeout 30")
    assert not twin.is_api_reachable()
    clock.advance(30)
    assert twin.is_api_reachable()


def test_taking_a_feature_away_takes_its_lines_with_it(twin: NxosTwin) -> None:
    configure(twin, "no feature nxapi")
    assert not twin.is_api_reachable()
    assert "nxapi" not in twin.running_text()


def test_replace_that_drops_the_account_locks_it_out(twin: NxosTwin, cli: Cli, clock: ManualClock) -> None:
    assert twin.authenticate("gpufabric", "secret")
    assert not twin.authenticate("gpufabric", "wrong")
    assert not twin.authenticate("nobody", "secret")
    line = next(row for row in twin.running_text().splitlines() if row.startswith("username gpufabric password"))
    stage(twin, f"{line}\n", "")
    cli.run("configure replace bootflash:candidate.cfg commit-timeout 30")
    assert not twin.authenticate("gpufabric", "secret")
    clock.advance(30)
    assert twin.authenticate("gpufabric", "secret")


# -- checkpoints and rollback -----------------------------------------------------------------------------------------


def configure(twin: NxosTwin, *lines: str) -> None:
    session = twin.open_cli("gpufabric", in_config=True)
    for line in lines:
        reply = session.run(line)
        assert not reply.is_refused, f"{line}: {reply.text}"
    session.finish()


def test_checkpoints_hold_what_they_were_made_of(twin: NxosTwin, cli: Cli) -> None:
    cli.run("checkpoint BEFORE")
    configure(twin, "interface Ethernet1/5", "description one")
    cli.run("checkpoint ONE")
    configure(twin, "interface Ethernet1/5", "description two")
    cli.run("rollback running-config checkpoint ONE")
    assert "description one" in twin.running_text()
    configure(twin, "interface Ethernet1/5", "description three")
    cli.run("rollback running-config checkpoint BEFORE")
    assert "description" not in twin.running_text().partition("interface Ethernet1/5\n")[2].partition("\n\n")[0]
    cli.run("rollback running-config checkpoint ONE")
    assert "description one" in twin.running_text()


def test_switches_of_one_lab_share_neither_checkpoints_nor_files(make: Callable[[str], NxosTwin]) -> None:
    one, other = make("leaf-a"), make("leaf-b")
    one.open_cli("gpufabric").run("checkpoint MINE")
    one.open_cli("gpufabric").run("checkpoint file mine.txt")
    assert other.open_cli("gpufabric").run("rollback running-config checkpoint MINE").is_refused
    assert other.open_cli("gpufabric").run("dir bootflash:mine.txt").is_refused


def test_rollback_to_a_file_with_a_refused_line_changes_nothing(twin: NxosTwin, cli: Cli) -> None:
    before = twin.running_text()
    cli.run("checkpoint file broken.txt")
    twin.store.write("broken.txt", twin.store.read("broken.txt").replace(PORT, described("x") + "  mtu 1\n"))
    reply = cli.run("rollback running-config file broken.txt")
    assert reply.is_refused
    assert "Rollback failed." in reply.text
    assert twin.running_text() == before


def test_files_cannot_leave_bootflash(cli: Cli) -> None:
    for name in ("../spec.json", "bootflash:/../../password", "bootflash:.hidden"):
        assert cli.run(f"show file {name}").is_refused
        assert cli.run(f"checkpoint file {name}").is_refused


def test_patch_between_two_configurations_is_accepted_line_by_line_and_leads_there(twin: NxosTwin) -> None:
    empty = twin.store.running.copy()
    configure(twin, *ROCE.strip().splitlines())
    full = twin.store.running.copy()
    for start, end in ((empty, full), (full, empty)):
        candidate = start.copy()
        session = ConfigSession(candidate, twin.store.context)
        for line in patch(start, end):
            session.feed(line)
        assert candidate.text() == end.text()


def test_configuration_reads_back_as_it_was_printed(twin: NxosTwin) -> None:
    configure(twin, *ROCE.strip().splitlines())
    text = twin.running_text()
    again, errors = twin.store.tree_of(text)
    assert errors == []
    assert again.text() == twin.store.running.text()


def test_rules_of_a_list_are_printed_by_their_numbers_whatever_they_match(twin: NxosTwin) -> None:
    rules = ("10 permit icmp any any", "20 permit tcp any any eq 22", "30 remark of ours", "100 deny ip any any")
    configure(twin, "ip access-list BY-NUMBER", *rules[::-1])
    printed = twin.running_text().partition("ip access-list BY-NUMBER\n")[2].splitlines()
    assert tuple(line.strip() for line in printed[: len(rules)]) == rules


def test_a_number_alone_removes_the_rule_that_has_it_and_another_rule_of_that_number_does_not(twin: NxosTwin) -> None:
    """`no 20` of a list: Cisco NX-OS security guides, "no {sequence-number | ...}" (from memory)."""
    configure(
        twin, "ip access-list BY-NUMBER", "10 permit icmp any any", "20 permit tcp any any eq 22", "30 remark ours"
    )
    configure(twin, "ip access-list BY-NUMBER", "no 20", "no 30", "no 40", "no 10 permit tcp any any eq 443")
    printed = twin.running_text().partition("ip access-list BY-NUMBER\n")[2].splitlines()
    assert [line.strip() for line in takewhile(lambda line: line.startswith(" "), printed)] == [
        "10 permit icmp any any"
    ]


def test_foreign_lines_stay_when_ours_come_and_go(twin: NxosTwin, cli: Cli) -> None:
    before = twin.running_text()
    cli.run("checkpoint BEFORE")
    configure(twin, *ROCE.strip().splitlines())
    assert set(before.splitlines()) <= set(twin.running_text().splitlines())
    cli.run("rollback running-config checkpoint BEFORE")
    assert twin.running_text() == before


# -- one wait on the real clock ---------------------------------------------------------------------------------------


def test_timer_fires_on_the_real_clock(
    lab_description: LabDescription, start_lab: Callable[[LabDescription], RunningLab]
) -> None:
    """The shortest timer NX-OS takes is 30 s; the lab's clock is put 28 s ahead, the last two pass for real."""
    device = lab_description.add_device("leaf-a", "nxos", asic="cloudscale-gx2")
    lab = start_lab(lab_description)
    url = f"https://{device['address']}:{device['api_port']}/ins"
    login = (lab_description.username, lab_description.password)

    def ask(command: str, method: str = "cli_ascii") -> str:
        call = {"jsonrpc": "2.0", "method": method, "params": {"cmd": command, "version": 1}, "id": 1}
        answer = requests.post(url, json=[call], auth=login, verify=lab.ca, timeout=10).json()
        return str((answer.get("result") or {}).get("msg", ""))

    ask("copy running-config bootflash:before.cfg")
    ask("interface Ethernet1/5 ;description for a moment", "cli")
    ask("copy running-config bootflash:after.cfg")
    ask("configure replace bootflash:before.cfg")
    started_s = time.monotonic()
    assert "completed successfully" in ask("configure replace bootflash:after.cfg commit-timeout 30")
    assert "for a moment" in ask("show running-config")
    lab.control.ask("advance-clock", seconds=28)
    is_there = "for a moment" in ask("show running-config")
    assert is_there or time.monotonic() - started_s >= 2, "the timer fired early"
    while "for a moment" in ask("show running-config"):
        assert time.monotonic() - started_s < 60, "the timer did not fire"
        time.sleep(0.1)
    assert time.monotonic() - started_s >= 1.5
