"""Render the chosen switches, and write what was rendered to a folder."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.realise.configuration import Adjustment
from nornir_tasks.files.artifacts import Written, write_artifacts
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.render.render import memory_lines
from nornir_tasks.usecases.progress import On, Work, following, ignore
from nornir_tasks.usecases.site import Selection


@dataclass(frozen=True, slots=True)
class Rendered:
    """One switch's configuration as a file."""

    device: str
    file: str
    """Its name: ``leaf-1.cfg``, ``spine-1.yaml``."""
    text: str
    """All of it; where planes were chosen, what they own."""
    memory_lines: tuple[str, ...]
    """Lines without a source, which the intent allows."""
    adjustments: tuple[Adjustment, ...]
    """Where the OS holds something else than was asked for."""


def render(selection: Selection) -> Iterator[Rendered]:
    """Switch by switch, each made when it is asked for: memory stays flat however large the site is."""
    allowed = frozenset(selection.design.site.intent.allow_memory)
    for name in selection:
        realised = selection.realised(name)
        each = selection.wanted(realised)
        yield Rendered(
            device=name,
            file=name + each.platform.file_suffix,
            text=_of_planes(each) if selection.planes else each.text,
            memory_lines=memory_lines(each.capabilities, allowed),
            adjustments=realised.adjustments,
        )


def _of_planes(wanted: Wanted) -> str:
    """What the chosen planes own, in the order of the whole: a line may say something else below another block."""
    part, whole = ConfigTree(), wanted.platform.to_tree(wanted.text)
    there = wanted.tree.children
    part.children = {line: there[line] for line in (*whole.children, *there) if line in there}
    return wanted.platform.to_text(part)


def write(
    selection: Selection, rendered: Iterable[Rendered], folder: Path, on: On = ignore, *, overwrite: bool = False
) -> Written:
    """Write what was rendered of a selection: whole or not at all, one at a time, none kept.

    What the site rendered there earlier and has no more is removed, unless the selection is limited to some switches.
    Raises RefusedError for files in the way that are not ours (``overwrite`` takes them as well), LocalError where
    nothing can be written.
    """
    texts = ((each.file, each.text) for each in rendered)
    site = selection.design.site.name
    with following(on, Work.RENDER, len(selection)) as step:
        return write_artifacts(folder, texts, step, site, is_whole=not selection.limit, overwrite=overwrite)
