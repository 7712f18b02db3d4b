"""NX-OS' show output in the neutral shape. Pure.

Field names are those of the Nexus 9000 Show Command Reference 9.3(x) (each command's ``__readonly__`` part); a table
with one row is an object, with several a list. Routes of all VRFs: the request of NAPALM 5.2.0
(napalm/nxos_ssh/nxos_ssh.py, get_route_to). A command that this release does not have leaves its value None: "could not
tell".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.config.vrfs import RouteKey
from nornir_tasks.platforms.nxos import observe_base, observe_parts
from nornir_tasks.platforms.nxos.dscp import CODE_POINTS, to_list
from nornir_tasks.platforms.nxos.observe_gateways import gateways
from nornir_tasks.platforms.nxos.observe_pair import pair_state
from nornir_tasks.platforms.nxos.observe_partners import partners
from nornir_tasks.platforms.nxos.observe_prefixes import exchanged
from nornir_tasks.platforms.nxos.observe_trees import tree_ports, trees
from nornir_tasks.platforms.nxos.observe_vlans import carried, learned
from nornir_tasks.platforms.nxos.port_map import LAG
from nornir_tasks.platforms.nxos.tables import rows
from nornir_tasks.platforms.observed import (
    Answers,
    BgpSession,
    Form,
    GroupMember,
    LldpNeighbor,
    Observed,
    Observing,
    PathState,
    PortQos,
    PortState,
    Request,
)

INTERFACES = Request("show interface")
STATUS = Request("show interface status")
LLDP = Request("show lldp neighbors detail", Form.TEXT)
BGP = Request("show bgp all summary vrf all")
NEIGHBORS = Request("show bgp vrf all all neighbors", Form.TEXT)
ROUTES = Request("show ip route")
ROUTES_OF_ALL_VRFS = Request("show ip route vrf all")
GROUPS = Request("show port-channel summary")
PAIR = Request("show vpc")
UNLIKE = Request("show vpc consistency-parameters global")
GATEWAYS = Request("show hsrp")
VLANS = Request("show vlan brief")
PARTNERS = Request("show lacp neighbor", Form.TEXT)
TREES = Request("show spanning-tree", Form.TEXT)
NTP = Request("show ntp peer-status")
LOGGING = Request("show logging server", Form.TEXT)
ZERO_TOUCH = Request("show boot", Form.TEXT)
POWER = Request("show environment power")
VRFS = Request("show vrf interface", Form.TEXT)
ACCOUNTS = Request("show user-account", Form.TEXT)
MACS = Request("show mac address-table")
PFC = Request("show interface priority-flow-control")
WATCHDOG = Request("show queuing pfc-queue")
NETWORK_QOS = Request("show policy-map system type network-qos")
QUEUING = Request("show policy-map system type queuing output")
PORT_QUEUING = Request("show policy-map interface type queuing")
CLASSIFY = Request("show policy-map type qos")
CLASS_MAPS = Request("show class-map type qos")
TRUST = Request("show policy-map interface type qos", Form.TEXT)
PENDING = Request("show system config reload-pending", Form.TEXT)

REQUESTS = {
    "ports": (INTERFACES, STATUS),
    "lldp": (LLDP,),
    "bgp": (BGP,),
    "routes": (ROUTES,),
    "qos": (PFC, WATCHDOG, NETWORK_QOS, QUEUING, PORT_QUEUING, CLASSIFY, CLASS_MAPS, TRUST),
    "dscp_to_priority": (CLASSIFY, CLASS_MAPS, TRUST),
    "paths": (PENDING,),
    "groups": (GROUPS,),
    "pair": (PAIR, UNLIKE),
    "gateways": (GATEWAYS,),
    "carried": (VLANS,),
    "partners": (PARTNERS,),
    "trees": (TREES,),
    "tree_ports": (TREES,),
    "clock": (NTP,),
    "log_targets": (LOGGING,),
    "zero_touch": (ZERO_TOUCH,),
    "vrf_ports": (VRFS,),
    "accounts": (ACCOUNTS,),
    "macs": (MACS,),
    "exchanged": (NEIGHBORS,),
    "supplies": (POWER,),
}

_IPV4, _IPV6 = "1", "2"
"""Address families, as NAPALM 5.2.0 numbers them (nxos, get_bgp_neighbors)."""
_PENDING = re.compile(r"\d+\s+((?:no )?hardware profile dlb\b.*)")
_BUNDLED = "P"
_STATES = {"D": "down", "I": "individual", "s": "suspended", "H": "hot standby", "r": "module removed"}
"""The legend of ``show port-channel summary``."""
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}


def observed(device: str, answers: Answers) -> Observed:
    """One switch, at one moment."""
    return Observed(
        device=device,
        ports=tuple(_ports(_body(answers, INTERFACES), _body(answers, STATUS))),
        lldp=tuple(_lldp(_body(answers, LLDP))),
        bgp=tuple(sessions(answers)),
        routes=tuple(_routes(_body(answers, ROUTES_OF_ALL_VRFS) or _body(answers, ROUTES))),
        qos=tuple(_qos(answers)),
        dscp_to_priority=_code_points(answers),
        paths=PathState(None, None, needs_reload=True, waits_for_reload=_waiting(_body(answers, PENDING))),
        groups=tuple(_members(_body(answers, GROUPS))),
        pair=pair_state(_body(answers, PAIR), _body(answers, UNLIKE)),
        gateways=tuple(gateways(rows(answers[GATEWAYS.what], "grp_detail"))) if GATEWAYS.what in answers else None,
        carried=tuple(carried(rows(answers[VLANS.what], "vlanbriefxbrief"))) if VLANS.what in answers else None,
        partners=tuple(partners(str(answers[PARTNERS.what]))) if PARTNERS.what in answers else None,
        trees=tuple(trees(str(answers[TREES.what]))) if TREES.what in answers else None,
        tree_ports=tuple(tree_ports(str(answers[TREES.what]))) if TREES.what in answers else None,
        clock=observe_base.clock(answers[NTP.what]) if NTP.what in answers else None,
        log_targets=tuple(observe_base.log_targets(str(answers[LOGGING.what]))) if LOGGING.what in answers else None,
        zero_touch=observe_base.zero_touch(str(answers.get(ZERO_TOUCH.what, ""))),
        vrf_ports=tuple(observe_base.vrf_ports(str(answers[VRFS.what]))) if VRFS.what in answers else None,
        accounts=tuple(observe_base.accounts(str(answers[ACCOUNTS.what]))) if ACCOUNTS.what in answers else None,
        macs=tuple(learned(rows(answers[MACS.what], "mac_address"))) if MACS.what in answers else None,
        exchanged=tuple(exchanged(str(answers[NEIGHBORS.what]))) if NEIGHBORS.what in answers else None,
        supplies=tuple(observe_parts.supplies(answers[POWER.what])) if POWER.what in answers else None,
    )


def _members(body: Any) -> Iterator[GroupMember]:  # noqa: ANN401 - an API answer
    for group in rows(body, "channel"):
        for member in rows(group, "member"):
            flag = str(member.get("port-status", ""))
            bundled, reason = flag == _BUNDLED, _STATES.get(flag, flag)
            yield GroupMember(str(member["port"]), str(group["port-channel"]), bundled, "" if bundled else reason)


def _waiting(text: Any) -> tuple[str, ...] | None:  # noqa: ANN401 - an API answer
    """Lines of the profile that wait for a reload, from a numbered list (a published session)."""
    if text is None:
        return None
    found = (_PENDING.fullmatch(line.strip()) for line in str(text).splitlines())
    return tuple(each[1] for each in found if each is not None)


def _body(answers: Answers, request: Request) -> Any:  # noqa: ANN401 - an API answer
    return answers.get(request.what)


def _ports(body: Any, status: Any) -> Iterator[PortState]:  # noqa: ANN401 - API answers
    """An SVI's fields have names of their own (NAPALM 5.2.0, nxos get_interfaces)."""
    vlans = {str(row["interface"]): str(row["vlan"]) for row in rows(status, "interface") if "vlan" in row}
    for row in rows(body, "interface"):
        up = str(row.get("state") or row.get("svi_line_proto", "")) == "up"
        mtu = row.get("eth_mtu") or row.get("svi_mtu")
        admin = str(row.get("admin_state") or row.get("svi_admin_state") or ("up" if up else "down"))
        name = str(row["interface"])
        yield PortState(name, admin == "up", up, int(mtu) if mtu else None, vlan=vlans.get(name))


