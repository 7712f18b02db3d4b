"""Every line shape of SOURCES.yml is known to parse, ownership, the candidate on a switch, and disruption.

For each shape a line that some site prints is pushed to a twin and taken away again; of a line that the OS hides as its
default, the opposite is. What a shape lacks is named.
"""

from __future__ import annotations

import importlib
import json
import re
from typing import Any

import pytest
from line_shapes import Example, Rendered, Shape, examples, shapes

from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.nvue.candidate import keys_of
from nornir_tasks.platforms.nvue.tree import key_and_value, to_data
from nornir_tasks.platforms.platform import Candidate
from switch_twins.engine import EOS, ConfigSession, Context, Tree, load_text
from switch_twins.eos.grammar import eos_grammar
from switch_twins.nvue import checks
from switch_twins.nvue import tree as nvue_tree
from switch_twins.nvue.autofill import complete
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.schema import schema_for
from switch_twins.nxos.day0 import bare_tree
from switch_twins.nxos.patch import patch
from switch_twins.spec import DeviceSpec
from tests.property.mutants import other_values, without

NOT_PRINTED = {
    "eos: ip load-sharing trident|arad <seed>": "no ASIC of the catalogue is named where the manual tells of seeds",
    "eos: bandwidth guaranteed percent 5": "the manual tells of it for an ASIC that no switch of the catalogue has",
    "eos: no error-correction encoding": "links without error correction are slower than those of these sites",
    "nvue: router / adaptive-routing / enable|state": "no NIC of the catalogue takes packets out of order",
    "nvue: interface / <port> / router / adaptive-routing / enable|state": "likewise",
    "nvue: router / policy / route-map / <name> / rule / <n> / action / deny": "all our route maps permit",
    "nxos: mode flowlet | mode per-packet": "flowlet is the default and left out as we read; per packet as on NVUE",
    "nxos: fec <rs-fec|fc-fec|off>": "no words of the manual for the lanes of these sites",
    "nxos: negotiate auto": "these sites force the rate of NX-OS's ports",
    "nxos: advertisement-interval <n>": "the lab's NX-OS switches wait their own time",
}
"""Shapes that no site of ours prints, and why."""

PORTS = frozenset({"eos: interface Ethernet<cage>/<lane> | interface Ethernet<cage>", "nxos: interface <name>"})
"""A port is there whatever is configured; only what it says goes."""

STOOD_ON = dict.fromkeys(
    (
        "nvue: interface / <cage> / link / breakout / <ways>x / lanes-per-port",
        "nvue: router / policy / prefix-list / <name> / rule / <n> / action",
        "nvue: router / policy / route-map / <name> / rule / <n> / action / permit",
        "nvue: router / bgp / autonomous-system",
        "nvue: ... / neighbor / <address> / remote-as",
        "nvue: ... / neighbor / <port> / remote-as",
        "nxos: feature <name>",
        "nxos: feature interface-vlan",
        "nxos: class-map type qos match-any <name>",
        "nxos: policy-map type qos <name>",
        "nxos: policy-map type network-qos <name>",
        "nxos: policy-map type queuing <name>",
        "nxos: no switchport",
        "nxos: template peer <name>",
    ),
    r".*",
) | {"nxos: interface breakout module 1 port <n> map <speed>g-<ways>x": r"interface (breakout|Ethernet\d+/\d+/).*"}
"""Lines that a switch keeps while others stand on them, and which top-level lines are taken away with them."""

OPPOSITES = {"switchport mode access": "switchport mode trunk"}
"""Where ``no`` says the default again."""


class EosSwitch:
    """An EOS switch into which somebody typed a rendered configuration."""

    def __init__(self, rendered: Rendered) -> None:
        config = rendered.config
        self._context = Context(release=config.release, asic=config.asic, model=config.model)
        self._tree = Tree(eos_grammar(), EOS)
        self.refused = [str(error) for _, error in load_text(self._tree, self._context, rendered.text)]

    def running(self) -> str:
        return self._tree.text()

    def take(self, candidate: Candidate) -> None:
        session = ConfigSession(self._tree, self._context)
        errors = session.feed_all(candidate.payload)
        self.refused = [f"{candidate.payload[number - 1]}: {error}" for number, error in errors]

    def type(self, path: Path) -> None:
        load_text(self._tree, self._context, "".join(f"{' ' * 3 * n}{line}\n" for n, line in enumerate(path)))


class NxosSwitch:
    """An NX-OS switch, likewise; a candidate is carried out by the commands that lead to it."""

    def __init__(self, rendered: Rendered) -> None:
        config = rendered.config
        ports = frozenset(f"Ethernet1/{number}" for number in range(1, 67))
        self._context = Context(release=config.release, asic=config.asic, model=config.model, ports=ports)
        self._name = config.name
        self._tree = self._loaded(rendered.text)

    def _loaded(self, text: str) -> Tree:
        tree = bare_tree(self._context, self._name)
        self.refused = [str(error) for _, error in load_text(tree, self._context, text)]
        return tree

    def running(self) -> str:
        return self._tree.text()

    def take(self, candidate: Candidate) -> None:
        target = self._loaded(candidate.payload)
        commands = patch(self._tree, target)
        session = ConfigSession(self._tree, self._context)
        self.refused += [f"{commands[number - 1]}: {error}" for number, error in session.feed_all(commands)]

    def type(self, path: Path) -> None:
        load_text(self._tree, self._context, "".join(f"{' ' * 2 * n}{line}\n" for n, line in enumerate(path)))


