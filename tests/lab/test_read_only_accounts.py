"""An account that may only look, on a switch of each system: what it reads, and that a push with it changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
import requests
from at_terminal import Operator, lab_of_its_own, small_site
from by_hand import Hand

from nornir_tasks.drivers.nxos_transport import upload
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.errors import StageError
from switch_twins.eos.passwords import sha512_crypt
from switch_twins.nxos.password import make_hash

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
VIEWER, WORD = "viewer", "may-look-7731"  # the lab's own
AUTHORIZED = "aaa authorization commands all default local"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("viewer"), small_site) as made:
        for system, name in SWITCHES.items():
            add_account(made.hands()[name], system)
        yield made


def add_account(hand: Hand, system: str) -> None:
    if system == "eos":
        hand.configure(
            f"username {VIEWER} privilege 1 role network-operator secret sha512 {sha512_crypt(WORD, 'salt')}",
            f"username chief privilege 15 role network-admin secret sha512 {sha512_crypt(WORD, 'salt')}",
        )
    elif system == "nxos":
        hand.configure(
            f"username {VIEWER} password 5 {make_hash(WORD, 'saltsalt')} role network-operator",
            f"username chief password 5 {make_hash(WORD, 'saltsalt')} role network-operator",
            "username chief role network-admin",
        )
    else:
        users = {
            VIEWER: {"password": WORD, "role": "nvue-monitor"},
            "chief": {"password": WORD, "role": "nvue-admin"},
        }
        hand.nvue({"system": {"aaa": {"user": users}}})


@pytest.fixture
def as_viewer(lab: Operator) -> Iterator[Operator]:
    """The device list names the account that may look."""
    listed, secret = lab.lab / "devices.yml", lab.lab / ".secrets/viewers"
    before = listed.read_text()
    secret.touch(mode=0o600)
    secret.write_text(WORD)
    of_viewer = before.replace("username: gpufabric", f"username: {VIEWER}")
    listed.write_text(of_viewer.replace("!secret switch_password", "!secret viewers"))
    try:
        yield lab
    finally:
        listed.write_text(before)


@pytest.fixture
def authorized(lab: Operator) -> Iterator[None]:
    """The EOS switch looks at roles."""
    hand = lab.hands()[SWITCHES["eos"]]
    hand.configure(AUTHORIZED)
    try:
        yield
    finally:
        hand.configure(f"no {AUTHORIZED}")


@pytest.mark.usefixtures("authorized")
@pytest.mark.parametrize("system", SWITCHES)
def test_a_push_by_an_account_that_may_only_look_names_its_missing_right_and_leaves_nothing(
    lab: Operator, as_viewer: Operator, system: str
) -> None:
    device, hand = SWITCHES[system], lab.hands()[SWITCHES[system]]
    before, open_before = hand.running(), under_way(hand)
    output = as_viewer.run("push", "--yes", "--limit", device, code=6)
    assert f"{device}: account '{VIEWER}' may not " in output
    assert "expected: an account with " in output
    assert WORD not in output
    assert "Traceback" not in output
    assert hand.running() == before
    assert under_way(hand) == open_before


def under_way(hand: Hand) -> object:
    """Candidates that a switch keeps."""
    if hand.os == "eos":
        return hand.eapi("show configuration sessions detail", form="json")[0]["sessions"]
    if hand.os == "nxos":
        return [row.split()[-1] for row in str(hand.nxapi("dir bootflash:")[0]).splitlines() if ".cfg" in row]
    answer = requests.get(f"{hand.url}/nvue_v1/revision", auth=hand.auth, verify=hand.ca, timeout=20)
    return [name for name, each in answer.json().items() if each["state"] == "pending"]


@pytest.mark.usefixtures("authorized")
@pytest.mark.parametrize("system", ["eos", "nvue"])
def test_a_plan_and_a_validation_need_no_right_to_configure_where_the_role_reads_configurations(
    as_viewer: Operator, system: str
) -> None:
    plan = as_viewer.json("plan", "--limit", SWITCHES[system])
    assert plan["devices"][SWITCHES[system]]["changes"]
    as_viewer.run("validate", "--limit", SWITCHES[system], code=8)


def test_a_plan_on_a_system_whose_operators_read_no_configuration_names_the_missing_right(as_viewer: Operator) -> None:
    output = as_viewer.run("plan", "--limit", SWITCHES["nxos"], code=6)
    assert f"{SWITCHES['nxos']}: account '{VIEWER}' may not read this switch's configurations" in output
    assert "% Permission denied for the role ('show running-config')" in output
    output = as_viewer.run("validate", "--limit", SWITCHES["nxos"], code=9)
    assert f"account '{VIEWER}' may not read this switch's configurations" in " ".join(output.split())


def test_nobody_becomes_privileged_past_an_enable_password(lab: Operator, as_viewer: Operator) -> None:
    device, hand = SWITCHES["eos"], lab.hands()[SWITCHES["eos"]]
    hand.configure(f"enable password sha512 {sha512_crypt('another', 'salt')}")
    try:
        output = as_viewer.run("plan", "--limit", device, code=6)
        assert f"{device}: account '{VIEWER}' may not read this switch's configuration" in output
        assert "'enable' failed" in output
    finally:
        hand.configure("no enable password")


def test_eos_looks_at_no_role_without_command_authorization(lab: Operator) -> None:
    hand = signed_in(lab, "eos")
    hand.configure("vlan 3210")
    hand.configure("no vlan 3210")


def signed_in(lab: Operator, system: str, user: str = VIEWER) -> Hand:
    return replace(lab.hands()[SWITCHES[system]], auth=(user, WORD))


def eapi_answer(hand: Hand, *commands: str) -> dict[str, object]:
    """eAPI's whole answer."""
    params = {"version": 1, "cmds": list(commands), "format": "json"}
    body = {"jsonrpc": "2.0", "method": "runCmds", "params": params, "id": 1}
    answer = requests.post(f"{hand.url}/command-api", json=body, auth=hand.auth, verify=hand.ca, timeout=20)
    found: dict[str, object] = answer.json()
    return found