def _lldp(text: Any) -> Iterator[LldpNeighbor]:  # noqa: ANN401 - an API answer
    """One block of ``name: value`` lines per neighbour; not every release has structured output.

    Line names as in NAPALM 5.2.0's template show_lldp_neighbors_detail.
    """
    seen: dict[str, str] = {}
    for line in str(text or "").splitlines():
        name, _, value = line.strip().partition(": ")
        if name == "Chassis id":
            seen = {}
        seen[name] = value.strip()
        if name == "System Name" and "Local Port id" in seen:
            port = re.sub(r"^Eth(?=\d)", "Ethernet", seen["Local Port id"])
            yield LldpNeighbor(port, seen["System Name"], seen.get("Port id", ""))


def sessions(answers: Answers) -> Iterator[BgpSession]:
    """BGP's neighbours in all VRFs, in the answer to ``BGP``, each with the routes of its address's family."""
    for vrf in rows(_body(answers, BGP), "vrf"):
        name = str(vrf.get("vrf-name-out"))
        for family in rows(vrf, "af"):
            for sub in rows(family, "saf"):
                if str(sub.get("safi")) != "1":
                    continue
                for row in rows(sub, "neighbor"):
                    own = _IPV6 if ":" in str(row["neighborid"]) else _IPV4
                    if str(family.get("af-id")) != own:
                        continue
                    yield replace(_bgp_session(row), vrf=None if name == "default" else name)


