"""Prove what the firewalls' generated rules let pass between the zones of the boundary."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallVars, firewall_host_vars
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.errors import IntentError, LabError, Problem
from nornir_tasks.files.firewall_rules import boundary_rules
from nornir_tasks.files.resources import shown
from nornir_tasks.lab.boundary.rules import listed
from nornir_tasks.proofs.rules.edges import Edge, judge_edges
from nornir_tasks.proofs.rules.failures import failures
from nornir_tasks.proofs.rules.judge import Guarded, judge
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.planned import planned_ports, planned_routes
from nornir_tasks.proofs.rules.ruleset import read
from nornir_tasks.proofs.unsure import Unsure
from nornir_tasks.usecases.site import SiteDesign

BOUNDARY = "boundary"
ABOUT = "Firewalls let pass what the flow matrix of the boundary says, edge routers what is ours, and nothing else."
_HINT = "take it away, or judge by hand what it lets pass: the pairs that depend on it are not proved"


def prove_boundary(design: SiteDesign, folder: str | None = None) -> tuple[Guarded | None, list[Problem]]:
    """Judge the rules that the roles would load at both firewalls; None where the intent has no boundary.

    Also with each single failure of the pair. nft itself lists them, in a network namespace of this machine. Where it
    cannot, nothing is proved, and why is said.
    ``folder``: what the firewalls run, as ``collected`` reads it, is judged in place of that. Raises IntentError for
    files that are no such thing.
    """
    found = boundary(design.site.intent, design.network)
    if found is None:
        return None, []
    try:
        states = tuple(planned(design) if folder is None else collected(design, Path(folder)))
    except LabError as error:
        return _not_judged(error.problems)
    judged = judge(found, states, overview=True)
    if folder is None:
        judged = Guarded((*judged.pairs, *failures(found, states)))
    problems = [Problem(BOUNDARY, "could not be told", found=line, hint=_HINT) for line in judged.undecided]
    if not any(each.has_shared for each in states):
        what = "no firewall has a shared address, so nothing was judged of what must pass"
        problems.append(Problem(str(folder), what, hint="is keepalived at work on them?"))
    return judged, problems


def with_edges(
    design: SiteDesign, configs: Mapping[str, DeviceConfig], doubts: Unsure, firewalls: Guarded | None
) -> tuple[Guarded | None, list[Problem]]:
    """What was found of the firewalls, and of edge routers from their lines; ``configs``: those that were read."""
    terms = design.network.edge
    if terms is None:
        return firewalls, []
    edges, why = dict[str, Edge](), dict[str, list[str]]()
    routers = [each for each in design.network.devices if each.fabric == terms.fabric]
    for place, each in enumerate(routers):
        its, facts = each.capabilities, each.capabilities.acls
        if each.name in configs and facts is not None:
            port = f"{its.svi_prefix}{terms.vlan}"
            edges[each.name] = Edge(configs[each.name], place, port, facts, its.loopback_name)
        else:
            why.setdefault(each.name, []).append("was not read")
        why.setdefault(each.name, []).extend(doubts.reasons.get(each.name, ()))
        why[each.name] += [f"{name} has lines that are not known" for who, name in doubts.doubtful if who == each.name]
    pairs = judge_edges(terms, edges, {name: its for name, its in why.items() if its})
    found = Guarded(pairs)
    problems = [Problem(BOUNDARY, "could not be told", found=line, hint=_HINT) for line in found.undecided]
    others, why_not = (firewalls.pairs, firewalls.not_judged) if firewalls is not None else ((), ())
    return Guarded((*others, *pairs), why_not), problems


def firewalls_unread(design: SiteDesign) -> tuple[Guarded | None, list[Problem]]:
    """Where what switches run is judged, and what the firewalls run is not given: that is not proved."""
    if boundary(design.site.intent, design.network) is None:
        return None, []
    hint = "give --firewalls what playbooks/boundary_state.yml read, or judge what roles load: without --running"
    return _not_judged([Problem(BOUNDARY, "what the firewalls run was not read", hint=hint)])


def _not_judged(problems: Iterable[Problem]) -> tuple[Guarded, list[Problem]]:
    """No firewall was judged: that is said wherever verdicts are, and never counts as proved."""
    reasons = tuple(f"{each.what} ({each.found})" if each.found else each.what for each in problems)
    return Guarded((), reasons), list(problems)


FILES = {
    "ruleset": "nft -j list ruleset",
    "routes": "ip -j route show table all",
    "routes_v6": "ip -j -6 route show table all",
}
"""Name of a file in a firewall's folder -> what prints it."""


def collected(design: SiteDesign, folder: Path) -> tuple[State, ...]:
    """Each firewall as it is, by ``<firewall>/ruleset.json`` and so on. Raises IntentError with all that is wrong.

    One of both need not have the shared addresses; nothing may pass by it that may not all the same.
    """
    problems = list[Problem]()
    states = list[State]()
    for name, variables in firewall_host_vars(design.site.intent, design.network).items():
        found = {each: _document(folder / name / f"{each}.json", command, problems) for each, command in FILES.items()}
        if not problems:
            routes: dict[Family, Any] = {"ipv4": found["routes"], "ipv6": found["routes_v6"]}
            firewall = variables.firewall
            has_shared = bool(_shared(firewall) & {each.get("dst") for its in routes.values() for each in its})
            states.append(State(name, read(found["ruleset"]), routes, planned_ports(firewall), has_shared, firewall))
    if problems:
        raise IntentError(problems)
    return tuple(states)


def _shared(firewall: FirewallVars) -> set[str]:
    found = (address for zone in firewall.zones for address in (zone.shared, zone.shared_v6))
    return {address.partition("/")[0] for address in found if address is not None}


def _document(path: Path, command: str, problems: list[Problem]) -> Any:  # noqa: ANN401 - JSON
    hint = f"{command} > {path.name}"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problems.append(Problem(shown(path), "cannot be read", found=error.strerror or "", hint=hint))
        return None
    except ValueError as error:
        problems.append(Problem(shown(path), "is no JSON", found=str(error), hint=hint))
        return None
    is_ruleset = isinstance(found, dict) and isinstance(found.get("nftables"), list)
    is_routes = isinstance(found, list) and all(isinstance(each, dict) and "dst" in each for each in found)
    if not (is_ruleset if path.stem == "ruleset" else is_routes):
        problems.append(Problem(shown(path), "is something else", expected=f"what {command} prints"))
    return found


def planned(design: SiteDesign) -> Iterator[State]:
    """Each firewall as it is once its role ran, and it has the shared addresses. Raises LabError."""
    for name, variables in firewall_host_vars(design.site.intent, design.network).items():
        ruleset = read(listed(boundary_rules(variables.ansible()), name))
        firewall: FirewallVars = variables.firewall
        yield State(name, ruleset, planned_routes(firewall), planned_ports(firewall), firewall=firewall)
