"""Trunks that list no VLANs and so carry all of them: the first list that a push puts there takes the others off. Pure.

A push of all planes brings the whole list, and its plan has a line for what goes. A push of some planes knows only
theirs: it is refused, or leaves the port alone if it has no VLAN for it.
"""

import re
from collections.abc import Iterator

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.platforms.platform import OpenTrunk, Platform
from nornir_tasks.platforms.vlan_lists import ranges


def leave_open(
    os: Platform, owned: ConfigTree, foreign: ConfigTree, after: ConfigTree
) -> tuple[ConfigTree, ConfigTree]:
    """Both parts of what runs; an open trunk stays one, as if it were others', if some planes' push lists none there.

    ``after``: what that push makes of its part.
    """
    left = [each for each in os.open_trunks(owned) if after.get(*each.path[:-1]) and after.get(*each.path) is None]
    listed = {found["port"] for path, _ in after.walk() if (found := _entry(os, path))} if left else ()
    left = [each for each in left if each.port not in listed]
    if left:
        owned, foreign = owned.copy(), foreign.copy()
        for each in left:
            *above, line = each.path
            owned.add_path(tuple(above)).children.pop(line)
            owned.add_path(each.empty_list)
            foreign.add_path(each.path)
    return owned, foreign


def refuse_narrowing(wanted: Wanted, changes: tuple[Change, ...], running: ConfigTree) -> None:
    """Raises RefusedError if a push of some planes lists its VLANs on a trunk that carries all."""
    if not wanted.is_whole:
        problems = list(_narrowed(wanted, changes, running))
        if problems:
            raise RefusedError(problems)


def refuse_opening(wanted: Wanted, running: ConfigTree, after: ConfigTree) -> None:
    """Raises RefusedError if a push of some planes leaves a trunk without a VLAN where that means all VLANs.

    ``after``: all that the switch will run.
    """
    os = wanted.platform
    if not wanted.is_whole and (opened := os.empty_lists(after) - os.empty_lists(running)):
        raise RefusedError(
            Problem(
                where=f"{wanted.device} {port}",
                what="no VLAN of these planes is on this port, which without a list would carry all of the switch",
                expected="a VLAN on the port, or a push of all planes",
                found="none of other planes there yet",
                hint="first push a plane that has a VLAN on the port, or push all planes together",
            )
            for port in sorted(opened)
        )


def _narrowed(wanted: Wanted, changes: tuple[Change, ...], running: ConfigTree) -> Iterator[Problem]:
    gone = {change.path for change in changes if change.op == "-"}
    coming: dict[str, list[int]] = {}
    for found in (_entry(wanted.platform, change.path) for change in changes if change.op == "+"):
        if found:
            coming.setdefault(found["port"], []).append(int(found["vlan"]))
    for each in wanted.platform.open_trunks(running):
        if each.path in gone and each.port in coming:
            yield _problem(wanted, each, coming[each.port])


def _entry(os: Platform, path: Path) -> re.Match[str] | None:
    return re.fullmatch(os.vlan_entry, " / ".join(path)) if os.vlan_entry else None


def _problem(wanted: Wanted, trunk: OpenTrunk, coming: list[int]) -> Problem:
    only = f"VLAN{'s' * (len(coming) > 1)} {ranges(coming)}"
    return Problem(
        where=f"{wanted.device} {trunk.port}",
        what=f"the port lists no VLANs and so carries all; this push would leave it {only} alone",
        expected="a list of the VLANs that the port carries, or a push of all planes",
        found=f"all VLANs, of which the switch has {ranges(trunk.vlans)}" if trunk.vlans else "all VLANs of the bridge",
        hint="put the list of what it should go on carrying on the port, or push all planes together",
    )
