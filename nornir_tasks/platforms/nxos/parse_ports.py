"""NX-OS ports parsed: cages broken out, loopbacks, ports with their layer 1, groups of them, and unused ports."""

import re
from dataclasses import dataclass, field, replace

from nornir_tasks.design.config.interfaces import Breakout, Interface, Layer1
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.storm_control import StormControl, storm_control
from nornir_tasks.design.realise.relay_rules import in_order
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, no, number, row, table, text, yes
from nornir_tasks.platforms.nxos.access_lists import APPLIED, APPLIED_TO_SWITCHED, LINES
from nornir_tasks.platforms.nxos.discovery import ROWS as DISCOVERY
from nornir_tasks.platforms.nxos.discovery import is_undisclosed
from nornir_tasks.platforms.nxos.fec import WORDS as FEC_WORDS
from nornir_tasks.platforms.nxos.fec import fec_of
from nornir_tasks.platforms.nxos.parse_gateways import BLOCK as GATEWAY_BLOCK
from nornir_tasks.platforms.nxos.parse_gateways import VERSION, GatewayReader
from nornir_tasks.platforms.nxos.parse_layer3 import LOOPBACK as LOOPBACK_LAYER3
from nornir_tasks.platforms.nxos.parse_layer3 import PORT as PORT_LAYER3
from nornir_tasks.platforms.nxos.parse_layer3 import SVI as SVI_LAYER3
from nornir_tasks.platforms.nxos.parse_layer3 import advertised_ms, ipv6_of
from nornir_tasks.platforms.nxos.parse_pair import OF_GROUP, PEER_LINK_MTU_BYTES, PairReader
from nornir_tasks.platforms.nxos.parse_qos import PortQosLines, QosReader
from nornir_tasks.platforms.nxos.port_map import LAG
from nornir_tasks.platforms.nxos.reading import Remainder
from nornir_tasks.platforms.vlan_lists import ALLOWED

DEFAULT_MTU_BYTES = 1500
DEFAULT_MIN_LINKS = 1
"""Of a group without a line of it (tests/corpus/nxos/NOTES.md)."""

_STORMS = ("broadcast", "multicast")
_EDGE = frozenset({"spanning-tree port type edge", "spanning-tree bpduguard enable"})
"""An edge port of ours has both: Cisco's chapter on STP extensions."""
_EDGE_TRUNK = frozenset({"spanning-tree port type edge trunk", "spanning-tree bpduguard enable"})
"""The same of a trunk, which ``edge`` alone does not make one."""


def _whole(found: re.Match[str]) -> str:
    return found[0]


def _breakout(found: re.Match[str]) -> Breakout:
    return Breakout(int(found[1]), int(found[3]), int(found[2]))


BREAKOUT = row(
    r"interface breakout module 1 port (\d+) map (\d+)g-(\d)x",
    "breakouts",
    _breakout,
    many=True,
)

_COMMON = (
    row(r"description (.+)", "description", text, single="description"),
    row(r"ip address ([\d./]+)", "address", text, single="ip address"),
    row(r"no shutdown", "enabled", yes),
)
_VRF = row(r"vrf member (\S+)", "vrf", text, single="vrf member")
_SHUT = row(r"shutdown", "enabled", no)
_LOOPBACK = (*_COMMON, _VRF, _SHUT, *LOOPBACK_LAYER3)

# batfish nxos_vlan: an SVI is shut and has autostate unless said otherwise; its MTU as any interface's.
_SVI = (
    *_COMMON,
    _VRF,
    *APPLIED,
    *PORT_LAYER3,
    row(r"shutdown", "enabled", no, hidden=("shutdown",)),
    row(r"mtu (\d+)", "mtu_bytes", number, single="mtu", hidden=("mtu 1500",)),
)

_QUIET = row(r"no ip redirects", "quiet", yes, hidden=("ip redirects",))

