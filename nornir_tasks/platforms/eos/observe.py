"""EOS's show output in the neutral shape. Pure.

JSON where EOS has it: keys as NAPALM 5.2.0 (napalm/eos/eos.py) and anta 1.10.0 read them (routes of all VRFs:
anta/tests/routing/bgp.py, VerifyBGPRouteECMP; groups: anta/tests/interfaces.py, VerifyPortChannels; pairs:
anta/tests/mlag.py, VerifyMlagStatus and VerifyMlagConfigSanity). QoS is read from text: the tables of
``show priority-flow-control`` and ``show qos interfaces ecn`` are in "Arista_EOS_RoCEv2_Lossless_Config" for EOS 4.36,
those of ``show qos maps`` and ``show qos interfaces trust`` follow um-eos, Quality of Service. A value that a text does
not show is None: "could not tell".
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.config.vrfs import RouteKey
from nornir_tasks.platforms.eos import observe_base, observe_parts
from nornir_tasks.platforms.eos.observe_gateways import gateways
from nornir_tasks.platforms.eos.observe_partners import partners
from nornir_tasks.platforms.eos.observe_prefixes import exchanged
from nornir_tasks.platforms.eos.observe_trees import tree_ports, trees
from nornir_tasks.platforms.eos.observe_vlans import carried, learned
from nornir_tasks.platforms.observed import (
    NO_PAIR,
    Answers,
    BgpSession,
    Form,
    GroupMember,
    LldpNeighbor,
    Observed,
    Observing,
    PairState,
    PortQos,
    PortState,
    Request,
    SessionPrefixes,
    Unlike,
)

INTERFACES = Request("show interfaces")
STATUS = Request("show interfaces status")
LLDP = Request("show lldp neighbors")
BGP = Request("show ip bgp summary vrf all")
BGP_IPV6 = Request("show ipv6 bgp summary vrf all")
"""With neighbours of IPv6, in the shape of the other one (NAPALM 5.2.0 asks for both)."""
NEIGHBORS = Request("show ip bgp neighbors vrf all")
NEIGHBORS_IPV6 = Request("show ipv6 bgp peers vrf all")
ROUTES = Request("show ip route bgp")
ROUTES_OF_ALL_VRFS = Request("show ip route vrf all bgp")
GROUPS = Request("show port-channel")
PAIR = Request("show mlag detail")
UNLIKE = Request("show mlag config-sanity")
GATEWAYS = Request("show ip virtual-router vrf all")
VLANS = Request("show vlan brief")
PARTNERS = Request("show lacp neighbor")
TREES = Request("show spanning-tree")
NTP = Request("show ntp associations")
ZERO_TOUCH = Request("show zerotouch")
POWER = Request("show system environment power")
VRFS = Request("show vrf")
ACCOUNTS = Request("show users accounts")
MACS = Request("show mac address-table")

LOGGING = Request("show logging", Form.TEXT)
PFC = Request("show priority-flow-control", Form.TEXT)
WATCHDOG = Request("show priority-flow-control counters watchdog", Form.TEXT)
TRUST = Request("show qos interfaces trust", Form.TEXT)
ECN = Request("show qos interfaces ecn", Form.TEXT)
MAPS = Request("show qos maps", Form.TEXT)
PROFILES = Request("show qos profile", Form.TEXT)
PROFILE_PORTS = Request("show qos profile summary", Form.TEXT)

REQUESTS = {
    "ports": (INTERFACES, STATUS),
    "lldp": (LLDP,),
    "bgp": (BGP, BGP_IPV6),
    "routes": (ROUTES,),
    "qos": (INTERFACES, PFC, WATCHDOG, TRUST, ECN, PROFILES, PROFILE_PORTS),
    "dscp_to_priority": (MAPS,),
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
    "exchanged": (BGP, BGP_IPV6, NEIGHBORS, NEIGHBORS_IPV6),
    "supplies": (POWER,),
    "paths": (),  # no public source says where EOS shows its load balancing
}

_PORT = r"((?:Ethernet|Et)\d+(?:/\d+)*)"
_PFC_ROW = re.compile(rf"{_PORT}\s+(Yes|No)\s+((?:[0-7]\s+)*)(Yes|No)\b.*")
_WATCHDOG_ROW = re.compile(rf"{_PORT}\s+(?:UC)?[0-7]\s+\d+\s+\d+.*")
_TRUST_ROW = re.compile(rf"{_PORT}\s+(\w+)\s+\w+\s*")
_ECN_PORT = re.compile(rf"{_PORT}:")
_ECN_ROW = re.compile(r"([0-7])\s+(\w+)\s+(\d+)\s+(\d+)\s*")
_ECN_LINE = re.compile(
    r"random-detect ecn minimum-threshold (\d+) bytes maximum-threshold (\d+) bytes max-mark-probability (\d+).*"
)
_DSCP_ROW = re.compile(r"\s*([0-6])\s*:\s+((?:[0-7]\s*)+)")

Thresholds = tuple[int, int, int]
"""Queue, minimum and maximum in bytes."""


def observed(device: str, answers: Answers) -> Observed:
    """One switch, at one moment."""
    interfaces = _data(answers, INTERFACES)
    return Observed(
        device=device,
        ports=tuple(_ports(interfaces, _data(answers, STATUS))),
        lldp=tuple(
            LldpNeighbor(each["port"], each["neighborDevice"], each["neighborPort"])
            for each in _data(answers, LLDP).get("lldpNeighbors", [])
        ),
        bgp=(*sessions(_data(answers, BGP)), *sessions(_data(answers, BGP_IPV6))),
        routes=tuple(_routes(_data(answers, ROUTES_OF_ALL_VRFS) or _data(answers, ROUTES))),
        qos=tuple(_qos(interfaces, answers)),
        dscp_to_priority=_code_points(_text(answers, MAPS)),
        groups=tuple(_members(_data(answers, GROUPS))),
        pair=_pair(answers[PAIR.what], _data(answers, UNLIKE)) if PAIR.what in answers else None,
        gateways=tuple(gateways(answers[GATEWAYS.what])) if GATEWAYS.what in answers else None,
        carried=tuple(carried(answers[VLANS.what])) if VLANS.what in answers else None,
        partners=tuple(partners(answers[PARTNERS.what])) if PARTNERS.what in answers else None,
        trees=tuple(trees(answers[TREES.what])) if TREES.what in answers else None,
        tree_ports=tuple(tree_ports(answers[TREES.what])) if TREES.what in answers else None,
        clock=observe_base.clock(answers[NTP.what]) if NTP.what in answers else None,
        log_targets=tuple(observe_base.log_targets(answers[LOGGING.what])) if LOGGING.what in answers else None,
        zero_touch=observe_base.zero_touch(answers[ZERO_TOUCH.what]) if ZERO_TOUCH.what in answers else None,
        vrf_ports=tuple(observe_base.vrf_ports(answers[VRFS.what])) if VRFS.what in answers else None,
        accounts=tuple(observe_base.accounts(answers[ACCOUNTS.what])) if ACCOUNTS.what in answers else None,
        macs=tuple(learned(answers[MACS.what])) if MACS.what in answers else None,
        exchanged=tuple(_exchanged(answers)) if NEIGHBORS.what in answers else None,
        supplies=tuple(observe_parts.supplies(answers[POWER.what])) if POWER.what in answers else None,
    )


def _exchanged(answers: Answers) -> Iterator[SessionPrefixes]:
    yield from exchanged(_data(answers, BGP), _data(answers, NEIGHBORS), "prefixesSent")
    yield from exchanged(_data(answers, BGP_IPV6), _data(answers, NEIGHBORS_IPV6), "v6PrefixesSent")


def _data(answers: Answers, request: Request) -> dict[str, Any]:
    found: dict[str, Any] = answers.get(request.what, {})
    return found


def _text(answers: Answers, request: Request) -> str:
    return str(answers.get(request.what, ""))


def _ports(answer: dict[str, Any], status: dict[str, Any]) -> Iterator[PortState]:
    statuses = status.get("interfaceStatuses", {})
    for name, facts in answer.get("interfaces", {}).items():
        yield PortState(
            name=name,
            admin_up=facts.get("interfaceStatus") != "disabled",
            oper_up=facts.get("lineProtocolStatus") == "up",
            mtu_bytes=facts.get("mtu"),
            vlan=_vlan(statuses.get(name, {}).get("vlanInformation", {})),
        )


def _vlan(information: dict[str, Any]) -> str | None:
    """``interfaceMode`` is ``bridged`` with a ``vlanId``, ``routed``, ``trunk`` or another word."""
    if information.get("interfaceMode") == "bridged":
        return str(information["vlanId"]) if "vlanId" in information else None
    return information.get("interfaceMode")


def sessions(answer: dict[str, Any]) -> Iterator[BgpSession]:
    """BGP's neighbours in the answer to ``BGP`` or ``BGP_IPV6``."""
    for vrf, answer_of_vrf in answer.get("vrfs", {}).items():
        for address, peer in answer_of_vrf.get("peers", {}).items():
            up = peer.get("peerState") == "Established"
            yield BgpSession(
                address=address,
                remote_as=_asn(str(peer.get("asn", "0"))),
                established=up,
                state=str(peer.get("peerState", "")),
                prefixes_received=peer.get("prefixReceived") if up else None,
                vrf=None if vrf == "default" else vrf,
            )