def _bgp_session(row: dict[str, Any]) -> BgpSession:
    state = str(row["state"])
    established = state == "Established"
    return BgpSession(
        address=str(row["neighborid"]),
        remote_as=_asn(str(row["neighboras"])),
        established=established,
        state=state,
        prefixes_received=int(row["prefixreceived"]) if established else None,
    )


def _asn(text: str) -> int:
    """Plain or dotted."""
    high, dot, low = text.partition(".")
    return (int(high) << 16) + int(low) if dot else int(text)


def _routes(body: Any) -> Iterator[tuple[RouteKey, int]]:  # noqa: ANN401 - an API answer
    for vrf in rows(body, "vrf"):
        name = str(vrf.get("vrf-name-out"))
        for family in rows(vrf, "addrf"):
            for prefix in rows(family, "prefix"):
                paths = [
                    path
                    for path in rows(prefix, "path")
                    if str(path.get("clientname", "")).startswith("bgp") and str(path.get("ubest")).lower() == "true"
                ]
                if paths:
                    yield (None if name == "default" else name, str(prefix["ipprefix"])), len(paths)


def _qos(answers: Answers) -> Iterator[PortQos]:
    """Service policies of link aggregation groups are shown at the groups, pauses at their members."""
    pauses = _paused(_body(answers, NETWORK_QOS))
    shared, own = _ecn(_body(answers, QUEUING)), _own_ecn(_body(answers, PORT_QUEUING))
    watched = _watched(_body(answers, WATCHDOG))
    trusted = _trusted(answers)
    for group in _groups(answers):
        marks = None if own is None else own.get(group, shared)
        yield PortQos(group, None if trusted is None else group in trusted, None, None, marks)
    for module in rows(_body(answers, PFC), "module"):
        for row in rows(module, "pfc_interface"):
            port = str(row["if_name_str"])
            yield PortQos(
                port=port,
                trust_dscp=None if trusted is None else port in trusted,
                pfc_priorities=_pfc(row, pauses),
                watchdog=None if watched is None else watched.get(port, False),
                ecn=None if own is None else own.get(port, shared),
            )


def _groups(answers: Answers) -> tuple[str, ...]:
    """The link aggregation groups of a switch, with policies or without."""
    there = {str(row["interface"]) for row in rows(_body(answers, INTERFACES), "interface")}
    return tuple(sorted(name for name in there | set(_attached(answers) or {}) if name.startswith(LAG)))


