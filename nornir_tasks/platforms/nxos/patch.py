"""The switch's own view of a candidate: the patch that ``configure replace ... verify-only`` prints.

The patch is a list of commands in back-quotes, removals first, modes entered by their header and left by ``exit`` or
by the next header (a published session on NX-OS 9.3(1)). ``server_changes`` turns it into changes on its own;
``settle`` then derives the effect of those commands on the running configuration: an existing header is no change,
removing a block removes its lines, and ``mtu 9216`` replaces ``mtu 9000``.
"""

import re
from collections.abc import Iterator, Mapping

from nornir_tasks.platforms.asn import plain_asns
from nornir_tasks.platforms.config_tree import Change, ConfigTree, Path
from nornir_tasks.platforms.defaults import Defaults
from nornir_tasks.platforms.lines import one_value, printed_negated
from nornir_tasks.platforms.nxos.access_lists import WORDS
from nornir_tasks.platforms.nxos.canonical import is_hidden, is_hidden_state
from nornir_tasks.platforms.nxos.config_text import (
    DLB,
    HEREDOCS,
    NEVER_EXPIRES,
    one_port_each,
    vdc_in_one_spelling,
    vlans_of,
)
from nornir_tasks.platforms.nxos.defaults import PORT, ROUTED, SWITCHED, defaults
from nornir_tasks.platforms.nxos.parse import BLOCKS
from nornir_tasks.platforms.nxos.parse_reach import on_flash
from nornir_tasks.platforms.vlan_lists import ALL, ALLOWED, NONE, TRUNK, one_vlan_each

_COMMAND = re.compile(r"`(?P<command>[^`]+)`")
_LEAVE = re.compile(r"exit(?:-\S+)?")
_TOP = re.compile(r"config(?:ure)? ?t(?:erminal)?|end")