def _asn(text: str) -> int:
    """Plain or dotted."""
    high, dot, low = text.partition(".")
    return (int(high) << 16) + int(low) if dot else int(text)


def _routes(answer: dict[str, Any]) -> Iterator[tuple[RouteKey, int]]:
    for vrf, answer_of_vrf in answer.get("vrfs", {}).items():
        for prefix, route in answer_of_vrf.get("routes", {}).items():
            if "BGP" in str(route.get("routeType", "")):
                yield (None if vrf == "default" else vrf, prefix), len(route.get("vias", []))


def _members(answer: dict[str, Any]) -> Iterator[GroupMember]:
    """Members on this switch; a group of a pair lists the other switch's as ``PeerEthernet1``."""
    for group, shown in answer.get("portChannels", {}).items():
        for port in (each for each in shown.get("activePorts", {}) if not each.startswith("Peer")):
            yield GroupMember(port, group, bundled=True)
        for port, why in shown.get("inactivePorts", {}).items():
            if not port.startswith("Peer"):
                yield GroupMember(port, group, bundled=False, reason=str(why.get("reasonUnconfigured", "")))


def _pair(shown: dict[str, Any], compared: dict[str, Any]) -> PairState:
    """``state`` is ``disabled`` without a pair; a pair that is up is ``active`` and ``connected``."""
    detail, state = shown.get("detail", {}), str(shown.get("state", "disabled"))
    if state == "disabled":
        return NO_PAIR
    negotiation = str(shown.get("negStatus", ""))
    return PairState(
        domain=str(shown.get("domainId", "")),
        peer_link=str(shown.get("peerLink", "")),
        connected=(state, negotiation) == ("active", "connected"),
        state=negotiation if state == "active" else state,
        keepalive=detail.get("udpHeartbeatAlive"),
        role=str(detail.get("mlagState", "")),
        unlike=tuple(_unlike(compared)) if compared.get("mlagConnected") else None,
    )


