"""The first boot of a factory switch: it fetches a file, and executes it if it takes it for a script of its own.

The script is executed as it was fetched, by the interpreter that it names, in a folder of its own. Programs of this
machine do what they do on a switch (curl, openssl, sed); the switch's own (``nv``, ``FastCli``) are small programs that
ask this process, and end in the switch's own grammar. What each system does, with sources: docs/day0.md.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .factory_clock import ClockError, FactoryClock
from .spec import DeviceSpec

TIMEOUT_S = 120.0
"""A script that has not ended by then is ended."""
_FETCH_TIMEOUT_S = 20.0
_COMMAND = Path(__file__).with_name("switch_command.py")


class FirstBootError(Exception):
    """The first boot fails here; the text is what the console shows."""


@dataclass(frozen=True, slots=True)
class FirstBootReport:
    """How a first boot ended. ``log``: the console."""

    log: tuple[str, ...]
    is_done: bool


@dataclass(frozen=True, slots=True)
class Run:
    """How a script is executed: the command line, and what its environment has besides the path."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


class Factory(Protocol):
    """One factory switch, whatever its operating system: ``build(device, twin, lab)`` of ``<os>/first_boot.py``."""

    programs: tuple[str, ...]
    """The switch's own programs."""
    clock: FactoryClock

    def headers(self) -> Mapping[str, str]:
        """Of its request for the first file."""

    def prepare(self, script: bytes, scratch: Path) -> Run:
        """What it executes. Raises FirstBootError for what it does not take for a script."""

    async def call(self, program: str, arguments: list[str], scratch: Path) -> str:
        """One of its own programs was called: what it prints. Raises FirstBootError if it fails."""

    def finish(self) -> None:
        """Restart with what the script installed. Raises FirstBootError if the switch does not come up with it."""


def mac_of(device: DeviceSpec) -> str:
    """The MAC address of its management port."""
    digest = hashlib.sha256(device.name.encode()).hexdigest()
    return ":".join(["02", *(digest[at : at + 2] for at in range(0, 10, 2))])


async def first_boot(factory: Factory, url: str) -> FirstBootReport:
    """One attempt, from fetching to the restart. What fails leaves the switch as it was, and it may be tried again."""
    log: list[str] = []
    factory.clock.power_up()
    try:
        script = await asyncio.to_thread(_fetch, url, factory.headers())
        log.append(f"fetched {len(script)} bytes")
        with tempfile.TemporaryDirectory(prefix="first-boot-") as folder:
            await _execute(factory, script, Path(folder), log)
        factory.finish()
    except FirstBootError as error:
        return FirstBootReport((*log, str(error)), is_done=False)
    return FirstBootReport((*log, "done"), is_done=True)


def _fetch(url: str, headers: Mapping[str, str]) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise FirstBootError(f"{url}: no such way to fetch a file here")
    request = urllib.request.Request(url, headers=dict(headers))  # noqa: S310 - the scheme was looked at
    try:
        with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT_S) as answer:  # noqa: S310
            content: bytes = answer.read()
    except urllib.error.HTTPError as error:
        why = error.read(200).decode(errors="replace").strip()
        raise FirstBootError(f"the server says {error.code}: {why}") from error
    except OSError as error:
        raise FirstBootError(f"the file cannot be fetched: {error}") from error
    return content


async def _execute(factory: Factory, script: bytes, scratch: Path, log: list[str]) -> None:
    run = factory.prepare(script, scratch)
    programs = scratch / "bin"
    programs.mkdir()
    asks = scratch / "asks"
    ask = f'"{sys.executable}" -I "{_COMMAND}" "{asks}"'
    texts = {name: f'exec {ask} {name} "$@"\n' for name in factory.programs}
    texts |= {name: factory.clock.program(name, ask) for name in factory.clock.programs}
    for name, text in texts.items():
        program = programs / name
        program.write_text(f"#!/bin/sh\n{text}")
        program.chmod(0o700)
    server = await asyncio.start_unix_server(_answering(factory, scratch, log), asks)
    try:
        code = await _run(run, programs, scratch, log)
    finally:
        server.close()
    if code:
        raise FirstBootError(f"the script ended with {code}")


def _answering(
    factory: Factory, scratch: Path, log: list[str]
) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = json.loads(await reader.readline())
        name, arguments = call["program"], call["arguments"]
        try:
            if name in factory.clock.programs:
                output = await factory.clock.call(name, arguments)
            else:
                output = await factory.call(name, arguments, scratch)
            result = {"code": 0, "output": output}
        except (ClockError, FirstBootError) as error:
            log.append(f"{call['program']}: {error}")
            result = {"code": 1, "output": f"{error}\n"}
        writer.write(json.dumps(result).encode() + b"\n")
        await writer.drain()
        writer.close()

    return answer


async def _run(run: Run, programs: Path, scratch: Path, log: list[str]) -> int:
    environment = {
        "PATH": f"{programs}:/usr/sbin:/usr/bin:/bin",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        **run.environment,
    }
    process = await asyncio.create_subprocess_exec(
        *run.command,
        cwd=scratch,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    except TimeoutError:
        os.killpg(process.pid, 9)
        await process.wait()
        raise FirstBootError(f"the script did not end within {TIMEOUT_S:g} s") from None
    log.extend(output.decode(errors="replace").splitlines())
    return process.returncode or 0
