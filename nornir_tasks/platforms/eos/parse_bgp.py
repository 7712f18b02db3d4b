"""EOS BGP parsed into the common model: flat ``neighbor`` lines, peer groups by name and neighbours by address."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.bgp import Bgp, BgpVrf, Neighbor, PeerGroup
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.parse_validators import BLOCKS as VALIDATORS
from nornir_tasks.platforms.eos.parse_validators import is_validation, parse_validators
from nornir_tasks.platforms.lines import Block, Table, leave, look_up, no, number, row, starting, table, take, text, yes

# hidden lines: batfish arista_bgp_show_run_all_3, vEOS 4.23.0.1F; only "show running-config all" prints them
_PROCESS = (
    row(r"router-id (\S+)", "router_id", text, single="router-id"),
    row(r"maximum-paths (\d+) ecmp \1", "maximum_paths", number, single="maximum-paths"),
    row(
        r"bgp bestpath as-path multipath-relax",
        "multipath_relax",
        yes,
        hidden=("bgp bestpath as-path multipath-relax",),
    ),
    row(r"no bgp bestpath as-path multipath-relax", "multipath_relax", no),
    row(r"bgp log-neighbor-changes", "log_neighbor_changes", yes, hidden=("bgp log-neighbor-changes",)),
    row(r"no bgp log-neighbor-changes", "log_neighbor_changes", no),
    row(
        r"no graceful-restart",
        "graceful_restart_helper_only",
        yes,
        hidden=("no graceful-restart", "graceful-restart-helper"),
    ),
    row(r"graceful-restart", "graceful_restart_helper_only", no),
    row(r"update wait-install", "wait_for_install", yes),
    row(r"update wait-for-convergence", "wait_for_convergence", yes),
    row(r"no bgp default ipv4-unicast", "inactive_by_default", yes, hidden=("bgp default ipv4-unicast",)),
)

_ROUTE_MAP = r"route-map(?= \S+ (in|out)$)"


def _minutes(found: re.Match[str]) -> int | None:
    """The restart timer is in seconds and the model in minutes; a fraction of a minute cannot be represented."""
    minutes, seconds = divmod(int(found[1]), 60)
    return None if seconds else minutes


_GROUP = (
    row(r"peer group", "defined", yes),
    row(r"timers (\d+) (\d+)", "timers", lambda found: (int(found[1]), int(found[2])), single="timers"),
    row(r"out-delay (\d+)", "advertisement_interval_s", number, single="out-delay"),
    row(r"bfd", "bfd", yes),
    row(r"ttl maximum-hops 1", "ttl_security", yes, single="ttl maximum-hops"),
    row(r"send-community", "send_community", yes, single="send-community"),
    row(r"next-hop-self", "next_hop_self", yes),
    row(r"password 7 (\S+)", "password", text, single="password"),
    row(r"maximum-routes (\d+)", "max_prefixes", number, single="maximum-routes"),
    row(r"idle-restart-timer (\d+)", "prefix_restart_min", _minutes, single="idle-restart-timer"),
    row(r"route-map (\S+) in", "route_map_in", text, single=_ROUTE_MAP),
    row(r"route-map (\S+) out", "route_map_out", text, single=_ROUTE_MAP),
)

_NEIGHBOR = (
    # "peer group" alone defines a group and is another line
    row(
        r"peer group (\S+)",
        "peer_group",
        text,
        single="peer group(?= )",
        # a neighbour that leaves its group leaves the fabric: all its lines are removed with it
        negation=(r"peer group \S+", r"no \g<before>"),
    ),
    row(r"remote-as (\d+)", "remote_as", number, single="remote-as"),
    row(r"description (.+)", "description", text, single="description"),
    row(r"route-map (\S+) in", "route_map_in", text, single=_ROUTE_MAP),
)

_WAITS = ("wait_for_install", "wait_for_convergence")
_OF_VRF = tuple(each for each in _PROCESS if each.field in {"router_id", "maximum_paths", *_WAITS})
_AGGREGATES = (
    row(
        r"aggregate-address (\S+/\d+) summary-only",
        "aggregates",
        text,
        single=r"aggregate-address (\S+)",
        many=True,
        # arista.eos (ansible 12.3.0) rm_templates/bgp_global: an aggregate is known by its prefix
        negation=(r"(aggregate-address \S+).*", r"no \1"),
    ),
)

_ABOVE = (r"router bgp ",)
_IN_VRF = (*_ABOVE, r"vrf ")
BLOCKS = (
    Block(_ABOVE, (*_PROCESS, *_AGGREGATES)),
    Block(_ABOVE, (*_GROUP, *_NEIGHBOR), before=r"neighbor \S+ "),
    Block(_IN_VRF, _OF_VRF),
    Block(_IN_VRF, _NEIGHBOR, before=r"neighbor \S+ "),
    *VALIDATORS,
)
"""Which lines of BGP replace each other, and which are hidden."""

_PROCESS_LINES = table(*_PROCESS, *_AGGREGATES)
_GROUP_LINES, _NEIGHBOR_LINES = table(*_GROUP), table(*_NEIGHBOR)
_VRF_LINES = table(*_OF_VRF)

_FAMILIES: Mapping[str, Family] = {"address-family ipv4": "ipv4", "address-family ipv6": "ipv6"}
_VRF = re.compile(r"vrf (\S+)")
_FLAT = re.compile(r"neighbor (\S+) (.+)")
_IPV4, _IPV6 = r"\d+\.\d+\.\d+\.\d+", r"[0-9a-f:.]*:[0-9a-f:.]*"
_ADDRESS = re.compile(rf"{_IPV4}|{_IPV6}")
_NETWORK = re.compile(rf"network ((?:{_IPV4}|{_IPV6})/\d+)")

_DEFAULT_TIMERS = (60, 180)
_DEFAULT_MAX_PREFIXES = 12_000
"""Source of both: batfish arista_bgp_show_run_all_3, "show running-config all" of vEOS 4.23.0.1F."""


class _Sessions:
    """Fields and lines of each group or neighbour, in the order of the lines."""

    def __init__(self) -> None:
        self.fields: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, list[ConfigTree]] = {}

    def take(self, key: str, line: ConfigTree, rest: str, rows: Table) -> bool:
        """Parse one line; False if it is unknown."""
        known = look_up(rest, rows)
        if known is None or line:
            return False
        self.fields.setdefault(key, {})[known[0]] = known[1]
        self.lines.setdefault(key, []).append(line)
        return True


def parse_bgp(rest: ConfigTree, left: ConfigTree) -> Bgp | None:
    """Take ``router bgp`` out of ``rest``; unknown lines go to ``left``. None: there is no BGP of ours."""
    process = next(starting(rest, "router bgp "), None)
    if process is None:
        return None
    del rest.children[process.text]
    above = (process.text,)
    groups, neighbors, fields = _Sessions(), _Sessions(), dict[str, Any]()
    vrfs = [line for line in process.children.values() if _VRF.fullmatch(line.text)]
    for line in process.children.values():
        if line.text in _FAMILIES or _VRF.fullmatch(line.text) or is_validation(line.text):
            continue
        if flat := _FLAT.fullmatch(line.text):
            sessions, rows = (neighbors, _NEIGHBOR_LINES) if _ADDRESS.fullmatch(flat[1]) else (groups, _GROUP_LINES)
            known = sessions.take(flat[1], line, flat[2], rows)
        else:
            known = take(line, _PROCESS_LINES, fields)
        if not known:
            leave(left, above, [line])
    active: dict[str, Family] = {}
    networks: list[str] = []
    for line in (process.children.get(each) or ConfigTree(each) for each in _FAMILIES):
        here, announced = _family(line, (*above, line.text), left, _FAMILIES[line.text])
        _leave_inactive(here & active.keys(), (*above, line.text), left)
        active = dict.fromkeys(here, _FAMILIES[line.text]) | active
        networks += announced
    peer_groups = tuple(_groups(groups, active, above, left))
    known_groups = {group.name for group in peer_groups}
    members = tuple(_neighbors(neighbors, known_groups, above, left))
    inner = [_vrf(line, known_groups, above, left) for line in vrfs]
    for name, family in _FAMILIES.items():
        unknown = {each for each in active.keys() - known_groups if active[each] == family}
        _leave_inactive(unknown, (*above, name), left)
    validators = parse_validators(process, left)
    if not (fields or peer_groups or members or networks or inner or validators):
        return None
    return Bgp(
        asn=int(process.text.split()[2]),
        router_id=fields.get("router_id", ""),
        maximum_paths=fields.get("maximum_paths", 1),
        multipath_relax=fields.get("multipath_relax", True),
        graceful_restart_helper_only=fields.get("graceful_restart_helper_only", True),
        log_neighbor_changes=fields.get("log_neighbor_changes", True),
        networks=tuple(networks),
        peer_groups=peer_groups,
        neighbors=(*members, *(each for _, sessions in inner for each in sessions)),
        aggregates=tuple(fields.get("aggregates", ())),
        vrfs=tuple(vrf for vrf, _ in inner),
        validators=validators,
        **_waits(fields),
    )


def _vrf(
    block: ConfigTree, groups: set[str], above: tuple[str, ...], left: ConfigTree
) -> tuple[BgpVrf, list[Neighbor]]:
    """``vrf <name>`` within the process, with its sessions. Each neighbour is activated there, not its group."""
    name, here = block.text.removeprefix("vrf "), (*above, block.text)
    family = block.children.get("address-family ipv4") or ConfigTree()
    sessions, fields = _Sessions(), dict[str, Any]()
    for line in block.children.values():
        flat = _FLAT.fullmatch(line.text)
        if line is family:
            continue
        if flat is None:
            known = take(line, _VRF_LINES, fields)
        else:
            known = bool(_ADDRESS.fullmatch(flat[1])) and sessions.take(flat[1], line, flat[2], _NEIGHBOR_LINES)
        if not known:
            leave(left, here, [line])
    active, networks = _family(family, (*here, family.text), left, "ipv4", of_groups=False)
    for address in sessions.fields.keys() - active:
        leave(left, here, sessions.lines[address])
        del sessions.fields[address]
    found = _neighbors(sessions, groups, here, left)
    _leave_inactive(active - {each.peer for each in found}, (*here, family.text), left)
    vrf = BgpVrf(name, fields.get("router_id", ""), fields.get("maximum_paths", 1), networks, **_waits(fields))
    return vrf, [replace(each, vrf=name) for each in found]


def _waits(fields: Mapping[str, Any]) -> dict[str, bool]:
    return {each: fields.get(each, False) for each in _WAITS}


def _family(
    block: ConfigTree, above: tuple[str, ...], left: ConfigTree, family: Family, *, of_groups: bool = True
) -> tuple[set[str], tuple[str, ...]]:
    """Groups (in a VRF: neighbours) activated for unicast of a family, and the networks announced."""
    active, networks = set(), []
    for line in block.children.values():
        flat = _FLAT.fullmatch(line.text)
        if flat and flat[2] == "activate" and bool(_ADDRESS.fullmatch(flat[1])) != of_groups:
            active.add(flat[1])
        elif (network := _NETWORK.fullmatch(line.text)) and (":" in network[1]) == (family == "ipv6"):
            networks.append(network[1])
        else:
            leave(left, above, [line])
    return active, tuple(networks)


def _groups(
    found: _Sessions, active: Mapping[str, Family], above: tuple[str, ...], left: ConfigTree
) -> list[PeerGroup]:
    """Defined groups with unicast of one family; the lines of any other group go to the remainder."""
    groups = []
    for name, fields in found.fields.items():
        if not fields.get("defined") or name not in active:
            leave(left, above, found.lines[name])
            continue
        keepalive_s, hold_s = fields.get("timers", _DEFAULT_TIMERS)
        groups.append(
            PeerGroup(
                name=name,
                keepalive_s=keepalive_s,
                hold_s=hold_s,
                connect_retry_s=None,
                advertisement_interval_s=fields.get("advertisement_interval_s"),
                bfd=fields.get("bfd", False),
                ttl_security=fields.get("ttl_security", False),
                send_community=fields.get("send_community", False),
                max_prefixes=fields.get("max_prefixes", _DEFAULT_MAX_PREFIXES),
                prefix_restart_min=fields.get("prefix_restart_min"),
                route_map_in=fields.get("route_map_in"),
                route_map_out=fields.get("route_map_out"),
                family=active[name],
                next_hop_self=fields.get("next_hop_self", False),
                password=fields.get("password"),
            )
        )
    return groups


def _neighbors(found: _Sessions, groups: set[str], above: tuple[str, ...], left: ConfigTree) -> list[Neighbor]:
    """Neighbours of a known group with a numeric ASN; the lines of any other go to the remainder."""
    neighbors = []
    for address, fields in found.fields.items():
        if fields.get("peer_group") not in groups or "remote_as" not in fields:
            leave(left, above, found.lines[address])
            continue
        neighbors.append(
            Neighbor(
                address=address,
                remote_as=fields["remote_as"],
                peer_group=fields["peer_group"],
                description=fields.get("description", ""),
                route_map_in=fields.get("route_map_in"),
            )
        )
    return neighbors


def _leave_inactive(names: set[str], above: tuple[str, ...], left: ConfigTree) -> None:
    """Add activations of other groups or neighbours to the remainder."""
    for name in sorted(names):
        left.add_path(above).add(f"neighbor {name} activate")
