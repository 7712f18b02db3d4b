"""Examples of the line shapes of SOURCES.yml: lines that renders of real sites print.

Shapes of EOS and NX-OS are lines, `` / `` between a block's first line and one below it. Those of NVUE are paths of its
tree: ``a|b`` is either key, ``<x>`` any, braces hold the keys below; each path that comes of it is a shape of its own.
"""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import Claims
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.design.pipeline import design, device_config, device_configs
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.config_tree import Path as Lines
from nornir_tasks.platforms.nvue.tree import key_and_value
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Platform
from nornir_tasks.render.render import render
from tests.corpus.shapes import patterns
from tests.unit.design import (
    bundled,
    edge_systems,
    filtered,
    long_cables,
    managed,
    paired,
    reached,
    tagged,
    toy_layer3,
    toy_profiles,
    toys,
    with_radius,
)

ROOT = Path(__file__).parents[2]
DRAIN = Drain("alice", reason="fan 2 is broken")
SITES = (
    "inventory/lab-rails",
    "inventory/lab-breakout",
    "inventory/lab-unnumbered",
    "inventory/ref-512",
    "tests/sites/svi",
    "tests/sites/vrf",
)
FLOWLET = (
    {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S", "overrides": []},
    {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A", "overrides": []},
)
"""Both tiers of the lab under one system that balances flowlets."""
JERICHO = {"platform": "eos", "release": "4.33.1F", "model": "7280DR3-24", "overrides": []}
"""Spines that count marks by a line of the switch besides."""
PER_PACKET = (
    {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A", "overrides": []},
    {"platform": "nvue", "release": "5.14", "model": "SN5400", "overrides": []},
    {"platform": "nvue", "release": "5.16", "model": "SN5400", "overrides": []},
)
"""And under one that balances packet by packet."""

_TOP = {
    "services": r"service |errdisable |ip routing|ipv6 unicast-routing|feature |hardware |ip(?:v6)? dhcp relay",
    "access_lists": r"ip(?:v6)? access-list ",
    "interfaces": r"interface |ip virtual-router ",
    "qos": r"qos |priority-flow-control |platform trident |class-map |policy-map |system qos",
    "bgp": r"router bgp ",
    "routing_policy": r"ip(?:v6)? prefix-list |ip as-path |route-map ",
    "vlans": r"vlan \d",
    "pair": r"(?:no )?(?:mlag |spanning-tree |vlan |interface |vpc domain )",
    "breakouts": r"interface breakout ",
    "bfd": r"router bfd|bfd ",
    "load_balancing": r"ip hardware |hardware profile ",
}
"""How the top-level lines of a section begin, where shapes of several sections are alike."""
_PLACES = {"(SVI)": r"interface Vlan\d+", "(switched port)": r"interface Ethernet\S+"}
"""Where a shape stands, by the note at its end."""
_WORDS = {
    "<address>": r"[\d.]+",
    "<peering>": r"peerlink\.\d+",
    "<port>": r"(?:swp\w+|lo)",
    "<svi>": r"vlan\d+",
    "<subinterface>": r"swp\w+\.\d+",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """One line shape of one system; ``path``: one path of it, where it stands for several."""

    os: str
    section: str
    text: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.os}: {self.path or self.text}"


def fitting(os: str, lines: Lines) -> tuple[Shape, ...]:
    """The shapes of which the last of ``lines`` is one."""
    if os == "nvue":
        return _of_line(os, "", " / ".join(key_and_value(each)[0] for each in lines))
    return _of_line(os, lines[0], lines[-1])


@cache
def _of_line(os: str, above: str, line: str) -> tuple[Shape, ...]:
    """By the first line of its block and itself. Switches have most of their lines in common."""
    mine = ((shape, *_patterns(shape)) for shape in shapes() if shape.os == os)
    return tuple(shape for shape, place, own in mine if own.fullmatch(line) and place.match(above))


@cache
def _patterns(shape: Shape) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How the block begins that a shape stands in, and its own line; a path is one pattern."""
    if shape.os == "nvue":
        keys = " / ".join(map(_key, shape.path.removeprefix("... / ").split(" / ")))
        return re.compile(""), re.compile(rf"(?:[^ ]+ / )*{keys}" if shape.path.startswith("...") else keys)
    if shape.section == "base" and " / " in shape.text:
        return patterns(shape.text)[0], patterns(shape.text)[-1]  # their lines are like those of other blocks
    note = re.search(r"\([\w ]+\)$", shape.text)
    place = _PLACES.get(note[0] if note else "", "") or _TOP.get(shape.section, "")
    return re.compile(place), patterns(re.sub(r" \([\w ]+\)", "", shape.text))[-1]


@cache
def shapes() -> tuple[Shape, ...]:
    """All shapes of all systems; a note that a section prints nothing is none."""
    found = []
    for os in platforms():
        for entry in yaml.safe_load((ROOT / "templates" / os / "SOURCES.yml").read_text(encoding="utf-8")):
            section, text = entry["section"], entry["shape"]
            if not text.startswith("(nothing"):
                paths = dict.fromkeys(_paths(text)) if os == "nvue" else [""]
                found += [Shape(os, section, text, path) for path in paths]
    return tuple(found)


def _paths(shape: str) -> Iterator[str]:
    """The paths of one shape of NVUE: ``a.b: {c: 1, d}`` -> ``a / b / c`` and ``a / b / d``."""
    for entry in _split(shape, ","):
        path, _, value = entry.partition(": ")
        keys = " / ".join(_split(path.removeprefix("..."), r"\."))
        above = "... / " if path.startswith("...") else ""
        below = [inner for each in _split(value, r"\|") if each.startswith("{") for inner in _paths(each[1:-1])]
        yield from (f"{above}{keys} / {each}" for each in below) if below else (f"{above}{keys}",)


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that stand outside of braces and placeholders."""
    tokens = re.findall(rf"<[^>]*>|\{{|\}}|{separator}|[^<{{}}]", text)
    parts, depth = [""], 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth == 0 and re.fullmatch(separator, token):
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts if part.strip()]


def _key(text: str) -> str:
    """The pattern of one key: ``a|b`` either, ``<x>`` any."""
    words = (re.split(r"(<[^>]*>)", each) for each in _split(text, r"\|"))
    found = ["".join(_WORDS.get(word, r"[^ ]+") if word[:1] == "<" else word for word in key) for key in words]
    return f"(?:{'|'.join(found)})" if len(found) > 1 else found[0]


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """What is rendered for one switch, whether it is owned or not."""

    config: DeviceConfig
    capabilities: Capabilities
    claims: Claims
    text: str

    @property
    def os(self) -> Platform:
        return platform(self.config.os)

    def written(self) -> ConfigTree:
        """All that is rendered, hidden defaults included."""
        return self.os.to_tree(self.text)

    def owned(self, tree: ConfigTree) -> ConfigTree:
        """What of a tree is ours."""
        parts = split(tree, self.os.ownership, self.claims)
        del parts[None]
        return join(parts.values())


@dataclass(frozen=True, slots=True)
class Example:
    """A line that is rendered for one switch."""

    switch: Rendered
    lines: Lines


@cache
def examples() -> dict[Shape, Example]:
    """An example of each shape that any of the sites prints: a line that its OS shows, if there is one."""
    switches = (*_switches(), *_vrfs(), *_profiles(), *_tagged(), *_bundled(), *_paired(), *_filtered(), *_dual_stack())
    switches += (*_gateways(), *_edges(), *_managed())
    found: dict[Shape, Example] = {}
    for switch in switches:
        _note(found, switch, switch.os.canonical(switch.written()))
    for switch in switches:
        _note(found, switch, switch.written())
    return found


def _note(found: dict[Shape, Example], switch: Rendered, tree: ConfigTree) -> None:
    """Keep the first line of each shape that has no example yet."""
    missing = {shape for shape in shapes() if shape.os == switch.config.os and shape not in found}
    for lines, node in tree.walk() if missing else ():
        if switch.config.os == "nvue" and node:
            continue
        for shape in fitting(switch.config.os, lines):
            if shape in missing and _is_own(shape, lines, tree):
                found[shape] = Example(switch, lines)
                missing.remove(shape)


def _is_own(shape: Shape, lines: Lines, tree: ConfigTree) -> bool:
    """A shape of switched ports is not shown by a line of a routed one."""
    port = tree.get(lines[0])
    return "(switched port)" not in shape.text or (port is not None and "no switchport" not in port.children)


def _switches() -> Iterator[Rendered]:
    for intent in _intents():
        fabric = design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})
        drained = (device_config(fabric, device, drained=DRAIN) for device in fabric.devices)
        for each in (*device_configs(fabric), *drained):
            text = render(each.config, each.capabilities, environment(each.config.os))
            yield Rendered(each.config, each.capabilities, each.claims, text)


