"""All kinds of fabrics and planes: every module in ``fabrics/`` and ``planes/`` beside this one, found by scanning."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from nornir_tasks.design.contribute import fabrics, planes
from nornir_tasks.design.demand.kinds import FabricKind, Kinds, PlaneKind


@cache
def kinds() -> Kinds:
    """The kinds in the modules of both packages."""
    of_fabrics: list[FabricKind] = [module.KIND for module in _modules(fabrics).values()]
    of_planes: dict[str, PlaneKind] = {name: module.KIND for name, module in _modules(planes).items()}
    return Kinds({design: kind for kind in of_fabrics for design in kind.designs}, of_planes)


def _modules(package: ModuleType) -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
