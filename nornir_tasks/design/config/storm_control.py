"""Storm control in the common model: how much a port lets in of what a switch copies to every port of a VLAN."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StormControl:
    """Most packets a second that come in on a port, by kind; more of them are dropped. None: as many as come."""

    broadcast_pps: int | None = None
    multicast_pps: int | None = None
    unknown_unicast_pps: int | None = None
    """Unicast to MAC addresses that the switch has not learned."""


def storm_control(
    broadcast_pps: int | None, multicast_pps: int | None, unknown_unicast_pps: int | None
) -> StormControl | None:
    """None without any limit."""
    found = StormControl(broadcast_pps, multicast_pps, unknown_unicast_pps)
    return None if found == StormControl() else found
