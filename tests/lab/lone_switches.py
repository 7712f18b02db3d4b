"""Switches at day 0, each a site of its own with its journal: what is done to one disturbs no other."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from by_hand import Hand
from described_lab import LabDescription, RunningLab
from two_planes import FIRST, LAB, LEAVES, Version, intent, network

from nornir_tasks.deploy.journal import JOURNAL, Journal
from nornir_tasks.deploy.ledger import Ledger, Step
from nornir_tasks.deploy.tasks import Push
from nornir_tasks.deploy.waves import Wave
from nornir_tasks.errors import GpufabricError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.push_lock import sole_push
from nornir_tasks.files.site import Site
from nornir_tasks.platforms.config_tree import Path as ConfigPath
from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases.progress import Work, ignore
from nornir_tasks.usecases.pushes import PastPush, pushes
from nornir_tasks.usecases.reach import Access, Reach, require_all
from nornir_tasks.usecases.site import Selection, SiteDesign, select

EACH_TIME = 8
"""Switches of one system that a lab is started with."""
LONGER_THAN_ANY_TIMER_S = 4000.0
REACH = Reach(workers=2)

Ending = Literal["killed", "interrupted"]


@dataclass
class LoneSwitch:
    """One switch, and the site that has it."""

    os: str
    address: str
    lab: RunningLab
    name: str
    """What the lab calls it."""
    directory: Path
    port: int
    """Of its API."""

    @property
    def device(self) -> str:
        """What the design calls it."""
        return LEAVES[self.os]

    def design(self, version: Version) -> SiteDesign:
        devices = load_devices(self.directory / "devices.yml")
        return SiteDesign(Site("lab", self.directory, intent(version), devices), network(version), load_catalogue())

    def select(self, version: Version, planes: Sequence[str]) -> Selection:
        return select(self.design(version), planes, [self.device])

    @property
    def journal(self) -> Journal:
        return Journal(self.design(FIRST).site.record_directory / JOURNAL)

    def running(self) -> str:
        """As the lab says: no connection is made."""
        return str(self.lab.control.ask("running-config", device=self.name))

    def all_timers_fire(self) -> None:
        self.lab.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)

    @property
    def hand(self) -> Hand:
        """A person at it."""
        description = self.lab.description
        return Hand(
            self.os,
            f"https://{self.address}:{self.port}",
            (description.username, description.password),
            str(self.lab.ca),
        )

    def push(self, version: Version, planes: Sequence[str], *adopted: ConfigPath) -> usecase.PushReport:
        """``adopted``: what it takes over of others."""
        reach = replace(REACH, adopt={self.device: adopted} if adopted else {})
        report = usecase.push(self.select(version, planes), reach, lambda _: True)
        report.require_done()
        return report

    def plan(self, version: Version, planes: Sequence[str]) -> usecase.PlanReport:
        return usecase.plan(self.select(version, planes), REACH)

    def roll_back(self, version: Version, number: int) -> usecase.PushReport:
        report = usecase.rollback(self.design(version), number, REACH, lambda _: True, limit=[self.device])
        report.require_done()
        return report

    def listed(self, version: Version) -> tuple[PastPush, ...]:
        return pushes(self.design(version))

    def push_cut_off(self, version: Version, planes: Sequence[str], at: Step, ending: Ending) -> None:
        """A push whose process is killed, or interrupted by Ctrl-C, as it reaches a step."""
        child = os.fork()
        if child == 0:
            try:
                with suppress(GpufabricError):
                    self._push_until(version, planes, Cut(at, ending))
                os._exit(0)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == (9 if ending == "killed" else 0)

    def _push_until(self, version: Version, planes: Sequence[str], cut: Cut) -> None:
        selection, access, journal = self.select(version, planes), Access(REACH, ignore), self.journal
        entries, dead = journal.open_entries(), journal.candidates()
        state = selection.design.site.record_directory
        with sole_push(state, "push") as lock, access.fleet(selection.design, selection) as switches:
            plans = require_all(
                access.read(Work.READ, 1, lambda report: switches.survey(journal, entries, report)),
            )
            number = journal.begin("push", plans[self.device].owners, [self.device])
            lock.note_push(number)
            ledger = CutLedger(switches.ledger().timers_s, cut=cut)
            noted = Push(journal, number, "lab", dead, entries, plans, ledger)
            require_all(switches.push([Wave("all", (self.device,))], noted, lambda _: None))


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a push ends, and how."""

    at: Step
    ending: Ending


@dataclass(slots=True)
class CutLedger(Ledger):
    """Of a push that ends before its time."""

    cut: Cut = field(kw_only=True)

    def note(self, device: str, step: Step) -> None:
        Ledger.note(self, device, step)
        if step is self.cut.at:
            if self.cut.ending == "killed":
                os._exit(9)
            self.stop()


@dataclass
class Switches:
    """Gives switches that nobody has touched; starts labs of them as they are asked for."""

    start: Callable[[LabDescription], RunningLab]
    where: Path
    free: dict[str, list[LoneSwitch]] = field(default_factory=dict)
    labs: int = 0

    def fresh(self, system: str) -> LoneSwitch:
        if not self.free.get(system):
            self.free[system] = self._started(system)
        return self.free[system].pop()

    def _started(self, system: str) -> list[LoneSwitch]:
        self.labs += 1
        here = LabDescription(self.where / f"{system}-{self.labs}")
        asn = network(FIRST).device(LEAVES[system]).asn
        more = {"nvue": {"release": "5.16.0"}, "nxos": {"ports": [f"Ethernet1/{n}" for n in range(1, 35)]}}
        for number in range(EACH_TIME):
            here.add_device(f"{system}-{number}", system, asn=asn, **more.get(system, {}))
        lab = self.start(here)
        return [self._site(lab, each, system) for each in here.devices]

    def _site(self, lab: RunningLab, entry: dict[str, object], system: str) -> LoneSwitch:
        folder = site_folder(lab, entry, LEAVES[system])
        name, port = str(entry["name"]), int(str(entry["api_port"]))
        return LoneSwitch(system, str(entry["address"]), lab, name, folder, port)


def site_folder(lab: RunningLab, entry: dict[str, object], device: str) -> Path:
    """A site's folder with one switch of a lab, which its design calls ``device``."""
    folder = lab.description.directory / f"site-{entry['name']}"
    (folder / ".secrets").mkdir(parents=True)
    (folder / "fabric.yml").write_text(LAB.read_text())
    secret = folder / ".secrets" / "switch"
    secret.touch(mode=0o600)
    secret.write_text(lab.description.password)
    listed = ", ".join(f"{key}: {entry[key]}" for key in ("address", "api_port", "ssh_port"))
    (folder / "devices.yml").write_text(
        f"username: {lab.description.username}\npassword: !secret switch\nca: {lab.ca}\n"
        f"known_hosts: {lab.known_hosts}\ndevices:\n  {device}: {{{listed}}}\n"
    )
    return folder
