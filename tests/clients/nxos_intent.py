"""What the design and the rendered files say of the lab's NX-OS switches, and how clients reach these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from at_terminal import Operator
from eos_intent import Fault, Intent

RAIL, FRONT, OOB = "leaf-g1-r1", "front-leaf-g2-a", "oob-leaf-g2"
"""One NX-OS switch of each fabric: routed ports alone, half of a pair, a VLAN of single hosts."""
REMOTE = "10.168.0.0/24"
"""The hosts of another rail, of which RAIL learns from both spines."""


def switch(lab: Operator, name: str) -> dict[str, Any]:
    """Where a switch listens, and the login."""
    spec = json.loads((lab.lab / "spec.json").read_text())
    found = next(each for each in spec["devices"] if each["name"] == name)
    password = Path(spec["password_file"]).read_text().strip()
    return {**found, "ca": spec["ca"], "username": spec["username"], "password": password}


def fabric_links(site: Intent, name: str) -> list[tuple[dict[str, Any], dict[str, Any], str]]:
    """(near end, far end, cable) of the uplinks."""
    return site.links(name, "fabric")


def wired(site: Intent, name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """(near end, far end, link) of everything that is cabled to a switch."""
    for link in site.design["links"]:
        for near, far in ((link["lower"], link["upper"]), (link["upper"], link["lower"])):
            if near["device"] == name:
                yield near, far, link


def descriptions(site: Intent, name: str) -> dict[str, str]:
    """Interface -> rendered description."""
    return {
        port: line.removeprefix("description ")
        for port, lines in site.ports(name).items()
        for line in lines
        if line.startswith("description ")
    }


def addresses(site: Intent, name: str) -> dict[str, str]:
    """Interface -> rendered address with length."""
    return {
        port: found[1]
        for port, lines in site.ports(name).items()
        for line in lines
        if (found := re.fullmatch(r"ip address (\S+)", line))
    }


def before(lab: Operator, name: str, pattern: str) -> list[Any]:
    """What the switch had before anything was pushed, where the intent leaves it to whoever set it."""
    return re.findall(pattern, lab.day0[name], re.M)


def hosts_macs(lab: Operator, name: str) -> dict[str, tuple[str, str]]:
    """Port -> (address, MAC) of the hosts that the lab was given addresses of."""
    spec = json.loads((lab.lab / "spec.json").read_text())
    return {
        host["switch"][1]: (host["addresses"][0].partition("/")[0], host["mac"])
        for host in spec["hosts"]
        if host["switch"][0] == name and host.get("mac")
    }


def seeded(device: str, what: str, value: float | str, on: str = "") -> Fault:
    """A reading or a word that nothing in the lab causes, and back."""

    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        lab.control.ask("seed", device=device, what=what, on=on, value=value)
        try:
            yield
        finally:
            lab.control.ask("seed", device=device, what=what, on=on, value=None)

    return fault
