"""EOS's Zero Touch Provisioning: a factory switch, its script, and the restart with what that installed.

Sources: docs/day0.md (EOS user manual "Initial switch access"; arista-eosplus/ztpserver 1f5d433c docs/overview.rst).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ..engine import EOS, Tree, load_text
from ..factory_clock import FactoryClock
from ..first_boot import FirstBootError, Run, mac_of
from ..lab_context import LabContext
from ..spec import DeviceSpec
from .grammar import eos_grammar
from .shell import CommandFailedError
from .twin import EosTwin

_COPY = re.compile(r"copy file:(?P<source>/\S+) (?P<place>flash|sslkey|certificate):(?P<name>[\w.-]+)")
_CLOCK = re.compile(r"clock set (\d\d:\d\d:\d\d \d{1,2} [A-Z][a-z]{2} \d{4})")
"""EOS user manual, "System Clock and Time Protocols": clock set 08:15:24 14 Jan 2013; a factory switch is in UTC."""
_FACTORY = "username admin privilege 15 role network-admin nopassword\n"


class EosFactory:
    """A switch without startup-config: it waits for its first file."""

    programs = ("FastCli", "logger", "ip")

    def __init__(self, device: DeviceSpec, twin: EosTwin, lab: LabContext) -> None:
        self._device, self._twin, self._lab = device, twin, lab
        self.clock = FactoryClock(device.clock_off_s)
        self._files: dict[tuple[str, str], bytes] = {}
        twin.api.as_delivered()
        twin.configuration.running = self._loaded(_FACTORY)
        twin.configuration.startup = Tree(eos_grammar(), EOS)

    def headers(self) -> Mapping[str, str]:
        """As switches of 4.32 send them."""
        return {
            "X-Arista-SystemMAC": mac_of(self._device),
            "X-Arista-ModelName": self._device.model,
            "X-Arista-Serial": self._device.serial,
            "X-Arista-SoftwareVersion": self._device.release,
        }

    def prepare(self, script: bytes, scratch: Path) -> Run:
        """``#!`` makes a script; any other file is the startup configuration."""
        if not script.startswith(b"#!"):
            self._files["flash", "startup-config"] = script
            return Run(("true",))
        file = scratch / "script"
        file.write_bytes(script)
        file.chmod(0o700)
        return Run((str(file),))

    async def call(self, program: str, arguments: list[str], scratch: Path) -> str:
        """``FastCli -p 15 -c COMMAND`` in this switch's command line; files that it copies in come from the script."""
        if program == "ip":
            return f"2: ma1: <UP> link/ether {mac_of(self._device)} brd ff:ff:ff:ff:ff:ff\n"
        if program == "logger":
            return ""
        if arguments[:3] != ["-p", "15", "-c"] or len(arguments) != 4:
            raise FirstBootError("usage: FastCli -p PRIVILEGE -c COMMAND")
        found = _COPY.fullmatch(arguments[3])
        if found:
            return self._copy(found, scratch)
        if found := _CLOCK.fullmatch(arguments[3]):
            return f"{self.clock.set_by(found[1], '%H:%M:%S %d %b %Y')}timezone is UTC\n"
        try:
            answer = self._twin.shell("root").run(arguments[3], None, is_text=True)
        except CommandFailedError as error:
            raise FirstBootError(f"% {error.words}") from error
        return str(answer.get("output", ""))

    def _copy(self, found: re.Match[str], scratch: Path) -> str:
        source = Path(found["source"])
        if not source.is_relative_to(scratch) or not source.is_file():
            raise FirstBootError(f"% Error copying file:{source} (No such file or directory)")
        content = source.read_bytes()
        if found["place"] != "flash" and b"-----BEGIN" not in content:
            raise FirstBootError(f"% Error copying file:{source} (not in PEM format)")
        self._files[found["place"], found["name"]] = content
        return "Copy completed successfully.\n"

    def finish(self) -> None:
        """Restart: the startup configuration becomes the running one."""
        startup = self._files.get(("flash", "startup-config"))
        if startup is None:
            raise FirstBootError("ZTP: no startup-config was installed: starting over")
        tree = self._loaded(startup.decode())
        self._install()
        self._twin.configuration.startup = tree.copy()
        self._twin.configuration.replace(tree)
        if not self._twin.is_reachable():
            raise FirstBootError(
                "eAPI does not answer: its address, its VRF or the certificate of its profile is missing"
            )

    def _loaded(self, text: str) -> Tree:
        tree = self._twin.configuration.factory.copy()
        errors = load_text(tree, self._twin.configuration.context, text)
        if errors:
            raise FirstBootError("; ".join(f"startup-config line {number}: {error}" for number, error in errors))
        return tree

    def _install(self) -> None:
        """Certificates with a key of the same name are there for TLS profiles."""
        for (place, file), certificate in self._files.items():
            name = file.removesuffix(".crt")
            key = self._files.get(("sslkey", f"{name}.key"))
            if place == "certificate" and key is not None:
                try:
                    self._lab.certificates.install(self._device, name, certificate, key)
                except OSError as error:
                    raise FirstBootError(f"{file}: not the certificate of {name}.key: {error}") from error


def build(device: DeviceSpec, twin: EosTwin, lab: LabContext) -> EosFactory:
    """Make this twin a factory switch."""
    return EosFactory(device, twin, lab)
