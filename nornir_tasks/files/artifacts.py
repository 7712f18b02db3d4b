"""Rendered configurations on disk: written completely or not at all; files of others are not touched.

``.gpufabric-rendered.json`` in the folder lists what was written there, site by site, with the SHA-256 of each text:

    {"lab": {"leaf-g1-r0.cfg": "9f86d0...", "spine-1.yaml": "60303a..."}}

Unedited files of this list may be replaced and, once their switch is gone, removed. All others are left alone.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from nornir_tasks.errors import LocalError, Problem, RefusedError
from nornir_tasks.files.documents import unfinished

MANIFEST = ".gpufabric-rendered.json"
MOST_NAMES = 20
"""Files named one by one in an error."""


@dataclass(frozen=True, slots=True)
class Written:
    """The result for a folder."""

    files: tuple[Path, ...]
    """All rendered files, written now or unchanged."""
    removed: tuple[Path, ...] = ()
    """Files of switches that the site no longer has."""
    left: tuple[Path, ...] = ()
    """Files of switches that the site no longer has, but edited since: not removed."""
    changed: tuple[Path, ...] = ()
    """Those of ``files`` that were not there or said something else."""


@dataclass(slots=True)
class _Folder:
    """One folder while it is written to."""

    path: Path
    site: str
    rendered: dict[str, dict[str, str]]
    """Site -> file -> SHA-256 of what was written."""
    hidden: dict[Path, Path] = field(default_factory=dict)
    """File -> the hidden file that will be renamed to it."""
    now: dict[str, str] = field(default_factory=dict)
    """File -> SHA-256 of what this run renders."""
    strangers: list[str] = field(default_factory=list)
    """Existing files that we did not write, or that were edited."""

    def take(self, name: str, text: str, *, overwrite: bool) -> Path:
        """Prepare one file under a hidden name; no existing file is touched yet."""
        file = self.path / name
        self.now[name] = _digest(text.encode())
        there = _digest_of(file)
        if there != self.now[name]:
            if there is not None and not overwrite and not self._is_ours(name, there):
                self.strangers.append(name)
            else:
                self.hidden[file] = unfinished(file, text)
        return file

    def _is_ours(self, name: str, digest: str) -> bool:
        return any(files.get(name) == digest for files in self.rendered.values())

    def finish(self, *, is_whole: bool) -> tuple[list[Path], list[Path]]:
        """Replace and record files that differ. ``is_whole``: remove what this site no longer renders."""
        for file, hidden in self.hidden.items():
            hidden.replace(file)
        earlier = self.rendered.get(self.site, {})
        stale = {name: digest for name, digest in earlier.items() if name not in self.now} if is_whole else {}
        removed, left = [], []
        for name, digest in stale.items():
            file = self.path / name
            found = _digest_of(file) if Path(name).name == name else None
            if found == digest:
                file.unlink()
                removed.append(file)
            elif found is not None:
                left.append(file)
        kept = {name: digest for name, digest in earlier.items() if name not in stale}
        others = {
            site: {name: digest for name, digest in files.items() if name not in self.now}
            for site, files in self.rendered.items()
            if site != self.site
        }
        self._note({**others, self.site: {**kept, **self.now}})
        return removed, left

    def _note(self, rendered: dict[str, dict[str, str]]) -> None:
        if rendered != self.rendered:
            file = self.path / MANIFEST
            text = json.dumps({site: files for site, files in rendered.items() if files}, indent=1, sort_keys=True)
            unfinished(file, text + "\n").replace(file)


def write_artifacts(
    folder: Path,
    texts: Iterable[tuple[str, str]],
    step: Callable[[str], None],
    site: str = "",
    *,
    is_whole: bool = False,
    overwrite: bool = False,
) -> Written:
    """Write each (name, text) to ``folder``, none of them before all are rendered.

    Texts are taken one at a time and not kept: they wait on disk, under hidden names. ``is_whole``: these are all files
    of ``site``, so what it rendered here earlier and renders no more is removed.

    Raises RefusedError where files of these names stand that were not rendered, or were edited since (``overwrite``
    takes them as well), and LocalError where nothing can be written.
    """
    made = _Folder(folder, site, {})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made.rendered = _read(folder / MANIFEST)
        files = []
        for name, text in texts:
            files.append(made.take(name, text, overwrite=overwrite))
            step(name)
        if made.strangers:
            raise RefusedError(_in_the_way(folder, made.strangers))
        removed, left = made.finish(is_whole=is_whole)
    except OSError as error:
        raise LocalError(
            Problem(str(error.filename or folder), f"cannot be written: {error.strerror}", hint="choose another --out")
        ) from error
    finally:
        for hidden in made.hidden.values():
            hidden.unlink(missing_ok=True)
    return Written(tuple(files), tuple(removed), tuple(left), tuple(made.hidden))


def _in_the_way(folder: Path, names: list[str]) -> list[Problem]:
    what = "was not rendered, or was edited since; nothing was written"
    hint = "keep it under another name, choose another --out, or say --overwrite"
    problems = [Problem(str(folder / name), what, hint=hint) for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        problems.append(Problem(str(folder), f"{len(names) - MOST_NAMES} more files like these"))
    return problems


def _read(manifest: Path) -> dict[str, dict[str, str]]:
    """What was rendered to a folder. One that is damaged lists nothing: then no file there counts as ours."""
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))
        return {str(site): {str(name): str(digest) for name, digest in files.items()} for site, files in found.items()}
    except (FileNotFoundError, ValueError, AttributeError):
        return {}


def _digest_of(file: Path) -> str | None:
    """The SHA-256 of a file; None where there is none. What is no plain file has one that nothing else has."""
    try:
        return _digest(file.read_bytes()) if not file.is_symlink() else "a link"
    except FileNotFoundError:
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
