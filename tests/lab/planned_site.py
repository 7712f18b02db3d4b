"""A site of four switches that has pushes approved by two, and plans of it without a lab: switches are at day 0."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from at_terminal import small_site
from typed_switches import SWITCHES, Switch

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.planned import changed_since
from nornir_tasks.deploy.summary import PlanSummary, Read, summary
from nornir_tasks.drivers.session import Facts
from nornir_tasks.errors import Problem
from nornir_tasks.usecases import plan_file
from nornir_tasks.usecases.push import PlanReport
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import SiteDesign, load, select

PEOPLE = ("alice", "bob")
DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}
AT = datetime(2026, 12, 1, 8, tzinfo=UTC)


def make_keys(folder: Path) -> Path:
    """Keys of the two who may approve, and of eve, who may not."""
    for name in (*PEOPLE, "eve"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
        subprocess.run(command, check=True)
    return folder


def have_approved(site: Path, keys: Path) -> None:
    """From now on pushes of this site need two signatures."""
    file = site / "fabric.yml"
    text = file.read_text()
    assert text.count("\npolicy:\n") == 1
    policy = "\npolicy:\n  approval: {signers: allowed_signers, at_least: 2, valid_hours: 8}\n"
    file.write_text(text.replace("\npolicy:\n", policy))
    allowed = "".join(f"{name} {(keys / f'{name}.pub').read_text()}" for name in PEOPLE)
    (site / "allowed_signers").write_text(f"# who approves\n{allowed}")


def facts(device: str, serial: str = "") -> Facts:
    """Who answers."""
    return Facts(device, "1.2.3", "MODEL", serial or f"SERIAL-{device}")


@dataclass
class Typed:
    """A switch that runs just this, as a session shows it: with secrets by name."""

    text: str

    def running(self) -> str:
        return self.text


@dataclass
class PlannedSite:
    """One site, and what its switches run."""

    folder: Path
    keys: Path
    switches: dict[str, Switch | Typed] = field(default_factory=dict)

    @classmethod
    def made(cls, where: Path, keys: Path) -> PlannedSite:
        folder = small_site(where).site
        have_approved(folder, keys)
        self = cls(folder, keys)
        selection = select(self.design)
        for name in selection:
            config = selection[name].config
            self.switches[name] = SWITCHES[config.os].at_day0(config)
        return self

    @property
    def design(self) -> SiteDesign:
        return load(self.folder)

    def summaries(self) -> dict[str, PlanSummary]:
        """The plan of each switch, with what it runs."""
        selection, found = select(self.design), {}
        for name in selection:
            wanted = selection[name]
            plan = device_plan(wanted, self.switches[name].running())
            read = Read.of(facts(name), wanted.platform.to_text(plan.running))
            found[name] = replace(summary(plan, wanted), read=read)
        return found

    def plan(self, at: datetime = AT) -> Path:
        """Its file, signed by no one."""
        plans = self.summaries()
        report = PlanReport(plans, tuple(plans))
        content = plan_file.made(report, select(self.design), Reach(), "nornir plan", at)
        file = self.folder / "plan.json"
        file.write_bytes(content)
        return file

    def sign(self, file: Path, *names: str, namespace: str = "gpufabric-plan") -> None:
        """As a person does it without gpufabric."""
        for name in names:
            command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(self.keys / name), "-n", namespace]
            done = subprocess.run(command, input=file.read_bytes(), check=True, capture_output=True)
            file.with_name(f"{file.name}.{name}.sig").write_bytes(done.stdout)

    def since(self, file: Path, device: str, *, runs: str = "", serial: str = "") -> list[Problem]:
        """What a push of this plan would be refused for on this switch. ``runs``: what it runs now, if not the same."""
        planned = plan_file.read(self.design, file).planned.switches[device]
        wanted = select(self.design)[device]
        plan = device_plan(wanted, runs or self.switches[device].running())
        return list(changed_since(planned, summary(plan, wanted), plan, wanted, facts(device, serial)))
