"""The state of a Cumulus Linux switch in the neutral shape. Pure.

Seven requests per switch, one per VRF other than the default one, two if it is in a pair, one for learned addresses.

Shapes: CumulusNetworks/docs cumulus-linux-514 NVUE-API.md (interfaces, routes), Troubleshooting-BGP.md (neighbours; an
interface neighbour goes by its port), Neighbor-Discovery-ND.md (router advertisements),
Equal-Cost-Multipath-Load-Sharing.md (next-hop groups, adaptive routing), cumulus-linux-516 Routing-Tables.md
(``nv show vrf <vrf-id> router rib ipv4 route``),
RDMA-over-Converged-Ethernet-RoCE.md (``nv show interface swp16 qos roce status``),
pairs: observe_pair.py. A figure that is printed
rounded ("153.00 KB") cannot be compared, so it counts as not shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.config.vrfs import RouteKey
from nornir_tasks.platforms.nvue import observe_base, observe_trees
from nornir_tasks.platforms.nvue.observe_gateways import PARTS, gateways
from nornir_tasks.platforms.nvue.observe_pair import pair_state
from nornir_tasks.platforms.nvue.observe_parts import SUPPLIES, supplies
from nornir_tasks.platforms.nvue.observe_prefixes import exchanged, neighbors
from nornir_tasks.platforms.nvue.tree import BRIDGE
from nornir_tasks.platforms.observed import (
    Answers,
    BgpSession,
    GroupMember,
    LearnedMac,
    LldpNeighbor,
    Observed,
    Observing,
    PathState,
    PortQos,
    PortState,
    PortVlans,
    Request,
)

Data = dict[str, Any]

PORTS = "interface"
_ADVERTISEMENTS = tuple(f"/*/{family}/neighbor-discovery/router-advertisement" for family in ("ip", "ipv6"))
MEMBERS = Request(f"bridge/domain/{BRIDGE}/port")
BGP = Request("vrf", parts=("/*/router/bgp/neighbor",))
_ROUTES = re.compile(r"vrf/(?P<vrf>[^/]+)/router/rib/ipv4/route")
GROUPS = Request("router/nexthop/rib")
MAPPING = Request("qos/mapping/default-global")
ADAPTIVE = Request("router/adaptive-routing")
PAIR = Request("mlag")
UNLIKE = Request("mlag/consistency-checker/global")
MACS = Request(f"bridge/domain/{BRIDGE}/mac-table")


def routes_of(vrf: str) -> Request:
    """The request for the routes of one VRF."""
    return Request(f"vrf/{vrf}/router/rib/ipv4/route")


ROUTES = routes_of("default")

REQUESTS = {
    "ports": (Request(PORTS, parts=("/*/link", *_ADVERTISEMENTS)), MEMBERS),
    "lldp": (Request(PORTS, parts=("/*/lldp/neighbor",)),),
    "bgp": (BGP,),
    "routes": (ROUTES, GROUPS),
    "qos": (Request(PORTS, parts=("/*/qos",)),),
    "dscp_to_priority": (MAPPING,),
    "paths": (Request(PORTS, parts=("/*/router",)), ADAPTIVE),
    "groups": (Request(PORTS, parts=("/*/bond",)),),
    "pair": (PAIR, UNLIKE, Request(PORTS, parts=("/*/bond",))),
    "gateways": (Request(PORTS, parts=PARTS),),
    "carried": (MEMBERS,),
    "partners": (),  # /proc has them, NVUE does not
    "trees": (),  # which bridge is the root is published as text alone
    "tree_ports": (Request(PORTS, parts=observe_trees.PARTS),),
    "clock": (observe_base.NTP_OF_SYSTEM, observe_base.NTP_OF_VRFS),
    "log_targets": (),  # NVUE has the servers as configured, and nothing of what is sent
    "zero_touch": (observe_base.ZTP,),
    "vrf_ports": (Request(PORTS, parts=observe_base.VRF_PARTS),),
    "accounts": (observe_base.ACCOUNTS,),
    "macs": (MACS,),
    "exchanged": (BGP,),
    "supplies": (SUPPLIES,),
}


def observed(device: str, answers: Answers) -> Observed:
    """One switch, at one moment."""
    ports: Data = answers.get(PORTS, {})
    members, groups = _data(answers, MEMBERS), _data(answers, GROUPS)
    system: Data = answers.get(observe_base.SYSTEM, {})
    return Observed(
        device=device,
        ports=tuple(replace(port_state(name, port), vlan=_vlan(name, members)) for name, port in ports.items()),
        lldp=tuple(neighbor for name, port in ports.items() for neighbor in lldp_neighbors(name, port)),
        bgp=tuple(sessions(_data(answers, BGP))),
        routes=tuple(_routes(answers, groups)),
        qos=tuple(_port_qos(name, port["qos"]) for name, port in ports.items() if "qos" in port),
        dscp_to_priority=_dscp(_data(answers, MAPPING)),
        paths=_paths(_data(answers, ADAPTIVE), ports),
        groups=tuple(_members(ports)),
        pair=pair_state(answers[PAIR.what], _data(answers, UNLIKE), ports) if PAIR.what in answers else None,
        gateways=tuple(gateways(ports)) if PORTS in answers else None,
        carried=tuple(_carried(members)) if MEMBERS.what in answers else None,
        tree_ports=tuple(observe_trees.tree_ports(ports)) if PORTS in answers else None,
        clock=observe_base.clock(system, _data(answers, observe_base.NTP_OF_VRFS)),
        zero_touch=observe_base.zero_touch(system),
        vrf_ports=tuple(observe_base.vrf_ports(ports)) if PORTS in answers else None,
        accounts=observe_base.accounts(system),
        macs=tuple(_learned(answers[MACS.what])) if MACS.what in answers else None,
        exchanged=tuple(exchanged(_data(answers, BGP))) if BGP.what in answers else None,
        supplies=tuple(supplies(answers[SUPPLIES.what])) if SUPPLIES.what in answers else None,
    )


def _members(ports: Data) -> Iterator[GroupMember]:
    """Rows ``[member]`` of ``nv show interface bond1 bond`` (Bonding-Link-Aggregation.md), operational column.

    They are the bond's ports in the kernel; nothing that is published says whether LACP uses one.
    """
    for name, port in ports.items():
        for member in port.get("bond", {}).get("member", {}):
            yield GroupMember(member, name, bundled=None)


def _data(answers: Answers, request: Request) -> Data:
    found: Data = answers.get(request.what, {})
    return found


def sessions(answer: Data) -> Iterator[BgpSession]:
    """BGP's neighbours in the answer to ``BGP``."""
    for vrf, address, each in neighbors(answer):
        yield replace(_session(address, each), vrf=vrf)


