"""What a site has itself: the prefixes that ``outside`` does not stand for."""

from collections.abc import Mapping, Sequence

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.gateway_lists import collapsed
from nornir_tasks.design.model.network import Network

_OF_SWITCHES = ("loopback", "links")
"""Pools of a fabric."""


def own_prefixes(network: Network) -> Mapping[Family, Sequence[str]]:
    """What a site has itself, as few prefixes as hold just these: its hosts' addresses, its switches', their links'.

    What is announced to the world is not among it: that lies behind the firewalls, whose rules judge it.
    """
    every = [fabric.pools[key] for fabric in network.fabrics.values() for key in _OF_SWITCHES if key in fabric.pools]
    for plane in network.planes.values():
        every += [*plane.pools.values(), *([] if plane.pool_v6 is None else [plane.pool_v6])]
    every += [each.subnet_v6 for each in network.segments if each.subnet_v6 is not None]
    found = collapsed(every)
    return {
        "ipv4": tuple(each for each in found if ":" not in each),
        "ipv6": tuple(each for each in found if ":" in each),
    }
