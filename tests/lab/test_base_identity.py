"""What a switch is called and is reached by, on switches that others have configured: changed only with leave."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from pydantic import ValidationError

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.contribute import managed_base
from nornir_tasks.design.model.partial_config import SwitchBase
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError, RefusedError
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.platforms import platform
from nornir_tasks.usecases.site import select
from tests.lab.operated import Operated
from tests.lab.pushes import push
from tests.lab.typed_switches import SWITCHES, Switch
from tests.unit.design import managed

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)


def base_of(device: str, **sections: object) -> Wanted:
    """Base alone, with these sections and no other."""
    return select(managed.design(managed.settings(**sections)), ["base"])[device]


def called(base: Wanted, name: str) -> Switch:
    """A switch as day 0 leaves it, with another name."""
    return SWITCHES[base.config.os].at_day0(replace(base.config, name=name))


@SYSTEMS
def test_a_switch_is_not_called_otherwise_without_leave(device: str) -> None:
    base = base_of(device, hostname="managed")
    switch = called(base, "old-name")
    with pytest.raises(RefusedError, match=f"management path.*{device}") as refused:
        device_plan(base, switch.running())
    assert f"--allow-management {device}" in str(refused.value)


@SYSTEMS
def test_with_leave_a_switch_is_called_as_in_the_design_and_nothing_else_changes(device: str) -> None:
    base = base_of(device, hostname="managed")
    switch = Operated(called(base, "old-name"))
    before = switch.paths(base)
    with pytest.raises(RefusedError, match=r"in the way: .*old-name"):
        switch.push(base)
    assert len(switch.take_over(base).changes) == 2
    changed = before ^ switch.paths(base)
    assert len(changed) == 2
    assert all("hostname" in path[-1] for path in changed)
    assert "old-name" not in switch.switch.running()
    switch.roll_back(base)
    assert switch.paths(base) == before


@SYSTEMS
def test_the_name_stays_where_it_is_not_managed(device: str) -> None:
    base = base_of(device, ntp=("192.0.2.120",))
    switch = called(base, "old-name")
    push(switch, base)
    assert "old-name" in switch.running()


@pytest.mark.parametrize("device", [managed.DEVICES["eos"], managed.DEVICES["nxos"]], ids=["eos", "nxos"])
def test_name_servers_are_not_changed_without_leave(device: str) -> None:
    base = base_of(device, dns={"servers": ("192.0.2.54",)})
    switch = Operated(called(base, device))
    with pytest.raises(RefusedError, match=f"management path.*name-server(?s:.*)--allow-management {device}"):
        switch.plan(base, allow_management=False)
    switch.take_over(base)
    assert switch.plan(base, allow_management=False).changes == ()


def test_a_domain_name_is_refused_where_the_release_has_none() -> None:
    known = platform("nvue").facts.capabilities("5.13", "spectrum4")
    servers = {"servers": ("192.0.2.54",)}
    named = managed.settings(dns={**servers, "domain": "example.net"})
    (problem,) = managed_base.problems("spine-1", SwitchBase(named), known)
    assert "5.14" in problem.what
    assert problem.found == "example.net"
    without = managed.settings(dns=servers)
    assert list(managed_base.problems("spine-1", SwitchBase(without), known)) == []


OTHER_ADDRESS = {
    "eos": ("interface Management1", "ip address 198.51.100.77/24"),
    "nxos": ("interface mgmt0", "ip address 198.51.100.77/24"),
    "nvue 5.14": ("interface", "eth0", "ip", "address", "198.51.100.77/24"),
    "nvue 5.16": ("interface", "eth0", "ipv4", "address", "198.51.100.77/24"),
}


@pytest.mark.parametrize("system", managed.DEVICES)
def test_a_push_that_changes_the_management_address_is_refused_without_leave(system: str) -> None:
    device = managed.DEVICES[system]
    base = base_of(device, management="managed")
    switch = Operated(called(base, device))
    switch.take_over(base)
    assert switch.plan(base, allow_management=False).changes == ()
    switch.switch.type(OTHER_ADDRESS[system])
    with pytest.raises(RefusedError, match=rf"management path(?s:.*)--allow-management {device}") as refused:
        switch.plan(base, allow_management=False)
    assert "198.51.100.77/24" in str(refused.value)
    switch.push(base)
    assert "198.51.100.77/24" not in switch.switch.running()


@pytest.mark.parametrize("system", managed.DEVICES)
def test_another_address_of_the_management_port_is_in_the_way_until_it_is_adopted(system: str) -> None:
    device = managed.DEVICES[system]
    base = base_of(device, management="managed")
    switch = Operated(called(base, device))
    switch.switch.type(OTHER_ADDRESS[system])
    before = switch.paths(base)
    with pytest.raises(RefusedError, match=r"in the way(?s:.*)198\.51\.100\.77/24"):
        switch.push(base)
    plan = switch.take_over(base)
    assert {each.path for each in plan.changes if each.op == "-"} <= before
    assert "198.51.100.77/24" not in switch.switch.running()
    switch.roll_back(base)
    assert switch.paths(base) == before


@SYSTEMS
def test_the_management_port_gets_its_address_and_keeps_what_others_say_of_it(device: str) -> None:
    base = base_of(device, management="managed")
    switch = Operated(called(base, device))
    before = switch.paths(base)
    switch.take_over(base)
    after = switch.paths(base)
    port = base.config.base.management
    assert port is not None
    assert any(port.address in path[-1] for path in after)
    assert any(port.gateway in path[-1] for path in after)
    assert {path for path in before if "description" in path[-1]} <= after
    assert not [path for path in before ^ after if not re.search(_MANAGEMENT, " / ".join(path))]


_MANAGEMENT = (
    r"^(?:interface (?:Management1|mgmt0) / |vrf context management / ip route|(?:no ip routing vrf|ip route vrf) MGMT)"
    r"|eth0|mgmt"
)


@SYSTEMS
def test_a_managed_port_without_an_address_is_refused_and_nothing_of_it_removed(device: str) -> None:
    network = replace(managed.network(managed.settings(management="managed")), management={})
    with pytest.raises(DesignError, match="management port is managed, and has no address"):
        device_config(network, network.device(device))


def test_a_management_vrf_that_somebody_makes_route_is_a_difference_and_routes_no_more() -> None:
    device = managed.DEVICES["eos"]
    base = base_of(device, management="managed")
    switch = Operated(called(base, device))
    switch.take_over(base)
    assert switch.takes_back(base, ("ip routing vrf MGMT",))


def test_a_management_vrf_of_others_that_routes_is_in_the_way_until_it_is_adopted() -> None:
    device = managed.DEVICES["eos"]
    base = base_of(device, management="managed")
    switch = Operated(called(base, device))
    switch.switch.type(("ip routing vrf MGMT",))
    before = switch.paths(base)
    with pytest.raises(RefusedError, match="in the way: ip routing vrf MGMT"):
        switch.push(base)
    switch.take_over(base)
    assert ("ip routing vrf MGMT",) not in switch.paths(base)
    switch.roll_back(base)
    assert switch.paths(base) == before


BANNER = "Property of Example.\n#  All sessions are recorded.  #\nLast line: EOF, or not."


@SYSTEMS
def test_a_banner_of_several_lines_takes_the_place_of_another_and_is_read_back(device: str) -> None:
    base = base_of(device, banner=BANNER)
    switch = Operated(called(base, device))
    before = switch.paths(base)
    (other,) = switch.plan(base).others
    assert other.is_in_the_way
    assert "\n" not in " / ".join(other.adopt)
    assert len(switch.push(base, other.adopt).changes) == 2
    after = switch.paths(base)
    assert len(before ^ after) == 2
    parsed = base.platform.parse(base.tree, base.capabilities, device, base.config.model)
    assert parsed.config.base.banner == BANNER
    assert not parsed.remainder
    assert base.tree.paths() <= after
    switch.roll_back(base)
    assert switch.paths(base) == before


@SYSTEMS
def test_a_banner_that_loses_a_line_is_a_difference(device: str) -> None:
    base = base_of(device, banner=BANNER)
    switch = Operated(called(base, device))
    switch.take_over(base)
    shorter = base_of(device, banner=BANNER.rpartition("\n")[0])
    assert len(switch.push(shorter).changes) == 2
    assert len(switch.push(base).changes) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n\nb",
        " indented",
        "trailing ",
        "!comment",
        "EOF",
        "staff\nEOF\nonly",
        "a ^ b",
        "a ` b",
        "größer",
        "a\tb",
        "x" * 81,
    ],
)
def test_a_text_that_a_system_cannot_hold_is_no_banner(text: str) -> None:
    with pytest.raises(ValidationError):
        BaseIntent.model_validate({"banner": text})
