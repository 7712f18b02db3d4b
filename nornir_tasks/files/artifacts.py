"""Rendered configurations and documents on disk: whole or not at all, and what is as it should be is left alone."""

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from nornir_tasks.errors import IntentError, Problem


def write_artifacts(folder: Path, texts: Iterable[tuple[str, str]], step: Callable[[str], None]) -> tuple[Path, ...]:
    """Write each (name, text) to ``folder``, none of them before the last one has come.

    Texts are taken one at a time and not kept: they wait on disk, under hidden names.
    """
    written: list[Path] = []
    unfinished: dict[Path, Path] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts:
            path = folder / name
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                unfinished[path] = _unfinished(path, text)
            written.append(path)
            step(name)
        for path, hidden in unfinished.items():
            hidden.replace(path)
    except OSError as error:
        raise IntentError(
            Problem(str(folder), f"cannot be written to: {error.strerror}", hint="choose another --out")
        ) from error
    finally:
        for hidden in unfinished.values():
            hidden.unlink(missing_ok=True)
    return tuple(written)


def write_document(path: Path, text: str) -> None:
    """Write one file whole, or not at all. Raises IntentError when that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _unfinished(path, text).replace(path)
    except OSError as error:
        raise IntentError(
            Problem(str(path), f"cannot be written: {error.strerror}", hint="choose another file, or - for stdout")
        ) from error


def _unfinished(path: Path, text: str) -> Path:
    """The text in a hidden file beside ``path``, ready to take its name."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    hidden = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        hidden.chmod(0o644)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise
    return hidden