_MODES: tuple[tuple[re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = (
    # The lines that lead into each mode, by the header that encloses them; the empty one is the top.
    (
        re.compile(r""),
        tuple(
            re.compile(pattern)
            for pattern in (
                r"interface \S+",
                r"router \S+ \S+",
                r"route-map \S+ (?:permit|deny) \d+",
                r"class-map type .+",
                r"policy-map type .+",
                r"system qos",
                r"vrf context \S+",
                r"vpc domain \d+",
                r"ip(?:v6)? access-list \S+",
                r"vlan [\d,-]+",
                r"line \S+",
                r"control-plane",
                r"aaa group server .+",
                r"vdc .+",
                DLB,
            )
        ),
    ),
    (re.compile(DLB), (re.compile(r"static-pinning"),)),
    (re.compile(r"policy-map type .+"), (re.compile(r"class .+"),)),
    (
        re.compile(r"router \S+ \S+"),
        tuple(
            re.compile(pattern) for pattern in (r"address-family .+", r"template \S+ \S+", r"neighbor \S+", r"vrf \S+")
        ),
    ),
    (re.compile(r"interface Vlan\d+"), (re.compile(r"hsrp \d+(?: ipv6)?"),)),
    (re.compile(r"vrf \S+"), (re.compile(r"address-family .+"), re.compile(r"neighbor \S+"))),
    (re.compile(r"(?:template|neighbor) .+"), (re.compile(r"address-family .+"),)),
    (re.compile(r"vrf context \S+"), (re.compile(r"address-family .+"),)),
)

_GLOBAL = re.compile(
    r"(?:feature|hostname|username|snmp-server|ntp|nxapi|logging|boot|copp|ip prefix-list|ip load-sharing|bfd interval"
    r"|port-channel load-balance|spanning-tree (?:mode|mst|vlan)"
    r"|interface breakout) .+"
)
"""Lines that exist at the top only: they end whatever mode was left open."""

_OF_VDC = ("limit-resource ", "allow ")
"""What a VDC consists of; any other line that follows one is of the whole switch."""

_ONE_VALUE = re.compile(one_value(each for block in BLOCKS for each in block.rows))
"""Commands of which a mode has one: a new value replaces the old one without ``no``."""


_ONE_OF_A_LIST = re.compile(rf"{ALLOWED}\d+")
"""A tree has a line for each VLAN of a list."""

_PRINTED_NEGATED = printed_negated(BLOCKS)
"""Lines whose ``no`` form the switch prints."""

_BROKEN_OUT = re.compile(r"interface breakout module (?P<module>\d+) port (?P<port>\d+) map \S+")


def commands(text: str) -> tuple[str, ...]:
    """The commands of a patch, in order; one with a text of several rows is one."""
    return tuple(_whole(found["command"].strip() for found in _COMMAND.finditer(text)))


def _whole(rows: Iterator[str]) -> Iterator[str]:
    """Rows, a banner's joined to one: they run to the next appearance of its first character."""
    for row in rows:
        begun = next((found for each in HEREDOCS if (found := each.start.fullmatch(row))), None)
        lines = [row]
        for more in rows if begun is not None else ():
            lines.append(more)
            if begun is not None and begun["mark"] in more:
                break
        yield "\n".join(lines)


def server_changes(text: str) -> frozenset[Change]:
    """The changes of a patch's commands by themselves; entering a mode counts as adding its header."""
    return frozenset(_changes(text))


def _changes(text: str) -> Iterator[Change]:
    mode: Path = ()
    for command in commands(text):
        if _TOP.fullmatch(command):
            mode = ()
        elif _LEAVE.fullmatch(command):
            mode = mode[:-1]
        else:
            line = vdc_in_one_spelling(plain_asns(command.removeprefix("no ")))
            if NEVER_EXPIRES.fullmatch(line):
                continue
            mode, opens = _resolve(mode, line)
            adds = not command.startswith("no ")
            for each in _one_each(WORDS.one_spelling(on_flash(line), mode[-1] if mode else "")):
                yield Change((*mode, each), "+" if adds else "-")
            if opens and adds:
                mode = (*mode, line)


def _one_each(line: str) -> tuple[str, ...]:
    """A line of several VLANs or ports as one line each."""
    if line.startswith(ALLOWED):
        return one_vlan_each(line)
    return vlans_of(line) if line.startswith("vlan ") else one_port_each(line)


def _resolve(mode: Path, line: str) -> tuple[Path, bool]:
    """The mode of a line, and whether the line is a header of a mode."""
    for depth in range(len(mode), -1, -1):
        header = mode[depth - 1] if depth else ""
        for enclosing, headers in _MODES:
            if enclosing.fullmatch(header) and any(each.fullmatch(line) for each in headers):
                return mode[:depth], True
    is_left = mode[:1] and mode[0].startswith("vdc ") and not line.startswith(_OF_VDC)
    return ((), False) if is_left or _GLOBAL.fullmatch(line) else (mode, False)


def settle(reported: frozenset[Change], running: ConfigTree) -> frozenset[Change]:
    """The effect of the reported commands on the running configuration: the set that must equal the plan's."""
    added: set[Path] = set()
    removed: set[Path] = set()
    found = defaults(running)
    for change in reported:
        existing = running.get(*change.path)
        if change.op == "+":
            if existing is None:
                added.add(change.path)
        elif existing is not None:
            removed.add(change.path)
            removed.update((*change.path, *below) for below in existing.paths())
        elif targets := _named(change.path, running):
            removed.update(targets)
        else:
            # No such line to remove: the line is the negated form itself (``no shutdown``).
            negated_line = (*change.path[:-1], f"no {change.path[-1]}")
            if running.get(*negated_line) is None:
                added.add(negated_line)
    added |= {negated for path in removed if (negated := _negated_form(path, reported, running))}
    lists = {change.path for change in reported if change.op == "+" and change.path[-1].startswith(ALLOWED)}
    removed |= {path for line in {*added, *lists} for path in _replaced(line, running)}
    removed |= {path for line in (*added, *removed) for path in _gone_with(line, running)}
    kept = {change.path for change in reported if change.op == "+"} & removed
    removed |= set(_hidden_again(added, removed - kept, running, found))
    _open_or_close(added, removed, kept, running, {change.path[0] for change in reported if change.path[-1] == NONE})
    below = _by_block(added)
    return frozenset(
        {
            *(
                Change(path, "+")
                for path in added
                if not is_hidden(path, _lines_after(path, below, removed, running), found)
            ),
            *(Change(path, "-") for path in removed - kept),
        }
    )


def _by_block(paths: set[Path]) -> dict[str, set[str]]:
    """Block -> its lines, of these paths: a switch has thousands, and each block asks for its own alone."""
    found: dict[str, set[str]] = {}
    for block, *rest in paths:
        found.setdefault(block, set()).update(rest[:1])
    return found


def _open_or_close(
    added: set[Path], removed: set[Path], kept: set[Path], running: ConfigTree, emptied: set[str]
) -> None:
    """A trunk that loses its list carries all VLANs, one whose mode goes none; a list of none is no line of a tree."""
    added -= {path for path in added if path[-1] == NONE}
    gone = removed - kept
    ports = {path[0] for path in {*added, *gone} if path[-1].startswith("switchport ")}
    below = _by_block(added)
    for name in ports:
        there = running.get(name)
        before = {} if there is None else there.children
        after = {line for line in before if (name, line) not in gone} | below.get(name, set())
        is_open = TRUNK in after and "no switchport" not in after
        is_open = is_open and name not in emptied and not any(x.startswith(ALLOWED) for x in after - {ALL})
        if is_open and ALL not in before:
            added.add((name, ALL))
        elif not is_open and ALL in before:
            removed.add((name, ALL))


def _lines_after(path: Path, below: Mapping[str, set[str]], removed: set[Path], running: ConfigTree) -> frozenset[str]:
    """The sibling lines of a port's line after all changes; empty for other blocks. ``below``: what each gains."""
    if len(path) != 2 or not path[0].startswith(PORT):
        return frozenset()
    block = running.get(path[0])
    existing = {line for line in (block.children if block is not None else ()) if (path[0], line) not in removed}
    return frozenset(existing | below.get(path[0], set()))


def _hidden_again(added: set[Path], removed: set[Path], running: ConfigTree, found: Defaults) -> Iterator[Path]:
    """The admin state that a port no longer prints when it becomes routed or switched, as it is the default now."""
    below = _by_block(added)
    for path in {*added, *removed}:
        if path[-1] in {ROUTED, SWITCHED}:
            after = _lines_after(path, below, removed, running)
            for admin in ((*path[:-1], "shutdown"), (*path[:-1], "no shutdown")):
                if running.get(*admin) is not None and is_hidden_state(admin, after, found):
                    yield admin


def _gone_with(path: Path, running: ConfigTree) -> Iterator[Path]:
    """Breaking a cage out removes the whole port with all its lines, and undoing it removes the parts.

    Source: Interfaces Configuration Guide 10.6(x), Overview ("removes the existing interface configurations").
    """
    found = _BROKEN_OUT.fullmatch(path[0])
    if found is None:
        return
    whole = f"interface Ethernet{found['module']}/{found['port']}"
    for text, node in running.children.items():
        if text == whole or text.startswith((f"{whole}/", f"{whole}.")):
            yield (text,)
            yield from ((text, *below) for below in node.paths())


def _named(path: Path, running: ConfigTree) -> tuple[Path, ...]:
    """``no description`` removes the one line that begins so, and a list goes whole; ``no switchport`` is a line."""
    if path[-1] in _PRINTED_NEGATED:
        return ()
    parent = running.get(*path[:-1])
    begun = [text for text in parent.children if text.startswith(f"{path[-1]} ")] if parent is not None else []
    return tuple((*path[:-1], text) for text in begun) if len(begun) == 1 or path[-1] == ALLOWED.strip() else ()


def _negated_form(path: Path, reported: frozenset[Change], running: ConfigTree) -> Path | None:
    """``no shutdown`` removes ``shutdown`` and is itself a line that the switch prints; others leave nothing."""
    if path[-1] not in _PRINTED_NEGATED or Change(path, "-") not in reported:
        return None
    negated = (*path[:-1], f"no {path[-1]}")
    return negated if running.get(*negated) is None else None


def _replaced(path: Path, running: ConfigTree) -> Iterator[Path]:
    parent = running.get(*path[:-1])
    if parent is None:
        return
    name = _setting(path[-1])
    for text in parent.children:
        if text != path[-1] and _setting(text) == name:
            yield (*path[:-1], text)


def setting(path: Path) -> str:
    """The last line of a path without its value, where NX-OS holds one value of it, and without ``no``."""
    if _ONE_OF_A_LIST.fullmatch(path[-1]):
        return path[-1]
    return " ".join(_setting(path[-1]))


def _setting(line: str) -> tuple[str, ...]:
    """The setting of a line, without its value; the line itself if it has none."""
    line = line.removeprefix("no ")
    found = _ONE_VALUE.match(line)
    return (line,) if found is None else tuple(each or "" for each in found.groups())
