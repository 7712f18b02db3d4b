"""A pair of switches in the common model: two switches that a host's link aggregation group ends on (MLAG, vPC)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairSettings:
    """What one switch says of its pair. Both say the same, except for addresses and priority. None: no line for it.

    The groups over both switches are interfaces with ``Lag.pair_id``; the peer link is a group too, with its members,
    VLANs, MTU and profile.
    """

    peer_link: str
    """Name of the group between both switches: ``Port-Channel1000``, ``port-channel1000``, ``peerlink``."""
    keepalive_address: str
    """The other switch's IPv4 address, reached without the peer link: tells a peer that died from a link that did."""
    reload_delay_s: int
    """How long the groups over both switches stay down after a restart, until routes are there."""
    keepalive_source: str | None = None
    """This switch's own address towards it."""
    keepalive_vrf: str | None = None
    """The VRF of both; None: the default one."""
    name: str | None = None
    """The domain as a word (EOS)."""
    number: int | None = None
    """The domain as a number (NX-OS)."""
    vlan: int | None = None
    """The VLAN on the peer link in which both talk about their state, and no host is (EOS, Cumulus Linux)."""
    peer_address: str | None = None
    """The other switch's IPv4 address in that VLAN."""
    mac_address: str | None = None
    """By which hosts take both for one: ``44:38:39:ff:00:01``; None where the OS derives it itself."""
    priority: int | None = None
    """The switch with the smaller one is primary."""
    routed_reload_delay_s: int | None = None
    """The same delay of all other ports (EOS)."""
    gateway_delay_s: int | None = None
    """The same delay of the VLANs' interfaces (NX-OS): one that is up routes what it gets over the peer link, for which
    it has no routes yet."""
    detection_delay_s: int | None = None
    """How long the keepalive may go on without the peer link until the secondary switch shuts its ports (EOS)."""
