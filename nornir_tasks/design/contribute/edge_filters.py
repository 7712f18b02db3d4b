"""Which packets edge routers take in, from upstreams and from the firewalls (BCP 38, RFC 2827 and RFC 3704).

A list on the port to each upstream, and one on the VLAN to the firewalls, for each family; both filter what is for the
router itself as well. No list filters what goes out: whatever does came in by one of these. Reverse-path filters are
not used: strict ones refuse what comes by another upstream than the best route leads to, loose ones refuse nothing
where there is a default route (RFC 3704, 2.2 and 2.4).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network

from nornir_tasks.design.config.access_lists import ICMP, MUST_PASS, TCP, AccessList, AclRule, Family
from nornir_tasks.design.model.edge_policy import EdgeTerms, InsideLink, OutsideLink, OutsideSession, family_of
from nornir_tasks.design.model.system_facts import AclFacts

BGP_PORT = 179
UNICAST: dict[Family, str | None] = {"ipv4": None, "ipv6": "2000::/3"}
"""Where sources outside are, beside bogons: of IPv6 nothing else is given out (RFC 4291, 2.4). None: anywhere."""
ON_LINK: dict[Family, tuple[str | None, str]] = {"ipv4": (None, "224.0.0.0/24"), "ipv6": ("fe80::/10", "ff02::/16")}
"""Sources (None: the link's own) and destinations of what neighbours on one link say to all: VRRP, HSRP."""
_HOST: dict[Family, int] = {"ipv4": 32, "ipv6": 128}


def rules_at(terms: EdgeTerms, device: str, place: int, facts: AclFacts | None) -> Counter[Family]:
    """How many rules the lists of one router have, by family."""
    sessions = (session for link in terms.on(device) for session in link.sessions)
    lists = [
        *(from_upstream("", terms, each, facts) for each in sessions),
        *(nothing("", family, facts) for link in terms.on(device) for family in not_spoken(terms, link)),
        *(from_inside("", terms, each, place, facts) for each in terms.inside_links),
    ]
    return Counter(each.family for each in lists for _ in each.rules)


def not_spoken(terms: EdgeTerms, link: OutsideLink) -> Iterator[Family]:
    """Families that the routers forward and do not speak with an upstream: its port takes in their packets too."""
    spoken = {each.family for each in link.sessions}
    yield from (each.family for each in terms.inside_links if each.family not in spoken)


def from_upstream(name: str, terms: EdgeTerms, session: OutsideSession, facts: AclFacts | None) -> AccessList:
    """What the port to an upstream takes in: BGP of its router, and packets for what is announced.

    Refused are sources of our own and bogons, and all for the routers themselves but ICMP. What a laboratory exempts
    is no bogon; path-MTU messages pass whatever their source is, since routers on their way may have any address. All
    of ICMP does where the system's lists (``facts``) know no single types of this family.
    """
    family, own = session.family, session.address.partition("/")[0]
    link = str(ip_interface(session.address).network)
    ours = _of(terms.aggregates, family)
    rules = [
        *_must_pass(family, facts),
        *_bgp(session.peer, own, family),
        AclRule(0, permit=True, protocol=ICMP[family], source=link, destination=_host(own, family)),
        *(AclRule(0, permit=False, source=each) for each in (*ours, *_bogons(terms, family, ours))),
        *_to_routers([own, *_shared(terms.inside_of(family))], family, passes_icmp=True),
    ]
    elsewhere = [each for each in _of(terms.exempt, family) if not _is_in(each, UNICAST[family])]
    for source in (UNICAST[family], *elsewhere):
        rules += [AclRule(0, permit=True, source=source, destination=each) for each in ours]
    return _list(name, family, rules)


def from_inside(name: str, terms: EdgeTerms, link: InsideLink, place: int, facts: AclFacts | None) -> AccessList:
    """What the VLAN to the firewalls takes in: sources of what is announced, and what neighbours there say.

    Nothing is for the routers themselves, at whatever address of theirs: a flow to outside would reach their daemons.
    Where the list filters what is bridged too, what the other router took in from its upstreams passes to the firewall
    that is cabled to this one. A host inside that sends the like gets it back: it leads to the firewalls.

    ``place``: 0 of the first router, 1 of the second.
    """
    family = link.family
    around, to_all = ON_LINK[family]
    sessions = [each for one in terms.outside_links for each in one.sessions if each.family == family]
    loopbacks = (each for each in terms.loopbacks if family_of(each) == family)
    of_routers = [*_shared(link), *(each.address.partition("/")[0] for each in sessions), *loopbacks]
    ours = _of(terms.aggregates, family)
    bridged = ours if facts is not None and facts.svi_takes_bridged else []
    return _list(
        name,
        family,
        [
            *_must_pass(family, facts),
            *_bgp(link.own[1 - place], link.own[place], family),
            AclRule(0, permit=True, protocol=ICMP[family], source=link.subnet, destination=link.subnet),
            AclRule(0, permit=True, source=around or link.subnet, destination=to_all),
            *_to_routers(of_routers, family, passes_icmp=False),
            *(AclRule(0, permit=True, source=each) for each in ours),
            *(AclRule(0, permit=True, destination=each) for each in bridged),
        ],
    )


def nothing(name: str, family: Family, facts: AclFacts | None) -> AccessList:
    """What the port to an upstream takes in of a family that is not spoken with it: what every list must."""
    return _list(name, family, tuple(_must_pass(family, facts)))


def _list(name: str, family: Family, rules: Sequence[AclRule]) -> AccessList:
    """Numbered; all else is denied."""
    numbered = (replace(rule, sequence=10 * place) for place, rule in enumerate(rules, start=1))
    return AccessList(name, family, (*numbered, AclRule(10 * (len(rules) + 1), permit=False)))


def _must_pass(family: Family, facts: AclFacts | None) -> Iterator[AclRule]:
    every = AclRule(0, permit=True, protocol=ICMP[family])
    if facts is not None and family not in facts.icmp_types:
        yield every
    else:
        yield from (replace(every, icmp_type=each) for each in MUST_PASS[family])


def _bgp(peer: str, own: str, family: Family) -> Iterator[AclRule]:
    """A session, whichever end opens it."""
    one = AclRule(0, permit=True, protocol=TCP, source=_host(peer, family), destination=_host(own, family))
    port = (BGP_PORT, BGP_PORT)
    yield replace(one, destination_ports=port)
    yield replace(one, source_ports=port, established=True)


def _to_routers(addresses: Sequence[str], family: Family, *, passes_icmp: bool) -> Iterator[AclRule]:
    """Nothing, or ICMP alone, is for the routers themselves."""
    for address in dict.fromkeys(addresses):
        one = AclRule(0, permit=False, destination=_host(address, family))
        if passes_icmp:
            yield replace(one, permit=True, protocol=ICMP[family])
        yield one


def _shared(link: InsideLink | None) -> tuple[str, ...]:
    """The routers' addresses of the VLAN."""
    return (link.gateway, *link.own) if link is not None else ()


def _bogons(terms: EdgeTerms, family: Family, ours: Sequence[str]) -> Iterator[str]:
    """Without what is exempt, and without what lies in our own, which is refused anyhow."""
    exempt = [ip_network(each) for each in _of(terms.exempt, family) if each not in ours]
    for bogon in _of(terms.bogons, family):
        left = [ip_network(bogon)]
        for each in exempt:
            left = [part for one in left for part in _without(one, each)]
        left = [each for each in left if not any(_is_in(str(each), one) for one in ours)]
        yield from map(str, sorted(left))


def _without(one: IPv4Network | IPv6Network, other: IPv4Network | IPv6Network) -> Iterator[IPv4Network | IPv6Network]:
    """What is left of one prefix without another of its family."""
    if not one.overlaps(other):
        yield one
    elif one.prefixlen < other.prefixlen:
        yield from one.address_exclude(other)  # type: ignore[arg-type]


def _of(prefixes: Sequence[str], family: Family) -> list[str]:
    return [each for each in prefixes if family_of(each) == family]


def _is_in(prefix: str, other: str | None) -> bool:
    return other is None or ip_network(prefix).subnet_of(ip_network(other))  # type: ignore[arg-type]


def _host(address: str, family: Family) -> str:
    return f"{address}/{_HOST[family]}"
