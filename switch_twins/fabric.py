"""The fabric between the twins: links, LLDP, BGP sessions and routes, computed from the switches' configurations.

The effects of a commit on a twin are computed at the next query (solution.py), those of a cable change at once; while a
session is down by its prefix limit, everything is computed again. Inputs are configurations and cables, nothing else.

Simulated: links (both ends up, cabled; speed, FEC and negotiation equal where set), LLDP, numbered BGP of both families
between neighbours on a link or in a VLAN of two switches, and with hosts (upstreams.py): AS-path loops, lists, maps,
prepending, communities, multipath, prefix limits; sessions over IPv6 link-local addresses (RFC 8950); groups.py,
pairs.py, hsrp.py. Not: BGP over groups, packets, timers of sessions that come up, multihop sessions, route reflectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from . import pairs, upstreams
from .bgp_paths import BgpPath
from .clock import Clock
from .counted import Counted
from .errors import Problem, TwinError
from .groups import Member
from .lacp_systems import system_of
from .parts import Parts
from .policy import neighbor_number, network_of
from .seeds import ERRDISABLED, Seeds, Value
from .sessions import BgpSession, Key
from .simulated import Simulated
from .solution import Hold, NextHop, Route, Solution
from .spec import Cable, End, Host
from .state import InterfaceState, SwitchState
from .twin import Twin
from .wiring import Link, LldpNeighbor, Wiring

__all__ = ["FabricSim", "NextHop", "Route"]

_MAX_TEARDOWNS = 1000
_RIBS_KEPT = 8
"""Tables of routes for queries: one request reads the same one several times."""


class FabricSim:
    """Answers what each switch sees. Twins are attached once; everything else is computed on demand."""

    sends_packets = False
    """Do packets cross its cables?"""

    def __init__(self, cables: Iterable[Cable], hosts: Iterable[Host], clock: Clock) -> None:
        self.wiring = Wiring(cables, hosts)
        self.parts = Parts()
        self.seeds = Seeds()
        self.counted = Counted()
        self.version = 0
        """It grows with each change of a configuration or a cable, when that is computed."""
        self._upstreams = upstreams.states(self.wiring.hosts.values())
        self._clock = clock
        self._twins: dict[str, Twin] = {}
        self._solved: Solution | None = None
        self._committed: set[str] = set()
        self._holds: dict[Key, Hold] = {}
        self._shut: dict[str, frozenset[str]] = {}
        self._link_changes: dict[End, tuple[int, float]] = {}
        self._before: dict[Key, tuple[str, float]] = {}
        self._ribs: dict[tuple[str, str], dict[str, Route]] = {}
        self._off: set[str] = set()
        self._frozen: set[str] = set()

    def attach(self, twin: Twin) -> None:
        """Add a twin to the fabric; after a commit of it, the next query computes the effects."""
        self._twins[twin.name] = twin
        twin.on_commit = partial(self._committed.add, twin.name)
        self.changed()

    def changed(self) -> None:
        """Discard all computed results."""
        self._solved = None

    def settle(self) -> None:
        """Compute what is outstanding now: for a large fabric at its start, before a client waits for an answer."""
        self._now()

    def close(self) -> None:
        """Give back what the fabric has of the machine: nothing, in a simulation."""

    # -- a technician's hands --------------------------------------------------------------------------------------

    def swap_cables(self, first: str, second: str) -> tuple[str, str]:
        """Exchange the far (``b``) ends of two cables; their ids. Raises TwinError for an unknown cable."""
        with self._rewired(first, second):
            return self.wiring.swap(first, second)

    def cut_cable(self, cable: str) -> None:
        """Cut a cable. Raises TwinError for an unknown cable."""
        with self._rewired(cable):
            self.wiring.cut(cable)

    def mend_cable(self, cable: str) -> None:
        """Mend a cut cable. Raises TwinError for an unknown cable."""
        with self._rewired(cable):
            self.wiring.mend(cable)

    def lose(self, cable: str, percent: float) -> None:
        """Have a cable lose this share of its packets, 0 for none. Raises TwinError where no packets are sent."""
        if not self.sends_packets:
            raise TwinError(Problem(cable, "switches on loopback send no packets: none can be lost"))
        self.wiring.lose(cable, percent)

    def delay(self, cable: str, time_ms: float) -> None:
        """Have a cable hold each packet back, each way; 0: not at all. Raises TwinError where that cannot be done."""
        if not self.can_delay():
            raise TwinError(Problem(cable, "this lab cannot hold packets back: it has no netem"))
        self.wiring.delay(cable, time_ms)

    def can_delay(self) -> bool:
        """Can its cables hold packets back?"""
        return False

    def switch_off(self, device: str) -> None:
        """Take a switch's power: its ports are dark, it says nothing. No switch is both off and frozen."""
        self._change(device, self._frozen.discard)
        self._change(device, self._off.add)

    def switch_on(self, device: str) -> None:
        """Give a switch its power again."""
        self._change(device, self._off.discard)

    def is_off(self, device: str) -> bool:
        """Has it no power?"""
        return device in self._off

    def freeze(self, device: str) -> None:
        """Hang a switch's control plane: its links stay up, it says nothing. A switch without power stays as it is."""
        if device not in self._off:
            self._change(device, self._frozen.add)

    def thaw(self, device: str) -> None:
        """Let its control plane go on."""
        self._change(device, self._frozen.discard)

    def seed(self, device: str, what: str, on: str, value: Value | None) -> None:
        """Seed a counter or a state (seeds.py). Raises TwinError for one that the switch has not."""
        self._change(device, lambda name: self.seeds.put(self._twins[name], name, what, on, value))

    def faults(self) -> dict[str, object]:
        """What is not as it was at the start: cables cut, lossy, slow, with exchanged ends; switches off, and frozen.

        ``swapped``: cable -> the cable whose far end it has now. ``lossy``: cable -> percent of packets;
        ``slow``: cable -> ms. With all cables and switches there are, and whether packets cross the cables.
        """
        return {
            "switches": list(self._twins),
            "cables": {each.id: [[end.device, end.port] for end in (each.a, each.b)] for each in self.wiring.plugged()},
            "cut": self.wiring.cut_cables(),
            "swapped": self.wiring.swapped(),
            "lossy": self.wiring.lossy(),
            "slow": self.wiring.slow(),
            "sends_packets": self.sends_packets,
            "can_delay": self.can_delay(),
            "off": sorted(self._off),
            "frozen": sorted(self._frozen),
            "impaired": self.counted.impairments.all(),
        }

    def _change(self, device: str, change: Callable[[str], None]) -> None:
        if device not in self._twins:
            raise TwinError(Problem("device", f"there is no switch {device!r}"))
        change(device)
        self._committed.add(device)

    @contextmanager
    def _rewired(self, *cables: str) -> Iterator[None]:
        """Update the results for a change of these cables."""
        ends = self.wiring.ends(*cables)
        solved = self._now() if self._solved is not None else None
        yield
        if solved is None or self._holds or self._shut:
            self.changed()
            return
        self._outdate()
        self._stamp(solved.rewire(ends), ())
        if solved.over_limit() or pairs.shut_apart(
            self._simulated(solved), {each.device for each in ends} & self._twins.keys()
        ):
            self.changed()

    # -- questions -------------------------------------------------------------------------------------------------

    def played(self) -> dict[str, dict[str, object]]:
        """The hosts that are there for the switches alone, with what they were told of their ports."""
        return self.wiring.played()

    def link(self, device: str, port: str) -> Link:
        """The link of a port; a port that is not cabled is down."""
        return self._now().links[device].get(port, Link(port, None, False, "nothing is plugged in"))

    def link_changes(self, device: str, port: str) -> tuple[int, float | None]:
        """How often a link has come up or gone down, and when it last did by the clock; None: it never did."""
        self._now()
        count, last_s = self._link_changes.get(End(device, port), (0, None))
        return count + 2 * self.added("flaps", device, port), last_s

    def added(self, kind: str, device: str, port: str) -> int:
        """What an impairment of a port has added to its counter by now."""
        return self.counted.impairments.added(kind, device, port, self._clock.now_s())

    def _link_changed(self, end: End) -> None:
        count, _ = self._link_changes.get(end, (0, 0.0))
        self._link_changes[end] = (count + 1, self._clock.now_s())

    def is_up(self, device: str, interface: str) -> bool:
        """Whether an interface is operationally up: a port by its link, others as solution.py says."""
        return self._simulated(self._now()).is_up(device, interface)

    def members(self, device: str, group: str) -> tuple[Member, ...]:
        """The members of a group, bundled or not, in order of the switch's interfaces."""
        return self._now().groups.members(device, group)

    def blocking_row(self, device: str, group: InterfaceState) -> str:
        """The row in which both switches of a pair conflict, so that this one holds a group down; "" if none."""
        return self._now().groups.blocking_row(device, group)

    def suspended(self, device: str, group: InterfaceState) -> frozenset[int]:
        """The VLANs of a group that a switch of a pair does not forward, as the other one has others."""
        return self._now().groups.suspended(device, group)

    def lacp_system(self, near: End, name: str) -> tuple[str, ...]:
        """The MAC address, six octets, by which a partner names itself in LACP at a port; ``near``: this port."""
        return system_of(name)

    def pair(self, device: str) -> pairs.Pairing | None:
        """The pair that a switch is in, as it sees it; None if it is in none."""
        return pairs.judge(self, device)

    def knows(self, device: str) -> bool:
        """Is this a switch of the lab?"""
        return device in self._twins

    def state(self, device: str) -> SwitchState:
        """The meaning of a switch's configuration, as of its last commit."""
        return self._now().states[device]

    def states(self) -> tuple[SwitchState, ...]:
        """Those of all switches."""
        return tuple(state for name, state in self._now().states.items() if name in self._twins)

    def mac(self, device: str, interface: str) -> str:
        """The MAC address of a switch's interface, with colons, as the switch itself shows it."""
        return self._twins[device].mac(interface)

    def session(self, key: Key) -> BgpSession | None:
        """One end of a session; None if its switch has none with this neighbour."""
        return next((each for each in self.sessions(key[0], key[1]) if each.key == key), None)

    def lldp(self, device: str) -> tuple[LldpNeighbor, ...]:
        """The LLDP neighbours a switch hears, in order of its ports."""
        solved = self._now()
        return self.wiring.lldp(device, solved.links[device].values(), solved.states, solved.interfaces)

    def sessions(self, device: str, vrf: str | None = None) -> tuple[BgpSession, ...]:
        """A switch's configured BGP sessions, up or not, by VRF and address."""
        solved = self._now()
        instances = [i for i in solved.states[device].instances if vrf is None or i.vrf == vrf]
        found = tuple(
            solved.sessions[device, instance.vrf, neighbor.address]
            for instance in instances
            for neighbor in sorted(instance.neighbors, key=lambda n: neighbor_number(n.address))
        )
        for session in found:
            solved.count(session)
        return found

    def rib(self, device: str, vrf: str = "default") -> dict[str, Route]:
        """A switch's IPv4 table by prefix: connected before static before BGP. Cached: do not change it."""
        solved = self._now()
        if (device, vrf) not in self._ribs:
            if len(self._ribs) >= _RIBS_KEPT:
                del self._ribs[next(iter(self._ribs))]
            self._ribs[device, vrf] = self._simulated(solved).rib(device, vrf)
        return self._ribs[device, vrf]

    def paths(self, device: str, vrf: str = "default") -> dict[str, list[BgpPath]]:
        """All paths of BGP that a switch accepted, by prefix in order of the prefixes, the preferred ones first."""
        found: dict[str, list[BgpPath]] = {}
        for path in self._now().routes.paths((device, vrf)):
            found.setdefault(path.prefix, []).append(path)
        return {
            prefix: sorted(found[prefix], key=lambda path: (not path.is_best, not path.is_used))
            for prefix in sorted(found, key=network_of)
        }

    def looped(self, session: BgpSession) -> int:
        """How many prefixes the peer of an established session announces that were this switch's already."""
        return self._now().routes.looped(session) if session.peer_key is not None else 0

    def announced(self, session: BgpSession) -> list[str]:
        """The prefixes that a switch announces over an established session."""
        return self._now().routes.announced(session) if session.peer_key is not None else []

    # -- working it out --------------------------------------------------------------------------------------------

    def _now(self) -> Solution:
        if any(hold.until_s is not None and hold.until_s <= self._clock.now_s() for hold in self._holds.values()):
            self._solved = None
        if (self._holds or self._shut) and self._committed:
            self._solved = None  # a hold may end, or begin, far from the commit
        if self._solved is None:
            self._solved = self._solve_with_pairs(None, self._twins)
        elif self._committed:
            changed = frozenset(self._committed)
            self._catch_up(self._solved)
            self._solved = self._solve_with_pairs(self._solved, changed)
        return self._solved

    def _solve_with_pairs(self, solved: Solution | None, changed: Iterable[str]) -> Solution:
        """With what members of pairs shut that are apart: nothing while all are together."""
        if solved is None:
            self._shut = {}
            solved = self._solve()
        self._shut = pairs.shut_apart(self._simulated(solved), changed)
        return self._solve() if self._shut else solved

    def _simulated(self, solved: Solution) -> Simulated:
        return Simulated(self.wiring, solved, self._twins)

    def _state_of(self, name: str) -> SwitchState:
        state = self._twins[name].state().without_ports(self._shut_ports(name))
        if name in self._off:
            return state.switched_off()
        return state.frozen() if name in self._frozen else state

    def _shut_ports(self, name: str) -> frozenset[str]:
        return frozenset(self.seeds.where(name, ERRDISABLED)) | self._shut.get(name, frozenset())

    def _solve(self) -> Solution:
        """Compute everything from scratch, once more each time that sessions were torn down."""
        self._committed.clear()
        self._outdate()
        states = {name: self._state_of(name) for name in self._twins} | self._upstreams
        devices = {name: twin.device for name, twin in self._twins.items()}
        devices |= {name: upstreams.device(state) for name, state in self._upstreams.items()}
        self._drop_stale_holds(states)
        for _ in range(_MAX_TEARDOWNS):
            solved = Solution(self.wiring, devices, self._link_changed)
            judged, _ = solved.take(states, self._holds)
            over = solved.over_limit()
            if not over:
                break
            for session in over:
                self._hold(session)
        self._stamp(judged, self._before.keys() - solved.sessions.keys())
        return solved

    def _catch_up(self, solved: Solution) -> None:
        """Compute the effects of the commits since the last query."""
        states = {name: self._state_of(name) for name in self._committed}
        self._committed.clear()
        self._outdate()
        judged, gone = solved.take({n: state for n, state in states.items() if state != solved.states[n]}, {})
        if solved.over_limit():
            self._solved = self._solve()
        else:
            self._stamp(judged, gone)

    def _outdate(self) -> None:
        self._ribs.clear()
        self.version += 1

    def _hold(self, session: BgpSession) -> None:
        restart_s = session.neighbor.prefix_limit_restart_s
        until_s = None if restart_s is None else self._clock.now_s() + restart_s
        self._holds[session.key] = Hold(session.neighbor, until_s, session.prefixes_accepted)

    def _drop_stale_holds(self, states: Mapping[str, SwitchState]) -> None:
        """A hold ends with its timer, or when the neighbour's own configuration has changed."""
        if not self._holds:
            return
        configured = {
            (name, instance.vrf, neighbor.address): neighbor
            for name, state in states.items()
            for instance in state.instances
            for neighbor in instance.neighbors
        }
        now_s = self._clock.now_s()
        self._holds = {
            key: hold
            for key, hold in self._holds.items()
            if configured.get(key) == hold.neighbor and (hold.until_s is None or hold.until_s > now_s)
        }

    def _stamp(self, judged: Iterable[BgpSession], gone: Iterable[Key]) -> None:
        """Record since when each session has been in its state."""
        now_s = self._clock.now_s()
        for key in list(gone):
            del self._before[key]
        for session in judged:
            state, since_s = self._before.get(session.key, ("", now_s))
            session.since_s = since_s if state == session.state else now_s
            self._before[session.key] = (session.state, session.since_s)
