"""Routers of upstreams in a routed lab: an FRR in the namespace of each host that speaks BGP."""

from __future__ import annotations

from collections.abc import Mapping

from ..state import SwitchState
from .cabling import Cabling
from .conf import configuration, text
from .daemons import Frr, release
from .form import BfdTimes, Peer, Routing

_NO_BFD = BfdTimes(300, 300, 3)
"""No upstream has it; FRR is told of none."""
_RETRY_S = 5


def start(states: Mapping[str, SwitchState], cabling: Cabling) -> None:
    """Start FRR for each, in its namespace, and tell it what it announces. Raises TwinError."""
    for number, (name, state) in enumerate(states.items()):
        frr = Frr(cabling.namespace(name), cabling.folder_of_outside(number))
        frr.start()
        frr.tell(words(state))


def words(state: SwitchState) -> str:
    """What FRR is told to be such a router."""
    neighbors = (each for instance in state.instances for each in instance.neighbors)
    peers = {each.address: Peer(_NO_BFD, _RETRY_S) for each in neighbors}
    return text(configuration(state, Routing(peers=peers, outside=state.outside), release()))
