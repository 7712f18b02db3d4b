"""The configuration of a switch before the first push: day-0 facts of the device, and foreign configuration.

The content is data (brownfield.json); its shapes are those of tests/corpus/nvue. The login account is included as a
hash only, so that a push that removes the account ends its own access.
"""

from __future__ import annotations

import json
from importlib.resources import files
from string import Template
from typing import Any

from ..spec import DeviceSpec
from .dialect import Dialect
from .tree import Tree, merge

_INTEGERS = ("$api_port", "$asn")


def brownfield(device: DeviceSpec, username: str, password_hash: str, dialect: Dialect) -> Tree:
    """The initial configuration of a device."""
    data = json.loads(files(__package__).joinpath("brownfield.json").read_text(encoding="utf-8"))
    octets = device.address.split(".")
    facts = {
        "name": device.name,
        "address": device.address,
        "api_port": device.api_port,
        "asn": device.asn,
        "gateway": ".".join([*octets[:3], "1" if octets[3] != "1" else "254"]),
        "username": username,
        "password_hash": password_hash,
    }
    tree: Tree = {}
    for part in ("common", "from-5.15" if dialect.has_bfd_profiles else "before-5.15"):
        merge(tree, _filled(data[part], facts))
    return tree


def _filled(value: Any, facts: dict[str, Any]) -> Any:  # noqa: ANN401  (JSON)
    if isinstance(value, dict):
        return {_filled(key, facts): _filled(item, facts) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, facts) for item in value]
    if value in _INTEGERS:
        return facts[value[1:]]
    return Template(value).substitute(facts) if isinstance(value, str) else value
