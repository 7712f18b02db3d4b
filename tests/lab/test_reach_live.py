"""How switches are reached, pushed over the wire that it changes: a new certificate is served, then the old again."""

from __future__ import annotations

import hashlib
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from adopting import adopting
from described_lab import LabDescription, RunningLab
from lone_switches import LONGER_THAN_ANY_TIMER_S, REACH, site_folder
from one_push import transaction

from nornir_tasks.deploy.evidence import Evidence
from nornir_tasks.deploy.plan_one_switch import Rules
from nornir_tasks.deploy.transaction import Transaction
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.drivers import nxos as nxos_driver
from nornir_tasks.drivers import open_session
from nornir_tasks.errors import CommitError, LeftToTimerError, RefusedError, TrustError
from nornir_tasks.files.devices_file import load_devices
from nornir_tasks.files.site import Site
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.intent.keys.site import ManagementIntent
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases import push as usecase
from nornir_tasks.usecases import trust
from nornir_tasks.usecases.pushes import pushes
from nornir_tasks.usecases.site import SiteDesign, select
from tests.unit.design import managed, reached

SYSTEMS = {os: managed.DEVICES[f"{os} 5.16" if os == "nvue" else os] for os in ("eos", "nxos", "nvue")}
BY_SYSTEM = pytest.mark.parametrize("os", SYSTEMS)
RELEASES = {"nvue": {"release": "5.16.0"}, "nxos": {"ports": [f"Ethernet1/{n}" for n in range(1, 35)]}, "eos": {}}
EACH = 4
FIRST, SECOND = "fabric-2026", "fabric-2027"
GOLDENS = Path(__file__).parents[1] / "errors/devices"


@dataclass(frozen=True)
class Reached:
    """One switch of the lab, which has two further certificates."""

    lab: RunningLab
    os: str
    name: str
    folder: object

    @property
    def device(self) -> str:
        return SYSTEMS[self.os]

    @property
    def entry(self) -> dict[str, object]:
        return next(each for each in self.lab.description.devices if each["name"] == self.name)

    def design(self, policy: BaseIntent) -> SiteDesign:
        """The lab's rails, of which this one switch is reached."""
        made = reached.design(policy)
        address = ManagementAddress(str(self.entry["address"]), 24, "127.0.0.1")
        network = replace(made.network, management={self.device: address})
        intent = made.site.intent.model_copy(update={"management": ManagementIntent()})
        devices = load_devices(self.folder / "devices.yml")  # type: ignore[operator]
        return replace(made, network=network, site=Site("lab", self.folder, intent, devices))  # type: ignore[arg-type]

    def push(self, policy: BaseIntent) -> usecase.PushReport:
        """With leave to change the way to it, and what others have set there adopted."""
        allowed = replace(REACH, allow_management=frozenset({self.device}))
        chosen = select(self.design(policy), ["base"], [self.device])
        return usecase.push(chosen, adopting(chosen, allowed), lambda _: True)

    def transaction(self, policy: BaseIntent) -> Transaction:
        """The same push without a journal, by an operator in a hurry."""
        design = self.design(policy)
        there = endpoints(design.site, {self.device: self.os})[self.device].endpoint
        chosen = select(design, ["base"], [self.device])
        evidence = Evidence(adopted=adopting(chosen, REACH).adopt.get(self.device, ()))
        rules = Rules(reconnect_s=2.0, allow_management=True, evidence=evidence)
        return transaction(lambda: open_session(self.os, there), chosen[self.device], rules)

    @property
    def device_list(self) -> Path:
        """As the site has it: with the CA alone until somebody pins a certificate."""
        return self.folder / "devices.yml"  # type: ignore[operator,no-any-return]

    def trust(self) -> str:
        """What ``nornir trust`` does; the fingerprint that is pinned from now on."""
        design = self.design(reached.POLICY)
        found = trust.identified(design, trust.seen(design, self.device))
        trust.pin(design, found)
        return found.seen.fingerprint

    def roll_back(self) -> None:
        """Undo the last push."""
        site = self.design(reached.POLICY)
        allowed = replace(REACH, allow_management=frozenset({self.device}))
        undone = {each.undoes for each in pushes(site)}
        number = max(each.number for each in pushes(site) if each.verb == "push" and each.number not in undone)
        usecase.rollback(site, number, allowed, lambda _: True, limit=[self.device]).require_done()

    def running(self) -> str:
        return str(self.lab.control.ask("running-config", device=self.name))

    def all_timers_fire(self) -> None:
        self.lab.control.ask("advance-clock", seconds=LONGER_THAN_ANY_TIMER_S)

    def served(self) -> str:
        """The fingerprint of the certificate that a client is shown now."""
        pem = ssl.get_server_certificate((str(self.entry["address"]), int(str(self.entry["api_port"]))), timeout=5)
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


