"""What kinds of fabrics and planes there are: whatever modules ``design/fabrics/`` and ``design/planes/`` hold.

A fabric and the planes on it contribute apart from one another. The one thing a fabric asks its planes is which
prefixes of theirs a switch announces, for its route policy lets through nothing else.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Protocol

from nornir_tasks.design import fabrics, planes
from nornir_tasks.design.claims import Owner
from nornir_tasks.design.network import Device, Fabric, Network, Plane
from nornir_tasks.design.partial_config import PartialConfig

Announced = Callable[[Device], tuple[str, ...]]
"""Switch -> the prefixes of all planes that it announces."""


class PartialConfigs(Protocol):
    """What ``fabrics/<kind>.py`` wants of one switch of such a fabric."""

    def __call__(
        self, network: Network, device: Device, announced: Announced, *, drained: bool
    ) -> Iterator[PartialConfig]:
        """The underlay; ``drained``: paths through this switch are made longer than any other."""


@dataclass(frozen=True, slots=True)
class FabricKind:
    """One kind of fabric."""

    designs: frozenset[str]
    """What the intent calls such fabrics."""
    owner: Callable[[Fabric], Owner]
    """What is the fabric's own on any switch."""
    partial_configs: PartialConfigs


@dataclass(frozen=True, slots=True)
class PlaneKind:
    """One kind of plane."""

    owner: Callable[[Plane, Fabric], Owner]
    """What is the plane's own on any switch of this fabric."""
    announced: Callable[[Network, Plane, Device], tuple[str, ...]]
    """The prefixes of its hosts that a switch announces into the fabric."""
    partial_configs: Callable[[Network, Plane, Device], Iterator[PartialConfig]]
    """What it wants of one switch of the fabric that it rides on."""
    joins_gpus: bool = False
    """Do GPUs talk over it, so that NCCL takes its NICs, and no other plane's?"""
    bootstrap: str | None = None
    """Where GPUs talk over it: the plane whose interfaces NCCL finds its peers by."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds there are."""

    fabrics: Mapping[str, FabricKind]
    """By what the intent calls them."""
    planes: Mapping[str, PlaneKind]
    """By the module's name."""

    def with_plane(self, name: str, kind: PlaneKind) -> "Kinds":
        """The same and one kind of plane more."""
        return replace(self, planes={**self.planes, name: kind})


@cache
def kinds() -> Kinds:
    """The kinds that the modules of both packages expose."""
    of_fabrics: list[FabricKind] = [module.KIND for module in _modules(fabrics).values()]
    of_planes: dict[str, PlaneKind] = {name: module.KIND for name, module in _modules(planes).items()}
    return Kinds({design: kind for kind in of_fabrics for design in kind.designs}, of_planes)


def _modules(package: ModuleType) -> dict[str, ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
