"""SVIs and access ports on the lab switches' own grammars: from routed host ports and back, from one VLAN to another.

What is pushed is the candidate; what the switch then prints is what was wanted, and brownfield lines are as before.
"""

import copy
import dataclasses
import json
from typing import Any

import pytest

from nornir_tasks.deploy.evidence import Done, Evidence
from nornir_tasks.deploy.plan import DevicePlan, candidate, device_plan, sides
from nornir_tasks.deploy.problems import in_the_way
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.claims import digest
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nvue.candidate import keys_of
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from nornir_tasks.platforms.platform import Candidate
from switch_twins.engine import EOS, ConfigSession, Context, LineError, Tree, load_text
from switch_twins.eos.brownfield import day0_text
from switch_twins.eos.extract import switch_state as eos_state
from switch_twins.eos.grammar import eos_grammar
from switch_twins.eos.ports import lane_ports
from switch_twins.nvue.autofill import complete
from switch_twins.nvue.brownfield import brownfield
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.tree import merge
from switch_twins.nxos.day0 import bare_tree, brownfield_tree, device_context
from switch_twins.nxos.patch import patch
from switch_twins.nxos.replace import quoted
from switch_twins.spec import DeviceSpec
from tests.pushed import of
from tests.svi import LEAVES, LINK, all_wanted

FLAT, OTHER = "link: p2p", "link: svi\n    vlan: 300"
WAYS = ((FLAT, LINK), (LINK, FLAT), (LINK, OTHER), ("link: subnet/28", OTHER))


def spec_of(wanted: Wanted) -> DeviceSpec:
    config = wanted.config
    ports = {
        "eos": [*(f"Ethernet{n}/1" for n in range(1, 65)), "Ethernet65", "Ethernet66"],
        "nxos": [f"Ethernet1/{n}" for n in range(1, 35)],
    }
    release = f"{config.release}.0" if config.os == "nvue" else config.release
    asn = config.bgp.asn if config.bgp else 0
    names = tuple(ports.get(config.os, [f"swp{n}" for n in range(1, 66)]))
    facts = (config.model, config.asic, "LAB0001", "127.0.0.1", 8443, 8022, asn, names)
    return DeviceSpec(config.name, config.os, release, *facts)


class Pushed:
    """A switch whose pushes are remembered, as a journal would."""

    standing: list[tuple[Done, str]]

    def text(self) -> str:
        raise NotImplementedError

    def take(self, made: Candidate) -> None:
        raise NotImplementedError

    def evidence(self, *adopted: Path) -> Evidence:
        done = tuple(each for each, _ in self.standing)
        return Evidence(lambda: done, adopted, self.standing[-1][1] if self.standing else "")

    def plan(self, wanted: Wanted, *adopted: Path) -> DevicePlan:
        return device_plan(wanted, self.text(), self.evidence(*adopted))

    def push(self, wanted: Wanted, *adopted: Path) -> None:
        plan = self.plan(wanted, *adopted)
        if met := in_the_way(wanted.device, plan.others):
            raise RefusedError(met)
        self.take(candidate(wanted, plan))
        done = dataclasses.replace(of(wanted, plan), adopted=adopted)
        self.standing.append((done, digest(wanted.claims)))


class Typed(Pushed):
    """A switch whose commands are typed one by one."""

    tree: Tree
    context: Context

    def type(self, *lines: str) -> None:
        session = ConfigSession(self.tree, self.context)
        for line in lines:
            session.feed(line)

    def text(self) -> str:
        return self.tree.text()


class EosSwitch(Typed):
    def __init__(self, wanted: Wanted) -> None:
        self.standing = []
        spec = spec_of(wanted)
        ports = frozenset(lane_ports(spec))
        self.context = Context(spec.release, spec.asic, spec.model, ports)
        self.tree = Tree(eos_grammar(), EOS)
        assert load_text(self.tree, self.context, day0_text(spec, "gpufabric", "not-a-password")) == []
        self.type(*(f"interface {port}" for port in lane_ports(spec)))

    def take(self, made: Candidate) -> None:
        self.type(*made.payload)


class NxosSwitch(Typed):
    def __init__(self, wanted: Wanted) -> None:
        self.standing = []
        self.spec, self.os = spec_of(wanted), wanted.platform
        self.context = device_context(self.spec)
        self.tree = brownfield_tree(self.spec, "gpufabric", "not-a-password")

    def take(self, made: Candidate) -> None:
        """As ``configure replace`` does it; the switch's own patch says the same as the plan."""
        target = bare_tree(self.context, self.spec.name)
        assert [(number, str(error)) for number, error in load_text(target, self.context, made.payload)] == []
        output = "\n".join(quoted(patch(self.tree, target)))
        settled = settle(server_changes(output), self.os.to_tree(self.text()))
        assert settled == frozenset(made.changes)
        self.tree = target


