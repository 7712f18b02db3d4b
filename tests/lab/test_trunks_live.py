"""A trunk that carries all VLANs, on switches in brownfield and over the wire: pushed to, refused, and rolled back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from by_hand import Hand, hands
from described_lab import LabDescription, RunningLab
from lone_switches import REACH, site_folder

from nornir_tasks.design.contribute import planes
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.model.plane import Plane
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.site import Site
from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases.pushes import pushes
from nornir_tasks.usecases.site import Selection, SiteDesign, select
from tests import svi
from tests.unit.design import tagged

LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "leaf-g1-r3"}
RELEASES = {"nvue": {"release": "5.16.0"}, "nxos": {"ports": [f"Ethernet1/{n}" for n in range(1, 35)]}}
TOY_PLANES = Path(__file__).with_name("toy_tagged")


@dataclass
class Trunk:
    """One leaf with a trunk of two planes, and the site that has it."""

    os: str
    folder: Path
    hand: Hand
    running: Callable[[], str]

    @property
    def port(self) -> str:
        return tagged.host_port(LEAVES[self.os], "trunk")

    def design(self, gone: str = "") -> SiteDesign:
        listed = svi.intent().management.model_copy(update={"source": "devices"})
        intent = svi.intent().model_copy(update={"management": listed})
        site = Site("lab", self.folder, intent, load_devices(self.folder / "devices.yml"))
        network = tagged.tagged(gone)
        toys: dict[str, Plane] = {name: replace(network.planes[name], kind=f"tagged_{name}") for name in tagged.VLANS}
        return SiteDesign(site, replace(network, planes={**network.planes, **toys}), load_catalogue())

    def select(self, chosen: Sequence[str], gone: str = "") -> Selection:
        return select(self.design(gone), chosen, [LEAVES[self.os]])

    def push(self, *chosen: str, gone: str = "") -> usecase.PushReport:
        report = usecase.push(self.select(chosen, gone), REACH, lambda _: True)
        report.require_done()
        return report

    def roll_back_last(self) -> None:
        last = max(each.number for each in pushes(self.design()))
        usecase.rollback(self.design(), last, REACH, lambda _: True, limit=[LEAVES[self.os]]).require_done()

    def take_list_off(self) -> None:
        """Somebody removes the list of the port by hand."""
        if self.os == "nvue":
            self.hand.nvue(delete=f"interface/{self.port}/bridge/domain/br_default/vlan")
        else:
            self.hand.configure(f"interface {self.port}", "no switchport trunk allowed vlan")


@pytest.fixture(scope="module")
def lab(
    start_module_lab: Callable[[LabDescription], RunningLab], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningLab]:
    where = tmp_path_factory.mktemp("trunks")
    here = LabDescription(where)
    for system, device in LEAVES.items():
        here.add_device(system, system, asn=tagged.tagged().device(device).asn, **RELEASES.get(system, {}))
    before = planes.__path__
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUFABRIC_STATE", str(where / "state"))
        planes.__path__ = [*before, str(TOY_PLANES)]
        kinds.cache_clear()
        yield start_module_lab(here)
    planes.__path__ = before
    kinds.cache_clear()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", LEAVES)
def test_a_trunk_that_carries_all_keeps_its_vlans_until_all_planes_are_pushed_and_a_rollback_opens_it_again(
    system: str, lab: RunningLab
) -> None:
    entry = next(each for each in lab.description.devices if each["name"] == system)
    trunk = Trunk(
        system,
        site_folder(lab, entry, LEAVES[system]),
        hands(lab.description.directory)[system],
        lambda: str(lab.control.ask("running-config", device=system)),
    )
    trunk.push()
    listed = trunk.running()
    trunk.take_list_off()
    opened = trunk.running()
    assert opened != listed
    for plane in ("storage", "business"):
        with pytest.raises(RefusedError, match=f"{trunk.port}.*carries all"):
            trunk.push(plane)
    assert trunk.push("compute").changed == []
    assert trunk.running() == opened
    assert trunk.push().changed == [LEAVES[system]]
    assert trunk.running() == listed
    trunk.roll_back_last()
    assert trunk.running() == opened
    trunk.push()
    trunk.push("storage", gone="storage")
    assert not re.search(r"\b410\b", trunk.running())
    trunk.push("business", gone="storage")
    assert trunk.push().changed == [LEAVES[system]]
    assert trunk.running() == listed
