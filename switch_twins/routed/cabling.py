"""Namespaces of a lab's switches and hosts, and the cables between them.

A cable is a veth pair. That of a host which is a machine is the TAP that QEMU has open: it is the switch's port itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Problem, TwinError
from ..spec import Cable, End, Host, RoutedSpec
from .commands import ip, ip_json, run
from .hosts import bond_lines, bonds_of, port_lines, rules, vlan_lines
from .names import kernel_name
from .ports import FABRIC_MTU_BYTES, Port

_FIRST_INDEX = 10_000_000
"""Far from the numbers that TAPs bring along from the namespace where they were made."""
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
OF_LAYER_2 = (
    "net.ipv4.conf.all.arp_ignore=1",
    "net.ipv4.conf.all.arp_announce=2",
    "net.ipv6.conf.all.keep_addr_on_down=1",
    "net.ipv6.conf.default.keep_addr_on_down=1",
)
"""Each interface of a VLAN answers for its own addresses alone: the gateway's are another interface's."""
_OF_HOSTS = ("net.ipv4.fib_multipath_hash_policy=1", "net.ipv6.conf.default.accept_dad=0")


@dataclass(slots=True)
class Tap:
    """A machine's end of a cable.

    name     its interface's, while it is no port of a switch
    monitor  QEMU's monitor socket; None: the machine sees nothing of the cable's carrier
    at       the port that it is
    index    the kernel's number of it there
    """

    name: str
    monitor: Path | None
    at: End
    index: int = 0


class Cabling:
    """The namespaces of one lab. Every end of a cable has a number, by which the kernel names its far end."""

    def __init__(self, spec: RoutedSpec, devices: Iterable[str], hosts: Iterable[Host]) -> None:
        self._spec = spec
        self.devices = tuple(devices)
        self.hosts = tuple(hosts)
        self._host_names = tuple(dict.fromkeys(each.name for each in self.hosts))
        self._numbers: dict[End, int] = {}
        self._ends: dict[int, End] = {}
        self._taps: dict[End, Tap] = {}
        self._has_devices = False

    def namespace(self, name: str) -> str:
        """The namespace of a switch or host."""
        return f"{self._spec.name}-{name}"

    def folder(self, device: str) -> Path:
        """Where the daemons of a switch have their sockets; short, for a socket's path is."""
        return self._spec.run_folder / str(self.devices.index(device))

    def folder_of_outside(self, number: int) -> Path:
        """The same of an upstream's router."""
        return self._spec.run_folder / f"outside-{number}"

    @property
    def taps(self) -> Mapping[End, Tap]:
        """The ends of machines."""
        return self._taps

    def far_end(self, device: str, port: Port) -> End | None:
        """The far end of a switch's port: the kernel has its number, or that of a TAP."""
        if port.peer_index is not None:
            return self._ends.get(port.peer_index)
        here = (end for end, tap in self._taps.items() if (tap.at.device, tap.index) == (device, port.index))
        return next(here, None)

    def make(self, cables: Iterable[Cable], *, has_devices: bool) -> None:
        """Make the namespaces and plug in every cable; all switches' ports are down. Raises TwinError.

        ``has_devices``: the kernel has bonds and VLANs, and hosts have theirs.
        """
        self._has_devices = has_devices
        ip(None, (f"netns add {self.namespace(each)}" for each in (*self.devices, *self._host_names)))
        of_switches = (*SETTINGS, *(OF_LAYER_2 if has_devices else ()))
        for names, settings in ((self.devices, of_switches), (self._host_names, _OF_HOSTS)):
            for each in names:
                run(["ip", "netns", "exec", self.namespace(each), "sysctl", "-qw", *settings])
                ip(self.namespace(each), ["link set lo up"])
        ip(None, (line for cable in cables for line in self.plugged(cable)))
        for name in self._host_names:
            ports = [each for each in self.hosts if each.name == name]
            bonds = bonds_of(ports) if has_devices else ()
            lines = [line for each in bonds for line in bond_lines(each)]
            lines += port_lines(ports, has_bonds=has_devices)
            ip(self.namespace(name), [*lines, *(line for each in bonds for line in vlan_lines(each)), *rules(ports)])

    def plugged(self, cable: Cable) -> Iterator[str]:
        """The line of ``ip`` that plugs in a cable."""
        near, far = (
            f"name {_name(end)} index {self._number(end)} mtu {FABRIC_MTU_BYTES} netns {self.namespace(end.device)}"
            for end in (cable.a, cable.b)
        )
        yield f"link add {near} type veth peer {far}"

    def unplug(self, end: End) -> None:
        """Take out the cable at a switch's port; a machine's TAP is put aside, for ``plug``."""
        tap = next((each for each in self._taps.values() if each.at == end), None)
        if tap is None:
            ip(self.namespace(end.device), [f"link delete {_name(end)}"])
        else:
            ip(self.namespace(end.device), [f"link set {_name(end)} down", f"link set {_name(end)} name {tap.name}"])

    def plug(self, cables: Iterable[Cable]) -> None:
        """Plug in cables, down at both ends; hosts' ends come up as they were."""
        there = []
        for cable in cables:
            if cable.b in self._taps:
                self._move(self._taps[cable.b], cable, self.namespace(self._taps[cable.b].at.device))
            else:
                there.append(cable)
        ip(None, (line for cable in there for line in self.plugged(cable)))
        again = {cable.b for cable in there}
        for host in self.hosts:
            if End(host.name, host.port) in again:
                ip(self.namespace(host.name), port_lines([host], has_bonds=self._has_devices))

    def plug_machine(self, cable: Cable, name: str, monitor: Path | None) -> None:
        """Have a TAP of the machine's own namespace be the port at a host's cable. Raises TwinError if it is not there.

        What was plugged in before is gone: a veth pair, or the TAP of a machine that has ended.
        """
        run(["ip", "link", "show", name])
        ip(self.namespace(cable.a.device), [f"link delete {_name(cable.a)}"])
        self._taps[cable.b] = Tap(name, monitor, cable.a)
        self._move(self._taps[cable.b], cable, None)

    def _move(self, tap: Tap, cable: Cable, where: str | None) -> None:
        """Make a TAP that is in a namespace the port at a cable; it is down."""
        namespace = self.namespace(cable.a.device)
        if where != namespace:
            ip(where, [f"link set {tap.name} netns {namespace}"])
        port = _name(cable.a)
        ip(namespace, [f"link set {tap.name} name {port}", f"link set {port} mtu {FABRIC_MTU_BYTES} alias {cable.b}"])
        (shown,) = ip_json(namespace, "link", "show", port)
        tap.at, tap.index = cable.a, shown["ifindex"]

    def unplug_machine(self, cable: Cable) -> None:
        """Remove the TAP at a host's cable, whose other end is the host's namespace again."""
        self.unplug(cable.a)
        tap = self._taps.pop(cable.b)
        ip(self.namespace(cable.a.device), [f"link delete {tap.name}"])
        self.plug([cable])

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
