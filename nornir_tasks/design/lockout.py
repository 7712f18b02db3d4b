"""Who would be locked out: the addresses that must get in to a switch, against the prefixes that may."""

from collections.abc import Collection, Iterable, Iterator
from ipaddress import IPv4Network

from nornir_tasks.errors import Problem


def locked_out(allowed: Iterable[str], needed: Iterable[str]) -> tuple[str, ...]:
    """The addresses or prefixes of ``needed`` that are not wholly within one of ``allowed``, in their order.

    All are IPv4, an address without length is one host. A prefix that two of ``allowed`` cover in halves counts as
    locked out: whoever reads the intent should find it there.
    """
    nets = [IPv4Network(each) for each in allowed]
    return tuple(each for each in needed if not any(IPv4Network(each).subnet_of(net) for net in nets))


def problems(device: str, allowed: Collection[str], needed: Iterable[str]) -> Iterator[Problem]:
    """One for each address that must get in to this switch and would not."""
    for address in locked_out(allowed, needed):
        yield Problem(
            where=device,
            what="the access list of its control plane would lock out who must get in",
            expected=f"{address} within one prefix of base.control_plane.allowed",
            found=", ".join(allowed),
            hint=f"add {address}, or a prefix that holds it, to base.control_plane.allowed",
        )
