"""The input and the result of a check.

A check is a function ``Evidence -> list[Finding]`` in ``checks/<topic>.py``, listed in ``checks/suite.py``. It returns
one finding for each thing it looked at, passed ones included, so "tested N of M" counts real work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from nornir_tasks.checks.verdict import Verdict as Verdict  # noqa: PLC0414 - all who judge take it from here
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.design.contribute.mlag_config import peer_ends
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import Problem
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.observed import BgpSession, Certificate, Observed, PortQos, PortState


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one thing."""

    check: str
    device: str
    port: str
    """Empty where the thing belongs to the device as a whole."""
    verdict: Verdict
    message: str
    expected: str = ""
    found: str = ""
    subject: str = ""
    """The subject, if not the port: a prefix, a BGP neighbour, a line."""
    counted: bool = True
    """Is it one of the M things of this site? Not: a second line about a thing, and what is not designed. So M follows
    from the design alone, whatever state the network is in."""

    @property
    def id(self) -> str:
        """Names the finding within its report: check, device, port and subject."""
        return " ".join(part for part in (self.check, self.device, self.port, self.subject) if part)


@dataclass(frozen=True, slots=True)
class OthersLine:
    """A line of others in a section of ours that a push leaves alone."""

    line: str
    reason: str
    verdict: Verdict
    """FAIL: it changes what the fabric does; ERROR: whether it does cannot be told."""


@dataclass(frozen=True, slots=True)
class Far:
    """What the cabling plan says is at the other end of a port."""

    device: str
    port: str
    cable: str
    is_host: bool
    leg: str = ""
    """Where in its split cage the near port is, for a message; empty where the cage is the port's alone."""
    far_leg: str = ""
    """The same of the far port."""


End = tuple[str, str]
"""(device, port)."""


@dataclass(frozen=True)
class Evidence:
    """All collected data, by device name. A device that did not answer is in ``unreachable`` only."""

    network: Network
    wanted: Mapping[str, DeviceConfig]
    """Every switch of the network, read or not: its announcements affect the others."""
    running: Mapping[str, DeviceConfig]
    changes: Mapping[str, tuple[Change, ...]]
    """What a push would change; the difference between running and wanted, line by line."""
    observed: Mapping[str, Observed]
    far: Mapping[End, Far]
    """(device, port) -> its far end, switches and hosts."""
    unreachable: Mapping[str, Problem]
    """device -> why it could not be read."""
    others: Mapping[str, tuple[OthersLine, ...]] = field(default_factory=dict)
    """Lines of others in sections of ours that matter, though a push leaves them alone."""
    unfinished: Mapping[str, str] = field(default_factory=dict)
    """device -> why its running configuration may be lost."""
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    """device -> the certificate of its API, where its base configuration is managed."""
    push_accounts: frozenset[str] = frozenset()
    """Accounts that push: on every switch, whether the intent declares them or not."""
    planes: frozenset[str] = frozenset()
    """The planes that are judged, with their fabrics and the switches: of no other one is anything in ``wanted``,
    ``running`` and ``changes``. Empty: all."""
    drained: Mapping[str, Drain] = field(default_factory=dict)
    """The switches that were read and are drained: paths go round them."""
    played: frozenset[str] = frozenset()
    """Hosts that are not there: a lab's switches are answered for them. Empty in a real network."""

    macs: Mapping[str, str] = field(default_factory=dict)
    """Device on the out-of-band plane, or switch -> the declared MAC address of its port there."""

    def is_judged(self, plane: str) -> bool:
        """Is this plane one of those that are checked?"""
        return not self.planes or plane in self.planes

    def where(self, device: str, port: str) -> str:
        """``leaf-g0-r0 Ethernet1/1 <-> spine-0 swp1``."""
        far = self.behind(device, port)
        return f"{device} {port}" + (f" <-> {far.device} {far.port}" if far else "")

    def port_of_neighbor(self, device: str, key: SessionKey) -> str:
        """The port of this BGP neighbour by the design; empty if there is none."""
        return self._neighbor_ports.get((device, key), "")

    @cached_property
    def interfaces(self) -> Mapping[End, Interface]:
        """The ports of the design."""
        return {(device, port.name): port for device, config in self.wanted.items() for port in config.interfaces}

    @cached_property
    def addresses(self) -> Mapping[End, str]:
        """Each port of the design -> its IPv4 address without length; empty where it has none."""
        return {end: (port.address or "").partition("/")[0] for end, port in self.interfaces.items()}

    def behind(self, device: str, port: str) -> Far | None:
        """What is at the other end of a port, or of a pair's way over the peer link."""
        other = self._peers.get((device, port))
        return self.far.get((device, port)) if other is None else Far(other[0], other[1], "", is_host=False)

    @cached_property
    def _peers(self) -> Mapping[End, tuple[str, str, str]]:
        return peer_ends(self.network)

    @cached_property
    def _neighbor_ports(self) -> Mapping[tuple[str, SessionKey], str]:
        """(device, session with a switch at a far end) -> port, or subinterface."""
        found: dict[tuple[str, SessionKey], str] = {}
        for circuit in self.network.circuits:
            for here, there in ((circuit.link.upper, circuit.link.lower), (circuit.link.lower, circuit.link.upper)):
                peer = circuit.address(there.device) or here.port
                found[here.device, (circuit.use.vrf, peer)] = circuit.interface(here.device)
        found |= {(leaf, (None, peer)): port for (leaf, port), (_, _, peer) in self._peers.items()}
        for link in self.network.edge.outside_links if self.network.edge is not None else ():
            for session in link.sessions:  # those of IPv6 as well
                found[link.device, (None, session.peer)] = link.port
        return found

    @cached_property
    def planned(self) -> frozenset[str]:
        """The names of all switches, and of the hosts that are cabled to them."""
        return frozenset((*self.wanted, *(device for device, _ in self.far)))

    @cached_property
    def port_states(self) -> Mapping[End, PortState]:
        """The switches' view of their ports."""
        return {(device, each.name): each for device, seen in self.observed.items() for each in seen.ports}

    @cached_property
    def port_qos(self) -> Mapping[End, PortQos]:
        """The switches' view of their ports' QoS."""
        return {(device, each.port): each for device, seen in self.observed.items() for each in seen.qos}

    @cached_property
    def sessions(self) -> Mapping[tuple[str, SessionKey], BgpSession]:
        """(device, session) -> the switch's view of it."""
        return {(device, each.key): each for device, seen in self.observed.items() for each in seen.bgp}

    @cached_property
    def attached(self) -> Mapping[End, str]:
        """Port of an access switch -> what is cabled to it: a device, or a switch by its management port."""
        return {(each.leaf, each.leaf_port): each.host for each in self.network.attached}

    @cached_property
    def learned(self) -> Mapping[End, tuple[str, ...]]:
        """(device, port) -> the MAC addresses that the switch has learned there."""
        found: dict[End, tuple[str, ...]] = {}
        for device, seen in self.observed.items():
            for each in seen.macs or ():
                found[device, each.port] = (*found.get((device, each.port), ()), each.mac)
        return found

    @cached_property
    def heard(self) -> Mapping[End, tuple[End, ...]]:
        """(device, port) -> the far ends that LLDP names there, by their own names."""
        found: dict[End, tuple[End, ...]] = {}
        for device, seen in self.observed.items():
            for each in seen.lldp:
                here = (device, each.port)
                found[here] = (*found.get(here, ()), (each.remote_device, each.remote_port))
        return found
