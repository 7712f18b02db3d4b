"""Runs of ansible-playbook: modules of arista.eos, unmodified, on one EOS switch of the lab, over verified TLS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_nxos import Results, inventory, play
from at_terminal import Operator


def eos_inventory(lab: Operator, name: str) -> dict[str, Any]:
    """One switch over httpapi, its certificate verified against the lab's CA."""
    return inventory(lab, name) | {"ansible_network_os": "arista.eos.eos"}


def eos_play(
    lab: Operator, name: str, tasks: dict[str, dict[str, Any]], where: Path, *, check: bool = False
) -> Results:
    """Run these tasks in one play; a task that fails does not end it."""
    return play(lab, name, tasks, where, check=check, reached=eos_inventory)