def _unlike(compared: dict[str, Any]) -> Iterator[Unlike]:
    """Each parameter of a feature, and of an interface, that both have otherwise."""
    for feature, parameters in compared.get("globalConfiguration", {}).items():
        for name, values in parameters.get("globalParameters", {}).items():
            yield Unlike(f"{feature} {name}", str(values.get("localValue", "")), str(values.get("peerValue", "")))
    for name, shown in compared.get("interfaceConfiguration", {}).items():
        for values in shown.get("interface", {}).values():
            yield Unlike(name, str(values.get("localValue", "")), str(values.get("peerValue", "")))


def _qos(interfaces: dict[str, Any], answers: Answers) -> Iterator[PortQos]:
    trusted = {_long(found[1]): found[2].upper() == "DSCP" for found in _rows(_TRUST_ROW, _text(answers, TRUST))}
    paused = {_long(found[1]): _priorities(found) for found in _rows(_PFC_ROW, _text(answers, PFC))}
    watched = {_long(found[1]) for found in _rows(_WATCHDOG_ROW, _text(answers, WATCHDOG))}
    marked, profiles = _thresholds(_text(answers, ECN)), _profile_of(_text(answers, PROFILE_PORTS))
    probabilities = _probabilities(_text(answers, PROFILES))
    shows_watchdog, shows_ecn = WATCHDOG.what in answers, ECN.what in answers
    known: dict[tuple[str, tuple[Thresholds, ...] | None], tuple[tuple[int, Ecn], ...] | None] = {}
    for port in interfaces.get("interfaces", {}):
        if not port.startswith("Ethernet"):
            continue
        both = (profiles.get(port, ""), marked.get(port, ()))
        if both not in known:  # most ports are alike
            known[both] = _ecn(both[1], probabilities.get(both[0], {})) if shows_ecn else None
        yield PortQos(
            port=port,
            trust_dscp=trusted.get(port),
            pfc_priorities=paused.get(port),
            watchdog=port in watched if shows_watchdog else None,
            ecn=known[both],
        )


