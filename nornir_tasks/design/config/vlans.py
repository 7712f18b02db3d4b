"""VLANs of a switch in the common model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vlan:
    """One VLAN. It lives on this switch alone: leaf to spine is always routed."""

    number: int
    name: str | None
    """None where the OS's VLANs have no names."""
