"""The state of a live switch in one neutral shape, and the requests that fill it. Checks judge it.

A value the OS does not show is None, and a check that needs it answers "could not tell", never "pass".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Literal

from nornir_tasks.design.config.lag import LacpRate
from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.config.vrfs import RouteKey, SessionKey


@dataclass(frozen=True, slots=True)
class PortState:
    """One interface as it is now."""

    name: str
    admin_up: bool
    oper_up: bool
    mtu_bytes: int | None
    ra_interval_ms: int | None = None
    """Longest time between two IPv6 router advertisements; 0 where none are sent."""
    vlan: str | None = None
    """Of a port: the number of its one untagged VLAN if it is an access port, else ``routed`` or ``trunk``."""


@dataclass(frozen=True, slots=True)
class LldpNeighbor:
    """Who is at the far end of a port."""

    port: str
    remote_device: str
    remote_port: str


@dataclass(frozen=True, slots=True)
class BgpSession:
    """One BGP session."""

    address: str
    """The switch's name of the session: the far end's address, or the local port of an unnumbered one."""
    remote_as: int
    established: bool
    state: str
    prefixes_received: int | None
    vrf: str | None = None
    """None: the default VRF."""

    @property
    def key(self) -> SessionKey:
        """Key of the session on its switch."""
        return self.vrf, self.address


@dataclass(frozen=True, slots=True)
class SessionPrefixes:
    """How many prefixes one BGP session holds, as filters left them."""

    address: str
    """The switch's name of the session, as ``BgpSession`` has it."""
    accepted: int | None
    """None: the switch does not show it; a session that is down has none."""
    sent: int | None
    vrf: str | None = None
    """None: the default VRF."""

    @property
    def key(self) -> SessionKey:
        """Key of the session on its switch."""
        return self.vrf, self.address


@dataclass(frozen=True, slots=True)
class PortQos:
    """QoS of one port as the switch runs it, read from show commands, not from the configuration."""

    port: str
    trust_dscp: bool | None
    pfc_priorities: tuple[int, ...] | None
    watchdog: bool | None
    ecn: tuple[tuple[int, Ecn], ...] | None
    """(queue, thresholds) of every queue with ECN."""


@dataclass(frozen=True, slots=True)
class PathState:
    """Load balancing in operation, which may differ from the configuration."""

    mode: Literal["static", "flowlet", "per_packet"] | None
    """None: the switch does not show it."""
    ports: tuple[str, ...] | None
    """Participating ports; None: the switch does not show them."""
    needs_reload: bool = False
    """The switch applies a new setting only when it boots."""
    waits_for_reload: tuple[str, ...] | None = None
    """Configured lines that are not applied yet; None: the switch does not show them."""


@dataclass(frozen=True, slots=True)
class GroupMember:
    """One port that the switch has in a link aggregation group."""

    port: str
    group: str
    bundled: bool | None
    """Does the group use it? None: the switch does not show it."""
    reason: str = ""
    """The switch's word for why the group does not use it."""


@dataclass(frozen=True, slots=True)
class LacpPartner:
    """Who is at the far end of a member of a group, by LACP."""

    port: str
    system: str
    """MAC address; both switches of a pair are one system to hosts."""
    rate: LacpRate | None
    """How often it asks for LACPDUs; None: not shown."""


@dataclass(frozen=True, slots=True)
class Unlike:
    """One value that both switches of a pair should have alike, and have not."""

    what: str
    """The switch's name of it."""
    here: str
    there: str
    """The other switch's value, as this one shows it."""


@dataclass(frozen=True, slots=True)
class PairState:
    """The pair of switches (MLAG, vPC) as one of both sees it; ``NO_PAIR`` if it is in none."""

    domain: str
    """By which both know one another: a name (EOS), a number (NX-OS), a MAC address (Cumulus Linux)."""
    peer_link: str
    """Name of the group between both."""
    connected: bool | None
    """Is the other one there, over the peer link?"""
    state: str
    """The switch's word for that."""
    keepalive: bool | None
    """Is the other one heard by another way?"""
    role: str
    """The switch's word; empty while it has none."""
    unlike: tuple[Unlike, ...] | None
    """What both have otherwise; None: the switch does not show it, or has no other to compare with."""


