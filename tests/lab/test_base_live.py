"""Base configuration pushed over the wire, with a journal: alone, again, beside a plane, and rolled back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from adopting import adopting
from described_lab import LabDescription, RunningLab
from lone_switches import REACH, site_folder

from nornir_tasks.errors import RefusedError
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.site import Site
from nornir_tasks.intent.keys.site import ManagementIntent
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases.pushes import pushes
from nornir_tasks.usecases.site import SiteDesign, select
from tests.unit.design import managed

SYSTEMS = {os: managed.DEVICES[f"{os} 5.16" if os == "nvue" else os] for os in ("eos", "nxos", "nvue")}
RELEASES = {"nvue": {"release": "5.16.0"}, "nxos": {"ports": [f"Ethernet1/{n}" for n in range(1, 35)]}, "eos": {}}


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[..., RunningLab], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    here = LabDescription(tmp_path_factory.mktemp("base") / "lab")
    for os, device in SYSTEMS.items():
        here.add_device(os, os, asn=managed.network().device(device).asn, **RELEASES[os])
    yield start_module_lab(here)


def site_of(lab: RunningLab, os: str) -> SiteDesign:
    """The lab's rails with managed base, of which this one switch is reached."""
    entry = next(each for each in lab.description.devices if each["name"] == os)
    folder = site_folder(lab, entry, SYSTEMS[os])
    # nothing of the management port: the lab's switches are reached at the address that it has
    made = managed.design(managed.altered(managed.SERVERS, management=None))
    intent = made.site.intent.model_copy(update={"management": ManagementIntent()})
    return replace(made, site=Site("lab", folder, intent, load_devices(folder / "devices.yml")))


def running(lab: RunningLab, os: str) -> frozenset[Path]:
    text = str(lab.control.ask("running-config", device=os))
    return platform(os).to_tree(text).paths()


@pytest.mark.parametrize("os", SYSTEMS)
def test_base_is_pushed_alone_then_nothing_is_left_and_a_rollback_takes_it_back(lab: RunningLab, os: str) -> None:
    site, device = site_of(lab, os), SYSTEMS[os]
    reach = replace(REACH, allow_management=frozenset({device}))  # it gets the name that it has in the design

    def push(*planes: str, all_of_it: bool = False) -> usecase.PushReport:
        chosen = select(site, planes, [device])
        report = usecase.push(chosen, adopting(chosen, reach, all_of_it=all_of_it), lambda _: True)
        report.require_done()
        return report

    before = running(lab, os)
    with pytest.raises(RefusedError, match=r"in the way(?s:.*)--adopt"):
        usecase.push(select(site, ["base"], [device]), reach, lambda _: True)
    assert running(lab, os) == before
    push("base", all_of_it=True)
    with_base = running(lab, os)
    assert select(site, ["base"])[device].tree.paths() <= with_base
    push("base")
    assert running(lab, os) == with_base
    push("compute")
    with_both = running(lab, os)
    assert with_both > with_base or len(with_both - with_base) > len(with_base - with_both)
    number = next(each.number for each in pushes(site) if each.planes == ("base",) and each.changed)
    report = usecase.rollback(site, number, reach, lambda _: True, limit=[device])
    report.require_done()
    after = running(lab, os)
    assert after ^ with_both == before ^ with_base
    assert [each.planes for each in pushes(site)][-1] == ("base",)
