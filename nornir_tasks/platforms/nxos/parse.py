"""An NX-OS configuration parsed into the common model; unknown lines are returned with their path.

An absent line means NX-OS's default: a routed Ethernet port is down, a loopback is up, an MTU is 1500.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from nornir_tasks.design.config.access_lists import AccessList
from nornir_tasks.design.config.bgp import Bfd
from nornir_tasks.design.config.interfaces import Lldp
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms import control_list
from nornir_tasks.platforms.acl_lines import LIST
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, number, row, table, text, yes
from nornir_tasks.platforms.nxos.access_lists import WORDS
from nornir_tasks.platforms.nxos.capabilities import OS
from nornir_tasks.platforms.nxos.config_text import DLB
from nornir_tasks.platforms.nxos.parse_aaa import BLOCK as AAA_BLOCK
from nornir_tasks.platforms.nxos.parse_aaa import LINES as AAA_LINES
from nornir_tasks.platforms.nxos.parse_aaa import AaaReader
from nornir_tasks.platforms.nxos.parse_base import BASE_BLOCKS, BASE_ROWS, MANAGEMENT_VRF, ManagementReader
from nornir_tasks.platforms.nxos.parse_layer3 import ROUTES, line_of
from nornir_tasks.platforms.nxos.parse_pair import BLOCK as PAIR_BLOCK
from nornir_tasks.platforms.nxos.parse_pair import PairReader
from nornir_tasks.platforms.nxos.parse_ports import BLOCKS as PORT_BLOCKS
from nornir_tasks.platforms.nxos.parse_ports import BREAKOUT, PortReader
from nornir_tasks.platforms.nxos.parse_qos import BLOCKS as QOS_BLOCKS
from nornir_tasks.platforms.nxos.parse_qos import NETWORK_POLICY, QosReader
from nornir_tasks.platforms.nxos.parse_reach import API, VTY, VTY_LINES, reach
from nornir_tasks.platforms.nxos.parse_reach import BLOCKS as REACH_BLOCKS
from nornir_tasks.platforms.nxos.parse_routing import BLOCKS as ROUTING_BLOCKS
from nornir_tasks.platforms.nxos.parse_routing import LIST_RULES, BgpReader, PolicyReader
from nornir_tasks.platforms.nxos.parse_snmp import BLOCK as SNMP_BLOCK
from nornir_tasks.platforms.nxos.parse_snmp import LINES as SNMP_LINES
from nornir_tasks.platforms.nxos.parse_snmp import SnmpReader
from nornir_tasks.platforms.nxos.port_map import sort_key
from nornir_tasks.platforms.nxos.reading import Handler, Remainder
from nornir_tasks.platforms.platform import Parsed
from nornir_tasks.platforms.static_routes import Hop, gathered

DEFAULT_BFD = Bfd(interval_ms=50, min_rx_ms=50, multiplier=3)
"""cisco.nxos 11.1.0 nxos_bfd_global: the interval a Nexus 9000 does not print."""

RELAY = ("service dhcp", "ip dhcp relay", "ipv6 dhcp relay")
"""What beside ``feature dhcp`` lets a switch relay; entries of DeviceConfig.services too."""
RECOVERY = "errdisable recovery cause bpduguard"
"""The same, of ports that BPDU guard shut."""

_TOP = (
    row(r"feature (bfd|bgp|dhcp|hsrp|interface-vlan|lacp|vpc)", "services", text, many=True),
    *(row(line, "services", lambda found: found[0], many=True) for line in (*RELAY, RECOVERY)),
    row(r"feature lldp", "lldp", yes),
    row(
        r"bfd interval (\d+) min_rx (\d+) multiplier (\d+)",
        "bfd",
        lambda found: Bfd(int(found[1]), int(found[2]), int(found[3])),
        single="bfd interval",
        # cisco.nxos 11.1.0 nxos_bfd_global: 50/50/3 is the default interval.
        hidden=("bfd interval 50 min_rx 50 multiplier 3",),
    ),
    row(
        r"ip load-sharing address source-destination port source-destination universal-id (\d+)",
        "seed",
        number,
        single="ip load-sharing address",
    ),
    # tests/corpus/nxos/NOTES.md: the default; running configurations that have the line below print no mode
    row(
        r"spanning-tree mode rapid-pvst",
        "is_rapid",
        yes,
        single="spanning-tree mode",
        hidden=("spanning-tree mode rapid-pvst",),
    ),
    row(
        r"spanning-tree vlan 1-3967 priority (\d+)",
        "bridge_priority",
        number,
        single="spanning-tree vlan 1-3967 priority",
    ),
    row(r"priority-flow-control watch-dog-interval on", "watchdog", yes),
    *BASE_ROWS,
    *API,
    *ROUTES,
    BREAKOUT,
    *LIST_RULES,
)
_VLAN = (row(r"name (\S+)", "name", text, single="name"),)
_BALANCING = (
    row(r"mode per-packet", "per_packet", yes, single="mode"),
    row(r"dlb-interface (Ethernet\S+)", "ports", text, many=True),
)
_TOP_LINES, _VLAN_LINES, _BALANCING_LINES = table(*_TOP), table(*_VLAN), table(*_BALANCING)
_VRF_LINES = table(*ROUTES)

BLOCKS = (
    Block((), _TOP),
    Block((r"vlan \d+$",), _VLAN),
    Block((rf"{DLB}$",), _BALANCING),
    *BASE_BLOCKS,
    AAA_BLOCK,
    SNMP_BLOCK,
    PAIR_BLOCK,
    *REACH_BLOCKS,
    *PORT_BLOCKS,
    *ROUTING_BLOCKS,
    *QOS_BLOCKS,
)
"""The rows of all lines with a value, by their place."""


def parse(tree: ConfigTree, capabilities: Capabilities, name: str, model: str) -> Parsed:
    """(owned tree, capabilities, device name, model) -> the model, and the lines that were not understood."""
    reader = _Reader()
    values = reader.read(tree)
    services = values.get("services", [])
    reader.ports.settle_members()
    routes, odd = gathered((*values.get("hops", ()), *reader.hops))
    for hop in odd:
        reader.remainder.tree.add_path((*([f"vrf context {hop.vrf}"] if hop.vrf else []), line_of(hop)))
    tacacs, radius = reader.aaa.finish()
    config = DeviceConfig(
        name=name,
        os=OS,
        release=capabilities.release,
        model=model,
        asic=capabilities.asic,
        services=tuple(services),
        hashing=Hashing(values["seed"]) if "seed" in values else None,
        load_balancing=reader.balancing,
        lldp=Lldp(enabled=True) if "lldp" in values else None,
        qos=reader.qos.finish(watchdog="watchdog" in values),
        bfd=values.get("bfd") or (DEFAULT_BFD if "bfd" in services else None),
        breakouts=tuple(values.get("breakouts", ())),
        vlans=tuple(reader.vlans),
        spanning_tree=_spanning_tree(values, reader.remainder.tree),
        vrfs=tuple(map(Vrf, reader.vrfs)),
        access_lists=tuple(reader.acls),
        interfaces=tuple(reader.ports.interfaces),
        pair=reader.pair.finish(),
        routing_policy=reader.policy.finish(values),
        static_routes=routes,
        bgp=reader.bgp.bgp,
        base=replace(
            reader.management.finish(values),
            reach=reach(values | reader.vty | reader.management.of_port, reader.remainder),
            tacacs=tacacs,
            radius=radius,
            snmp=reader.snmp.finish(),
        ),
    )
    reader.ports.require_bfd_lines(is_on=config.bfd is not None)
    return Parsed(in_order(control_list.joined(config), sort_key), reader.remainder.tree)


def _spanning_tree(values: Fields, left: ConfigTree) -> SpanningTree | None:
    """The priority of another mode's trees is not in the model."""
    priority = values.get("bridge_priority")
    if priority is None or left.get("spanning-tree mode mst") is None:
        return None if priority is None else SpanningTree("rapid-pvst", priority)
    left.add(f"spanning-tree vlan 1-3967 priority {priority}")
    return None


