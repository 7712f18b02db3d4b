"""The management port, pushed over the way that it is: with the address that the switch has, and with another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import LabDescription, RunningLab
from lone_switches import LONGER_THAN_ANY_TIMER_S, REACH, site_folder
from one_push import transaction

from nornir_tasks.deploy.look import Rules
from nornir_tasks.design.management import ManagementAddress
from nornir_tasks.design.partial_config import BasePolicy
from nornir_tasks.drivers import open_session
from nornir_tasks.errors import LeftToTimerError, RefusedError
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.site import Site
from nornir_tasks.intent.model import ManagementIntent
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases.site import SiteDesign, select
from tests.unit.design import managed

DEVICE = managed.DEVICES["eos"]
POLICY = BasePolicy("MGMT", port=True)


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[..., RunningLab], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    here = LabDescription(tmp_path_factory.mktemp("management") / "lab")
    here.add_device("eos", "eos", asn=managed.network().device(DEVICE).asn)
    yield start_module_lab(here)


@pytest.fixture(scope="module")
def folder(lab: RunningLab) -> Path:
    return site_folder(lab, lab.description.devices[0], DEVICE)


def site_of(lab: RunningLab, folder: Path, address: str | None = None) -> SiteDesign:
    """The lab's rails, of which this switch is reached; its management port has this address, or the one it has."""
    entry = lab.description.devices[0]
    made = managed.design(POLICY)
    port = ManagementAddress(address or str(entry["address"]), 24, "127.0.0.1")
    network = replace(made.network, management={each.name: port for each in made.network.devices})
    intent = made.site.intent.model_copy(update={"management": ManagementIntent()})
    return replace(made, network=network, site=Site("lab", folder, intent, load_devices(folder / "devices.yml")))


def running(lab: RunningLab) -> str:
    return str(lab.control.ask("running-config", device="eos"))


def test_a_management_port_is_pushed_with_leave_and_a_second_push_changes_nothing(
    lab: RunningLab, folder: Path
) -> None:
    chosen, before = select(site_of(lab, folder), ["base"], [DEVICE]), running(lab)
    with pytest.raises(RefusedError, match="--allow-management"):
        usecase.push(chosen, REACH, lambda _: True).require_done()
    assert running(lab) == before
    allowed = replace(REACH, allow_management=frozenset({DEVICE}))
    usecase.push(chosen, allowed, lambda _: True).require_done()
    pushed = running(lab)
    assert "ip route vrf MGMT 0.0.0.0/0 127.0.0.1\n" in pushed
    again = usecase.push(chosen, REACH, lambda _: True)
    again.require_done()
    assert (again.changed, running(lab)) == ([], pushed)


def test_a_switch_that_loses_the_address_it_is_reached_at_takes_the_change_back(lab: RunningLab, folder: Path) -> None:
    before, site = running(lab), site_of(lab, folder, "198.51.100.77")
    there = endpoints(site.site, {DEVICE: "eos"})[DEVICE].endpoint
    wanted = select(site, ["base"], [DEVICE])[DEVICE]
    run = transaction(lambda: open_session("eos", there), wanted, Rules(reconnect_s=2.0, allow_management=True))
    with pytest.raises(LeftToTimerError, match="takes the change back by itself"):
        run.run()
    assert "ip address 198.51.100.77/24" in running(lab)
    lab.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)
    assert running(lab) == before
