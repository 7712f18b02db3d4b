"""Switches whose defaults others changed: what is pushed comes up all the same, stays, and is read as it is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from nornir_tasks.deploy.plan import device_plan, running_config, sides
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.errors import RefusedError
from switch_twins.eos.extract import switch_state as eos_state
from switch_twins.nxos.extract import switch_state as nxos_state
from switch_twins.state import InterfaceState
from tests.lab.pushes import bare_like, plan, push, roll_back, shown
from tests.lab.typed_switches import EosSwitch, Switch
from tests.unit.design import tagged
from tests.unit.design.full_groups import DEVICES, part
from tests.unit.design.toys import ONE_OF_EACH, realised
from tests.unit.design.wanted_of import wanted_of

SHUT = ("interface defaults", "ethernet", "shutdown")
MTU = ("interface defaults", "mtu 9000")
SWITCHED_SHUT = ("system default switchport shutdown",)
ROUTED = ("no system default switchport",)
CASES = {
    "eos-shut": ("eos", (SHUT,)),
    "eos-mtu": ("eos", (MTU,)),
    "eos-both": ("eos", (SHUT, MTU)),
    "nxos-shut": ("nxos", (SWITCHED_SHUT,)),
    "nxos-routed": ("nxos", (ROUTED,)),
    "nxos-both": ("nxos", (SWITCHED_SHUT, ROUTED)),
}
EACH = pytest.mark.parametrize("case", CASES)


def typed(whole: Wanted, case: str) -> Switch:
    """A switch of nobody, on which others changed the defaults."""
    switch = bare_like(whole)
    type_all(switch, case)
    return switch


def type_all(switch: Switch, case: str) -> None:
    for path in CASES[case][1]:
        switch.type(path)


def lone(case: str) -> Wanted:
    """A switch without groups of ports, whose kind cannot be changed while they have members."""
    return wanted_of(realised(ONE_OF_EACH[CASES[case][0]], None))


def device(case: str) -> str:
    return DEVICES[CASES[case][0]]


def states(switch: Switch) -> Mapping[str, InterfaceState]:
    """What the twin makes of what it runs."""
    found = eos_state("x", switch._tree) if isinstance(switch, EosSwitch) else nxos_state(switch._tree, "x")
    return {each.name: each for each in found.interfaces}


def assert_is_as_wanted(switch: Switch, whole: Wanted) -> None:
    """Each port of the design is up or down, routed or not, and has its MTU, as the switch itself sees it."""
    seen = states(switch)
    for port in whole.config.interfaces:
        there = seen[port.name]
        assert there.is_admin_up == port.enabled, port.name
        if is_used(port):
            assert there.is_routed == (port.access_vlan is None and port.tagged_vlans is None), port.name
            if there.is_routed and port.mtu_bytes is not None:
                assert there.mtu_bytes == port.mtu_bytes, port.name


def is_used(port: Interface) -> bool:
    return port.mtu_bytes is not None or port.access_vlan is not None or port.tagged_vlans is not None


def unused(whole: Wanted) -> tuple[Interface, ...]:
    return tuple(port for port in whole.config.interfaces if not port.enabled and not is_used(port))


@EACH
def test_ports_come_up_where_others_changed_their_defaults_and_a_second_push_changes_nothing(case: str) -> None:
    whole = part(device(case))
    switch = typed(whole, case)
    assert push(switch, whole)
    assert_is_as_wanted(switch, whole)
    made = plan(switch, whole)
    assert made.changes == ()
    assert running_config(whole, made) == whole.config


def test_a_switch_that_does_not_print_that_its_ports_are_routed_is_read_as_one_that_does() -> None:
    whole = part(device("nxos-routed"))
    switch = typed(whole, "nxos-routed")
    push(switch, whole)
    unsaid = switch.running().replace(f"{ROUTED[0]}\n", "")
    assert unsaid != switch.running()
    assert device_plan(whole, unsaid, shown(switch)).changes == ()


def test_a_port_of_the_lab_loses_the_lines_of_a_mode_that_is_its_default_no_more() -> None:
    whole = lone("nxos-routed")
    switch = bare_like(whole)
    for line in ("switchport access vlan 7", "spanning-tree port type edge", "description kept"):
        switch.type(("interface Ethernet1/30", line))
    switch.type(ROUTED)
    port = whole.platform.to_tree(switch.running()).children["interface Ethernet1/30"]
    assert list(port.children) == ["description kept"]


@pytest.mark.parametrize("case", ["eos-shut", "eos-both", "nxos-shut"])
def test_a_switch_that_goes_dark_under_others_lines_after_a_push_is_no_zero_changed(case: str) -> None:
    whole = part(device(case))
    switch = bare_like(whole)
    push(switch, whole)
    type_all(switch, case)
    assert plan(switch, whole).changes
    push(switch, whole)
    assert_is_as_wanted(switch, whole)


def test_an_mtu_of_others_or_ports_that_are_routed_by_default_change_nothing_where_all_is_said() -> None:
    for case, whole in (("eos-mtu", part(device("eos-mtu"))), ("nxos-routed", lone("nxos-routed"))):
        switch = bare_like(whole)
        push(switch, whole)
        type_all(switch, case)
        assert plan(switch, whole).changes == ()
        assert_is_as_wanted(switch, whole)


def test_a_group_that_becomes_routed_under_its_members_is_refused_with_its_name() -> None:
    whole = part(device("nxos-routed"))
    switch = bare_like(whole)
    push(switch, whole)
    type_all(switch, "nxos-routed")
    with pytest.raises(RefusedError, match="port-channel1 cannot become another kind of port"):
        push(switch, whole)


@EACH
def test_what_runs_there_is_read_as_it_is_and_not_as_the_factory_had_it(case: str) -> None:
    whole = lone(case) if ROUTED in CASES[case][1] else part(device(case))
    switch = bare_like(whole)
    push(switch, whole)
    type_all(switch, case)
    made = plan(switch, whole)
    if made.changes:
        os = whole.platform
        read = os.parse(
            os.spelt_out(made.owned_before, os.defaults(made.running)), whole.capabilities, "x", whole.config.model
        ).config
        seen = states(switch)
        for port in read.interfaces:
            assert seen[port.name].is_admin_up == port.enabled, port.name


@EACH
def test_planes_one_by_one_leave_what_all_leave_under_changed_defaults(case: str) -> None:
    name = device(case)
    whole = part(name)
    one, other = typed(whole, case), typed(whole, case)
    for plane in ("storage", "business", "compute"):
        push(one, part(name, plane))
    for plane in ("business", "compute", "storage"):
        push(other, part(name, plane))
    assert whole.platform.to_tree(one.running()) == whole.platform.to_tree(other.running())
    assert device_plan(whole, one.running()).changes == ()
    assert_is_as_wanted(one, whole)


@EACH
def test_lines_of_others_stay_and_what_is_in_use_stays_up_when_they_go(case: str) -> None:
    whole = lone(case) if ROUTED in CASES[case][1] else part(device(case))
    switch = typed(whole, case)
    push(switch, whole)
    running = whole.platform.to_tree(switch.running())
    foreign = sides(whole, running, shown(switch)).foreign
    for path in CASES[case][1]:
        assert foreign.get(*path) is not None
        *above, line = path
        switch.type((*above, line.removeprefix("no ") if line.startswith("no ") else f"no {line}"))
    # what was the default then was not typed: unused ports are up now, and routed ones are switched; the plan says so
    changed = {each.path[0] for each in plan(switch, whole).changes}
    if ROUTED not in CASES[case][1]:
        assert changed <= {f"interface {port.name}" for port in unused(whole)}
    push(switch, whole)
    assert_is_as_wanted(switch, whole)


@EACH
def test_every_admin_state_that_is_lost_by_hand_is_in_the_plan(case: str) -> None:
    whole = part(device(case))
    switch = typed(whole, case)
    push(switch, whole)
    os = whole.platform
    running = os.to_tree(switch.running())
    problems_found = [
        (head, line)
        for head, node in running.children.items()
        if head.startswith("interface ")
        for line in node.children
        if line in {"shutdown", "no shutdown", "switchport", "no switchport"}
    ]
    ours = {f"interface {port.name}" for port in whole.config.interfaces}
    for head, line in problems_found:
        if head in ours:
            mutant = running.copy()
            del mutant.children[head].children[line]
            changes = device_plan(whole, os.to_text(mutant), shown(switch)).changes
            assert ("+", (head, line)) in {(each.op, each.path) for each in changes}


REFUSED = {
    "eos-mode": ("eos", ("switchport default mode routed",)),
    "nxos-autostate": ("nxos", ("no system default interface-vlan autostate",)),
    "nxos-tagged-native": ("nxos", ("vlan dot1q tag native",)),
    "nxos-jumbo-frames": ("nxos", ("system jumbomtu 9000",)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_line_that_decides_what_we_cannot_write_out_is_refused_by_name(case: str) -> None:
    os, path = REFUSED[case]
    whole = tagged.part(tagged.DEVICES[os])
    switch = bare_like(whole)
    switch.type(path)
    with pytest.raises(RefusedError) as refused:
        plan(switch, whole)
    (problem,) = refused.value.problems
    assert path[-1] in problem.what
    assert problem.expected
    assert problem.hint


def test_a_switch_that_relies_on_none_of_these_lines_is_not_refused() -> None:
    whole = wanted_of(realised(ONE_OF_EACH["nxos"], None))
    switch = bare_like(whole)
    for case in ("nxos-autostate", "nxos-tagged-native", "nxos-jumbo-frames"):
        switch.type(REFUSED[case][1])
    assert push(switch, whole)


def test_timers_of_the_process_stay_and_are_named_until_they_are_adopted() -> None:
    whole = part(DEVICES["nxos"])
    switch = bare_like(whole)
    push(switch, whole)
    assert whole.config.bgp is not None
    timers = (f"router bgp {whole.config.bgp.asn}", "timers bgp 3 9")
    switch.type(timers)
    assert push(switch, whole) == 0
    (met,) = plan(switch, whole).others
    assert (met.path, met.adopt, met.is_in_the_way) == (timers, timers, False)
    assert push(switch, whole, met.adopt) == 1
    assert roll_back(switch, whole) == 1
    assert whole.platform.to_tree(switch.running()).get(*timers) is not None


def test_svis_and_trunks_of_a_twin_follow_the_switchs_lines() -> None:
    whole = tagged.part(tagged.DEVICES["nxos"])
    switch = bare_like(whole)
    push(switch, whole)
    svis = [port.name for port in whole.config.interfaces if port.name.startswith("Vlan")]
    trunks = [port.name for port in whole.config.interfaces if port.native_vlan is not None]
    assert svis
    assert trunks
    assert all(states(switch)[name].autostate for name in svis)
    assert all(states(switch)[name].native_vlan is not None for name in trunks)
    for case in ("nxos-autostate", "nxos-tagged-native"):
        switch.type(REFUSED[case][1])
    assert not any(states(switch)[name].autostate for name in svis)
    assert not any(states(switch)[name].native_vlan for name in trunks)