# netascode.cisco.com, data model for NX-OS, subinterface; one that was not turned on is shut, as an SVI is.
_SUBINTERFACE = (
    *_SVI,
    _QUIET,
    row(r"encapsulation dot1q (\d+)", "tag", number, single="encapsulation dot1q"),
)

_ETHERNET = (
    *_COMMON,
    _VRF,
    _SHUT,
    *PORT_LAYER3,
    *APPLIED,
    *APPLIED_TO_SWITCHED,
    # Cisco Nexus 9000 Interfaces Configuration Guide: an interface's MTU is 1500 unless set.
    row(r"mtu (\d+)", "mtu_bytes", number, single="mtu", hidden=("mtu 1500",)),
    # A port redirects and is switched unless said otherwise (published configurations of 9.3 and 10.4(2)), and then an
    # access port (cisco.nxos 11.1.0 nxos_l2_interfaces: access is the mode of a port without one).
    _QUIET,
    row(r"no switchport", "routed", yes),
    row(r"switchport", "switched", yes, hidden=("switchport",)),
    row(r"switchport mode access", "switched", yes, single="switchport mode", hidden=("switchport mode access",)),
    row(
        r"switchport access vlan (\d+)",
        "access_vlan",
        number,
        single="switchport access vlan",
        hidden=("switchport access vlan 1",),
    ),
    row(r"switchport mode trunk", "is_trunk", yes, single="switchport mode"),
    row(r"switchport trunk allowed vlan (\d+)", "allowed_vlans", number, single=ALLOWED.strip(), many=True),
    row(
        r"switchport trunk native vlan (\d+)",
        "native_vlan",
        number,
        single="switchport trunk native vlan",
        # cisco.nxos 11.1.0 nxos_l2_interfaces: no line of it on a trunk that was not given one
        hidden=("switchport trunk native vlan 1",),
    ),
    row(r"spanning-tree port type edge(?: trunk)?", "edge", _whole, single="spanning-tree port type", many=True),
    *(
        row(rf"storm-control {kind} level pps (\d+)", f"{kind}_pps", number, single=f"storm-control {kind} level")
        for kind in _STORMS
    ),
    *DISCOVERY,
    row(r"spanning-tree bpduguard enable", "edge", _whole, single="spanning-tree bpduguard", many=True),
    # Interfaces Configuration Guide 10.6(x), "Configuring Basic Interface Parameters": speed and FEC are auto, and a
    # port negotiates, unless said otherwise.
    row(r"speed (\d+)", "speed_mbps", number, single="speed", hidden=("speed auto",)),
    row(rf"fec ({'|'.join(FEC_WORDS)})", "fec", text, single="fec", hidden=("fec auto",)),
    row(r"negotiate auto", "negotiate", yes, hidden=("negotiate auto",)),
    row(r"no negotiate auto", "negotiate", no),
    # YANG 10.4(4): interface PFC mode auto, watch-dog-interval off.
    row(r"channel-group (\d+) mode active", "group", number, single="channel-group"),
    row(r"lacp rate fast", "lacp_rate", lambda _: "fast", single="lacp rate"),
    # batfish nxos_interface_show_all_2: only "show running-config all" prints it
    row(r"lacp rate normal", "lacp_rate", lambda _: "slow", single="lacp rate", hidden=("lacp rate normal",)),
    row(
        r"priority-flow-control mode (on|off)",
        "pfc",
        text,
        single="priority-flow-control mode",
        hidden=("priority-flow-control mode auto",),
    ),
    row(
        r"priority-flow-control watch-dog-interval on",
        "watchdog",
        yes,
        hidden=("priority-flow-control watch-dog-interval off",),
    ),
    row(
        r"service-policy type qos input (\S+)",
        "profile",
        text,
        single=r"service-policy type \S+(?: input| output)?",
    ),
    row(
        r"service-policy type queuing output (\S+)",
        "queuing",
        text,
        single=r"service-policy type \S+(?: input| output)?",
    ),
)
_NOT_OF_LAG = {"speed_mbps", "fec", "negotiate", "group", "lacp_rate", "silences"}
_LAG = (
    *(each for each in _ETHERNET if each.field not in _NOT_OF_LAG),
    row(r"no lacp suspend-individual", "individual", yes, hidden=("lacp suspend-individual",)),
    # tests/corpus/nxos/NOTES.md: 1 is the default
    row(r"lacp min-links (\d+)", "min_links", number, single="lacp min-links", hidden=("lacp min-links 1",)),
    *OF_GROUP,
)
_LAYER3 = {"address", "vrf", "ipv6_addresses", "is_silent"}
_ONLY_ROUTED = {"quiet", "mtu_bytes", "pfc", "watchdog", "profile", "queuing", *_LAYER3}
"""Settings of routed ports only."""

