"""What of a switch a plane may call its own; the data behind ownership.

A push owns sections, not devices. Most objects are told apart by their key alone: a port the plane cables, an address
in one of its pools, a name that begins with its prefix. ``platforms/<os>/ownership.py`` says which key to look at.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Network, ip_network

SWITCH = "switch"
"""Owner of what exists once per device: QoS maps, router-id, ASN, hashing, services."""

_NEVER = "(?!)"
"""Regular expression that matches nothing."""


@dataclass(frozen=True)
class PlaneClaim:
    """One plane's claim on one switch."""

    plane: str
    ports: frozenset[str]
    """Interface names, loopback included."""
    pools: tuple[str, ...]
    """IPv4 prefixes of the plane: loopbacks, links, hosts."""
    vlans: frozenset[int] = frozenset()
    """VLANs of the plane on this switch, with their SVIs."""

    @property
    def name_prefix(self) -> str:
        """Prefix lists, route maps and peer groups of the plane begin with this."""
        return f"{self.plane.upper()}-"

    @cached_property
    def _networks(self) -> tuple[tuple[int, int], ...]:
        networks = (ip_network(pool) for pool in self.pools)
        return tuple(
            (int(net.network_address), int(net.broadcast_address)) for net in networks if isinstance(net, IPv4Network)
        )

    def holds_address(self, address: str) -> bool:
        """Is this address or prefix (``10.1.2.3`` or ``10.1.2.0/24``) inside one of the pools?"""
        head, _, _ = address.partition("/")
        parts = head.split(".")
        if len(parts) != 4 or not all(part.isdigit() for part in parts):
            return False
        value = (int(parts[0]) << 24) | (int(parts[1]) << 16) | (int(parts[2]) << 8) | int(parts[3])
        return any(low <= value <= high for low, high in self._networks)


@dataclass(frozen=True)
class Claims:
    """All claims on one switch."""

    planes: tuple[PlaneClaim, ...]
    spare_ports: frozenset[str] = frozenset()
    """Ports without a cable that the switch as a whole owns, to keep them shut (``policy.unused_ports: shut``)."""
    switch_prefix: str = "GPUFABRIC-"
    """Names of objects owned by the switch as a whole (QoS profiles, policies) begin with this."""
    split_part: str = ""
    """How a part of a split cage is called on this switch, and the cage (``OsFacts.split_part``)."""

    def by_port(self, port: str) -> str | None:
        """The plane that cables this port; the switch, if nobody does and unused ports are kept shut.

        A cage is there as a whole or in parts, never both. Whoever has parts of it (``swp3s0``) owns what stands at the
        whole (``swp3``), where the split is configured, and the parts that only another split had; whoever has the
        whole owns all parts, to clear them away.
        """
        owner = self._owners.get(port) or self._owners_of_parts.get(port)
        if owner is not None or (cage := self._cage_of(port)) is None:
            return owner
        return self._owners.get(cage) or self._owners_of_parts.get(cage)

    def _cage_of(self, port: str) -> str | None:
        """The cage that this port is a part of, by the port's name."""
        found = self._split_part.fullmatch(port)
        return found[1] if found else None

    @cached_property
    def _split_part(self) -> re.Pattern[str]:
        return re.compile(self.split_part or _NEVER)

    @cached_property
    def _owners(self) -> dict[str, str]:
        owners = dict.fromkeys(self.spare_ports, SWITCH)
        for claim in reversed(self.planes):
            owners.update(dict.fromkeys(claim.ports, claim.plane))
        return owners

    @cached_property
    def _owners_of_parts(self) -> dict[str, str]:
        """Cage -> the one plane with ports in it; the switch, if several have or none."""
        planes: dict[str, set[str]] = {}
        for port, owner in self._owners.items():
            if cage := self._cage_of(port):
                planes.setdefault(cage, set()).update({owner} - {SWITCH})
        return {cage: next(iter(found)) if len(found) == 1 else SWITCH for cage, found in planes.items()}

    @property
    def has_vlans(self) -> bool:
        """Has any plane a VLAN on this switch?"""
        return any(claim.vlans for claim in self.planes)

    def by_vlan(self, number: str) -> str | None:
        """The plane whose VLAN this is."""
        return next((claim.plane for claim in self.planes if int(number) in claim.vlans), None)

    def by_address(self, address: str) -> str | None:
        """The plane in whose pools this address or prefix lies."""
        return next((claim.plane for claim in self.planes if claim.holds_address(address)), None)

    def by_name(self, name: str) -> str | None:
        """The plane, or the switch, whose prefix this name bears."""
        if name.startswith(self.switch_prefix):
            return SWITCH
        return next((claim.plane for claim in self.planes if name.startswith(claim.name_prefix)), None)
