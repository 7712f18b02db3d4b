"""What a kind of fabric or plane says of itself; the kinds themselves are modules in ``design/contribute/``.

A fabric and its planes contribute independently. A fabric needs one thing from its planes: the prefixes that a switch
announces for them, because its route policy permits nothing else.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from nornir_tasks.design.model.claims import Owner
from nornir_tasks.design.model.network import Device, Fabric, Network
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.design.model.plane import Plane

Announced = Callable[[Device], tuple[str, ...]]
"""Switch -> the prefixes of all planes that it announces."""


class PartialConfigs(Protocol):
    """The partial configuration that ``fabrics/<kind>.py`` gives one switch of such a fabric."""

    def __call__(
        self, network: Network, device: Device, announced: Announced, *, drained: bool
    ) -> Iterator[PartialConfig]:
        """The underlay; ``drained``: paths through this switch are made longer than any other."""


@dataclass(frozen=True, slots=True)
class FabricKind:
    """One kind of fabric."""

    designs: frozenset[str]
    """Name of the kind in the intent."""
    owner: Callable[[Fabric], Owner]
    """The fabric as an owner: what belongs to it on any switch."""
    partial_configs: PartialConfigs


@dataclass(frozen=True, slots=True)
class PlaneKind:
    """One kind of plane."""

    owner: Callable[[Plane, Fabric], Owner]
    """The plane as an owner: what belongs to it on any switch of this fabric."""
    announced: Callable[[Network, Plane, Device], tuple[str, ...]]
    """The prefixes of the plane's hosts that a switch announces into the fabric."""
    partial_configs: Callable[[Network, Plane, Device], Iterator[PartialConfig]]
    """The plane's partial configuration of one switch of its fabric."""
    joins_gpus: bool = False
    """Do GPUs communicate over it? Then NCCL uses its NICs, and those of no other plane."""
    has_transport: bool = False
    """Does the intent say how its packets are transported, who serves and how much it should carry?"""
    is_out_of_band: bool = False
    """Are BMCs and management ports on it, instead of hosts? Then its fabric is a tree, and has this plane alone."""
    bootstrap: str | None = None
    """If GPUs communicate over it: the plane on whose interfaces NCCL finds its peers."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds of fabrics and planes."""

    fabrics: Mapping[str, FabricKind]
    """By name in the intent."""
    planes: Mapping[str, PlaneKind]
    """By module name."""

    def with_plane(self, name: str, kind: PlaneKind) -> "Kinds":
        """These kinds and one more kind of plane."""
        return replace(self, planes={**self.planes, name: kind})
