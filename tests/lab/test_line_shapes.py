"""Every line shape of SOURCES.yml is known to parse, ownership, the candidate on a switch, and disruption.

For each shape a line that some site prints is pushed to a twin and taken away again; of a line that the OS hides as its
default, the opposite is. What a shape lacks is named.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import cache

import pytest
from line_shapes import Example, Rendered, Shape, examples, shapes
from typed_switches import SWITCHES, Switch

from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.nvue.tree import key_and_value
from nornir_tasks.platforms.platform import Parsed
from tests.property.mutants import other_values, without

NOT_PRINTED = {
    "eos: banner login": "its text is of its line: tests/lab/test_base_identity.py has what is asked here",
    "nxos: banner motd ^": "its text is of its line: tests/lab/test_base_identity.py has what is asked here",
    "eos: ip load-sharing trident|arad <seed>": "no ASIC of the catalogue is named where the manual tells of seeds",
    "eos: bandwidth guaranteed percent 5": "the manual tells of it for an ASIC that no switch of the catalogue has",
    "eos: hardware counter feature acl out ipv4|ipv6": "the leaves of these sites count what goes out without it",
    "nxos: advertisement-interval <n>": "the lab's NX-OS switches wait their own time",
}
"""Shapes that no site of ours prints, and why."""

PORTS = frozenset({"eos: interface Ethernet<cage>/<lane> | interface Ethernet<cage>", "nxos: interface <name>"})
"""A port is there whatever is configured; only what it says goes."""

STAYS = frozenset(
    {
        "eos: interface Management1",
        "nxos: hostname <name>",
        "nxos: interface mgmt0",
        "nxos: vrf context management",
    }
)
"""Every switch has it: another may take its place, and it is never taken away."""

STOOD_ON = dict.fromkeys(
    (
        "nvue: interface / <cage> / link / breakout / <ways>x / lanes-per-port",
        "nvue: router / policy / prefix-list / <name> / rule / <n> / action",
        "nvue: router / policy / route-map / <name> / rule / <n> / action / permit",
        "nvue: router / policy / route-map / <name> / rule / <n> / action / deny",
        "nvue: acl / <name> / type",
        "nvue: router / bgp / autonomous-system",
        "nvue: ... / neighbor / <address> / remote-as",
        "nvue: ... / neighbor / <port> / remote-as",
        "nxos: feature <name>",
        "nxos: feature interface-vlan",
        "nxos: feature lacp",
        "nxos: feature vpc",
        "nxos: class-map type qos match-any <name>",
        "nxos: policy-map type qos <name>",
        "nxos: policy-map type network-qos <name>",
        "nxos: policy-map type queuing <name>",
        "nxos: no switchport",
        "nxos: template peer <name>",
    ),
    r".*",
) | {
    "nxos: interface breakout module 1 port <n> map <speed>g-<ways>x": r"interface (breakout|Ethernet\d+/\d+/).*",
    "nxos: interface port-channel<n>": r"interface (Ethernet|port-channel).*",
    "nxos: no lacp suspend-individual": r"interface Ethernet.*",
    "nxos: feature nxapi": r"nxapi .*",
    "nxos: hsrp version 2": r"interface Vlan\d+",
    "nxos: feature tacacs+": r"(tacacs-server|aaa) .*",
    "nxos: aaa group server tacacs+ <name>": r"aaa authentication .*",
    "nxos: aaa group server radius <name>": r"aaa authentication .*",
    # they come with their feature, and go with it
    **dict.fromkeys(
        ("nxos: service dhcp", "nxos: ip dhcp relay", "nxos: ipv6 dhcp relay"), r".* dhcp.*|interface Vlan\d+"
    ),
}
"""Lines that a switch keeps while others stand on them, and which top-level lines are taken away with them."""

OPPOSITES = {
    "switchport mode access": "switchport mode trunk",
    "spanning-tree mode rapid-pvst": "spanning-tree mode mst",
}
"""Where ``no`` says the default again."""


@dataclass(frozen=True)
class Known:
    """What is the same for every line of one switch. Nobody changes these trees; the switch is copied first."""

    rendered: Rendered
    written: ConfigTree
    parsed: Parsed
    wanted: ConfigTree
    switch: Switch
    """It runs what is rendered."""
    runs: ConfigTree


@cache
def known(rendered: Rendered) -> Known:
    os, written, switch = rendered.os, rendered.written(), SWITCHES[rendered.config.os](rendered)
    return Known(
        rendered,
        written,
        parse(rendered, written),
        rendered.owned(os.canonical(written)),
        switch,
        rendered.owned(os.to_tree(switch.running())),
    )


def parse(rendered: Rendered, tree: ConfigTree) -> Parsed:
    return rendered.os.parse(tree, rendered.capabilities, rendered.config.name, rendered.config.model)


def unread(example: Example) -> str:
    """Is it understood, and noticed where it is absent or where another stands in its place?"""
    switch, path = example.switch, example.lines
    whole = known(switch).parsed
    less = without(known(switch).written, path)
    other = less.copy()
    last = f'{key_and_value(path[-1])[0]}: "other"' if switch.config.os == "nvue" else f"{path[-1]} other"
    other.add_path((*path[:-1], last))
    if whole.remainder.get(*path) is not None:
        return "parse: does not understand it"
    return (
        "parse: neither missed nor told from another"
        if all(parse(switch, tree) == whole for tree in (less, other))
        else ""
    )


def unowned(example: Example) -> str:
    """Has it an owner?"""
    owned = example.switch.owned(known(example.switch).written)
    return "ownership: nobody owns it" if owned.get(*example.lines) is None else ""


def unremoved(shape: Shape, example: Example) -> str:
    """Does a switch take it, and is it gone once the candidate has taken it away?"""
    rendered, path = example.switch, example.lines
    os, wanted, runs = rendered.os, known(rendered).wanted, known(rendered).runs
    if known(rendered).switch.refused:
        return f"switch: does not take what is rendered, {known(rendered).switch.refused}"
    switch = known(rendered).switch.copy()
    is_hidden = wanted.get(*path) is None
    if is_hidden != (runs.get(*path) is None):
        return f"canonical: the switch {'prints' if is_hidden else 'hides'} it"
    if str(shape) in STAYS:
        return ""
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
    assert (PORTS | STAYS | STOOD_ON.keys() | NOT_PRINTED.keys()) - known == set()
    assert {str(shape) for shape in examples()} & NOT_PRINTED.keys() == set()