class NvueSwitch(Pushed):
    def __init__(self, wanted: Wanted) -> None:
        self.standing = []
        spec = spec_of(wanted)
        self.data: dict[str, Any] = brownfield(spec, "gpufabric", "no-hash", dialect_for(spec.release))

    def text(self) -> str:
        return json.dumps(self.data)

    def take(self, made: Candidate) -> None:
        for pointer in made.payload["delete"]:
            *above, last = keys_of(pointer)
            node = self.data
            for key in above:
                node = node[key]
            del node[last]
        sent = made.payload["patch"]
        complete(sent, self.data)
        merge(self.data, sent)


SWITCHES = {"eos": EosSwitch, "nxos": NxosSwitch, "nvue": NvueSwitch}


def foreign(wanted: Wanted, switch: Pushed) -> frozenset[Path]:
    others = sides(wanted, wanted.platform.to_tree(switch.text()), switch.evidence()).foreign
    return frozenset(path for path in others.paths() if not _says_nothing(others, path))


def _says_nothing(tree: ConfigTree, path: tuple[str, ...]) -> bool:
    """An empty container; and what EOS prints until somebody routes."""
    return path == ("no ip routing",) or (path[-1].startswith("interface Ethernet") and not tree.get(*path))


@pytest.mark.parametrize(("earlier", "other"), WAYS)
@pytest.mark.parametrize("system", LEAVES)
def test_a_leaf_goes_from_any_kind_of_host_link_to_any_other(system: str, earlier: str, other: str) -> None:
    before, after = all_wanted(earlier)[LEAVES[system]], all_wanted(other)[LEAVES[system]]
    switch = SWITCHES[system.partition(" ")[0]](before)
    others = foreign(before, switch)
    for wanted in (before, after):
        switch.push(wanted)
        assert switch.plan(wanted).changes == ()
        owned = sides(wanted, wanted.platform.to_tree(switch.text()), switch.evidence()).owned
        parsed = wanted.platform.parse(owned, wanted.capabilities, wanted.device, wanted.config.model)
        assert (parsed.config, parsed.remainder.paths()) == (wanted.config, frozenset())
    left = foreign(after, switch) - others
    # what is loaded or made for SVIs stays: others may have come to use it
    assert left <= {("feature interface-vlan",), ("bridge", "domain", "br_default", "vlan", "200")}
    assert others <= foreign(after, switch)


def test_the_switches_other_vlans_are_nobodys_and_stay_in_the_row_that_names_them_all() -> None:
    switch = NxosSwitch(all_wanted()[LEAVES["nxos"]])
    switch.push(all_wanted()[LEAVES["nxos"]])
    assert "vlan 1,200,310\n" in switch.text()
    switch.push(all_wanted(FLAT)[LEAVES["nxos"]])
    assert "vlan 1,310\n" in switch.text()
    assert "vlan 310\n  name OLD-STORAGE\n" in switch.text()
    switch.push(all_wanted()[LEAVES["nxos"]])
    switch.type("vlan 198-203,500")
    switch.push(all_wanted(FLAT)[LEAVES["nxos"]])
    assert "vlan 1,198-199,201-203,310,500\n" in switch.text()


PORT = {"eos": "Ethernet40/1", "nxos": "Ethernet1/30"}
TAKEN = {
    "by its name": ("vlan 200", "name STORAGE"),
    "by its port": ("vlan 200", "name STORAGE", "interface {port}", "switchport access vlan 200"),
    "by its SVI": ("vlan 200", "name STORAGE", "interface Vlan200", "ip address 192.0.2.1/24"),
}


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("system", PORT)
def test_a_vlan_of_our_number_that_is_somebody_elses_is_in_the_way_until_it_is_adopted(system: str, how: str) -> None:
    wanted = all_wanted()[LEAVES[system]]
    switch = SWITCHES[system](wanted)
    switch.type(*(["feature interface-vlan"] if system == "nxos" else []))
    switch.type(*(line.format(port=PORT[system]) for line in TAKEN[how]))
    before = switch.text()
    with pytest.raises(RefusedError) as refused:
        switch.push(wanted)
    assert "are in the way: vlan 200" in str(refused.value)
    assert "name STORAGE" in str(refused.value)
    assert (f"--adopt '{wanted.device}:interface Vlan200'" in str(refused.value)) is (how == "by its SVI")
    assert switch.text() == before
    met = [each for each in switch.plan(wanted).others if each.is_in_the_way]
    switch.push(wanted, *{each.adopt for each in met})
    assert "name STORAGE\n" not in switch.text()
    svi = wanted.platform.to_tree(switch.text()).get("interface Vlan200")
    assert svi is not None
    assert "ip address 192.0.2.1/24" not in svi.children
    assert switch.plan(wanted).changes == ()


