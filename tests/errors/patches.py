"""Intents of error cases: a base, and what is wrong in this one.

A case has ``fabric.patch``: its first line names the base (``bases/<name>.yml``), then each ``@@`` begins a block of
lines. As in a unified diff, a line that begins with a blank stands in the base, ``-`` takes one out and ``+`` adds one.
A block has no line numbers: what it finds in the base stands there once, below the block before. A line that ends with
``#<`` is one that the message names. Cases about YAML itself, and those unlike all others, have a ``fabric.yml``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
NAMED = "  #<"


@dataclass(frozen=True)
class Case:
    """One folder: its intent, and the numbers of lines that the message names (None: they are not marked)."""

    folder: Path
    text: bytes
    named: frozenset[int] | None

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def written_to(self, folder: Path) -> Path:
        """The case as a site has it: a folder of its own in ``folder``, with all its files."""
        site = folder / self.name
        site.mkdir()
        (site / "fabric.yml").write_bytes(self.text)
        if (devices := self.folder / "devices.yml").exists():
            (site / "devices.yml").write_bytes(devices.read_bytes())
        return site


def cases() -> Iterator[Case]:
    """All of them, by name."""
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        if (patch := folder / "fabric.patch").exists():
            text, named = patched(patch.read_text(encoding="utf-8"))
            yield Case(folder, text.encode(), frozenset(named))
        elif (whole := folder / "fabric.yml").exists():
            yield Case(folder, whole.read_bytes(), None)


def patched(patch: str) -> tuple[str, set[int]]:
    """The text that a patch makes of its base, and the numbers of the lines that are marked in it.

    Raises ValueError for a block that its base has not, or has more than once.
    """
    head, *blocks = patch.split("\n@@\n")
    base = (FOLDER / "bases" / head.removeprefix("base: ").strip()).read_text(encoding="utf-8").splitlines()
    made: list[str] = []
    named: set[int] = set()
    for block in blocks:
        lines = [(line[:1] or " ", line[1:].removesuffix(NAMED), line.endswith(NAMED)) for line in block.splitlines()]
        at = _only_place([text for sign, text, _ in lines if sign != "+"], base)
        made += base[:at]
        for sign, text, is_named in lines:
            if sign != "-":
                made.append(text)
            if is_named:
                named.add(len(made))
        base = base[at + sum(sign != "+" for sign, _, _ in lines) :]
    return "\n".join([*made, *base, ""]), named


def _only_place(wanted: list[str], base: list[str]) -> int:
    """Where these lines stand in the base."""
    found = [at for at in range(len(base) - len(wanted) + 1) if base[at : at + len(wanted)] == wanted]
    if len(found) != 1:
        raise ValueError(f"{len(found)} places in the base have: " + "\n".join(wanted))
    return found[0]
