"""The data behind ownership: which parts of a switch belong to which owner.

A push owns sections, not devices. An owner declares once a name prefix, address pools and VLANs. Its ports follow
from the links it uses. Ownership depends on these alone and never on the current design, so objects that an
earlier design left behind (an old neighbour in a pool, a list with the prefix) still have their owner.
``platforms/<os>/ownership.py`` says which key of a line to look at.
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from ipaddress import IPv6Address, ip_network
from typing import Literal

from nornir_tasks.design.config.base import BaseSection

SWITCH = "switch"
"""Key of the owner of what exists once per device: QoS maps, router-id, ASN, hashing, services."""

BASE = "base"
"""Key of the owner of base configuration, where it is managed: time servers, where the log goes."""

MANAGEMENT_VRF = re.compile(r"(?i:default|global|mgmt\b.*|management\b.*|oob\b.*)")
"""Names of VRFs that never have an owner: management access may use one."""

_IPV6 = 1 << 128
"""Added to the numbers of IPv6 addresses, to tell them from those of IPv4."""

_NEVER = "(?!)"
"""Regular expression that matches nothing."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who contributes to switches, and what belongs to it on any of them."""

    name: str
    """The name of the plane or fabric; ``switch`` and ``base`` have the names of their kinds."""
    kind: Literal["plane", "fabric", "switch", "base"]
    prefix: str
    """Prefix lists, route maps, peer groups, VLANs and profiles of this owner begin with this."""
    pools: tuple[str, ...] = ()
    """Prefixes of both families: of a fabric its loopbacks and links, of a plane its hosts'."""
    vlans: frozenset[int] = frozenset()
    """Numbers of its VLANs on every switch that hosts are attached to, with their SVIs."""
    vrf: str | None = None
    """The VRF its addresses are in; None is the default one."""
    lags: frozenset[int] = frozenset()
    """Numbers of its link aggregation groups on every switch that hosts are attached to, in use or not. A group whose
    number several owners have carries VLANs of each."""
    routes: frozenset[str] = frozenset()
    """Prefixes outside its pools to which it has static routes in that VRF: ``0.0.0.0/0``, ``::/0``. Routes to any
    other prefix outside all pools are others'."""
    has_gateways: bool = False
    """Its SVIs have redundant gateways: what they need once on a switch is the switch's then, else others'."""
    has_dhcp_relay: bool = False
    """Its SVIs relay DHCP: likewise."""
    has_outside: bool = False
    """It has sessions with other networks: where IPv6 routes are a block of the BGP process, it is the switch's then,
    else others'."""
    pair_vlan: int | None = None
    """Of a fabric whose leaves are pairs: the VLAN on peer links, one of its own; what makes a pair is the fabric's
    then, else others'."""

    @property
    def key(self) -> str:
        """The unique key of this owner. A fabric and a plane may have the same name."""
        return fabric_key(self.name) if self.kind == "fabric" else self.name

    def __str__(self) -> str:
        if self.kind == "base":
            return "the base"
        return "the switch" if self.kind == "switch" else f"{self.kind} {self.name}"


THE_SWITCH = Owner(SWITCH, "switch", "GPUFABRIC-")
"""The switch as a whole; names of its objects (QoS profiles, policies) begin with GPUFABRIC-."""


THE_BASE = Owner(BASE, "base", "GPUFABRIC-BASE-")
"""Base configuration of a switch."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What one owner has on one switch."""

    owner: Owner
    ports: frozenset[str] = frozenset()
    """Interface names; of a fabric, the loopback included; of all, the link aggregation groups of their numbers."""
    vlans: frozenset[int] = frozenset()
    """VLANs of the owner that this switch may have, with their SVIs."""
    lags: frozenset[int] = frozenset()
    """Numbers of the owner's link aggregation groups that this switch may have."""


