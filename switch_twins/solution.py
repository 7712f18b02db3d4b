"""The fabric worked out: links, sessions and routes, kept true as single switches change.

What a switch's new state can change is: its own links and sessions, the far ends of its cables, the sessions behind
those ports, and routes from there on. Only that is worked out again; a fabric made at once gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from .groups import Groups
from .policy import NO_COMMUNITIES, Judge, Policies, address_number, bits_of, network_of, prefix_text
from .routes import Propagation
from .sessions import BgpSession, Key, SessionJudge
from .spec import DeviceSpec, End, cages_of
from .state import BgpInstance, BgpNeighbor, InterfaceState, SwitchState
from .wiring import Link, Wiring


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
class Hold:
    """A session torn down by its prefix limit: until when, and the configuration it was torn down under."""

    neighbor: BgpNeighbor
    until_s: float | None
    prefixes: int


class Solution:
    """A fabric's switches, each as of the state that was last taken."""

    def __init__(
        self, wiring: Wiring, devices: Mapping[str, DeviceSpec], link_changed: Callable[[End], None] = lambda _: None
    ) -> None:
        self._wiring, self._devices, self._link_changed = wiring, devices, link_changed
        self.states: dict[str, SwitchState] = {}
        self.interfaces: dict[End, InterfaceState] = {}
        self.links: dict[str, dict[str, Link]] = {}
        self.groups = Groups(wiring, self.interfaces, self.links)
        self.sessions: dict[Key, BgpSession] = {}
        self.routes = Propagation(self.sessions)
        self._judge = SessionJudge()
        self._judges: dict[object, Judge] = {}
        self._least_limit: dict[str, float] = {}

    def take(self, states: Mapping[str, SwitchState], holds: Mapping[Key, Hold]) -> tuple[list[BgpSession], set[Key]]:
        """Work out what these switches' new states change.

        Sessions in ``holds`` stay down. Returns the sessions that were judged again, and the keys of those that are no
        longer configured. Raises TwinError if routes do not settle.
        """
        names = sorted(states)
        before = {key for name in names for key in _keys(self.states.get(name))}
        for name in names:
            self._replace(name, states[name])
        far = self._relink(names)
        for name in names:
            self._judge.learn(states[name], self.links[name])
        judged = [session for name in names for session in self._judge.of_switch(name)]
        judged = self._judged(judged, far)
        for key in before:
            del self.sessions[key]
        for session in judged:
            self.routes.disconnect(session.key)
            self.sessions[session.key] = session
        for key, hold in holds.items():
            _tear_down(self.sessions, key, hold)
        self._spread(names, far, judged)
        return judged, before - {session.key for session in judged}

    def rewire(self, ends: Iterable[End]) -> list[BgpSession]:
        """Work out what other cables at these ports change; their links, the sessions behind them, routes from there.

        All ends of every cable that was changed, before and after. Returns the sessions that were judged again.
        """
        far: dict[End, bool] = {}
        for end in sorted(set(ends)):
            if end.device in self.links:
                self._relink_port(end, far)
        self._regroup(far, hosts=[end for end in ends if end in self._wiring.hosts])
        judged = self._judged((), far)
        for session in judged:
            self.routes.disconnect(session.key)
            self.sessions[session.key] = session
        self._spread((), far, judged)
        return judged

    def _judged(self, judged: Iterable[BgpSession], far: Iterable[End]) -> list[BgpSession]:
        """These sessions and those behind these ports, each once: one over a VLAN is behind several."""
        behind = (session for end in far for session in self._judge.of_port(end.device, end.port))
        return list({session.key: session for session in (*judged, *behind)}.values())

    def over_limit(self) -> list[BgpSession]:
        """The established sessions that accepted more prefixes than their limit allows, warnings excepted."""
        if self.routes.originated() <= min(self._least_limit.values(), default=0):
            return []  # no switch can have that many
        return [session for session in self.sessions.values() if self._is_over(session)]

    def _is_over(self, session: BgpSession) -> bool:
        limit = _limit(session.neighbor)
        if session.peer_key is None or limit is None or self.routes.at_most(session) <= limit:
            return False  # counting looks at every prefix: not of each of 200,000 sessions after each commit
        self.count(session)
        return session.prefixes_accepted > limit

    def count(self, session: BgpSession) -> None:
        """Fill in the prefix counts of a session."""
        if session.peer_key is not None:
            counted = self.routes.count(session)
            session.prefixes_received, session.prefixes_accepted, session.prefixes_sent = counted

    # -- what changes ----------------------------------------------------------------------------------------------

    def _replace(self, name: str, state: SwitchState) -> None:
        """Another state of a switch; its BGP leaves the routes, all of it may be different."""
        old = self.states.get(name)
        if old is not None:
            for instance in old.instances:
                self.routes.remove((name, instance.table))
            for interface in old.interfaces:
                self.interfaces.pop(End(name, interface.name), None)
        self.states[name] = state
        self.interfaces.update({End(name, interface.name): interface for interface in state.interfaces})
        self.groups.learn(state)
        limits = (_limit(neighbor) for instance in state.instances for neighbor in instance.neighbors)
        self._least_limit[name] = min((limit for limit in limits if limit is not None), default=float("inf"))

    def _relink(self, names: Iterable[str]) -> dict[End, bool]:
        """The links of these switches, and of the ports at the other ends of their cables.

        Returns those ports of other switches, and whether each link went up or down.
        """
        for name in names:
            ports, old = self._ports(self._devices[name], self.states[name]), self.links.get(name, {})
            self.links[name] = {port: self._wiring.link(End(name, port), self.interfaces) for port in ports}
            for port in ports:
                self._compare(End(name, port), old.get(port), self.links[name][port])
        changed = set(names)
        far: dict[End, bool] = {}
        hosts: list[End] = []
        for name in names:
            for port in sorted(self._wiring.ports_of(name)):
                end, _ = self._wiring.far(End(name, port))
                if end in self._wiring.hosts:
                    hosts.append(end)
                if end is None or end.device in changed or end.device not in self.links:
                    continue
                self._relink_port(end, far)
        self._regroup(far, changed, hosts)
        return far

    def _regroup(self, far: dict[End, bool], changed: Collection[str] = (), hosts: Iterable[End] = ()) -> None:
        """Count the members of groups among these ports, and what is behind their groups, as up or down again."""
        in_groups = [end for end in far if end in self.interfaces and self.interfaces[end].group]
        further = sorted(end for end in self.groups.behind([*in_groups, *hosts]) if end.device not in changed)
        far.update(dict.fromkeys((*in_groups, *further), True))

    def _relink_port(self, end: End, far: dict[End, bool]) -> None:
        old, new = self.links[end.device].get(end.port), self._wiring.link(end, self.interfaces)
        self.links[end.device][end.port] = new
        self._compare(end, old, new)
        far[end] = old is None or old.is_up != new.is_up

    def _compare(self, end: End, old: Link | None, new: Link) -> None:
        if old is not None and old.is_up != new.is_up:
            self._link_changed(end)

    def _ports(self, device: DeviceSpec, state: SwitchState) -> list[str]:
        """Every port that is, or into which a cable is plugged, in the order of the switch's interfaces."""
        cages = set(device.ports)
        names = (interface.name for interface in state.interfaces if not interface.is_dark)
        there = [name for name in names if name in cages or any(cage in cages for cage in cages_of(name))]
        return list(dict.fromkeys([*there, *device.ports, *sorted(self._wiring.ports_of(device.name))]))

    def _spread(self, names: Iterable[str], far: Mapping[End, bool], judged: Iterable[BgpSession]) -> None:
        for name in names:
            state = self.states[name]
            policies = Policies(state, self._judges)
            for instance in state.instances:
                self.routes.add(name, instance, policies, self._originated(state, instance, policies))
        for end in (end for end, went in far.items() if went):
            state = self.states[end.device]
            for instance in state.instances:
                if self._stands_on(instance, end):
                    policies = Policies(state, self._judges)
                    self.routes.originate((end.device, instance.table), self._originated(state, instance, policies))
        for session in judged:
            if session.peer_key is not None and self.sessions[session.peer_key].peer_key is not None:
                self.routes.connect(session)
        self.routes.settle()

    # -- one switch's own table ------------------------------------------------------------------------------------

    def _stands_on(self, instance: BgpInstance, end: End) -> bool:
        """May what an instance originates depend on whether this port is up?"""
        state, interface = self.states[end.device], self.interfaces.get(end)
        if interface is not None and (interface.vlans or interface.group):
            return True  # an SVI or a group may go down or come up with it
        statics = state.outside.static_routes if instance.is_ipv6 else state.static_routes
        if instance.redistribute_connected or any(not static.is_discard for static in statics):
            return True
        there = (each for each in self.states[end.device].interfaces if each.on_port == end.port)
        own = {prefix_text(address) for each in there for address in _addresses(each, is_ipv6=instance.is_ipv6)}
        return any(prefix_text(network) in own for network in instance.networks)

    def is_up(self, device: str, interface: InterfaceState) -> bool:
        """Whether an interface is up: a port by its link, an SVI by its VLAN's ports, a group by its members.

        Any other is up by its admin state.
        """
        if interface.port:
            port = self.interfaces.get(End(device, interface.port))
            pair = self.states[device].pair
            may_be = port is not None and (port.is_routed or (pair is not None and pair.talks_on == interface.name))
            is_there = interface.is_admin_up and interface.tag is not None and may_be
            return is_there and port is not None and self.is_up(device, port)
        if interface.is_group:
            return self.groups.is_up(device, interface)
        link = self.links[device].get(interface.name)
        if link is not None:
            return link.is_up
        if interface.svi_vlan is not None:
            return interface.is_admin_up and interface.has_vlan and self._has_port_up(device, interface)
        return interface.is_admin_up and not interface.is_dark

    def _has_port_up(self, device: str, svi: InterfaceState) -> bool:
        """Whether a port of an SVI's VLAN is up, or none needs to be."""
        ports = (each for each in self.states[device].interfaces if svi.svi_vlan in each.vlans and not each.group)
        return not svi.autostate or any(self.is_up(device, port) for port in ports)

    def static_and_connected(self, device: str, vrf: str, *, is_ipv6: bool = False) -> dict[str, Route]:
        """A switch's table of one family before BGP."""
        state = self.states[device]
        connected: dict[str, Route] = {}
        for interface in state.interfaces:
            if interface.vrf == vrf and interface.is_routed and self.is_up(device, interface):
                for address in _addresses(interface, is_ipv6=is_ipv6):
                    prefix = prefix_text(address)
                    connected.setdefault(prefix, Route(prefix, "connected", (NextHop("", interface.name),)))
        hops: dict[str, dict[int, list[NextHop]]] = {}
        statics = state.outside.static_routes if is_ipv6 else state.static_routes
        for static in statics if state.is_routing else ():
            if static.vrf != vrf:
                continue
            hop = NextHop("", "") if static.is_discard else _resolve(static.next_hop, static.interface, connected)
            if hop is not None:
                hops.setdefault(prefix_text(static.prefix), {}).setdefault(static.distance, []).append(hop)
        nearest = {prefix: found[min(found)] for prefix, found in hops.items()}
        routes = {prefix: Route(prefix, "static", tuple(sorted(found))) for prefix, found in nearest.items()}
        return {**routes, **connected}

    def _originated(self, state: SwitchState, instance: BgpInstance, policies: Policies) -> dict[str, frozenset[str]]:
        """The prefixes an instance announces as its own, with the communities a redistribution map sets."""
        table = self.static_and_connected(state.name, instance.vrf, is_ipv6=instance.is_ipv6)
        own = {prefix_text(network): NO_COMMUNITIES for network in instance.networks if prefix_text(network) in table}
        if instance.redistribute_connected:
            judge = policies.judge_of(None, instance.redistribute_connected_route_map)
            for prefix, route in table.items():
                verdict = judge.verdict(prefix, NO_COMMUNITIES) if route.protocol == "connected" else None
                if verdict is not None:
                    own.setdefault(prefix, verdict.communities)
        whole = {each: NO_COMMUNITIES for each in instance.aggregates if any(_is_below(one, each) for one in own)}
        return {
            prefix: each for prefix, each in own.items() if not any(_is_below(prefix, one) for one in whole)
        } | whole


