"""The parsers of the resource modules of arista.eos and cisco.nxos, asked as on a switch that runs a given text.

A parser asks for what it wants by show commands of its own (``show running-config | section ^interface``). These are
answered from the text here, so nobody chooses the lines that a parser gets to see.
"""

import importlib
import re
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils import basic

from nornir_tasks.design.pipeline import Realised
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree
from tests.unit.platforms.crosscheck_switches import text_of

_PLACES = {
    "eos": "ansible_collections.arista.eos.plugins.module_utils.network.eos.facts",
    "nxos": "ansible_collections.cisco.nxos.plugins.module_utils.network.nxos.facts",
}
_WORDS = {
    "eos": {"0": "echo-reply", "3": "unreachable", "8": "echo", "11": "time-exceeded"},
    "nxos": {"0": "echo-reply", "3": "unreachable", "8": "echo", "11": "time-exceeded"},
}
"""Types of ICMP by number, which both parsers know by words alone."""
WITHOUT_INDENT = {("eos", "acl_interfaces")}
"""Reads these lines without indentation alone, as in its own tests (ansible-collections/arista.eos, commit
bc711112004bdde7ff99749a17ebe82246e4873e, tests/unit/modules/network/eos/fixtures/eos_acl_interfaces_config.cfg)."""


class UnreadError(Exception):
    """The parser refuses the text."""


class Running:
    """A switch that answers ``show running-config`` with ``| section``, ``| include`` or ``ntp``, and nothing else."""

    def __init__(self, text: str, *, with_parents: bool, is_indented: bool) -> None:
        self.lines = text.splitlines()
        self.with_parents = with_parents
        self.is_indented = is_indented
        self.answers: dict[str, str] = {}

    def get(self, command: str) -> str:
        """The answer, which is noted, too."""
        self.answers[command] = self._answer(command)
        return self.answers[command]

    def _answer(self, command: str) -> str:
        if command == "show running-config ntp":
            return "".join(f"{line}\n" for line in self.lines if line.startswith("ntp "))
        found = re.fullmatch(r"show running-config \| (section|include) (.*)", command)
        assert found is not None, f"nothing that the running configuration answers: {command}"
        pattern = re.compile(found[2].strip("'"))
        if found[1] == "section":
            lines = self._section(pattern)
        else:
            lines = [line for line in self.lines if pattern.search(line)]
        return "".join(f"{line if self.is_indented else line.strip()}\n" for line in lines)

    def _section(self, pattern: re.Pattern[str]) -> list[str]:
        """Each line that matches, with the lines below it; on EOS the lines above it, too."""
        found: list[str] = []
        above: list[str] = []
        within = None
        for line in self.lines:
            depth = len(line) - len(line.lstrip())
            above = [each for each in above if len(each) - len(each.lstrip()) < depth]
            if within is not None and depth <= within:
                within = None
            if within is None and pattern.search(line):
                within = depth
                found += [each for each in above if self.with_parents and each not in found[-len(above) :]]
            if within is not None:
                found.append(line)
            above.append(line)
        return found


def canonical(each: Realised) -> ConfigTree:
    """What we render, as the switch prints it."""
    os = platform(each.config.os)
    return os.canonical(os.to_tree(text_of(each)))


def printed(each: Realised) -> str:
    """What the switch prints once it runs what we render."""
    return as_printed(each.config.os, canonical(each))


def as_printed(os: str, tree: ConfigTree) -> str:
    """A tree as the switch prints it, with types of ICMP by word."""
    text = platform(os).to_text(tree)
    words = _WORDS[os]
    return re.sub(
        r"^( +\d+ \w+ icmp \S+ \S+) (\d+)$", lambda m: f"{m[1]} {words.get(m[2], m[2])}", text, flags=re.MULTILINE
    )


def running(os: str, resource: str, text: str) -> Running:
    """A switch of this system that runs the text, for the parser of this resource."""
    if (os, resource) == ("eos", "acl_interfaces"):  # it reads the list of the control plane as the last port's
        text = re.sub(r"^system control-plane\n(?: .*\n)*", "", text, flags=re.MULTILINE)
    if (os, resource) == ("eos", "bgp_global"):  # it reads a hyphen where its own argument specification has none
        text = re.sub(r"^ *update wait-\S+\n", "", text, flags=re.MULTILINE)
    return Running(text, with_parents=os == "eos", is_indented=(os, resource) not in WITHOUT_INDENT)


def facts(os: str, resource: str, text: str) -> Any:
    """What the parser of this resource reads on a switch that runs the text; empty if nothing."""
    return facts_of(os, resource, running(os, resource, text))


def facts_of(os: str, resource: str, switch: Running) -> Any:
    """The same of a switch that notes what it is asked."""
    module = importlib.import_module(f"{_PLACES[os]}.{resource}.{resource}")
    parser = next(getattr(module, name) for name in dir(module) if name.endswith("Facts"))
    fake = SimpleNamespace(params={}, _connection=None, no_log_values=set(), check_mode=False)
    # What a module says when it fails is encoded by a profile that only a module that runs has.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(basic, "_ANSIBLE_PROFILE", "legacy")
        try:
            found = parser(fake).populate_facts(switch, {"ansible_network_resources": {}}, None)
        except SystemExit as error:
            raise UnreadError(f"{resource}: its own argument specification refuses what it read") from error
    return found["ansible_network_resources"].get(resource) or []
