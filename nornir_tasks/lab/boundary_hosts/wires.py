"""The network of a lab's boundary: a namespace for each host and station, and one with a bridge for each link.

The namespaces' names begin with the lab's own prefix. Nothing of the machine's own namespace is touched, and whatever
runs in them is found by them, so that the remains of a killed lab are.
"""

import hashlib
import json
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.boundary_hosts.plan import BoundaryPlan, Host, Port, Station
from nornir_tasks.lab.machines.commands import run

IP_TIMEOUT_S = 60.0
END_TIMEOUT_S = 20.0
_NETNS = Path("/run/netns")
_WIRES = "wires"
_OWN_SETTINGS = (
    # A station is no router, and answers for addresses that are behind it as well.
    "net/ipv4/ip_forward=0",
    "net/ipv4/conf/all/rp_filter=0",
    "net/ipv4/conf/default/rp_filter=0",
)


class Wires:
    """The namespaces of one lab, by the lab's folder."""

    def __init__(self, directory: Path) -> None:
        self.prefix = f"gb{hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:8]}"

    def namespace(self, who: str) -> str:
        """The namespace of a host or station."""
        return f"{self.prefix}-{who}"

    def exists(self, who: str) -> bool:
        return (_NETNS / self.namespace(who)).exists()

    def left(self) -> list[str]:
        """All namespaces of the lab that there are."""
        return sorted(each.name for each in _NETNS.glob(f"{self.prefix}-*"))

    def lay(self, plan: BoundaryPlan) -> None:
        """Make everything again: who has ports, and what they are plugged into."""
        self.remove()
        for who in _everybody(plan):
            run(["ip", "netns", "add", self.namespace(who)], IP_TIMEOUT_S)
            self.ip(who, ["link set lo up"])
        bridges = {link: f"br{place}" for place, link in enumerate(plan.links)}
        lines = [f"link add name {name} type bridge mcast_snooping 0" for name in bridges.values()]
        lines += [f"link set {name} up alias {link}" for link, name in bridges.items()]
        self.ip(_WIRES, lines)
        for host in plan.hosts:
            self._plug_host(plan, host)
        for place, station in enumerate(plan.stations):
            self._plug(station.name, station.port, f"s{place}", bridges)
            self._settle(station)

    def is_whole(self, plan: BoundaryPlan) -> bool:
        """Does everybody have a namespace?"""
        return {self.namespace(who) for who in _everybody(plan)} <= {*self.left()}

    def is_at_work(self, who: str) -> bool:
        """Does a process run there?"""
        return bool(_pids(self.namespace(who)))

    def renew(self, plan: BoundaryPlan, host: Host) -> None:
        """A namespace as bare as a machine that was just switched on: what the host had in the kernel is gone."""
        name = self.namespace(host.name)
        _end_all(name)
        # A deleted namespace's ends of cables go some time later; a cable taken out by its other end goes at once.
        self.ip(_WIRES, [f"link delete {end}" for end in self._ends(host.name)])
        run(["ip", "netns", "delete", name], IP_TIMEOUT_S)
        run(["ip", "netns", "add", name], IP_TIMEOUT_S)
        self._plug_host(plan, host)

    def cable(self, host: str, *, is_in: bool) -> None:
        """Pull all cables of a host, or plug them in: its ports have no carrier then."""
        self.ip(_WIRES, [f"link set {end} {'up' if is_in else 'down'}" for end in self._ends(host)])

    def _ends(self, who: str) -> list[str]:
        """The other ends of a machine's cables."""
        found = json.loads(run(["ip", "-n", self.namespace(_WIRES), "-j", "link", "show"], IP_TIMEOUT_S))
        return [each["ifname"] for each in found if each.get("ifalias", "").startswith(f"{who}:")]

    def ip(self, who: str, lines: Iterable[str]) -> None:
        """Lines of ``ip -batch`` in a namespace."""
        run(["ip", "-n", self.namespace(who), "-batch", "-"], IP_TIMEOUT_S, stdin="\n".join(lines) + "\n")

    def remove(self) -> int:
        """End every process in the namespaces, and remove these. How many there were."""
        found = self.left()
        for name in found:
            _end_all(name)
        for name in found:
            run(["ip", "netns", "delete", name], IP_TIMEOUT_S)
        return len(found)

    def _plug_host(self, plan: BoundaryPlan, host: Host) -> None:
        bridges = {link: f"br{place}" for place, link in enumerate(plan.links)}
        for number, port in enumerate(host.ports):
            self._plug(host.name, port, f"h{plan.hosts.index(host)}p{number}", bridges)

    def _plug(self, who: str, port: Port, end: str, bridges: dict[str, str]) -> None:
        wires, here = self.namespace(_WIRES), self.namespace(who)
        run(
            [
                "ip",
                "link",
                "add",
                "name",
                end,
                "netns",
                wires,
                "type",
                "veth",
                "peer",
                "name",
                port.name,
                "netns",
                here,
            ],
            60,
        )
        self.ip(_WIRES, [f"link set {end} master {bridges[port.link]} up alias {who}:{port.name}"])

    def _settle(self, station: Station) -> None:
        """Addresses and routes of a station; hosts have files that say theirs."""
        name = self.namespace(station.name)
        script = "\n".join(
            f"echo {each.partition('=')[2]} >/proc/sys/{each.partition('=')[0]}" for each in _OWN_SETTINGS
        )
        run(["ip", "netns", "exec", name, "sh", "-ec", script], IP_TIMEOUT_S)
        port = station.port.name
        lines = [f"link set {port} up"]
        lines += [f"address add {each} dev {port}{' nodad' * (':' in each)}" for each in station.port.addresses]
        for each in station.port.routes:
            via, source = (
                f" {word} {value}" if value else "" for word, value in (("via", each.via), ("src", each.source))
            )
            lines.append(f"route add {each.to}{via} dev {port}{source}")
        lines += [f"route add local {each} dev lo" for each in station.behind]
        self.ip(station.name, lines)


def _everybody(plan: BoundaryPlan) -> list[str]:
    """Each machine that has a namespace."""
    return [_WIRES, *(each.name for each in plan.stations), *(each.name for each in plan.hosts)]


def _end_all(namespace: str) -> None:
    deadline = time.monotonic() + END_TIMEOUT_S
    while pids := _pids(namespace):
        if time.monotonic() > deadline:
            found = ", ".join(map(str, pids))
            raise LabError(Problem(namespace, "processes of this namespace do not end", found=found))
        _kill(pids)
        time.sleep(0.02)


def _pids(namespace: str) -> list[int]:
    return [int(each) for each in run(["ip", "netns", "pids", namespace], IP_TIMEOUT_S).split()]


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
