"""An EOS twin without its network: sessions, the commit timer on our clock, checkpoints, errors, what is hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from switch_twins.certificates import LabCertificates
from switch_twins.clock import ManualClock
from switch_twins.eos import EosTwin, build
from switch_twins.eos.eapi import run_commands
from switch_twins.fabric import FabricSim
from switch_twins.lab_context import LabContext
from switch_twins.spec import DeviceSpec


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000.0)


@pytest.fixture
def twin(tmp_path: Path, clock: ManualClock) -> EosTwin:
    device = DeviceSpec(
        name="leaf-1",
        os="eos",
        release="4.33.1F",
        model="7060DX5-64S",
        asic="tomahawk4",
        serial="LAB0001",
        address="127.99.0.11",
        api_port=8443,
        ssh_port=8022,
        asn=4200000001,
        ports=tuple(f"Ethernet{cage}/1" for cage in range(1, 9)),
    )
    fabric = FabricSim([], [], clock)
    certificates = LabCertificates(tmp_path / "ca.pem", tmp_path / "certificates")
    made = build(device, LabContext("test", tmp_path, "gpufabric", "correct horse", clock, certificates, fabric))
    fabric.attach(made)
    return made


def ask(twin: EosTwin, *commands: str, text: bool = False) -> list[dict]:
    answer = run_commands(twin.shell("gpufabric"), ["enable", *commands], text)
    assert "error" not in answer, answer
    return answer["result"][1:]


def fail(twin: EosTwin, *commands: str, text: bool = False) -> dict:
    answer = run_commands(twin.shell("gpufabric"), ["enable", *commands], text)
    assert "error" in answer, answer
    return answer["error"]


# -- sessions ------------------------------------------------------------------------------------------------------


def test_a_session_changes_nothing_before_it_is_committed(twin: EosTwin) -> None:
    before = twin.running_text()
    ask(twin, "configure session one", "interface Ethernet1/1", "mtu 9214", "end")
    assert twin.running_text() == before
    ask(twin, "configure session one abort")
    assert twin.running_text() == before
    assert fail(twin, "configure session one commit")["code"] == 1000


def test_two_sessions_do_not_see_or_undo_one_another(twin: EosTwin) -> None:
    ask(twin, "configure session one", "interface Ethernet1/1", "mtu 9214", "end")
    ask(twin, "configure session two", "interface Ethernet1/1", "description two", "end")
    (one,) = ask(twin, "show session-config named one", text=True)
    assert "mtu 9214" in one["output"]
    assert "description two" not in one["output"]
    ask(twin, "configure session one commit")
    ask(twin, "configure session two commit")
    block = twin.configuration.running.first("interface Ethernet1/1")
    assert [line.line for line in block.ordered()] == ["description two", "mtu 9214"]


def test_the_diff_is_eos_unified_diff_and_empty_when_nothing_changes(twin: EosTwin) -> None:
    ask(twin, "configure session one", "interface Ethernet1/1", "mtu 9214", "end")
    (answer,) = ask(twin, "show session-config named one diffs", text=True)
    lines = answer["output"].splitlines()
    assert lines[:2] == ["--- system:/running-config", "+++ session:/one-session-config"]
    assert lines[2].startswith("@@ -")
    assert [line for line in lines[2:] if line[0] in "+-"] == ["+   mtu 9214"]
    ask(twin, "configure session same", "hostname leaf-1", "end")
    assert ask(twin, "show session-config named same diffs", text=True) == [{"output": ""}]


def test_a_sixth_pending_session_and_a_completed_one_are_refused(twin: EosTwin) -> None:
    for number in range(5):
        ask(twin, f"configure session s{number}", "end")
    assert "Maximum number of pending sessions" in fail(twin, "configure session s5")["data"][-1]["errors"][0]
    ask(twin, "configure session s0 commit")
    assert "completed" in fail(twin, "configure session s0")["data"][-1]["errors"][0]


def test_rollback_clean_config_starts_from_the_factory(twin: EosTwin) -> None:
    ask(twin, "configure session wipe", "rollback clean-config", "hostname bare", "end")
    (candidate,) = ask(twin, "show session-config named wipe", text=True)
    assert "username" not in candidate["output"]
    assert "interface Ethernet8/1" in candidate["output"]


def test_a_refused_line_ends_the_request_and_leaves_the_session_as_it_was(twin: EosTwin) -> None:
    error = fail(twin, "configure session one", "interface Ethernet1/1", "mtu 99999", "description never")
    assert error["code"] == 1002
    assert error["message"] == "CLI command 4 of 5 'mtu 99999' failed: invalid command"
    assert error["data"] == [{}, {}, {}, {"errors": ["Invalid input (at token 1: '99999')"]}]
    (candidate,) = ask(twin, "show session-config named one diffs", text=True)
    assert "description never" not in candidate["output"]


# -- commit timer --------------------------------------------------------------------------------------------------


def test_an_unconfirmed_commit_goes_back_when_its_timer_fires(twin: EosTwin, clock: ManualClock) -> None:
    before = twin.running_text()
    ask(twin, "configure session one", "hostname changed", "end")
    ask(twin, "configure session one commit timer 00:05:00", text=True)
    assert twin.state().hostname == "changed"
    (sessions,) = ask(twin, "show configuration sessions detail")
    assert sessions["commitTimerSessionName"] == "one"
    assert sessions["commitTimerExpireTime"] - ask(twin, "show version")[0]["uptime"] == 300
    clock.advance(299)
    assert twin.state().hostname == "changed"
    clock.advance(1)
    assert twin.running_text() == before
    assert twin.state().hostname == "leaf-1"
    (sessions,) = ask(twin, "show configuration sessions detail")
    assert "commitTimerSessionName" not in sessions


def test_a_confirmed_commit_stays(twin: EosTwin, clock: ManualClock) -> None:
    ask(twin, "configure session one", "hostname changed", "end", "configure session one commit timer 00:01:00")
    ask(twin, "configure session one commit", "write memory")
    clock.advance(3600)
    assert twin.state().hostname == "changed"
    assert "hostname changed" in ask(twin, "show startup-config", text=True)[0]["output"]


def test_aborting_a_commit_that_waits_takes_it_back_at_once(twin: EosTwin, clock: ManualClock) -> None:
    before = twin.running_text()
    ask(twin, "configure session one", "hostname changed", "end", "configure session one commit timer 00:01:00")
    ask(twin, "configure session one abort")
    assert twin.running_text() == before
    clock.advance(3600)
    assert twin.running_text() == before


def test_nobody_commits_while_another_commit_waits_for_its_timer(twin: EosTwin) -> None:
    ask(twin, "configure session one", "hostname changed", "end", "configure session one commit timer 00:01:00")
    ask(twin, "configure session two", "ip routing", "end")
    assert fail(twin, "configure session two commit")["code"] == 1000


@pytest.mark.parametrize(
    "lines",
    [
        ("interface Management1", "shutdown"),
        ("interface Management1", "no ip address"),
        ("management api http-commands", "vrf MGMT", "shutdown"),
        ("no management api http-commands",),
        ("interface Management1", "vrf LEGACY"),
    ],
    ids=" / ".join,
)
def test_a_commit_that_cuts_the_way_in_makes_the_switch_unreachable_until_the_timer_fires(
    twin: EosTwin, clock: ManualClock, lines: tuple[str, ...]
) -> None:
    assert twin.is_reachable()
    ask(twin, "configure session cut", *lines, "end", "configure session cut commit timer 00:02:00")
    assert not twin.is_reachable()
    clock.advance(120)
    assert twin.is_reachable()


def test_a_login_taken_out_of_the_configuration_is_refused(twin: EosTwin) -> None:
    assert twin.authenticate("gpufabric", "correct horse")
    assert not twin.authenticate("gpufabric", "wrong")
    assert not twin.authenticate("nobody", "correct horse")
    ask(twin, "configure", "no username gpufabric", "end")
    assert not twin.authenticate("gpufabric", "correct horse")


# -- files and checkpoints -----------------------------------------------------------------------------------------


def test_configure_replace_brings_a_file_or_checkpoint_back_whole(twin: EosTwin) -> None:
    before = twin.running_text()
    ask(twin, "configure checkpoint save safe", "copy running-config flash:safe.cfg", text=True)
    ask(twin, "configure", "hostname changed", "interface Ethernet1/1", "mtu 9000", "end")
    assert list(ask(twin, "show configuration checkpoints")[0]["checkpoints"]) == ["safe"]
    ask(twin, "configure replace flash:safe.cfg")
    assert twin.running_text() == before
    ask(twin, "configure", "hostname changed", "end", "configure replace checkpoint:safe")
    assert twin.running_text() == before
    assert fail(twin, "configure replace flash:none")["code"] == 1000


# -- what is printed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ("router bgp 4200000001", "bgp log-neighbor-changes"),
        ("router bgp 4200000001", "bgp bestpath as-path multipath-relax"),
        ("router bgp 4200000001", "graceful-restart-helper"),
        ("router bgp 4200000001", "no graceful-restart"),
        ("router bgp 4200000001", "timers bgp 60 180"),
        ("interface Ethernet1/1", "no shutdown"),
        ("interface Ethernet1/1", "switchport"),
        ("interface Ethernet1/1", "bfd interval 300 min-rx 300 multiplier 3"),
        ("interface Ethernet1/1", "priority-flow-control pause watchdog"),
        ("interface Ethernet1/1", "uc-tx-queue 6", "priority strict"),
        ("lldp run",),
        ("qos map dscp 24 26 31 to traffic-class 3",),
        ("qos map traffic-class 3 to tx-queue 3",),
        ("priority-flow-control pause watchdog action errdisable",),
        ("ip load-sharing trident 0",),
    ],
    ids=" / ".join,
)
def test_a_default_typed_out_is_not_printed(twin: EosTwin, lines: tuple[str, ...]) -> None:
    before = twin.running_text()
    ask(twin, "configure", *lines, "end")
    assert twin.running_text() == before


@pytest.mark.parametrize(
    "lines",
    [
        ("router bgp 4200000001", "no bgp log-neighbor-changes"),
        ("router bgp 4200000001", "no bgp bestpath as-path multipath-relax"),
        ("router bgp 4200000001", "no graceful-restart-helper"),
        ("router bgp 4200000001", "graceful-restart"),
        ("router bgp 4200000001", "neighbor SPINES out-delay 0"),
        ("router bgp 4200000001", "no neighbor SPINES graceful-restart-helper"),
        ("interface Ethernet1/1", "shutdown"),
        ("interface Ethernet1/1", "no switchport"),
        ("interface Ethernet1/1", "mtu 1500"),
        ("interface Ethernet1/1", "no priority-flow-control pause watchdog"),
        ("no lldp run",),
        ("priority-flow-control pause watchdog action drop",),
    ],
    ids=" / ".join,
)
def test_what_is_not_the_default_is_printed_as_typed(twin: EosTwin, lines: tuple[str, ...]) -> None:
    ask(twin, "configure", *lines, "end")
    assert f"{lines[-1]}\n" in twin.running_text()


def test_code_points_are_grouped_by_class_and_those_at_their_default_left_out(twin: EosTwin) -> None:
    ask(
        twin,
        "configure",
        "qos map dscp 0 1 2 26 8 9 to traffic-class 0",
        "qos map dscp 27 25 to traffic-class 1",
        "end",
    )
    lines = [line for line in twin.running_text().splitlines() if line.startswith("qos map dscp")]
    assert lines == ["qos map dscp 0 1 2 26 to traffic-class 0", "qos map dscp 25 27 to traffic-class 1"]
    ask(twin, "configure", "no qos map dscp 26", "qos map dscp 0 to traffic-class 1", "end")
    lines = [line for line in twin.running_text().splitlines() if line.startswith("qos map dscp")]
    assert lines == ["qos map dscp 1 2 to traffic-class 0", "qos map dscp 25 27 to traffic-class 1"]


def test_secrets_do_not_stand_in_the_sanitized_configuration(twin: EosTwin) -> None:
    (answer,) = ask(twin, "show running-config sanitized", text=True)
    for secret in ("$6$", "071B245F5A", "09f1b2"):
        assert secret in twin.running_text()
        assert secret not in answer["output"]


def test_the_brownfield_holds_what_a_push_must_not_touch(twin: EosTwin) -> None:
    text = twin.running_text()
    for line in (
        "! boot system flash:/EOS-4.33.1F.swi",
        "username admin ",
        "username gpufabric ",
        "tacacs-server host ",
        "snmp-server user telemetry MONITORING v3 localized ",
        "banner login",
        "   ip access-group MGMT-ACCESS vrf MGMT in",
        "ip route vrf MGMT 0.0.0.0/0 ",
        "vlan 3999",
        "ip access-list LEGACY-EDGE",
        "ip route vrf LEGACY 198.51.100.0/24 Null0 name not-ours",
        "      neighbor 198.51.100.129 remote-as 64999",
        "ntp server vrf MGMT ",
        "logging vrf MGMT host ",
        "management ssh",
    ):
        assert f"\n{line}" in text
    assert "correct horse" not in text


def test_text_only_commands_are_refused_in_json_and_unknown_ones_altogether(twin: EosTwin) -> None:
    assert fail(twin, "show qos maps")["code"] == 1003
    error = fail(twin, "show bogus", text=True)
    assert error["message"] == "CLI command 2 of 2 'show bogus' failed: invalid command"
    assert error["data"][-1] == {
        "errors": ["Invalid input (at token 1: 'bogus')"],
        "output": "% Invalid input (at token 1: 'bogus')\n",
    }


def test_qos_is_read_back_from_the_port_and_its_profile(twin: EosTwin) -> None:
    ask(
        twin,
        "configure",
        "qos profile ROCE",
        "qos trust dscp",
        "priority-flow-control on",
        "priority-flow-control priority 3 no-drop",
        "uc-tx-queue 3",
        "random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0",
        "interface Ethernet1/1",
        "no switchport",
        "service-profile ROCE",
        "qos map dscp 40 to traffic-class 3",
        "end",
    )
    pfc, ecn, trust, maps = (
        each["output"]
        for each in ask(
            twin,
            "show priority-flow-control",
            "show qos interfaces ethernet 1/1 ecn",
            "show qos interfaces trust",
            "show qos maps",
            text=True,
        )
    )
    assert "Ethernet1/1    Yes      3           Yes     DCBX disabled\n" in pfc
    assert "Ethernet2/1    No                   No\n" in pfc
    assert "3         kbytes     256         512\n" in ecn
    assert "Ethernet1/1        DSCP          DSCP\n" in trust
    assert "Ethernet2/1        COS           DEFAULT\n" in trust
    assert "      4 :     3  5  5  5  5  5  5  5  6  6\n" in maps
    ask(twin, "configure", "priority-flow-control all off", "end")
    assert "Ethernet1/1    Yes                  No" in ask(twin, "show priority-flow-control", text=True)[0]["output"]
