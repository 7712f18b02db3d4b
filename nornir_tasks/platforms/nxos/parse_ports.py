"""Ports read back: cages broken out, loopbacks, routed ports with their layer 1, and ports that nobody uses."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nornir_tasks.design.device_config import Breakout, Interface, Layer1
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nxos.parse_qos import PortQosLines, QosReader
from nornir_tasks.platforms.nxos.reading import Handler, Remainder, Table, table

DEFAULT_MTU_BYTES = 1500

FEC: Mapping[Literal["rs", "fc", "none"], str] = {"rs": "rs-fec", "fc": "fc-fec", "none": "off"}
"""Interfaces Configuration Guide 10.6(x), Basic Interface Parameters, "fec ?"."""

_EDGE = frozenset({"spanning-tree port type edge", "spanning-tree bpduguard enable"})
"""An edge port of ours has both: Cisco's chapter on STP extensions."""

_FEC_OF = {word: fec for fec, word in FEC.items()}


@dataclass(slots=True)
class PortReader:
    """Gathers what a configuration says of ports. What a port says of QoS is handed on to ``qos``."""

    remainder: Remainder
    qos: QosReader
    breakouts: list[Breakout] = field(default_factory=list)
    interfaces: list[Interface] = field(default_factory=list)
    redirecting: list[str] = field(default_factory=list)
    """Routed ports without ``no ip redirects``."""
    quiet: list[str] = field(default_factory=list)

    def breakout(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        """``interface breakout module 1 port 3 map 200g-2x``."""
        self.breakouts.append(Breakout(int(found["port"]), int(found["ways"]), int(found["speed"])))
        return not node

    def loopback(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface loopback0``: up unless shut."""
        lines = _InterfaceLines()
        self.remainder.read(node, (*above, node.text), lines.loopback_shapes())
        enabled = lines.enabled is not False
        self.interfaces.append(Interface(found["name"], lines.description, lines.address, None, enabled, None))

    def svi(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface Vlan900``: down unless said otherwise."""
        lines = _InterfaceLines()
        self.remainder.read(node, (*above, node.text), lines.svi_shapes())
        mtu = lines.mtu_bytes or DEFAULT_MTU_BYTES
        enabled = lines.enabled is True
        self.interfaces.append(Interface(found["name"], lines.description, lines.address, mtu, enabled, None))

    def ethernet(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface Ethernet1/3`` or a part of it: a routed port is down unless said otherwise, a switched one up."""
        name, path = found["name"], (*above, node.text)
        lines = _InterfaceLines()
        self.remainder.read(node, path, lines.ethernet_shapes())
        layer1 = self._layer1(lines, path)
        self._strangers(lines, path)
        access = lines.access_vlan is not None and not lines.routed
        routed = not access and (lines.routed or lines.needs_routing)
        if routed:
            if not lines.routed:
                self.remainder.missing(*path, "no switchport")
            (self.quiet if lines.quiet else self.redirecting).append(name)
        if routed or access:
            self.qos.ports[name] = lines.qos
        enabled = not routed if lines.enabled is None else lines.enabled
        self.interfaces.append(
            Interface(
                name=name,
                description=lines.description,
                address=None if access else lines.address,
                mtu_bytes=(lines.mtu_bytes or DEFAULT_MTU_BYTES) if routed or access else None,
                enabled=enabled,
                qos_profile=lines.qos.profile,
                layer1=layer1,
                access_vlan=lines.access_vlan if access else None,
                edge=access and lines.edge == _EDGE,
            )
        )

    def _strangers(self, lines: "_InterfaceLines", path: Path) -> None:
        """What stands on a port of another kind, or is half of what belongs together."""
        access = lines.access_vlan is not None and not lines.routed
        held = set[str]() if access and lines.edge == _EDGE else set(lines.edge)
        if access:
            held |= {"no ip redirects"} if lines.quiet else set()
            held |= {f"ip address {lines.address}"} if lines.address is not None else set()
        elif lines.access_vlan is not None:
            held.add(f"switchport access vlan {lines.access_vlan}")
        for line in sorted(held):
            self.remainder.tree.add_path((*path, line))

    def _layer1(self, lines: "_InterfaceLines", path: Path) -> Layer1 | None:
        """Without its speed there is none; without FEC the hardware chooses it."""
        if lines.speed_mbps is not None and lines.speed_mbps % 1000 == 0:
            fec = None if lines.fec is None else _FEC_OF[lines.fec]
            return Layer1(lines.speed_mbps // 1000, None, fec, lines.negotiate)
        held = (
            None if lines.speed_mbps is None else f"speed {lines.speed_mbps}",
            None if lines.fec is None else f"fec {lines.fec}",
            None if lines.negotiate else "no negotiate auto",
        )
        for line in held:
            if line is not None:
                self.remainder.tree.add_path((*path, line))
        return None

    def require_bfd_lines(self, *, is_on: bool) -> None:
        """BFD needs ICMP redirects off on its ports (networklab 26.10 bfd/nxos.j2); without BFD the line is foreign."""
        if is_on:
            for port in self.redirecting:
                self.remainder.missing(f"interface {port}", "no ip redirects")
        else:
            for port in self.quiet:
                self.remainder.tree.add_path((f"interface {port}", "no ip redirects"))


@dataclass(slots=True)
class _InterfaceLines:
    enabled: bool | None = None
    description: str | None = None
    address: str | None = None
    mtu_bytes: int | None = None
    speed_mbps: int | None = None
    fec: str | None = None
    negotiate: bool = True
    routed: bool = False
    quiet: bool = False
    access_vlan: int | None = None
    edge: set[str] = field(default_factory=set)
    qos: PortQosLines = field(default_factory=PortQosLines)

    @property
    def needs_routing(self) -> bool:
        """Does a line stand here that only a routed port of ours has?"""
        return self.quiet or self.address is not None or self.mtu_bytes is not None or self.qos != PortQosLines()

    def loopback_lines(self) -> tuple[tuple[str, Handler], ...]:
        return (
            (r"description (?P<text>.+)", self._description),
            (r"ip address (?P<address>[\d./]+)", self._address),
            (r"shutdown", self._down),
            (r"no shutdown", self._up),
        )

    def loopback_shapes(self) -> Table:
        return table(*self.loopback_lines())

    def svi_shapes(self) -> Table:
        return table(*self.loopback_lines(), (r"mtu (?P<mtu>\d+)", self._mtu))

    def ethernet_shapes(self) -> Table:
        return table(
            (r"switchport", self._switched),
            (r"switchport mode access", self._switched),
            (r"switchport access vlan (?P<vlan>\d+)", self._access),
            (r"spanning-tree (?:port type edge|bpduguard enable)", self._edge),
            (r"description (?P<text>.+)", self._description),
            (r"no switchport", self._routed),
            (r"speed (?P<mbps>\d+)", self._speed),
            (rf"fec (?P<word>{'|'.join(_FEC_OF)})", self._fec),
            (r"negotiate auto", self._negotiating),
            (r"no negotiate auto", self._forced),
            (r"priority-flow-control mode (?P<mode>on|off)", self._pfc),
            (r"priority-flow-control watch-dog-interval on", self._watchdog),
            (r"mtu (?P<mtu>\d+)", self._mtu),
            (r"service-policy type qos input (?P<name>\S+)", self._profile),
            (r"no ip redirects", self._quiet),
            (r"ip address (?P<address>[\d./]+)", self._address),
            (r"shutdown", self._down),
            (r"no shutdown", self._up),
        )

    def _description(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.description = found["text"]

    def _address(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        self.address = found["address"]
        return not node

    def _routed(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.routed = True

    def _switched(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        """The default: nothing to note."""

    def _access(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.access_vlan = int(found["vlan"])

    def _edge(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.edge.add(found[0])

    def _speed(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.speed_mbps = int(found["mbps"])

    def _fec(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.fec = found["word"]

    def _negotiating(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.negotiate = True

    def _forced(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.negotiate = False

    def _quiet(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.quiet = True

    def _pfc(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.qos.pfc = found["mode"]

    def _watchdog(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.qos.watchdog = True

    def _profile(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.qos.profile = found["name"]

    def _mtu(self, found: re.Match[str], _: ConfigTree, __: Path) -> None:
        self.mtu_bytes = int(found["mtu"])

    def _down(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.enabled = False

    def _up(self, _: re.Match[str], __: ConfigTree, ___: Path) -> None:
        self.enabled = True
