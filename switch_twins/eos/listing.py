"""Configuration texts as EOS shows them: head, sanitised secrets, sections, JSON, and the diff of a session.

Shapes from published output: the head from ``show running-config`` of vEOS-lab 4.29.2F, the diff from a pyeapi session
("--- system:/running-config", "+++ session:/whatever-session-config", unified, the boot line among its context).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any, Literal

from ..engine import Tree
from ..spec import DeviceSpec

_SECRETS = re.compile(
    r"((?:secret|password)(?: (?:sha512|[0578]a?|\*))|key [078]a?|auth (?:md5|sha\d*)|priv (?:des|aes\d*)"
    r"|server community) (\S+)"
)


def listing(device: DeviceSpec, tree: Tree, command: str, all_lines: bool = False, sanitized: bool = False) -> str:
    """A whole configuration text with its head and ``end``."""
    text = full_text(device, tree, all_lines)
    return f"! Command: {command}\n" + (_SECRETS.sub(r"\1 <removed>", text) if sanitized else text)


def full_text(device: DeviceSpec, tree: Tree, all_lines: bool = False) -> str:
    """Head without the command, body, ``end``: the text that sessions are compared by."""
    release = device.release
    head = (
        f"! device: {device.name} (DCS-{device.model}, EOS-{release})\n!\n! boot system flash:/EOS-{release}.swi\n!\n"
    )
    return f"{head}{tree.text(all_lines)}!\nend\n"


def session_diff(device: DeviceSpec, running: Tree, candidate: Tree, name: str) -> str:
    """The unified diff of a session against the running configuration; "" if they are equal."""
    return _diff(device, (running, candidate), ("system:/running-config", f"session:/{name}-session-config"))


def startup_diff(device: DeviceSpec, startup: Tree, running: Tree) -> str:
    """``show running-config diffs``: the unified diff against the startup configuration; "" if all is saved."""
    return _diff(device, (startup, running), ("flash:/startup-config", "system:/running-config"))


def _diff(device: DeviceSpec, trees: tuple[Tree, Tree], names: tuple[str, str]) -> str:
    before, after = (full_text(device, tree) for tree in trees)
    if before == after:
        return ""
    lines = [f"--- {names[0]}", f"+++ {names[1]}"]
    return "\n".join([*lines, *_hunks(before.splitlines(), after.splitlines())]) + "\n"


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    """Unified hunks. A line is compared within its block, or every ``!`` would match every other one."""
    for group in _BlockMatcher(old, new).get_grouped_opcodes(3):
        (_, from_old, _, from_new, _), (_, _, to_old, _, to_new) = group[0], group[-1]
        yield f"@@ -{from_old + 1},{to_old - from_old} +{from_new + 1},{to_new - from_new} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i1:i2])
                continue
            yield from (f"-{line}" for line in old[i1:i2])
            yield from (f"+{line}" for line in new[j1:j2])


_Tag = Literal["replace", "delete", "insert", "equal"]
_Opcode = tuple[_Tag, int, int, int, int]
_Step = tuple[_Tag, int, int]
"""Operation, number of old lines, number of new lines."""
_Block = tuple[str, ...]


class _BlockMatcher(difflib.SequenceMatcher[str]):
    """Compares block by block first, and line by line only where blocks differ: most of them are equal."""

    def __init__(self, old: list[str], new: list[str]) -> None:
        super().__init__(None, "", "", autojunk=False)
        self._old, self._new = _blocks(old), _blocks(new)

    def get_opcodes(self) -> list[_Opcode]:
        """The changes from the old lines to the new ones, as ranges of lines."""
        found: list[_Opcode] = []
        blocks = difflib.SequenceMatcher(None, self._old, self._new, autojunk=False)
        for tag, i1, i2, j1, j2 in blocks.get_opcodes():
            old, new = self._old[i1:i2], self._new[j1:j2]
            for code in _inside(old, new) if tag == "replace" else [(tag, _size(old), _size(new))]:
                found = _joined(found, code)
        return found


def _inside(old: list[_Block], new: list[_Block]) -> Iterator[_Step]:
    """Different blocks: those with one head are compared line by line, the others are removed or added as a whole."""
    heads = difflib.SequenceMatcher(None, [b[0] for b in old], [b[0] for b in new], autojunk=False)
    for tag, i1, i2, j1, j2 in heads.get_opcodes():
        if tag != "equal":
            yield tag, _size(old[i1:i2]), _size(new[j1:j2])
            continue
        for before, after in zip(old[i1:i2], new[j1:j2], strict=True):
            lines = difflib.SequenceMatcher(None, before, after, autojunk=False)
            yield from ((kind, a2 - a1, b2 - b1) for kind, a1, a2, b1, b2 in lines.get_opcodes())


def _size(blocks: list[_Block]) -> int:
    return sum(len(block) for block in blocks)


def _joined(found: list[_Opcode], step: _Step) -> list[_Opcode]:
    """Append a step; adjacent equal ranges become one."""
    tag, old, new = step
    from_old, from_new = (found[-1][2], found[-1][4]) if found else (0, 0)
    if found and found[-1][0] == tag == "equal":
        _, i1, i2, j1, j2 = found.pop()
        found.append((tag, i1, i2 + old, j1, j2 + new))
    else:
        found.append((tag, from_old, from_old + old, from_new, from_new + new))
    return found


def _blocks(lines: list[str]) -> list[_Block]:
    """Lines with the lines that belong to them: indented ones and separators."""
    blocks: list[list[str]] = []
    for line in lines:
        if line[:1] in (" ", "!") and blocks:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [tuple(block) for block in blocks]


def as_commands(text: str) -> dict[str, Any]:
    """The JSON form of a configuration: nested ``cmds``; a line without lines below it has the value None."""
    root: dict[str, Any] = {"cmds": {}, "header": [line for line in text.splitlines() if line.startswith("! ")]}
    stack: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("!") or line == "end":
            continue
        indent = len(line) - len(line.lstrip())
        while indent <= stack[-1][0]:
            stack.pop()
        node: dict[str, Any] = {"cmds": {}, "comments": []}
        stack[-1][1]["cmds"][line.strip()] = node
        stack.append((indent, node))
    _prune(root)
    return root


def _prune(node: dict[str, Any]) -> None:
    for line, below in node["cmds"].items():
        _prune(below)
        if not below["cmds"]:
            node["cmds"][line] = None


def section(text: str, expression: str) -> str:
    """``| section X``: the top-level blocks with a matching line."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line[:1] == " " and blocks:
            blocks[-1].append(line)
        elif not line.startswith("!"):
            blocks.append([line])
    wanted = re.compile(expression, re.IGNORECASE)
    return "".join("\n".join(block) + "\n" for block in blocks if any(wanted.search(line) for line in block))


def include(text: str, expression: str) -> str:
    """``| include X``: the matching lines."""
    wanted = re.compile(expression, re.IGNORECASE)
    return "".join(f"{line}\n" for line in text.splitlines() if wanted.search(line))
