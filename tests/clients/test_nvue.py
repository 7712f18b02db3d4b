"""NVUE's REST interface, as `requests` reads it: each path shows what the intent says, until somebody changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests
import yaml
from at_terminal import Operator
from by_hand import hands
from case import Case, prove
from faults import Fault, applied, cut, deleted_on_nvue, killed, set_on_nvue, swapped
from nvue_client import Nvue
from nvue_schema import ROOTS, mistakes

HERE = Path(__file__).parent
FROZEN = yaml.safe_load((HERE / "frozen.yml").read_text(encoding="utf-8"))
NOT_YET = yaml.safe_load((HERE / "not_yet.yml").read_text(encoding="utf-8")) or {}
NEW, OLD, LEAF = "spine-1", "spine-2", "front-leaf-g3-a"
"""Cumulus Linux 5.16, 5.14, and 5.16 with bonds and a bridge."""
UPLINK, CABLE, OTHER_CABLE = "swp1", "leaf-g1-r0-u1", "leaf-g1-r1-u1"
NEIGHBOR, PROFILE = "10.160.0.1", "default-global"
RELEASE = {NEW: "5.16", OLD: "5.14", LEAF: "5.16"}

Expected = Callable[["Intent"], Any]


@dataclass(frozen=True)
class Intent:
    """What is to be on a switch: as rendered; what the intent leaves alone as it was before."""

    lab: Operator
    switch: str

    @property
    def rendered(self) -> Any:
        return _rendered(self.lab.site, self.switch)

    @property
    def before(self) -> Any:
        return _before(self.lab.day0[self.switch])

    @property
    def device(self) -> Any:
        (found,) = [each for each in _design(self.lab.site)["devices"] if each["name"] == self.switch]
        return found

    @property
    def links(self) -> list[Any]:
        return [each for each in _design(self.lab.site)["links"] if self.switch == each["upper"]["device"]]


_OPERATORS: dict[Path, Operator] = {}


@cache
def _before(text: str) -> Any:
    return yaml.safe_load(text)


@cache
def _rendered(site: Path, switch: str) -> Any:
    out = site.parent / "rendered"
    _OPERATORS[site].run("render", "--out", str(out))
    return yaml.safe_load((out / f"{switch}.yaml").read_text(encoding="utf-8"))


@cache
def _design(site: Path) -> Any:
    return _OPERATORS[site].json("design")


@dataclass(frozen=True)
class Look:
    """One path of the frozen list: read on ``switch``; what ``take`` makes of the answer is what the intent has."""

    switch: str
    take: Callable[[Any], Any]
    is_to_be: Expected
    fault: Fault
    names: dict[str, str] = field(default_factory=dict)
    rev: str = "operational"


def _at(*keys: str) -> Callable[[Any], Any]:
    def take(answer: Any) -> Any:
        for key in keys:
            answer = answer[key]
        return answer

    return take


def _keys(*keys: str) -> Callable[[Any], Any]:
    return lambda answer: sorted(_at(*keys)(answer))


def _of_rendered(*keys: str) -> Expected:
    return lambda intent: _at(*keys)(intent.rendered)


def _keys_rendered(*keys: str) -> Expected:
    return lambda intent: sorted(_at(*keys)(intent.rendered))


def _keys_before(*keys: str) -> Expected:
    return lambda intent: sorted(_at(*keys)(intent.before))


def _port(settings: dict[str, Any]) -> Any:
    return {"interface": {UPLINK: settings}}


ECN = ("qos", "congestion-control", PROFILE, "traffic-class", "3", "max-threshold")
OTHER_ECN = {"qos": {"congestion-control": {PROFILE: {"traffic-class": {"3": {"max-threshold": 2_000_000}}}}}}
OTHER_PFC = {"qos": {"pfc": {PROFILE: {"switch-priority": {"5": {}}}}}}
NEIGHBORS = ("vrf", "default", "router", "bgp", "neighbor")
ADDRESS = "198.51.100.1/31"
PORT = {"port": UPLINK}


def _states(answer: Any) -> list[str]:
    return sorted(name for name, each in answer.items() if each["state"] == "established")


def _loopbacks(answer: Any) -> list[str]:
    return sorted(prefix for prefix, each in answer.items() if each["route-entry"]["1"]["protocol"] == "bgp")


def _leaves(intent: Intent) -> list[str]:
    return sorted(link["lower"]["address"] for link in intent.links if link["kind"] == "fabric")


def _far_end(intent: Intent) -> Any:
    (link,) = [each for each in intent.links if each["upper"]["port"] == UPLINK]
    return link["lower"]


LOOKS = {
    "/system": Look(NEW, _at("hostname"), lambda i: i.switch, set_on_nvue(NEW, {"system": {"hostname": "other"}})),
    "/system/version": Look(
        NEW, lambda answer: answer["product-release"][:4], lambda i: i.device["release"], killed(NEW)
    ),
    "/system/time": Look(
        OLD, _at("system-clock-synchronized"), lambda _: "yes", deleted_on_nvue(OLD, "service", "ntp", "mgmt")
    ),
    "/system/ssh-server": Look(
        NEW,
        _at("max-sessions"),
        lambda i: i.before["system"]["ssh-server"]["max-sessions"],
        set_on_nvue(NEW, {"system": {"ssh-server": {"max-sessions": 5}}}),
    ),
    "/service/ntp": Look(
        OLD,
        _keys("mgmt", "server"),
        _keys_before("service", "ntp", "mgmt", "server"),
        set_on_nvue(OLD, {"service": {"ntp": {"mgmt": {"server": {"192.0.2.99": {}}}}}}),
    ),
    "/service/dns": Look(
        OLD, _keys(), lambda _: [], set_on_nvue(OLD, {"service": {"dns": {"mgmt": {"server": {"192.0.2.53": {}}}}}})
    ),
    "/service/syslog": Look(OLD, _keys(), lambda _: [], killed(OLD)),
    "/interface": Look(
        NEW,
        _at(UPLINK, "description"),
        _of_rendered("interface", UPLINK, "description"),
        set_on_nvue(NEW, _port({"description": "other"})),
    ),
    "/interface/{port}": Look(
        NEW,
        _keys("ipv4", "address"),
        _keys_rendered("interface", UPLINK, "ipv4", "address"),
        set_on_nvue(NEW, _port({"ipv4": {"address": {ADDRESS: {}}}})),
        PORT,
    ),
    "/interface/{port}/link": Look(
        NEW,
        _at("mtu"),
        _of_rendered("interface", UPLINK, "link", "mtu"),
        set_on_nvue(NEW, _port({"link": {"mtu": 1500}})),
        PORT,
    ),
    "/interface/{port}/link/counters": Look(NEW, _keys(), lambda _: ["in-bytes"], cut(CABLE), PORT),
    "/interface/{port}/link/state": Look(NEW, _keys(), lambda _: ["up"], cut(CABLE), PORT),
    "/interface/{port}/ip": Look(
        OLD,
        _keys("address"),
        _keys_rendered("interface", UPLINK, "ip", "address"),
        set_on_nvue(OLD, _port({"ip": {"address": {ADDRESS: {}}}})),
        PORT,
    ),
    "/interface/{port}/lldp": Look(
        NEW, _keys("neighbor"), lambda i: [_far_end(i)["device"]], swapped(CABLE, OTHER_CABLE), PORT
    ),
    "/interface/{port}/lldp/neighbor": Look(
        NEW,
        lambda answer: [each["port"]["name"] for each in answer.values()],
        lambda i: [_far_end(i)["port"]],
        cut(CABLE),
        PORT,
    ),
    "/interface/{port}/qos": Look(
        NEW,
        _keys("pfc", "switch-priority"),
        _keys_rendered("qos", "pfc", PROFILE, "switch-priority"),
        set_on_nvue(NEW, OTHER_PFC),
        PORT,
    ),
    "/interface/{port}/qos/pfc": Look(
        OLD,
        _keys("switch-priority"),
        _keys_rendered("qos", "pfc", PROFILE, "switch-priority"),
        set_on_nvue(OLD, OTHER_PFC),
        PORT,
    ),
    "/interface/{port}/qos/congestion-control": Look(
        NEW, _at("traffic-class", "3", "max-threshold"), _of_rendered(*ECN), set_on_nvue(NEW, OTHER_ECN), PORT
    ),
    "/interface/{bond}/bond": Look(
        LEAF,
        _at("lacp-rate"),
        _of_rendered("interface", "bond1", "bond", "lacp-rate"),
        set_on_nvue(LEAF, {"interface": {"bond1": {"bond": {"lacp-rate": "slow"}}}}),
        {"bond": "bond1"},
    ),
    "/bridge/domain": Look(
        LEAF,
        _at("br_default", "stp", "priority"),
        _of_rendered("bridge", "domain", "br_default", "stp", "priority"),
        set_on_nvue(LEAF, {"bridge": {"domain": {"br_default": {"stp": {"priority": 8192}}}}}),
    ),
    "/bridge/domain/{bridge}/mac-table": Look(LEAF, _keys(), lambda _: [], killed(LEAF), {"bridge": "br_default"}),
    "/mlag": Look(
        LEAF,
        _at("mac-address"),
        _of_rendered("mlag", "mac-address"),
        set_on_nvue(LEAF, {"mlag": {"mac-address": "44:38:39:ff:00:77"}}),
    ),
    "/acl": Look(
        NEW,
        _keys("OLD-STORAGE", "rule"),
        _keys_before("acl", "OLD-STORAGE", "rule"),
        set_on_nvue(NEW, {"acl": {"OLD-STORAGE": {"rule": {"90": {"action": {"permit": {}}}}}}}),
    ),
    "/qos": Look(NEW, _at(*ECN[1:]), _of_rendered(*ECN), set_on_nvue(NEW, OTHER_ECN)),
    "/qos/roce": Look(NEW, _at("congestion-control", "max-threshold"), _of_rendered(*ECN), set_on_nvue(NEW, OTHER_ECN)),
    "/router/bgp": Look(
        NEW,
        _at("graceful-restart", "mode"),
        _of_rendered("router", "bgp", "graceful-restart", "mode"),
        set_on_nvue(NEW, {"router": {"bgp": {"graceful-restart": {"mode": "full"}}}}),
    ),
    "/router/policy/prefix-list": Look(
        NEW,
        _keys("COMPUTE-FABRIC", "rule"),
        _keys_rendered("router", "policy", "prefix-list", "COMPUTE-FABRIC", "rule"),
        deleted_on_nvue(NEW, "router", "policy", "prefix-list", "COMPUTE-FABRIC", "rule", "20"),
    ),
    "/vrf": Look(
        NEW, _keys(), lambda i: sorted({"default", *i.before["vrf"]}), set_on_nvue(NEW, {"vrf": {"STRANGER": {}}})
    ),
    "/vrf/{vrf}/router/bgp": Look(
        NEW,
        lambda answer: sorted(set(answer["neighbor"]) - {"203.0.113.1"}),
        _leaves,
        deleted_on_nvue(NEW, *NEIGHBORS, NEIGHBOR),
        {"vrf": "default"},
    ),
    "/vrf/{vrf}/router/bgp/neighbor": Look(NEW, _states, _leaves, cut(CABLE), {"vrf": "default"}),
    "/vrf/{vrf}/router/bgp/neighbor/{neighbor}": Look(
        NEW,
        _at("remote-as"),
        _of_rendered(*NEIGHBORS, NEIGHBOR, "remote-as"),
        set_on_nvue(NEW, {"vrf": {"default": {"router": {"bgp": {"neighbor": {NEIGHBOR: {"remote-as": 65001}}}}}}}),
        {"vrf": "default", "neighbor": NEIGHBOR},
    ),
    "/vrf/{vrf}/router/bgp/address-family/ipv4-unicast": Look(
        NEW,
        _at("multipaths", "ebgp"),
        _of_rendered(*NEIGHBORS[:-1], "address-family", "ipv4-unicast", "multipaths", "ebgp"),
        set_on_nvue(
            NEW,
            {
                "vrf": {
                    "default": {"router": {"bgp": {"address-family": {"ipv4-unicast": {"multipaths": {"ebgp": 1}}}}}}
                }
            },
        ),
        {"vrf": "default"},
        "applied",
    ),
    "/vrf/{vrf}/router/rib/ipv4/route": Look(
        NEW,
        lambda answer: len(_loopbacks(answer)),
        lambda i: _design(i.lab.site)["routes"][NEW]["learned"],
        cut(CABLE),
        {"vrf": "default"},
    ),
    "/vrf/{vrf}/router/bfd": Look(NEW, _keys(), lambda _: ["peers"], cut(CABLE), {"vrf": "default"}),
}


def client(lab: Operator, switch: str) -> Nvue:
    _OPERATORS[lab.site] = lab
    hand = hands(lab.lab)[switch]
    return Nvue(hand.url, hand.ca, hand.auth)


def read(look: Look, path: str, lab: Operator) -> None:
    """Live, and what of it is set, which must be in the schema of the switch's release."""
    switch = client(lab, look.switch)
    for name, value in look.names.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    try:
        answer = switch.get(path, rev=look.rev)
        live = switch.ask("GET", path, params={"rev": "operational"})
    except requests.RequestException as error:
        raise AssertionError(f"{look.switch}: no answer: {type(error).__name__}") from error
    assert live.status_code == 200, live.text
    assert mistakes(applied(lab, look.switch), ROOTS[RELEASE[look.switch]]) == []
    wanted = look.is_to_be(Intent(lab, look.switch))
    try:
        found = look.take(answer)
    except KeyError as missing:
        raise AssertionError(f"{path} has no {missing}") from missing
    assert found == wanted, f"found {found}, to be {wanted}"


@pytest.mark.sampled(15)
@pytest.mark.parametrize("path", [path for path in FROZEN["nvue.paths"] if path not in NOT_YET.get("nvue.paths", {})])
def test_a_path_shows_what_the_intent_says_until_it_is_changed(path: str, pushed_lab: Operator) -> None:
    look = LOOKS[path]
    prove(Case(lambda lab: read(look, path, lab), look.fault, "found .*, to be|no answer|has no"), pushed_lab)


@pytest.mark.parametrize("path", sorted(NOT_YET.get("nvue.paths", {})))
def test_a_path_that_does_not_run_yet_still_does_not(path: str, pushed_lab: Operator) -> None:
    with pytest.raises(AssertionError):
        read(LOOKS[path], path, pushed_lab)
