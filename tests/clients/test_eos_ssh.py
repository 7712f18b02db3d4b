"""Netmiko and scrapli over SSH at the command line of EOS, host keys verified: each step, and a fault that it names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator
from case import Case, prove
from eos_intent import RAIL, Fault, Intent, by_hand, intent, logged_in, value
from listed import cases
from netmiko import ConnectHandler
from netmiko.arista.arista import AristaSSH
from netmiko.exceptions import ReadTimeout
from scrapli.exceptions import ScrapliException

PORT, SEEN = "Ethernet63/1", "seen by a client"
SHOW_PORT = f"show running-config interfaces {PORT}"


@contextmanager
def netmiko(lab: Operator) -> Iterator[AristaSSH]:
    spec = json.loads((lab.lab / "spec.json").read_text())
    where = next(each for each in spec["devices"] if each["name"] == RAIL)
    with ConnectHandler(
        device_type="arista_eos",
        host=where["address"],
        port=where["ssh_port"],
        username=spec["username"],
        password=Path(spec["password_file"]).read_text().strip(),
        ssh_strict=True,
        alt_host_keys=True,
        alt_key_file=str(lab.lab / "known_hosts"),
        read_timeout_override=60,  # a whole configuration, on a busy machine
    ) as opened:
        yield opened


def case(opened: Callable[[Operator], Any], run: Callable[[Any, Intent], None], fault: Fault, message: str) -> Case:
    """``run`` on one login."""

    def ask(lab: Operator) -> None:
        with opened(lab) as session:
            run(session, intent(lab))

    return Case(ask, fault, message)


def scrapli_case(run: Callable[[Any, Intent], None], fault: Fault, message: str) -> Case:
    return case(lambda lab: logged_in(lab, RAIL), run, fault, message)


def description(site: Intent) -> str:
    return value(site.ports(RAIL)[PORT], r"description (.+)")


def expect_intended(text: str, site: Intent) -> None:
    """The description of the port in a configuration is the intent's."""
    shown = [line.strip() for line in text.splitlines()]
    assert f"description {description(site)}" in shown, f"{PORT} is not described as intended: {shown}"


# -- Netmiko -------------------------------------------------------------------------------------------------------


def find_prompt(session: AristaSSH, _: Intent) -> None:
    found = session.find_prompt()
    assert found == f"{RAIL}#", found


def enable(session: AristaSSH, _: Intent) -> None:
    session.send_command("disable", expect_string=">")
    assert not session.check_enable_mode()
    try:
        session.enable()
    except (ValueError, ReadTimeout) as error:
        raise AssertionError(str(error)) from error
    assert session.check_enable_mode()


def send_command(session: AristaSSH, site: Intent) -> None:
    assert site.device(RAIL)["release"] in session.send_command("show version")
    expect_intended(session.send_command(SHOW_PORT), site)


def send_multiline(session: AristaSSH, _: Intent) -> None:
    found = session.send_multiline([["disable", ">"], ["enable", "#"], ["show hostname", "#"]])
    assert f"Hostname: {RAIL}" in found, found


def send_config_set(session: AristaSSH, site: Intent) -> None:
    expect_intended(session.send_command(SHOW_PORT), site)
    lines = [f"interface {PORT}", f"description {SEEN}"]
    assert f"{RAIL}(config-if-Et63/1)#" in session.send_config_set(lines)
    once = session.send_command("show running-config")
    assert f"description {SEEN}" in once
    session.send_config_set(lines)
    assert session.send_command("show running-config") == once
    session.send_config_set([lines[0], f"description {description(site)}"])


def commit_session(session: AristaSSH, site: Intent) -> None:
    for number, text in enumerate((SEEN, description(site))):
        name = f"netmiko-{id(session)}-{number}"
        entered = session.send_command(f"configure session {name}", expect_string="#")
        assert "%" not in entered, entered
        lines = [f"interface {PORT}", f"description {text}"]
        session.send_config_set(lines, enter_config_mode=False, exit_config_mode=False)
        before = session.send_command("show session-config diffs")
        assert f"+   description {text}" in before, before
        session.send_command("commit", expect_string="#")
        assert f"description {text}" in session.send_command(SHOW_PORT, expect_string=r"#\s*$")


def save_config(session: AristaSSH, site: Intent) -> None:
    assert "Copy completed successfully" in session.save_config()
    assert session.send_command("show running-config diffs").strip() == ""
    saved = session.send_command("show startup-config")
    wanted = [line for line in site.texts[RAIL].splitlines() if line.startswith("   description")]
    missing = [line for line in wanted if line not in saved.splitlines()]
    assert not missing, f"not saved: {missing}"


@contextmanager
def five_sessions(lab: Operator) -> Iterator[None]:
    """As many as may be open at a time."""
    hand, names = lab.hands()[RAIL], [f"by-hand-{number}" for number in range(5)]
    for name in names:
        hand.eapi(f"configure session {name}", "end")
    try:
        yield
    finally:
        for name in names:
            hand.eapi(f"configure session {name} abort")


# -- scrapli -------------------------------------------------------------------------------------------------------


def get_prompt(session: Any, _: Intent) -> None:
    found = session.get_prompt()
    assert found == f"{RAIL}#", found


def one_command(session: Any, site: Intent) -> None:
    answer = session.send_command(SHOW_PORT)
    assert not answer.failed
    expect_intended(answer.result, site)


def commands(session: Any, site: Intent) -> None:
    names, summary = session.send_commands(["show hostname", "show ip bgp summary"])
    assert f"FQDN:     {RAIL}." in names.result
    for _, far, _ in site.links(RAIL, "fabric"):
        (row,) = (line for line in summary.result.splitlines() if f" {far['address']} " in line)
        assert " Estab " in row, row


