"""Send packets between two hosts of a routed lab, and say how many were lost, when, and which switches they crossed."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nornir_tasks.design.model.order import natural_key
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files import programs
from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.faults import End, closest
from nornir_tasks.lab.manager import Lab

RATE_HZ = 1000
FLOWS = 16
"""Source ports. That all of them take one of two ways happens once in 2^15 tries."""
LATE_MS = 50.0
"""A packet that goes out so late says that the machine has too much to do: then its losses are the machine's, too."""
_MODULE = "switch_twins.routed.probe"
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of it.

    lost_from_ms, lost_to_ms  after the first packet: when the first lost one was sent, and the one after the last lost
    late_ms                   the longest time that a packet went out after it was due
    late_while_lost_ms        the same from the first lost packet to the one after the last lost
    crossed                   per switch above the receiver's, packets it sent there as its kernel counts them: BGP's,
                              BFD's and other hosts' are among them; empty where both hosts are on one switch
    """

    source: End
    target: End
    sent: int
    lost: int
    flows: int
    lost_flows: int
    lost_from_ms: int | None
    lost_to_ms: int | None
    late_ms: float
    late_while_lost_ms: float
    crossed: Mapping[str, int]

    @property
    def window_ms(self) -> int:
        """From the first lost packet to the one after the last lost; 0 if none is."""
        return 0 if self.lost_from_ms is None or self.lost_to_ms is None else self.lost_to_ms - self.lost_from_ms

    @property
    def was_late(self) -> bool:
        """Had this machine too much to do to send on time?"""
        return self.late_ms > LATE_MS


def probe(site: str | Path, source: str, target: str, seconds: float) -> Probe:
    """Send ``RATE_HZ`` packets a second from a host's port to another's. Faults may be made meanwhile.

    Raises LabError for a lab that is not routed, for names of nothing, and where it cannot be done.
    """
    lab = Lab(state_directory(site))
    answer = lab.ask("status")
    namespaces = {each["name"]: each["namespace"] for each in answer["devices"] if "namespace" in each}
    if not namespaces:
        hint = "nornir lab down, then nornir lab up --routed"
        raise LabError(Problem("probe", "this lab is not routed: no packets cross it", hint=hint))
    if os.geteuid() != 0:
        raise LabError(Problem("probe", "hosts' network namespaces need root: run it with sudo"))
    hosts = _Hosts(answer["played"], lab.ask("machines"))
    near, far = hosts.end(source), hosts.end(target)
    if near[0] == far[0]:
        raise LabError(Problem(target, f"is on the same host as {source}: no switch is between them"))
    counted = {name: {"namespace": namespaces[name], "ports": ports} for name, ports in _above(answer, far).items()}
    if near in _ports_at(answer, _switch_of(answer, far)):
        counted = {}
    order = {
        "source": {"namespace": hosts.namespace(near, namespaces), "address": hosts.addresses[near]},
        "target": {"namespace": hosts.namespace(far, namespaces), "address": hosts.addresses[far]},
        "seconds": seconds,
        "rate_hz": RATE_HZ,
        "flows": FLOWS,
        "counted": counted,
    }
    return Probe(near, far, **_run(lab, order, seconds))


def _run(lab: Lab, order: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    command = lab.command(_MODULE, json.dumps(order))
    try:
        done = subprocess.run(  # noqa: S603
            command,
            capture_output=True,
            text=True,
            timeout=seconds + _PATIENCE_S,
            check=False,
            env=programs.environment(),
        )
    except subprocess.TimeoutExpired as error:
        raise LabError(Problem("probe", f"does not end within {seconds + _PATIENCE_S:.0f} s")) from error
    if done.returncode:
        ended = "it was ended; the lab went down meanwhile, perhaps"
        raise LabError(Problem("probe", "could not be sent", found=done.stderr.strip() or ended))
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class _Hosts:
    """The ports of hosts that have an address in the lab."""

    def __init__(self, played: Mapping[str, Any], machines: Mapping[str, Any]) -> None:
        self._machines = machines
        self._ports = {host: sorted(each["ports"], key=natural_key) for host, each in played.items()}
        self.addresses: dict[End, str] = {
            (host, port): end["addresses"][0].partition("/")[0]
            for host, each in played.items()
            for port, end in each["ports"].items()
            if end is not None and end["addresses"]
        }

    def end(self, name: str) -> End:
        """The port that a name means: ``HOST:PORT``, or of a HOST its first with an address."""
        host, has_port, port = name.partition(":")
        if host in self._machines:
            what = "is a machine, which sends its own packets; probes go between hosts that are namespaces"
            raise LabError(Problem(name, what, closest("", self._ports)))
        if host not in self._ports:
            raise LabError(Problem(host, "there is no such host in this lab", closest(host, self._ports)))
        if has_port and port not in self._ports[host]:
            raise LabError(Problem(name, "the host has no such port", closest(port, self._ports[host])))
        ports = [port] if has_port else self._ports[host]
        found = next(((host, each) for each in ports if (host, each) in self.addresses), None)
        if found is None:
            what = "has no address of its own in the lab: it is in a bond, or its variables cannot be made"
            raise LabError(
                Problem(
                    name, what, hint=f"ansible-inventory --host {host} shows its variables, or says what is missing"
                )
            )
        return found

    @staticmethod
    def namespace(end: End, namespaces: Mapping[str, str]) -> str:
        """A host's namespace is called like those of the switches."""
        switch, namespace = next(iter(namespaces.items()))
        return f"{namespace.removesuffix(switch)}{end[0]}"


def _cables(answer: Mapping[str, Any]) -> Iterator[tuple[End, End]]:
    """Every cable from either end, as it is plugged in now."""
    for each in answer["cables"].values():
        a, b = (each["a"][0], each["a"][1]), (each["b"][0], each["b"][1])
        yield from ((a, b), (b, a))


def _switch_of(answer: Mapping[str, Any], host: End) -> str:
    return next(far[0] for near, far in _cables(answer) if near == host)


def _ports_at(answer: Mapping[str, Any], switch: str) -> set[End]:
    return {far for near, far in _cables(answer) if near[0] == switch}


def _above(answer: Mapping[str, Any], host: End) -> dict[str, list[str]]:
    """The switches cabled to the one a host is on, with their ports to it."""
    leaf, switches = _switch_of(answer, host), {each["name"] for each in answer["devices"]}
    found: dict[str, list[str]] = {}
    for near, far in _cables(answer):
        if far[0] == leaf and near[0] in switches:
            found.setdefault(near[0], []).append(near[1])
    return {name: found[name] for name in sorted(found, key=natural_key)}
