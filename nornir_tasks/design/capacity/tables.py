"""How full the hardware tables of each switch are, as built and with all links up, and what they hold."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nornir_tasks.design.addresses.routes import RouteCount, count_routes
from nornir_tasks.design.contribute.bond_ports import lists_of
from nornir_tasks.design.contribute.edge_filters import rules_at
from nornir_tasks.design.demand.flows import FAMILIES
from nornir_tasks.design.model.catalogue import SwitchModel
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks


@dataclass(frozen=True, slots=True)
class TableUse:
    """One table of one switch."""

    name: str
    used: int
    limit: int | None
    """None where no source names one."""
    rule: str
    """What one entry is."""


def table_uses(network: Network, device: Device, routes: RouteCount) -> tuple[TableUse, ...]:
    """Every table of one switch. ``routes``: what ``count_routes`` says of it."""
    model = network.models.get(device.model)
    circuits = network.circuits_of(device.name)
    fabric = network.fabric_of(device)
    sessions = sum(each.is_underlay for each in circuits) if fabric.bfd else 0
    neighbors = sum(each.is_numbered for each in circuits)
    hosts = sum(each.link.kind == "host" and each.use.segment is not None for each in circuits)

    def use(name: str, used: int, figure: str, rule: str) -> TableUse:
        limit: int | None = getattr(model, figure) if model else None
        return TableUse(name, used, limit, rule)

    return (
        use("IPv4 routes", routes.total, "ipv4_routes", "connected, its own and those learned by BGP"),
        use("ECMP groups", routes.groups, "max_ecmp_groups", "different sets of two or more next hops"),
        use("ECMP members", routes.members, "max_ecmp_members", "next hops in all these sets"),
        use("BFD sessions", sessions, "max_bfd_sessions", "one for each link to another switch, if the fabric has BFD"),
        use("IPv4 neighbors", neighbors, "ipv4_neighbors", "the far ends of its numbered links, hosts' NICs included"),
        use("MAC addresses", hosts, "mac_addresses", "NICs of hosts in a VLAN; one for each, virtual ones not counted"),
        *acl_uses(network, device),
    )


def acl_uses(network: Network, device: Device) -> tuple[TableUse, ...]:
    """Rules of access lists, of IPv4 and of IPv6; empty where no plane of the fabric is filtered, and it has no edges.

    As written: no source says which ports or prefixes take an ASIC more entries than one.
    """
    filtered = [each for each in network.planes_on(device.fabric) if each.allowed is not None]
    edge = network.edge if network.edge is not None and network.edge.fabric == device.fabric else None
    if not filtered and edge is None:
        return ()
    rules = Counter[str]()
    if edge is not None:
        rules.update(rules_at(edge, device.name, device.index - 1, device.capabilities.acls))
    for plane in filtered:
        for segment in network.segments_at(device.name, plane.name):
            for (family, _), each in lists_of(network, plane, device, segment).items():
                rules[family] += len(each.rules)
    model = network.models.get(device.model)
    limits = {"ipv4": model.ipv4_acl_rules, "ipv6": model.ipv6_acl_rules} if model else {}
    where = "gateways, in both directions" if edge is None else "ports to upstreams and firewalls"
    rule = f"of lists on {where}; the system's own come on top"
    names = {"ipv4": "IPv4 ACL rules", "ipv6": "IPv6 ACL rules"}
    return tuple(TableUse(names[each], rules[each], limits.get(each), rule) for each in FAMILIES)


def check_tables(network: Network, marks: Marks) -> None:
    """Raise DesignError with every kind of switch of which some table is too small for what is built."""
    findings = [*_too_full(network), *_too_filtered(network)]
    if findings:
        raise DesignError(marks.problems(findings))


def _too_full(network: Network) -> Iterator[Finding]:
    if not any(map(_has_groups, network.models.values())):
        return  # the others are judged for all hosts of hosts.max: limits.py
    routes = count_routes(network)
    worst: dict[tuple[str, str, str], TableUse] = {}
    for device in network.devices:
        for each in table_uses(network, device, routes[device.name]):
            kind = (device.fabric, device.model, each.name)
            if each.limit is not None and each.used > max(each.limit, worst[kind].used if kind in worst else 0):
                worst[kind] = each
    for (fabric, model, name), each in worst.items():
        what, found = f"{model} holds {each.limit} {name}", f"{each.used}: {each.rule}"
        yield Finding(("fabrics", fabric), what, f"at most {each.limit}", found, "another model, or fewer hosts")


def _too_filtered(network: Network) -> Iterator[Finding]:
    """Both families share one TCAM: each takes its share of it, and together they have no more than the whole."""
    worst: dict[tuple[str, str], tuple[float, tuple[TableUse, ...]]] = {}
    for device in network.devices:
        uses = tuple(each for each in acl_uses(network, device) if each.limit is not None)
        share = sum(each.used / each.limit if each.limit else float(each.used > 0) for each in uses)
        kind = (device.fabric, device.model)
        if share > max(1.0, worst[kind][0] if kind in worst else 0.0):
            worst[kind] = share, uses
    for (fabric, model), (_, uses) in worst.items():
        is_edge = network.edge is not None and network.edge.fabric == fabric
        planes = [each.name for each in network.planes_on(fabric) if each.allowed is not None]
        what = f"{model} has no room for these access lists: one TCAM holds rules of IPv4, or of IPv6, or some of both"
        expected = ", or ".join(f"at most {each.limit} {each.name}" for each in uses)
        found = " and ".join(f"{each.used} {each.name}" for each in uses) + ", more than the whole"
        hint = "fewer flows, services or networks; prefixes that hold several; or leaves of another model"
        if is_edge:
            hint = "fewer upstreams on one router, fewer prefixes in exempt or outbound, or another model"
        path = ("boundary", "edge", "model") if is_edge else ("planes", planes[0], "flows")
        yield Finding(path, what, expected, found, hint)


def _has_groups(model: SwitchModel) -> bool:
    return model.max_ecmp_groups is not None or model.max_ecmp_members is not None


def uses_of_all(network: Network, routes: Mapping[str, RouteCount]) -> dict[str, tuple[TableUse, ...]]:
    """Switch -> its tables."""
    return {each.name: table_uses(network, each, routes[each.name]) for each in network.devices}