NO_PAIR = PairState("", "", connected=False, state="none", keepalive=False, role="", unlike=None)


@dataclass(frozen=True, slots=True)
class GatewayState:
    """One address of the redundant gateway of an SVI, as one of both switches sees it."""

    port: str
    address: str
    """IPv4, without length."""
    is_up: bool | None
    """Does this switch answer, or stand by for the other one? None: the switch does not show it."""
    is_active: bool | None
    """Of a gateway that one of both answers (HSRP): is it this one? None: both answer."""
    state: str
    """The switch's word."""
    mac_address: str | None = None
    """The gateway's, ``00:1c:73:00:00:01``; None: not shown."""


@dataclass(frozen=True, slots=True)
class PortVlans:
    """The VLANs whose frames a switched port carries, tagged or not."""

    port: str
    vlans: frozenset[int]


@dataclass(frozen=True, slots=True)
class LearnedMac:
    """An address that the switch has seen frames from on a port."""

    port: str
    mac: str
    """Small letters, with colons."""


@dataclass(frozen=True, slots=True)
class TreeState:
    """One spanning tree as one bridge sees it."""

    name: str
    """The switch's: ``MST0``, ``VLAN0101``."""
    root: str
    """MAC address of the root bridge."""
    priority: int
    """The root's, without the number of the VLAN or instance."""
    bridge: str
    """MAC address of this bridge; both switches of a pair may have one."""


@dataclass(frozen=True, slots=True)
class TreePort:
    """A port in the spanning trees of its VLANs."""

    port: str
    state: str
    """The switch's word; of several trees that of one where it does not forward."""
    forwards: bool
    """In all of them."""
    edge: bool | None
    """Does it forward at once? None: not shown."""
    guarded: bool | None
    """Is it shut by a BPDU? None: not shown."""


@dataclass(frozen=True, slots=True)
class ClockState:
    """The switch's clock, as its NTP has it."""

    in_step: bool
    """It follows a server."""
    server: str
    """The address of that one; empty where it follows none, or the switch does not show whom."""


@dataclass(frozen=True, slots=True)
class LogTarget:
    """A server that the switch sends its log to."""

    address: str
    vrf: str | None
    """None: the default VRF."""
    reached: bool | None
    """None: the switch does not show it."""


@dataclass(frozen=True, slots=True)
class ZeroTouch:
    """Provisioning without hands (ZTP, POAP)."""

    state: str
    """The switch's word."""
    ended: bool
    """It does not run, now or at the next boot."""


@dataclass(frozen=True, slots=True)
class Supply:
    """A power supply."""

    name: str
    """The switch's: ``1``, ``PSU1``."""
    works: bool
    state: str
    """The switch's word."""


@dataclass(frozen=True, slots=True)
class VrfPort:
    """The VRF that a port, SVI or loopback is in."""

    port: str
    vrf: str | None
    """None: the default VRF."""


