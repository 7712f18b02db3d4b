"""The present cabling, the links that are up, and the LLDP neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType

from .errors import Problem, TwinError
from .spec import Cable, End, Host, HostEnd
from .state import InterfaceState, SwitchState


@dataclass(frozen=True, slots=True)
class Link:
    """One switch port's link: the far end (switch or host port, None without a cable), and why it is down."""

    port: str
    peer: End | None
    is_up: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LldpNeighbor:
    """A port's LLDP neighbour: far device, the name it announces, its port and that port's description."""

    local_port: str
    device: str
    hostname: str
    port: str
    port_description: str


class Wiring:
    """The cables of a lab. A host's cable has the name in the specification, or ``HOST:PORT``."""

    def __init__(self, cables: Iterable[Cable], hosts: Iterable[Host]) -> None:
        self.hosts = {End(host.name, host.port): host for host in hosts}
        plugged = [*cables, *(Cable(h.cable_id, h.switch, End(h.name, h.port)) for h in self.hosts.values())]
        self._ids = {f"{host.name}:{host.port}": host.cable_id for host in self.hosts.values()}
        self._cables = {cable.id: cable for cable in plugged}
        self._as_planned = {cable.b: cable.id for cable in plugged}
        self._cut: set[str] = set()
        self._lossy: dict[str, float] = {}
        self._slow: dict[str, float] = {}
        self._far: dict[End, tuple[End, str]] = {}
        self._plugged: dict[str, set[str]] = {}
        self._plug()

    def _plug(self) -> None:
        self._far = {}
        for cable in self._cables.values():
            self._far[cable.a] = (cable.b, cable.id)
            self._far[cable.b] = (cable.a, cable.id)
        self._plugged = {}
        for end in self._far:
            self._plugged.setdefault(end.device, set()).add(end.port)

    def cables(self) -> dict[str, dict[str, object]]:
        """Every cable by id with its ends and whether it is cut, for the control request ``status``."""
        return {
            cable.id: {
                "a": [cable.a.device, cable.a.port],
                "b": [cable.b.device, cable.b.port],
                "cut": cable.id in self._cut,
            }
            for cable in self._cables.values()
        }

    def played(self) -> dict[str, dict[str, object]]:
        """Every host with what it was told of its ports and bonds, for the control request ``status``.

        None instead of a port's bond and addresses: nothing was said of it, and it answers LACP.
        """
        found: dict[str, dict[str, dict[str, object]]] = {}
        for host in self.hosts.values():
            entry = found.setdefault(host.name, {"ports": {}, "bonds": {}})
            entry["ports"][host.port] = None if host.end is None else _as_data(host.end)
            if host.end is not None and host.end.bond is not None:
                entry["bonds"][host.end.bond.name] = asdict(host.end.bond)
        return {name: {**entry} for name, entry in found.items()}

    def plugged(self) -> tuple[Cable, ...]:
        """Every cable as it is plugged in now, cut or not."""
        return tuple(self._cables.values())

    def cable_at(self, end: End) -> Cable:
        """The cable at an end. Raises TwinError if nothing is plugged in there."""
        if end not in self._far:
            raise TwinError(Problem(str(end), "no cable is plugged in there"))
        return self._cables[self._far[end][1]]

    def cables_of(self, device: str) -> list[str]:
        """The ids of the cables at a device."""
        return [self._far[End(device, port)][1] for port in sorted(self.ports_of(device))]

    def is_lit(self, end: End, interfaces: Mapping[End, InterfaceState]) -> bool:
        """Does light come through the cable at this end, if the far end sends? Both ends must be set alike."""
        far, is_whole = self.far(end)
        if far is None or not is_whole:
            return False
        near, other = interfaces.get(end), interfaces.get(far)
        return near is None or other is None or not _difference(near, other)

    def swap(self, first: str, second: str) -> tuple[str, str]:
        """Exchange the ``b`` ends of two cables, as a technician would who swaps them; returns their ids."""
        one, other = self._known(first), self._known(second)
        self._cables[one.id], self._cables[other.id] = replace(one, b=other.b), replace(other, b=one.b)
        self._plug()
        return one.id, other.id

    def swapped(self) -> dict[str, str]:
        """Every cable that has another far end than at first -> the cable that had this one."""
        had = ((cable.id, self._as_planned[cable.b]) for cable in self._cables.values())
        return {cable: other for cable, other in had if cable != other}

    def cut_cables(self) -> list[str]:
        """Every cable that is cut, in the specification's order."""
        return [cable for cable in self._cables if cable in self._cut]

    def lossy(self) -> dict[str, float]:
        """Every cable that loses packets -> percent of them, in the specification's order."""
        return {cable: self._lossy[cable] for cable in self._cables if cable in self._lossy}

    def slow(self) -> dict[str, float]:
        """Every cable that holds packets back -> for how many ms, in the specification's order."""
        return {cable: self._slow[cable] for cable in self._cables if cable in self._slow}

    def ends(self, *cables: str) -> tuple[End, ...]:
        """Both ends of each of these cables. Raises TwinError for an unknown one."""
        return tuple(end for cable in map(self._known, cables) for end in (cable.a, cable.b))

    def cut(self, cable: str) -> None:
        """Remove the carrier of a cable at both ends."""
        self._cut.add(self._known(cable).id)

    def mend(self, cable: str) -> None:
        """Restore the carrier of a cut cable."""
        self._cut.discard(self._known(cable).id)

    def lose(self, cable: str, percent: float) -> None:
        """Have a cable lose this share of its packets; 0: none."""
        self._lossy[self._known(cable).id] = percent
        if not percent:
            del self._lossy[self._known(cable).id]

    def delay(self, cable: str, time_ms: float) -> None:
        """Have a cable hold each packet back for this time; 0: not at all."""
        self._slow[self._known(cable).id] = time_ms
        if not time_ms:
            del self._slow[self._known(cable).id]

    def _known(self, cable: str) -> Cable:
        found = self._cables.get(self._ids.get(cable, cable))
        if found is None:
            raise TwinError(Problem("cable", f"there is no cable {cable!r}"))
        return found

    def ports_of(self, device: str) -> set[str]:
        """The ports of a device with a cable, parts of cages included."""
        return self._plugged.get(device, set())

    def far(self, end: End) -> tuple[End | None, bool]:
        """The other end of the cable at this port, and whether the cable is intact."""
        far, cable = self._far.get(end, (None, ""))
        return far, far is not None and cable not in self._cut

    def link(self, end: End, interfaces: Mapping[End, InterfaceState]) -> Link:
        """The state of one switch port's link. ``interfaces`` holds every switch's interfaces by their End."""
        far, is_whole = self.far(end)
        reason = self._why_down(interfaces.get(end), far, is_whole, interfaces)
        return Link(end.port, far, not reason, reason)

    def _why_down(
        self, near: InterfaceState | None, far: End | None, is_whole: bool, interfaces: Mapping[End, InterfaceState]
    ) -> str:
        if far is None:
            return "nothing is plugged in" if near is None or near.is_admin_up else "administratively down"
        if near is None or near.is_dark or not near.is_admin_up:
            return _why_closed(near)
        if not is_whole:
            return "no carrier"
        return "" if far in self.hosts else _mismatch(near, interfaces.get(far))

    def lldp(
        self,
        device: str,
        links: Iterable[Link],
        states: Mapping[str, SwitchState],
        interfaces: Mapping[End, InterfaceState],
        heard_at: Mapping[str, LldpNeighbor | None] = MappingProxyType({}),
    ) -> tuple[LldpNeighbor, ...]:
        """The neighbours a switch hears: only over links that are up, from ends that send, on ports that listen.

        ``heard_at``: what was heard, or nothing, at ports where a host sends by itself.
        """
        if not states[device].lldp_enabled:
            return ()
        heard = []
        for link in links:
            near = interfaces.get(End(device, link.port))
            if not link.is_up or link.peer is None or near is None or not near.lldp_receive:
                continue
            neighbor = heard_at[link.port] if link.port in heard_at else self._sender(link, states, interfaces)
            if neighbor is not None:
                heard.append(neighbor)
        return tuple(heard)

    def _sender(
        self, link: Link, states: Mapping[str, SwitchState], interfaces: Mapping[End, InterfaceState]
    ) -> LldpNeighbor | None:
        peer = link.peer
        assert peer is not None  # noqa: S101  (the caller asked only for plugged links)
        if peer in self.hosts:
            return _host(link.port, peer) if self.hosts[peer].lldp else None
        state, far = states.get(peer.device), interfaces.get(peer)
        if state is None or far is None or not (state.lldp_enabled and far.lldp_transmit):
            return None
        return LldpNeighbor(link.port, peer.device, state.hostname or peer.device, peer.port, far.description)


