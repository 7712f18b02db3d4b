"""The one place that knows where templates, the catalogue, the inventory and roles are.

Installed, they are package data in ``nornir_tasks/_data``; in a checkout they stand at its top. Never the working
directory: a command must do the same thing wherever it is started.
"""

from pathlib import Path
from typing import Literal

import nornir_tasks
from nornir_tasks.errors import GpufabricError

Kind = Literal["templates", "catalogue", "inventory", "roles"]
_IN_PACKAGE: dict[str, str] = {"roles": "ansible_collections/gpufabric/host/roles"}
"""Where it stands in package data, if not at its top."""


def resource(kind: Kind) -> Path:
    """The folder of this kind of resource."""
    package = Path(nornir_tasks.__file__).resolve().parent
    for folder in (package / "_data" / _IN_PACKAGE.get(kind, kind), package.parent / kind):
        if folder.is_dir():
            return folder
    raise GpufabricError(f"the folder {kind}/ is missing: neither in the installed package nor in a checkout")


def shown(path: Path) -> str:
    """A path as messages print it: relative to the working directory where it lies below, so that it is short."""
    resolved = path.resolve()
    return str(resolved.relative_to(Path.cwd())) if resolved.is_relative_to(Path.cwd()) else str(resolved)
