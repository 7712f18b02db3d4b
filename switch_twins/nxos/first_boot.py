"""NX-OS's PowerOn Auto Provisioning: a factory switch, its script, and the restart that replays a configuration.

Sources: docs/day0.md (Nexus 9000 Fundamentals Configuration Guide 10.6(x); datacenter/nexus9000 244912e1, poap.py).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from ..engine import load_text
from ..factory_clock import FactoryClock
from ..first_boot import FirstBootError, Run, mac_of
from ..lab_context import LabContext
from ..spec import DeviceSpec
from .day0 import bare_tree, device_context
from .store import FileError
from .twin import NxosTwin

_MD5 = re.compile(rb'^#md5sum="([0-9a-f]{32})"\n', re.MULTILINE)

_CLI = '''"""NX-OS's module: one command line, executed; its output."""
import subprocess


def cli(command):
    pipe = subprocess.PIPE
    done = subprocess.run(["vsh", "-c", command], stdout=pipe, stderr=pipe, universal_newlines=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout
'''
_VRF = '''"""NX-OS's module: which VRF the script's connections are made in."""


def set_global_vrf(name):
    if name not in ("default", "management"):
        raise ValueError("no such VRF: %s" % name)
'''
_SITE = '''"""/bootflash is a folder of this lab, and the time is the switch's: certificates are judged by it."""
import os
import ssl
import time

_chdir = os.chdir


def chdir(path):
    _chdir(os.environ["LAB_BOOTFLASH"] if path == "/bootflash" else path)


os.chdir = chdir
_time, _wrap_socket = time.time, ssl.SSLContext.wrap_socket


def now():
    with open(os.environ["LAB_CLOCK"]) as file:
        return _time() + float(file.read())


def wrap_socket(context, *arguments, **named):
    found = _wrap_socket(context, *arguments, **named)
    shown = found.getpeercert()
    for key, sign, why in (("notBefore", 1, "is not yet valid"), ("notAfter", -1, "has expired")):
        if shown and sign * (now() - ssl.cert_time_to_seconds(shown[key])) < 0:
            raise ssl.SSLCertVerificationError(1, "certificate verify failed: certificate " + why)
    return found


time.time, ssl.SSLContext.wrap_socket = now, wrap_socket
'''
_CLOCK = re.compile(r"clock set (\d\d:\d\d:\d\d \d{1,2} [A-Z][a-z]+ \d{4})")
"""M: Nexus 9000 Fundamentals Configuration Guide, "Manually Setting the Device Clock": time, day, month, year."""


class NxosFactory:
    """A switch without startup configuration: it waits for its script."""

    programs = ("vsh",)

    def __init__(self, device: DeviceSpec, twin: NxosTwin, lab: LabContext) -> None:
        self._device, self._twin, self._lab = device, twin, lab
        self.clock = FactoryClock(device.clock_off_s)
        self._scheduled = ""
        twin.api.as_delivered()
        twin.store.running = bare_tree(device_context(device), "switch")
        twin.store.startup = ""

    def headers(self) -> Mapping[str, str]:
        """From 10.2(1) on."""
        return {
            "User-Agent": "cisco-nxos",
            "X-Vendor-SystemMAC": mac_of(self._device),
            "X-Vendor-ModelName": self._device.model,
            "X-Vendor-Serial": self._device.serial,
            "X-Vendor-SoftwareVersion": self._device.release,
        }

    def prepare(self, script: bytes, scratch: Path) -> Run:
        """Python, with the MD5 of all its other lines in one of them."""
        shown = _MD5.search(script)
        if shown is None:
            raise FirstBootError("POAP: the script has no line #md5sum")
        if shown[1].decode() != hashlib.md5(_MD5.sub(b"", script), usedforsecurity=False).hexdigest():
            raise FirstBootError("POAP: MD5 of the script does not match")
        modules = scratch / "modules"
        (modules / "cisco").mkdir(parents=True)
        (modules / "cli.py").write_text(_CLI)
        (modules / "cisco" / "__init__.py").write_text("")
        (modules / "cisco" / "vrf.py").write_text(_VRF)
        (modules / "sitecustomize.py").write_text(_SITE)
        self.clock.keep_in(scratch / "clock")
        file = scratch / "poap.py"
        file.write_bytes(script)
        environment = {
            "PYTHONPATH": str(modules),
            "LAB_BOOTFLASH": str(self._twin.store.bootflash),
            "LAB_CLOCK": str(scratch / "clock"),
            "POAP_SERIAL": self._device.serial,
            "POAP_MGMT_MAC": mac_of(self._device),
            "POAP_VRF": "management",
            "POAP_PHASE": "DHCP",
        }
        return Run((sys.executable, str(file)), environment)

    async def call(self, program: str, arguments: list[str], scratch: Path) -> str:
        """One command line."""
        command = " ".join(arguments[1:])
        copied = re.fullmatch(r"copy bootflash:(\S+) scheduled-config", command)
        if copied:
            try:
                self._scheduled = self._twin.store.read(copied[1])
            except FileError as error:
                raise FirstBootError(str(error)) from error
            return "Copy complete.\n"
        if found := _CLOCK.fullmatch(command):
            return self.clock.set_by(found[1], "%H:%M:%S %d %B %Y")
        if command == "system no poap":
            return ""
        raise FirstBootError(f"% Invalid command: {command}")

    def finish(self) -> None:
        """Restart: the scheduled configuration is replayed, line by line, and saved."""
        if not self._scheduled:
            raise FirstBootError("POAP: the script scheduled no configuration: starting over")
        tree = bare_tree(device_context(self._device), "switch")
        errors = load_text(tree, device_context(self._device), self._scheduled)
        if errors:
            raise FirstBootError("; ".join(f"replay line {number}: {error}" for number, error in errors))
        self._install()
        self._twin.store.replace(tree)
        if not self._twin.is_api_reachable():
            raise FirstBootError("NX-API does not answer: its address, its VRF or its certificate is missing")
        self._twin.store.save()

    def _install(self) -> None:
        """Certificates on bootflash with a key of the same name are there for NX-API."""
        for certificate in self._twin.store.bootflash.glob("*.crt"):
            key = certificate.with_suffix(".key")
            if key.is_file():
                try:
                    self._lab.certificates.install(
                        self._device, certificate.stem, certificate.read_bytes(), key.read_bytes()
                    )
                except OSError as error:
                    raise FirstBootError(f"{certificate.name}: not the certificate of {key.name}: {error}") from error


def build(device: DeviceSpec, twin: NxosTwin, lab: LabContext) -> NxosFactory:
    """Make this twin a factory switch."""
    return NxosFactory(device, twin, lab)