@dataclass(frozen=True)
class Claims:
    """All claims on one switch."""

    claims: tuple[Claim, ...]
    spare_ports: frozenset[str] = frozenset()
    """Ports without a cable that the switch as a whole owns, to keep them shut (``policy.unused_ports: shut``)."""
    split_part: str = ""
    """Pattern of the names of split ports on this switch (``OsFacts.split_part``)."""
    has_acls: bool = False
    """Does any owner have an access list on this switch?"""
    has_spanning_tree: bool = False
    """Does any owner set up spanning tree of this switch?"""
    has_lag_hash: bool = False
    """Does any owner say by what the switch's link aggregation groups hash?"""

    base: frozenset[BaseSection] = frozenset()
    """The sections of base configuration that are managed here; all others are others'."""
    kept_accounts: frozenset[str] = frozenset()
    """Accounts that stay others' though accounts are managed: of the system, and the one that pushes."""

    def by_account(self, name: str) -> str | None:
        """The owner of a local account, where accounts are managed."""
        return BASE if "accounts" in self.base and name not in self.kept_accounts else None

    accounts: frozenset[str] = frozenset()
    """Accounts that are declared here."""

    def by_account_that_goes(self, name: str) -> str | None:
        """The owner of what goes with a local account, if that is not declared and goes."""
        return None if name in self.accounts else self.by_account(name)

    def by_snmp_user(self, name: str) -> str | None:
        """The owner of a user of SNMP, where SNMP is managed."""
        return BASE if name and "snmp" in self.base else None

    management_vrf: str | None = None
    """The management VRF, by the name that the switch has for it."""

    @cached_property
    def planes(self) -> frozenset[str]:
        """What a push may be of, one by one: the planes that use this switch, and its base, where it is managed."""
        planes = {claim.owner.key for claim in self.claims if claim.owner.kind == "plane"}
        return frozenset(planes | {BASE} if self.base else planes)

    @cached_property
    def shared(self) -> frozenset[str]:
        """The owners that go with any plane and always as a whole: the switch, and its fabric."""
        return frozenset({SWITCH, *(claim.owner.key for claim in self.claims if claim.owner.kind == "fabric")})

    @cached_property
    def fabric(self) -> str:
        """The owner of what planes share on this switch: its fabric, else the switch."""
        return next((claim.owner.key for claim in self.claims if claim.owner.kind == "fabric"), SWITCH)

    def by_management_vrf(self, name: str) -> str | None:
        """The base's key for the VRF that the intent manages the switch in."""
        return BASE if "management" in self.base and name == self.management_vrf else None

    def by_port(self, port: str) -> str | None:
        """The owner that uses this port: the fabric, if several do; the switch, if none does and it is kept shut.

        A cage is used whole or split, never both. The owner of parts (``swp3s0``) also owns the whole port (``swp3``),
        where the split is configured, and parts of an earlier split; the owner of the whole port owns all parts, so
        that they are removed.
        """
        owner = self._by_port.get(port) or self._by_cage.get(port)
        if owner is not None or (cage := self._cage_of(port)) is None:
            return owner
        return self._by_port.get(cage) or self._by_cage.get(cage)

    def _cage_of(self, port: str) -> str | None:
        """The cage that this port is a part of, by the port's name."""
        found = self._split_part.fullmatch(port)
        return found[1] if found else None

    @cached_property
    def _split_part(self) -> re.Pattern[str]:
        return re.compile(self.split_part or _NEVER)

    def has_several(self, port: str) -> bool:
        """Do several owners use this port (a trunk)? Then its lines are judged one by one."""
        return port in self._of_several

    @cached_property
    def _of_several(self) -> frozenset[str]:
        seen: set[str] = set()
        several: set[str] = set()
        for claim in self.claims:
            several |= seen & claim.ports
            seen |= claim.ports
        return frozenset(several)

    @cached_property
    def _by_port(self) -> dict[str, str]:
        owners = dict.fromkeys(self.spare_ports, SWITCH)
        for claim in self.claims:
            owners.update(dict.fromkeys(claim.ports, claim.owner.key))
        owners.update(dict.fromkeys(self._of_several, self.fabric))
        return owners

    @cached_property
    def _by_cage(self) -> dict[str, str]:
        """Cage -> the one owner with ports in it; the switch, if several have or none."""
        owners: dict[str, set[str]] = {}
        for port, owner in self._by_port.items():
            if cage := self._cage_of(port):
                owners.setdefault(cage, set()).update({owner} - {SWITCH})
        return {cage: next(iter(found)) if len(found) == 1 else SWITCH for cage, found in owners.items()}

    @property
    def has_vlans(self) -> bool:
        """Does any owner have a VLAN on this switch?"""
        return any(claim.vlans for claim in self.claims)

    @property
    def has_lags(self) -> bool:
        """May any owner have link aggregation groups on this switch?"""
        return any(claim.lags for claim in self.claims)

    def by_vlan(self, number: str) -> str | None:
        """The owner whose VLAN this is."""
        return next((claim.owner.key for claim in self.claims if int(number) in claim.vlans), None)

    def by_lag(self, number: str) -> str | None:
        """The owner of the link aggregation group of this number: the fabric, if several have it."""
        owners = [claim.owner.key for claim in self.claims if int(number) in claim.lags]
        return self.fabric if len(owners) > 1 else next(iter(owners), None)

    def by_subinterface(self, name: str) -> str | None:
        """The owner that uses just this subinterface of a port."""
        return self._by_port.get(name)

    def by_parent(self, name: str) -> str | None:
        """The owner of the parent port, which also owns unknown subinterfaces of it."""
        return self.by_port(name.partition(".")[0])

    def by_address(self, address: str) -> str | None:
        """The owner in the default VRF in whose pools this address or prefix (``10.1.2.3``, ``10.1.2.0/24``) lies.

        Lines in another VRF are not owned by address, but by the VRF.
        """
        value = _number(address)
        if value is None:
            return None
        return next((key for low, high, key in self._pools if low <= value <= high), None)

    def by_prefix(self, prefix: str) -> str | None:
        """The owner of a static route in the default VRF: by its pools, else by the routes that it declares."""
        routed = (claim.owner for claim in self.claims if claim.owner.vrf is None)
        return self.by_address(prefix) or next((each.key for each in routed if prefix in each.routes), None)

    @property
    def has_ipv6(self) -> bool:
        """Does any owner have IPv6 addresses?"""
        return any(":" in pool for claim in self.claims for pool in claim.owner.pools)

    @property
    def has_gateways(self) -> bool:
        """Does any owner have redundant gateways?"""
        return any(claim.vlans and claim.owner.has_gateways for claim in self.claims)

    @property
    def has_dhcp_relay(self) -> bool:
        """Does any owner relay DHCP?"""
        return any(claim.vlans and claim.owner.has_dhcp_relay for claim in self.claims)

    @property
    def has_outside(self) -> bool:
        """Has any owner sessions with other networks?"""
        return any(claim.owner.has_outside for claim in self.claims)

    def by_pair(self, _: str) -> str | None:
        """The owner of what makes this switch one of a pair."""
        return next((each.owner.key for each in self.claims if each.vlans and each.owner.pair_vlan is not None), None)

    @cached_property
    def _pools(self) -> tuple[tuple[int, int, str], ...]:
        owners = (claim.owner for claim in self.claims if claim.owner.vrf is None)
        return tuple((*_bounds(pool), owner.key) for owner in owners for pool in owner.pools)

    def by_name(self, name: str) -> str | None:
        """The owner whose prefix this name has."""
        return next((key for prefix, key in self._prefixes if name.startswith(prefix)), None)

    def in_vrf_of(self, holder: str | None, address: str) -> str | None:
        """The owner in whose pools this address or prefix lies, in a VRF of ``holder``; else None.

        Candidates are the VRF's owner and owners in the same VRF.
        """
        value = _number(address)
        pools = ((_bounds(pool), owner.key) for owner in self._sharing_vrf(holder) for pool in owner.pools)
        return next((key for (low, high), key in pools if value is not None and low <= value <= high), None)

    def route_in_vrf_of(self, holder: str | None, prefix: str) -> str | None:
        """The owner of a static route in a VRF of ``holder``: by its pools, else by the routes that it declares."""
        routed = (owner.key for owner in self._sharing_vrf(holder) if prefix in owner.routes)
        return self.in_vrf_of(holder, prefix) or next(routed, None)

    def _sharing_vrf(self, holder: str | None) -> list[Owner]:
        """The owners whose addresses are in a VRF of ``holder``."""
        owners = [claim.owner for claim in self.claims]
        vrfs = {owner.vrf for owner in owners if owner.key == holder}
        return [owner for owner in owners if owner.vrf in vrfs]

    def by_vrf(self, name: str) -> str | None:
        """The owner of this VRF: the name has its prefix, with or without the final hyphen.

        Usual names of management VRFs have no owner.
        """
        return None if MANAGEMENT_VRF.fullmatch(name) else self.by_name(f"{name}-")

    def by_route(self, route: str) -> str | None:
        """The owner of a static route (``STORAGE 10.1.2.0/24``) in an owned VRF, by its prefix; else None."""
        vrf, _, prefix = route.partition(" ")
        return self.route_in_vrf_of(self.by_vrf(vrf), prefix)

    @cached_property
    def _prefixes(self) -> tuple[tuple[str, str], ...]:
        """The longest first: a plane's names within its fabric's prefix (see ``host_prefix``) belong to the plane."""
        owners = (THE_SWITCH, *(claim.owner for claim in self.claims))
        return tuple(sorted(((each.prefix, each.key) for each in owners), key=lambda each: -len(each[0])))


