"""Prove what the rendered configurations of a whole site do, or those that its switches run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from nornir_tasks.design.demand.flows import services_of
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.flow_terms import Service
from nornir_tasks.drivers.session import Running
from nornir_tasks.errors import GpufabricError, IntentError, Problem, UndecidedError, ValidationFailed
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.proofs import class_path, headroom_fits, isolation, layer1, marks_first, mtus, pauses
from nornir_tasks.proofs.cables import Read
from nornir_tasks.proofs.isolation import Isolation
from nornir_tasks.proofs.quotes import Quotes, Source
from nornir_tasks.proofs.rules.judge import Guarded
from nornir_tasks.proofs.treatment import ReadSwitch
from nornir_tasks.proofs.unsure import SURE, Seen, Unsure, unsure, with_open_trunks
from nornir_tasks.proofs.verdicts import Outcome
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.parallel_plans import in_two
from nornir_tasks.usecases.progress import On, Work, following, ignore
from nornir_tasks.usecases.proofs.prove_boundary import BOUNDARY, firewalls_unread, prove_boundary, with_edges
from nornir_tasks.usecases.reach import Access, Reach
from nornir_tasks.usecases.site import Selection, SiteDesign, select

ISOLATION = "isolation"
_OF_CABLES: Mapping[str, Callable[[Read], Outcome]] = MappingProxyType(
    {each.NAME: each.judge for each in (class_path, pauses, headroom_fits, mtus, layer1, marks_first)}
)
PROOFS = (ISOLATION, BOUNDARY, *_OF_CABLES)
"""The proofs there are, by name."""


@dataclass(frozen=True, slots=True)
class Proved:
    """What was proved of a site."""

    isolation: Isolation | None
    """None: it was not to be proved."""
    outcomes: tuple[Outcome, ...]
    """Of the proofs of cables, in the order of PROOFS."""
    undecided: tuple[Problem, ...]
    """What could not be told; it never counts as proved."""
    quotes: Quotes
    """Looks up the lines behind a verdict."""
    boundary: Guarded | None = None
    """None: it was not to be proved, or the site has none."""
    left_out: tuple[str, ...] = ()
    """The proofs that were not asked for, or that were to be left out."""


def prove(
    design: SiteDesign,
    only: tuple[str, ...] = (),
    on: On = ignore,
    firewalls: str | None = None,
    without: tuple[str, ...] = (),
) -> Proved:
    """Render every switch, read that back, and judge it. Raises IntentError for a proof that there is not.

    ``firewalls``: a folder with what the firewalls run, to be judged in place of what their roles load.
    ``without``: proofs that are left out.
    """
    chosen = _chosen(only, without)
    selection = select(design)
    seen = rendered(selection, on)

    def source(name: str) -> Source:
        each = selection[name]
        tree = each.platform.to_tree(each.text)
        return Source(f"{name}{each.platform.file_suffix}", tree, each.platform.lossless)

    return _proved(design, chosen, seen, SURE, source, firewalls=partial(prove_boundary, folder=firewalls))


def prove_running(
    design: SiteDesign,
    reach: Reach,
    only: tuple[str, ...] = (),
    on: On = ignore,
    firewalls: str | None = None,
    without: tuple[str, ...] = (),
) -> Proved:
    """Read what every switch runs, and judge that; nothing is changed.

    A switch that does not answer, and lines that may decide and are not known, leave open what they touch.
    Raises IntentError for a proof that there is not.
    """
    chosen = _chosen(only, without)
    access, selection = Access(reach, on), select(design)
    selection = selection.with_releases(access.accepted(selection))
    texts: dict[str, str] = {}
    with access.fleet(selection.design, selection) as switches:
        found = access.read(Work.READ, len(selection), partial(switches.read, partial(_seen, selection, texts)))
    unreachable = {name: str(error.problems[0].what) for name, error in found.errors.items()}
    seen = {name: found.values[name] for name in selection if name in found.values}
    doubts = SURE
    if {ISOLATION, BOUNDARY} & {*chosen}:
        wanted = {name: selection.realised(name).config for name in found.values}
        doubts = unsure(design.network, wanted, found.values, platforms(), unreachable)

    def source(name: str) -> Source:
        os = platforms()[selection.devices[name].os]
        return Source(f"running configuration of {name}", os.to_tree(texts[name]), os.lossless)

    judge_firewalls = firewalls_unread if firewalls is None else partial(prove_boundary, folder=firewalls)
    return _proved(design, chosen, seen, doubts, source, unreachable, firewalls=judge_firewalls)


def _chosen(only: tuple[str, ...], without: tuple[str, ...]) -> tuple[str, ...]:
    """The proofs to be made, in the order of PROOFS."""
    for option, names in (("--only", only), ("--without", without)):
        if unknown := [each for each in names if each not in PROOFS]:
            what = f"no such proof: {', '.join(unknown)}"
            raise IntentError(Problem(option, what, expected=f"one of {', '.join(PROOFS)}"))
    found = tuple(each for each in PROOFS if each in (only or PROOFS) and each not in without)
    if not found:
        raise IntentError(Problem("--without", "no proof is left"))
    return found


def _proved(
    design: SiteDesign,
    chosen: tuple[str, ...],
    seen: Mapping[str, Seen],
    doubts: Unsure,
    source: Callable[[str], Source],
    unreachable: Mapping[str, str] = MappingProxyType({}),
    *,
    firewalls: Callable[[SiteDesign], tuple[Guarded | None, list[Problem]]],
) -> Proved:
    found, problems = None, list[Problem]()
    if ISOLATION in chosen:
        found, problems = _isolated(design, {name: with_open_trunks(each) for name, each in seen.items()}, doubts)
    guarded_by_rules = None
    if BOUNDARY in chosen:
        guarded_by_rules, more = firewalls(design)
        problems += more
        configs = {name: each.config for name, each in seen.items()}
        guarded_by_rules, more = with_edges(design, configs, doubts, guarded_by_rules)
        problems += more
    judges = [judge for name, judge in _OF_CABLES.items() if name in chosen]
    outcomes = list[Outcome]()
    if judges:
        read = _read(design, seen, unreachable)
        outcomes = [judge(read) for judge in judges]
        problems += [
            Problem(f"{each.name}", f"{count} {each.unit} could not be told", found=reason, hint=_UNKNOWN)
            for each in outcomes
            for reason, count in each.undecided.items()
        ]
    left_out = tuple(each for each in PROOFS if each not in chosen)
    return Proved(found, tuple(outcomes), tuple(problems), Quotes(source), guarded_by_rules, left_out)


_UNKNOWN = "take the line away, or judge by hand what it does to packets"


def _isolated(
    design: SiteDesign, configs: Mapping[str, DeviceConfig], doubts: Unsure
) -> tuple[Isolation, list[Problem]]:
    by_group, reasons = guarded(design)
    found = isolation.judge(design.network, configs, by_group, services(design), doubts, shared_bmcs(design))
    problems = [Problem(where, "could not be proved", found=why) for where, why in reasons.items()]
    for each in found.undecided:
        where, _, why = each.partition(": ")
        problems.append(Problem(where, "isolation could not be told", found=why, hint=_HINT))
    return found, problems


_HINT = "take it away, or judge by hand what it lets pass: the pairs of hosts on its fabric are not proved"


def _read(design: SiteDesign, seen: Mapping[str, Seen], unreachable: Mapping[str, str]) -> Read:
    """Both ends of every cable: switches as read, hosts as their variables have them."""
    switches = {}
    for name, each in seen.items():
        device = design.network.device(name)
        switches[name] = ReadSwitch(
            each.config,
            tuple(path for path in each.unread if path not in each.missing),
            tuple(each.missing),
            platforms()[device.os].lossless,
            device.capabilities.has_class_mtu,
            each.reverts,
        )
    hosts: Mapping[str, Mapping[str, Any]] = {}
    why = ""
    try:
        hosts = host_inventory(design.site.intent, design.network, design.catalogue).variables
    except GpufabricError as error:
        why = f"to hosts without variables ({error.problems[0].where}: {error.problems[0].what})"
    return Read(design.network, switches, hosts, unreachable, why)


def _seen(selection: Selection, texts: dict[str, str], name: str, running: Running) -> Seen:
    """What one switch runs: whole, others' lines among it."""
    device = selection.devices[name]
    os = platforms()[device.os]
    tree = os.to_tree(running.text)
    texts[name] = running.text
    parsed = os.parse(os.spelt_out(tree, os.defaults(tree)), device.capabilities, name, device.model)
    unread, missing = _beside(tree, parsed.remainder)
    trunks = os.open_trunks(tree)
    return Seen(parsed.config, unread, trunks, reverts=running.waiting is not None, missing=missing)