def _host(local_port: str, host: End) -> LldpNeighbor:
    """A host as lldpd announces it with ``portidsubtype ifname``: a port is its name, and so is its description."""
    return LldpNeighbor(local_port, host.device, host.device, host.port, host.port)


def _as_data(end: HostEnd) -> dict[str, object]:
    return {"bond": end.bond.name if end.bond is not None else None, "mac": end.mac, "addresses": end.addresses}


def _why_closed(near: InterfaceState | None) -> str:
    if near is None:
        return "there is no such port: its cage is not split this way"
    return "administratively down" if not near.is_admin_up else "its lanes are in use by another port of the cage"


def _mismatch(near: InterfaceState, far: InterfaceState | None) -> str:
    if far is None or not far.is_admin_up or far.is_dark:
        return "the other end is down"
    return _difference(near, far)


def _difference(near: InterfaceState, far: InterfaceState) -> str:
    for what, mine, its in (
        ("speed", near.speed, far.speed),
        ("FEC", near.fec, far.fec),
        ("negotiation", _ON_OFF[near.negotiate], _ON_OFF[far.negotiate]),
    ):
        if mine is not None and its is not None and mine != its:
            return f"{what} differs: {mine} here, {its} at the other end"
    return ""


_ON_OFF = {True: "on", False: "off", None: None}
