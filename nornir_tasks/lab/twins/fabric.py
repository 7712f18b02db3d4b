"""The fabric between the twins: links, LLDP, BGP sessions and routes, worked out from what each switch was told.

FabricSim is computed anew, at the first question, after a commit on any twin, a change of cables, or the end of a
prefix limit's restart timer. It knows configurations and cables only; what the intent asked for is not known here.

What is simulated: links (both ends up, cabled; speed, FEC and negotiation equal where set), LLDP, numbered IPv4 BGP
between directly connected switches, AS-path loops, prefix lists, route maps, prepending, communities, multipath, prefix
limits. What is not: packets, timers while a session comes up, iBGP and multihop sessions, unnumbered sessions, IPv6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .clock import Clock
from .policy import NO_COMMUNITIES, Policies, address_number, network_of, prefix_text
from .routes import Best, Instance, Propagation, over_limit
from .sessions import BgpSession, Key, SessionJudge
from .spec import Cable, End, Host, cages_of
from .state import BgpInstance, BgpNeighbor, InterfaceState, SwitchState
from .twin import Twin
from .wiring import Link, LldpNeighbor, Wiring

_MAX_TEARDOWNS = 1000


@dataclass(frozen=True, slots=True, order=True)
class NextHop:
    """Where packets go: ``address`` "" for a connected network, ``interface`` "" for a discard route."""

    address: str
    interface: str


@dataclass(frozen=True, slots=True)
class Route:
    """One prefix of a switch's table: protocol ``connected``, ``static`` or ``bgp``, and all its next hops, sorted."""

    prefix: str
    protocol: str
    next_hops: tuple[NextHop, ...]
    as_path: tuple[int, ...] = ()
    communities: frozenset[str] = NO_COMMUNITIES


@dataclass(frozen=True, slots=True)
class _Hold:
    """A session torn down by its prefix limit: until when, and the configuration it was torn down under."""

    neighbor: BgpNeighbor
    until_s: float | None
    prefixes: int


@dataclass(slots=True)
class _Solved:
    """The fabric as of the last computation."""

    states: dict[str, SwitchState] = field(default_factory=dict)
    interfaces: dict[End, InterfaceState] = field(default_factory=dict)
    links: dict[str, dict[str, Link]] = field(default_factory=dict)
    sessions: dict[Key, BgpSession] = field(default_factory=dict)
    best: dict[Instance, dict[str, Best]] = field(default_factory=dict)


