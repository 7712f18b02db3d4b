"""Intents with mistakes at random: those of the tests and built-in sites, changed in a few places.

Python's own generator draws them: the same number gives the same intent on every machine. Most changes leave an intent
that reads well and may not be buildable: other switches, speeds, counts, designs, links. Others are what happens to a
file under an editor: a key left out, a group of hosts twice, a value of another kind.
"""

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.resources import resource
from tests.errors.patches import cases

TESTS = Path(__file__).parent
TOO_LARGE = "ref-"
"""Sites with this prefix have thousands of hosts: each design of them takes seconds, with a mistake or without."""
SITES_SHARE = 0.75
"""So many mutants are of sites that can be built; the others of error cases, which have a mistake already."""
MOST_CHANGES = 4
READS_WELL = 0.7
"""So many changes are knobs and switches: most others end with the first look at the file."""

Place = tuple[str | int, ...]
"""Keys and positions from the top of an intent down to a value."""


class Secret(str):
    """The name of a secret, as ``!secret NAME`` has it."""


class _Loader(yaml.SafeLoader):
    pass


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Loader.add_constructor("!secret", lambda loader, node: Secret(loader.construct_scalar(node)))
_Dumper.add_representer(Secret, lambda dumper, name: dumper.represent_scalar("!secret", str(name)))

ABSENT = "(absent)"
_FEW = (1, 2, 3, 4, 5, 7, 8, 12, 16)
_SPEEDS = ("1G", "10G", "25G", "50G", "100G", "200G", "400G", "800G")
_SPLITS = (ABSENT, "1x400G", "1x100G", "2x400G", "2x200G", "4x100G", "4x25G", "4x200G", "8x100G")
_RATIOS = (0.01, 0.5, 1, 1.5, 2, 3, 7, 64, 180)
_MEDIA = (ABSENT, "DAC", "AOC", "SR4", "DR4", "FR4", "BASE-T", "2xDR4", "2xFR4")
_LENGTHS_M = (ABSENT, 1, 3, 5, 50, 150, 2000, 10000)
_CLASSES = {"bulk": {"dscp": 0, "priority": 0, "weight": 100}}

KNOBS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "hosts.*": {"count": (0, *_FEW, 63, 200), "max": (*_FEW, 17, 33, 64, 65, 128, 200, 500)},
    "nics.*": {
        "rails": _FEW,
        "speed": _SPEEDS,
        "per_group": (ABSENT, *_FEW, 31, 32, 33, 64, 4096),
        "first_group": (ABSENT, 1, 2, 3, 9, 500),
        "copies": (ABSENT, 2, 4),
        "copy_addressing": (ABSENT, "shared", "per_port"),
        "model": (ABSENT, "ConnectX-7", "ConnectX-8", "BlueField-3", "Thor2"),
        "at": (ABSENT,),
        "port_names": (ABSENT, "data", "nic"),
        "ports_of": (ABSENT, "compute", "storage", "business"),
        "leaves_of": (ABSENT, "gpu", "login", "storage"),
        "bond": (ABSENT, {}, {"pxe": True}),
    },
    "fabrics.*": {
        "design": ("rail", "clos", "clos3", "tree"),
        "core": (ABSENT,),
        "name_prefix": (ABSENT, "x", "front"),
        "mtu": (ABSENT, 1500, 4200, 9216),
        "load_balancing": (ABSENT, "static", "flowlet", "per_packet"),
        "routing": ({}, {"addressing": "numbered", "bfd": False}, {"addressing": "unnumbered"}),
        "racks": (ABSENT, {"A01": {"1": "gpu-1"}}, {"A01": {"1": "leaf-g1"}}),
    },
    "leaf": {
        "breakout": _SPLITS,
        "uplink_breakout": _SPLITS,
        "medium": _MEDIA,
        "cable_m": _LENGTHS_M,
        "pairs": (ABSENT, {"links": 1}, {"links": 2}, {"links": 8}, {"links": 2, "lossless": True}),
        "overrides": (ABSENT, [{"groups": [1], "breakout": "2x200G"}], [{"rails": [0], "uplink_breakout": "2x400G"}]),
        "spare_legs": (ABSENT, "shut"),
    },
    "spine": {
        "count": (ABSENT, *_FEW, 32, 64, 4096),
        "oversubscription": _RATIOS,
        "capacity_after_loss": (ABSENT, 0, 0.01, 0.5, 0.99, 1),
        "uplink_speed": (ABSENT, *_SPEEDS),
        "groups": (ABSENT, *_FEW),
        "pod_leaf_groups": (ABSENT, *_FEW, 4096),
        "breakout": _SPLITS,
        "uplink_breakout": _SPLITS,
        "medium": _MEDIA,
        "cable_m": _LENGTHS_M,
        "overrides": (ABSENT, [{"index": [1], "breakout": "4x100G"}], [{"index": [1, 4096], "breakout": "2x400G"}]),
        "spare_legs": (ABSENT, "shut"),
    },
    "core": {"oversubscription": _RATIOS, "uplink_speed": (ABSENT, *_SPEEDS), "breakout": _SPLITS, "medium": _MEDIA},
    "planes.*": {
        "link": ("p2p", "svi", "bond", "subnet/29", "subnet/24", "subnet/30"),
        "cross_rail": (ABSENT, "fabric", "nvlink"),
        "kind": (ABSENT, "compute", "storage", "business", "oob"),
        "tag": (ABSENT, 2, 100, 4094),
        "vlan": (ABSENT, 2, 40, 200, 1005, 4094),
        "vlans": (ABSENT,),
        "mtu": (ABSENT, 1500, 4200, 9000),
        "transport": (ABSENT, "tcp", "rdma"),
        "classes": (ABSENT, _CLASSES),
        "congestion": (ABSENT, "dcqcn", "pfc_only", "lossy", "spectrum_x"),
        "servers": (ABSENT, ["storage"], ["gpu"]),
        "access_switches": (ABSENT, *_FEW, 300, 1000),
        "port_speed": (ABSENT, 1, 10, 25, 100),
        "places": (ABSENT,),
        "default_route": (ABSENT, True, {"leaves_of": "login", "vlan": 391}),
        "vrf": (ABSENT, "STORE"),
    },
    "devices.*": {"count": (0, *_FEW, 300), "max": (*_FEW, 300, 4000)},
    "routing": {"addressing": ("numbered", "unnumbered"), "bfd": (True, False)},
    "policy": {
        "congestion": ("dcqcn", "pfc_only", "lossy", "spectrum_x"),
        "load_balancing": ("static", "flowlet", "per_packet"),
        "mtu": ({"host": 1500, "fabric": 1500}, {"host": 9000, "fabric": 9216}),
    },
}
"""What stands at a place (a star: a name that the operator chose) -> key -> values that it may have."""