def port_state(name: str, port: Data) -> PortState:
    """Administrative and operational state of one interface."""
    link = port.get("link", {})
    is_up = link.get("oper-status") == "up" if "oper-status" in link else "up" in link.get("state", {})
    mtu = link.get("mtu")
    return PortState(
        name=name,
        admin_up=link.get("admin-status", "up") == "up",
        oper_up=is_up,
        mtu_bytes=mtu if isinstance(mtu, int) else None,
        ra_interval_ms=_ra_interval_ms(port),
    )


def _ra_interval_ms(port: Data) -> int | None:
    """As in ``nv show interface swp1 ip neighbor-discovery router-advertisement``; below ``ipv6`` from 5.15 on."""
    for family in ("ip", "ipv6"):
        shown = port.get(family, {}).get("neighbor-discovery", {}).get("router-advertisement", {})
        switch, interval = shown.get("enable", shown.get("state")), shown.get("interval")
        if switch in ("off", "disabled"):
            return 0
        if switch in ("on", "enabled") and isinstance(interval, int):
            return interval
    return None


def _vlan(name: str, members: Data) -> str | None:
    """The one VLAN of an access port; a port outside the bridge is routed. None if the members are not shown.

    Columns of ``nv show bridge domain br_default port vlan`` (VLAN-aware-Bridge-Mode.md); their JSON is not published.
    """
    if name not in members:
        return "routed" if members else None
    vlans = members[name].get("vlan", {})
    untagged = [number for number, each in vlans.items() if each.get("tag-state") == "untagged"]
    return untagged[0] if len(vlans) == len(untagged) == 1 else "trunk"


def _carried(members: Data) -> Iterator[PortVlans]:
    """Each port of the bridge with the VLANs that have it in a state: the rows of the table that ``_vlan`` reads."""
    for name, port in members.items():
        yield PortVlans(name, frozenset(int(number) for number in port.get("vlan", {})))


def _learned(table: Data) -> Iterator[LearnedMac]:
    """Rows by number or by address (tests/recorded/nvue_show/mac_table.txt); a learned one has no type, or dynamic."""
    for key, row in table.items():
        if row.get("interface") and row.get("entry-type", "dynamic") == "dynamic":
            yield LearnedMac(str(row["interface"]), str(row.get("mac", key)).lower())


def lldp_neighbors(name: str, port: Data) -> list[LldpNeighbor]:
    """The neighbours on a port: keys are system names, the port's name is inside."""
    heard = port.get("lldp", {}).get("neighbor", {})
    return [
        LldpNeighbor(name, str(each.get("chassis", {}).get("system-name") or system), str(each["port"]["name"]))
        for system, each in heard.items()
        if isinstance(each, dict) and "name" in each.get("port", {})
    ]