def refused_command(session: Any, _: Intent) -> None:
    answer = session.send_command("show nothing")
    assert answer.failed
    assert answer.result == "% Invalid input (at token 1: 'nothing')"
    words = ["does not exist"]
    absent = session.send_command("show session-config named by-hand", failed_when_contains=words)
    assert absent.failed, f"not refused: {absent.result[:60]}"


def configs(session: Any, site: Intent) -> None:
    expect_intended(session.send_command(SHOW_PORT).result, site)
    lines = [f"interface {PORT}", f"description {SEEN}"]
    assert not session.send_configs(lines).failed
    once = session.send_command("show running-config").result
    assert f"description {SEEN}" in once
    assert not session.send_configs(lines).failed
    assert session.send_command("show running-config").result == once
    session.send_configs([lines[0], f"description {description(site)}"])


def refused_configs(session: Any, site: Intent) -> None:
    before = session.send_command("show running-config").result
    lines = [f"interface {PORT}", "descr1ption never", f"description {SEEN}"]
    answers = session.send_configs(lines, stop_on_failed=True)
    assert answers.failed
    assert [each.failed for each in answers] == [False, True]
    assert answers[1].result == "% Invalid input (at token 0: 'descr1ption')"
    assert session.send_command("show running-config").result == before
    expect_intended(before, site)


@contextmanager
def a_session(lab: Operator) -> Iterator[None]:
    """Somebody has a session open."""
    hand = lab.hands()[RAIL]
    hand.eapi("configure session by-hand", "end")
    try:
        yield
    finally:
        hand.eapi("configure session by-hand abort")


_HASH = "$6$eJ5TvI8oru5i9e8G$R1X/SbtGTk9xoEHEBQASc7SC2nHYmi.crVgp2pXuCXwxsXEA81e4E0cXgQ6kX08fIeQzauqhv2kS.RGJFCon5/"
RENAMED = by_hand(RAIL, "hostname nobody", f"hostname {RAIL}")
DESCRIBED = by_hand(RAIL, f"interface {PORT}; description by hand", f"interface {PORT}; description spine-1 swp1")
SHUT = by_hand(
    RAIL,
    "router bgp 4200000000; neighbor 10.160.0.0 shutdown",
    "router bgp 4200000000; no neighbor 10.160.0.0 shutdown",
)
LOCKED = by_hand(RAIL, f"enable password sha512 {_HASH}", "no enable password")
UNLIKE = "not described as intended: .*by hand"
NETMIKO = {
    "find_prompt": case(netmiko, find_prompt, RENAMED, "nobody#"),
    "enable": case(netmiko, enable, LOCKED, "(?i)enable|not detected"),
    "send_command": case(netmiko, send_command, DESCRIBED, UNLIKE),
    "send_multiline": case(netmiko, send_multiline, RENAMED, "Hostname: nobody"),
    "send_config_set": case(netmiko, send_config_set, DESCRIBED, UNLIKE),
    "commit_session": case(netmiko, commit_session, five_sessions, "Maximum number of pending sessions"),
    "save_config": case(netmiko, save_config, DESCRIBED, "not saved: .*spine-1 swp1"),
}
SCRAPLI = {
    "get_prompt": scrapli_case(get_prompt, RENAMED, "nobody#"),
    "send_command": scrapli_case(one_command, DESCRIBED, UNLIKE),
    "send_commands": scrapli_case(commands, SHUT, r"Idle\(Admin\)"),
    "refused_command": scrapli_case(refused_command, a_session, "not refused"),
    "send_configs": scrapli_case(configs, DESCRIBED, UNLIKE),
    "refused_configs": scrapli_case(refused_configs, DESCRIBED, UNLIKE),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("step", cases("netmiko.arista_eos", NETMIKO))
def test_a_step_of_netmiko_does_what_it_says_and_names_a_fault(step: Case, pushed_lab: Operator) -> None:
    prove(step, pushed_lab)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("step", cases("scrapli.arista_eos", SCRAPLI))
def test_a_step_of_scrapli_does_what_it_says_and_names_a_fault(step: Case, pushed_lab: Operator) -> None:
    prove(step, pushed_lab)


@pytest.mark.parametrize(
    "fault",
    [
        by_hand(RAIL, "management ssh; vrf MGMT; shutdown", "management ssh; vrf MGMT; no shutdown"),
        by_hand(
            RAIL,
            "ip access-list MGMT-ACCESS; no 10; 10 permit tcp any any eq https snmp",
            "ip access-list MGMT-ACCESS; no 10; 10 permit tcp any any eq ssh https snmp",
        ),
    ],
    ids=["shut-down", "access-list"],
)
def test_ssh_answers_nobody_whom_the_configuration_keeps_out(fault: Fault, pushed_lab: Operator) -> None:
    with logged_in(pushed_lab, RAIL) as session:
        assert session.get_prompt() == f"{RAIL}#"
    with fault(pushed_lab), pytest.raises(ScrapliException), logged_in(pushed_lab, RAIL):
        pass
    with logged_in(pushed_lab, RAIL) as session:
        assert session.get_prompt() == f"{RAIL}#"


def test_a_wrong_password_and_another_host_key_are_refused(pushed_lab: Operator, tmp_path: Path) -> None:
    with pytest.raises(ScrapliException, match=r"(?i)auth"), logged_in(pushed_lab, RAIL, password="wrong"):
        pass
    other = tmp_path / "known_hosts"
    own, another = (pushed_lab.lab / "known_hosts").read_text().splitlines()[:2]
    other.write_text(f"{own.split()[0]} {another.partition(' ')[2]}\n")
    with pytest.raises(ScrapliException, match=r"(?i)key|auth"), logged_in(pushed_lab, RAIL, known_hosts=other):
        pass
