"""Revisions of the NVUE twin: isolation, diff, apply, confirm with roll-back, save, limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from described_lab import LabDescription, RunningLab
from nvue_client import Nvue


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: Any) -> RunningLab:
    description = LabDescription(tmp_path_factory.mktemp("revisions") / "lab")
    description.add_device("spine-0", "nvue", release="5.14.0")
    description.add_device("spine-1", "nvue", release="5.16.0")
    return start_module_lab(description)


def client(lab: RunningLab, name: str = "spine-0") -> Nvue:
    return Nvue(lab.url(name), lab.ca, (lab.description.username, lab.description.password))


@pytest.fixture
def nvue(lab: RunningLab) -> Iterator[Nvue]:
    """A client whose tests leave the configuration as they found it."""
    found = client(lab)
    before = found.config()
    yield found
    left = found.config()
    assert left == before, "the test must put back what it changed"


def put_back(nvue: Nvue, *paths: str) -> None:
    rev = nvue.revision()
    for path in paths:
        assert nvue.ask("DELETE", path, params={"rev": rev}).status_code == 204
    assert nvue.apply(rev) == "applied_and_saved"


def test_two_pending_revisions_do_not_see_one_another(nvue: Nvue) -> None:
    first, second = nvue.revision(), nvue.revision()
    assert nvue.patch(first, {"interface": {"swp1": {"description": "one"}}}).status_code == 200
    assert "swp1" not in nvue.config(second)["interface"]
    assert "swp1" not in nvue.config()["interface"]
    assert nvue.config(first)["interface"]["swp1"] == {"description": "one", "type": "swp"}


def test_a_patch_answers_the_change_and_what_nvue_added_alone(nvue: Nvue) -> None:
    rev = nvue.revision()
    answer = nvue.patch(rev, {"interface": {"swp1": {}, "lo": {}, "eth0": {"description": "mgmt"}}}).json()
    assert answer == {
        "interface": {"swp1": {"type": "swp"}, "lo": {"type": "loopback"}, "eth0": {"description": "mgmt"}}
    }
    answer = nvue.patch(rev, {"99.99.99.99/32": {}}, "interface/lo/ip/address").json()
    assert answer == {"99.99.99.99/32": {}}
    body = {
        "vrf": {
            "default": {
                "router": {
                    "bgp": {"neighbor": {"10.0.0.1": {"remote-as": 65001}}},
                    "static": {"10.1.0.0/16": {"via": {"blackhole": {}}}},
                }
            }
        }
    }
    router = nvue.patch(rev, body).json()["vrf"]["default"]["router"]
    assert router["bgp"]["neighbor"]["10.0.0.1"]["type"] == "numbered"
    assert router["static"]["10.1.0.0/16"] == {
        "address-family": "ipv4-unicast",
        "via": {"blackhole": {"type": "blackhole"}},
    }


def test_null_removes_and_delete_of_a_missing_path_is_not_found(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "x", "link": {"mtu": 9000}}}})
    nvue.patch(rev, {"interface": {"swp1": {"description": None}}})
    assert nvue.config(rev, "interface/swp1") == {"link": {"mtu": 9000}, "type": "swp"}
    assert nvue.ask("DELETE", "interface/swp1/link/mtu", params={"rev": rev}).status_code == 204
    assert nvue.ask("DELETE", "interface/swp1/link/mtu", params={"rev": rev}).status_code == 404
    assert nvue.ask("DELETE", "interface/swp1/no-such-key", params={"rev": rev}).status_code == 404
    assert nvue.ask("GET", "interface/swp77", params={"rev": rev}).status_code == 404


def test_a_server_stays_when_its_only_setting_goes_and_an_object_of_a_fixed_name_does_not(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"service": {"ntp": {"mgmt": {"server": {"192.0.2.123": {"iburst": "on"}}}}}})
    assert nvue.ask("DELETE", "service/ntp/mgmt/server/192.0.2.123/iburst", params={"rev": rev}).status_code == 204
    assert nvue.config(rev, "service/ntp/mgmt/server") == {"192.0.2.123": {}}
    assert nvue.ask("DELETE", "service/ntp/mgmt/server/192.0.2.123", params={"rev": rev}).status_code == 204
    nvue.patch(rev, {"interface": {"swp1": {"type": "swp", "link": {"mtu": 9000}}}})
    assert nvue.ask("DELETE", "interface/swp1/link/mtu", params={"rev": rev}).status_code == 204
    assert nvue.config(rev, "interface/swp1") == {"type": "swp"}


def test_the_later_of_two_exclusive_words_replaces_the_earlier(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"link": {"state": {"up": {}}}}}})
    nvue.patch(rev, {"interface": {"swp1": {"link": {"state": {"down": {}}}}}})
    assert nvue.config(rev, "interface/swp1/link/state") == {"down": {}}
    rule = ["router", "policy", "route-map", "RM", "rule", "10", "action"]
    for word in ("permit", "deny"):
        body: Any = {word: {}}
        for key in reversed(rule):
            body = {key: body}
        assert nvue.patch(rev, body).status_code == 200
    assert nvue.config(rev, "/".join(rule)) == {"deny": {}}


def test_the_diff_is_the_patch_from_the_second_revision_to_the_first(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(
        rev,
        {"interface": {"swp1": {"description": "test description"}}, "system": {"hostname": "other", "syslog": None}},
    )
    added = nvue.get(rev=rev, diff="applied", filled="false", expand="true")
    removed = nvue.get(rev="applied", diff=rev, filled="false", expand="true")
    assert added == {
        "interface": {"swp1": {"description": "test description", "type": "swp"}},
        "system": {"hostname": "other", "syslog": None},
    }
    assert removed["interface"] == {"swp1": None}
    assert removed["system"]["hostname"] == "spine-0"
    assert removed["system"]["syslog"]["server"]["192.0.2.5"]["port"] == 514
    assert nvue.get("interface", rev=rev, diff="applied", filled="false", expand="true") == added["interface"]
    assert nvue.get(rev="applied", diff="applied", filled="false") == {}


def test_an_applied_and_an_unknown_revision_cannot_be_edited(nvue: Nvue) -> None:
    rev = nvue.push({"interface": {"swp1": {"description": "x"}}})
    assert nvue.patch(rev, {"interface": {"swp1": {"description": "y"}}}).status_code == 400
    assert nvue.patch("applied", {"interface": {}}).status_code == 400
    assert nvue.patch("99999", {"interface": {}}).status_code == 404
    assert nvue.ask("PATCH", json={}).status_code == 400
    put_back(nvue, "interface/swp1")


def test_a_later_apply_keeps_what_another_revision_applied_meanwhile(nvue: Nvue) -> None:
    slow, quick = nvue.revision(), nvue.revision()
    nvue.patch(slow, {"interface": {"swp1": {"description": "slow"}}})
    nvue.patch(quick, {"interface": {"swp2": {"description": "quick"}}})
    assert nvue.apply(quick) == "applied_and_saved"
    assert nvue.apply(slow) == "applied_and_saved"
    found = nvue.config()["interface"]
    assert found["swp1"]["description"] == "slow" and found["swp2"]["description"] == "quick"
    put_back(nvue, "interface/swp1")
    put_back(nvue, "interface/swp2")


def test_reapplying_an_older_revision_brings_its_tree_back(nvue: Nvue) -> None:
    before = nvue.config()
    old = nvue.push({"interface": {"swp1": {"description": "old"}}})
    tree = nvue.config()
    new = nvue.push({"interface": {"swp1": {"description": "new", "link": {"mtu": 9000}}}})
    assert nvue.apply(old) == "applied_and_saved"
    assert nvue.config() == tree != before
    assert nvue.get(f"revision/{new}")["state"] == "applied_and_saved"
    put_back(nvue, "interface/swp1")


def test_no_router_id_answers_as_the_documentation_prints_it(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"vrf": {"default": {"router": {"bgp": {"autonomous-system": 65999, "enable": "on"}}}}})
    assert nvue.apply(rev) == "invalid"
    reason = "BGP requires router-id to be set globally or in the VRF.\n"
    assert nvue.get(f"revision/{rev}") == {
        "state": "invalid",
        "transition": {
            "issue": {
                "0": {
                    "code": "config_invalid",
                    "data": {"location": "router.bgp.enable", "reason": reason},
                    "message": f"Config invalid at router.bgp.enable: {reason}",
                    "severity": "error",
                }
            },
            "progress": "Invalid config",
        },
    }
    assert nvue.patch(rev, {"router": {"bgp": {"router-id": "10.0.0.1"}}}).status_code == 200, "it can be mended"
    assert nvue.apply(rev) == "applied_and_saved"
    put_back(nvue, "router", "vrf/default")


def test_a_confirmed_apply_stays_when_its_time_is_over(lab: RunningLab, nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "stays"}}})
    assert nvue.apply(rev, confirm_s=600) == "confirm"
    assert nvue.ask("PATCH", f"revision/{rev}", json={"state": "confirm_yes"}).status_code == 200
    assert nvue.wait(rev, "applied_and_saved", "applied") == "applied_and_saved"
    lab.control.ask("advance-clock", seconds=3600)
    assert nvue.config()["interface"]["swp1"]["description"] == "stays"
    put_back(nvue, "interface/swp1")


@pytest.mark.parametrize("release", ["spine-0", "spine-1"])
def test_an_unconfirmed_apply_is_taken_back_when_its_time_is_over(lab: RunningLab, release: str) -> None:
    nvue = client(lab, release)
    before, startup = nvue.config(), nvue.config("startup")
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "goes"}}})
    assert nvue.apply(rev, confirm_s=300) == "confirm"
    assert nvue.config()["interface"]["swp1"]["description"] == "goes", "it runs while it waits"
    assert nvue.config("startup") == startup, "it is not saved before it is confirmed"
    lab.control.ask("advance-clock", seconds=299)
    assert nvue.get(f"revision/{rev}")["state"] == "confirm"
    lab.control.ask("advance-clock", seconds=2)
    assert nvue.wait(rev, "confirm_fail") == "confirm_fail"
    assert nvue.config() == before and nvue.config("startup") == startup
    answer = nvue.ask("PATCH", f"revision/{rev}", json={"state": "confirm_yes"})
    assert answer.status_code == 400, "too late"


def test_a_timer_of_one_second_takes_the_change_back_after_one_second(nvue: Nvue) -> None:
    before = nvue.config()
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "one second"}}})
    started_s = time.monotonic()
    assert nvue.apply(rev, confirm_s=1) == "confirm"
    assert nvue.wait(rev, "confirm_fail") == "confirm_fail"
    assert 0.8 < time.monotonic() - started_s < 30
    assert nvue.config() == before


@pytest.mark.parametrize("word", ["confirm_no", "confirm_fail"])
def test_a_refused_confirm_takes_the_change_back(nvue: Nvue, word: str) -> None:
    before = nvue.config()
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "no"}}})
    assert nvue.apply(rev, confirm_s=600) == "confirm"
    assert nvue.ask("PATCH", f"revision/{rev}", json={"state": word}).status_code == 200
    assert nvue.wait(rev, "confirm_fail") == "confirm_fail"
    assert nvue.config() == before


def test_another_apply_waits_while_a_confirm_is_open(nvue: Nvue) -> None:
    first, second = nvue.revision(), nvue.revision()
    nvue.patch(first, {"interface": {"swp1": {"description": "first"}}})
    nvue.patch(second, {"interface": {"swp2": {"description": "second"}}})
    assert nvue.apply(first, confirm_s=600) == "confirm"
    nvue.ask("PATCH", f"revision/{second}", json={"state": "apply", "auto-prompt": {"ays": "ays_yes"}})
    time.sleep(0.1)
    assert nvue.get(f"revision/{second}")["state"] == "apply", "it waits for its turn"
    nvue.ask("PATCH", f"revision/{first}", json={"state": "confirm_no"})
    assert nvue.wait(second, "applied_and_saved") == "applied_and_saved"
    assert "swp1" not in nvue.config()["interface"]
    put_back(nvue, "interface/swp2")


def test_a_revision_that_is_being_applied_cannot_be_deleted(nvue: Nvue) -> None:
    first, second = nvue.revision(), nvue.revision()
    assert nvue.apply(first, confirm_s=600) == "confirm"
    nvue.ask("PATCH", f"revision/{second}", json={"state": "apply", "auto-prompt": {"ays": "ays_yes"}})
    answer = nvue.ask("DELETE", f"revision/{second}")
    assert answer.status_code == 400 and "being applied" in answer.json()["detail"]
    nvue.ask("PATCH", f"revision/{first}", json={"state": "confirm_no"})
    assert nvue.wait(second, "applied", "applied_and_saved")
    assert nvue.get("revision/applied")["state"] in ("applied", "applied_and_saved")


def test_a_client_that_answers_the_confirm_in_advance_has_no_safety_net(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "no net"}}})
    body = {
        "state": "apply",
        "auto-prompt": {"ays": "ays_yes", "confirm": "confirm_yes"},
        "state-controls": {"confirm": 300},
    }
    assert nvue.ask("PATCH", f"revision/{rev}", json=body).status_code == 200
    assert nvue.wait(rev, "confirm", "applied_and_saved") == "applied_and_saved"
    put_back(nvue, "interface/swp1")


def test_a_change_that_restarts_a_service_waits_for_a_yes(lab: RunningLab, nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"system": {"forwarding": {"hash-seed": 50}}})
    assert nvue.apply(rev, ays=None) == "ays"
    lab.control.ask("advance-clock", seconds=61)
    assert nvue.wait(rev, "ays_fail") == "ays_fail"
    issue = nvue.get(f"revision/{rev}")["transition"]["issue"]["0"]
    assert issue["code"] == "client_timeout" and issue["message"] == "Timeout while waiting for client response"
    assert nvue.apply(rev, ays=None) == "ays"
    assert nvue.ask("PATCH", f"revision/{rev}", json={"state": "ays_yes"}).status_code == 200
    assert nvue.wait(rev, "applied_and_saved") == "applied_and_saved"
    put_back(nvue, "system/forwarding")


def test_startup_is_what_was_saved_last(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"system": {"config": {"auto-save": {"state": "disabled"}}}})
    assert nvue.apply(rev) == "applied", "without auto-save nothing is saved"
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {"description": "unsaved"}}})
    assert nvue.apply(rev) == "applied"
    assert "swp1" not in nvue.config("startup")["interface"]
    answer = nvue.ask("PATCH", "revision/applied", json={"state": "save", "auto-prompt": {"ays": "ays_yes"}})
    assert answer.json()["state"] == "save"
    assert nvue.config("startup")["interface"]["swp1"]["description"] == "unsaved"
    assert nvue.get("revision/applied")["state"] == "applied_and_saved"
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": None}, "system": {"config": {"auto-save": {"state": "enabled"}}}})
    assert nvue.apply(rev) == "applied_and_saved"


def test_at_most_a_hundred_revisions_are_kept_and_the_applied_one_always(nvue: Nvue) -> None:
    newest = [nvue.revision() for _ in range(120)][-1]
    found = nvue.get("revision")
    assert len(found) <= 100 and newest in found
    applied = nvue.push({"interface": {"swp1": {"description": "x"}}})
    assert nvue.ask("DELETE", f"revision/{applied}").status_code == 400
    assert nvue.ask("DELETE", f"revision/{newest}").status_code == 204
    assert nvue.ask("GET", f"revision/{newest}").status_code == 404
    put_back(nvue, "interface/swp1")


def test_a_whole_replacement_drops_old_objects(nvue: Nvue) -> None:
    before = nvue.config()
    rev = nvue.revision()
    assert nvue.ask("DELETE", params={"rev": rev}).status_code == 204
    assert nvue.config(rev) == {}
    small = {"interface": {"lo": {"ip": {"address": {"10.10.10.1/32": {}}}, "type": "loopback"}}}
    nvue.patch(rev, small)
    assert nvue.config(rev) == small
    assert nvue.config() == before, "nothing was applied"


def test_ranges_are_shown_expanded_on_5_16_only_where_that_is_requested(lab: RunningLab) -> None:
    nvue = client(lab, "spine-1")
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {name: {"link": {"mtu": 9214}} for name in ("swp1", "swp2", "swp32")}})
    assert set(nvue.get("interface", rev=rev, filled="false")) == {"eth0", "swp1-2,32"}
    assert set(nvue.config(rev, "interface")) == {"eth0", "swp1", "swp2", "swp32"}
    assert nvue.config(rev, "interface/swp2") == {"link": {"mtu": 9214}, "type": "swp"}


def test_filled_shows_defaults_and_unfilled_leaves_them_out(nvue: Nvue) -> None:
    rev = nvue.revision()
    nvue.patch(rev, {"interface": {"swp1": {}}, "qos": {"roce": {"enable": "on", "mode": "lossless"}}})
    assert nvue.config(rev)["qos"] == {"roce": {"enable": "on", "mode": "lossless"}}
    assert nvue.config(rev)["interface"]["swp1"] == {"type": "swp"}
    shown = nvue.get(rev=rev, filled="true", expand="true")
    assert shown["interface"]["swp1"]["link"]["mtu"] == 9216
    assert shown["qos"]["pfc-watchdog"] == {"polling-interval": 100, "robustness": 3}
    assert shown["qos"]["roce"]["mode"] == "lossless"


def test_include_omit_filter_and_view_narrow_the_answer(nvue: Nvue) -> None:
    assert set(nvue.get("system", include="/version/product-release")["version"]) == {"product-release"}
    assert "version" not in nvue.get("system", omit="/version")
    assert set(nvue.get(include="/system/version/product-release,/platform/serial-number")) == {"system", "platform"}
    found = nvue.get("interface", filter="type=eth")
    assert set(found) == {"eth0"}
    assert nvue.ask("GET", "interface", params={"view": "brief"}).status_code == 200
    answer = nvue.ask("GET", "interface", params={"view": "no-such-view"})
    assert answer.status_code == 400 and "brief" in answer.json()["detail"]
    assert nvue.ask("GET", "interface", params={"view": "brief", "omit": "/*/link"}).status_code == 400
