"""What a live switch says of itself, in one neutral shape, and what to ask a switch to fill it. Checks judge it.

A value the OS does not show is None, and a check that needs it answers "could not tell", never "pass".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Literal

from nornir_tasks.design.device_config import Ecn, RouteKey, SessionKey


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
    """Of a port: its one untagged VLAN's number where it is an access port, else ``routed`` or ``trunk``."""


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
    """As the switch calls the session: the far end's address, or the local port of an unnumbered one."""
    remote_as: int
    established: bool
    state: str
    prefixes_received: int | None
    vrf: str | None = None
    """None: the default one."""

    @property
    def key(self) -> SessionKey:
        """Which session of the switch it is."""
        return self.vrf, self.address


@dataclass(frozen=True, slots=True)
class PortQos:
    """QoS of one port as the switch runs it, read from show commands, not from the configuration."""

    port: str
    trust_dscp: bool | None
    pfc_priorities: tuple[int, ...] | None
    watchdog: bool | None
    ecn: tuple[tuple[int, Ecn], ...] | None
    """(queue, thresholds) of every queue that marks."""


@dataclass(frozen=True, slots=True)
class PathState:
    """Load balancing as the switch does it now, which may be other than what is configured."""

    mode: Literal["static", "flowlet", "per_packet"] | None
    """None: the switch does not show it."""
    ports: tuple[str, ...] | None
    """Ports that take part; None: the switch does not show them."""
    needs_reload: bool = False
    """The switch takes a new setting up when it starts, and not before."""
    waits_for_reload: tuple[str, ...] | None = None
    """Lines that are configured and not taken up yet; None: the switch does not show them."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One switch, at one moment."""

    device: str
    ports: tuple[PortState, ...]
    lldp: tuple[LldpNeighbor, ...]
    bgp: tuple[BgpSession, ...]
    routes: tuple[tuple[RouteKey, int], ...]
    """((VRF, prefix), number of ECMP next hops) of every BGP route: of the default VRF and of those asked for."""
    qos: tuple[PortQos, ...]
    dscp_to_priority: tuple[int, ...] | None
    """64 entries, in this OS's numbers."""
    paths: PathState = PathState(None, None)


FIELDS = tuple(each.name for each in fields(Observed) if each.name != "device")
"""What can be asked for: every field of Observed but the name."""


class Form(StrEnum):
    """How an answer is wanted, where an OS has both."""

    DATA = "data"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to ask a switch."""

    what: str
    """A show command, or the path of a collection of the REST API."""
    form: Form = Form.DATA
    parts: tuple[str, ...] = ()
    """Of each entry of a collection these alone, as JSON pointers; empty: the whole collection."""


Answers = Mapping[str, Any]
"""``Request.what`` -> data or text. What was not asked, or what the switch refused, is not in it."""


@dataclass(frozen=True, slots=True)
class Observing:
    """How one OS is asked what it says of itself."""

    requests: Mapping[str, tuple[Request, ...]]
    """Each of ``FIELDS`` -> what fills it; empty: the OS shows nothing of it."""
    read: Callable[[str, Answers], Observed]
    """(device, answers) -> Observed. A field without its answers says no more than one that the OS does not show."""
    not_shown: tuple[str, ...] = ()
    """What no answer ever fills of the fields that are asked for, as ``ports.vlan``; so the same things are judged
    whatever a switch says today."""
    in_vrfs: Mapping[str, Callable[[Sequence[str]], tuple[Request, ...]]] = field(default_factory=dict)
    """Field -> by the names of other VRFs than the default one, what fills it with theirs as well. A field that is
    not in it is filled with all VRFs by ``requests``, or has none."""

    def shows(self, field: str) -> bool:
        """Does the OS show this field of Observed, or this part of it (``paths.mode``), at all?"""
        return bool(self.requests[field.partition(".")[0]]) and field not in self.not_shown

    def requests_for(self, wanted: Iterable[str], vrfs: Sequence[str] = ()) -> tuple[Request, ...]:
        """What to ask to fill these fields, each command and each collection once.

        ``vrfs``: those besides the default one that matter; without any, nothing is asked for their sake.
        """
        found: dict[str, Request] = {}
        for name in (each for each in FIELDS if each in wanted):
            in_vrfs = self.in_vrfs.get(name) if vrfs else None
            for request in in_vrfs(vrfs) if in_vrfs else self.requests[name]:
                known = found.get(request.what, request)
                parts = dict.fromkeys((*known.parts, *request.parts)) if known.parts and request.parts else ()
                found[request.what] = replace(known, parts=tuple(parts))
        return tuple(found.values())
