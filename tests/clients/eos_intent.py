"""What `nornir design --json` and `nornir render` say of the lab's EOS switches, and faults by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

from at_terminal import Operator
from scrapli.driver.core import EOSDriver

RAIL, FRONT, OOB = "leaf-g1-r0", "front-leaf-g1-a", "oob-leaf-g1"
"""One EOS switch of each fabric: routed ports alone, half of a pair, a VLAN of single hosts."""
Fault = Callable[[Operator], AbstractContextManager[None]]


@dataclass(frozen=True)
class Intent:
    """The design of the site, and each EOS switch's rendered lines."""

    design: dict[str, Any]
    texts: dict[str, str]

    def device(self, name: str) -> dict[str, Any]:
        return next(each for each in self.design["devices"] if each["name"] == name)

    def asn(self, name: str) -> int:
        return int(self.device(name)["asn"])

    def links(self, name: str, *kinds: str) -> list[tuple[dict[str, Any], dict[str, Any], str]]:
        """(near end, far end, cable) of a switch's links of these kinds, without those to its management port."""
        found = []
        for link in self.design["links"]:
            for near, far in ((link["lower"], link["upper"]), (link["upper"], link["lower"])):
                if near["device"] == name and link["kind"] in kinds and not near["port"].startswith("Management"):
                    found.append((near, far, link["name"]))
        return found

    def blocks(self, name: str, head: str) -> dict[str, list[str]]:
        """The rendered blocks whose first line begins like this: what follows there -> the lines below it."""
        found: dict[str, list[str]] = {}
        block: list[str] | None = None
        for line in self.texts[name].splitlines():
            if line[:1] != " ":
                block = found.setdefault(line.removeprefix(head), []) if line.startswith(head) else None
            elif block is not None and line.strip() != "!":
                block.append(line.strip())
        return found

    def ports(self, name: str) -> dict[str, list[str]]:
        """The lines of each interface."""
        return self.blocks(name, "interface ")

    def used(self, name: str) -> dict[str, list[str]]:
        """Of those, the ones that are not shut down."""
        return {port: lines for port, lines in self.ports(name).items() if "shutdown" not in lines}


def value(lines: list[str], pattern: str, default: str = "") -> str:
    """The first group of the first line of this form."""
    return next((found[1] for line in lines if (found := re.fullmatch(pattern, line))), default)


_INTENTS: dict[Path, Intent] = {}


def intent(lab: Operator) -> Intent:
    """Of the site of this lab; designed once."""
    if lab.site not in _INTENTS:
        with TemporaryDirectory() as folder:
            lab.run("render", "--out", folder)
            texts = {path.stem: path.read_text() for path in Path(folder).glob("*.cfg")}
        _INTENTS[lab.site] = Intent(lab.json("design"), texts)
    return _INTENTS[lab.site]


@contextmanager
def logged_in(lab: Operator, device: str, password: str = "", known_hosts: Path | None = None) -> Iterator[EOSDriver]:
    """scrapli's session over SSH. Its transport looks up hosts without their port: the lab's file is given that way."""
    spec = json.loads((lab.lab / "spec.json").read_text())
    where = next(each for each in spec["devices"] if each["name"] == device)
    with NamedTemporaryFile("w", suffix=".known_hosts") as file:
        file.write(re.sub(r"(?m)^\[(\S+)\]:\d+", r"\1", (known_hosts or lab.lab / "known_hosts").read_text()))
        file.flush()
        session = EOSDriver(
            host=where["address"],
            port=where["ssh_port"],
            auth_username=spec["username"],
            auth_password=password or Path(spec["password_file"]).read_text().strip(),
            ssh_known_hosts_file=file.name,
            transport="paramiko",
        )
        with session:
            yield session


# -- faults --------------------------------------------------------------------------------------------------------


def by_hand(device: str, lines: str, undo: str) -> Fault:
    """Somebody types these lines, separated by semicolons, and later those."""

    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        hand = lab.hands()[device]
        hand.configure(*(line.strip() for line in lines.split(";")))
        try:
            yield
        finally:
            hand.configure(*(line.strip() for line in undo.split(";")))

    return fault


def cut(cable: str) -> Fault:
    """A cable is cut, and mended."""
    return control("cut-cable", "mend-cable", cable=cable)


def control(break_: str, mend: str, **arguments: str) -> Fault:
    """A request to the lab's control socket, and the one that takes it back."""

    @contextmanager
    def fault(lab: Operator) -> Iterator[None]:
        lab.control.ask(break_, **arguments)
        try:
            yield
        finally:
            lab.control.ask(mend, **arguments)

    return fault


def same(found: Any, expected: Any, what: str = "") -> None:
    """Equal, else AssertionError with what differs alone: a fault's name is looked for in it."""
    if isinstance(found, dict) and isinstance(expected, dict):
        lines = [f"{key}: {found.get(key)!r}, not {expected.get(key)!r}" for key in {**expected, **found}]
        differing = [
            line for key, line in zip({**expected, **found}, lines, strict=True) if found.get(key) != expected.get(key)
        ]
        assert not differing, f"{what} " + "; ".join(differing)
        return
    assert found == expected, f"{what} {found!r}, not {expected!r}"
