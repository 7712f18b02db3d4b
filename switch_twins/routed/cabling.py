"""Namespaces of a lab's switches and hosts, and the veth pairs between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import Problem, TwinError
from ..spec import Cable, End, Host, RoutedSpec
from .commands import ip, run
from .names import kernel_name
from .ports import FABRIC_MTU_BYTES

_FIRST_INDEX = 1000
SETTINGS = (
    "net.ipv6.conf.all.forwarding=1",
    "net.ipv4.fib_multipath_hash_policy=1",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
    "net.ipv6.conf.all.accept_dad=0",
    "net.ipv6.conf.default.accept_dad=0",
    "net.ipv6.conf.default.router_solicitations=0",
    "net.ipv4.conf.all.ignore_routes_with_linkdown=1",
    "net.ipv4.icmp_ratelimit=0",
)
"""A switch hashes by the five fields of a flow, takes packets from anywhere, and uses no route over a dead port."""
_OF_HOSTS = ("net.ipv4.fib_multipath_hash_policy=1", "net.ipv6.conf.default.accept_dad=0")


class Cabling:
    """The namespaces of one lab. Every end of a cable has a number, by which the kernel names its far end."""

    def __init__(self, spec: RoutedSpec, devices: Iterable[str], hosts: Iterable[Host]) -> None:
        self._spec = spec
        self.devices = tuple(devices)
        self.hosts = tuple(hosts)
        self._host_names = tuple(dict.fromkeys(each.name for each in self.hosts))
        self._numbers: dict[End, int] = {}
        self._ends: dict[int, End] = {}

    def namespace(self, name: str) -> str:
        """The namespace of a switch or host."""
        return f"{self._spec.name}-{name}"

    def folder(self, device: str) -> Path:
        """Where the daemons of a switch have their sockets; short, for a socket's path is."""
        return self._spec.run_folder / str(self.devices.index(device))

    def end_of(self, index: int | None) -> End | None:
        """The end that the kernel knows by a number."""
        return None if index is None else self._ends.get(index)

    def make(self, cables: Iterable[Cable]) -> None:
        """Make the namespaces and plug in every cable; all ports are down. Raises TwinError."""
        ip(None, (f"netns add {self.namespace(each)}" for each in (*self.devices, *self._host_names)))
        for names, settings in ((self.devices, SETTINGS), (self._host_names, _OF_HOSTS)):
            for each in names:
                run(["ip", "netns", "exec", self.namespace(each), "sysctl", "-qw", *settings])
                ip(self.namespace(each), ["link set lo up"])
        ip(None, (line for cable in cables for line in self.plugged(cable)))
        for name in self._host_names:
            ip(self.namespace(name), _host_lines(each for each in self.hosts if each.name == name))

    def plugged(self, cable: Cable) -> Iterator[str]:
        """The line of ``ip`` that plugs in a cable."""
        near, far = (
            f"name {_name(end)} index {self._number(end)} mtu {FABRIC_MTU_BYTES} netns {self.namespace(end.device)}"
            for end in (cable.a, cable.b)
        )
        yield f"link add {near} type veth peer {far}"

    def unplug(self, end: End) -> None:
        """Take out the cable at an end, if there is one."""
        ip(self.namespace(end.device), [f"link delete {_name(end)}"])

    def plug(self, cables: Iterable[Cable]) -> None:
        """Plug in cables, down at both ends; hosts' ends come up as they were."""
        there = list(cables)
        ip(None, (line for cable in there for line in self.plugged(cable)))
        again = {cable.b for cable in there}
        for host in self.hosts:
            if End(host.name, host.port) in again:
                ip(self.namespace(host.name), _host_lines([host]))

    def route(self, device: str, *, is_routing: bool) -> None:
        """Switch forwarding between a switch's ports on or off."""
        setting = f"net.ipv4.ip_forward={int(is_routing)}"
        run(["ip", "netns", "exec", self.namespace(device), "sysctl", "-qw", setting])

    def _number(self, end: End) -> int:
        if end not in self._numbers:
            self._numbers[end] = _FIRST_INDEX + len(self._numbers)
            self._ends[self._numbers[end]] = end
        return self._numbers[end]


def _name(end: End) -> str:
    return kernel_name(end.port)


def _host_lines(ports: Iterable[Host]) -> Iterator[str]:
    """A host's ports with the addresses that it was told of."""
    for port in ports:
        yield f"link set {kernel_name(port.port)} mtu {port.mtu_bytes}"
        for address in port.end.addresses if port.end is not None else ():
            if ":" not in address:
                yield f"address add {address} dev {kernel_name(port.port)}"
        yield f"link set {kernel_name(port.port)} up"


def check_names(cables: Iterable[Cable]) -> None:
    """Raises TwinError for two ports of a device that the kernel would call the same."""
    seen: dict[tuple[str, str], End] = {}
    problems = []
    for cable in cables:
        for end in (cable.a, cable.b):
            before = seen.setdefault((end.device, _name(end)), end)
            if before != end:
                problems.append(Problem(str(end), f"the kernel would call it {_name(end)}, like {before.port}"))
    if problems:
        raise TwinError(problems)