BLOCKS = (
    Block((r"interface loopback",), _LOOPBACK),
    GATEWAY_BLOCK,
    Block((r"interface Vlan",), (*_SVI, *SVI_LAYER3, VERSION), hidden=("autostate", "ip redirects")),
    Block((r"interface Ethernet[\d/]+$",), _ETHERNET),
    Block((r"interface Ethernet[\d/]+\.",), _SUBINTERFACE),
    Block((r"interface port-channel",), _LAG),
)
"""What the lines of ports replace and which are hidden; a port's admin state is in canonical.py."""

_LOOPBACK_LINES, _SVI_LINES, _ETHERNET_LINES = table(*_LOOPBACK), table(*_SVI, *SVI_LAYER3, VERSION), table(*_ETHERNET)
_SUBINTERFACE_LINES, _LAG_LINES = table(*_SUBINTERFACE), table(*_LAG)
_NOT_OF_MEMBER = {
    "quiet": "no ip redirects",
    "address": "ip address {}",
    "vrf": "vrf member {}",
    "ipv6_addresses": "ipv6 address {}",
    "is_silent": "ipv6 nd suppress-ra",
    "profile": "service-policy type qos input {}",
    "queuing": "service-policy type queuing output {}",
}
"""Settings that a member takes from its group (Cisco Nexus 7000 Interfaces Configuration Guide 5.x, compatibility)."""


