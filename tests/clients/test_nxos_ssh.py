"""Netmiko and scrapli over SSH at NX-OS' command line, host keys verified: each step, and a fault that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import pytest
from at_terminal import Operator
from case import Case, prove
from eos_intent import Fault, Intent, by_hand, intent
from listed import cases
from netmiko import file_transfer
from nxos_intent import RAIL, descriptions, fabric_links, switch
from scrapli.driver.core import NXOSDriver
from scrapli.exceptions import ScrapliException
from ssh_nxos import netmiko

pytestmark = pytest.mark.xdist_group("clients")
PORT, SEEN = "Ethernet1/31", "seen by a client"
SHOW_PORT = f"show running-config interface {PORT}"


@contextmanager
def scrapli(lab: Operator, password: str = "", known_hosts: Path | None = None) -> Iterator[NXOSDriver]:
    """A session. Its transport looks up hosts without their port: the lab's file is given that way."""
    found = switch(lab, RAIL)
    with NamedTemporaryFile("w", suffix=".known_hosts") as file:
        file.write(re.sub(r"(?m)^\[(\S+)\]:\d+", r"\1", (known_hosts or lab.lab / "known_hosts").read_text()))
        file.flush()
        session = NXOSDriver(
            host=found["address"],
            port=found["ssh_port"],
            auth_username=found["username"],
            auth_password=password or found["password"],
            ssh_known_hosts_file=file.name,
            transport="paramiko",
        )
        with session:
            yield session


def case(opened: Callable[..., Any], run: Callable[[Any, Intent], None], fault: Fault, message: str) -> Case:
    """``run`` on one login."""

    def ask(lab: Operator) -> None:
        with opened(lab) as session:
            run(session, intent(lab))

    return Case(ask, fault, message)


def netmiko_case(run: Callable[[Any, Intent], None], fault: Fault, message: str) -> Case:
    return case(lambda lab: netmiko(lab, RAIL), run, fault, message)


def expect_intended(text: str, site: Intent) -> None:
    """The description of the port in a configuration is the intent's."""
    shown = [line.strip() for line in text.splitlines()]
    wanted = f"description {descriptions(site, RAIL)[PORT]}"
    assert wanted in shown, f"{PORT} is not described as intended: {shown}"


def without_times(text: str) -> str:
    """A configuration without the lines that say when it was shown and changed."""
    return "\n".join(line for line in text.splitlines() if not line.startswith("!"))


# -- Netmiko -------------------------------------------------------------------------------------------------------


def find_prompt(session: Any, _: Intent) -> None:
    found = session.find_prompt()
    assert found == f"{RAIL}#", found


def send_command(session: Any, site: Intent) -> None:
    assert f"NXOS: version {site.device(RAIL)['release']}" in session.send_command("show version")
    expect_intended(session.send_command(SHOW_PORT), site)


def send_multiline(session: Any, _: Intent) -> None:
    found = session.send_multiline([["configure terminal", r"\(config\)#"], ["end", "#"], ["show hostname", "#"]])
    assert f"\n{RAIL}." in found, found


def send_config_set(session: Any, site: Intent) -> None:
    expect_intended(session.send_command(SHOW_PORT), site)
    lines = [f"interface {PORT}", f"description {SEEN}"]
    assert f"{RAIL}(config-if)#" in session.send_config_set(lines)
    once = without_times(session.send_command("show running-config"))
    assert f"description {SEEN}" in once
    session.send_config_set(lines)
    assert without_times(session.send_command("show running-config")) == once
    session.send_config_set([lines[0], f"description {descriptions(site, RAIL)[PORT]}"])


def save_config(session: Any, site: Intent) -> None:
    assert "Copy complete" in session.save_config()
    saved = session.send_command("show startup-config").splitlines()
    missing = [text for text in descriptions(site, RAIL).values() if f"  description {text}" not in saved]
    assert not missing, f"not saved: {missing}"


def scp_file(session: Any, _: Intent) -> None:
    """To bootflash:, seen there with its hash, and from there; both directions verified by Netmiko."""
    name = "from-a-client.txt"
    with TemporaryDirectory() as folder:
        own, back = Path(folder) / name, Path(folder) / "back.txt"
        own.write_text("some lines\nof a file\n")
        how = {"file_system": "bootflash:", "overwrite_file": True}
        try:
            sent = file_transfer(session, source_file=str(own), dest_file=name, direction="put", **how)
        except Exception as error:
            raise AssertionError(f"nothing was sent: {error}") from error
        assert sent == {"file_exists": True, "file_transferred": True, "file_verified": True}, sent
        file_transfer(session, source_file=name, dest_file=str(back), direction="get", **how)
        assert back.read_text() == own.read_text()
    session.send_command(f"delete bootflash:{name} no-prompt")
    assert name not in session.send_command("dir bootflash:")


# -- scrapli -------------------------------------------------------------------------------------------------------


def get_prompt(session: NXOSDriver, _: Intent) -> None:
    found = session.get_prompt()
    assert found == f"{RAIL}#", found


def one_command(session: NXOSDriver, site: Intent) -> None:
    answer = session.send_command(SHOW_PORT)
    assert not answer.failed
    expect_intended(answer.result, site)