def _vrfs() -> Iterator[Rendered]:
    """Switches with a plane in a VRF."""
    for device in (*toys.ONE_OF_EACH.values(), "spine-2"):
        each = toys.realised(device, "STORAGE")
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _profiles() -> Iterator[Rendered]:
    """Switches with ports that lose packets beside those that do not."""
    for device in toys.ONE_OF_EACH.values():
        each = toy_profiles.realised(device)
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _tagged() -> Iterator[Rendered]:
    """Switches with planes told apart by tags."""
    for device in tagged.DEVICES.values():
        each = tagged.realised(device)
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _bundled() -> Iterator[Rendered]:
    """Switches with link aggregation groups."""
    for device in bundled.DEVICES.values():
        each = bundled.realised(device)
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _paired() -> Iterator[Rendered]:
    """Switches that are one of a pair."""
    for device in paired.DEVICES.values():
        each = paired.realised(device)
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _filtered() -> Iterator[Rendered]:
    """Switches with access lists."""
    for device in filtered.tagged.LEAVES.values():
        each = filtered.realised(device)
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _dual_stack() -> Iterator[Rendered]:
    """Switches with a plane that has IPv6 and static routes out."""
    for device in toy_layer3.DEVICES.values():
        for vrf in (None, toy_layer3.VRF):
            each = toy_layer3.realised(device, vrf)
            text = render(each.config, each.capabilities, environment(each.config.os))
            yield Rendered(each.config, each.capabilities, each.claims, text)


