"""Secrets are names until the moment of sending; this is where a name becomes a value.

A name is looked up as the environment variable ``GPUFABRIC_SECRET_<NAME>``, then as the file ``.secrets/<name>`` of the
site, which nobody but its owner may read. The value is handed to a driver and to nothing else.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.errors import IntentError, Problem


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret, as ``!secret NAME`` stands in a file."""

    name: str


def resolve_secret(secret: Secret, directory: Path, where: str) -> str:
    """The value of a secret. ``where`` (the file that names it) is told when it cannot be found."""
    name = secret.name
    variable = f"GPUFABRIC_SECRET_{name.upper().replace('-', '_')}"
    if variable in os.environ:
        return os.environ[variable]
    path = directory / ".secrets" / name
    if not path.is_file():
        hint = f"export {variable}, or write the value to {path} and chmod 600 it"
        raise IntentError(Problem(where, f"the secret '{name}' has no value", hint=hint))
    if path.stat().st_mode & 0o077:
        problem = Problem(str(path), "others may read this secret", expected="mode 0600", hint=f"chmod 600 {path}")
        raise IntentError(problem)
    return path.read_text(encoding="utf-8").strip()
