"""Prove what the firewalls' generated rules let pass between the zones of the boundary."""

from collections.abc import Iterator

from nornir_tasks.design.boundary import boundary
from nornir_tasks.design.boundary_vars import FirewallVars, firewall_host_vars
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.firewall_rules import boundary_rules
from nornir_tasks.lab.boundary.rules import listed
from nornir_tasks.proofs.rules.judge import Guarded, judge
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.planned import planned_ports, planned_routes
from nornir_tasks.proofs.rules.ruleset import read
from nornir_tasks.usecases.site import SiteDesign

BOUNDARY = "boundary"
ABOUT = "The firewalls let pass what the flow matrix of the boundary says, and nothing else."
_HINT = "take it away, or judge by hand what it lets pass: the pairs that depend on it are not proved"


def prove_boundary(design: SiteDesign) -> tuple[Guarded | None, list[Problem]]:
    """Judge the rules that role firewall would load at both firewalls; None where the intent has no boundary.

    nft itself lists them, in a network namespace of this machine. Where it cannot, nothing is proved, and why is said.
    """
    found = boundary(design.site.intent, design.network)
    if found is None:
        return None, []
    try:
        judged = judge(found, planned(design))
    except LabError as error:
        return None, list(error.problems)
    return judged, [Problem(BOUNDARY, "could not be told", found=line, hint=_HINT) for line in judged.undecided]


def firewalls_unread(design: SiteDesign) -> tuple[None, list[Problem]]:
    """Where what switches run is judged: what firewalls run is read by nobody yet, so it is not proved."""
    if boundary(design.site.intent, design.network) is None:
        return None, []
    hint = "without --running the rules that their role loads are judged"
    return None, [Problem(BOUNDARY, "what the firewalls run is not read", hint=hint)]


def planned(design: SiteDesign) -> Iterator[State]:
    """Each firewall as it is once its role ran, and it has the shared addresses. Raises LabError."""
    for name, variables in firewall_host_vars(design.site.intent, design.network).items():
        ruleset = read(listed(boundary_rules(variables.ansible()), name))
        firewall: FirewallVars = variables.firewall
        yield State(name, ruleset, planned_routes(firewall), planned_ports(firewall))
