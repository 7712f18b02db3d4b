"""Ways in which packets do not pass as asked, of a pair of ends."""

from dataclasses import dataclass
from typing import Literal

from nornir_tasks.proofs.ends import End
from nornir_tasks.proofs.packets import Packet
from nornir_tasks.proofs.services import Verdict

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


@dataclass(frozen=True, slots=True)
class Judged:
    """One pair of ends, in one direction."""

    source: End
    destination: End
    breaches: tuple[Breach, ...] = ()
    """One of each way; none: as asked."""
    services: tuple[Verdict, ...] = ()
    """What passes of each service that was asked about."""
    undecided: tuple[str, ...] = ()
    """Why it cannot be told: without a breach it is neither proved nor refuted."""
    is_within: bool = False
    """Of what the lists of one VLAN do to its hosts among themselves, or to these and their gateways; only what is not
    as asked is listed."""
