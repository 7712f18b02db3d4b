"""Play traffic over the lab of a site, so that its switches and hosts count; and let parts of it work badly."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.host_counters import write_facts
from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.manager import Lab
from nornir_tasks.usecases.site import load

NOTHING = "none"
"""The pattern that ends what is played."""
_SHARES = {"incast": 100.0}
_SHARE_PERCENT = 40.0
"""Of its line that each host's port sends: an incast overloads its target, all others no port."""


@dataclass(frozen=True, slots=True)
class Played:
    """What is played now (switch_twins/control.py, ``play``); ``traffic`` None: nothing."""

    changed: bool
    traffic: Mapping[str, Any] | None


def play(site: str | Path, pattern: str, target: str = "", share_percent: float | None = None) -> Played:
    """Play a pattern in the site's lossless class from now on, instead of what was played.

    ``target``: of incast, HOST or HOST:PORT. Raises LabError for what cannot be played.
    """
    lab = Lab(state_directory(site))
    if pattern == NOTHING:
        return _played(lab.ask("play", pattern=pattern))
    if target and pattern != "incast":
        raise LabError(Problem(target, f"{pattern} has no target", hint=f"nornir lab play incast {target}"))
    share = _SHARES.get(pattern, _SHARE_PERCENT) if share_percent is None else share_percent
    classes = load(site).site.intent.policy.classes
    dscp = next((each.dscp[0] for each in classes.values() if each.lossless), 0)
    return _played(lab.ask("play", pattern=pattern, target=target, share=share / 100, dscp=dscp))


def _played(answer: Mapping[str, Any]) -> Played:
    return Played(answer["changed"], answer["traffic"])


def write_host_counters(site: str | Path, folder: Path) -> tuple[str, ...]:
    """What the NICs of hosts without a machine have counted, one file a host, as Ansible writes them; their names.

    The same counters as gpufabric.host.counter_facts has of a host with mlx5, for ``--host-counters``.
    """
    lab = Lab(state_directory(site))
    hosts: Mapping[str, Mapping[str, Any]] = lab.ask("host-counters")
    write_facts(folder, {name: _fact(ports) for name, ports in hosts.items()})
    return tuple(hosts)


def _fact(ports: Mapping[str, Any]) -> dict[str, Any]:
    """They have run as long as this machine has; no GPU is played."""
    return {
        "uptime_s": time.monotonic(),
        "interfaces": {port: each["ethtool"] for port, each in ports.items()},
        "devices": {f"{port}/1": each["hw_counters"] for port, each in ports.items()},
        "xids": {},
        "nvlink": {},
        "not_read": dict.fromkeys(("xids", "nvlink"), "the lab plays no GPU"),
    }
