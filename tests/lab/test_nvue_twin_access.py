"""Who the NVUE twin lets in, what it keeps of other people's, and how a push can lock its sender out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests
from described_lab import LabDescription, RunningLab
from nvue_client import Nvue

RELEASES = {"spine-0": "5.14.0", "spine-1": "5.16.0"}


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: Any) -> RunningLab:
    """One lab for all: a test that changes a switch compares with what it found."""
    description = LabDescription(tmp_path_factory.mktemp("access") / "lab")
    for name, release in RELEASES.items():
        description.add_device(name, "nvue", release=release)
    description.add_device("fresh", "nvue", certificate="default")
    return start_module_lab(description)


def client(lab: RunningLab, name: str = "spine-0", **changes: Any) -> Nvue:
    auth = changes.get("auth", (lab.description.username, lab.description.password))
    return Nvue(lab.url(name), changes.get("ca", lab.ca), auth)


def own_patch(release: str) -> dict[str, Any]:
    """What a fabric owner would send, in a release's spelling."""
    is_new = release.startswith("5.16")
    switch = {"state": "enabled"} if is_new else {"enable": "on"}

    def interface(address: str, **more: Any) -> dict[str, Any]:
        addresses = {"ipv4": {"address": {address: {}}}} if is_new else {"ip": {"address": {address: {}}}}
        return {**addresses, **more}

    return {
        "interface": {"lo": interface("10.255.0.1/32"), "swp1": interface("10.160.0.0/31", link={"mtu": 9214})},
        "qos": {"roce": {**switch, "mode": "lossless"}},
        "router": {"bgp": {**switch, "autonomous-system": 4200000100, "router-id": "10.255.0.1"}},
        "vrf": {"default": {"router": {"bgp": {**switch, "neighbor": {"10.160.0.1": {"remote-as": 4200000101}}}}}},
    }


def test_a_wrong_password_an_unknown_user_and_no_login_are_refused(lab: RunningLab) -> None:
    user, password = lab.description.username, lab.description.password
    for auth in ((user, password + "x"), ("nobody", password), ("", ""), ("oncall", password)):
        answer = client(lab, auth=auth).ask("GET", "system")
        assert answer.status_code == 401, auth
        assert answer.headers["WWW-Authenticate"].startswith("Basic")
    anonymous = requests.Session()
    anonymous.trust_env = False
    assert anonymous.get(f"{lab.url('spine-0')}/nvue_v1/system", verify=lab.ca, timeout=10).status_code == 401
    assert client(lab).ask("GET", "system").status_code == 200


def test_a_switch_with_its_own_certificate_is_not_trusted(lab: RunningLab) -> None:
    with pytest.raises(requests.exceptions.SSLError):
        client(lab, "fresh").ask("GET", "system")
    with pytest.raises(requests.exceptions.SSLError):
        client(lab, ca="/etc/ssl/certs/ca-certificates.crt").ask("GET", "system")


def test_the_default_password_does_not_open_the_api(lab: RunningLab) -> None:
    nvue = client(lab)
    nvue.push({"system": {"aaa": {"user": {"cumulus": {"password": "cumulus", "role": "system-admin"}}}}})
    stranger = client(lab, auth=("cumulus", "cumulus"))
    assert stranger.ask("GET", "system").status_code == 403
    assert client(lab, auth=("cumulus", "wrong")).ask("GET", "system").status_code == 401


def test_a_plain_password_is_neither_shown_nor_kept_as_it_was_typed(lab: RunningLab) -> None:
    nvue = client(lab)
    rev = nvue.revision()
    answer = nvue.patch(
        rev, {"system": {"aaa": {"user": {"night": {"password": "S3cret!word", "role": "nvue-monitor"}}}}}
    )
    assert "S3cret!word" not in answer.text
    assert nvue.apply(rev) == "applied_and_saved"
    user = nvue.config()["system"]["aaa"]["user"]["night"]
    assert user == {"hashed-password": "*", "role": "nvue-monitor"}
    watcher = client(lab, auth=("night", "S3cret!word"))
    assert watcher.ask("GET", "system").status_code == 200
    assert watcher.ask("POST", "revision").status_code == 403, "nvue-monitor may only look"