def _gateways() -> Iterator[Rendered]:
    """Leaves of Cumulus Linux with redundant gateways, in both spellings of its releases."""
    intent = load_intent(ROOT / "tests" / "sites" / "front" / "fabric.yml")
    network = design(intent, load_catalogue(), {name: each.facts for name, each in platforms().items()})
    for each in (device_config(network, network.device(name)) for name in ("front-leaf-g3-a", "front-leaf-g4-a")):
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _edges() -> Iterator[Rendered]:
    """Edge routers of each system, those of Cumulus Linux in both spellings and signed; drained as well."""
    sites = [edge_systems.text_of(system, signed=True) for system in edge_systems.SYSTEMS]
    sites.append(edge_systems.text_of("nvue", signed=True).replace('"5.16"', '"5.14"'))
    with tempfile.TemporaryDirectory() as folder:
        for text in sites:
            (Path(folder) / "fabric.yml").write_text(text, encoding="utf-8")
            network = edge_systems.design_of(Path(folder)).network
            for device in (each for each in network.devices if network.edge and each.fabric == network.edge.fabric):
                for drained in (False, DRAIN):
                    each = device_config(network, device, drained=drained)
                    lines = render(each.config, each.capabilities, environment(each.config.os))
                    yield Rendered(each.config, each.capabilities, each.claims, lines)


def _managed() -> Iterator[Rendered]:
    """Switches whose base configuration is managed, reached in a management VRF and in the default one."""
    for site, device, vrf in product((managed, with_radius, reached), managed.DEVICES.values(), managed.VRFS):
        each = site.realised(device, vrf)
        text = render(each.config, each.capabilities, environment(each.config.os))
        yield Rendered(each.config, each.capabilities, each.claims, text)


def _intents() -> Iterator[Intent]:
    for site in SITES:
        yield load_intent(ROOT / site / "fabric.yml")
    yield long_cables.intent()
    yield _changed({"telemetry": {"counters": True}}, {"leaf": FLOWLET[0], "spine": JERICHO})
    for mode, model in (*(("flowlet", each) for each in FLOWLET), *(("per_packet", each) for each in PER_PACKET)):
        yield _changed({"load_balancing": mode}, dict.fromkeys(("leaf", "spine"), model))


def _changed(policy: dict[str, Any], tiers: dict[str, dict[str, Any]]) -> Intent:
    """The lab's site with another policy, on other switches."""
    data: dict[str, Any] = yaml.safe_load((ROOT / "inventory" / "lab-rails" / "fabric.yml").read_text(encoding="utf-8"))
    data["policy"] |= policy
    for tier, model in tiers.items():
        data["fabrics"]["compute"][tier].update(model)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yml"
        file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        return load_intent(file)
