"""Servers that a switch asks whether an account may log in, in the common model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tacacs:
    """TACACS+: its servers are asked first, then local accounts, if none of them answers."""

    servers: tuple[str, ...]
    """Addresses, asked in ascending order; at least one."""
    vrf: str | None
    """The VRF that they are reached in, by the name that the switch has for it; None: the default one."""
    key: str
    """The placeholder of the secret whose value is the key, in the form that the switch stores."""


@dataclass(frozen=True, slots=True)
class Radius:
    """RADIUS: the same."""

    servers: tuple[str, ...]
    """Addresses, asked in ascending order; at least one."""
    vrf: str | None
    """The VRF that they are reached in, by the name that the switch has for it; None: the default one."""
    key: str
    """The placeholder of the secret whose value is the key, in the form that the switch stores."""
    timeout_s: int | None = None
    """Seconds that a server has to answer; None: as the switch has it by itself."""