@dataclass(frozen=True, slots=True)
class ShownAccount:
    """A local account that can log in."""

    name: str
    role: str
    """``admin`` or ``operator`` where it is one of ours, else the switch's words."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a switch's API shows at a TLS handshake: seen by us, and not asked of the switch."""

    names: tuple[str, ...]
    """Common name and serial number of its subject, DNS names and addresses."""
    days_left: int
    """Whole days until it expires; negative: it has expired."""
    is_pinned: bool
    """Trusted by its fingerprint, and not because the site's CA signed it."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One switch, at one moment."""

    device: str
    ports: tuple[PortState, ...]
    lldp: tuple[LldpNeighbor, ...]
    bgp: tuple[BgpSession, ...]
    routes: tuple[tuple[RouteKey, int], ...]
    """((VRF, prefix), number of ECMP next hops) of every BGP route: of the default VRF and of the requested ones."""
    qos: tuple[PortQos, ...]
    dscp_to_priority: tuple[int, ...] | None
    """64 entries, in this OS's numbers."""
    paths: PathState = PathState(None, None)
    groups: tuple[GroupMember, ...] = ()
    """Members of all groups; a switch that should have none is not asked."""
    pair: PairState | None = None
    """None: the switch did not show it; one that should be in no pair is not asked."""
    gateways: tuple[GatewayState, ...] | None = None
    """Addresses of redundant gateways; None: the switch did not show them; one that should have none is not asked."""
    carried: tuple[PortVlans, ...] | None = None
    """Ports that carry any VLAN; None: the switch did not show them; one that should have no trunk is not asked."""
    trees: tuple[TreeState, ...] | None = None
    """Spanning trees; None: the switch did not show them; one that should be in none is not asked."""
    partners: tuple[LacpPartner, ...] | None = None
    """Of members that hear one; None: the switch did not show them; one that should have no groups is not asked."""
    tree_ports: tuple[TreePort, ...] | None = None
    """Ports of these; None: the switch did not show them; one without ports of hosts in VLANs is not asked."""
    clock: ClockState | None = None
    """None: the switch did not show it; one whose time servers are not managed is not asked."""
    log_targets: tuple[LogTarget, ...] | None = None
    """None: the switch did not show them; one whose log servers are not managed is not asked."""
    zero_touch: ZeroTouch | None = None
    """None: the switch did not show it; one of which nothing is managed of base configuration is not asked."""
    vrf_ports: tuple[VrfPort, ...] | None = None
    """Ports with their VRFs; None: the switch did not show them; one as above is not asked."""
    accounts: tuple[ShownAccount, ...] | None = None
    """Local ones; None: the switch did not show them; one whose accounts are not managed is not asked."""
    macs: tuple[LearnedMac, ...] | None = None
    """Learned ones; None: the switch did not show them; one without single ports in a VLAN is not asked."""
    exchanged: tuple[SessionPrefixes, ...] | None = None
    """Of BGP's sessions; None: the switch did not show them; one without sessions with upstreams is not asked."""

    supplies: tuple[Supply, ...] | None = None
    """Power supplies, none on a virtual switch; None: the switch did not show them."""


FIELDS = tuple(each.name for each in fields(Observed) if each.name != "device")
"""Fields that can be requested: all of Observed but the name."""


class Form(StrEnum):
    """Format of an answer, where an OS has both."""

    DATA = "data"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a switch."""

    what: str
    """A show command, or the path of a collection of the REST API."""
    form: Form = Form.DATA
    parts: tuple[str, ...] = ()
    """JSON pointers to the only parts needed of each entry of a collection; empty: the whole collection."""


Answers = Mapping[str, Any]
"""``Request.what`` -> data or text. Without what was not requested, and what the switch refused."""


@dataclass(frozen=True, slots=True)
class Observing:
    """How the state of a switch is read on one OS."""

    requests: Mapping[str, tuple[Request, ...]]
    """Each of ``FIELDS`` -> the requests that fill it; empty: the OS does not show it."""
    read: Callable[[str, Answers], Observed]
    """(device, answers) -> Observed. A field without its answers is as one that the OS does not show."""
    not_shown: tuple[str, ...] = ()
    """Parts of requested fields that no answer ever fills, such as ``ports.vlan``; so the same values are judged
    whatever a switch shows today."""
    in_vrfs: Mapping[str, Callable[[Sequence[str]], tuple[Request, ...]]] = field(default_factory=dict)
    """Field -> function from the names of non-default VRFs to the requests that also fill it for them. A field that is
    absent here is filled for all VRFs by ``requests``, or has no VRFs."""

    def shows(self, field: str) -> bool:
        """Does the OS show this field of Observed, or this part of it (``paths.mode``), at all?"""
        return bool(self.requests[field.partition(".")[0]]) and field not in self.not_shown

    def requests_for(self, wanted: Iterable[str], vrfs: Sequence[str] = ()) -> tuple[Request, ...]:
        """The requests that fill these fields, each command and each collection once.

        ``vrfs``: the relevant VRFs other than the default one; without any, there is no request for them.
        """
        found: dict[str, Request] = {}
        for name in (each for each in FIELDS if each in wanted):
            in_vrfs = self.in_vrfs.get(name) if vrfs else None
            for request in in_vrfs(vrfs) if in_vrfs else self.requests[name]:
                known = found.get(request.what, request)
                parts = dict.fromkeys((*known.parts, *request.parts)) if known.parts and request.parts else ()
                found[request.what] = replace(known, parts=tuple(parts))
        return tuple(found.values())