def test_a_token_ends_with_its_time_and_with_an_account_change(lab: RunningLab) -> None:
    nvue = client(lab)
    token = nvue.get("api-token")["token"]
    bearer = client(lab)
    bearer.session.auth = None
    bearer.session.headers["Authorization"] = f"Bearer {token}"
    assert token.count(".") == 2 and bearer.ask("GET", "system").status_code == 200
    lab.control.ask("advance-clock", seconds=3601)
    assert bearer.ask("GET", "system").status_code == 401
    bearer.session.headers["Authorization"] = f"Bearer {nvue.get('api-token')['token']}"
    assert bearer.ask("GET", "system").status_code == 200
    nvue.push({"system": {"aaa": {"user": {"oncall": {"full-name": "someone else"}}}}})
    assert bearer.ask("GET", "system").status_code == 401


@pytest.mark.parametrize("name", list(RELEASES))
def test_an_owned_patch_and_its_removal_leave_alone_what_is_not_ours(lab: RunningLab, name: str) -> None:
    nvue = client(lab, name)
    before = nvue.config()
    assert {"oncall", "watcher", "gpufabric"} <= set(before["system"]["aaa"]["user"])
    assert before["system"]["snmp-server"]["username"] and before["system"]["message"]["pre-login"]
    assert before["acl"] and before["bridge"]["domain"]["br_default"]["vlan"] == {"999": {}}
    assert before["system"]["aaa"]["tacacs"]["server"]["192.0.2.9"]["secret"] == "*"
    text = lab.control.ask("running-config", device=name)
    nvue.push(own_patch(RELEASES[name]))
    after = nvue.config()
    own = own_patch(RELEASES[name])
    assert {key: value for key, value in after.items() if key not in own} == {
        key: value for key, value in before.items() if key not in own
    }
    assert after["interface"]["eth0"] == before["interface"]["eth0"]
    assert {v: after["vrf"][v] for v in ("mgmt", "CORP")} == before["vrf"]
    rev = nvue.revision()
    for path in ("interface/lo", "interface/swp1", "qos", "router", "vrf/default"):
        assert nvue.ask("DELETE", path, params={"rev": rev}).status_code == 204
    assert nvue.apply(rev) == "applied_and_saved"
    assert nvue.config() == before
    assert lab.control.ask("running-config", device=name) == text
    password = lab.description.password
    assert password not in str(text) and "$2b$" not in str(text)


@pytest.mark.parametrize("name", list(RELEASES))
@pytest.mark.parametrize("change", ["address", "api", "account", "vrf"])
def test_the_timer_takes_back_a_push_that_cut_its_own_path(lab: RunningLab, name: str, change: str) -> None:
    nvue = client(lab, name)
    before = nvue.config()
    body = {
        "address": {"interface": {"eth0": {"ipv4" if name == "spine-1" else "ip": {"address": None}}}},
        "api": {"system": {"api": {"state": "disabled"}}},
        "account": {"system": {"aaa": {"user": {lab.description.username: None}}}},
        "vrf": {"interface": {"eth0": {"vrf": None} if name == "spine-1" else {"ip": {"vrf": None}}}},
    }[change]
    rev = nvue.revision()
    assert nvue.patch(rev, body).status_code == 200
    command = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}, "state-controls": {"confirm": 60}}
    nvue.ask("PATCH", f"revision/{rev}", json=command)
    with pytest.raises((requests.exceptions.ConnectionError, AssertionError)):
        for _ in range(200):
            assert nvue.ask("GET", "system").status_code == 200
    if change == "account":
        assert nvue.ask("GET", "system").status_code == 401
    lab.control.ask("advance-clock", seconds=61)
    assert client(lab, name).config() == before, "the switch came back by itself"


def test_five_requests_over_one_connection_are_counted_as_that(lab: RunningLab) -> None:
    nvue = client(lab)
    lab.control.ask("requests", reset=True)
    for _ in range(5):
        nvue.get("system")
    counted = lab.control.ask("requests")
    assert counted["spine-0"] == {"connections": 1, "requests": 5}, counted
