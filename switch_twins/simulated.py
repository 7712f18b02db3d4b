"""What a fabric has by its configurations and cables alone, whatever a lab that sends packets shows of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .policy import network_of
from .sessions import BgpSession, Key
from .solution import NextHop, Route, Solution
from .spec import End
from .state import SwitchState
from .wiring import Wiring


@dataclass(frozen=True, slots=True)
class Simulated:
    """A solution, and who is in it."""

    wiring: Wiring
    solved: Solution
    switches: Collection[str]

    def knows(self, device: str) -> bool:
        """Is this a switch of the lab?"""
        return device in self.switches

    def state(self, device: str) -> SwitchState:
        """The meaning of a switch's configuration."""
        return self.solved.states[device]

    def is_up(self, device: str, interface: str) -> bool:
        """Whether an interface is operationally up: a port by its link, others as solution.py says."""
        links = self.solved.links[device]
        if interface in links:
            return links[interface].is_up
        found = self.solved.interfaces.get(End(device, interface))
        return found is not None and self.solved.is_up(device, found)

    def rib(self, device: str, vrf: str) -> dict[str, Route]:
        """A switch's IPv4 table by prefix: connected before static before BGP."""
        routes: dict[str, Route] = {}
        hops: dict[tuple[Key, ...], tuple[NextHop, ...]] = {}
        for prefix, best in self.solved.routes.best((device, vrf)).items():
            if best.sessions:
                if best.sessions not in hops:
                    hops[best.sessions] = tuple(sorted(_next_hop(self.solved.sessions[key]) for key in best.sessions))
                routes[prefix] = Route(prefix, "bgp", hops[best.sessions], best.path[0], best.path[1])
        routes.update(self.solved.static_and_connected(device, vrf))
        return {prefix: routes[prefix] for prefix in sorted(routes, key=network_of)}


def _next_hop(session: BgpSession) -> NextHop:
    return NextHop(session.peer_address, session.interface or "")
