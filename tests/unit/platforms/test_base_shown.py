"""Published outputs of base configuration in operation become the same neutral rows on three systems."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.platforms.eos import observe as eos
from nornir_tasks.platforms.nvue import observe as nvue
from nornir_tasks.platforms.nxos import observe as nxos
from nornir_tasks.platforms.observed import ClockState, LogTarget, ShownAccount, VrfPort, ZeroTouch

sys.path.append(str(Path(__file__).parents[2] / "recorded"))
from transcripts import stdout_of

FOLLOWS = ClockState(in_step=True, server="192.0.2.120")
FREE = ClockState(in_step=False, server="")
ENDED = ZeroTouch("disabled", ended=True)


def of_eos(command: str, file: str = "base") -> Any:
    text = stdout_of(f"eos_show/{file}.txt", command)
    return eos.OBSERVING.read("leaf", {command: json.loads(text) if text.startswith("{") else text})


def of_nxos(command: str) -> Any:
    return nxos.OBSERVING.read("leaf", {command: stdout_of("nxos_show/base.txt", command)})


def table(command: str) -> list[str]:
    return stdout_of("nvue_show/base.txt", command).splitlines()


def test_eos_shows_clock_log_provisioning_and_vrfs() -> None:
    assert of_eos(eos.NTP.what).clock == FOLLOWS
    assert eos.OBSERVING.read("leaf", {eos.NTP.what: {"peers": {}}}).clock == FREE
    assert of_eos(eos.LOGGING.what).log_targets == (
        LogTarget("192.0.2.51", "MGMT", None),
        LogTarget("192.0.2.52", None, None),
    )
    assert of_eos(eos.ZERO_TOUCH.what).zero_touch == ENDED
    assert eos.OBSERVING.read("leaf", {eos.ZERO_TOUCH.what: {"mode": "active"}}).zero_touch == ZeroTouch(
        "active", ended=False
    )
    assert VrfPort("Management1", None) in of_eos(eos.VRFS.what, "vrf").vrf_ports
    assert VrfPort("Vlan101", "storage") in of_eos(eos.VRFS.what, "vrf").vrf_ports


def test_nxos_shows_clock_log_provisioning_and_vrfs() -> None:
    shown = json.loads(stdout_of("nxos_show/base.txt", f"{nxos.NTP.what} | json native"))
    assert nxos.OBSERVING.read("leaf", {nxos.NTP.what: shown}).clock == FOLLOWS
    one = {"TABLE_peersstatus": {"ROW_peersstatus": shown["TABLE_peersstatus"]["ROW_peersstatus"][1]}}
    assert nxos.OBSERVING.read("leaf", {nxos.NTP.what: one}).clock == FREE
    assert nxos.OBSERVING.read("leaf", {nxos.NTP.what: None}).clock == FREE
    assert of_nxos(nxos.LOGGING.what).log_targets == (
        LogTarget("192.0.2.51", "management", True),
        LogTarget("192.0.2.52", None, False),
    )
    assert of_nxos(nxos.ZERO_TOUCH.what).zero_touch == ENDED
    later = stdout_of("nxos_show/base.txt", nxos.ZERO_TOUCH.what)[::-1].replace("delbasiD", "delbanE", 1)[::-1]
    assert nxos.OBSERVING.read("leaf", {nxos.ZERO_TOUCH.what: later}).zero_touch == ZeroTouch("enabled", ended=False)
    assert of_nxos(nxos.VRFS.what).vrf_ports == (
        VrfPort("loopback0", None),
        VrfPort("Null0", None),
        VrfPort("Ethernet1/1", None),
        VrfPort("mgmt0", "management"),
    )


@pytest.mark.parametrize("mark", ["*", "+"])
def test_cumulus_linux_shows_its_clock_in_the_words_of_either_release(mark: str) -> None:
    head, _, *rows = table("nv show service ntp mgmt server")
    at = head.index("peer-state")
    servers = {row.split()[0]: {"peer-state": row[at : at + 10].strip().replace("*", mark)} for row in rows}
    older = {"service": {"ntp": {"mgmt": {"server": servers}}}}
    assert nvue.OBSERVING.read("spine", older).clock == (FOLLOWS if mark == "*" else FREE)
    words = dict(row.split(maxsplit=1) for row in table("nv show system ntp")[2:] if not row.startswith("["))
    status = words["status"].strip() if mark == "*" else "unsynchronised"
    newer = {"system": {"ntp": {"status": status, "reference": words["reference"].strip()}}, "service": {}}
    assert nvue.OBSERVING.read("spine", newer).clock == ClockState(in_step=mark == "*", server="")
    newer["system"]["ntp"]["reference"] = "192.0.2.120"
    assert nvue.OBSERVING.read("spine", newer).clock == ClockState(in_step=mark == "*", server="192.0.2.120")


def test_a_server_that_is_shown_by_its_name_is_not_taken_for_a_stranger() -> None:
    servers = {"li1150-42.membe": {"peer-state": "*"}}
    shown = {"service": {"ntp": {"mgmt": {"server": servers}}}}
    assert nvue.OBSERVING.read("spine", shown).clock == ClockState(in_step=True, server="")


def test_cumulus_linux_shows_provisioning_and_the_vrfs_of_ports() -> None:
    rows = [line.split() for line in table("nv show system ztp")[2:]]
    (state,) = [row[1] for row in rows if row[0] == "state"]
    assert nvue.OBSERVING.read("spine", {"system": {"ztp": {"status": {"state": state}}}}).zero_touch == ENDED
    older = {"eth0": {"ip": {"vrf": "mgmt"}}, "swp1": {"ip": {"vrf": "default"}}}
    newer = {"eth0": {"vrf": "mgmt"}, "swp1": {"vrf": "default"}}
    for ports in (older, newer):
        found = nvue.OBSERVING.read("spine", {nvue.PORTS: ports})
        assert found.vrf_ports == (VrfPort("eth0", "mgmt"), VrfPort("swp1", None))


def test_accounts_that_can_log_in_have_our_roles_or_the_switchs_words_and_no_hash() -> None:
    ours = (ShownAccount("ops", "admin"), ShownAccount("viewer", "operator"))
    assert of_eos(eos.ACCOUNTS.what).accounts == (*ours, ShownAccount("guest", "no role, privilege 1"))
    assert of_nxos(nxos.ACCOUNTS.what).accounts == (ShownAccount("admin", "admin"), *ours)  # no cached one of a server
    head, _, *rows = table("nv show system aaa user")
    role, enable = head.index("Role"), head.index("enable")
    users = {
        row.split()[0]: {"role": row[role:enable].strip(), "enable": row[enable : enable + 6].strip()} for row in rows
    }
    users |= {"ops": {"role": "system-admin", "enable": "on"}, "viewer": {"role": "nvue-monitor"}}
    assert nvue.OBSERVING.read("spine", {"system": {"aaa": {"user": users}}}).accounts == (
        ShownAccount("cumulus", "Unknown"),
        ShownAccount("user1", "OSPF"),
        *ours,
    )


@pytest.mark.parametrize("system", [eos, nxos, nvue])
def test_what_is_not_shown_is_none(system: Any) -> None:
    found = system.OBSERVING.read("leaf", {})
    assert (found.clock, found.log_targets, found.zero_touch, found.vrf_ports) == (None, None, None, None)
