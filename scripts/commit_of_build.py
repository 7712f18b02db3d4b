"""Hatchling runs this: an sdist or a wheel that is built in a checkout carries its commit, which --version says."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitOfBuild(BuildHookInterface[Any]):
    """A wheel that is made from an sdist has the sdist's file already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file; to no editable installation, which asks git."""
        sys.path.insert(0, self.root)
        from nornir_tasks.files.checkout import FILE, commit  # noqa: PLC0415 - of this checkout

        text = commit()
        if version == "editable" or not text or Path(self.root, "nornir_tasks", FILE).exists():
            return
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
            file.write(f"{text}\n")
        build_data["force_include"][file.name] = f"nornir_tasks/{FILE}"
        self._made = Path(file.name)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The file is in the archive now."""
        made: Path | None = getattr(self, "_made", None)
        if made is not None:
            made.unlink(missing_ok=True)
