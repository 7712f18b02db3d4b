"""The list of a trunk's VLANs, which EOS and NX-OS print in one line: as a line for each, and as one line again.

Each VLAN of a trunk may have another owner, so a tree has one line of each, in whatever groups a switch prints them. A
switch takes the whole list at once, so what is sent is put together again, with the VLANs of others among them.

A trunk that prints no list carries every VLAN: in a tree it has the line ``ALL``, so that a list in its place is a
difference. A list without a VLAN (``none``) is no line in a tree.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.platform import OpenTrunk

ALLOWED = "switchport trunk allowed vlan "
"""A list that a switch prints in several lines goes on with ``add`` (NX-OS)."""
NONE = f"{ALLOWED}none"
ALL = f"{ALLOWED}all"
VLAN_ENTRY = rf"interface (?P<port>\S+) / {ALLOWED}(?P<vlan>\d+)"
"""One VLAN of a list, as a tree has it."""
TRUNK = "switchport mode trunk"
_VLAN = re.compile(r"vlan (\d+)")
_FIRST_VLAN = 1
"""Both systems have it always, and print no line of it on its own."""


def numbers(text: str) -> Iterator[int]:
    """``10,20-22`` -> 10, 20, 21, 22."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def ranges(vlans: Iterable[int]) -> str:
    """The other way, ascending: 10, 20, 21, 22 -> ``10,20-22``."""
    runs: list[list[int]] = []
    for number in sorted(vlans):
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs)


def one_vlan_each(line: str) -> tuple[str, ...]:
    """``switchport trunk allowed vlan 10,20-21`` -> one such line for each VLAN; any other line as it is."""
    listed = line.removeprefix(ALLOWED).removeprefix("add ")
    if not line.startswith(ALLOWED) or not listed[:1].isdecimal():
        return (line,)
    return tuple(f"{ALLOWED}{number}" for number in numbers(listed))


def vlans_of(port: ConfigTree | None) -> frozenset[int]:
    """The VLANs that a port's lines let through; a line without numbers (``none``) says none."""
    listed = (each for line in (port.children if port is not None else ()) for each in one_vlan_each(line))
    words = (line.removeprefix(ALLOWED) for line in listed if line.startswith(ALLOWED))
    return frozenset(int(word) for word in words if word.isdecimal())


def allowed_vlans(port: Interface) -> str:
    """The line of a trunk; its VLAN of untagged frames must be let through like any other."""
    return whole_line({*(port.tagged_vlans or ()), port.native_vlan} - {None})  # type: ignore[arg-type] # none is None


def whole_line(vlans: Collection[int]) -> str:
    """The line that lets just these through."""
    return f"{ALLOWED}{ranges(vlans)}" if vlans else NONE


def split_lists(tree: ConfigTree) -> None:
    """Make lists one line for each VLAN, in place, below every port of a tree; a trunk without a list gets ``ALL``."""
    for port in tree.children.values():
        if not port.text.startswith("interface "):
            continue
        if _has_list(port):
            skipped = NONE if is_trunk(port) else ""
            printed, port.children = port.children, {}
            for node in printed.values():
                for line in one_vlan_each(node.text) if node.text != skipped else ():
                    kept = port.add(line, node.line)
                    kept.children.update(node.children)
                    kept.repeats += (*(() if kept.line == node.line else (node.line,)), *node.repeats)
        elif is_trunk(port):
            port.add(ALL, port.line)


def join_lists(tree: ConfigTree) -> ConfigTree:
    """The same tree with each port's list in one line; nodes of ports without one are ``tree``'s own."""
    joined = ConfigTree(tree.text, tree.line)
    joined.children = {
        text: joined_port(node) if text.startswith("interface ") else node for text, node in tree.children.items()
    }
    return joined