@dataclass(slots=True)
class PortReader:
    """Gathers the port settings of a configuration. QoS settings of ports are passed to ``qos``."""

    remainder: Remainder
    qos: QosReader
    pair: PairReader
    interfaces: list[Interface] = field(default_factory=list)
    redirecting: list[str] = field(default_factory=list)
    """Routed ports without ``no ip redirects``."""
    quiet: list[str] = field(default_factory=list)

    def loopback(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface loopback0``: up unless shut."""
        path = (*above, node.text)
        values = self.remainder.read(node, path, _LOOPBACK_LINES)
        enabled = values.get("enabled", True)
        port = Interface(found["name"], values.get("description"), values.get("address"), None, enabled, None)
        address = ipv6_of(values, self.remainder, path)
        self.interfaces.append(replace(port, vrf=values.get("vrf"), ipv6_address=address))

    def svi(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface Vlan900``: down by default."""
        path, gateways = (*above, node.text), GatewayReader(self.remainder)
        values = self.remainder.read(node, path, _SVI_LINES, gateways.handlers())
        self._logical(found["name"], values, path)
        servers = in_order(values.get("dhcp_servers", ()))
        found_here = replace(self.interfaces[-1], gateway=gateways.gateway(values, path), dhcp_servers=servers)
        self.interfaces[-1] = found_here

    def subinterface(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface Ethernet1/3.100``: down by default, whatever its port is."""
        path = (*above, node.text)
        values = self.remainder.read(node, path, _SUBINTERFACE_LINES)
        (self.quiet if "quiet" in values else self.redirecting).append(found["name"])
        self._logical(found["name"], values, path)

    def _logical(self, name: str, values: Fields, path: Path) -> None:
        mtu, enabled = values.get("mtu_bytes", DEFAULT_MTU_BYTES), values.get("enabled", False)
        port = Interface(name, values.get("description"), values.get("address"), mtu, enabled, None)
        port = replace(port, vrf=values.get("vrf"), tag=values.get("tag"), ra_interval_ms=advertised_ms(values))
        acls = tuple(sorted(values.get("acls", ())))
        self.interfaces.append(replace(port, ipv6_address=ipv6_of(values, self.remainder, path), acls=acls))

    def ethernet(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface Ethernet1/3`` or a part of it: a routed port is down unless said otherwise, a switched one up."""
        path = (*above, node.text)
        self._port(found["name"], self.remainder.read(node, path, _ETHERNET_LINES), path)

    def lag(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface port-channel1``: its members say that they are, and each has its VLANs, MTU and PFC as well."""
        path = (*above, node.text)
        values = self.remainder.read(node, path, _LAG_LINES)
        links = values.get("min_links", DEFAULT_MIN_LINKS)
        lag = Lag(None, "individual" in values, None, links, values.get("pair_id"))
        is_peer_link, is_network = "is_peer_link" in values, "is_network" in values
        self.pair.group(found["name"], is_peer_link=is_peer_link, is_network=is_network)
        self._port(found["name"], values, path, lag)

    def _port(self, name: str, values: Fields, path: Path, lag: Lag | None = None) -> None:
        member = self._member(values, path)
        layer1 = self._layer1(values, path)
        self._strangers(values, path)
        access, trunk = _is_access(values), _is_trunk(values)
        switched = access or trunk
        routed = not switched and bool("routed" in values or _ONLY_ROUTED & values.keys())
        if routed:
            if "routed" not in values:
                self.remainder.missing(*path, "no switchport")
            if member is None:
                (self.quiet if "quiet" in values else self.redirecting).append(name)
        if routed or switched:
            profile, queuing, pfc = (values.get(key) for key in ("profile", "queuing", "pfc"))
            self.qos.ports[name] = PortQosLines(profile, queuing, pfc, "watchdog" in values)
        native = _native_vlan(values)
        self.interfaces.append(
            Interface(
                name=name,
                description=values.get("description"),
                address=None if switched else values.get("address"),
                mtu_bytes=values.get("mtu_bytes", DEFAULT_MTU_BYTES) if routed or switched else None,
                enabled=values.get("enabled", not routed),
                qos_profile=values.get("profile"),
                layer1=layer1,
                access_vlan=values["access_vlan"] if access else None,
                edge=switched and _is_edge(values),
                storm=_storm(values) if switched else None,
                undisclosed=is_undisclosed(values),
                vrf=None if switched else values.get("vrf"),
                tagged_vlans=tuple(sorted({*values.get("allowed_vlans", ())} - {native})) if trunk else None,
                native_vlan=native,
                lag=lag,
                member=member,
                acls=tuple(sorted(values.get("port_acls" if switched else "acls", ()))),
                ra_interval_ms=None if switched else advertised_ms(values),
                ipv6_address=None if switched else ipv6_of(values, self.remainder, path),
            )
        )

    def _member(self, values: Fields, path: Path) -> LagMember | None:
        """What makes a port a member; settings of its group, and a rate of a port that is none, are not understood."""
        rate = values.pop("lacp_rate", None)
        if "group" not in values:
            if rate is not None:
                self.remainder.tree.add_path((*path, f"lacp rate {'fast' if rate == 'fast' else 'normal'}"))
            return None
        for field_name, line in _NOT_OF_MEMBER.items():
            found = values.pop(field_name, ())
            for value in found if isinstance(found, (list, tuple)) else (found,):
                self.remainder.tree.add_path((*path, line.format(value)))
        return LagMember(f"{LAG}{values['group']}", rate or "slow")

    def settle_members(self) -> None:
        """Give members the policies of their group, as PFC on them is judged by these, and a peer link its MTU."""
        for index, each in enumerate(self.interfaces):
            port = each
            if {port.name, port.member and port.member.group} & {*self.pair.peer_links} and port.mtu_bytes is not None:
                port = self.interfaces[index] = replace(port, mtu_bytes=PEER_LINK_MTU_BYTES)
            lines = self.qos.ports.get(port.name)
            of_group = self.qos.ports.get(port.member.group) if port.member else None
            if lines is not None and of_group is not None:
                lines.profile, lines.queuing = of_group.profile, of_group.queuing
                self.interfaces[index] = replace(port, qos_profile=of_group.profile)

    def _strangers(self, values: Fields, path: Path) -> None:
        """Report settings of another kind of port, and incomplete pairs of settings."""
        access, trunk = _is_access(values), _is_trunk(values)
        unread = set[str]() if (access or trunk) and _is_edge(values) else set(values.get("edge", ()))
        unread |= set() if is_undisclosed(values) else set(values.get("silences", ()))
        if access or trunk:
            unread |= {"no ip redirects"} if "quiet" in values else set()
            unread |= {f"ip address {values['address']}"} if "address" in values else set()
            unread |= {f"vrf member {values['vrf']}"} if "vrf" in values else set()
            unread |= {f"ipv6 address {each}" for each in values.get("ipv6_addresses", ())}
            unread |= {"ipv6 nd suppress-ra"} if "is_silent" in values else set()
        else:
            limits = {kind: values.get(f"{kind}_pps") for kind in _STORMS}
            unread |= {f"storm-control {kind} level pps {most}" for kind, most in limits.items() if most is not None}
        if "access_vlan" in values and not access:
            unread.add(f"switchport access vlan {values['access_vlan']}")
        if "is_trunk" in values and not trunk:
            unread.add("switchport mode trunk")
        if not trunk:
            unread |= {f"{ALLOWED}{number}" for number in values.get("allowed_vlans", ())}
        if "native_vlan" in values and _native_vlan(values) is None:
            unread.add(f"switchport trunk native vlan {values['native_vlan']}")
        kind = "acls" if access or trunk else "port_acls"
        unread |= {f"{LINES[kind][each.family]} {each.name} {each.direction}" for each in values.get(kind, ())}
        for line in sorted(unread):
            self.remainder.tree.add_path((*path, line))

    def _layer1(self, values: Fields, path: Path) -> Layer1 | None:
        """None without a speed; without FEC the hardware chooses it."""
        speed_mbps, fec, negotiate = values.get("speed_mbps"), values.get("fec"), values.get("negotiate", True)
        if speed_mbps is not None and speed_mbps % 1000 == 0:
            code = None if fec is None else fec_of(fec, speed_mbps // 1000)
            if fec is not None and code is None:
                self.remainder.tree.add_path((*path, f"fec {fec}"))
            return Layer1(speed_mbps // 1000, None, code, negotiate)
        lines = (
            None if speed_mbps is None else f"speed {speed_mbps}",
            None if fec is None else f"fec {fec}",
            None if negotiate else "no negotiate auto",
        )
        for line in lines:
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


def _is_trunk(values: Fields) -> bool:
    return "is_trunk" in values and "routed" not in values


def _is_access(values: Fields) -> bool:
    return "access_vlan" in values and "routed" not in values and "is_trunk" not in values


def _native_vlan(values: Fields) -> int | None:
    """The VLAN of a trunk's untagged frames; None if the trunk does not allow it."""
    native: int | None = values.get("native_vlan")
    return native if _is_trunk(values) and native in values.get("allowed_vlans", ()) else None


def _is_edge(values: Fields) -> bool:
    return set(values.get("edge", ())) == (_EDGE_TRUNK if _is_trunk(values) else _EDGE)


def _storm(values: Fields) -> StormControl | None:
    return storm_control(values.get("broadcast_pps"), values.get("multicast_pps"), None)
