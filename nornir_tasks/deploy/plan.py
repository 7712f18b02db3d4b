"""The plan: what a push would change on one switch, how disruptive it is, and whether we may. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nornir_tasks.deploy.changed_defaults import as_it_would_print
from nornir_tasks.deploy.open_trunks import leave_open, refuse_narrowing, refuse_opening
from nornir_tasks.deploy.their_lags import refuse_their_lags
from nornir_tasks.deploy.wanted import Wanted, is_protected, of_owners
from nornir_tasks.design.claims import SWITCH
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.drivers.session import Waiting
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.intent.secret_name import without_names
from nornir_tasks.platforms.config_tree import Change, ConfigTree, difference
from nornir_tasks.platforms.ownership import Rule, is_by, join, split, with_kept_blocks
from nornir_tasks.platforms.platform import Candidate


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
    """What is wanted of these sections, with the first lines of blocks of others that have lines of ours to lose."""
    foreign_before: ConfigTree
    """Everything on the switch that is not part of this push; the gate checks that it is unchanged afterwards."""
    is_saved: bool = True
    """The running configuration is saved."""
    waiting: Waiting | None = None
    """An unconfirmed commit: the running configuration will be reverted."""
    unshown: tuple[str, ...] = ()
    """Places of wanted secrets that the switch does not show: taken for what was sent last, not compared."""


def device_plan(
    wanted: Wanted, running_text: str, *, allow_management: bool = False, first_push: bool = False
) -> DevicePlan:
    """Compare the running with the wanted configuration.

    ``first_push``: of the management path, accounts may change.

    RefusedError if the change would cut the management path, or the switch runs what ours must not stand beside.
    """
    os = wanted.platform
    running = os.to_tree(running_text)
    _refuse_obstacles(wanted, running)
    wanted = as_it_would_print(wanted, running)
    owned, foreign = split_running(wanted, running)
    after = with_kept_blocks(wanted.tree, owned, foreign, wanted.platform.ownership)
    changes = tuple(difference(owned, after))
    if not changes:
        return DevicePlan(wanted.device, (), running, owned, after, foreign)
    _refuse_their_vlan(wanted, changes, owned)
    refuse_their_lags(wanted, changes, running)
    refuse_narrowing(wanted, changes, running)
    refuse_opening(wanted, running, join((foreign, after)))
    if not allow_management:
        guarded = tuple(each for each in changes if not (first_push and is_by(each.path, os.ownership, "account")))
        _refuse_protected(wanted, guarded, os.management_path(running))
    _refuse_collateral(wanted, changes, foreign)
    return DevicePlan(wanted.device, changes, running, owned, after, foreign)


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


def split_running(wanted: Wanted, running: ConfigTree) -> tuple[ConfigTree, ConfigTree]:
    """The part of a running configuration that this push owns, and the rest.

    What plan and gate compare: containers that others use, and that this push has nothing more to put into, are theirs.
    """
    parts = split(running, wanted.platform.ownership, wanted.claims)
    owned = of_owners(wanted.platform, parts, wanted.sends)
    foreign = join(part for owner, part in parts.items() if not wanted.sends(owner))
    if not wanted.is_whole:
        owned, foreign = leave_open(wanted.platform, owned, foreign, wanted.tree)
    _leave_shared_headers(owned, foreign, wanted.tree, wanted.platform.ownership)
    return owned, foreign


def runs_still(wanted: Wanted, running: ConfigTree, owners: frozenset[str], after: ConfigTree) -> bool:
    """Does the switch run what a push about these owners, maybe others than this one's, had made of it?"""
    parts = split(running, wanted.platform.ownership, wanted.claims)
    theirs = owners | wanted.claims.shared if SWITCH in owners else owners
    present = of_owners(wanted.platform, parts, theirs.__contains__)
    others = join(part for owner, part in parts.items() if owner not in theirs)
    if not theirs >= wanted.claims.planes:
        present, others = leave_open(wanted.platform, present, others, after)
    _leave_shared_headers(present, others, after, wanted.platform.ownership)
    return not any(difference(present, after))


def took_effect(wanted: Wanted, running: ConfigTree, owners: frozenset[str], before: str, after: str) -> bool:
    """Does the switch run what a push had made of it (``after``), and not what was there ``before``?

    A secret that has another value by now is not known by its name any more, and some switches show none: then the
    push is told by all else that it changed. One that changed nothing but secrets is told by these alone.
    """
    os = wanted.platform
    if runs_still(wanted, running, owners, os.to_tree(after)):
        return True
    earlier, later = without_names(before), without_names(after)
    runs = os.to_tree(without_names(os.to_text(running)))
    return earlier != later and runs_still(wanted, runs, owners, os.to_tree(later))


def _refuse_obstacles(wanted: Wanted, running: ConfigTree) -> None:
    """Refuse a switch that a configuration of another kind rules, whether or not a line of ours would change."""
    found = wanted.platform.obstacles(running)
    if found:
        raise RefusedError(Problem(wanted.device, each.what, each.expected, hint=each.hint) for each in found)