class FabricSim:
    """Answers what each switch sees. Twins are attached once; everything else is worked out when asked."""

    def __init__(self, cables: Iterable[Cable], hosts: Iterable[Host], clock: Clock) -> None:
        self.wiring = Wiring(cables, hosts)
        self._clock = clock
        self._twins: dict[str, Twin] = {}
        self._solved: _Solved | None = None
        self._holds: dict[Key, _Hold] = {}
        self._before: dict[Key, tuple[str, float]] = {}

    def attach(self, twin: Twin) -> None:
        """Make a twin part of the fabric; its commits make the next question compute anew."""
        self._twins[twin.name] = twin
        twin.on_commit = self.changed
        self.changed()

    def changed(self) -> None:
        """Forget what was computed."""
        self._solved = None

    # -- a technician's hands --------------------------------------------------------------------------------------

    def swap_cables(self, first: str, second: str) -> None:
        """Exchange the far (``b``) ends of two cables. Raises LabError for an unknown cable."""
        self.wiring.swap(first, second)
        self.changed()

    def cut_cable(self, cable: str) -> None:
        """Cut a cable. Raises LabError for an unknown cable."""
        self.wiring.cut(cable)
        self.changed()

    def mend_cable(self, cable: str) -> None:
        """Mend a cut cable. Raises LabError for an unknown cable."""
        self.wiring.mend(cable)
        self.changed()

    # -- questions -------------------------------------------------------------------------------------------------

    def link(self, device: str, port: str) -> Link:
        """The link of a port; a port that is not cabled is down."""
        return self._now().links[device].get(port, Link(port, None, False, "nothing is plugged in"))

    def is_up(self, device: str, interface: str) -> bool:
        """Whether an interface is operationally up: by its link if it is a port, else by its admin state."""
        solved = self._now()
        if interface in solved.links[device]:
            return solved.links[device][interface].is_up
        found = solved.interfaces.get(End(device, interface))
        return found is not None and found.is_admin_up and not found.is_dark

    def lldp(self, device: str) -> tuple[LldpNeighbor, ...]:
        """The LLDP neighbours a switch hears, in order of its ports."""
        solved = self._now()
        return self.wiring.lldp(device, solved.links[device].values(), solved.states, solved.interfaces)

    def sessions(self, device: str, vrf: str | None = None) -> tuple[BgpSession, ...]:
        """A switch's configured BGP sessions, up or not, by VRF and address."""
        solved = self._now()
        instances = [i for i in solved.states[device].bgp if vrf is None or i.vrf == vrf]
        return tuple(
            solved.sessions[device, instance.vrf, neighbor.address]
            for instance in instances
            for neighbor in sorted(instance.neighbors, key=lambda n: address_number(n.address))
        )

    def rib(self, device: str, vrf: str = "default") -> dict[str, Route]:
        """A switch's IPv4 table by prefix: connected before static before BGP."""
        solved = self._now()
        routes: dict[str, Route] = {}
        for prefix, best in solved.best.get((device, vrf), {}).items():
            if best.sessions:
                hops = sorted(_next_hop(solved.sessions[key]) for key in best.sessions)
                routes[prefix] = Route(prefix, "bgp", tuple(hops), best.path[0], best.path[1])
        routes.update(_static_and_connected(solved, device, vrf))
        return {prefix: routes[prefix] for prefix in sorted(routes, key=network_of)}

    # -- working it out --------------------------------------------------------------------------------------------

    def _now(self) -> _Solved:
        if any(hold.until_s is not None and hold.until_s <= self._clock.now_s() for hold in self._holds.values()):
            self._solved = None
        if self._solved is None:
            self._solved = self._solve()
        return self._solved

    def _solve(self) -> _Solved:
        solved = _Solved(states={name: twin.state() for name, twin in self._twins.items()})
        for name, state in solved.states.items():
            solved.interfaces.update({End(name, interface.name): interface for interface in state.interfaces})
        for name, twin in self._twins.items():
            ports = self._ports(twin, solved.states[name])
            solved.links[name] = {port: self.wiring.link(End(name, port), solved.interfaces) for port in ports}
        self._drop_stale_holds(solved)
        for _ in range(_MAX_TEARDOWNS):
            self._bring_up(solved)
            over = over_limit(solved.sessions.values())
            if not over:
                break
            for session in over:
                self._hold(session)
        self._stamp(solved)
        return solved

    def _ports(self, twin: Twin, state: SwitchState) -> list[str]:
        """Every port that is, or into which a cable is plugged, in the order of the switch's interfaces."""
        cages = set(twin.device.ports)
        names = (interface.name for interface in state.interfaces if not interface.is_dark)
        there = [name for name in names if name in cages or any(cage in cages for cage in cages_of(name))]
        return list(dict.fromkeys([*there, *twin.device.ports, *sorted(self.wiring.ports_of(twin.name))]))

    def _bring_up(self, solved: _Solved) -> None:
        solved.sessions = SessionJudge(solved.states, solved.links).judge_all()
        for key, hold in self._holds.items():
            self._tear_down(solved.sessions, key, hold)
        propagation = Propagation(solved.sessions)
        for name, state in solved.states.items():
            policies = Policies(state)
            for instance in state.bgp:
                propagation.add(name, instance, policies, _originated(solved, name, instance, policies))
        solved.best = propagation.run()
        propagation.count()

    def _hold(self, session: BgpSession) -> None:
        restart_s = session.neighbor.prefix_limit_restart_s
        until_s = None if restart_s is None else self._clock.now_s() + restart_s
        self._holds[session.key] = _Hold(session.neighbor, until_s, session.prefixes_accepted)

    @staticmethod
    def _tear_down(sessions: dict[Key, BgpSession], key: Key, hold: _Hold) -> None:
        session = sessions.get(key)
        if session is None or session.state != "established":
            return
        limit = session.neighbor.prefix_limit
        peer = sessions[session.peer_key] if session.peer_key is not None else None
        session.drop("prefix_limit", f"{hold.prefixes} prefixes exceed the limit of {limit}")
        if peer is not None and peer.state == "established":
            peer.drop("idle", f"{session.device} closed the session: its prefix limit was exceeded")

    def _drop_stale_holds(self, solved: _Solved) -> None:
        """A hold ends with its timer, or when the neighbour's own configuration has changed."""
        configured = (
            {
                (name, instance.vrf, neighbor.address): neighbor
                for name, state in solved.states.items()
                for instance in state.bgp
                for neighbor in instance.neighbors
            }
            if self._holds
            else {}
        )
        now_s = self._clock.now_s() if self._holds else 0.0
        self._holds = {
            key: hold
            for key, hold in self._holds.items()
            if configured.get(key) == hold.neighbor and (hold.until_s is None or hold.until_s > now_s)
        }

    def _stamp(self, solved: _Solved) -> None:
        """Note since when each session has been in its state."""
        now_s = self._clock.now_s()
        for key, session in solved.sessions.items():
            state, since_s = self._before.get(key, ("", now_s))
            session.since_s = since_s if state == session.state else now_s
        self._before = {key: (session.state, session.since_s) for key, session in solved.sessions.items()}


