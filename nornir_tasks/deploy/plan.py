"""The plan: what a push would change on one switch, how disruptive it is, and whether we may. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from nornir_tasks.deploy import unused_ports
from nornir_tasks.deploy.changed_defaults import as_it_would_print
from nornir_tasks.deploy.cut_off import refuse_cut_off
from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.evidence import NO_EVIDENCE, Evidence, covers
from nornir_tasks.deploy.open_trunks import leave_open, refuse_narrowing, refuse_opening
from nornir_tasks.deploy.removals import Sides, settled
from nornir_tasks.deploy.taking_back import taken_back
from nornir_tasks.deploy.wanted import Wanted, is_protected, of_owners
from nornir_tasks.design.model.claims import SWITCH, digest
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import Drain, drain_of
from nornir_tasks.design.model.network import EVERYWHERE
from nornir_tasks.drivers.company import Company
from nornir_tasks.drivers.session import Waiting
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.intent.core.secret_name import without_names
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path, difference
from nornir_tasks.platforms.ownership import Rule, is_by, join, split, things
from nornir_tasks.platforms.platform import Candidate

MOST_NAMED = 8
"""Objects that a message names."""
_ROUTES = frozenset({"prefix", "route", "pool route"})
"""How owners of static routes are found."""


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """The change of one switch, with the trees it comes from. No changes: it already is exactly as wanted.

    Megabytes: kept while one switch is worked on, and of all switches only its summary.
    """

    device: str
    changes: tuple[Change, ...]
    running: ConfigTree
    """The whole running configuration."""
    owned_before: ConfigTree
    owned_after: ConfigTree
    """What is wanted of these sections, with the first lines of blocks that stay for lines of others."""
    foreign_before: ConfigTree
    """Everything on the switch that is not part of this push; the gate checks that it is unchanged afterwards."""
    others: tuple[Others, ...] = ()
    """Lines that are not shown to be ours, and that this push meets: in its way, or left alone."""
    is_saved: bool = True
    """The running configuration is saved."""
    waiting: Waiting | None = None
    """An unconfirmed commit: the running configuration will be reverted."""
    unused: frozenset[str] = frozenset()
    """Ports without a cable of the intent that change."""
    unshown: tuple[str, ...] = ()
    """Places of wanted secrets that the switch does not show: taken for what was sent last, not compared."""
    company: tuple[Company, ...] = ()
    """Open changes beside which the switch is not pushed to."""
    lacks_bytes: int = 0
    """Room that the files of this change would need, and the switch does not have."""


def device_plan(
    wanted: Wanted,
    running_text: str,
    evidence: Evidence = NO_EVIDENCE,
    *,
    allow_management: bool = False,
    first_push: bool = False,
) -> DevicePlan:
    """Compare the running with the wanted configuration.

    ``evidence``: what is shown to be ours; nothing else is removed. ``first_push``: of the management path, accounts
    may change.

    RefusedError if the change would cut the management path, or the switch runs what ours must not stand beside.
    """
    os = wanted.platform
    running = os.to_tree(running_text)
    _refuse_obstacles(wanted, running)
    found = sides(wanted, running, evidence)
    _refuse_adopted_in_vain(wanted, running, evidence)
    changes = found.changes
    plan = DevicePlan(wanted.device, changes, running, found.owned, found.after, found.foreign, found.others)
    if not changes:
        return plan
    plan = replace(plan, unused=frozenset(unused_ports.touched(wanted, changes).values()))
    _refuse_second_default(wanted, changes, found.foreign)
    refuse_cut_off(wanted, changes, found.foreign)
    refuse_narrowing(wanted, changes, running)
    refuse_opening(wanted, running, join((found.foreign, found.after)))
    if not allow_management:
        guarded = tuple(each for each in changes if not (first_push and is_by(each.path, os.ownership, "account")))
        _refuse_protected(wanted, guarded, os.management_path(running))
    return plan


def candidate(wanted: Wanted, plan: DevicePlan) -> Candidate:
    """The change in the form that its switch takes; only a push needs it.

    RefusedError if the switch would refuse it as it runs; the plan has such a change all the same.
    """
    found = wanted.platform.live_obstacles(plan.running, plan.changes)
    if found:
        raise RefusedError(Problem(wanted.device, each.what, each.expected, hint=each.hint) for each in found)
    return wanted.platform.candidate(plan.running, plan.owned_before, plan.owned_after)


def running_config(wanted: Wanted, plan: DevicePlan) -> DeviceConfig:
    """The owned part of the running configuration, parsed. An unchanged one is not parsed again."""
    if not plan.changes and wanted.is_whole:
        return wanted.config
    os = wanted.platform
    before = os.spelt_out(plan.owned_before, os.defaults(plan.running))
    return os.parse(before, wanted.capabilities, wanted.device, wanted.config.model).config


def running_drain(wanted: Wanted, plan: DevicePlan) -> Drain | None:
    """The drain that the switch has and that this plan would end; looked for only where lines of route maps go."""
    gone = (each.path for each in plan.changes if each.op == "-")
    if not any("route-map" in part for path in gone for part in path):
        return None
    return drain_of(running_config(wanted, plan))


def wanted_config(wanted: Wanted) -> DeviceConfig:
    """The wanted configuration of these owners, parsed: limited like ``running_config``."""
    if wanted.is_whole:
        return wanted.config
    return wanted.platform.parse(wanted.tree, wanted.capabilities, wanted.device, wanted.config.model).config


def _leave_shared_headers(owned: ConfigTree, foreign: ConfigTree, wanted: ConfigTree, rules: Sequence[Rule]) -> None:
    """A container of ours that is no longer wanted stays if it contains lines of others and none of ours.

    Not if another container of the kind replaces it (a BGP process has one ASN): that is refused.
    """
    for node in list(owned.children.values()):
        strangers = foreign.get(node.text)
        found = next((each for each in rules if each.shared and each.pattern.fullmatch(node.text)), None)
        if found is None:
            continue
        if strangers:
            _leave_shared_headers(node, strangers, wanted.get(node.text) or ConfigTree(), found.children)
        if not strangers or node.children:
            continue
        if not any(found.pattern.fullmatch(text) for text in wanted.children):
            del owned.children[node.text]


def sides(wanted: Wanted, running: ConfigTree, evidence: Evidence = NO_EVIDENCE) -> Sides:
    """A running configuration as this push sees it: what it may change, into what, and what it leaves alone.

    What plan and gate compare: containers that others use, and that this push has nothing more to put into, are theirs.
    """
    if wanted.undoes is not None:
        return taken_back(wanted, running, wanted.undoes)
    wanted = as_it_would_print(wanted, running)
    os, tree = wanted.platform, wanted.tree
    parts = split(running, os.ownership, wanted.claims)
    owned = of_owners(os, parts, wanted.sends)
    foreign = join(part for owner, part in parts.items() if not wanted.sends(owner))
    if not wanted.is_whole:
        owned, foreign = leave_open(os, owned, foreign, tree)
    if evidence.adopted:
        owned, foreign = _moved(owned, foreign, evidence.shown(os).takes_over)
    if SWITCH in wanted.owners and evidence.last_claims not in {"", digest(wanted.claims)}:
        nobodys = parts[None].paths()
        owned, foreign = _moved(owned, foreign, lambda path: path in nobodys and evidence.shown(os).has(path))
    _leave_shared_headers(owned, foreign, tree, os.ownership)
    found, used = Sides(owned, tree, foreign, tuple(difference(owned, tree))), tuple[Others, ...]()
    if ports := unused_ports.touched(wanted, found.changes):
        used = tuple(unused_ports.in_use(wanted, ports, running, tree, evidence.shown(os), evidence.heard))
        rest = ports.keys() - {each.path for each in used}
        kept = unused_ports.as_built(wanted, rest, running, owned, tree, evidence.shown(os))
        if kept is not tree:
            tree, found = kept, Sides(owned, kept, foreign, tuple(difference(owned, kept)))
    if used:
        owned, foreign, tree = unused_ports.left(owned, foreign, tree, [each.path for each in used])
        found = Sides(owned, tree, foreign, tuple(difference(owned, tree)))
    found = settled(wanted, found, lambda: evidence.shown(os))
    more = (each for each in found.others if not any(covers(port.path, each.path) for port in used))
    return replace(found, others=(*used, *more)) if used else found


def _moved(owned: ConfigTree, foreign: ConfigTree, is_ours: Callable[[Path], bool]) -> tuple[ConfigTree, ConfigTree]:
    """Both parts, with further lines counted as ours: what is adopted, and what an owner of earlier left."""
    moved = [(path, node.line) for path, node in foreign.walk() if is_ours(path)]
    if not moved:
        return owned, foreign
    owned, foreign, paths = owned.copy(), foreign.copy(), [path for path, _ in moved]
    for each, line in moved:
        owned.add_path(each, line)
    left = {each[:depth] for each in paths for depth in range(1, len(each) + 1)}
    for path in sorted(left, key=len, reverse=True):
        above = foreign.get(*path[:-1])
        if above is not None and path[-1] in above.children and not above.children[path[-1]].children:
            del above.children[path[-1]]  # what it was in goes with it, where nothing else of others is there
    return owned, foreign


def _remove(tree: ConfigTree, path: Path) -> None:
    """Unless lines are below it."""
    above, node = tree.get(*path[:-1]), tree.get(*path)
    if above is not None and node is not None and not node.children:
        del above.children[path[-1]]


def took_effect(wanted: Wanted, running: ConfigTree, before: str, after: str) -> bool:
    """Does the switch run what a push had made of it (``after``), and not what was there ``before``?

    Told by the lines that it added and removed: what others typed since says nothing about it. A secret that has
    another value by now is not known by its name any more, and some switches show none: then the push is told by all
    else that it changed. One that changed nothing but secrets is told by these alone.
    """
    os = wanted.platform
    if _runs(running, os.to_tree(before), os.to_tree(after)):
        return True
    earlier, later = without_names(before), without_names(after)
    runs = os.to_tree(without_names(os.to_text(running)))
    return earlier != later and _runs(runs, os.to_tree(earlier), os.to_tree(later))


def _runs(running: ConfigTree, before: ConfigTree, after: ConfigTree) -> bool:
    """Are more of the lines that were to change as they became than as they were?"""
    changes = tuple(difference(before, after))
    became = sum((running.get(*each.path) is not None) == (each.op == "+") for each in changes)
    return 2 * became > len(changes)


def _refuse_obstacles(wanted: Wanted, running: ConfigTree) -> None:
    """Refuse a switch that a configuration of another kind rules, whether or not a line of ours would change."""
    found = wanted.platform.obstacles(running)
    if found:
        raise RefusedError(Problem(wanted.device, each.what, each.expected, hint=each.hint) for each in found)


def _refuse_adopted_in_vain(wanted: Wanted, running: ConfigTree, evidence: Evidence) -> None:
    """Refuse to adopt what is not there, or what no push of this site meets. What was adopted before is no mistake."""
    if not evidence.adopted:
        return
    unaided = sides(wanted, running, replace(evidence, adopted=()))
    problems = []
    for name in evidence.adopted:
        there = [path for path, _ in running.walk() if covers(name, path)]
        met = any(covers(name, each.path) or covers(each.adopt, name) for each in unaided.others)
        if met or evidence.was_adopted(name):
            continue
        what = "is in the way of nothing that the intent wants there" if there else "is not on this switch"
        problems.append(
            Problem(
                where=wanted.device,
                what=f"--adopt {wanted.device}:{' / '.join(name)}: this {what}",
                expected="an object that 'nornir plan' lists among lines of others",
                found=_names([" / ".join(each.adopt) for each in unaided.others]) or "none listed for this switch",
            )
        )
    if problems:
        raise RefusedError(problems)


def _names(objects: Sequence[str]) -> str:
    listed = list(dict.fromkeys(objects))
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return "; ".join(listed[:MOST_NAMED]) + more


def _refuse_second_default(wanted: Wanted, changes: tuple[Change, ...], foreign: ConfigTree) -> None:
    """A default route of others beside one that comes: hosts' packets would go by both, half of them astray."""
    coming = _default_routes(wanted, (each.path for each in changes if each.op == "+"))
    theirs = _default_routes(wanted, (path for path, node in foreign.walk() if not node)) if coming else {}
    clashing = coming.keys() & theirs.keys()
    if clashing:
        raise RefusedError(
            Problem(
                where=wanted.device,
                what="a default route of others would stand beside the one of a way out: packets would go by both",
                expected=" / ".join(coming[each]),
                found=" / ".join(theirs[each]),
                hint="if no session to the switch needs it, take it out there, or have the push do so: "
                f"--adopt '{' / '.join(each)}'",
            )
            for each in sorted(clashing)
        )


def _default_routes(wanted: Wanted, paths: Iterable[Path]) -> dict[Path, Path]:
    """Static default routes among these lines: the route, in its VRF, and the last line of it."""
    found: dict[Path, Path] = {}
    for path in paths:
        for each in things(path, wanted.platform.ownership):
            if each.by in _ROUTES and each.key.rpartition(" ")[2] in EVERYWHERE:
                found[each.path] = path
    return found


def _refuse_protected(wanted: Wanted, changes: tuple[Change, ...], more: tuple[str, ...]) -> None:
    os = wanted.platform
    problems = [
        Problem(
            where=wanted.device,
            what=f"the change would touch the management path to the switch: {change}",
            hint=f"if that is intended, use --allow-management {wanted.device}",
        )
        for change in changes
        if is_protected(change.path, os, more)
    ]
    if problems:
        raise RefusedError(problems)
