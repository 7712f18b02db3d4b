"""Send the boundary's flows through its firewalls' rules in namespaces: packets, proof and flow matrix must agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from nornir_tasks.design.hosts.boundary import Boundary, boundary
from nornir_tasks.design.hosts.boundary_vars import FirewallHostVars, firewall_host_vars
from nornir_tasks.errors import IntentError, Problem, ValidationFailed
from nornir_tasks.files.firewall_rules import boundary_rules
from nornir_tasks.lab.boundary.firewall import room_for
from nornir_tasks.lab.boundary.room import Outcome
from nornir_tasks.proofs.rules.flows import Flow, Foretold, Oracle, Samples, packet_of
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.matrix import Matrix
from nornir_tasks.proofs.rules.packets import both
from nornir_tasks.proofs.rules.planned import planned_ports
from nornir_tasks.proofs.rules.ruleset import read
from nornir_tasks.usecases.site import SiteDesign


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One flow of which packets, proof and matrix do not say the same."""

    flow: Flow
    foretold: Foretold
    seen: Outcome
    may_pass: bool
    """By the flow matrix, if it arrives."""

    def __str__(self) -> str:
        """In words, with the line by which the proof decides."""
        came = ", ".join(port for port, *_ in self.seen.arrived) or "nowhere"
        expected = self.foretold.arrives or "nowhere"
        may = "" if self.may_pass else "; by the flow matrix it may not"
        return f"{self.flow}: arrives {came}, foretold {expected} ({self.foretold.by}){may}"


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of all flows at one firewall."""

    firewall: str
    flows: int
    arrived: int
    answered: int
    disagreements: tuple[Disagreement, ...]

    def summary(self) -> str:
        """``packets at firewall-1: 13080 of 13080 flows agree, 173 arrive, 179 are answered``."""
        agree = self.flows - len(self.disagreements)
        counts = f"{self.arrived} arrive, {self.answered} are answered"
        return f"packets at {self.firewall}: {agree} of {self.flows} flows agree, {counts}"


def prove_packets(design: SiteDesign) -> tuple[Sent, ...]:
    """At each firewall in turn. Raises IntentError without a boundary, LabError where it cannot be tried here."""
    found = boundary(design.site.intent, design.network)
    if found is None:
        raise IntentError(Problem("--packets", "the intent has no boundary", expected="boundary: (docs/intent.md)"))
    hosts = firewall_host_vars(design.site.intent, design.network)
    return tuple(_sent(found, name, each) for name, each in hosts.items())


def _sent(found: Boundary, name: str, variables: FirewallHostVars) -> Sent:
    samples, names = Samples(found, variables.firewall), planned_ports(variables.firewall)
    flows = (*samples.flows(), *samples.to_itself())
    there = samples.there(names, (end for flow in flows for end in (flow.source, flow.destination)))
    with room_for(variables.firewall, there) as room:
        room.run("nft", "-f", "-", text=boundary_rules(variables.ansible()))
        ruleset, routes = room.state()
        oracle = Oracle.of(State(name, read(ruleset), routes, names, firewall=variables.firewall), there)
        foretold = {flow: oracle.of_flow(flow) for flow in flows}
        arrive = [flow for flow, each in foretold.items() if each.arrives]
        seen = room.send(flows, arrive, [flow for flow, each in foretold.items() if each.is_answered])
    wrong = (_disagreement(found, oracle, flow, foretold[flow], seen[flow]) for flow in flows)
    arrived, answered = (
        sum(map(bool, its)) for its in zip(*((e.arrived, e.answered) for e in seen.values()), strict=True)
    )
    return Sent(name, len(flows), arrived, answered, tuple(each for each in wrong if each is not None))


def _disagreement(
    found: Boundary, oracle: Oracle, flow: Flow, foretold: Foretold, seen: Outcome
) -> Disagreement | None:
    ports = {port for port, *_ in seen.arrived}
    agrees = foretold.fits(seen.arrived, answered=seen.answered)
    machine = oracle.machines[flow.family]
    leaving = [packet_of(flow, machine.ports)._replace(exit=machine.ports.of(port)) for port in ports]
    may_open = tuple(Matrix(found, machine.ports, flow.family).may_open()) if ports else ()
    may_pass = all(any(both(one, each) for each in may_open) for one in leaving)
    return None if agrees and may_pass else Disagreement(flow, foretold, seen, may_pass)


def require_agreed(sent: Sequence[Sent]) -> None:
    """Raises ValidationFailed where packets, proof and matrix do not say the same of a flow."""
    wrong = [each for each in sent if each.disagreements]
    if wrong:
        raise ValidationFailed([Problem("prove", each.summary()) for each in wrong])
