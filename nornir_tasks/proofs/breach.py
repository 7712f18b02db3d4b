"""One way in which packets do not pass as asked."""

from dataclasses import dataclass
from typing import Literal

from nornir_tasks.proofs.packets import Packet

Kind = Literal["open", "blocked"]


@dataclass(frozen=True, slots=True)
class Breach:
    """One way in which a pair of ends is not as asked."""

    kind: Kind
    """``open``: something passes that may not; ``blocked``: something does not that must."""
    by: tuple[str, ...]
    """The lines that decide: where it comes in, and where it goes out."""
    packet: Packet | None = None
    """One packet that shows it; None where no list is met, as in one VLAN."""
