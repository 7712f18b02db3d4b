"""The management port, pushed over the way that it is: with the address that the switch has, and with another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from adopting import adopting
from described_lab import LabDescription, RunningLab
from lone_switches import LONGER_THAN_ANY_TIMER_S, REACH, site_folder
from one_push import transaction

from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.drivers import nxos as nxos_driver
from nornir_tasks.drivers import open_session
from nornir_tasks.errors import CommitError, LeftToTimerError, RefusedError
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.site import Site
from nornir_tasks.intent.keys.site import ManagementIntent
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.platforms import platform
from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases.reach import evidence_of
from nornir_tasks.usecases.site import SiteDesign, select
from tests.unit.design import managed

SYSTEMS = {os: managed.DEVICES[f"{os} 5.16" if os == "nvue" else os] for os in ("eos", "nxos", "nvue")}
BY_SYSTEM = pytest.mark.parametrize("os", SYSTEMS)
RELEASES = {"nvue": {"release": "5.16.0"}, "nxos": {"ports": [f"Ethernet1/{n}" for n in range(1, 35)]}, "eos": {}}
GATEWAY = {
    "eos": ("ip route vrf MGMT 0.0.0.0/0 127.0.0.1",),
    "nxos": ("vrf context management", "ip route 0.0.0.0/0 127.0.0.1"),
    "nvue": ("interface", "eth0", "ipv4", "gateway", "127.0.0.1"),
}
POLICY = managed.settings(management="managed")


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[..., RunningLab], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    here = LabDescription(tmp_path_factory.mktemp("management") / "lab")
    for os, device in SYSTEMS.items():
        here.add_device(os, os, asn=managed.network().device(device).asn, **RELEASES[os])
    yield start_module_lab(here)


@pytest.fixture(scope="module")
def folders(lab: RunningLab) -> dict[str, Path]:
    return {str(each["name"]): site_folder(lab, each, SYSTEMS[str(each["name"])]) for each in lab.description.devices}


def site_of(lab: RunningLab, folders: dict[str, Path], os: str, address: str | None = None) -> SiteDesign:
    """The lab's rails, of which this switch is reached; its management port has this address, or the one it has."""
    entry = next(each for each in lab.description.devices if each["name"] == os)
    made = managed.design(POLICY)
    port = ManagementAddress(address or str(entry["address"]), 24, "127.0.0.1")
    network = replace(made.network, management={each.name: port for each in made.network.devices})
    intent = made.site.intent.model_copy(update={"management": ManagementIntent()})
    site = Site("lab", folders[os], intent, load_devices(folders[os] / "devices.yml"))
    return replace(made, network=network, site=site)


def running(lab: RunningLab, os: str) -> str:
    return str(lab.control.ask("running-config", device=os))


@BY_SYSTEM
def test_a_management_port_is_pushed_with_leave_and_a_second_push_changes_nothing(
    lab: RunningLab, folders: dict[str, Path], os: str
) -> None:
    device = SYSTEMS[os]
    chosen, before = select(site_of(lab, folders, os), ["base"], [device]), running(lab, os)
    with pytest.raises(RefusedError, match="--allow-management"):
        usecase.push(chosen, REACH, lambda _: True).require_done()
    assert running(lab, os) == before
    allowed = replace(REACH, allow_management=frozenset({device}))
    usecase.push(chosen, adopting(chosen, allowed), lambda _: True).require_done()
    pushed = running(lab, os)
    assert GATEWAY[os] in platform(os).to_tree(pushed).paths()
    again = usecase.push(chosen, REACH, lambda _: True)
    again.require_done()
    assert (again.changed, running(lab, os)) == ([], pushed)


@BY_SYSTEM
def test_a_switch_that_loses_the_address_it_is_reached_at_takes_the_change_back(
    lab: RunningLab, folders: dict[str, Path], os: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nxos_driver, "RECONNECT_S", 3.0)
    before, site, device = running(lab, os), site_of(lab, folders, os, "198.51.100.77"), SYSTEMS[os]
    there = endpoints(site.site, {device: os})[device].endpoint
    chosen = select(site, ["base"], [device])
    evidence = evidence_of(site, adopting(chosen, REACH).adopt)(device)
    rules = Rules(reconnect_s=2.0, allow_management=True, evidence=evidence)
    run = transaction(lambda: open_session(os, there), chosen[device], rules)
    # NVUE is asked how the apply ended until it answers: there the timer fires under our eyes
    soon = threading.Timer(4.0, lambda: all_timers_fire(lab, os))
    if os == "nvue":
        soon.start()
    with pytest.raises(CommitError if os == "nvue" else LeftToTimerError) as left:
        run.run()
    if os == "nvue":
        soon.join()
    else:
        assert "takes the change back by itself" in str(left.value)
        all_timers_fire(lab, os)
    assert running(lab, os) == before


def all_timers_fire(lab: RunningLab, os: str) -> None:
    """The switch has lost its address by now."""
    assert "198.51.100.77/24" in running(lab, os)
    lab.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
