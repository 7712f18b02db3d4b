"""The switch operating systems, found by scanning this package: each sub-package exposes ``PLATFORM``."""

import importlib
import pkgutil
from dataclasses import fields
from functools import cache
from importlib.util import find_spec

from nornir_tasks.platforms.platform import MISSING, Platform

MODULES = ("candidate", "capabilities", "disruption", "observe", "ownership", "parse", "port_map")
"""The modules of every ``platforms/<os>/``, under the same names."""


def names() -> tuple[str, ...]:
    """Names of all OSes, sorted, complete or not; imports none."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def platforms() -> dict[str, Platform]:
    """Every OS with all its parts, by name, sorted."""
    return {name: platform(name) for name in names() if not missing_parts(name)}


def platform(os: str) -> Platform:
    """One OS; imports only this one."""
    found: Platform = importlib.import_module(f"{__name__}.{os}").PLATFORM
    return found


def missing_parts(os: str) -> tuple[str, ...]:
    """The modules missing from ``platforms/<os>/``, then the fields missing from its ``PLATFORM``."""
    package = f"{__name__}.{os}"
    spec = find_spec(package)
    here = {module.name for module in pkgutil.iter_modules(spec.submodule_search_locations if spec else ())}
    folder = package.replace(".", "/")
    modules = tuple(f"{folder}/{name}.py" for name in MODULES if name not in here)
    made = _made(package)
    if made is None:
        return (*modules, f"PLATFORM in {folder}/__init__.py")
    empty = tuple(f"PLATFORM.{field.name}" for field in fields(Platform) if getattr(made, field.name) is MISSING)
    return (*modules, *empty)


def _made(package: str) -> Platform | None:
    """The package's ``PLATFORM``; None if it has none, or imports one of its own modules that does not exist yet."""
    try:
        found: Platform | None = getattr(importlib.import_module(package), "PLATFORM", None)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(f"{package}."):
            raise
        return None
    return found
