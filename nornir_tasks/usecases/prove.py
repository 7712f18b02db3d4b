"""Prove what the rendered configurations of a whole site do. No switch is asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.design.flows import Service, services_of
from nornir_tasks.errors import GpufabricError, IntentError, Problem, UndecidedError, ValidationFailed
from nornir_tasks.proofs import isolation
from nornir_tasks.proofs.ends import group_of
from nornir_tasks.proofs.isolation import Isolation
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.progress import On, Work, following, ignore
from nornir_tasks.usecases.site import Selection, SiteDesign, select

PROOFS = ("isolation",)
"""The proofs there are, by name."""


@dataclass(frozen=True, slots=True)
class Proved:
    """What was proved of a site."""

    isolation: Isolation
    undecided: tuple[Problem, ...]
    """What could not be told; it never counts as proved."""


def prove(design: SiteDesign, only: tuple[str, ...] = (), on: On = ignore) -> Proved:
    """Render every switch, read that back, and judge it. Raises IntentError for a proof that there is not."""
    unknown = [each for each in only if each not in PROOFS]
    if unknown:
        what = f"no such proof: {', '.join(unknown)}"
        raise IntentError(Problem("--only", what, expected=f"one of {', '.join(PROOFS)}"))
    guarded, reasons = _guarded(design)
    found = isolation.judge(design.network, rendered(select(design), on), guarded, _services(design))
    problems = [Problem(where, "could not be proved", found=why) for where, why in reasons.items()]
    problems += [Problem("isolation", each, "no list there", hint="take it away") for each in found.undecided]
    return Proved(found, tuple(problems))


def rendered(selection: Selection, on: On = ignore) -> dict[str, DeviceConfig]:
    """Switch -> what its rendered lines say, read by the parser that reads switches."""
    found = {}
    with following(on, Work.RENDER, len(selection)) as step:
        for name in selection:
            each = selection[name]
            found[name] = each.platform.parse(each.tree, each.capabilities, name, each.config.model).config
            step(name)
    return found


def _services(design: SiteDesign) -> dict[str, tuple[Service, ...]]:
    """The services of all planes by name; with the plane's where two planes mean something else by one name."""
    found: dict[str, tuple[Service, ...]] = {}
    for plane, intended in design.site.intent.planes.items():
        for name, ports in services_of(intended).items():
            found[name if found.get(name, ports) == ports else f"{name} of {plane}"] = ports
    return found


def _guarded(design: SiteDesign) -> tuple[Mapping[str, frozenset[str]], Mapping[str, str]]:
    """Group of hosts -> the planes between which role plane_guard drops; and why that is not known of hosts.

    Hosts of a group have the same planes, so the first one stands for all.
    """
    first: dict[str, str] = {}
    for host in design.network.hosts:
        first.setdefault(group_of(host), host)
    every = {group: _planes_of(design, host) for group, host in first.items()}
    shared = {group for group, planes in every.items() if len(planes) > 1}
    try:
        network, intent = design.network, design.site.intent
        made = host_inventory(intent, network, design.catalogue, {first[group]: {} for group in shared}).variables
    except GpufabricError as error:
        why = f"hosts on two planes ({', '.join(sorted(shared))}): {error.problems[0]}"
        return every, {"hosts as routers": why}
    return {group: frozenset(made[first[group]].get("plane_guard_planes") or ()) for group in shared}, {}


def _planes_of(design: SiteDesign, host: str) -> frozenset[str]:
    return frozenset(each.owner for each in design.network.circuits_of(host))


def require_proved(found: Proved) -> None:
    """Raises ValidationFailed if something is not as asked, UndecidedError if something could not be told."""
    failed = found.isolation.failed
    if failed:
        what = f"{len(failed)} pair{'s' * (len(failed) != 1)} not as asked, {found.isolation.summary()}"
        crosses = any(each.source.plane != each.destination.plane for each in failed)
        hint = "a plane with flows of its own refuses all else, from other planes too" if crosses else ""
        raise ValidationFailed(Problem("prove", what, hint=hint))
    if found.undecided:
        raise UndecidedError(found.undecided)