STRANGE = (None, "", "x", -1, 0, 1.5, True, [], {}, "0", 10**30, "10.0.0.0/8", "400G", [0], {"x": 1})
_NAMED = ("fabrics", "planes", "hosts", "nics", "classes", "devices", "zones", "upstreams", "published", "vlans")


def kind_at(place: Place) -> str:
    """What stands there: ``spine``, ``nics.*``."""
    names = [part for part in place if isinstance(part, str)]
    return f"{names[-2]}.*" if len(names) > 1 and names[-2] in _NAMED else names[-1]


def places(data: Any, above: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every place below, with its value."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*above, key), value
        yield from places(value, (*above, key))


@cache
def sites() -> tuple[dict[str, Any], ...]:
    """The intents that can be built, without large ones."""
    files = [*resource("inventory").glob("*/fabric.yml"), *TESTS.glob("sites/*/fabric.yml")]
    return tuple(_read(each) for each in sorted(files) if not each.parent.name.startswith(TOO_LARGE))


@cache
def error_cases() -> tuple[dict[str, Any], ...]:
    """The intents of error cases, without those that are no YAML or no intent at all."""
    found = (_parsed(each.text.decode(errors="replace")) for each in cases())
    return tuple(each for each in found if isinstance(each, dict) and isinstance(each.get("hosts"), dict))


def _read(file: Path) -> Any:
    return _parsed(file.read_text(encoding="utf-8"))


def _parsed(text: str) -> Any:
    if "&" in text:
        return None  # with aliases of itself it has no end
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError):
        return None


@cache
def seen() -> Mapping[str, tuple[Any, ...]]:
    """Key -> all values that it has anywhere."""
    found: dict[str, dict[str, Any]] = {}
    for base in (*sites(), *error_cases()):
        for place, value in places(base):
            if isinstance(place[-1], str):
                found.setdefault(place[-1], {}).setdefault(repr(value), value)
    return {key: tuple(each.values()) for key, each in found.items()}


@cache
def keys_below() -> Mapping[str, tuple[str, ...]]:
    """What stands at a place -> the keys that it has anywhere."""
    found: dict[str, dict[str, None]] = {}
    for base in (*sites(), *error_cases()):
        for place, value in places(base):
            if isinstance(value, dict):
                found.setdefault(kind_at(place), {}).update(dict.fromkeys(map(str, value)))
    return {kind: tuple(each) for kind, each in found.items()}