@dataclass(slots=True)
class _Reader:
    """Reads the blocks, each with the reader of its topic."""

    remainder: Remainder = field(default_factory=Remainder)
    balancing: LoadBalancing | None = None
    vlans: list[Vlan] = field(default_factory=list)
    vrfs: list[str] = field(default_factory=list)
    acls: list[AccessList] = field(default_factory=list)
    vty: Fields = field(default_factory=dict)
    hops: list[Hop] = field(default_factory=list)
    """Of VRFs."""
    qos: QosReader = field(init=False)
    pair: PairReader = field(init=False)
    ports: PortReader = field(init=False)
    bgp: BgpReader = field(init=False)
    policy: PolicyReader = field(init=False)
    management: ManagementReader = field(init=False)
    aaa: AaaReader = field(init=False)
    snmp: SnmpReader = field(init=False)

    def __post_init__(self) -> None:
        self.qos = QosReader(self.remainder)
        self.pair = PairReader(self.remainder)
        self.ports = PortReader(self.remainder, self.qos, self.pair)
        self.bgp = BgpReader(self.remainder)
        self.policy = PolicyReader(self.remainder)
        self.management = ManagementReader(self.remainder)
        self.aaa = AaaReader(self.remainder)
        self.snmp = SnmpReader(self.remainder)

    def read(self, tree: ConfigTree) -> Fields:
        """Fields of the lines at the top; every block is read by its reader."""
        handlers = tuple((re.compile(pattern), handler) for pattern, handler in self._handlers())
        return self.remainder.read(tree, (), _TOP_LINES, handlers)

    def _handlers(self) -> Iterator[tuple[str, Handler]]:
        yield r"interface (?P<name>Ethernet[\d/]+\.\d+)", self.ports.subinterface
        yield r"interface (?P<name>Ethernet\S+)", self.ports.ethernet
        yield r"interface (?P<name>port-channel\d+)", self.ports.lag
        yield r"interface (?P<name>Vlan\d+)", self.ports.svi
        yield r"interface (?P<name>loopback\d+)", self.ports.loopback
        yield LIST.pattern, self._access_list
        yield r"vlan (?P<number>\d+)", self._vlan
        yield rf"vrf context {MANAGEMENT_VRF}", self.management.vrf
        yield r"interface mgmt0", self.management.port
        yield r"vrf context (?P<name>\S+)", self._vrf
        yield AAA_LINES, self.aaa.line
        yield SNMP_LINES, self.snmp.line
        yield r"route-map (?P<name>\S+) (?P<action>permit|deny) (?P<sequence>\d+)", self.policy.route_map
        yield r"class-map type qos match-any GPUFABRIC-QG(?P<group>[0-7])", self.qos.class_map
        yield r"policy-map type qos (?P<name>\S+)", self.qos.classify
        yield rf"policy-map type network-qos {NETWORK_POLICY}", self.qos.network
        yield r"policy-map type queuing (?P<name>\S+)", self.qos.queuing
        yield r"system qos", self.qos.system
        yield r"router bgp (?P<asn>\d+)", self.bgp.router
        yield DLB, self._balancing
        yield VTY, self._vty
        yield r"vpc domain (?P<number>\d+)", self.pair.domain

    def _access_list(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        acl, unknown = WORDS.read_list(node, found[1], found[2])
        self.acls.append(acl)
        for line in unknown:
            self.remainder.unknown(line, (*above, node.text))

    def _vty(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        self.vty = self.remainder.read(node, (*above, node.text), VTY_LINES)

    def _vlan(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        values = self.remainder.read(node, (*above, node.text), _VLAN_LINES)
        self.vlans.append(Vlan(int(found["number"]), values.get("name")))

    def _vrf(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        values = self.remainder.read(node, (*above, node.text), _VRF_LINES)
        self.vrfs.append(found["name"])
        self.hops.extend(replace(hop, vrf=found["name"]) for hop in values.get("hops", ()))

    def _balancing(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        values = self.remainder.read(node, (*above, node.text), _BALANCING_LINES)
        mode: Literal["per_packet", "flowlet"] = "per_packet" if "per_packet" in values else "flowlet"
        self.balancing = LoadBalancing(mode, tuple(values.get("ports", ())), None)
