"""The site's edge routers against the catalogue: their model, its tables, and what no network may announce."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network

from nornir_tasks.design.demand.choices import Choice, choose_one
from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.design.model.catalogue import Bogons, Catalogue
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.keys.boundary import BoundaryIntent, UpstreamIntent
from nornir_tasks.intent.keys.site import Intent

AT: Path = ("boundary", "edge")
Prefix = IPv4Network | IPv6Network


def check(intent: Intent, catalogue: Catalogue, facts: Mapping[str, OsFacts]) -> None:
    """Raise IntentError for names that nothing knows, DesignError for what the routers must not or cannot do."""
    boundary = intent.boundary
    if boundary is None or boundary.edge is None:
        return
    choice = choose_one(boundary.edge, AT, catalogue, facts, intent.marks)
    findings = [*_system(choice), *_guards(choice, boundary), *_ports(choice, boundary), *_too_many(choice, boundary)]
    for name, upstream in boundary.upstreams.items():
        findings += _bogons(name, upstream, boundary, catalogue.bogons)
    if findings:
        raise DesignError(intent.marks.problems(findings))


def is_in(one: Prefix, other: Prefix) -> bool:
    """Is every address of the one prefix in the other?"""
    if isinstance(one, IPv4Network):
        return isinstance(other, IPv4Network) and one.subnet_of(other)
    return not isinstance(other, IPv4Network) and one.subnet_of(other)


def _at(name: str, *path: str | int) -> Path:
    return ("boundary", "upstreams", name, *path)


def _system(choice: Choice) -> Iterator[Finding]:
    known = choice.capabilities
    if not known.has_outside_bgp:
        what = f"{known.os} {known.release} is no edge router: {known.outside_gap}"
        yield Finding((*AT, "platform"), what, "a system with sessions with other networks", known.os)


def _guards(choice: Choice, boundary: BoundaryIntent) -> Iterator[Finding]:
    """What signs the sessions, and who is asked for origins."""
    known, guards = f"{choice.capabilities.os} {choice.capabilities.release}", choice.capabilities.guards
    for name, upstream in boundary.upstreams.items():
        if upstream.md5 is not None and guards.md5 is None:
            yield Finding(_at(name, "md5"), f"{known} has no passwords of BGP sessions: {guards.md5_gap}", "no md5")
        if upstream.ao is not None and guards.ao is None:
            expected = "no ao" if guards.md5 is None else "md5: !secret NAME"
            yield Finding(_at(name, "ao"), f"{known} has no TCP-AO: {guards.ao_gap}", expected)
        elif upstream.ao is not None and guards.ao is not None and upstream.ao.algorithm not in guards.ao.algorithms:
            path, expected = _at(name, "ao", "algorithm"), ", ".join(sorted(guards.ao.algorithms))
            yield Finding(path, f"{known} has no such algorithm", expected, upstream.ao.algorithm)
    if boundary.edge is not None and boundary.edge.validators and not guards.has_rpki:
        what = f"{known} asks no validators: {guards.rpki_gap}"
        hint = "have the upstreams say that they refuse prefixes of wrong origins"
        yield Finding((*AT, "validators"), what, "no validators", hint=hint)


def _ports(choice: Choice, boundary: BoundaryIntent) -> Iterator[Finding]:
    """Each link has a port of its speed, and each port one link."""
    edge = boundary.edge
    if edge is None:
        return
    for number in (1, 2):
        free = list(choice.model.ports_at(edge.peer_speed))
        taken: dict[int, Path] = dict.fromkeys(free[-edge.peer_links :], (*AT, "peer_links"))
        if len(taken) < edge.peer_links:
            what, expected = f"{choice.model.model} has too few ports for them", f"at most {len(free)}"
            yield Finding((*AT, "peer_links"), what, expected, str(edge.peer_links))
            return
        of_firewall = [port for port in choice.model.ports_at(edge.firewall_speed) if port not in taken]
        if not of_firewall:
            what = f"{choice.model.model} has no port of this speed left"
            yield Finding((*AT, "firewall_speed"), what, found=f"{edge.firewall_speed}G")
            return
        taken[of_firewall[0]] = (*AT, "firewall_speed")
        for name, upstream in boundary.upstreams.items():
            if upstream.edge == number and upstream.port is not None and upstream.speed is not None:
                yield from _port(choice, name, upstream, taken)
                taken.setdefault(upstream.port, _at(name, "port"))


def _port(choice: Choice, name: str, upstream: UpstreamIntent, taken: Mapping[int, Path]) -> Iterator[Finding]:
    there, path = choice.model.ports_at(upstream.speed or 0), _at(name, "port")
    if upstream.port not in there:
        speeds = ", ".join(f"{speed}G" for speed in sorted(choice.model.speeds_gbps))
        known = ", ".join(map(str, there)) if there else f"one of {speeds}"
        what = f"{choice.model.model} has no such port of {upstream.speed}G"
        yield Finding(path, what, known, str(upstream.port))
    elif upstream.port in taken:
        yield Finding(
            path, "a port that has a link", "a port of its own", str(upstream.port), also=taken[upstream.port]
        )


def _too_many(choice: Choice, boundary: BoundaryIntent) -> Iterator[Finding]:
    """One router has the other's routes as well; no full tables, unless a source says that the model holds them."""
    wanted = sum(each.inbound.max_prefixes for each in boundary.upstreams.values() if each.inbound is not None)
    limit = choice.model.ipv4_routes
    partial = [name for name, each in boundary.upstreams.items() if each.inbound and each.inbound.takes == "partial"]
    if not partial:
        return
    path, found = _at(partial[0], "inbound", "max_prefixes"), f"{wanted} of all upstreams together"
    hint = "takes: default needs one route of each upstream"
    if limit is None:
        what = f"no source says how many routes {choice.model.model} holds"
        yield Finding(path, what, "takes: default", found, hint, (*AT, "model"))
    elif wanted > limit:
        what = f"more routes than {choice.model.model} holds"
        yield Finding(path, what, f"at most {limit} of all upstreams together", found, hint, (*AT, "model"))


def _bogons(name: str, upstream: UpstreamIntent, boundary: BoundaryIntent, bogons: Bogons) -> Iterator[Finding]:
    """Nothing of the site's own is what others refuse."""
    hint = "others refuse it; in a laboratory boundary.exempt lets it be"
    exempt = boundary.exempt
    for key, asn in (("asn", upstream.asn), ("local_asn", upstream.local_asn)):
        bad = next((each for each in bogons.asns if each[0] <= asn <= each[1]), None)
        if bad is not None and asn not in exempt.asns:
            expected, found = f"an AS number outside {bad[0]}-{bad[1]}", str(asn)
            yield Finding(_at(name, key), "an AS number that no path on the Internet has", expected, found, hint)
    for number, prefix in enumerate(upstream.outbound):
        within = next(
            (each for each in bogons.prefixes if each.version == prefix.version and prefix.overlaps(each)), None
        )
        if within is not None and not any(is_in(prefix, each) for each in exempt.prefixes):
            path, expected = _at(name, "outbound", number), f"a prefix outside {within}"
            yield Finding(path, "a prefix that has no owner on the Internet", expected, str(prefix), hint)
