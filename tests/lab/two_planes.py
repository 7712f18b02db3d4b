"""A small site with a leaf of each system and two planes on one fabric, as it is asked for at one time and another."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.contribute import planes
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.model.network import Circuit, Network
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.unit.design import toys

LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "leaf-g1-r2"}
PLANES = ("compute", "storage")
KIND = "toy_storage"
LAB = Path(__file__).parents[2] / "inventory" / "lab-rails" / "fabric.yml"
TOY_PLANES = Path(__file__).with_name("toy_planes")


@dataclass(frozen=True, slots=True)
class Version:
    """What is asked for at one time; each figure is one of its owner's choices."""

    compute: int = 0
    """1: other ports' MTU."""
    storage: int = 0
    """1: a list more; 2: other addresses, which the fabric's lists let through."""
    shared: int = 0
    """1: another code point, which is the switch's; 2: no BFD, which is the fabric's."""


FIRST = Version()
CHOICES = {"compute": 2, "storage": 3, "shared": 3}


@contextmanager
def toy_planes_found() -> Iterator[None]:
    """The package of planes also looks where the toys are."""
    before = planes.__path__
    planes.__path__ = [*before, str(TOY_PLANES)]
    kinds.cache_clear()
    try:
        yield
    finally:
        planes.__path__ = before
        kinds.cache_clear()


def intent(version: Version) -> Intent:
    """The lab's, of three rails: one leaf of each system."""
    data: dict[str, Any] = yaml.safe_load(LAB.read_text())
    fabric, group = data["fabrics"]["compute"], data["hosts"]["gpu"]
    group["nics"]["compute"] |= {"rails": 3, "at": [f"0000:00:1{number}.0" for number in range(3)]}
    fabric["leaf"]["overrides"] = [
        {"rails": [1], "platform": "nxos", "release": "10.4(3)", "model": "N9K-C9332D-GX2B"},
        {"rails": [2], "platform": "nvue", "release": "5.16", "model": "SN5600"},
    ]
    if version.shared == 1:
        data["policy"]["classes"]["cnp"]["dscp"] = 46
    fabric["routing"]["bfd"] = version.shared != 2
    data["management"]["source"] = "devices"
    return Intent.model_validate(_with_tuples(data))


def _with_tuples(data: Any) -> Any:
    """The intent takes no lists, which could be changed."""
    if isinstance(data, dict):
        return {key: _with_tuples(value) for key, value in data.items()}
    return tuple(map(_with_tuples, data)) if isinstance(data, list) else data


@cache
def network(version: Version, vrf: str | None = None) -> Network:
    """What is designed for it. Only where the toy planes are found."""
    facts = {name: each.facts for name, each in platforms().items()}
    made = toys.storage_on(design(intent(version), load_catalogue(), facts), vrf, KIND)
    storage = replace(made.planes["storage"], mtu_bytes=4200 if version.storage == 1 else 9000)
    circuits = tuple(_circuit(each, version) for each in made.circuits)
    return replace(made, planes={**made.planes, "storage": storage}, circuits=circuits)


def _circuit(circuit: Circuit, version: Version) -> Circuit:
    if circuit.owner == "compute" and not circuit.is_underlay and version.compute == 1:
        return replace(circuit, use=replace(circuit.use, mtu_bytes=4200))
    if circuit.owner == "storage" and version.storage == 2:
        moved = [each.replace("10.32.", "10.32.1", 1) for each in (circuit.upper_address, circuit.lower_address)]
        return replace(circuit, upper_address=moved[0], lower_address=moved[1])
    return circuit


@cache
def shall_hold(device: str, version: Version, *chosen: str, vrf: str | None = None) -> Wanted:
    """What a switch shall hold of these planes; of both, if none is named."""
    made = network(version, vrf)
    each = device_config(made, made.device(device))
    return wanted(each.config, each.capabilities, each.claims, environment(each.config.os), planes=chosen or None)
