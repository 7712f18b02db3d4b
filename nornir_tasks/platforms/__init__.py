"""The switch operating systems, found by scanning this package: each sub-package exposes ``PLATFORM``."""

import importlib
import pkgutil
from functools import cache

from nornir_tasks.platforms.platform import Platform


@cache
def platforms() -> dict[str, Platform]:
    """Every OS by name, sorted."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name: importlib.import_module(f"{__name__}.{name}").PLATFORM for name in names}


def platform(os: str) -> Platform:
    """One OS; only this one is imported."""
    found: Platform = importlib.import_module(f"{__name__}.{os}").PLATFORM
    return found
