"""What edge routers do not let pass and users may count on: rows of the flow matrix, answers of validators.

Edge routers take in from outside what is for announced prefixes, and from inside what comes from them (edge_filters).
A host with other addresses reaches no host outside unless it is translated, and none outside reaches it. The matrix
alone does not show it: firewalls know nothing of what upstreams are told.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.hosts.boundary import Boundary, Prefixes, boundary
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.flow import OUTSIDE

_Network = IPv4Network | IPv6Network
_TITLE: dict[Family, str] = {"ipv4": "IPv4", "ipv6": "IPv6"}
_PUBLISH = "publish a service of it (boundary.published), or give it announced addresses"
_TRANSLATE: dict[Family, str] = {
    "ipv4": "translate it (boundary.egress), or give it announced addresses",
    "ipv6": "give it announced addresses",
}


def warnings(intent: Intent, network: Network) -> tuple[str, ...]:
    """One for each row and family whose packets end at the edge routers, and for validators in no VRF of management.

    None where the site has no such routers.
    """
    wanted, terms = boundary(intent, network), network.edge
    if wanted is None or terms is None:
        return ()
    announced = _networks(terms.aggregates)
    answered = [*announced, *_networks(source for each in wanted.egress for source in each.sources)]
    found: dict[str, None] = {}
    for row in (*wanted.rows, *wanted.here):
        for family in FAMILIES:
            if not (row.sources[family] and row.destinations[family]):
                continue
            if row.source_zone == OUTSIDE:
                gap, prefixes = _gap(wanted, row.destination_zone, row.destinations, family, announced)
                text, remedy = f"no host outside reaches {gap} by", _PUBLISH
            elif row.destination_zone == OUTSIDE:
                gap, prefixes = _gap(wanted, row.source_zone, row.sources, family, answered)
                text, remedy = f"edge routers let {gap} send nothing out by", _TRANSLATE[family]
            else:
                continue
            if gap:
                why = f"as no upstream is told of {prefixes}; {remedy}"
                found[f"boundary.{row.name}: {text} {_TITLE[family]}, {why}"] = None
    return (*found, *_validators(network))


def _validators(network: Network) -> Iterator[str]:
    """Without ``base`` they are asked from the default VRF, whose ports take in no answers of theirs."""
    terms = network.edge
    if terms is not None and terms.validators and network.base.get(terms.fabric) is None:
        addresses = ", ".join(address for address, _ in terms.validators)
        why = "the routers' own lists refuse answers that come by upstreams or firewalls"
        remedy = "name the VRF of management (base), unless the management port lies in the default VRF"
        yield f"boundary.edge.validators: {addresses} asked from the default VRF, where {why}; {remedy}"


def _gap(wanted: Boundary, zone: str, ends: Prefixes, family: Family, covered: Sequence[_Network]) -> tuple[str, str]:
    """Who of these has addresses that nothing covers, and these; of a zone its groups of hosts, if it has any."""
    there = _networks(ends[family])
    own = {each.name: _networks(each.prefixes[family]) for each in wanted.named if each.zone == zone}
    exactly = {name: one for name, one in own.items() if one == there}
    groups = {name: one for name, one in own.items() if name in wanted.ends and all(_is_in(it, there) for it in one)}
    named = exactly or groups or {zone: there}
    left = {name: [it for it in one if not _is_in(it, covered)] for name, one in named.items()}
    names = [name for name, one in left.items() if one]
    return ", ".join(names), ", ".join(dict.fromkeys(str(it) for one in left.values() for it in one))


def _networks(prefixes: Iterable[str]) -> list[_Network]:
    return [ip_network(each) for each in prefixes]


def _is_in(one: _Network, others: Iterable[_Network]) -> bool:
    return any(one.version == each.version and one.subnet_of(each) for each in others)  # type: ignore[arg-type]
