"""EOS configuration parsed into the common model. Every line is either understood exactly or put into the remainder."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from nornir_tasks.design.capabilities import Capabilities
from nornir_tasks.design.device_config import (
    Bfd,
    DeviceConfig,
    Hashing,
    Interface,
    Lldp,
    LoadBalancing,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
    RoutingPolicy,
    StaticRoute,
    Vlan,
    Vrf,
)
from nornir_tasks.design.order import in_order
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.layer1 import ROWS as LAYER1_ROWS
from nornir_tasks.platforms.eos.layer1 import read_layer1
from nornir_tasks.platforms.eos.parse_bgp import BLOCKS as BGP_BLOCKS
from nornir_tasks.platforms.eos.parse_bgp import parse_bgp
from nornir_tasks.platforms.eos.parse_qos import BLOCKS as QOS_BLOCKS
from nornir_tasks.platforms.eos.parse_qos import parse_qos
from nornir_tasks.platforms.eos.port_map import sort_key
from nornir_tasks.platforms.eos.tree import community_of
from nornir_tasks.platforms.lines import Block, Fields, Table, leave, no, number, read, row, table, take, text, yes
from nornir_tasks.platforms.platform import Parsed
from nornir_tasks.platforms.vlan_lists import ALLOWED

_DEFAULT_MTU_BYTES = 1500
"""MTU of a routed port without an ``mtu`` line. Source: pyavd eos__ethernet_interfaces, "show interfaces" of EOS."""

_DEFAULT_BFD = Bfd(interval_ms=300, min_rx_ms=300, multiplier=3)
"""Default intervals of BFD sessions. Source: batfish arista_interface_show_run_all."""

_PORT = (
    row(r"description (.+)", "description", text, single="description"),
    row(r"shutdown", "enabled", no),
    # batfish arista_interface_show_run_all: only "show running-config all" prints it
    row(r"no shutdown", "enabled", yes, hidden=("no shutdown",)),
    row(r"mtu (\d+)", "mtu_bytes", number, single="mtu"),
    row(r"no switchport", "routed", yes),
    row(r"vrf (\S+)", "vrf", text, single="vrf"),
    # a second or virtual address is independent of the first
    row(r"ip address (\d+\.\d+\.\d+\.\d+/\d+)", "address", text, single=r"ip address(?= (?!virtual )\S+$)"),
    row(r"service-profile (\S+)", "qos_profile", text, single="service-profile"),
    # tests/corpus/eos/NOTES.md: by default a port is switched, and then an access port
    row(r"switchport", "switched", yes, hidden=("switchport",)),
    row(r"switchport mode access", "switched", yes, single="switchport mode", hidden=("switchport mode access",)),
    row(r"switchport access vlan (\d+)", "access_vlan", number, single="switchport access vlan"),
    row(r"switchport mode trunk", "is_trunk", yes, single="switchport mode"),
    row(r"switchport trunk allowed vlan (\d+)", "allowed_vlans", number, single=ALLOWED.strip(), many=True),
    row(
        r"switchport trunk native vlan (\d+)",
        "native_vlan",
        number,
        single="switchport trunk native vlan",
        # batfish arista_interface_show_run_all: only "show running-config all" prints it
        hidden=("switchport trunk native vlan 1",),
    ),
    row(r"encapsulation dot1q vlan (\d+)", "tag", number, single="encapsulation dot1q vlan"),
    row(r"spanning-tree portfast", "portfast", yes),
    row(r"spanning-tree bpduguard enable", "bpduguard", yes, single="spanning-tree bpduguard"),
    *LAYER1_ROWS,
)
_TRUNK = {"is_trunk", "allowed_vlans", "native_vlan"}
_EDGE = {"portfast": "spanning-tree portfast", "bpduguard": "spanning-tree bpduguard enable"}
"""Either alone is not ours."""
_SWITCHED = {"access_vlan", *_EDGE}
"""Settings of switched ports only."""
_ROUTED = {"mtu_bytes", "address", "qos_profile", "vrf"}
"""Settings of routed ports only; a switched port without any of them is unused."""
_PORT_LINES = table(*(each for each in _PORT if each.field != "tag"))
_LOOPBACK_LINES = table(*(each for each in _PORT if each.field in {"description", "enabled", "address", "vrf"}))
_OF_SUBINTERFACE = {"description", "enabled", "address", "mtu_bytes", "vrf", "tag"}
_SUBINTERFACE_LINES = table(*(each for each in _PORT if each.field in _OF_SUBINTERFACE))
_OF_SVI = {"description", "enabled", "address", "mtu_bytes", "vrf"}
_SVI_LINES = table(*(each for each in _PORT if each.field in _OF_SVI))

_SERVICES = ("multi-agent", "ip-routing")
_DYNAMIC = "ip hardware fib load-balance distribution dynamic"

_TOP = (
    row(r"service routing protocols model multi-agent", "multi-agent", yes, single="service routing protocols model"),
    row(r"ip routing", "ip-routing", yes),
    # a fresh switch shows this instead of "ip routing" (show running-config of vEOS-lab 4.29.2F)
    row(r"no ip routing", "ip-routing", no),
    row(r"ip routing vrf (\S+)", "routed_vrfs", text, many=True),
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
    ),
    row(_DYNAMIC, "is_dynamic", yes),
    row(rf"{_DYNAMIC} flow-set-size (\d+)", "flow_set_size", number, single=f"{_DYNAMIC} flow-set-size"),
)
_TOP_LINES = table(*_TOP)

_ROUTE_MAP = (
    row(
        r"match ip address prefix-list (\S+)",
        "match_prefix_list",
        text,
        single="match ip address prefix-list",
    ),
    row(
        r"set as-path prepend ([\d ]+)",
        "prepend",
        lambda found: tuple(map(int, found[1].split())),
        single="set as-path prepend",
    ),
    row(
        r"set community ((?:[A-Z-]+|\d+:\d+)(?: (?:[A-Z-]+|\d+:\d+))*)",
        "communities",
        lambda found: tuple(map(community_of, found[1].split())),
        single="set community",
    ),
)
_ROUTE_MAP_LINES = table(*_ROUTE_MAP)

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

_VLAN = (row(r"name (\S+)", "name", text, single="name"),)
_VLAN_LINES = table(*_VLAN)

BLOCKS = (
    Block((), _TOP),
    Block((r"interface ",), _PORT),
    Block((r"vlan \d+$",), _VLAN),
    Block((r"route-map ",), _ROUTE_MAP),
    Block((r"router bfd$",), _BFD),
    *BGP_BLOCKS,
    *QOS_BLOCKS,
)
"""The rows of all lines with a value, by their place."""

_SEQ = re.compile(r"seq (\d+) (permit|deny) (\S+/\d+)(?: ge (\d+))?(?: le (\d+))?")

Reader = Callable[[ConfigTree, re.Match[str], Fields], list[ConfigTree] | None]
"""(block, match of its first line, fields so far) -> unknown lines of the block; None: all of it."""


def parse(tree: ConfigTree, capabilities: Capabilities, name: str, model: str) -> Parsed:
    """Parse the owned part of a configuration. An absent line means EOS's default."""
    left = ConfigTree()
    fields: Fields = {
        "vlans": [],
        "interfaces": [],
        "lists": [],
        "maps": {},
        "routes": [],
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
    config = DeviceConfig(
        name=name,
        os="eos",
        release=capabilities.release,
        model=model,
        asic=capabilities.asic,
        services=tuple(name for name in _SERVICES if fields.get(name)),
        hashing=Hashing(fields["seed"]) if "seed" in fields else None,
        load_balancing=_balanced(fields, left),
        lldp=Lldp(enabled=fields.get("lldp", True)),
        qos=qos,
        bfd=fields.get("bfd", _DEFAULT_BFD if bgp and any(group.bfd for group in bgp.peer_groups) else None),
        vlans=tuple(fields["vlans"]),
        vrfs=_vrfs(fields, left),
        interfaces=tuple(fields["interfaces"]),
        routing_policy=RoutingPolicy(
            tuple(fields["lists"]), tuple(RouteMap(each, tuple(rules)) for each, rules in fields["maps"].items())
        ),
        static_routes=tuple(fields["routes"]),
        bgp=bgp,
    )
    return Parsed(in_order(config, sort_key), left)


def _balanced(fields: Fields, left: ConfigTree) -> LoadBalancing | None:
    """A size without dynamic distribution is not in the model."""
    size = fields.get("flow_set_size")
    if "is_dynamic" in fields:
        return LoadBalancing("flowlet", None, size)
    if size is not None:
        left.add(f"{_DYNAMIC} flow-set-size {size}")
    return None


def _bfd(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    values, unknown = read(node.children.values(), _BFD_LINES)
    fields.update(values)
    return unknown


def _vlan(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    values, unknown = read(node.children.values(), _VLAN_LINES)
    fields["vlans"].append(Vlan(int(found[1]), values.get("name")))
    return unknown


def _svi(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    return _logical(node, found, fields, _SVI_LINES)


def _subinterface(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    return _logical(node, found, fields, _SUBINTERFACE_LINES)


def _logical(node: ConfigTree, found: re.Match[str], fields: Fields, lines: Table) -> list[ConfigTree]:
    """An SVI or a subinterface."""
    values, unknown = read(node.children.values(), lines)
    enabled, mtu = values.get("enabled", True), values.get("mtu_bytes", _DEFAULT_MTU_BYTES)
    port = Interface(found[1], values.get("description"), values.get("address"), mtu, enabled, None)
    fields["interfaces"].append(replace(port, vrf=values.get("vrf"), tag=values.get("tag")))
    return unknown


def _contradicts(values: Fields) -> bool:
    """Does a port have a setting of another kind of port?"""
    if values.get("routed", False):
        return bool((_SWITCHED | _TRUNK) & values.keys() or "switched" in values)
    if "is_trunk" in values:
        return bool({"mtu_bytes", "address", "vrf", "access_vlan"} & values.keys())
    if "access_vlan" in values:
        return bool({"mtu_bytes", "address", "vrf"} & values.keys())
    return bool((_ROUTED | _SWITCHED) & values.keys())


def _left_of_trunk(values: Fields, lines: Iterable[ConfigTree]) -> list[ConfigTree]:
    """Trunk settings of a port that is none, or that does not allow its native VLAN."""
    found = [line for line in lines if line.text.startswith("switchport trunk ")]
    if "is_trunk" not in values:
        return found
    native = values.get("native_vlan")
    if native is None or native in values.get("allowed_vlans", ()):
        return []
    return [line for line in found if line.text.startswith("switchport trunk native ")]


def _interface(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree] | None:
    loopback = found[1].startswith("Loopback")
    values, unknown = read(node.children.values(), _LOOPBACK_LINES if loopback else _PORT_LINES)
    routed = values.get("routed", False)
    if not loopback and _contradicts(values):
        return None
    edge = _EDGE.keys() <= values.keys()
    if not edge:
        unknown += [node.children[text] for field, text in _EDGE.items() if field in values]
    layer1, left = read_layer1(values, node.children.values())
    unlike_trunk = _left_of_trunk(values, node.children.values())
    is_trunk, native = "is_trunk" in values, None if unlike_trunk else values.get("native_vlan")
    fields["interfaces"].append(
        Interface(
            name=found[1],
            description=values.get("description"),
            address=values.get("address"),
            mtu_bytes=values.get("mtu_bytes", _DEFAULT_MTU_BYTES) if routed else None,
            enabled=values.get("enabled", True),
            qos_profile=values.get("qos_profile"),
            layer1=layer1,
            access_vlan=values.get("access_vlan"),
            edge=edge,
            vrf=values.get("vrf"),
            tagged_vlans=tuple(sorted({*values.get("allowed_vlans", ())} - {native})) if is_trunk else None,
            native_vlan=native,
        )
    )
    left += unlike_trunk
    return [*unknown, *(line for line in left if line not in unknown)]


def _prefix_list(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    rules, unknown = [], []
    for line in node.children.values():
        if seq := _SEQ.fullmatch(line.text):
            ge, le = (int(each) if each else None for each in (seq[4], seq[5]))
            rules.append(PrefixRule(int(seq[1]), seq[2] == "permit", seq[3], ge, le))
        else:
            unknown.append(line)
    fields["lists"].append(PrefixList(found[1], tuple(rules)))
    return unknown


def _route_map(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    values, unknown = read(node.children.values(), _ROUTE_MAP_LINES)
    rule = RouteMapRule(
        sequence=int(found[3]),
        permit=found[2] == "permit",
        match_prefix_list=values.get("match_prefix_list"),
        prepend=values.get("prepend", ()),
        communities=values.get("communities", ()),
    )
    fields["maps"].setdefault(found[1], []).append(rule)
    return unknown


def _static_route(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    fields["routes"].append(StaticRoute(found[2], found[1]))
    return list(node.children.values())


def _vrf(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    fields["vrfs"].append(found[1])
    return list(node.children.values())


def _vrfs(fields: Fields, left: ConfigTree) -> tuple[Vrf, ...]:
    """VRFs that exist and route IPv4; one with only half of this is not ours."""
    there, routed = set(fields["vrfs"]), set(fields.get("routed_vrfs", ()))
    for name in there - routed:
        left.add(f"vrf instance {name}")
    for name in routed - there:
        left.add(f"ip routing vrf {name}")
    return tuple(map(Vrf, there & routed))


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"interface ((?:Ethernet|Loopback)[\d/]+)", _interface),
        (r"interface (Vlan\d+)", _svi),
        (r"interface (Ethernet[\d/]+\.\d+)", _subinterface),
        (r"vlan (\d+)", _vlan),
        (r"ip prefix-list (\S+)", _prefix_list),
        (r"route-map (\S+) (permit|deny) (\d+)", _route_map),
        (r"ip route (?:vrf (\S+) )?(\d+\.\d+\.\d+\.\d+/\d+) Null0", _static_route),
        (r"vrf instance (\S+)", _vrf),
        (r"router bfd", _bfd),
    )
)


def _reader_of(line: str) -> tuple[Reader, re.Match[str]] | None:
    for pattern, reader in _READERS:
        if found := pattern.fullmatch(line):
            return reader, found
    return None
