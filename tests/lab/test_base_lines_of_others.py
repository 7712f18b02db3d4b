"""What others have where base has its own: nothing of it goes but as planned, and a rollback brings it back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases.site import select
from tests.lab.operated import Operated
from tests.lab.typed_switches import SWITCHES
from tests.property.mutants import other_values
from tests.unit.design import managed, reached

SYSTEMS = pytest.mark.parametrize("device", managed.DEVICES.values(), ids=managed.DEVICES)
KEY = "8d" * 20
OF_OUR_SERVERS: dict[str, tuple[str, ...]] = {
    "leaf-g1-r0": (
        "ntp server vrf MGMT 192.0.2.120 prefer iburst",
        "ntp server vrf MGMT 192.0.2.120 key 5",
        "logging vrf MGMT host 192.0.2.51 514 protocol tcp",
        "logging vrf MGMT host 192.0.2.51 1514",
        "tacacs-server host 192.0.2.91 vrf MGMT",
        "tacacs-server host 192.0.2.91 vrf MGMT timeout 5 key 7 071B245F5A",
        "radius-server host 192.0.2.95 vrf MGMT",
        "radius-server host 192.0.2.95 vrf MGMT retransmit 2 key 7 071B245F5A",
    ),
    "leaf-g1-r1": (
        "ntp server 192.0.2.120",
        "ntp server 192.0.2.120 prefer use-vrf management",
        "ntp server 192.0.2.120 prefer use-vrf management key 5",
        "ntp server 192.0.2.120 use-vrf default",
        "logging server 192.0.2.51",
        "logging server 192.0.2.51 5 use-vrf default",
        "logging server 192.0.2.51 5 port 1514 use-vrf management",
        "tacacs-server host 192.0.2.91",
        'tacacs-server host 192.0.2.91 key 7 "fewhg123" timeout 3',
        "radius-server host 192.0.2.95 authentication accounting",
        'radius-server host 192.0.2.95 key 7 "ljw3976!" auth-port 1645 authentication accounting',
    ),
}
"""The servers that the intent has, as others may have said them."""
BESIDE_OURS: dict[str, tuple[str, ...]] = {
    "leaf-g1-r0": (
        "ntp server 192.0.2.120",
        "logging host 192.0.2.51",
        "tacacs-server host 192.0.2.91",
        "snmp-server host 192.0.2.61 vrf MGMT version 2c public",
        "snmp-server user other THEIRS v3",
    ),
    "leaf-g1-r1": (
        "ntp peer 192.0.2.120 use-vrf management",
        "snmp-server host 192.0.2.61 traps version 2c public",
        "snmp-server host 192.0.2.61 use-vrf default",
        f"snmp-server user other network-admin auth sha 0x{KEY} priv aes-128 0x{KEY} localizedkey",
    ),
}
"""Lines that look like ours, and that a switch has beside them."""
ANSWERED = "ntp server 192.0.2.120"
"""Of EOS: answers come in the default VRF, where a list of ours would refuse them."""


def designs(device: str) -> Iterator[Wanted]:
    """All sections that the system has, in turns where one excludes another."""
    snmp = None if device.startswith("spine") else managed.SNMP
    for policy in (
        managed.altered(managed.POLICY, snmp=snmp),
        managed.altered(managed.POLICY, aaa={"radius": managed.RADIUS}),
    ):
        yield select(managed.design(policy), ["base"])[device]
    yield select(reached.design(), ["base"])[device]


def day0(base: Wanted) -> Operated:
    return Operated(SWITCHES[base.config.os].at_day0(base.config))


def typed(fresh: Operated, path: Path) -> Operated | None:
    """A switch like this one where somebody typed a line; None: it takes no such line."""
    tried = fresh.copy()
    try:
        tried.switch.type(path)
    except (AssertionError, ValueError):  # no value that this system takes
        return None
    return tried


def comes_and_goes(base: Wanted, switch: Operated) -> frozenset[Path]:
    """Push, with what is in the way adopted, and take it back; the lines that were lost in between, all as planned."""
    before = switch.paths(base)
    plan = switch.take_over(base)
    lost = before - switch.paths(base)
    assert lost <= {change.path for change in plan.changes if change.op == "-"}
    switch.roll_back(base)
    assert switch.paths(base) == before
    return lost


@pytest.mark.sampled(1)
@SYSTEMS
def test_a_line_of_others_with_another_value_stays_or_goes_as_planned_and_comes_back(device: str) -> None:
    seen = {True: 0, False: 0}
    for base in designs(device):
        fresh = day0(base)
        without = fresh.paths(base)
        for path, node in base.tree.walk():
            for line in [*other_values(path[-1])][:2] if not node.children else ():
                switch = typed(fresh, (*path[:-1], line))
                new = switch.paths(base) - without if switch is not None else frozenset()
                if switch is not None and new:
                    seen[new <= comes_and_goes(base, switch)] += 1
    assert seen[True] >= 5
    assert seen[False] >= 5


@pytest.mark.parametrize("device", OF_OUR_SERVERS)
def test_a_server_of_ours_that_others_have_said_otherwise_is_in_the_way_until_it_is_adopted(device: str) -> None:
    met = set()
    for base in designs(device):
        fresh = day0(base)
        for line in OF_OUR_SERVERS[device]:
            switch = typed(fresh, (line,))
            assert switch is not None, line
            if any(other.path == (line,) and other.is_in_the_way for other in switch.plan(base).others):
                met.add(line)
                with pytest.raises(RefusedError, match="in the way"):
                    switch.push(base)
                assert (line,) in comes_and_goes(base, switch), line
    assert met == set(OF_OUR_SERVERS[device])


@pytest.mark.parametrize("device", BESIDE_OURS)
def test_a_line_of_others_that_a_switch_has_beside_ours_stays(device: str) -> None:
    for base in designs(device):
        fresh = day0(base)
        for line in BESIDE_OURS[device]:
            switch = typed(fresh, (line,))
            assert switch is not None, line
            if line == ANSWERED and base.config.base.reach.fabric:
                with pytest.raises(RefusedError, match=f"would refuse NTP(?s:.*){ANSWERED}"):
                    switch.take_over(base)
                continue
            assert (line,) not in comes_and_goes(base, switch), line
