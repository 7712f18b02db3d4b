"""All twins of one lab, built from its specification and served from one asyncio loop."""

from __future__ import annotations

import asyncio
import errno
import functools
import importlib
import importlib.util
import pkgutil
import stat
from collections.abc import Callable
from pathlib import Path

from .certificates import LabCertificates
from .clock import RealClock
from .errors import Problem, TwinError
from .fabric import FabricSim
from .first_boot import Factory, FirstBootReport, first_boot
from .lab_context import LabContext
from .routed.fabric import RoutedFabric
from .spec import DeviceSpec, LabSpec
from .traffic.player import Player
from .twin import Twin


class AddressTakenError(TwinError):
    """Another process listens on an address of the lab."""


class LabServer:
    """Builds and serves the devices of a lab. Must be made inside a running asyncio loop."""

    def __init__(self, spec: LabSpec) -> None:
        self.spec = spec
        self.clock = RealClock()
        self.fabric = _fabric(spec, self.clock)
        self.certificates = LabCertificates(spec.ca, spec.directory / "certificates")
        self.known_hosts = spec.directory / "known_hosts"
        self.context = LabContext(
            site=spec.site,
            directory=spec.directory,
            username=spec.username,
            password=read_password(spec.password_file),
            clock=self.clock,
            certificates=self.certificates,
            fabric=self.fabric,
        )
        self.twins: dict[str, Twin] = {}
        self.player = Player(self.fabric, self.twins, self.clock)
        self.factory: dict[str, Factory] = {}
        """Switches as delivered: they do not answer until their first boot."""

    async def start(self) -> None:
        """Build every twin, then listen on all of them. Raises TwinError that names every device that could not."""
        self.build()
        self.certificates.write_known_hosts(self.spec.devices, self.known_hosts)
        self.fabric.settle()
        await self._listen()

    def build(self) -> None:
        """Build every twin and attach it to the fabric. Raises TwinError that names every device that has none."""
        problems: list[Problem] = []
        for device in self.spec.devices:
            try:
                twin = build_twin(device, self.context)
            except TwinError as error:
                problems += error.problems
                continue
            twin.requests.rtt_s = self.spec.rtt_ms / 1000
            self.twins[device.name] = twin
            if device.begins == "factory":
                self.factory[device.name] = build_factory(device, twin, self.context)
            self.fabric.attach(twin)
        if problems:
            raise TwinError(problems)

    async def _listen(self) -> None:
        listening = [twin for name, twin in self.twins.items() if name not in self.factory]
        results = await asyncio.gather(*(twin.start() for twin in listening), return_exceptions=True)
        failed = {twin: r for twin, r in zip(listening, results, strict=True) if isinstance(r, BaseException)}
        if not failed:
            return
        await self.stop()
        problems = []
        for twin, error in failed.items():
            if not isinstance(error, OSError):
                raise error
            problems.append(Problem(twin.name, f"cannot listen on {twin.device.address}: {error}"))
        is_taken = all(isinstance(e, OSError) and e.errno == errno.EADDRINUSE for e in failed.values())
        raise (AddressTakenError if is_taken else TwinError)(problems)

    async def first_boot(self, name: str, url: str) -> FirstBootReport:
        """Boot a factory switch, which DHCP sent to this URL. Once that is done, it answers like any other.

        Raises TwinError for a switch that is none, or that has booted.
        """
        factory = self.factory.get(name)
        if factory is None:
            raise TwinError(Problem(name, "no factory switch, or it has booted", found=self.twins[name].device.begins))
        report = await first_boot(factory, url)
        if report.is_done:
            del self.factory[name]
            await self.twins[name].start()
        return report

    # -- a technician's hands --------------------------------------------------------------------------------------

    async def switch_off(self, name: str) -> None:
        """Take a switch's power; no effect on one that has none."""
        twin = self.twins[name]
        self.fabric.switch_off(name)
        twin.requests.lose_power()
        await twin.stop()

    async def switch_on(self, name: str) -> None:
        """Give a switch its power: it boots with what was saved. No effect on one that has it."""
        if not self.fabric.is_off(name):
            return
        twin = self.twins[name]
        twin.boot()
        self.fabric.counted.forget(name)
        if name not in self.factory:
            await twin.start()
        self.fabric.switch_on(name)

    def freeze(self, name: str) -> None:
        """Hang a switch: what it is asked waits. No effect on one that has no power."""
        self.fabric.freeze(name)
        if not self.fabric.is_off(name):
            self.twins[name].requests.hang()

    def thaw(self, name: str) -> None:
        """Let a switch that hangs go on: it answers what waited."""
        self.fabric.thaw(name)
        self.twins[name].requests.go_on()

    async def stop(self) -> None:
        """Stop every twin; one that fails to stop does not prevent the others."""
        self.player.stop()
        for twin in self.twins.values():
            twin.requests.lose_power()  # who waits for an answer does not hold up the end
        await asyncio.gather(*(twin.stop() for twin in self.twins.values()), return_exceptions=True)
        self.fabric.close()


def _fabric(spec: LabSpec, clock: RealClock) -> FabricSim:
    if spec.routed is None:
        return FabricSim(spec.cables, spec.hosts, clock)
    return RoutedFabric(spec, spec.routed, clock)


def build_twin(device: DeviceSpec, lab: LabContext) -> Twin:
    """The twin of one device. Raises TwinError for an operating system that has none."""
    build = builder(device.os)
    if build is None:
        raise TwinError(Problem(device.name, "there is no twin of this OS", ", ".join(known_systems()), device.os))
    return build(device, lab)


def build_factory(device: DeviceSpec, twin: Twin, lab: LabContext) -> Factory:
    """Make a twin a switch as delivered. Raises TwinError for an operating system that has no first boot."""
    name = f"switch_twins.{device.os}.first_boot"
    if importlib.util.find_spec(name) is None:
        raise TwinError(Problem(device.name, "there is no first boot of this OS", found=device.os))
    factory: Factory = importlib.import_module(name).build(device, twin, lab)
    return factory


def known_systems() -> tuple[str, ...]:
    """Every operating system with a twin: the sub-packages here that have a function ``build``."""
    return tuple(name for name in _sub_packages() if builder(name) is not None)


def builder(system: str) -> Callable[[DeviceSpec, LabContext], Twin] | None:
    """The builder of an operating system's twins; None if it has no twin. Imports that system's twin, no other."""
    if system not in _sub_packages():
        return None
    build: Callable[[DeviceSpec, LabContext], Twin] | None
    build = getattr(importlib.import_module(f"switch_twins.{system}"), "build", None)
    return build


def _sub_packages() -> tuple[str, ...]:
    return _packages_in(tuple(importlib.import_module("switch_twins").__path__))


@functools.cache
def _packages_in(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Searched once, not once per device."""
    return tuple(sorted(each.name for each in pkgutil.iter_modules(folders) if each.ispkg))


def read_password(path: Path) -> str:
    """The lab login's password: the file's first line. Raises TwinError if others may read the file."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TwinError(Problem(str(path), f"the password file cannot be read: {error.strerror}")) from error
    if stat.S_IMODE(mode) & 0o077:
        raise TwinError(
            Problem(str(path), "the password file may be read by others", "mode 0600", oct(stat.S_IMODE(mode)))
        )
    return text.splitlines()[0] if text.strip() else _no_password(path)


def _no_password(path: Path) -> str:
    raise TwinError(Problem(str(path), "the password file is empty"))
