"""Twins without servers: they take candidates as switches would.

Somebody typed a rendered configuration into them, or they are as day 0 leaves them, with all that others have there.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from line_shapes import Rendered

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.nvue.candidate import keys_of
from nornir_tasks.platforms.nvue.tree import to_data
from nornir_tasks.platforms.platform import Candidate
from switch_twins.engine import EOS, ConfigSession, Context, Tree, load_text
from switch_twins.eos.brownfield import day0_text
from switch_twins.eos.grammar import eos_grammar
from switch_twins.nvue import checks
from switch_twins.nvue import tree as nvue_tree
from switch_twins.nvue.autofill import complete, hash_password
from switch_twins.nvue.brownfield import brownfield
from switch_twins.nvue.dialect import dialect_for
from switch_twins.nvue.schema import schema_for
from switch_twins.nxos.day0 import bare_tree, brownfield_tree, empty_tree
from switch_twins.nxos.patch import patch
from switch_twins.nxos.replace import quoted
from switch_twins.spec import DeviceSpec

LOGIN = ("gpufabric", "not a secret")


class EosSwitch:
    """An EOS switch."""

    def __init__(self, rendered: Rendered) -> None:
        self._begin(rendered.config, rendered.text)

    @classmethod
    def at_day0(cls, config: DeviceConfig, more: str = "") -> EosSwitch:
        """``more``: lines that somebody typed since."""
        made = cls.__new__(cls)
        made._begin(config, day0_text(spec_of(config), *LOGIN) + more)
        return made

    def _begin(self, config: DeviceConfig, text: str) -> None:
        self._context = Context(release=config.release, asic=config.asic, model=config.model)
        self._tree = Tree(eos_grammar(), EOS)
        self.refused = [str(error) for _, error in load_text(self._tree, self._context, text)]

    def copy(self) -> EosSwitch:
        """Another one that runs the same."""
        made = copy.copy(self)
        made._tree = self._tree.copy()
        return made

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

    printed = ""
    """The patch of the last candidate, as the switch prints it."""

    def __init__(self, rendered: Rendered) -> None:
        self._begin(rendered.config)
        self._tree = self._loaded(bare_tree(self._context, rendered.config.name), rendered.text)

    @classmethod
    def at_day0(cls, config: DeviceConfig, more: str = "") -> NxosSwitch:
        made = cls.__new__(cls)
        made._begin(config)
        made._tree = made._loaded(brownfield_tree(spec_of(config), *LOGIN), more)
        return made

    def _begin(self, config: DeviceConfig) -> None:
        ports = frozenset(PORTS["nxos"])
        self._context = Context(release=config.release, asic=config.asic, model=config.model, ports=ports)

    def _loaded(self, tree: Tree, text: str) -> Tree:
        self.refused = [str(error) for _, error in load_text(tree, self._context, text)]
        return tree

    def copy(self) -> NxosSwitch:
        """Another one that runs the same."""
        made = copy.copy(self)
        made._tree = self._tree.copy()
        return made

    def running(self) -> str:
        return self._tree.text()

    def take(self, candidate: Candidate) -> None:
        target = self._loaded(empty_tree(self._context), candidate.payload)
        printed = quoted(patch(self._tree, target))
        self.printed = "\n".join(printed)
        commands = [line.strip("`") for line in printed[1:]]  # a line of a port may be one of the whole switch as well
        session = ConfigSession(self._tree, self._context)
        self.refused += [f"{commands[number - 1]}: {error}" for number, error in session.feed_all(commands)]

    def type(self, path: Path) -> None:
        load_text(self._tree, self._context, "".join(f"{' ' * 2 * n}{line}\n" for n, line in enumerate(path)))


class NvueSwitch:
    """A Cumulus Linux switch, likewise: what a revision is refused for, at PATCH and at apply, is asked of the twin."""

    def __init__(self, rendered: Rendered) -> None:
        self._device, self._tree = spec_of(rendered.config), dict[str, Any]()
        self._patch(to_data(rendered.written()))

    @classmethod
    def at_day0(cls, config: DeviceConfig, more: str = "{}") -> NvueSwitch:
        made = cls.__new__(cls)
        made._device = spec_of(config)
        made._tree = brownfield(made._device, LOGIN[0], hash_password(LOGIN[1]), dialect_for(config.release))
        made._patch(json.loads(more))
        return made

    def _patch(self, patch: dict[str, Any]) -> None:
        self.refused = [mistake.message for mistake in schema_for(self._device.release).mistakes(patch)]
        complete(patch, self._tree)
        nvue_tree.merge(self._tree, patch)
        found = checks.findings(self._tree, dialect_for(self._device.release), self._device)
        self.refused += [f"{where}: {why}" for where, why in found]

    def copy(self) -> NvueSwitch:
        """Another one that runs the same."""
        made = copy.copy(self)
        made._tree = copy.deepcopy(self._tree)
        return made

    def running(self) -> str:
        return json.dumps(nvue_tree.ordered(self._tree))

    def take(self, candidate: Candidate) -> None:
        for pointer in candidate.payload["delete"]:
            self.remove(pointer)
        self._patch(candidate.payload["patch"])

    def remove(self, pointer: str) -> None:
        """Somebody unsets this."""
        nvue_tree.remove(self._tree, keys_of(pointer), schema_for(self._device.release).is_entry)

    def type(self, path: Path) -> None:
        """Somebody sets this."""
        tree = ConfigTree()
        tree.add_path(path)
        self._patch(to_data(tree))
        assert self.refused == []


PORTS = {
    "eos": tuple(f"Ethernet{number}/1" for number in range(1, 65)),
    "nvue": tuple(f"swp{number}" for number in range(1, 65)),
    "nxos": tuple(f"Ethernet1/{number}" for number in range(1, 67)),
}


def spec_of(config: DeviceConfig) -> DeviceSpec:
    """What a lab knows of such a switch beforehand."""
    assert config.bgp is not None
    return DeviceSpec(
        name=config.name,
        os=config.os,
        release=config.release,
        model=config.model,
        asic=config.asic,
        serial="LAB1",
        address="127.0.0.11",
        api_port=8443,
        ssh_port=8022,
        asn=config.bgp.asn,
        ports=PORTS[config.os],
    )


SWITCHES = {"eos": EosSwitch, "nvue": NvueSwitch, "nxos": NxosSwitch}
Switch = EosSwitch | NvueSwitch | NxosSwitch
