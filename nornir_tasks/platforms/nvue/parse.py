"""Owned NVUE data -> DeviceConfig and a remainder. An absent line means the OS's default."""

from nornir_tasks.design.config.interfaces import Lldp
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms import control_list
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.nvue.access_lists import families, parse_lists
from nornir_tasks.platforms.nvue.capabilities import Spelling
from nornir_tasks.platforms.nvue.capabilities import capabilities as record_of
from nornir_tasks.platforms.nvue.parse_base import parse_base
from nornir_tasks.platforms.nvue.parse_gateways import take_switch
from nornir_tasks.platforms.nvue.parse_pair import parse_pair
from nornir_tasks.platforms.nvue.parse_ports import Carried, parse_ports
from nornir_tasks.platforms.nvue.parse_qos import parse_qos
from nornir_tasks.platforms.nvue.parse_routing import parse_bgp, parse_policy, parse_static_routes
from nornir_tasks.platforms.nvue.port_map import sort_key
from nornir_tasks.platforms.nvue.reading import (
    Data,
    drop_if_empty,
    entries,
    look,
    take,
    take_empty,
    take_int,
    take_word,
)
from nornir_tasks.platforms.nvue.relay import with_relays
from nornir_tasks.platforms.nvue.tree import BRIDGE, CONTAINERS, from_data, to_data
from nornir_tasks.platforms.platform import Parsed

HASH_FIELDS = ("source-ip", "destination-ip", "source-port", "destination-port", "ip-protocol")


def parse(tree: ConfigTree, capabilities: Capabilities, name: str, model: str) -> Parsed:
    """Parse the owned part of one switch. Everything that is not fully understood is in the remainder."""
    known = record_of(capabilities.release, capabilities.asic)
    data = to_data(tree)
    watched = frozenset(
        port
        for port, _ in entries(data, "interface")
        if take_word(data, "enable", "interface", port, "qos", "pfc-watchdog", "state")
    )
    base = parse_base(data, known.spelling)  # before the ports: the management port is none of the fabric's
    balancing = _load_balancing(data, known.spelling)
    qos, own_profiles = parse_qos(data, known, watched)
    bgp, bfd = parse_bgp(data, known)
    carried = Carried(own_profiles, watched) if qos is not None else None
    pair = parse_pair(data, known.spelling)
    interfaces, breakouts = parse_ports(data, known, carried, families(data))
    interfaces = with_relays(data, interfaces, bgp)
    if any(port.gateway for port in interfaces):
        take_switch(data, known.spelling)
    config = DeviceConfig(
        name=name,
        os=known.os,
        release=known.release,
        model=model,
        asic=known.asic,
        hashing=_hashing(data, known.spelling),
        load_balancing=balancing,
        lldp=_lldp(data, known.spelling),
        qos=qos,
        bfd=bfd,
        breakouts=breakouts,
        vlans=_vlans(data),
        spanning_tree=_spanning_tree(data),
        access_lists=parse_lists(data),
        interfaces=interfaces,
        pair=pair,
        routing_policy=parse_policy(data),
        static_routes=parse_static_routes(data),
        bgp=bgp,
        vrfs=_vrfs(data),
        base=base,
    )
    return Parsed(in_order(control_list.joined(config), sort_key), _remainder(data))


def _vlans(data: Data) -> tuple[Vlan, ...]:
    at = ("bridge", "domain", BRIDGE, "vlan")
    return tuple(Vlan(int(number), None) for number, _ in entries(data, *at) if take_empty(data, *at, number))


def _vrfs(data: Data) -> tuple[Vrf, ...]:
    """The VRFs, after routes and BGP have been read. A VRF without a table of its own is not ours."""
    found = []
    for name, _ in entries(data, "vrf"):
        if name != "default" and take_word(data, "auto", "vrf", name, "table"):
            drop_if_empty(data, "vrf", name)
            found.append(Vrf(name))
    return tuple(found)


def _remainder(data: Data) -> ConfigTree:
    """The remaining data as lines; without the containers, which have no meaning."""
    left = ConfigTree()
    for path, node in from_data(data).walk():
        if not node and path not in CONTAINERS:
            left.add_path(path)
    return left


def _lldp(data: Data, spelling: Spelling) -> Lldp | None:
    at = (spelling.lldp, "lldp", "state")
    if take_word(data, "enabled", *at):
        return Lldp(enabled=True)
    return Lldp(enabled=False) if take_word(data, "disabled", *at) else None


def _load_balancing(data: Data, spelling: Spelling) -> LoadBalancing | None:
    """Adaptive routing; a port that has it while the switch does not is not ours."""
    if not take_word(data, spelling.on, "router", "adaptive-routing", spelling.switch):
        return None
    at = ("router", "adaptive-routing", spelling.switch)
    ports = [name for name, _ in entries(data, "interface") if take_word(data, spelling.on, "interface", name, *at)]
    return LoadBalancing("per_packet", tuple(ports), None)


def _hashing(data: Data, spelling: Spelling) -> Hashing | None:
    seed = take_int(data, "system", "forwarding", "hash-seed")
    has_ecmp = any(look(data, "system", "forwarding", "ecmp-hash", field) for field in HASH_FIELDS)
    at = ("system", "forwarding", "lag-hash")
    # only all of the fields are ours: the rest stays in the data
    has_lag = all(look(data, *at, field) == spelling.on for field in HASH_FIELDS)
    for field in HASH_FIELDS:
        take_word(data, spelling.on, "system", "forwarding", "ecmp-hash", field)
        if has_lag:
            take(data, *at, field)
    has_seed = seed is not None or has_ecmp
    return Hashing(seed or 0 if has_seed else None, has_lag) if has_seed or has_lag else None


def _spanning_tree(data: Data) -> SpanningTree | None:
    """All of it or none: RSTP, with a priority, and up."""
    at = ("bridge", "domain", BRIDGE, "stp")
    priority = look(data, *at, "priority")
    if look(data, *at, "mode") != "rstp" or look(data, *at, "state", "up") != {} or not isinstance(priority, int):
        return None
    take_empty(data, *at, "state", "up")
    take_word(data, "rstp", *at, "mode")
    return SpanningTree("rstp", take(data, *at, "priority"))