def _session(address: str, each: Data) -> BgpSession:
    state = str(each.get("state", ""))
    received = each.get("address-family", {}).get("ipv4-unicast", {}).get("rx-prefix")
    remote_as = each.get("remote-as")
    return BgpSession(
        address=address,
        remote_as=remote_as if isinstance(remote_as, int) else 0,
        established=state == "established",
        state=state,
        prefixes_received=received if isinstance(received, int) else None,
    )


def _routes(answers: Answers, groups: Data) -> Iterator[tuple[RouteKey, int]]:
    """The BGP routes of each requested VRF."""
    for found, answer in ((_ROUTES.fullmatch(what), answer) for what, answer in answers.items()):
        vrf = found["vrf"] if found else ""
        for prefix, each in answer.items() if vrf else ():
            if hops := _bgp_next_hops(each, groups):
                yield (None if vrf == "default" else vrf, prefix), hops


def _bgp_next_hops(route: Data, groups: Data) -> int:
    """ECMP width of a BGP route; 0 for a route of another protocol.

    The list of routes names next-hop groups only (NVUE-API.md); a group of several depends on its members, a single
    next hop has its own exit (Equal-Cost-Multipath-Load-Sharing.md, ``nv show router nexthop rib``).
    """
    for entry in route.get("route-entry", {}).values():
        if entry.get("protocol") == "bgp":
            group = groups.get(str(entry.get("nexthop-group-id")), {})
            return len(group.get("depends") or group.get("via") or entry.get("via") or {})
    return 0


def _port_qos(name: str, qos: Data) -> PortQos:
    status = qos.get("roce", {}).get("status", {})
    trust = status.get("trust", {}).get("trust-mode")
    watchdog = qos.get("pfc-watchdog", {}).get("state")
    return PortQos(
        port=name,
        trust_dscp="dscp" in trust if isinstance(trust, str) else None,
        pfc_priorities=_pfc(status.get("pfc", {})),
        watchdog=None if watchdog is None else watchdog in ("enable", "enabled"),
        ecn=_ecn(qos.get("congestion-control", {}).get("traffic-class")),
    )


def _paths(adaptive: Data, ports: Data) -> PathState:
    """Operational adaptive routing (``nv show router adaptive-routing``, and per interface); unknown if not shown."""
    states = {name: _is_on(port.get("router", {}).get("adaptive-routing", {})) for name, port in ports.items()}
    is_on = _is_on(adaptive)
    return PathState(
        mode=None if is_on is None else "per_packet" if is_on else "static",
        ports=tuple(name for name, on in states.items() if on)
        if any(on is not None for on in states.values())
        else None,
    )


def _is_on(adaptive: Data) -> bool | None:
    """The key is ``enable`` until 5.14 and ``state`` from 5.15 on."""
    word = adaptive.get("state", adaptive.get("enable"))
    return None if word is None else word in ("on", "enabled")


def _pfc(pfc: Data) -> tuple[int, ...] | None:
    """Priorities that are paused in both directions: printed as ``3`` or ``3,4``, or ``-`` for none."""
    if "pfc-priority" not in pfc:
        return None
    if not all(pfc.get(f"{direction}-enabled") in ("enabled", "yes") for direction in ("rx", "tx")):
        return ()
    listed = str(pfc["pfc-priority"]).split(",")
    return tuple(sorted(int(each) for each in listed if each.strip().isdecimal()))


def _ecn(classes: object) -> tuple[tuple[int, Ecn], ...] | None:
    if not isinstance(classes, dict):
        return None
    found = []
    for queue, each in classes.items():
        if each.get("ecn") != "enable":
            continue
        figures = [each.get(key) for key in ("min-threshold", "max-threshold", "probability")]
        if not all(isinstance(figure, int) for figure in figures):
            return None
        found.append((int(queue), Ecn(*figures)))
    return tuple(sorted(found, key=lambda pair: pair[0]))


def _dscp(mapping: Data) -> tuple[int, ...] | None:
    table = mapping.get("dscp", {})
    priorities = [table.get(str(dscp), {}).get("switch-priority") for dscp in range(64)]
    return tuple(priorities) if all(isinstance(each, int) for each in priorities) else None


def _in_vrfs(vrfs: Sequence[str]) -> tuple[Request, ...]:
    return (*REQUESTS["routes"], *map(routes_of, vrfs))


OBSERVING = Observing(
    REQUESTS,
    observed,
    not_shown=("paths.waits_for_reload", "groups.bundled"),
    in_vrfs={"routes": _in_vrfs},
)
