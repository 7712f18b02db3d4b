"""Rules of the addresses that machines beside the firewalls have: balancers and relays."""

from collections.abc import Iterator

from nornir_tasks.intent.core.address_fields import HostAddress
from nornir_tasks.intent.core.findings import Finding, Path, as_shown, dotted
from nornir_tasks.intent.rules.boundary_names import Network, zone_at

FIRST_FREE = 6
"""Place on a link of the first address that is neither the firewalls' nor a bastion's."""


def on_link(
    path: Path,
    addresses: tuple[HostAddress, ...],
    zone: str,
    links: tuple[Network, ...],
    taken: dict[HostAddress, Path],
) -> Iterator[Finding]:
    """They are on the zone's links, beyond the firewalls' and bastions', and in none of ``taken``, which says whose."""
    for number, address in enumerate(addresses):
        at: Path = (*path, number)
        link = next((link for link in links if address in link), None)
        if link is None:
            expected = f"an address of {' or '.join(map(str, links))}"
            yield Finding(at, "not on the zone's link", expected, str(address), also=zone_at(zone))
        elif not FIRST_FREE <= int(address) - int(link.network_address) < link.num_addresses - 1:
            expected = f"from {link[FIRST_FREE]} on, below {link.broadcast_address}"
            also = zone_at(zone)
            yield Finding(at, "an address that firewalls or bastions have", expected, str(address), also=also)
        if address in addresses[:number]:
            yield Finding(at, "an address twice", "each once", str(address))
        if address in taken:
            what, expected = f"the address of {dotted(taken[address][:-2])}", "one that nobody else has"
            yield Finding(at, what, expected, str(address), also=taken[address])


def of_each_family(
    path: Path, addresses: tuple[HostAddress, ...], zone: str, links: tuple[Network, ...], count: int, whose: str
) -> Iterator[Finding]:
    """Of each family of the links there are so many."""
    for link in links:
        found = [str(address) for address in addresses if address.version == link.version]
        if len(found) != count:
            words = {1: "one", 2: "two"}[count]
            what, expected = f"not {words} of IPv{link.version}", f"{whose} of each family of the link"
            yield Finding(path, what, expected, as_shown(", ".join(found)), also=zone_at(zone))
