"""Which BGP sessions are up: only those whose two ends' configurations really match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .control_lists import OWN, hears_bfd, opens
from .policy import address_number, bits_of, network_of
from .spec import End
from .state import BgpInstance, BgpNeighbor, InterfaceState, SwitchState, table_of
from .wiring import Link

SessionState = Literal["established", "idle", "active", "admin_down", "prefix_limit"]
Key = tuple[str, str, str]
"""(device, vrf, neighbour's address; of an interface neighbour the port's name)."""


@dataclass(slots=True)
class BgpSession:
    """One end of one session as its switch sees it.

    state     ``established``; ``idle`` (cannot try or was refused by the peer), ``active`` (tries, no peer answers),
              ``admin_down`` (shut down), ``prefix_limit`` (torn down by the prefix limit)
    reason    why it is not established, in words
    prefixes  received (before policy), accepted (after policy), sent; 0 if not established
    since_s   the clock's time of the last change of state
    peer_key  the other end, only if established
    peer_address  of the far end; of an interface neighbour its link-local address, "" until that is learnt
    bfd_is_up  as a real BFD says; None where none runs
    """

    device: str
    vrf: str
    local_as: int
    neighbor: BgpNeighbor
    state: SessionState
    reason: str = ""
    peer_device: str | None = None
    peer_router_id: str = "0.0.0.0"  # noqa: S104  (what switches print for an unknown router id)
    interface: str | None = None
    local_address: str | None = None
    hold_s: int = 0
    keepalive_s: int = 0
    prefixes_received: int = 0
    prefixes_accepted: int = 0
    prefixes_sent: int = 0
    since_s: float = 0.0
    peer_key: Key | None = None
    peer_address: str = ""
    bfd_is_up: bool | None = None

    @property
    def is_bfd_up(self) -> bool:
        """Does BFD see the peer? Where nothing runs BFD, it is taken to if the session is up."""
        is_on = self.state == "established" if self.bfd_is_up is None else self.bfd_is_up
        return self.neighbor.bfd and is_on

    @property
    def is_ipv6(self) -> bool:
        """Does it exchange routes of IPv6 (alone)?"""
        return ":" in self.neighbor.address

    @property
    def is_internal(self) -> bool:
        """Is the far end in the same AS (iBGP)?"""
        return self.neighbor.remote_as in (self.local_as, "internal")

    @property
    def table(self) -> tuple[str, str]:
        """The table of BGP that its routes are in: its switch, and the table's name there."""
        return table_of_key(self.key)

    @property
    def key(self) -> Key:
        """What identifies this end of the session."""
        return (self.device, self.vrf, self.neighbor.address)

    def drop(self, state: SessionState, reason: str) -> None:
        """Bring an established session down."""
        self.state, self.reason, self.peer_key = state, reason, None


def table_of_key(key: Key) -> tuple[str, str]:
    """The table of BGP that routes of a session are in."""
    return key[0], table_of(key[1], is_ipv6=":" in key[2])


@dataclass(frozen=True, slots=True)
class _Attached:
    """An interface and its address there: with its length, or IPv6 link-local."""

    interface: InterfaceState
    address: str


