"""Bonds are judged by what each leg hears: recorded states of real bonds, and each way in which one can be wrong."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.hosts.bonds import check_bonds
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding
from tests.recorded.transcripts import read_transcript
from tests.unit.checks.bond_mutants import MUTANTS, own
from tests.unit.checks.right_host import BOND, bonds, link

UTILS = Path(__file__).parents[3] / "plugins/module_utils"


def state() -> ModuleType:
    """plugins/module_utils/bond_state.py, as a host runs it."""
    sys.path.insert(0, str(UTILS))
    try:
        spec = importlib.util.spec_from_file_location("bond_state", UTILS / "bond_state.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(UTILS))


def recorded(name: str) -> dict[str, Any]:
    """What bond_facts reads from a recorded file of /proc/net/bonding."""
    (call,) = read_transcript(f"bonding/{name}.txt")
    found: dict[str, Any] = state().bonding(call.stdout)
    return found


def judged(facts: dict[str, Any] | None, *planes: dict[str, Any], **changes: Any) -> list[HostFinding]:
    variables = {"bond_interfaces_bonds": [{**BOND, **changes, **({"planes": list(planes)} if planes else {})}]}
    return check_bonds(HostEvidence("gpu-1", variables, {} if facts is None else {"gpufabric_bonds": facts}, {}))


def with_verdict(findings: list[HostFinding], verdict: Verdict) -> list[str]:
    return [each.name for each in findings if each.verdict is verdict]


def named(findings: list[HostFinding], name: str) -> HostFinding:
    (found,) = [each for each in findings if each.name == name]
    return found


def of_recorded(name: str) -> list[HostFinding]:
    """The findings on a bond with two members, called and read as in the recording."""
    own = recorded(name)
    members = [
        {"name": port, "match": {"mac": f"02:00:00:00:00:0{n}"}} for n, port in enumerate(sorted(own["members"]))
    ]
    facts = {**bonds(), "bonds": {"data": own}}
    facts["members"] = {each["match"]["mac"]: {"netdev": each["name"]} for each in members}
    return judged(facts, members=members, min_links=0)


def test_a_recorded_bond_with_both_legs_bundled_passes() -> None:
    own = recorded("both_legs")
    assert (own["mode"], own["hash"], own["miimon_ms"], own["lacp_rate"]) == ("802.3ad", "layer3+4", 100, "fast")
    assert (own["min_links"], own["up"], own["aggregator"]) == (0, True, 1)
    assert {each["partner"] for each in own["members"].values()} == {"02:01:00:00:01:01"}
    assert [each["partner_port"] for each in own["members"].values()] == [12, 1012]
    assert {each.verdict for each in of_recorded("both_legs")} == {Verdict.PASS}


def test_a_recorded_leg_that_the_switch_has_in_another_group_is_named() -> None:
    findings = of_recorded("leg_in_another_group")
    assert with_verdict(findings, Verdict.FAIL) == ["enp197s0f2 LACP"]
    assert named(findings, "enp197s0f2 LACP").found == "in group 1, not in 2"


def test_a_recorded_leg_that_is_up_and_not_bundled_is_named() -> None:
    findings = of_recorded("leg_not_distributing")
    assert with_verdict(findings, Verdict.FAIL) == ["eth1 LACP"]
    assert named(findings, "eth1 LACP").found == "not bundled (states 15 and 31)"


def test_a_recorded_bond_that_nobody_answers_is_no_bond() -> None:
    findings = of_recorded("no_partner_and_a_leg_down")
    failed = with_verdict(findings, Verdict.FAIL)
    assert failed == ["data partner", "enp1s0f0 link", "enp1s0f0 LACP", "enp1s0f1 LACP"]
    assert named(findings, "data partner").found == "no partner on enp1s0f1"
    assert named(findings, "enp1s0f0 link").found == "down"
    assert named(findings, "enp1s0f1 LACP").found == "no partner answers"


def test_the_right_bond_passes_each_knob_once() -> None:
    """8 of the bond, 3 of each of 2 members, 4 of the untagged plane, 5 of the VLAN, 1 of the host."""
    findings = judged(bonds())
    assert with_verdict(findings, Verdict.PASS) == [each.name for each in findings]
    assert len(findings) == len({each.name for each in findings}) == 8 + 3 * 2 + 4 + 5 + 1


@pytest.mark.parametrize("name", MUTANTS)
def test_one_thing_wrong_is_named_and_nothing_else(name: str) -> None:
    change, expected = MUTANTS[name]
    facts = bonds()
    change(facts)
    assert with_verdict(judged(facts), Verdict.FAIL) == [expected]


def test_a_bond_that_is_not_there_fails_in_everything() -> None:
    facts = {**bonds(), "bonds": {}, "links": {}, "routes": [], "passes": {}}
    findings = judged(facts)
    assert with_verdict(findings, Verdict.PASS) == ["data0 name", "data1 name"]
    assert named(findings, "data mode").found == "no bond"


def test_without_a_default_route_of_ours_others_may_have_one_and_no_bond_has() -> None:
    storage = BOND["planes"][0]
    facts = bonds()
    facts["routes"] = [{"family": 4, "to": "default", "via": "10.0.2.2", "dev": "ens3"}, facts["routes"][1]]
    assert named(judged(facts, storage), "default route").verdict is Verdict.PASS
    facts["routes"].append({"family": 6, "to": "default", "via": "fe80::1", "dev": "data"})
    assert named(judged(facts, storage), "default route").found == "via fe80::1 dev data"


def test_what_only_root_or_ping_shows_is_told_and_not_taken_for_good() -> None:
    facts = bonds()
    for each in own(facts)["members"].values():
        each.update(state=None, partner=None, partner_state=None)
    facts["passes"] = {"data": None, "data.300": True}
    findings = judged(facts)
    undecided = with_verdict(findings, Verdict.ERROR)
    assert undecided == ["data partner", "data0 LACP", "data1 LACP", "data packets of the MTU"]
    assert with_verdict(findings, Verdict.FAIL) == []


def test_facts_that_could_not_be_read_decide_nothing() -> None:
    findings = judged(None)
    assert {each.verdict for each in findings} == {Verdict.ERROR}
    assert len(findings) == 24


def test_a_host_without_bonds_has_no_findings() -> None:
    assert check_bonds(HostEvidence("gpu-1", {}, {}, {})) == []


ADDRESSES = """[
 {"ifname": "data0", "flags": ["UP", "LOWER_UP"], "mtu": 9000, "master": "data", "permaddr": "0c:42:a1:00:00:21",
  "address": "0c:42:a1:00:00:20", "addr_info": []},
 {"ifname": "data", "flags": ["UP", "LOWER_UP"], "mtu": 9000, "address": "0c:42:a1:00:00:20",
  "linkinfo": {"info_kind": "bond", "info_data": {"mode": "802.3ad"}},
  "addr_info": [{"family": "inet", "local": "10.176.0.4", "prefixlen": 26, "scope": "global"},
                {"family": "inet6", "local": "fe80::1", "prefixlen": 64, "scope": "link"}]},
 {"ifname": "data.300", "link": "data", "flags": ["UP", "LOWER_UP"], "mtu": 1500, "address": "0c:42:a1:00:00:20",
  "linkinfo": {"info_kind": "vlan", "info_data": {"protocol": "802.1Q", "id": 300, "flags": ["REORDER_HDR"]}},
  "addr_info": []}]"""
ROUTES = {
    "-4": '[{"dst": "default", "gateway": "10.177.0.1", "dev": "data.300"}, {"dst": "10.176.0.0/26", "dev": "data"},'
    ' {"type": "blackhole", "dst": "10.1.0.0/16"}]',
    "-6": "[]",
}


def test_a_host_is_read_as_the_check_expects_it(tmp_path: Path) -> None:
    (call,) = read_transcript("bonding/both_legs.txt")
    (tmp_path / "proc/net/bonding").mkdir(parents=True)
    (tmp_path / "proc/net/bonding/data").write_text(call.stdout)
    sent = []

    def run(command: list[str]) -> tuple[int, str, str]:
        if command[0] == "ping":
            sent.append(command[-6:])
            return (0 if command[-1] == "10.176.0.1" else 1), "", ""
        if command[0] != "ip":
            return 0, {"systemctl": "inactive\nactive\n"}.get(command[0], ""), ""
        if command[-1] == "default":
            return 0, json.dumps([each for each in json.loads(ROUTES[command[2]]) if each["dst"] == "default"]), ""
        return 0, ADDRESSES if "address" in command else ROUTES[command[2]], ""

    found = state().collect([BOND], run, tmp_path)
    assert found["links"] == {
        "data": link(addresses=["10.176.0.4/26"]),
        "data.300": link(kind="vlan", mtu_bytes=1500, vlan=300, on="data", addresses=[]),
    }
    assert found["bonds"]["data"] == recorded("both_legs")
    assert found["members"]["0c:42:a1:00:00:21"]["netdev"] == "data0"
    assert found["members"]["0000:00:20.0"]["netdev"] is None
    assert found["routes"] == [
        {"family": 4, "to": "default", "via": "10.177.0.1", "dev": "data.300"},
        {"family": 4, "to": "10.176.0.0/26", "via": None, "dev": "data"},
    ]
    assert found["passes"] == {"data": True, "data.300": False}
    assert (found["manager"], found["backend"], found["management"]) == ("networkd", "networkd", ["data.300"])
    assert found["interfaces"] == {"data0": None, "data": "bond", "data.300": "vlan"}
    assert found["way_back"] is None
    assert sent == [
        ["-M", "do", "-s", "8972", "-I", "data", "10.176.0.1"][-6:],
        ["-M", "do", "-s", "1472", "-I", "data.300", "10.177.0.1"][-6:],
    ]


def test_a_kernel_without_bonding_has_no_bonds(tmp_path: Path) -> None:
    found = state().collect([BOND], lambda command: (0, "[]", ""), tmp_path)
    assert (found["bonds"], found["links"], found["passes"]) == ({}, {}, {})
    assert found["members"]["0000:00:20.0"]["netdev"] is None


@pytest.mark.parametrize(
    ("dependencies", "built_in", "lacks"),
    [
        ("kernel/drivers/net/bonding/bonding.ko.xz: kernel/net/tls/tls.ko.xz\nkernel/net/8021q/8021q.ko.xz:\n", "", []),
        ("kernel/net/8021q/8021q.ko:\n", "kernel/drivers/net/bonding/bonding.ko\n", []),
        ("kernel/drivers/net/veth.ko:\n", "", ["bonding", "8021q"]),
        (None, "", []),
    ],
)
def test_a_kernel_whose_modules_lack_bonds_is_told_and_one_that_shows_none_is_not(
    tmp_path: Path, dependencies: str | None, built_in: str, lacks: list[str]
) -> None:
    folder = tmp_path / "lib/modules/6.1.0"
    folder.mkdir(parents=True)
    (folder / "modules.builtin").write_text(built_in)
    if dependencies is not None:
        (folder / "modules.dep").write_text(dependencies)
    assert state().lacking(tmp_path, "6.1.0") == lacks


def test_the_way_that_answers_to_the_controller_take_is_read_with_its_prefix() -> None:
    def run(command: list[str]) -> tuple[int, str, str]:
        assert list(command) == ["ip", "-j", "route", "get", "fibmatch", "192.0.2.77"]
        return 0, '[{"dst": "192.0.2.0/24", "dev": "ens3", "scope": "link"}]', ""

    way = state().way_back(run, "192.0.2.77")
    assert way == {"client": "192.0.2.77", "to": "192.0.2.0/24", "via": None, "dev": "ens3"}
    lost = state().way_back(lambda _: (2, "", "RTNETLINK answers: Network is unreachable"), "192.0.2.77")
    assert lost == {"client": "192.0.2.77", "to": None, "via": None, "dev": None}
