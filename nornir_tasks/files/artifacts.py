"""Rendered configurations on disk: all of them or none, and a file that is as it should be is left alone."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from nornir_tasks.errors import IntentError, Problem


def write_artifacts(folder: Path, texts: Mapping[str, str], step: Callable[[str], None]) -> tuple[Path, ...]:
    """Write each text to its name in ``folder``. Each file appears whole or not at all."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = folder / name
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                _write(path, text)
            written.append(path)
            step(name)
    except OSError as error:
        raise IntentError(
            Problem(str(folder), f"cannot be written to: {error.strerror}", hint="choose another --out")
        ) from error
    return tuple(written)


def _write(path: Path, text: str) -> None:
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(unfinished).chmod(0o644)
        Path(unfinished).replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(unfinished).unlink()