def commands(session: NXOSDriver, site: Intent) -> None:
    names, summary = session.send_commands(["show hostname", "show ip bgp summary"])
    assert names.result.startswith(f"{RAIL}."), names.result
    for _, far, _ in fabric_links(site, RAIL):
        (row,) = (line for line in summary.result.splitlines() if line.startswith(f"{far['address']} "))
        assert row.split()[-1].isdigit(), row


def refused_command(session: NXOSDriver, _: Intent) -> None:
    answer = session.send_command("show nothing")
    assert answer.failed and "% Invalid command at '^' marker." in answer.result, answer.result
    absent = session.send_command("show hsrp")
    assert absent.failed, f"not refused: {absent.result[:60]!r}"


def configs(session: NXOSDriver, site: Intent) -> None:
    expect_intended(session.send_command(SHOW_PORT).result, site)
    lines = [f"interface {PORT}", f"description {SEEN}"]
    assert not session.send_configs(lines).failed
    once = without_times(session.send_command("show running-config").result)
    assert f"description {SEEN}" in once
    assert not session.send_configs(lines).failed
    assert without_times(session.send_command("show running-config").result) == once
    session.send_configs([lines[0], f"description {descriptions(site, RAIL)[PORT]}"])


def refused_configs(session: NXOSDriver, site: Intent) -> None:
    before = without_times(session.send_command("show running-config").result)
    lines = [f"interface {PORT}", "descr1ption never", f"description {SEEN}"]
    answers = session.send_configs(lines, stop_on_failed=True)
    assert answers.failed
    assert [each.failed for each in answers] == [False, True]
    assert "% Invalid command at '^' marker." in answers[1].result
    assert without_times(session.send_command("show running-config").result) == before
    expect_intended(session.send_command(SHOW_PORT).result, site)


RENAMED = by_hand(RAIL, "hostname nobody", f"hostname {RAIL}")
DESCRIBED = by_hand(RAIL, f"interface {PORT}; description by hand", f"interface {PORT}; description spine-1 swp2")
_PEER = "router bgp 4200000001; neighbor 10.161.0.0"
SHUT = by_hand(RAIL, f"{_PEER}; shutdown", f"{_PEER}; no shutdown")
UNLIKE = "not described as intended: .*by hand"
NETMIKO = {
    "find_prompt": netmiko_case(find_prompt, RENAMED, "nobody#"),
    "send_command": netmiko_case(send_command, DESCRIBED, UNLIKE),
    "send_multiline": netmiko_case(send_multiline, RENAMED, r"nobody\."),
    "send_config_set": netmiko_case(send_config_set, DESCRIBED, UNLIKE),
    "save_config": netmiko_case(save_config, DESCRIBED, "not saved: .*spine-1 swp2"),
    "scp_file": netmiko_case(
        scp_file, by_hand(RAIL, "no feature scp-server", "feature scp-server"), "nothing was sent: .*scp-server"
    ),
}
SCRAPLI = {
    "get_prompt": case(scrapli, get_prompt, RENAMED, "nobody#"),
    "send_command": case(scrapli, one_command, DESCRIBED, UNLIKE),
    "send_commands": case(scrapli, commands, SHUT, r"Shut \(Admin\)"),
    "refused_command": case(scrapli, refused_command, by_hand(RAIL, "feature hsrp", "no feature hsrp"), "not refused"),
    "send_configs": case(scrapli, configs, DESCRIBED, UNLIKE),
    "refused_configs": case(scrapli, refused_configs, DESCRIBED, UNLIKE),
}


@pytest.mark.parametrize("step", cases("netmiko.cisco_nxos", NETMIKO))
def test_a_step_of_netmiko_does_what_it_says_and_names_a_fault(step: Case, pushed_lab: Operator) -> None:
    prove(step, pushed_lab)


@pytest.mark.parametrize("step", cases("scrapli.cisco_nxos", SCRAPLI))
def test_a_step_of_scrapli_does_what_it_says_and_names_a_fault(step: Case, pushed_lab: Operator) -> None:
    prove(step, pushed_lab)


def test_of_lines_that_come_at_once_each_has_its_prompt_on_a_line_of_its_own(pushed_lab: Operator) -> None:
    """A client on a busy machine presses Enter again, and takes the last line for the prompt."""
    with netmiko(pushed_lab, RAIL) as session:
        session.clear_buffer()
        session.write_channel("\n" * 4)
        shown = session.read_until_pattern(rf"(?:{RAIL}#\s*){{4}}")
        assert [line.strip() for line in shown.splitlines() if line.strip()] == [f"{RAIL}#"] * 4


def test_a_wrong_password_and_another_host_key_are_refused(pushed_lab: Operator, tmp_path: Path) -> None:
    with pytest.raises(ScrapliException, match=r"(?i)auth"), scrapli(pushed_lab, password="wrong"):
        pass
    found, other = switch(pushed_lab, RAIL), tmp_path / "known_hosts"
    rows = (pushed_lab.lab / "known_hosts").read_text().splitlines()
    own = next(row for row in rows if f"[{found['address']}]:{found['ssh_port']}" in row)
    another = next(row for row in rows if row.partition(" ")[2] != own.partition(" ")[2])
    other.write_text(f"{own.split()[0]} {another.partition(' ')[2]}\n")
    with pytest.raises(ScrapliException, match=r"(?i)key|auth"), scrapli(pushed_lab, known_hosts=other):
        pass
