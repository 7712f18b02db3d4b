"""EOS configuration parsed into the common model. Every line is either understood exactly or put into the remainder."""

import re
from dataclasses import replace

from nornir_tasks.design.config.bgp import Bfd
from nornir_tasks.design.config.interfaces import Lldp
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms import control_list
from nornir_tasks.platforms.acl_lines import LIST
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.access_lists import BESIDE_LISTS, LIST_BLOCK, WORDS
from nornir_tasks.platforms.eos.counters import COUNTERS_OF_MARKS, MARK_COUNTERS
from nornir_tasks.platforms.eos.parse_aaa import BLOCK as AAA_BLOCK
from nornir_tasks.platforms.eos.parse_aaa import LINES as AAA_LINES
from nornir_tasks.platforms.eos.parse_aaa import note_aaa, servers
from nornir_tasks.platforms.eos.parse_base import BASE_BLOCKS, BASE_READERS, BASE_ROWS, base_of
from nornir_tasks.platforms.eos.parse_bgp import BLOCKS as BGP_BLOCKS
from nornir_tasks.platforms.eos.parse_bgp import parse_bgp
from nornir_tasks.platforms.eos.parse_layer3 import TOP as TOP_LAYER3
from nornir_tasks.platforms.eos.parse_layer3 import static_routes, vrfs, with_gateway_mac
from nornir_tasks.platforms.eos.parse_pair import BLOCK as PAIR_BLOCK
from nornir_tasks.platforms.eos.parse_pair import OF_VLAN, note, pair, read_pair
from nornir_tasks.platforms.eos.parse_policy import BLOCKS as POLICY_BLOCKS
from nornir_tasks.platforms.eos.parse_policy import TOP as TOP_POLICY
from nornir_tasks.platforms.eos.parse_policy import read_prefix_list, read_route_map, routing_policy
from nornir_tasks.platforms.eos.parse_ports import PORT, SVI, Reader
from nornir_tasks.platforms.eos.parse_ports import READERS as PORT_READERS
from nornir_tasks.platforms.eos.parse_qos import BLOCKS as QOS_BLOCKS
from nornir_tasks.platforms.eos.parse_qos import PFC_OFF, parse_qos
from nornir_tasks.platforms.eos.parse_reach import BLOCKS as REACH_BLOCKS
from nornir_tasks.platforms.eos.parse_reach import READERS as REACH_READERS
from nornir_tasks.platforms.eos.parse_reach import reach
from nornir_tasks.platforms.eos.parse_snmp import BLOCK as SNMP_BLOCK
from nornir_tasks.platforms.eos.parse_snmp import LINES as SNMP_LINES
from nornir_tasks.platforms.eos.parse_snmp import note_snmp, snmp
from nornir_tasks.platforms.eos.port_map import sort_key
from nornir_tasks.platforms.lines import Block, Fields, leave, no, number, read, row, table, take, text, yes
from nornir_tasks.platforms.platform import Parsed

_DEFAULT_BFD = Bfd(interval_ms=300, min_rx_ms=300, multiplier=3)
"""Default intervals of BFD sessions. Source: batfish arista_interface_show_run_all."""

_SERVICES = ("multi-agent", "ip-routing", "ipv6-routing", "guard-recovery", MARK_COUNTERS, *BESIDE_LISTS)
_DYNAMIC = "ip hardware fib load-balance distribution dynamic"

_TOP = (
    row(r"service routing protocols model multi-agent", "multi-agent", yes, single="service routing protocols model"),
    row(r"ip routing", "ip-routing", yes),
    # a fresh switch shows this instead of "ip routing" (show running-config of vEOS-lab 4.29.2F)
    row(r"no ip routing", "ip-routing", no),
    # pyavd 6.4.0 schema, errdisable.recovery: one line a cause, none unless said
    row(r"errdisable recovery cause bpduguard", "guard-recovery", yes),
    *TOP_LAYER3,
    *TOP_POLICY,
    # pyavd eos__lldp prints only "no lldp run"
    row(r"lldp run", "lldp", yes, hidden=("lldp run",)),
    row(r"no lldp run", "lldp", no),
    row(
        r"ip load-sharing (?:trident|arad) (\d+)",
        "seed",
        number,
        single=r"ip load-sharing \S+(?= \d+$)",
        # um-eos IPv4, "ip load-sharing": the default seed 0 is removed from running-config
        hidden=("ip load-sharing trident 0", "ip load-sharing arad 0"),
        # um-eos IPv4, "ip load-sharing": "no ip load-sharing <hardware>"
        negation=(r"(ip load-sharing \S+) \d+", r"no \1"),
    ),
    row(
        r"port-channel load-balance trident fields ip source-ip destination-ip source-port destination-port",
        "lag_ports",
        yes,
        single="port-channel load-balance trident fields ip",
    ),
    # pyavd 6.4.0 eos__spanning_tree; the mode is printed, whichever it is
    row(r"spanning-tree mode mstp", "is_mst", yes, single="spanning-tree mode"),
    row(r"spanning-tree mst 0 priority (\d+)", "bridge_priority", number, single="spanning-tree mst 0 priority"),
    *(row(line, name, yes) for name, line in BESIDE_LISTS.items()),
    row(COUNTERS_OF_MARKS, MARK_COUNTERS, yes),
    row(_DYNAMIC, "is_dynamic", yes),
    *BASE_ROWS,
    row(rf"{_DYNAMIC} flow-set-size (\d+)", "flow_set_size", number, single=f"{_DYNAMIC} flow-set-size"),
)
_TOP_LINES = table(*_TOP)

