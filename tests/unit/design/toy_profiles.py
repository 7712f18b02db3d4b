"""The lab with storage beside compute, on ports that lose packets rather than pause, and share and mark otherwise."""

from dataclasses import replace
from functools import cache

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.config.qos import Ecn, PortProfile, Qos
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, ClassPolicy
from nornir_tasks.design.pipeline import Realised, device_config
from tests.unit.design import toys
from tests.unit.design.wanted_of import wanted_of

BULK = tuple(point for point in range(64) if point not in (18, 26, 48))
SHARED = (
    ClassPolicy("bulk", BULK, 0, lossless=False, strict=False, weight_percent=30, ecn=None),
    ClassPolicy("storage", (18,), 2, lossless=False, strict=False, weight_percent=20, ecn="auto"),
    ClassPolicy("roce", (26,), 3, lossless=True, strict=False, weight_percent=50, ecn="auto"),
    ClassPolicy("cnp", (48,), 6, lossless=False, strict=True, weight_percent=None, ecn=None),
)
"""On links between switches and on compute's ports: RDMA of GPUs is lossless, storage may be lost."""

MARKS = Ecn(min_bytes=2_211_840, max_bytes=4_423_680, probability_percent=20)
"""Multiples of every ASIC's cells, so that they are the same on all systems."""

LOSSY = (
    replace(SHARED[0], weight_percent=25),
    replace(SHARED[1], weight_percent=70, ecn=MARKS),
    replace(SHARED[2], weight_percent=5, lossless=False, ecn=None),
    SHARED[3],
)
"""On storage's ports: nothing pauses, storage has most of the bandwidth and marks late."""

PROFILE = "storage-lossy"
NAME = "GPUFABRIC-STORAGE-LOSSY"


@cache
def network(own: tuple[ClassPolicy, ...] | None = LOSSY) -> Network:
    """The lab with storage's ports; ``own``: how they treat the classes, None: as all do."""
    base = toys.with_storage()
    fabric = replace(base.fabrics["compute"], classes=SHARED)
    storage = replace(base.planes["storage"], profile=PROFILE if own else FABRIC_PROFILE, classes=own)
    return replace(base, fabrics={**base.fabrics, "compute": fabric}, planes={**base.planes, "storage": storage})


@cache
def realised(name: str, own: tuple[ClassPolicy, ...] | None = LOSSY) -> Realised:
    """One switch with both profiles."""
    site = network(own)
    return device_config(site, site.device(name), among=toys.with_kind())


@cache
def whole(name: str, *planes: str) -> Wanted:
    """What one switch shall hold of these planes; of all, if none is named."""
    return wanted_of(realised(name), planes)


def qos_of(name: str, own: tuple[ClassPolicy, ...] | None = LOSSY) -> Qos:
    qos = realised(name, own).config.qos
    assert qos is not None
    return qos


def profile_of(name: str, port: str) -> PortProfile:
    """What a port carries."""
    (interface,) = (each for each in realised(name).config.interfaces if each.name == port)
    (profile,) = (each for each in qos_of(name).profiles if each.name == interface.qos_profile)
    return profile