@cache
def switches() -> tuple[Mapping[str, str], ...]:
    """Every model of the catalogue under each of its systems, in each release that some intent has of that."""
    releases: dict[str, set[str]] = {}
    for base in sites():
        for _, value in places(base):
            if isinstance(value, dict) and "platform" in value:
                releases.setdefault(value["platform"], set()).add(str(value["release"]))
    return tuple(
        {"platform": os, "release": release, "model": model.model}
        for model in load_catalogue().switches.values()
        for os in model.os
        for release in sorted(releases.get(os, ()))
    )


def mutated_intent(number: int) -> str:
    """The text of a fabric.yml with a few changes."""
    draw = random.Random(number)
    data = copy.deepcopy(draw.choice(sites() if draw.random() < SITES_SHARE else error_cases()))
    for _ in range(draw.randint(1, MOST_CHANGES)):
        if draw.random() < READS_WELL:
            draw.choice((_turn_a_knob, _turn_a_knob, _turn_a_knob, _other_switch))(data, draw)
        elif there := [place for place, _ in places(data)]:
            place = draw.choice(there)
            parent = data
            for part in place[:-1]:
                parent = parent[part]
            draw.choice(EDITS)(parent, place, draw)
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=120)


def _turn_a_knob(data: dict[str, Any], draw: random.Random) -> None:
    there = [(value, kind_at(place)) for place, value in places(data) if isinstance(value, dict)]
    there = [(value, kind) for value, kind in there if kind in KNOBS]
    if there:
        value, kind = draw.choice(there)
        # A key that is there, more often than not: most sites need few of them.
        keys = [key for key in KNOBS[kind] if key in value] if draw.random() < 0.6 else []
        key = draw.choice(keys or list(KNOBS[kind]))
        setting = draw.choice(KNOBS[kind][key])
        value.pop(key, None)
        if setting is not ABSENT:
            value[key] = copy.deepcopy(setting)


def _other_switch(data: dict[str, Any], draw: random.Random) -> None:
    there = [value for _, value in places(data) if isinstance(value, dict) and "platform" in value]
    if there:
        tier = draw.choice(there)
        tier.update(draw.choice(switches()))
        if draw.random() < 0.5:
            for key in ("breakout", "uplink_breakout", "medium", "overrides"):
                tier.pop(key, None)


def _a_value_seen(parent: Any, place: Place, draw: random.Random) -> None:
    """Another value that this key has somewhere; in a list, one of its list."""
    name = next(part for part in reversed(place) if isinstance(part, str))
    there = seen().get(name, ())
    if isinstance(place[-1], int):
        there = tuple(part for each in there if isinstance(each, list) for part in each)
    if there:
        parent[place[-1]] = copy.deepcopy(draw.choice(there))


def _another_number(parent: Any, place: Place, draw: random.Random) -> None:
    value = parent[place[-1]]
    if isinstance(value, int | float) and not isinstance(value, bool):
        parent[place[-1]] = draw.choice((0, value - 1, value + 1, value * 2, value // 2, value * 100))
    elif isinstance(value, str) and "/" in value and value[-1].isdigit():
        network = value.rpartition("/")[0]
        parent[place[-1]] = f"{network}/{draw.choice((16, 20, 24, 26, 28, 30, 31, 32))}"
    else:
        _a_value_seen(parent, place, draw)


def _leave_out(parent: Any, place: Place, draw: random.Random) -> None:
    del parent[place[-1]]


def _add_a_key(parent: Any, place: Place, draw: random.Random) -> None:
    """A key that objects of this kind have somewhere, with a value that it has somewhere."""
    below = isinstance(parent[place[-1]], dict)
    target, above = (parent[place[-1]], place) if below else (parent, place[:-1])
    if isinstance(target, dict) and any(isinstance(part, str) for part in above):
        new = [key for key in keys_below().get(kind_at(above), ()) if key not in target and key in seen()]
        if new:
            key = draw.choice(new)
            target[key] = copy.deepcopy(draw.choice(seen()[key]))


def _say_twice(parent: Any, place: Place, draw: random.Random) -> None:
    """The same once more: in a list, under another name, or in the place of something beside it."""
    value = copy.deepcopy(parent[place[-1]])
    if isinstance(parent, list):
        parent.append(value)
    else:
        parent[draw.choice([f"{place[-1]}2", "other", *(key for key in parent if key != place[-1])])] = value


def _strange_value(parent: Any, place: Place, draw: random.Random) -> None:
    parent[place[-1]] = copy.deepcopy(draw.choice(STRANGE))


EDITS: tuple[Callable[[Any, Place, random.Random], None], ...] = (
    _a_value_seen,
    _a_value_seen,
    _another_number,
    _another_number,
    _leave_out,
    _add_a_key,
    _add_a_key,
    _say_twice,
    _strange_value,
)
"""What may happen to one value; those that come twice are twice as likely."""
