"""All twins of one lab, built from its specification and served from one asyncio loop."""

from __future__ import annotations

import asyncio
import errno
import importlib
import stat
from pathlib import Path

from nornir_tasks.errors import LabError, Problem

from .certificates import LabCertificates
from .clock import RealClock
from .fabric import FabricSim
from .spec import DeviceSpec, LabSpec
from .twin import LabContext, Twin

KNOWN_OS = ("eos", "nvue", "nxos")


class AddressTakenError(LabError):
    """Somebody else listens on an address of the lab."""


class LabServer:
    """Builds and serves the devices of a lab. Must be made inside a running asyncio loop."""

    def __init__(self, spec: LabSpec) -> None:
        self.spec = spec
        self.clock = RealClock()
        self.fabric = FabricSim(spec.cables, spec.hosts, self.clock)
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

    async def start(self) -> None:
        """Build every twin, then listen on all of them. Raises LabError naming every device that could not."""
        problems: list[Problem] = []
        for device in self.spec.devices:
            try:
                twin = build_twin(device, self.context)
            except LabError as error:
                problems += error.problems
                continue
            twin.requests.rtt_s = self.spec.rtt_ms / 1000
            self.twins[device.name] = twin
            self.fabric.attach(twin)
        if problems:
            raise LabError(problems)
        self.certificates.write_known_hosts(self.spec.devices, self.known_hosts)
        self.fabric.settle()
        await self._listen()

    async def _listen(self) -> None:
        results = await asyncio.gather(*(twin.start() for twin in self.twins.values()), return_exceptions=True)
        failed = {twin: r for twin, r in zip(self.twins.values(), results, strict=True) if isinstance(r, BaseException)}
        if not failed:
            return
        await self.stop()
        problems = []
        for twin, error in failed.items():
            if not isinstance(error, OSError):
                raise error
            problems.append(Problem(twin.name, f"cannot listen on {twin.device.address}: {error}"))
        is_taken = all(isinstance(e, OSError) and e.errno == errno.EADDRINUSE for e in failed.values())
        raise (AddressTakenError if is_taken else LabError)(problems)

    async def stop(self) -> None:
        """Stop every twin; one that fails to stop does not keep the others up."""
        await asyncio.gather(*(twin.stop() for twin in self.twins.values()), return_exceptions=True)


def build_twin(device: DeviceSpec, lab: LabContext) -> Twin:
    """The twin of one device. Raises LabError for an operating system that has none."""
    if device.os not in KNOWN_OS:
        raise LabError(Problem(device.name, "there is no twin of this OS", ", ".join(KNOWN_OS), device.os))
    module = importlib.import_module(f"nornir_tasks.lab.twins.{device.os}")
    twin: Twin = module.build(device, lab)
    return twin


def read_password(path: Path) -> str:
    """The lab login's password: the file's first line. Raises LabError if others may read the file."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise LabError(Problem(str(path), f"the password file cannot be read: {error.strerror}")) from error
    if stat.S_IMODE(mode) & 0o077:
        raise LabError(
            Problem(str(path), "the password file may be read by others", "mode 0600", oct(stat.S_IMODE(mode)))
        )
    return text.splitlines()[0] if text.strip() else _no_password(path)


def _no_password(path: Path) -> str:
    raise LabError(Problem(str(path), "the password file is empty"))