def _refuse_their_vlan(wanted: Wanted, changes: tuple[Change, ...], owned: ConfigTree) -> None:
    """Refuse a VLAN of others with our number: its ports would be joined with our hosts."""
    vlans = [vlan for vlan in wanted.config.vlans if any(_is_of(change, vlan) for change in changes)]
    if not vlans:
        return
    running = wanted.platform.parse(owned, wanted.capabilities, wanted.device, wanted.config.model).config
    problems = [
        Problem(
            where=wanted.device,
            what=f"VLAN {vlan.number} exists already, without a sign that it is ours",
            expected="a VLAN that this switch does not have, or ours",
            found=theirs,
            hint="choose another number that is free on all leaves (hosts.vlan), or remove the VLAN by hand",
        )
        for vlan in vlans
        if (theirs := _theirs(wanted, vlan, running)) is not None
    ]
    if problems:
        raise RefusedError(problems)


def _is_of(change: Change, vlan: Vlan) -> bool:
    """Does a change touch this VLAN or its SVI: ``vlan 200``, ``interface Vlan200``, ``... / vlan / 200``?"""
    return re.search(rf"\bvlan(?: / | )?{vlan.number}\b", " / ".join(change.path), re.IGNORECASE) is not None


def _theirs(wanted: Wanted, vlan: Vlan, running: DeviceConfig) -> str | None:
    """The present VLAN and SVI of this number, if nothing of them is ours.

    It is ours if it has our name, our SVI's address or one of our host ports; the others may have been removed by hand.
    """
    there = next((each for each in running.vlans if each.number == vlan.number), None)
    name = f"{wanted.capabilities.svi_prefix}{vlan.number}"
    svi = next((each for each in running.interfaces if each.name == name), None)
    if there is None and svi is None:
        return None
    ports = {port.name: port for port in wanted.config.interfaces}
    signs = [there is not None and vlan.name is not None and there.name == vlan.name]
    signs += [svi is not None and svi.address == ports[name].address]
    signs += [_is_in(port, vlan) for port in running.interfaces if _is_in(ports.get(port.name), vlan)]
    if any(signs):
        return None
    named = f" named {there.name}" if there is not None and there.name else " without a name"
    address = f", its SVI with {svi.address}" if svi is not None and svi.address else ""
    return f"VLAN {vlan.number}{named}{address}"


def _is_in(port: Interface | None, vlan: Vlan) -> bool:
    numbers = () if port is None else (port.access_vlan, port.native_vlan, *(port.tagged_vlans or ()))
    return vlan.number in numbers


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


def _refuse_collateral(wanted: Wanted, changes: tuple[Change, ...], foreign: ConfigTree) -> None:
    """Removing a container removes all lines below it, ours or not (``router bgp`` when the ASN differs).

    Removing a VRF removes all its lines, wherever they are configured.
    """
    problems = []
    for change in (each for each in changes if each.op == "-"):
        lost = foreign.get(*change.path)
        below = sorted(path for path, _ in lost.walk()) if lost else _in_vrf(wanted, change, foreign)
        if below:
            found = " / ".join(below[0]) + (" and more" if len(below) > 1 else "")
            problems.append(_collateral(wanted, change, found, _planes_in(wanted, change, foreign)))
    if problems:
        raise RefusedError(problems)


def _collateral(wanted: Wanted, change: Change, found: str, planes: str) -> Problem:
    """The refusal; ``planes``: those of ours that lose lines and are not part of this push."""
    removing = f"removing '{' / '.join(change.path)}' would also remove lines"
    if planes:
        hint = f"roll back {planes} first ('nornir pushes' lists the pushes), or push all planes together"
        return Problem(wanted.device, f"{removing} of {planes}", found=found, hint=hint)
    hint = "move those lines by hand first, or declare in the intent the value the switch already has"
    return Problem(wanted.device, f"{removing} that are not ours", found=found, hint=hint)


def _planes_in(wanted: Wanted, change: Change, foreign: ConfigTree) -> str:
    """The planes beside those of this push that own lines below a removed container: "plane a and plane b"."""
    parts = split(foreign, wanted.platform.ownership, wanted.claims)
    beside = sorted(wanted.claims.planes - wanted.owners)
    return " and ".join(f"plane {plane}" for plane in beside if parts[plane].get(*change.path))


def _in_vrf(wanted: Wanted, change: Change, foreign: ConfigTree) -> list[tuple[str, ...]]:
    """Lines of others in a VRF, if the change removes the line that creates it."""
    pattern = wanted.platform.vrf_line
    made = re.fullmatch(pattern, " / ".join(change.path)) if pattern else None
    if made is None:
        return []
    says = re.compile(rf"(?:.* )?vrf (?:member )?{re.escape(made['name'])}(?: .*)?")
    return sorted(path for path, _ in foreign.walk() if any(says.fullmatch(line) for line in path))