def _priorities(found: re.Match[str]) -> tuple[int, ...]:
    """The no-drop priorities of one row, if PFC is both enabled and active."""
    return tuple(map(int, found[3].split())) if found[2] == found[4] == "Yes" else ()


def _rows(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return (found for line in text.splitlines() if (found := pattern.fullmatch(line.strip())))


def _long(port: str) -> str:
    return port if port.startswith("Ethernet") else "Ethernet" + port.removeprefix("Et")


def _thresholds(text: str) -> dict[str, tuple[Thresholds, ...] | None]:
    """Per port the thresholds of each queue; None where EOS shows a unit other than bytes."""
    found: dict[str, tuple[Thresholds, ...] | None] = {}
    port = ""
    for line in (line.strip() for line in text.splitlines()):
        if head := _ECN_PORT.fullmatch(line):
            port = _long(head[1])
            found[port] = ()
        elif row := _ECN_ROW.fullmatch(line):
            thresholds = found.get(port)
            threshold = (int(row[1]), int(row[3]), int(row[4]))
            found[port] = (*thresholds, threshold) if row[2] == "bytes" and thresholds is not None else None
    return found


def _profile_of(text: str) -> dict[str, str]:
    """Port -> its profile."""
    found: dict[str, str] = {}
    name = ""
    for line in (line.strip() for line in text.splitlines()):
        label, _, value = line.partition(":")
        if label.lower() == "qos profile":
            name = value.strip()
        elif label.lower() == "configured on":
            found |= {_long(port.strip()): name for port in value.split(",") if port.strip()}
    return found


def _probabilities(text: str) -> dict[str, dict[tuple[int, int], int]]:
    """Per profile: (minimum, maximum) -> marking probability, which the table of thresholds leaves out."""
    found: dict[str, dict[tuple[int, int], int]] = {}
    name = ""
    for line in (line.strip() for line in text.splitlines()):
        if line.lower().startswith("qos profile "):
            name = line.split()[2]
        elif row := _ECN_LINE.fullmatch(line):
            found.setdefault(name, {})[int(row[1]), int(row[2])] = int(row[3])
    return found


def _ecn(
    marked: tuple[Thresholds, ...] | None, probabilities: Mapping[tuple[int, int], int]
) -> tuple[tuple[int, Ecn], ...] | None:
    if marked is None or any((low, high) not in probabilities for _, low, high in marked):
        return None
    return tuple(sorted((queue, Ecn(low, high, probabilities[low, high])) for queue, low, high in marked))


def _code_points(text: str) -> tuple[int, ...] | None:
    """The table of tens and units above 'Tc-tx-queue'; None unless it has exactly 64 values."""
    table = text.partition("Dscp-tc map")[2].partition("Tc-tx-queue")[0]
    values = [
        int(value) for line in table.splitlines() if (row := _DSCP_ROW.fullmatch(line)) for value in row[2].split()
    ]
    return tuple(values) if len(values) == 64 else None


OBSERVING = Observing(
    REQUESTS,
    observed,
    not_shown=("ports.ra_interval_ms", "tree_ports.guarded", "log_targets.reached"),
    in_vrfs={"routes": lambda _: (ROUTES_OF_ALL_VRFS,)},
)