@pytest.mark.parametrize("system", ["nvue 5.14", "nvue 5.16"])
def test_a_vlan_of_our_number_is_in_the_way_where_vlans_have_no_names_until_it_is_adopted(system: str) -> None:
    wanted = all_wanted()[LEAVES[system]]
    switch = NvueSwitch(wanted)
    switch.data["bridge"]["domain"]["br_default"]["vlan"]["200"] = {}
    member = {"bridge": {"domain": {"br_default": {"access": 200}}}, "type": "swp"}
    switch.data["interface"]["swp40"] = copy.deepcopy(member)
    with pytest.raises(RefusedError, match=r"in the way: bridge / domain / br_default / vlan / 200\b"):
        switch.push(wanted)
    met = [each for each in switch.plan(wanted).others if each.is_in_the_way]
    switch.push(wanted, *{each.adopt for each in met})
    assert switch.plan(wanted).changes == ()
    assert switch.data["interface"]["swp40"]["bridge"]["domain"]["br_default"] == {"access": 200}, "theirs, and stays"


@pytest.mark.parametrize("system", ["nvue 5.14", "nvue 5.16"])
def test_a_vlan_without_a_name_that_nobody_uses_or_a_host_port_of_ours_is_in_is_in_nobodys_way(system: str) -> None:
    wanted = all_wanted()[LEAVES[system]]
    for port in (None, "swp1"):
        switch = NvueSwitch(wanted)
        switch.data["bridge"]["domain"]["br_default"]["vlan"]["200"] = {}
        member = {"bridge": {"domain": {"br_default": {"access": 200}}}, "type": "swp"}
        if port is not None:
            switch.data["interface"] |= {name: copy.deepcopy(member) for name in ("swp40", port)}
        switch.push(wanted)
        assert switch.plan(wanted).changes == ()


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_our_own_vlan_under_a_wrong_name_is_named_again_and_not_refused(system: str) -> None:
    wanted = all_wanted()[LEAVES[system]]
    switch = SWITCHES[system](wanted)
    switch.push(wanted)
    switch.type("vlan 200", "name OOPS")
    changes = {(change.op, change.path[-1]) for change in switch.plan(wanted).changes}
    assert changes == {("-", "name OOPS"), ("+", "name COMPUTE-HOSTS")}
    switch.push(wanted)
    assert switch.plan(wanted).changes == ()


HANDS = {
    "eos": {
        "Ethernet1/1": ("switchport access vlan 3999", "spanning-tree bpduguard disable", "l2 mtu 1500"),
        "Vlan200": ("mtu 1500", "no autostate", "shutdown", "ip address 10.168.0.9/23"),
    },
    "nxos": {
        "Ethernet1/1": ("switchport access vlan 310", "spanning-tree port type network", "mtu 1500"),
        "Vlan200": ("mtu 1500", "no autostate", "shutdown", "ip address 10.170.0.9/23"),
    },
}


@pytest.mark.parametrize(
    ("system", "port", "line"),
    [(system, port, line) for system, ports in HANDS.items() for port, lines in ports.items() for line in lines],
)
def test_each_line_changed_by_hand_is_planned_and_repaired(system: str, port: str, line: str) -> None:
    wanted = all_wanted()[LEAVES[system]]
    switch = SWITCHES[system](wanted)
    switch.push(wanted)
    switch.type(f"interface {port}", line)
    assert switch.plan(wanted).changes
    switch.push(wanted)
    assert switch.plan(wanted).changes == ()


def test_an_address_on_a_switched_port_is_refused_by_nxos_and_without_effect_on_eos() -> None:
    nxos, eos = NxosSwitch(all_wanted()[LEAVES["nxos"]]), EosSwitch(all_wanted()[LEAVES["eos"]])
    nxos.push(all_wanted()[LEAVES["nxos"]])
    with pytest.raises(LineError) as refused:
        nxos.type("interface Ethernet1/1", "ip address 192.0.2.1/31")
    assert "Invalid command at '^' marker" in nxos.tree.dialect.error_text(refused.value)
    with pytest.raises(LineError, match="MTU on L2 interfaces can only be set to default or system-jumboMTU"):
        nxos.type("interface Ethernet1/1", "mtu 9000")
    eos.push(all_wanted()[LEAVES["eos"]])
    eos.type("interface Ethernet1/1", "ip address 192.0.2.1/31")
    state = next(each for each in eos_state("leaf", eos.tree).interfaces if each.name == "Ethernet1/1")
    assert not state.is_routed
