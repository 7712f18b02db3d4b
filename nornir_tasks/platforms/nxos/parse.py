"""An NX-OS configuration read back into the hinge; what it does not know is returned with its path.

A line that is absent means NX-OS's default: a routed Ethernet port is down, a loopback is up, an MTU is 1500.
"""

import re
from dataclasses import dataclass, field

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.device_config import Bfd, DeviceConfig, Hashing, Lldp, LoadBalancing, StaticRoute, Vlan
from nornir_tasks.design.order import in_order
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nxos.capabilities import OS
from nornir_tasks.platforms.nxos.parse_ports import PortReader
from nornir_tasks.platforms.nxos.parse_qos import NETWORK_POLICY, QUEUING_POLICY, QosReader
from nornir_tasks.platforms.nxos.parse_routing import BgpReader, PolicyReader
from nornir_tasks.platforms.nxos.port_map import sort_key
from nornir_tasks.platforms.nxos.reading import Remainder, Table, table
from nornir_tasks.platforms.platform import Parsed

DEFAULT_BFD = Bfd(interval_ms=50, min_rx_ms=50, multiplier=3)
"""cisco.nxos 11.1.0 nxos_bfd_global: the interval a Nexus 9000 does not print."""


def parse(tree: ConfigTree, capabilities: Capabilities, name: str, model: str) -> Parsed:
    """(owned tree, capabilities, device name, model) -> what it says, and the lines that nobody understood."""
    reader = _Reader()
    reader.remainder.read(tree, (), reader.shapes())
    config = DeviceConfig(
        name=name,
        os=OS,
        release=capabilities.release,
        model=model,
        asic=capabilities.asic,
        services=tuple(reader.services),
        hashing=reader.hashing,
        load_balancing=reader.balancing,
        lldp=reader.lldp,
        qos=reader.qos.finish(),
        bfd=reader.bfd or (DEFAULT_BFD if "bfd" in reader.services else None),
        breakouts=tuple(reader.ports.breakouts),
        vlans=tuple(reader.vlans),
        interfaces=tuple(reader.ports.interfaces),
        routing_policy=reader.policy.finish(),
        static_routes=tuple(reader.routes),
        bgp=reader.bgp.bgp,
    )
    reader.ports.require_bfd_lines(is_on=config.bfd is not None)
    return Parsed(in_order(config, sort_key), reader.remainder.tree)


@dataclass(slots=True)
class _Reader:
    remainder: Remainder = field(default_factory=Remainder)
    services: set[str] = field(default_factory=set)
    hashing: Hashing | None = None
    balancing: LoadBalancing | None = None
    lldp: Lldp | None = None
    bfd: Bfd | None = None
    routes: list[StaticRoute] = field(default_factory=list)
    vlans: list[Vlan] = field(default_factory=list)
    qos: QosReader = field(init=False)
    ports: PortReader = field(init=False)
    bgp: BgpReader = field(init=False)
    policy: PolicyReader = field(init=False)

    def __post_init__(self) -> None:
        self.qos = QosReader(self.remainder)
        self.ports = PortReader(self.remainder, self.qos)
        self.bgp = BgpReader(self.remainder)
        self.policy = PolicyReader(self.remainder)

    def shapes(self) -> Table:
        """Every line at the top of a configuration that we know."""
        entry = r"seq (?P<sequence>\d+) (?P<action>permit|deny) (?P<prefix>\S+)(?: ge (?P<ge>\d+))?(?: le (?P<le>\d+))?"
        return table(
            (r"feature (?P<name>\S+)", self._feature),
            (r"bfd interval (?P<tx>\d+) min_rx (?P<rx>\d+) multiplier (?P<times>\d+)", self._bfd),
            (
                r"ip load-sharing address source-destination port source-destination universal-id (?P<seed>\d+)",
                self._hashing,
            ),
            (r"hardware profile dlb", self._balancing),
            (r"priority-flow-control watch-dog-interval on", self.qos.global_watchdog),
            (r"class-map type qos match-any GPUFABRIC-QG(?P<group>[0-7])", self.qos.class_map),
            (r"policy-map type qos (?P<name>\S+)", self.qos.classify),
            (rf"policy-map type network-qos {NETWORK_POLICY}", self.qos.network),
            (rf"policy-map type queuing {QUEUING_POLICY}", self.qos.queuing),
            (r"system qos", self.qos.system),
            (rf"ip prefix-list (?P<name>\S+) {entry}", self.policy.prefix_rule),
            (r"route-map (?P<name>\S+) (?P<action>permit|deny) (?P<sequence>\d+)", self.policy.route_map),
            (r"ip route (?P<prefix>\S+) Null0", self._route),
            (r"interface breakout module 1 port (?P<port>\d+) map (?P<speed>\d+)g-(?P<ways>\d)x", self.ports.breakout),
            (r"vlan (?P<number>\d+)", self._vlan),
            (r"interface (?P<name>Vlan\d+)", self.ports.svi),
            (r"interface (?P<name>loopback\d+)", self.ports.loopback),
            (r"interface (?P<name>Ethernet\S+)", self.ports.ethernet),
            (r"router bgp (?P<asn>\d+)", self.bgp.router),
        )

    def _feature(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        if found["name"] == "lldp":
            self.lldp = Lldp(enabled=True)
        elif found["name"] in ("bfd", "bgp", "interface-vlan"):
            self.services.add(found["name"])
        else:
            return False
        return not node

    def _bfd(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        self.bfd = Bfd(int(found["tx"]), int(found["rx"]), int(found["times"]))
        return not node

    def _hashing(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        self.hashing = Hashing(int(found["seed"]))
        return not node

    def _vlan(self, found: re.Match[str], node: ConfigTree, above: Path) -> None:
        names: list[str] = []

        def name(line: re.Match[str], leaf: ConfigTree, _: Path) -> bool:
            names.append(line["name"])
            return not leaf

        self.remainder.read(node, (*above, node.text), table((r"name (?P<name>\S+)", name)))
        self.vlans.append(Vlan(int(found["number"]), names[0] if names else None))

    def _balancing(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        per_packet, ports = [], []
        self.remainder.read(
            node,
            (*above, node.text),
            table(
                (r"mode per-packet", lambda found, *_: per_packet.append(found)),
                (r"dlb-interface (?P<port>Ethernet\S+)", lambda found, *_: ports.append(found["port"])),
            ),
        )
        self.balancing = LoadBalancing("per_packet" if per_packet else "flowlet", tuple(ports), None)

    def _route(self, found: re.Match[str], node: ConfigTree, _: Path) -> bool:
        self.routes.append(StaticRoute(found["prefix"]))
        return not node