def _beside(tree: ConfigTree, remainder: ConfigTree) -> tuple[tuple[Path, ...], frozenset[Path]]:
    """What the parser left over, and of it what it misses: it says so with lines that are not there."""
    left = tuple(path for path, node in remainder.walk() if not node) if remainder else ()
    return left, frozenset(path for path in left if tree.get(*path) is None)


def rendered(selection: Selection, on: On = ignore) -> dict[str, Seen]:
    """Switch -> what its rendered lines say, read by the parser that reads switches."""
    found = {}
    names = tuple(selection)
    with (
        in_two(partial(_read_back, selection), names) as results,
        following(on, Work.RENDER, len(names)) as step,
    ):
        for name, seen in results:
            found[name] = seen
            step(name)
    return {name: found[name] for name in names}


def _read_back(selection: Selection, name: str) -> Seen:
    each = selection[name]
    parsed = each.platform.parse(each.tree, each.capabilities, name, each.config.model)
    unread, missing = _beside(each.tree, parsed.remainder)
    return Seen(parsed.config, unread, missing=missing)


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


def require_proved(found: Proved, only: tuple[str, ...] = ()) -> None:
    """Raises ValidationFailed if something is not as it must be, UndecidedError if something could not be told.

    What no line of an OS shows could not be told either, and no push would change that: it counts where its proof was
    chosen by name (``only``).
    """
    problems = list(_failed_isolation(found.isolation)) if found.isolation is not None else []
    if found.boundary is not None and found.boundary.failed:
        count = len(found.boundary.failed)
        what = f"{count} pair{'s' * (count != 1)} not as the flow matrix says, {found.boundary.summary()}"
        problems.append(Problem("prove", what))
    problems += [
        Problem("prove", f"{each.name} does not hold of {len(each.broken)} of {each.judged} {each.unit}")
        for each in found.outcomes
        if each.broken
    ]
    if problems:
        raise ValidationFailed(problems)
    undecided = list(found.undecided)
    undecided += [
        Problem(each.name, f"{count} {each.unit} could not be told", found=reason)
        for each in found.outcomes
        if each.name in only
        for reason, count in each.not_shown.items()
    ]
    if undecided:
        raise UndecidedError(undecided)


def _failed_isolation(found: Isolation) -> Iterator[Problem]:
    failed = found.failed
    if failed:
        what = f"{len(failed)} pair{'s' * (len(failed) != 1)} not as asked, {found.summary()}"
        crosses = any(each.source.plane != each.destination.plane for each in failed)
        hint = "a plane with flows of its own refuses all else, from other planes too" if crosses else ""
        yield Problem("prove", what, hint=hint)