def _addresses(interface: InterfaceState, *, is_ipv6: bool) -> tuple[str, ...]:
    return interface.addresses_v6 if is_ipv6 else interface.addresses


def _is_below(one: str, other: str) -> bool:
    """Is one prefix part of another of its family, and not all of it?"""
    (inside, length), (outer, outer_length), bits = network_of(one), network_of(other), bits_of(one)
    return length > outer_length and inside >> (bits - outer_length) == outer >> (bits - outer_length)


def _keys(state: SwitchState | None) -> list[Key]:
    instances = state.instances if state is not None else ()
    name = state.name if state is not None else ""
    return [(name, instance.vrf, neighbor.address) for instance in instances for neighbor in instance.neighbors]


def _limit(neighbor: BgpNeighbor) -> int | None:
    """The limit that tears a session down; a limit of 0 is none."""
    return None if neighbor.prefix_limit_warning_only else neighbor.prefix_limit or None


def _tear_down(sessions: Mapping[Key, BgpSession], key: Key, hold: Hold) -> None:
    session = sessions.get(key)
    if session is None or session.state != "established":
        return
    limit = session.neighbor.prefix_limit
    peer = sessions[session.peer_key] if session.peer_key is not None else None
    session.drop("prefix_limit", f"{hold.prefixes} prefixes exceed the limit of {limit}")
    if peer is not None and peer.state == "established":
        peer.drop("idle", f"{session.device} closed the session: its prefix limit was exceeded")


def _resolve(address: str | None, interface: str | None, connected: Mapping[str, Route]) -> NextHop | None:
    """A static route's next hop if it can be reached over a connected network."""
    names = {hop.interface for route in connected.values() for hop in route.next_hops}
    if interface is not None:
        return NextHop(address or "", interface) if interface in names else None
    number, bits = address_number(address or ""), bits_of(address or "")
    for prefix, route in connected.items():
        network, length = network_of(prefix)
        if number >> (bits - length) == network >> (bits - length):
            return NextHop(address or "", route.next_hops[0].interface)
    return None