def _pfc(row: dict[str, Any], pauses: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """``oper`` is On or Off; the bitmap of paused classes is next to it, inside it (``On (8)``), or absent."""
    state = str(row.get("oper", ""))
    if not state.lower().startswith("on"):
        return ()
    if bitmap := re.search(r"\b([0-9a-fA-F]{1,2})\b", f"{row.get('vl_bmap', '')} {state[2:]}"):
        return tuple(bit for bit in range(8) if int(bitmap[1], 16) >> bit & 1)
    return pauses


def _paused(body: Any) -> tuple[int, ...] | None:  # noqa: ANN401 - an API answer
    if body is None:
        return None
    found: set[int] = set()
    for policy in rows(body, "xpmap"):
        for each in rows(policy, "xcmap"):
            for action in (*rows(each, "xaction"), *rows(each, "action")):
                if listed := action.get("pfc-cos-list"):
                    found.update(to_list(str(listed)))
    return tuple(sorted(found))


def _ecn(body: Any) -> tuple[tuple[int, Ecn], ...] | None:  # noqa: ANN401 - an API answer
    if body is None:
        return None
    found = {
        0 if queue[1] == "-default" else int(queue[1]): _thresholds(thresholds)
        for policy in rows(body, "pmap")
        for each in rows(policy, "cmap")
        if (queue := re.fullmatch(r"c-out-8q-q(\d|-default)", str(each.get("cmap-name", ""))))
        for action in rows(each, "action")
        if _is_on(action.get("rdet-ecn"))
        for thresholds in rows(action, "rdet")
    }
    return tuple(sorted(found.items()))


def _own_ecn(body: Any) -> dict[str, tuple[tuple[int, Ecn], ...]] | None:  # noqa: ANN401 - an API answer
    """Port with a queuing policy of its own, which overrides the system's -> ECN of its queues."""
    if body is None:
        return None
    found = {}
    for port in rows(body, "interface"):
        policies = [each for each in rows(port, "pmap") if str(each.get("in-or-out", "output")).lower() == "output"]
        if policies:
            found[str(port["if-name"])] = _ecn({"TABLE_pmap": {"ROW_pmap": policies}}) or ()
    return found


def _thresholds(row: dict[str, Any]) -> Ecn:
    unit = _UNITS[str(row.get("rdet-size-units", "bytes"))]
    return Ecn(int(row["rdet-min-thresh"]) * unit, int(row["rdet-max-thresh"]) * unit, int(row["rdet-drop-prob"]))


def _watched(body: Any) -> dict[str, bool] | None:  # noqa: ANN401 - an API answer
    """Both knobs must be on: the global one and the port's."""
    if body is None:
        return None
    everywhere = _is_on(body.get("glb-wd-status"))
    return {
        str(row["if_name_str"]): everywhere and _is_on(row.get("wd-status")) for row in rows(body, "queuing_interface")
    }


def _is_on(value: object) -> bool:
    return str(value).lower() in {"on", "enabled", "enable", "true", "1", "ecn"}


def _attached(answers: Answers) -> dict[str, str] | None:
    """Port -> classification policy, from the text of ``show policy-map interface type qos``."""
    text = _body(answers, TRUST)
    if text is None:
        return None
    found: dict[str, str] = {}
    port = ""
    for line in str(text).splitlines():
        if re.fullmatch(r"(?:Ethernet|port-channel|Vlan)\S+", line.strip()):
            port = line.strip()
        elif policy := re.search(r"Service-policy \(qos\) input:\s+(\S+)", line):
            found[port] = policy[1]
    return found


def _trusted(answers: Answers) -> frozenset[str] | None:
    """Ports whose classification policy matches on the code point."""
    attached, maps = _attached(answers), _maps(answers)
    if attached is None or maps is None:
        return None
    return frozenset(port for port, policy in attached.items() if policy in maps)


def _maps(answers: Answers) -> dict[str, tuple[int, ...]] | None:
    """Classification policy -> qos-group of each of the 64 code points."""
    policies, classes = _body(answers, CLASSIFY), _body(answers, CLASS_MAPS)
    if policies is None or classes is None:
        return None
    lists = {
        str(row["cmap-name-out"]): [point for match in rows(row, "match") for point in _points(match.get("dscp-list"))]
        for row in rows(classes, "cmap")
    }
    return {str(row["pmap-name-out"]): _map(row, lists) for row in rows(policies, "pmap")}


def _points(listed: object) -> tuple[int, ...]:
    return to_list(str(listed).replace(" ", "")) if listed else ()


def _map(policy: dict[str, Any], lists: Mapping[str, list[int]]) -> tuple[int, ...]:
    groups: dict[int, int] = {}
    default = 0
    for each in rows(policy, "cmap"):
        name = str(each.get("cmap-name", ""))
        group = next((int(row["qos-group"]) for row in rows(each, "action") if row.get("qos-group") is not None), None)
        if group is None:
            continue
        if name == "class-default":
            default = group
        for point in lists.get(name, ()):
            groups.setdefault(point, group)  # the first matching class decides
    return tuple(groups.get(point, default) for point in range(CODE_POINTS))


def _code_points(answers: Answers) -> tuple[int, ...] | None:
    """The map of the ports' policy; None if ports differ or nothing shows it."""
    attached, maps = _attached(answers), _maps(answers)
    if not attached or maps is None:
        return None
    used = {maps.get(policy) for policy in attached.values()}
    return used.pop() if len(used) == 1 else None


OBSERVING = Observing(
    REQUESTS,
    observed,
    not_shown=("ports.ra_interval_ms", "paths.mode", "paths.ports", "tree_ports.edge", "tree_ports.guarded"),
    in_vrfs={"routes": lambda _: (ROUTES_OF_ALL_VRFS,)},
)
