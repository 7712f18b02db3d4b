"""How packets are spread over equal-cost paths, in the common model."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Hashing:
    """Hash of equal-cost paths: five-tuple fields are always on (RoCE's entropy is the UDP source port)."""

    seed: int | None
    """Differs per tier; None: none is set, or the OS has none."""
    lag_ports: bool = False
    """Link aggregation groups too choose a member by addresses and TCP or UDP ports; False where the OS does so without
    a line, or the intent does not ask for it."""


@dataclass(frozen=True, slots=True)
class LoadBalancing:
    """How packets are spread over equal-cost paths where the hash alone does not decide: by the load of each path."""

    mode: Literal["flowlet", "per_packet"]
    """flowlet: a flow may change its path in a pause, so nothing is reordered; per_packet: each packet for itself."""
    ports: tuple[str, ...] | None
    """The ports that take part; None where the OS has no such choice and all do (EOS)."""
    flow_set_size: int | None
    """How the table that remembers flowlets is cut, in the OS's own number (EOS: 1 to 7); None where it has none."""