def digest(claims: Claims) -> str:
    """Tells whether lines may have lost their owner: equal for claims by which every line has the same owner."""
    owners = sorted(_spelled(each) for each in claims.claims)
    rest = [sorted(each) for each in (claims.spare_ports, claims.base, claims.kept_accounts, claims.accounts)]
    flags = (claims.has_acls, claims.has_spanning_tree, claims.has_lag_hash, claims.management_vrf)
    return sha256(repr((owners, rest, flags)).encode()).hexdigest()[:16]


def _spelled(claim: Claim) -> str:
    owner = claim.owner
    parts = [sorted(each) for each in (claim.ports, claim.vlans, claim.lags, owner.vlans, owner.lags, owner.routes)]
    flags = (owner.has_gateways, owner.has_dhcp_relay, owner.has_outside, owner.pair_vlan, owner.vrf)
    return repr((owner.key, owner.prefix, owner.pools, flags, parts))


def fabric_key(fabric: str) -> str:
    """Key of the owner that a fabric is; a plane's is its name."""
    return f"fabric {fabric}"


def name_prefix(name: str) -> str:
    """The prefix of the names of a fabric's or plane's objects."""
    return f"{name}-".upper()


def host_prefix(plane: str, fabric: str) -> str:
    """The same for a plane on this fabric. One with its fabric's name owns only the names of the host side."""
    return name_prefix(plane) + "HOSTS" if plane == fabric else name_prefix(plane)


@cache
def _bounds(pool: str) -> tuple[int, int]:
    """First and last address of a pool."""
    network = ip_network(pool)
    family = _IPV6 if network.version == 6 else 0
    return family + int(network.network_address), family + int(network.broadcast_address)


def _number(address: str) -> int | None:
    """An address, with or without length, as a number; for IPv4 much faster than the standard library."""
    head, _, _ = address.partition("/")
    if ":" in head:
        return _number_of_ipv6(head)
    parts = head.split(".")
    if len(parts) != 4 or not all(part.isdigit() for part in parts):
        return None
    return (int(parts[0]) << 24) | (int(parts[1]) << 16) | (int(parts[2]) << 8) | int(parts[3])


@cache
def _number_of_ipv6(address: str) -> int | None:
    try:
        return _IPV6 + int(IPv6Address(address))
    except ValueError:
        return None