@pytest.mark.usefixtures("authorized")
def test_eos_denies_an_operator_configuration_and_lets_it_look(lab: Operator) -> None:
    hand = signed_in(lab, "eos")
    for command in ("configure", "configure session mine", "configure replace flash:x", "configure session mine abort"):
        answer = eapi_answer(hand, "enable", command)
        assert answer["error"] == {
            "code": 1005,
            "message": f"CLI command 2 of 2 '{command}' failed: permission denied",
            "data": [{}, {"errors": [f"Authorization denied for command '{command}'"]}],
        }
    assert "result" in eapi_answer(hand, "enable", "show running-config", "show lldp neighbors")
    assert "result" in eapi_answer(hand, "show version")
    assert "result" in eapi_answer(signed_in(lab, "eos", "chief"), "configure", "end")


def test_eos_shows_its_configuration_to_the_privileged_alone(lab: Operator) -> None:
    answer = eapi_answer(signed_in(lab, "eos"), "show running-config")
    assert answer["error"] == {
        "code": 1002,
        "message": "CLI command 1 of 1 'show running-config' failed: invalid command",
        "data": [{"errors": ["Invalid input (privileged mode required)"]}],
    }


def nxapi(hand: Hand, *commands: str) -> list[str]:
    """What was refused."""
    body = [
        {"jsonrpc": "2.0", "method": "cli_ascii", "params": {"cmd": command, "version": 1}, "id": number}
        for number, command in enumerate(commands, start=1)
    ]
    answer = requests.post(f"{hand.url}/ins", json=body, auth=hand.auth, verify=hand.ca, timeout=20).json()
    answers = answer if isinstance(answer, list) else [answer]
    return [each["error"]["data"]["msg"] for each in answers if "error" in each]


@pytest.mark.parametrize(
    "command",
    [
        "show running-config",
        "show startup-config",
        "hostname other",
        "copy running-config startup-config",
        "configure replace bootflash:x.cfg",
        "checkpoint mine",
        "delete bootflash:x no-prompt",
        "reload",
    ],
)
def test_nxos_denies_an_operator_what_changes_the_switch_and_its_configurations(lab: Operator, command: str) -> None:
    assert nxapi(signed_in(lab, "nxos"), command) == ["% Permission denied for the role\n"]


def test_nxos_lets_an_operator_look_and_an_account_with_one_of_two_roles_configure(lab: Operator) -> None:
    assert nxapi(signed_in(lab, "nxos"), "show version", "show vlan", "dir bootflash:") == []
    assert nxapi(signed_in(lab, "nxos", "chief"), "vlan 3210", "no vlan 3210", "show running-config") == []


def test_nxos_takes_no_file_from_an_operator(lab: Operator) -> None:
    spec = json.loads((lab.lab / "spec.json").read_text())
    (device,) = (each for each in spec["devices"] if each["name"] == SWITCHES["nxos"])
    places = (device["address"], device["api_port"], device["ssh_port"])
    endpoint = Endpoint("leaf", *places, VIEWER, WORD, None, None, lab.lab / "known_hosts")
    with pytest.raises(StageError, match="Permission denied for the role"):
        upload(endpoint, "vlan 3210\n", "bootflash:/mine.cfg")
    upload(replace(endpoint, username="chief"), "vlan 3210\n", "bootflash:/mine.cfg")


def test_nvue_answers_403_to_a_write_of_a_monitor_and_lets_it_look(lab: Operator) -> None:
    hand = signed_in(lab, "nvue")
    base = f"{hand.url}/nvue_v1"
    refused = requests.post(f"{base}/revision", auth=hand.auth, verify=hand.ca, timeout=20)
    assert (refused.status_code, refused.json()["title"]) == (403, "Forbidden")
    assert requests.get(f"{base}/revision", auth=hand.auth, verify=hand.ca, timeout=20).ok
    signed_in(lab, "nvue", "chief").nvue({"system": {"message": {"pre-login": "hello"}}})
