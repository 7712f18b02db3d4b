"""What an OS can do with access lists."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AclFacts:
    """Of one OS release."""

    places: frozenset[str]
    """Where lists can be applied: kind of port (``routed``, with subinterfaces and SVIs; ``switched``), family and
    direction, such as ``switched ipv4 in``."""
    source: str
    not_on_groups: frozenset[str] = frozenset()
    """Uses (``ipv4 out``) that a link aggregation group cannot have, although other ports of its kind can."""
    services: tuple[tuple[str, str], ...] = ()
    """(use, entry of DeviceConfig.services): what is configured beside lists. The use is a family and direction
    (``ipv6 out``), or ``any``."""
    icmp_types: frozenset[str] = frozenset({"ipv4", "ipv6"})
    """Families whose rules may name an ICMP type; in the others ICMP is permitted or denied as a whole."""
    denies_rest: bool = True
    """What no rule of a list matches is refused."""
    has_ranges_out: bool = True
    """A list for outgoing packets may have ranges of ports."""
    max_sequence: int = 4_294_967_295
    """Greatest number of a rule."""
    svi_takes_bridged: bool = False
    """A list on an SVI filters what is only bridged in its VLAN, beside what is routed."""
