"""Secrets are names until they are sent; this module resolves a name.

A name is looked up as the environment variable ``GPUFABRIC_SECRET_<NAME>``, then as the file ``.secrets/<name>`` of the
site, which only its owner may read. The value is passed to a driver and to nothing else.
"""

import os
from contextlib import suppress
from pathlib import Path

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.intent.core.secret_name import NAME, Secret


def resolve_secret(secret: Secret, directory: Path, where: str) -> str:
    """The value of a secret; ``where`` is the file that names it. Raises IntentError when it cannot be had."""
    name = secret.name
    variable = f"GPUFABRIC_SECRET_{name.upper().replace('-', '_')}"
    path = directory / ".secrets" / name
    value = os.environ.get(variable) or _kept(path)
    if not value:
        hint = f"export {variable}, or write the value to {path} and chmod 600 it"
        raise IntentError(Problem(where, f"the secret '{name}' has no value", hint=hint))
    return value


def kept_secrets(directory: Path) -> dict[str, str]:
    """Name -> value of every secret that a site's folder or the environment has and that can be read."""
    before = "GPUFABRIC_SECRET_"
    found = {name.removeprefix(before).lower(): value for name, value in os.environ.items() if name.startswith(before)}
    folder = directory / ".secrets"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if NAME.fullmatch(path.name) and not any(path.name.replace("-", "_") == name for name in found):
            with suppress(IntentError):
                found[path.name] = _kept(path)
    return {name: value for name, value in found.items() if value and NAME.fullmatch(name)}


def _kept(path: Path) -> str:
    if not path.is_file():
        return ""
    if path.stat().st_mode & 0o077:
        problem = Problem(str(path), "others may read this secret", expected="mode 0600", hint=f"chmod 600 {path}")
        raise IntentError(problem)
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise IntentError(Problem(str(path), f"this secret cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        raise IntentError(Problem(str(path), "this secret is not UTF-8 text", hint="write it again")) from error
