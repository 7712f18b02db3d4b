"""Twins into which somebody typed a rendered configuration, without servers: they take candidates as switches would."""

from __future__ import annotations

import json
from typing import Any

from line_shapes import Rendered

from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.platforms.nvue.candidate import keys_of
from nornir_tasks.platforms.nvue.tree import to_data
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

    printed = ""
    """The patch of the last candidate, as the switch prints it."""

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
        self.printed = "\n".join(f"`{command}`" for command in commands)
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
