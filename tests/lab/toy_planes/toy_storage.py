"""The toy plane storage as a kind that is found by being there; a smaller MTU stands for another version of it."""

from collections.abc import Iterator

from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule
from nornir_tasks.design.demand.kinds import PlaneKind
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig
from nornir_tasks.design.model.plane import Plane
from tests.unit.design import toys

LARGE_BYTES = 9000


def partial_configs(network: Network, plane: Plane, device: Device) -> Iterator[PartialConfig]:
    yield from toys.partial_configs(network, plane, device)
    if plane.mtu_bytes < LARGE_BYTES:
        rule = PrefixRule(10, permit=False, prefix="10.32.250.0/24")
        yield PartialConfig(prefix_lists={"STORAGE-NEVER": PrefixList("STORAGE-NEVER", (rule,))})


KIND = PlaneKind(toys.owner, toys.announced, partial_configs)
