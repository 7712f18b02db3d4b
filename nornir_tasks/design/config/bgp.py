"""BGP and its BFD sessions in the common model."""

from dataclasses import dataclass, field
from typing import Literal

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.merge_rules import MAX
from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.intent.core.secret_name import HIDDEN


@dataclass(frozen=True, slots=True)
class Bfd:
    """Intervals of the fabric's BFD sessions."""

    interval_ms: int
    min_rx_ms: int
    multiplier: int


AoAlgorithm = Literal["hmac-sha-1-96", "aes-128-cmac-96"]
"""Both that every TCP-AO has (RFC 5926, 3.2)."""


@dataclass(frozen=True, slots=True)
class TcpAo:
    """TCP-AO of a session (RFC 5925), with one key."""

    key_id: int
    """SendID and RecvID alike, 0 to 255."""
    algorithm: AoAlgorithm
    key: str
    """The placeholder of the secret whose value is the key, in the form that the switch stores."""


@dataclass(frozen=True, slots=True)
class Validator:
    """A server that says which AS may announce which prefix (RFC 8210, over TCP)."""

    address: str
    port: int
    vrf: str | None
    """The VRF that it is reached in, by the name that the switch has for it; None: the default one."""


@dataclass(frozen=True, slots=True)
class PeerGroup:
    """Settings shared by the neighbours of one tier; named after the plane that owns it (``COMPUTE-SPINES``)."""

    name: str
    keepalive_s: int
    hold_s: int
    connect_retry_s: int | None
    advertisement_interval_s: int | None
    """Minimum route advertisement interval; None where the OS has none to set."""
    bfd: bool
    ttl_security: bool
    """GTSM (RFC 5082) with one hop: packets with TTL below 255 are dropped."""
    send_community: bool
    max_prefixes: int = field(metadata=MAX)
    """Hard limit: a neighbour that announces more is torn down."""
    prefix_restart_min: int | None
    """Minutes until a session torn down by the limit is tried again; None where the OS has no such timer."""
    route_map_in: str | None
    route_map_out: str | None
    family: Family = "ipv4"
    """Of the addresses of its neighbours and of the routes that they exchange; nothing of the other one."""
    next_hop_self: bool = False
    """Routes are told on with this switch as the next hop, within one AS too."""
    password: str | None = None
    """The placeholder of the secret whose value is the password of TCP MD5 (RFC 2385), in the form that the switch
    stores; None: segments are not signed so."""
    ao: TcpAo | None = None
    """TCP-AO; None: segments are not signed so. Never beside a password."""


@dataclass(frozen=True, slots=True)
class Neighbor:
    """One BGP session: with an address, or with the far end of a port (unnumbered).

    The remote ASN is always a number: with ``external`` an unnumbered session could come up over a wrong cable.
    """

    address: str | None
    """Address of the far end, without prefix length; None if ``interface`` identifies it."""
    remote_as: int
    peer_group: str
    description: str
    route_map_in: str | None = None
    """Overrides the group's, where each neighbour may announce something else (a spine's leaves)."""
    interface: str | None = None
    """Port of an unnumbered session; its far end's IPv6 link-local address is learnt, IPv4 rides on it (RFC 8950)."""
    vrf: str | None = None
    """None: the default one."""

    @property
    def peer(self) -> str:
        """What the switch calls the session within its VRF: the far end's address, or the port."""
        return self.interface or self.address or ""

    @property
    def key(self) -> SessionKey:
        """Which session of the switch it is."""
        return self.vrf, self.peer


@dataclass(frozen=True, slots=True)
class BgpVrf:
    """What the BGP process does in one VRF. ASN, peer groups and the rules of best paths are the process's."""

    name: str
    router_id: str
    maximum_paths: int
    networks: tuple[str, ...]
    wait_for_install: bool = False
    wait_for_convergence: bool = False


@dataclass(frozen=True, slots=True)
class Bgp:
    """The one BGP process of the switch."""

    asn: int
    router_id: str
    maximum_paths: int
    multipath_relax: bool
    graceful_restart_helper_only: bool
    log_neighbor_changes: bool
    networks: tuple[str, ...]
    """Of both families."""
    peer_groups: tuple[PeerGroup, ...]
    neighbors: tuple[Neighbor, ...]
    """Of all VRFs; each names its own."""
    aggregates: tuple[str, ...] = ()
    """Prefixes that are announced, in place of all networks in them, while at least one of these is."""
    vrfs: tuple[BgpVrf, ...] = ()
    """The VRFs besides the default one in which it runs."""
    validators: tuple[Validator, ...] = ()
    """Who is asked for the origins of prefixes; what route maps do with that: ``RouteMapRule.match_origin``."""
    wait_for_install: bool = False
    """No neighbour is told of a route that is not in hardware yet: what is drawn here is not dropped here."""
    wait_for_convergence: bool = False
    """After BGP starts, nothing is installed or told until all neighbours have told all that they know, or are late."""

    @property
    def has_ipv6(self) -> bool:
        """Are routes of IPv6 exchanged, in the default VRF?"""
        prefixes = (*self.networks, *self.aggregates)
        return any(each.family == "ipv6" for each in self.peer_groups) or any(":" in prefix for prefix in prefixes)

    def password_of(self, neighbor: Neighbor) -> str | None:
        """What stands for the password of a session: that of its group."""
        return next((each.password for each in self.peer_groups if each.name == neighbor.peer_group), None)


def signed_alike(here: Bgp | None, near: Neighbor, there: Bgp | None, far: Neighbor) -> bool:
    """Have both ends of a session one password, or none? One that its switch does not show is taken for the other's."""
    if here is None or there is None:
        return True
    one, other = here.password_of(near), there.password_of(far)
    return one == other or (HIDDEN in (one, other) and None not in (one, other))
