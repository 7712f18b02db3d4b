"""The subnets and addresses that interfaces have by their lines."""

from collections.abc import Iterator

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.proofs.spans import Span, span


def subnets_of(interface: Interface) -> list[Span]:
    """The subnets of an interface that is not shut."""
    if not interface.enabled:
        return []
    given = filter(None, (interface.address, interface.ipv6_address))
    return [span(each) for each in given]


def addresses_of(interface: Interface) -> Iterator[tuple[str, Span]]:
    """Each address of an interface with its subnet; that of its redundant gateway too."""
    own, gateway = (interface.address, interface.ipv6_address), interface.gateway
    shared = (gateway.address, gateway.ipv6_address) if gateway is not None else (None, None)
    for given, other in zip(own, shared, strict=True) if interface.enabled else ():
        if given is not None:
            yield given.partition("/")[0], span(given)
            if other is not None:
                yield other, span(given)
