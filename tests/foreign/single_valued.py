"""Settings that hold one value: what of a line says which setting it is, so that another line replaces it.

``single_eos.txt`` and ``single_nxos.txt`` are written from the vendors' documentation, not from the product. A row
is the beginning of a line: ``_`` is any word, ``@`` an address, ``*`` any word that tells settings apart, ``#`` a list
of numbers with a setting for each, ``$`` the line's end. Where several rows fit, the longest counts. A line that no
row fits is a setting of its own, with or without ``no``.
"""

import re
from functools import cache
from pathlib import Path as File

from tests.foreign.lines import Path, numbers

_HERE = File(__file__).parent
_WORDS = {"_": r"\S+", "@": r"[\da-f.:/]+", "*": r"(\S+)", "#": r"(\d[\d, -]*\d|\d)"}

# NVUE: a key of a mapping has one value (NVIDIA, NVUE object model). Where a key's children exclude one another, the
# key is the setting: link state up or down (Cumulus Linux 5.14, interface link state), a rule's action (router policy).
_CHOICES = (
    re.compile(r"interface/[^/]+/link/state"),
    re.compile(r"bridge/domain/[^/]+/stp/state"),
    re.compile(r"interface/[^/]+/ip/(?:vrr|vrrp)/state"),
    re.compile(r"router/policy/route-map/[^/]+/rule/[^/]+/action"),
    re.compile(r"acl/[^/]+/rule/[^/]+/action"),
)


@cache
def _rows(os: str) -> tuple[tuple[int, str, re.Pattern[str]], ...]:
    """(number of words, the row, its pattern), the longest first."""
    made = []
    for row in (_HERE / f"single_{os}.txt").read_text(encoding="utf-8").splitlines():
        words = row.split()
        if words[0] != "#":
            ends = words[-1] == "$"
            parts = [_WORDS.get(word, re.escape(word)) for word in words if word != "$"]
            made.append((len(words), row, re.compile(" ".join(parts) + ("$" if ends else r"(?: |$)"))))
    return tuple(sorted(made, key=lambda each: -each[0]))


def settings(os: str, path: Path) -> set[Path]:
    """What a line sets: its place, and the setting without the value."""
    if os == "nvue":
        *above, last = path
        whole = "/".join(above)
        chosen = next((each for each in _CHOICES if each.fullmatch(whole)), None)
        return {tuple(above)} if chosen else {(*above, last.partition(": ")[0])}
    place = tuple(_place(each) for each in path[:-1])
    return {(*place, each) for each in _setting(os, path[-1])}


def _place(line: str) -> str:
    """A block's first line, however the switch writes it."""
    if line.startswith("router bgp "):
        return "router bgp"
    return line.lower() if line.lower().startswith("interface ") else line


@cache
def _setting(os: str, line: str) -> frozenset[str]:
    text = re.sub(r"^(?:no|default) ", "", line)
    for _, row, pattern in _rows(os):
        found = pattern.match(text)
        if found is None:
            continue
        groups = list(found.groups())
        if "#" not in row:
            return frozenset([" ".join([row, *groups])])
        place = [word for word in row.split() if word in "*#"].index("#")
        return frozenset(
            " ".join([row, *groups[:place], str(each), *groups[place + 1 :]]) for each in numbers(groups[place])
        )
    return frozenset([text])