class _SwitchView:
    """One switch, indexed for look-ups by connected network, neighbour and (``behind``) a session's interface."""

    def __init__(self, state: SwitchState, links: Mapping[str, Link]) -> None:
        self.state, self.links = state, links
        self.instances = {instance.table: instance for instance in state.instances}
        self.neighbors = {(i.vrf, n.address): n for i in state.instances for n in i.neighbors}
        self.interfaces = {interface.name: interface for interface in state.interfaces}
        self.subinterfaces = {(each.port, each.tag): each for each in state.interfaces if each.port}
        self.behind: dict[str, list[tuple[BgpInstance, BgpNeighbor]]] = {}
        self.connected: dict[tuple[str, int, int, int], _Attached] = {}
        self.lengths: dict[int, set[int]] = {32: set(), 128: set()}
        for interface in state.interfaces:
            for address in (*interface.addresses, *interface.addresses_v6) if interface.is_routed else ():
                (network, length), bits = network_of(address), bits_of(address)
                self.lengths[bits].add(length)
                self.connected.setdefault((interface.vrf, bits, network, length), _Attached(interface, address))
        for instance in state.instances:
            for neighbor in instance.neighbors:
                local = self.local_end(instance.vrf, neighbor)
                for port in self.ports_of(local.interface) if local is not None else ():
                    self.behind.setdefault(port, []).append((instance, neighbor))

    def ports_of(self, interface: InterfaceState) -> list[str]:
        """The ports and groups by which an interface's packets may leave: of an SVI all that carry its VLAN."""
        if interface.svi_vlan is None:
            return self.members_of(interface.port) or [interface.on_port]
        carries = {each.name for each in self.state.interfaces if interface.svi_vlan in each.vlans}
        return [each.name for each in self.state.interfaces if each.name in carries or each.group in carries]

    def members_of(self, group: str) -> list[str]:
        """The ports of a group."""
        return [each.name for each in self.state.interfaces if group and each.group == group]

    def carrier(self, port: str) -> InterfaceState | None:
        """What takes frames from a port's cable: its group, or itself; None where that is shut."""
        there = self.interfaces.get(port)
        found = self.interfaces.get(there.group) if there is not None and there.group else there
        return found if found is not None and found.is_admin_up else None

    def local_end(self, vrf: str, neighbor: BgpNeighbor) -> _Attached | None:
        """The interface behind which a neighbour is: the one it is configured by, or the one in its network."""
        if not neighbor.interface:
            return self.attached(vrf, neighbor.address)
        port = self.interfaces.get(neighbor.interface)
        return _Attached(port, port.link_local) if port is not None and port.is_routed and port.vrf == vrf else None

    def attached(self, vrf: str, address: str) -> _Attached | None:
        """The interface of the VRF whose network holds this address, longest match."""
        number, bits = address_number(address), bits_of(address)
        for length in sorted(self.lengths[bits], reverse=True):
            found = self.connected.get((vrf, bits, number >> (bits - length) << (bits - length), length))
            if found is not None:
                return found
        return None

    def is_up(self, interface: InterfaceState) -> bool:
        """Whether an interface forwards: its link if it is a port, else its admin state.

        A subinterface needs a tag, and its port up and routed; an SVI a port of its VLAN.
        """
        if interface.svi_vlan is not None:
            is_there = interface.is_admin_up and interface.has_vlan
            return is_there and (not interface.autostate or any(True for _ in self.lit(interface)))
        link = self.links.get(interface.on_port)
        if not interface.port:
            return link.is_up if link is not None else interface.is_admin_up and not interface.is_dark
        port, pair = self.interfaces.get(interface.port), self.state.pair
        may_be = port is not None and (port.is_routed or (pair is not None and pair.talks_on == interface.name))
        is_there = interface.is_admin_up and interface.tag is not None and may_be
        return is_there and port is not None and port.is_admin_up and any(True for _ in self.lit(interface))

    def lit(self, interface: InterfaceState) -> Iterator[Link]:
        """The links that are up by which an interface's frames leave."""
        links = (self.links.get(port) for port in self.ports_of(interface) if self.carrier(port) is not None)
        return (each for each in links if each is not None and each.is_up)

    def svi_at(self, port: str, vlan: int) -> InterfaceState | None:
        """The SVI that takes frames of a VLAN from this port's cable."""
        carrier = self.carrier(port)
        svis = (each for each in self.state.interfaces if each.svi_vlan == vlan and self.is_up(each))
        return next(svis, None) if carrier is not None and vlan in carrier.vlans else None

    def at(self, port: str, like: InterfaceState) -> InterfaceState | None:
        """What takes frames that ``like`` sends from the other end of this port's cable: with its tag or without."""
        if not like.port:
            return self.interfaces.get(port)
        carrier = self.carrier(port)
        return self.subinterfaces.get((port if carrier is None else carrier.name, like.tag))


class _RefusedError(Exception):
    """A session does not come up."""

    def __init__(self, state: SessionState, reason: str) -> None:
        super().__init__(reason)
        self.state: SessionState = state
        self.reason = reason


