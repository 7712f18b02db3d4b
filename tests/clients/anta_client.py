"""ANTA as a library against one switch of the lab: over eAPI, with the lab's CA verified, and nothing of it cached."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from anta.device import AsyncEOSDevice, SSLParameters
from anta.result_manager.models import AntaTestStatus, TestResult
from at_terminal import Operator
from case import Case

SUCCESS, FAILURE = AntaTestStatus.SUCCESS, AntaTestStatus.FAILURE
Fault = Callable[["Lab"], AbstractContextManager[None]]


@dataclass
class Lab:
    """The pushed lab: its switches, and what the intent's design says of them."""

    operator: Operator
    switches: dict[str, AsyncEOSDevice] = field(default_factory=dict)

    @cached_property
    def design(self) -> dict[str, Any]:
        """``nornir design --json``."""
        found: dict[str, Any] = self.operator.json("design")
        return found

    @cached_property
    def wanted(self) -> dict[str, list[str]]:
        """Each EOS switch's lines as the intent renders them, without what stands before and after."""
        with TemporaryDirectory() as folder:
            self.operator.run("render", "--out", folder)
            return {path.stem: path.read_text().splitlines() for path in Path(folder).glob("*.cfg")}

    def word(self, name: str, pattern: str) -> str:
        """The first group of the first rendered line of a switch that has this form."""
        found = (re.fullmatch(pattern, line.strip()) for line in self.wanted[name])
        return next(each[1] for each in found if each)

    @cached_property
    def hands(self) -> dict[str, Any]:
        """Somebody at each switch."""
        return self.operator.hands()

    def device(self, name: str) -> dict[str, Any]:
        """A switch in the design."""
        return next(each for each in self.design["devices"] if each["name"] == name)

    def links(self, name: str, kind: str) -> list[dict[str, Any]]:
        """A switch's links of one kind, each with ``own`` and ``far`` as this switch sees them."""
        found = []
        for link in self.design["links"]:
            ends = link["upper"], link["lower"]
            for own, far in (ends, ends[::-1]):
                if own["device"] == name and link["kind"] == kind and not own["port"].startswith("Management"):
                    found.append({**link, "own": own, "far": far})
        return found

    def ask(self, name: str, test: str, **inputs: Any) -> TestResult:
        """Run one test of ANTA ("module.VerifyThis") on a switch."""
        module, _, kind = test.rpartition(".")
        kinds = importlib.import_module(f"anta.tests.{module}")
        return asyncio.run(self._run(name, getattr(kinds, kind), inputs))

    async def _run(self, name: str, kind: Any, inputs: dict[str, Any]) -> TestResult:
        """A client for each run: its connection belongs to the event loop."""
        device = self._connect(name)
        try:
            await device.refresh()
            assert device.established, f"ANTA does not reach {name}"
            run = kind(device, inputs=inputs or None)
            await run.test()
            result: TestResult = run.result
            return result
        finally:
            await device.disconnect()

    def _connect(self, name: str) -> AsyncEOSDevice:
        hand = self.hands[name]
        url = urlsplit(hand.url)
        trusted = {"SSL_CERT_FILE": hand.ca, "NO_PROXY": "*"}
        with patch.dict(os.environ, trusted):
            return AsyncEOSDevice(
                url.hostname or "",
                *hand.auth,
                name=name,
                port=url.port,
                timeout=20,
                disable_cache=True,
                ssl_params=SSLParameters(verify=True, check_hostname=True),
            )

    # -- faults ----------------------------------------------------------------------------------------------------

    @contextmanager
    def typed(self, switch: str, lines: list[str], back: list[str]) -> Iterator[None]:
        """Configuration lines of an operator, and those that take them back."""
        self.hands[switch].configure(*lines)
        try:
            yield
        finally:
            self.hands[switch].configure(*back)

    @contextmanager
    def seeded(self, switch: str, what: str, on: str, value: float | str) -> Iterator[None]:
        """A counter or a state that nothing in the lab causes."""
        self.operator.control.ask("seed", device=switch, what=what, on=on, value=value)
        try:
            yield
        finally:
            self.operator.control.ask("seed", device=switch, what=what, on=on, value=None)

    @contextmanager
    def run_exec(self, switch: str, command: str, back: str) -> Iterator[None]:
        """A command that is no configuration, and one that takes it back."""
        self.hands[switch].eapi(command)
        try:
            yield
        finally:
            self.hands[switch].eapi(back)

    @contextmanager
    def cut(self, cable: str) -> Iterator[None]:
        """A cable without light."""
        self.operator.control.ask("cut-cable", cable=cable)
        try:
            yield
        finally:
            self.operator.control.ask("mend-cable", cable=cable)

    @contextmanager
    def swapped(self, first: str, second: str) -> Iterator[None]:
        """The far ends of two cables, exchanged."""
        self.operator.control.ask("swap-cables", cables=[first, second])
        try:
            yield
        finally:
            self.operator.control.ask("swap-cables", cables=[first, second])


def says(result: TestResult, status: AntaTestStatus, words: str = "") -> None:
    """What ANTA must say where the lab is as the intent has it; raised is what it says instead."""
    messages = "; ".join(result.messages)
    if result.result != status or not re.search(words, messages):
        raise AssertionError(f"{result.test} on {result.name}: {result.result.value}: {messages}")


_LABS: dict[Path, Lab] = {}


def lab_of(operator: Operator) -> Lab:
    """One for each lab, so that its design is asked for once."""
    return _LABS.setdefault(operator.lab, Lab(operator))


@dataclass(frozen=True)
class AntaCase:
    """One test of ANTA on one switch.

    ``inputs`` are worked out of the design. ``status`` and ``words``: what the intent makes ANTA say; a failure, where
    the test wants what the intent has not. ``message``: what it says while the fault is there.
    """

    test: str
    switch: str
    fault: Fault
    message: str
    inputs: Callable[[Lab], dict[str, Any]] = lambda _: {}
    status: AntaTestStatus = SUCCESS
    words: str = ""

    @property
    def name(self) -> str:
        """As in frozen.yml."""
        return self.test.rpartition(".")[2]

    def case(self) -> Case:
        """For ``prove``."""

        def run(operator: Operator) -> None:
            lab = lab_of(operator)
            says(lab.ask(self.switch, self.test, **self.inputs(lab)), self.status, self.words)

        return Case(run, lambda operator: self.fault(lab_of(operator)), self.message)


def typing(switch: str, lines: list[str], back: list[str]) -> Fault:
    """Lines by hand."""
    return lambda lab: lab.typed(switch, lines, back)


def seeding(switch: str, what: str, on: str, value: float | str) -> Fault:
    """A counter from the control socket."""
    return lambda lab: lab.seeded(switch, what, on, value)


def cutting(cable: str) -> Fault:
    """A cable cut."""
    return lambda lab: lab.cut(cable)


def bgp(switch: str, lines: list[str], back: list[str]) -> Fault:
    """Lines by hand in a switch's BGP."""

    def fault(lab: Lab) -> AbstractContextManager[None]:
        process = f"router bgp {lab.device(switch)['asn']}"
        return lab.typed(switch, [process, *lines], [process, *back])

    return fault


__all__ = ["FAILURE", "SUCCESS", "AntaCase", "Lab", "bgp", "cutting", "lab_of", "says", "seeding", "typing"]