@pytest.fixture(scope="module")
def lab(start_module_lab: Callable[..., RunningLab], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    here = LabDescription(tmp_path_factory.mktemp("reach") / "lab")
    for os, device in SYSTEMS.items():
        for number in range(EACH):
            asn = managed.network().device(device).asn
            here.add_device(f"{os}-{number}", os, asn=asn, certificates=[FIRST, SECOND], **RELEASES[os])
    yield start_module_lab(here)


@pytest.fixture(scope="module")
def fresh(lab: RunningLab) -> Callable[[str], Reached]:
    """A switch of this system that nobody has pushed to."""
    free = {os: [f"{os}-{number}" for number in range(EACH)] for os in SYSTEMS}

    def made(os: str) -> Reached:
        name = free[os].pop()
        entry = next(each for each in lab.description.devices if each["name"] == name)
        return Reached(lab, os, name, site_folder(lab, entry, SYSTEMS[os]))

    return made


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_after_a_push_the_new_certificate_is_served_and_after_its_rollback_the_old_one(
    fresh: Callable[[str], Reached], os: str
) -> None:
    switch, policy = fresh(os), reached.POLICY
    before, own = switch.running(), switch.served()
    with pytest.raises(RefusedError, match="--allow-management"):
        usecase.push(select(switch.design(policy), ["base"], [switch.device]), REACH, lambda _: True).require_done()
    assert switch.running() == before
    switch.push(policy).require_done()
    first, pushed = switch.served(), switch.running()
    assert first != own
    again = switch.push(policy)
    again.require_done()
    assert (again.changed, switch.running(), switch.served()) == ([], pushed, first)
    switch.push(managed.altered(policy, api={"certificate": SECOND})).require_done()
    assert switch.served() not in {own, first}
    switch.roll_back()
    assert switch.served() == first
    switch.roll_back()
    assert switch.served() == own


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_list_that_keeps_the_tool_out_is_taken_back_by_the_timer_and_said_by_the_exit_code(
    fresh: Callable[[str], Reached], os: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nxos_driver, "RECONNECT_S", 3.0)
    switch = fresh(os)
    before, own = switch.running(), switch.served()
    policy = managed.settings(ntp=reached.POLICY.ntp, control_plane={"allowed": ("198.51.100.0/24",)})
    with pytest.raises(LeftToTimerError) as raised:
        switch.transaction(policy).run()
    assert raised.value.exit_code == CommitError.exit_code == 6
    switch.all_timers_fire()
    assert (switch.running(), switch.served()) == (before, own)


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_certificate_that_is_not_on_the_switch_is_taken_back_by_its_timer(
    fresh: Callable[[str], Reached], os: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nxos_driver, "RECONNECT_S", 3.0)
    switch = fresh(os)
    before, own = switch.running(), switch.served()
    run = switch.transaction(managed.altered(reached.POLICY, api={"certificate": "nowhere"}))
    # NVUE is asked how the apply ended until it answers: there the timer fires under our eyes
    soon = threading.Timer(4.0, switch.all_timers_fire)
    if os == "nvue":
        soon.start()
    with pytest.raises(CommitError if os == "nvue" else LeftToTimerError) as raised:
        run.run()
    assert raised.value.exit_code == CommitError.exit_code
    if os == "nvue":
        soon.join()
    else:
        with pytest.raises(OSError, match=r"(?i)alert|reset|eof"):
            switch.served()
        switch.all_timers_fire()
    assert (switch.running(), switch.served()) == (before, own)


@pytest.mark.sampled(1)
@BY_SYSTEM
def test_a_pinned_switch_gets_no_other_certificate_before_that_is_pinned(
    fresh: Callable[[str], Reached], os: str, request: pytest.FixtureRequest
) -> None:
    switch, policy = fresh(os), reached.POLICY
    before, by_authority = switch.running(), switch.device_list.read_text()
    assert switch.trust() == switch.served()
    pinned = switch.device_list.read_text()
    with pytest.raises(RefusedError, match=f"nornir trust {switch.device}") as refused:
        switch.push(policy)
    golden = GOLDENS / f"another-certificate-{os}.txt"
    text = f"exit {refused.value.exit_code}\n{refused.value}\n"
    if request.config.getoption("--update-golden"):
        golden.write_text(text)
    assert text == golden.read_text()
    assert switch.running() == before
    switch.push(managed.settings(ntp=policy.ntp)).require_done()  # what leaves the certificate alone goes through

    switch.device_list.write_text(by_authority)  # somebody who needs no pin: at its console
    switch.push(policy).require_done()
    switch.device_list.write_text(pinned)
    with pytest.raises(TrustError, match=f"nornir trust {switch.device}"):
        switch.push(policy)
    assert switch.trust() == switch.served()
    again = switch.push(policy)
    again.require_done()
    assert again.changed == []
    with pytest.raises(RefusedError, match=f"certificate {FIRST}, pinned"):
        switch.push(managed.altered(policy, api={"certificate": SECOND}))