class SessionJudge:
    """Judges the sessions of a fabric from its switches' states and links; each switch is told of when it changes."""

    def __init__(self) -> None:
        self._views: dict[str, _SwitchView] = {}

    def learn(self, state: SwitchState, links: Mapping[str, Link]) -> None:
        """A switch as it is now. ``links`` is read whenever a session is judged, so it may change in place."""
        self._views[state.name] = _SwitchView(state, links)

    def of_switch(self, name: str) -> list[BgpSession]:
        """Every configured session of a switch, up or not."""
        instances = self._views[name].state.instances
        return [self._judge(name, instance, neighbor) for instance in instances for neighbor in instance.neighbors]

    def of_port(self, name: str, port: str) -> list[BgpSession]:
        """The configured sessions of a switch whose packets leave by one port."""
        return [self._judge(name, *configured) for configured in self._views[name].behind.get(port, ())]

    def _judge(self, name: str, instance: BgpInstance, neighbor: BgpNeighbor) -> BgpSession:
        session = BgpSession(name, instance.vrf, instance.asn, neighbor, "idle")
        session.peer_address = "" if neighbor.interface else neighbor.address
        try:
            self._bring_up(session, self._views[name], instance)
        except _RefusedError as refused:
            session.state, session.reason = refused.state, refused.reason
        return session

    def _bring_up(self, session: BgpSession, view: _SwitchView, instance: BgpInstance) -> None:
        neighbor = session.neighbor
        local = self._local_end(session, view)
        link = self._way(view, local.interface, neighbor.address)
        peer_end = link.peer if link is not None else None
        peer_view = self._views.get(peer_end.device) if peer_end is not None else None
        if peer_end is None or peer_view is None:
            raise _RefusedError("active", f"no switch at the other end of {local.interface.name}")
        session.peer_device = peer_end.device
        if neighbor.interface:
            far = peer_view.at(peer_end.port, local.interface)
            session.peer_address = _learnt(local.interface, far, peer_end)
            peer_instance, peer_neighbor = _peer_by_port(peer_view, peer_end, far)
        else:
            local_address = local.address.partition("/")[0]
            vlan = local.interface.svi_vlan
            far = (
                peer_view.at(peer_end.port, local.interface) if vlan is None else peer_view.svi_at(peer_end.port, vlan)
            )
            if far is not None and far.port and not peer_view.is_up(far):
                raise _RefusedError("active", f"{peer_end.device} {far.name} is down")
            peer_instance, peer_neighbor = _peer(peer_view, peer_end, far, neighbor.address, local_address)
        _compare(instance, neighbor, peer_instance, peer_neighbor)
        _let_in(session, view.state, peer_view.state)
        session.state, session.reason = "established", ""
        session.peer_router_id = peer_instance.router_id
        session.peer_key = (peer_end.device, peer_instance.vrf, peer_neighbor.address)
        session.hold_s = min(neighbor.hold_s, peer_neighbor.hold_s)
        session.keepalive_s = min(neighbor.keepalive_s, max(1, session.hold_s // 3))

    def _way(self, view: _SwitchView, interface: InterfaceState, address: str) -> Link | None:
        """The link to a neighbour: the port's own, or of an SVI one to the switch that has the address in its VLAN."""
        if interface.svi_vlan is None:
            return view.links.get(interface.on_port) or next(view.lit(interface), None)
        there = []
        for link in view.lit(interface):
            peer = self._views.get(link.peer.device) if link.peer is not None else None
            svi = (
                peer.svi_at(link.peer.port, interface.svi_vlan) if peer is not None and link.peer is not None else None
            )
            there += [link] if svi is not None else []
            if svi is not None and address in _plain(svi):
                return link
        return there[0] if there else None

    @staticmethod
    def _local_end(session: BgpSession, view: _SwitchView) -> _Attached:
        neighbor = session.neighbor
        if neighbor.is_shutdown:
            raise _RefusedError("admin_down", "shut down by configuration")
        if not view.state.is_routing:
            raise _RefusedError("idle", "IPv4 routing is off")
        if neighbor.remote_as is None:
            raise _RefusedError("idle", "no remote AS is configured")
        local = view.local_end(session.vrf, neighbor)
        if local is None:
            where = "no routed port of this VRF is" if neighbor.interface else "no interface is in one network with"
            raise _RefusedError("idle", f"{where} {neighbor.address}")
        session.interface, session.local_address = local.interface.name, local.address.partition("/")[0]
        if not view.is_up(local.interface):
            raise _RefusedError("idle", f"{local.interface.name} is down")
        if session.local_address == neighbor.address:
            raise _RefusedError("idle", f"{neighbor.address} is this switch's own address")
        return local


def _peer(
    view: _SwitchView, end: End, interface: InterfaceState | None, its_address: str, our_address: str
) -> tuple[BgpInstance, BgpNeighbor]:
    """The far end's instance and its neighbour entry for us; ``interface``: what of its port takes our frames."""
    addresses = _plain(interface) if interface and interface.is_routed else []
    if interface is None or its_address not in addresses:
        found = ", ".join(addresses) or "no address"
        raise _RefusedError("active", f"{end} has {found}, not {its_address}")
    back = view.attached(interface.vrf, our_address)
    if back is None or back.interface is not interface:
        raise _RefusedError("active", f"{our_address} is not in the network of {end}")
    return _configured(view, end, interface.vrf, our_address)


def _plain(interface: InterfaceState) -> list[str]:
    return [each.partition("/")[0] for each in (*interface.addresses, *interface.addresses_v6)]


def _peer_by_port(view: _SwitchView, end: End, interface: InterfaceState | None) -> tuple[BgpInstance, BgpNeighbor]:
    """The far end's instance and its neighbour entry for the one behind what takes our frames."""
    far = interface or view.interfaces[end.port]
    return _configured(view, end, far.vrf, far.name)


def _learnt(near: InterfaceState, far: InterfaceState | None, end: End) -> str:
    """The far end's link-local address, if both ends learn one another's from router advertisements (RFC 4861)."""
    if far is None or not far.is_routed or not far.link_local or not far.advertises:
        raise _RefusedError("idle", f"no router advertisements from {end}")
    if not near.link_local or not near.advertises:
        raise _RefusedError("active", f"{end} hears no router advertisements from {near.name}")
    return far.link_local


def _configured(view: _SwitchView, end: End, vrf: str, key: str) -> tuple[BgpInstance, BgpNeighbor]:
    """The far end's instance in a VRF and its neighbour of this address or port."""
    instance = view.instances.get(table_of(vrf, is_ipv6=":" in key))
    if instance is None or not view.state.is_routing:
        raise _RefusedError("active", f"{end.device} runs no BGP in VRF {vrf}")
    neighbor = view.neighbors.get((vrf, key))
    if neighbor is None:
        raise _RefusedError("active", f"{end.device} has no neighbour {key}")
    if neighbor.is_shutdown:
        raise _RefusedError("active", f"{end.device} has shut down its end")
    return instance, neighbor


def _compare(mine: BgpInstance, near: BgpNeighbor, its: BgpInstance, far: BgpNeighbor) -> None:
    """Refuse unless two ends that reach one another also agree."""
    for expected, found, own in ((near.remote_as, its.asn, mine.asn), (far.remote_as, mine.asn, its.asn)):
        if not _is_expected_as(expected, found, own):
            raise _RefusedError("idle", f"bad peer AS: expected {expected}, found {found}")
    if not (_accepts_ttl(near, far) and _accepts_ttl(far, near)):
        raise _RefusedError("active", "TTL security or multihop does not match the other end's")
    if near.has_password != far.has_password:
        raise _RefusedError("active", "only one end uses a password")
    if None not in (near.password, far.password) and near.password != far.password:
        raise _RefusedError("active", "both ends use passwords, and other ones")
    if near.bfd != far.bfd:
        raise _RefusedError("idle", f"BFD is on at {'this' if near.bfd else 'the other'} end only")
    if not (near.is_ipv4_active and far.is_ipv4_active):
        family = "IPv6" if ":" in near.address else "IPv4"
        raise _RefusedError("idle", f"{family} unicast is not active on both ends")
    if near.interface and not (near.extended_nexthop and far.extended_nexthop):
        raise _RefusedError("idle", "IPv6 next hops for IPv4 (RFC 8950) are not on at both ends")


def _let_in(session: BgpSession, here: SwitchState, there: SwitchState) -> None:
    """Refuse where lists of the default VRF keep out what both ends send; a session without its BFD stays."""
    if session.vrf != "default" or here.control == there.control == OWN:
        return
    ends = (session.local_address or "", session.peer_address)
    if "" in ends:
        return
    if not opens(here.control, there.control, ends):
        raise _RefusedError("active", "a list of the control plane refuses TCP port 179")
    if session.neighbor.bfd and not hears_bfd(here.control, there.control, ends):
        session.bfd_is_up = False


def _is_expected_as(expected: int | str | None, found: int, own: int) -> bool:
    if expected == "external":
        return found != own
    if expected == "internal":
        return found == own
    return expected == found


def _accepts_ttl(receiver: BgpNeighbor, sender: BgpNeighbor) -> bool:
    """RFC 5082: with TTL security packets are sent with 255, and taken only from 255 - hops + 1 up."""
    sent = 255 if sender.ttl_security_hops is not None else (sender.ebgp_multihop or 1)
    return receiver.ttl_security_hops is None or sent >= 255 - receiver.ttl_security_hops + 1
