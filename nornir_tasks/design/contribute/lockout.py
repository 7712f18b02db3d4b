"""Who would be locked out: the addresses that must get in to a switch, against the prefixes that may."""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network

from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.keys.base import BaseIntent


def locked_out(allowed: Iterable[str], needed: Iterable[str]) -> tuple[str, ...]:
    """The addresses or prefixes of ``needed`` that are not wholly within one of ``allowed``, in their order.

    All are IPv4, an address without length is one host. A prefix that two of ``allowed`` cover in halves counts as
    locked out: a reader of the intent should find it there.
    """
    nets = [IPv4Network(each) for each in allowed]
    return tuple(each for each in needed if not any(IPv4Network(each).subnet_of(net) for net in nets))


def findings(network: Network, base: BaseIntent, at: Path) -> Iterator[Finding]:
    """One for each group that alone may enter an out-of-band plane, and that these switches would not let in.

    ``at``: where it stands in the intent.
    """
    if base.control_plane is None:
        return
    allowed = [str(each) for each in base.control_plane.allowed]
    for plane in network.planes.values():
        for group in sorted(plane.entry):
            prefixes = network.ends_of_flows[plane.name][group].prefixes["ipv4"]
            out = locked_out(allowed, [each for each in prefixes if each is not None])
            if out:
                yield Finding(
                    (*at, "control_plane", "allowed"),
                    f"this list would lock out group {group}, which plane {plane.name} is entered from",
                    f"prefixes that hold {', '.join(out)}",
                    ", ".join(allowed),
                    f"add {', '.join(out)}, or a prefix that holds them",
                    also=("planes", plane.name, "entry"),
                )
