"""Prove what the rendered configurations of a whole site do, or those that its switches run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.design.flows import Service, services_of
from nornir_tasks.drivers.session import Running
from nornir_tasks.errors import GpufabricError, IntentError, Problem, UndecidedError, ValidationFailed
from nornir_tasks.platforms import platforms
from nornir_tasks.proofs import isolation
from nornir_tasks.proofs.isolation import Isolation
from nornir_tasks.proofs.unsure import SURE, Seen, Unsure, unsure, with_open_trunks
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.progress import On, Work, following, ignore
from nornir_tasks.usecases.reach import Access, Reach
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
    _check(only)
    return _proved(design, rendered(select(design), on), SURE)


def prove_running(design: SiteDesign, reach: Reach, only: tuple[str, ...] = (), on: On = ignore) -> Proved:
    """Read what every switch runs, and judge that; nothing is changed.

    A switch that does not answer, and lines that may decide and are not known, leave the pairs on its fabric open.
    Raises IntentError for a proof that there is not.
    """
    _check(only)
    access, selection = Access(reach, on), select(design)
    selection = selection.with_releases(access.accepted(selection))
    with access.fleet(selection.design, selection) as switches:
        found = access.read(Work.READ, len(selection), partial(switches.read, partial(_seen, selection)))
    wanted = {name: selection.realised(name).config for name in found.values}
    unreachable = {name: str(error.problems[0].what) for name, error in found.errors.items()}
    configs = {name: with_open_trunks(found.values[name]) for name in selection if name in found.values}
    return _proved(design, configs, unsure(design.network, wanted, found.values, platforms(), unreachable))


def _check(only: tuple[str, ...]) -> None:
    unknown = [each for each in only if each not in PROOFS]
    if unknown:
        what = f"no such proof: {', '.join(unknown)}"
        raise IntentError(Problem("--only", what, expected=f"one of {', '.join(PROOFS)}"))


def _proved(design: SiteDesign, configs: Mapping[str, DeviceConfig], doubts: Unsure) -> Proved:
    by_group, reasons = guarded(design)
    found = isolation.judge(design.network, configs, by_group, services(design), doubts, shared_bmcs(design))
    problems = [Problem(where, "could not be proved", found=why) for where, why in reasons.items()]
    for each in found.undecided:
        where, _, why = each.partition(": ")
        problems.append(Problem(where, "isolation could not be told", found=why, hint=_HINT))
    return Proved(found, tuple(problems))


_HINT = "take it away, or judge by hand what it lets pass: the pairs of hosts on its fabric are not proved"


def _seen(selection: Selection, name: str, running: Running) -> Seen:
    """What one switch runs: whole, others' lines among it."""
    device = selection.devices[name]
    os = platforms()[device.os]
    tree = os.to_tree(running.text)
    parsed = os.parse(tree, device.capabilities, name, device.model)
    unread = tuple(path for path, node in parsed.remainder.walk() if not node)
    return Seen(parsed.config, unread, os.open_trunks(tree), reverts=running.waiting is not None)


def rendered(selection: Selection, on: On = ignore) -> dict[str, DeviceConfig]:
    """Switch -> what its rendered lines say, read by the parser that reads switches."""
    found = {}
    with following(on, Work.RENDER, len(selection)) as step:
        for name in selection:
            each = selection[name]
            found[name] = each.platform.parse(each.tree, each.capabilities, name, each.config.model).config
            step(name)
    return found


def services(design: SiteDesign) -> dict[str, tuple[Service, ...]]:
    """The services of all planes by name; with the plane's where two planes mean something else by one name."""
    found: dict[str, tuple[Service, ...]] = {}
    for plane, intended in design.site.intent.planes.items():
        for name, ports in services_of(intended).items():
            found[name if found.get(name, ports) == ports else f"{name} of {plane}"] = ports
    return found


def shared_bmcs(design: SiteDesign) -> dict[str, str]:
    """Host -> the plane whose port its BMC shares, as the intent says (``bmc_shares``)."""
    shares = {group: each.bmc_shares for group, each in design.site.intent.hosts.items()}
    found = ((host, shares.get(design.network.group_of(host))) for host in design.network.hosts)
    return {host: plane for host, plane in found if plane is not None}


def guarded(design: SiteDesign) -> tuple[Mapping[str, frozenset[str]], Mapping[str, str]]:
    """Group of hosts -> the planes between which role plane_guard drops; and why that is not known of hosts.

    Hosts of a group have the same planes, so the first one stands for all.
    """
    first: dict[str, str] = {}
    for host in design.network.hosts:
        first.setdefault(design.network.group_of(host), host)
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