_BFD = (
    row(
        r"interval (\d+) min-rx (\d+) multiplier (\d+) default",
        "bfd",
        lambda found: Bfd(interval_ms=int(found[1]), min_rx_ms=int(found[2]), multiplier=int(found[3])),
        single=r"interval(?= .* default$)",
        # batfish arista_interface_show_run_all: these intervals are EOS's own
        hidden=("interval 300 min-rx 300 multiplier 3 default",),
    ),
)
_BFD_LINES = table(*_BFD)

_VLAN = (row(r"name (\S+)", "name", text, single="name"), OF_VLAN)
_VLAN_LINES = table(*_VLAN)

BLOCKS = (
    Block((), _TOP),
    *BASE_BLOCKS,
    # pyavd eos__qos_profiles: "no priority-flow-control" is the opposite of "priority-flow-control on"
    Block((r"interface ",), PORT, negations=(PFC_OFF,)),
    Block((r"interface Vlan",), SVI),
    Block((r"vlan \d+$",), _VLAN),
    *POLICY_BLOCKS,
    Block((r"router bfd$",), _BFD),
    PAIR_BLOCK,
    *REACH_BLOCKS,
    AAA_BLOCK,
    SNMP_BLOCK,
    *BGP_BLOCKS,
    *QOS_BLOCKS,
    LIST_BLOCK,
)
"""The rows of all lines with a value, by their place."""


def parse(tree: ConfigTree, capabilities: Capabilities, name: str, model: str) -> Parsed:
    """Parse the owned part of a configuration. An absent line means EOS's default."""
    left = ConfigTree()
    fields: Fields = {
        "vlans": [],
        "interfaces": [],
        "acls": [],
        "lists": [],
        "maps": {},
        "vrfs": [],
    }
    rest = ConfigTree()
    for node in tree.children.values():
        if take(node, _TOP_LINES, fields):
            continue
        known = _reader_of(node.text)
        unknown = known[0](node, known[1], fields) if known else None
        if unknown is None:
            rest.children[node.text] = node
        else:
            leave(left, (node.text,), unknown)
    qos = parse_qos(rest, capabilities, left)
    bgp = parse_bgp(rest, left)
    leave(left, (), rest.children.values())
    base = base_of(fields, left)
    tacacs, radius = servers(fields, left)
    config = DeviceConfig(
        name=name,
        os="eos",
        release=capabilities.release,
        model=model,
        asic=capabilities.asic,
        services=tuple(name for name in _SERVICES if fields.get(name)),
        hashing=Hashing(fields.get("seed"), "lag_ports" in fields) if {"seed", "lag_ports"} & fields.keys() else None,
        load_balancing=_balanced(fields, left),
        lldp=Lldp(enabled=fields.get("lldp", True)),
        qos=qos,
        bfd=fields.get("bfd", _DEFAULT_BFD if bgp and any(group.bfd for group in bgp.peer_groups) else None),
        vlans=tuple(fields["vlans"]),
        spanning_tree=_spanning_tree(fields, left),
        vrfs=vrfs(fields, left),
        access_lists=tuple(fields["acls"]),
        pair=pair(fields, left),
        interfaces=with_gateway_mac(fields["interfaces"], fields, left),
        routing_policy=routing_policy(fields, left),
        static_routes=static_routes(fields, left, bgp.aggregates if bgp is not None else ()),
        bgp=bgp,
        base=replace(base, reach=reach(fields, left), tacacs=tacacs, radius=radius, snmp=snmp(fields, left)),
    )
    return Parsed(in_order(control_list.joined(config), sort_key), left)


def _balanced(fields: Fields, left: ConfigTree) -> LoadBalancing | None:
    """A size without dynamic distribution is not in the model."""
    size = fields.get("flow_set_size")
    if "is_dynamic" in fields:
        return LoadBalancing("flowlet", None, size)
    if size is not None:
        left.add(f"{_DYNAMIC} flow-set-size {size}")
    return None


def _spanning_tree(fields: Fields, left: ConfigTree) -> SpanningTree | None:
    """The mode without a priority, or the other way round, is not in the model."""
    priority = fields.get("bridge_priority")
    if "is_mst" in fields and priority is not None:
        return SpanningTree("mst", priority)
    if "is_mst" in fields:
        left.add("spanning-tree mode mstp")
    if priority is not None:
        left.add(f"spanning-tree mst 0 priority {priority}")
    return None


def _bfd(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    values, unknown = read(node.children.values(), _BFD_LINES)
    fields.update(values)
    return unknown


def _vlan(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    values, unknown = read(node.children.values(), _VLAN_LINES)
    fields["vlans"].append(Vlan(int(found[1]), values.get("name")))
    for group in values.get("trunk_groups", ()):
        note(fields, node.text, f"trunk group {group}")
    return unknown


def _no_spanning_tree(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    note(fields, node.text)
    return list(node.children.values())


def _access_list(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    acl, unknown = WORDS.read_list(node, found[1], found[2])
    fields["acls"].append(acl)
    return unknown


def _vrf(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    fields["vrfs"].append(found[1])
    return list(node.children.values())


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        *BASE_READERS,
        *PORT_READERS,
        *REACH_READERS,
        (AAA_LINES, note_aaa),
        (SNMP_LINES, note_snmp),
        (r"vlan (\d+)", _vlan),
        (r"no spanning-tree vlan-id \d+", _no_spanning_tree),
        (r"mlag configuration", read_pair),
        (LIST.pattern, _access_list),
        (r"ip(v6)? prefix-list (\S+)", read_prefix_list),
        (r"route-map (\S+) (permit|deny) (\d+)", read_route_map),
        (r"vrf instance (\S+)", _vrf),
        (r"router bfd", _bfd),
    )
)


def _reader_of(line: str) -> tuple[Reader, re.Match[str]] | None:
    for pattern, reader in _READERS:
        if found := pattern.fullmatch(line):
            return reader, found
    return None