def _next_hop(session: BgpSession) -> NextHop:
    return NextHop(session.neighbor.address, session.interface or "")


def _is_up(solved: _Solved, device: str, interface: InterfaceState) -> bool:
    link = solved.links[device].get(interface.name)
    return link.is_up if link is not None else interface.is_admin_up and not interface.is_dark


def _static_and_connected(solved: _Solved, device: str, vrf: str) -> dict[str, Route]:
    state = solved.states[device]
    connected: dict[str, Route] = {}
    for interface in state.interfaces:
        if interface.vrf == vrf and interface.is_routed and _is_up(solved, device, interface):
            for address in interface.addresses:
                prefix = prefix_text(address)
                connected.setdefault(prefix, Route(prefix, "connected", (NextHop("", interface.name),)))
    hops: dict[str, list[NextHop]] = {}
    for static in state.static_routes if state.is_routing else ():
        if static.vrf != vrf:
            continue
        hop = NextHop("", "") if static.is_discard else _resolve(static.next_hop, static.interface, connected)
        if hop is not None:
            hops.setdefault(prefix_text(static.prefix), []).append(hop)
    routes = {prefix: Route(prefix, "static", tuple(sorted(found))) for prefix, found in hops.items()}
    return {**routes, **connected}


def _resolve(address: str | None, interface: str | None, connected: Mapping[str, Route]) -> NextHop | None:
    """A static route's next hop if it can be reached over a connected network."""
    names = {hop.interface for route in connected.values() for hop in route.next_hops}
    if interface is not None:
        return NextHop(address or "", interface) if interface in names else None
    number = address_number(address or "")
    for prefix, route in connected.items():
        network, length = network_of(prefix)
        if number >> (32 - length) == network >> (32 - length):
            return NextHop(address or "", route.next_hops[0].interface)
    return None


def _originated(solved: _Solved, device: str, instance: BgpInstance, policies: Policies) -> dict[str, frozenset[str]]:
    """The prefixes an instance announces as its own, with the communities a redistribution map sets."""
    table = _static_and_connected(solved, device, instance.vrf)
    own = {prefix_text(network): NO_COMMUNITIES for network in instance.networks if prefix_text(network) in table}
    if instance.redistribute_connected:
        for prefix, route in table.items():
            if route.protocol == "connected":
                verdict = policies.judge(None, instance.redistribute_connected_route_map, prefix, NO_COMMUNITIES)
                if verdict is not None:
                    own.setdefault(prefix, verdict.communities)
    return own
