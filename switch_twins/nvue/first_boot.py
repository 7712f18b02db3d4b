"""Cumulus Linux's Zero Touch Provisioning: a factory switch, its script, and what NVUE makes of it.

Sources: docs/day0.md (CumulusNetworks/docs 7ab50b0a, Zero-Touch-Provisioning-ZTP.md; NVUE-API.md).
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ..factory_clock import FactoryClock
from ..first_boot import FirstBootError, Run, mac_of
from ..lab_context import LabContext
from ..spec import DeviceSpec
from .access import DEFAULT_PASSWORD
from .autofill import complete, hash_password
from .device import NvueTwin
from .nvset import CommandError, to_patch
from .revisions import Revision, RevisionError
from .tree import Tree, get_or, merge

_MARKER = b"CUMULUS-AUTOPROVISIONING"
_APPLY_S = 30.0
_FINAL = ("applied", "applied_and_saved", "invalid", "ays_fail")


class NvueFactory:
    """A switch that was not configured yet: it waits for its script."""

    programs = ("nv", "ztp", "decode-syseeprom", "logger", "ip")

    def __init__(self, device: DeviceSpec, twin: NvueTwin, lab: LabContext) -> None:
        self._device, self._twin, self._lab = device, twin, lab
        self.clock = FactoryClock(device.clock_off_s)
        self._pending: Revision | None = None
        self._is_off = False
        twin.api.as_delivered()
        running = twin.store.running
        classes = {key: get_or(running, {}, "system", "aaa", key) for key in ("class", "role")}
        account = {
            "full-name": "cumulus,,,",
            "hashed-password": hash_password(DEFAULT_PASSWORD),
            "role": "system-admin",
        }
        running.clear()
        running.update(
            {
                "interface": {"eth0": {"type": "eth"}},
                "system": {
                    "aaa": {**classes, "user": {"cumulus": account}},
                    "api": {"state": "enabled"},
                    "hostname": "cumulus",
                },
            }
        )
        twin.store.startup = copy.deepcopy(running)

    def headers(self) -> Mapping[str, str]:
        """As the manual lists them."""
        return {
            "User-Agent": "CumulusLinux-AutoProvision/0.4",
            "CUMULUS-ARCH": "x86_64",
            "CUMULUS-PRODUCTNAME": self._device.model,
            "CUMULUS-SERIAL": self._device.serial,
            "CUMULUS-MGMT-MAC": mac_of(self._device),
            "CUMULUS-VERSION": self._device.release,
        }

    def prepare(self, script: bytes, scratch: Path) -> Run:
        """A script in any language, with the marker somewhere in it."""
        if _MARKER not in script or not script.startswith(b"#!"):
            raise FirstBootError("ZTP: no marker CUMULUS-AUTOPROVISIONING in the file")
        file = scratch / "script"
        file.write_bytes(script)
        file.chmod(0o700)
        return Run((str(file),))

    async def call(self, program: str, arguments: list[str], scratch: Path) -> str:
        """One of the switch's programs."""
        if program == "decode-syseeprom" and arguments in (["-e"], ["--serial"]):
            return f"{self._device.serial}\n"
        if program == "ztp" and arguments == ["-d"]:
            self._is_off = True
            return ""
        if program == "ip":
            return (
                f"2: eth0: <UP> link/ether {mac_of(self._device)} brd ff:ff:ff:ff:ff:ff\n"
                if "link" in arguments
                else ""
            )
        if program == "logger":
            return ""
        if program == "nv":
            return await self._nv(arguments, scratch)
        raise FirstBootError(f"{program}: no such arguments: {' '.join(arguments)}")

    async def _nv(self, arguments: list[str], scratch: Path) -> str:
        match arguments:
            case ["action", "import", "system", "security", "certificate", name, *uris]:
                return self._import(name, dict(zip(uris[::2], uris[1::2], strict=False)), scratch)
            case ["config", "patch", file]:
                self._patch(self._read(Path(file), scratch))
            case ["set" | "unset", *_]:
                try:
                    self._patch(to_patch(self._twin.schema, " ".join(["nv", *arguments])))
                except CommandError as error:
                    raise FirstBootError(str(error)) from error
            case ["config", "apply", "-y" | "--assume-yes"]:
                return await self._apply()
            case ["config", "save"]:
                self._twin.store.request("applied", {"state": "save"})
            case _:
                raise FirstBootError(f"Error: Invalid Command: nv {' '.join(arguments)}")
        return ""

    def _import(self, name: str, uris: dict[str, str], scratch: Path) -> str:
        files = [Path(uris.get(f"uri-{kind}-key", "").removeprefix("file://")) for kind in ("public", "private")]
        if not all(file.is_relative_to(scratch) and file.is_file() for file in files):
            raise FirstBootError(f"Error: certificate {name} cannot be imported: no such file")
        certificate, key = (file.read_bytes() for file in files)
        try:
            self._lab.certificates.install(self._device, name, certificate, key)
        except OSError as error:
            raise FirstBootError(f"Error: certificate {name} cannot be imported: {error}") from error
        return "Action succeeded\n"

    def _read(self, file: Path, scratch: Path) -> Tree:
        """A file in the form of NVUE's startup file: a list with ``set``."""
        if not file.is_relative_to(scratch) or not file.is_file():
            raise FirstBootError(f"Error: cannot read {file}")
        try:
            found: Any = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
        except YAMLError as error:
            raise FirstBootError(f"Error: {error}") from error
        patch: Tree = {}
        for part in found if isinstance(found, list) else [{}]:
            merge(patch, part.get("set", {}))
        return patch

    def _patch(self, patch: Tree) -> None:
        mistakes = self._twin.schema.mistakes(patch)
        if mistakes:
            raise FirstBootError("; ".join(f"Error: {each}" for each in mistakes))
        if self._pending is None:
            self._pending = self._twin.store.create("root")
        complete(patch, self._pending.tree)
        merge(self._pending.tree, patch)

    async def _apply(self) -> str:
        revision, self._pending = self._pending, None
        if revision is None:
            raise FirstBootError("Error: no pending revision")
        wanted = str(get_or(revision.tree, "self-signed", "system", "api", "certificate"))
        if wanted != "self-signed" and not self._lab.certificates.has_installed(self._device, wanted):
            raise FirstBootError(f"Error: Config invalid at system.api.certificate: {wanted} is not imported")
        try:
            self._twin.store.request(revision.id, {"state": "apply", "auto-prompt": {"ays": "ays_yes"}})
        except RevisionError as error:
            raise FirstBootError(f"Error: {error.detail}") from error
        for _ in range(int(_APPLY_S / 0.02)):
            if revision.state in _FINAL:
                break
            await asyncio.sleep(0.02)
        if not revision.state.startswith("applied"):
            raise FirstBootError(f"Error: {revision.state}: {revision.issue}")
        return f"applied [rev_id: {revision.id}]\n"

    def finish(self) -> None:
        """ZTP is over, and the API answers."""
        if not self._is_off:
            raise FirstBootError("ZTP: the script left ZTP on")
        if not self._twin.is_reachable():
            raise FirstBootError("the API does not answer: its address, its VRF or its certificate is missing")


def build(device: DeviceSpec, twin: NvueTwin, lab: LabContext) -> NvueFactory:
    """Make this twin a factory switch."""
    return NvueFactory(device, twin, lab)