class NvueSwitch:
    """A Cumulus Linux switch, likewise: what a revision is refused for, at PATCH and at apply, is asked of the twin."""

    def __init__(self, rendered: Rendered) -> None:
        config = rendered.config
        ports = tuple(f"swp{number}" for number in range(1, 65))
        self._device = DeviceSpec(
            config.name, "nvue", config.release, config.model, config.asic, "LAB1", "127.0.0.1", 8765, 8022, 0, ports
        )
        self._held: dict[str, Any] = {}
        self._patch(to_data(rendered.written()))

    def _patch(self, patch: dict[str, Any]) -> None:
        self.refused = [mistake.message for mistake in schema_for(self._device.release).mistakes(patch)]
        complete(patch, self._held)
        nvue_tree.merge(self._held, patch)
        found = checks.findings(self._held, dialect_for(self._device.release), self._device)
        self.refused += [f"{where}: {why}" for where, why in found]

    def running(self) -> str:
        return json.dumps(self._held)

    def take(self, candidate: Candidate) -> None:
        for pointer in candidate.payload["delete"]:
            nvue_tree.remove(self._held, keys_of(pointer))
        self._patch(candidate.payload["patch"])

    def type(self, path: Path) -> None:
        raise AssertionError(path)  # NVUE hides nothing


SWITCHES = {"eos": EosSwitch, "nvue": NvueSwitch, "nxos": NxosSwitch}
Switch = EosSwitch | NvueSwitch | NxosSwitch


def unread(example: Example) -> str:
    """Is it understood, and noticed where it is absent or where another stands in its place?"""
    switch, path = example.switch, example.lines
    written = switch.written()
    less = without(written, path)
    other = less.copy()
    last = f'{key_and_value(path[-1])[0]}: "other"' if switch.config.os == "nvue" else f"{path[-1]} other"
    other.add_path((*path[:-1], last))
    whole, *others = (
        switch.os.parse(tree, switch.capabilities, switch.config.name, switch.config.model)
        for tree in (written, less, other)
    )
    if whole.remainder.get(*path) is not None:
        return "parse: does not understand it"
    return "parse: neither missed nor told from another" if all(each == whole for each in others) else ""


def unowned(example: Example) -> str:
    """Has it an owner?"""
    owned = example.switch.owned(example.switch.written())
    return "ownership: nobody owns it" if owned.get(*example.lines) is None else ""


def unremoved(shape: Shape, example: Example) -> str:
    """Does a switch take it, and is it gone once the candidate has taken it away?"""
    rendered, path = example.switch, example.lines
    os, wanted = rendered.os, rendered.owned(rendered.os.canonical(rendered.written()))
    switch = SWITCHES[rendered.config.os](rendered)
    if switch.refused:
        return f"switch: does not take what is rendered, {switch.refused}"
    runs = rendered.owned(os.to_tree(switch.running()))
    is_hidden = wanted.get(*path) is None
    if is_hidden != (runs.get(*path) is None):
        return f"canonical: the switch {'prints' if is_hidden else 'hides'} it"
    if is_hidden:
        path, target = (*path[:-1], opposite(path[-1])), wanted
        switch.type(path)
        runs = rendered.owned(os.to_tree(switch.running()))
        if runs.get(*path) is None:
            return f"switch: hides the opposite, too: {path[-1]}"
    else:
        target = without(wanted, path)
        gone = re.compile(STOOD_ON.get(str(shape), r"(?!)"))
        target.children = {line: node for line, node in target.children.items() if not gone.fullmatch(line)}
    switch.take(os.candidate(os.to_tree(switch.running()), runs, target))
    if switch.refused:
        return f"candidate: the switch does not take it, {switch.refused}"
    left = rendered.owned(os.to_tree(switch.running())).get(*path)
    return "" if left is None or (str(shape) in PORTS and not left) else "candidate: does not take it away"


def opposite(line: str) -> str:
    """What somebody types who undoes a default."""
    if line in OPPOSITES:
        return OPPOSITES[line]
    values = list(other_values(line))
    return values[-1] if values else line.removeprefix("no ") if line.startswith("no ") else f"no {line}"


def unsaid(example: Example) -> str:
    """Does the OS's table say what a change of it does to traffic?"""
    classes = importlib.import_module(f"nornir_tasks.platforms.{example.switch.config.os}.disruption").CLASSES
    line = " / ".join(example.lines)
    return "" if any(re.fullmatch(pattern, line) for pattern, _ in classes) else "disruption: nothing is said of it"


@pytest.mark.parametrize("shape", shapes(), ids=str)
def test_every_part_knows_the_line(shape: Shape) -> None:
    example = examples().get(shape)
    if example is None:
        assert str(shape) in NOT_PRINTED, "no site prints it"
        return
    judged = (unread(example), unowned(example), unremoved(shape, example), unsaid(example))
    assert [each for each in judged if each] == [], f"{example.switch.config.name}: {' / '.join(example.lines)}"


def test_no_exception_is_kept_for_a_shape_that_needs_none() -> None:
    known = {str(shape) for shape in shapes()}
    assert (PORTS | STOOD_ON.keys() | NOT_PRINTED.keys()) - known == set()
    assert {str(shape) for shape in examples()} & NOT_PRINTED.keys() == set()