def joined_port(port: ConfigTree, vlans: Collection[int] | None = None) -> ConfigTree:
    """One port with its list in one line, in the place of the first: of these VLANs, or of those it has.

    As the switch prints it: no list, if it carries all.
    """
    if ALL in port.children:
        return without_all(port)
    listed = [node for line, node in port.children.items() if line.startswith(ALLOWED)]
    if not listed and vlans is None and not is_trunk(port):
        return port
    line = whole_line(vlans_of(port) if vlans is None else vlans)
    rows = sorted({row for node in listed for row in (node.line, *node.repeats)})
    joined = ConfigTree(port.text, port.line)
    joined.repeats = port.repeats
    for text, node in port.children.items():
        if not text.startswith(ALLOWED):
            joined.children[text] = node
        elif line not in joined.children:
            joined.add(line, rows[0]).repeats = tuple(rows[1:])
    joined.add(line, port.line)
    return joined


def with_whole_lists(running: ConfigTree, owned: ConfigTree, wanted: ConfigTree) -> tuple[ConfigTree, ConfigTree]:
    """What is owned of a switch and what is wanted of that, each list with the VLANs that others have in it.

    Both as they are where no port has a list. A trunk that carries all VLANs has no line of a list here either.
    """
    before, after = ConfigTree(), ConfigTree()
    before.children, after.children = owned.children.copy(), wanted.children.copy()
    ports = [text for text in {**before.children, **after.children} if text.startswith("interface ")]
    trunks = [text for text in ports if any(map(_of_trunk, (owned.get(text), wanted.get(text))))]
    for name in trunks:
        if name in before.children:
            before.children[name] = _as_printed(before.children[name], running.get(name))
        if name in after.children:
            after.children[name] = _to_send(after.children[name], running.get(name), owned.get(name))
    return (before, after) if trunks else (owned, wanted)


def _as_printed(ours: ConfigTree, running: ConfigTree | None) -> ConfigTree:
    """Our part of a port with the list as the switch prints it: whole, ``none``, or not at all."""
    if running is None or ALL in running.children:
        return without_all(ours)
    return joined_port(ours, vlans_of(running)) if is_trunk(running) or vlans_of(running) else ours


def _to_send(coming: ConfigTree, running: ConfigTree | None, ours: ConfigTree | None) -> ConfigTree:
    """What is wanted of a port, with the VLANs of others among the list; a trunk that should carry all has none."""
    if ALL in coming.children:
        return without_all(coming)
    others = vlans_of(running) - vlans_of(ours)
    if _is_left_open(running, ours) and not vlans_of(coming):
        return coming
    stays = running is not None and is_trunk(running) and not (ours is not None and TRUNK in ours.children)
    if others or vlans_of(coming) or TRUNK in coming.children or stays:
        return joined_port(coming, others | vlans_of(coming))
    return coming


def _is_left_open(running: ConfigTree | None, ours: ConfigTree | None) -> bool:
    """Does a port carry all VLANs, and is that none of this push?"""
    return running is not None and ALL in running.children and not (ours is not None and ALL in ours.children)


def without_all(port: ConfigTree) -> ConfigTree:
    """The same port without the line ``ALL``, which no switch prints; one that has none is returned itself."""
    if ALL not in port.children:
        return port
    plain = ConfigTree(port.text, port.line)
    plain.repeats = port.repeats
    plain.children = {line: node for line, node in port.children.items() if line != ALL}
    return plain


def open_trunks(running: ConfigTree) -> tuple[OpenTrunk, ...]:
    """The trunks that list no VLANs, with the VLANs that the switch has."""
    names = [text for text, port in running.children.items() if ALL in port.children]
    found = (_VLAN.fullmatch(text) for text in running.children) if names else ()
    vlans = tuple(sorted({_FIRST_VLAN, *(int(each[1]) for each in found if each)}))
    return tuple(OpenTrunk(text.removeprefix("interface "), (text, ALL), vlans) for text in names)


def has_trunks(text: str) -> bool:
    """Can a configuration have lines of a trunk at all?"""
    return TRUNK in text or ALLOWED in text


def is_trunk(port: ConfigTree) -> bool:
    """Do a port's lines make it a trunk?"""
    return TRUNK in port.children and "no switchport" not in port.children


def _of_trunk(port: ConfigTree | None) -> bool:
    return port is not None and (TRUNK in port.children or _has_list(port))


def _has_list(port: ConfigTree) -> bool:
    return any(line.startswith(ALLOWED) for line in port.children)
