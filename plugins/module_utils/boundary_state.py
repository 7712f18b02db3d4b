"""The state of a host of the boundary, read and not judged. Standard library only (it runs on hosts, Python 3.9)."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.gpufabric.host.plugins.module_utils.nft_listing import Run, made, without_found
from ansible_collections.gpufabric.host.plugins.module_utils.wire_probe import others_have

OURS = "gpufabric_"
"""How the names of our own tables begin."""
PASSING = ("forward", "prerouting", "postrouting", "ingress")
"""Hooks that packets through the host meet."""
HEARTBEAT_S = 2.5
"""conntrackd says that it lives about once a second where it has nothing else to say (sync-ftfw.c, ALIVE_INT)."""
_ACTIVE = re.compile(r"cache (internal|external):\ncurrent active connections:\s+(\d+)")
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")
_RECEIVED = re.compile(r"(\d+) Pckts recv")


def ports(run: Run) -> dict[str, dict[str, Any]]:
    """Port -> whether it is up, has a carrier, its MAC address, and its addresses with their lengths."""
    found = {}
    for each in _json(run, ["ip", "-json", "address"]):
        flags = each.get("flags", ())
        found[each["ifname"]] = {
            "up": "UP" in flags,
            "carrier": "LOWER_UP" in flags,
            "mac": each.get("address", ""),
            "addresses": [f"{one['local']}/{one['prefixlen']}" for one in each.get("addr_info", ()) if "local" in one],
        }
    return found


def routes(run: Run) -> list[str]:
    """Routes of the main table by a next hop, as ``0.0.0.0/0 via 192.0.2.1 dev wan``."""
    found = []
    for family, everything in (("-4", "0.0.0.0/0"), ("-6", "::/0")):
        for each in _json(run, ["ip", "-json", family, "route"]):
            if "gateway" in each:
                to = each["dst"]
                to = everything if to == "default" else to if "/" in to else f"{to}/{32 if family == '-4' else 128}"
                found.append(f"{to} via {each['gateway']} dev {each['dev']}")
    return found


def on_the_wire(known: Mapping[str, Mapping[str, Any]], shared: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Port -> shared address -> does another machine there answer for it? Ports that cannot be asked are left out."""
    targets = {port: (known[port]["mac"], addresses) for port, addresses in shared.items() if _is_live(known, port)}
    return others_have(targets)


def _is_live(known: Mapping[str, Mapping[str, Any]], port: str) -> bool:
    return port in known and bool(known[port]["up"] and known[port]["carrier"])


def files(root: Path, paths: Sequence[str]) -> dict[str, str | None]:
    """Path -> SHA-256 of its text; None where there is no such file."""
    found: dict[str, str | None] = {}
    for path in paths:
        try:
            found[path] = hashlib.sha256((root / path.lstrip("/")).read_bytes()).hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            found[path] = None
    return found


def certificates(root: Path, paths: Sequence[str]) -> dict[str, str | None]:
    """File -> the certificates in it, and nothing else of it: keys do not leave the host. None where it is missing."""
    found: dict[str, str | None] = {}
    for path in paths:
        try:
            text = (root / path.lstrip("/")).read_text(encoding="utf-8", errors="replace")
        except OSError:
            found[path] = None
            continue
        found[path] = "\n".join(_CERTIFICATE.findall(text))
    return found


def logs(root: Path, paths: Sequence[str]) -> dict[str, int | None]:
    """Log -> seconds since something was written there; None where there is no such file."""
    found: dict[str, int | None] = {}
    for path in paths:
        try:
            found[path] = max(0, int(time.time() - (root / path.lstrip("/")).stat().st_mtime))
        except OSError:
            found[path] = None
    return found


def table(run: Run, ruleset: str, scratch: Path, name: str) -> dict[str, Any]:
    """Is the table, ``inet guard``, as the ruleset makes it? ``differs`` is a first line that the other one has not."""
    code, wanted, err = made(run, ruleset, scratch, *name.split())
    if code != 0:
        return {"same": None, "reason": f"nft does not take the ruleset: {(err or wanted).strip()}"}
    code, running, err = run(["nft", "-s", "list", "table", *name.split()])
    if code != 0 and "No such file" not in err:
        return {"same": None, "reason": err.strip()}
    running = without_found(running) if code == 0 else ""
    return {"same": running == wanted, "there": code == 0, "differs": difference(wanted, running)}


def difference(wanted: str, running: str) -> str:
    """The first line that is not there, or that should not be."""
    lacking = [line.strip() for line in wanted.splitlines() if line not in running.splitlines()]
    strange = [line.strip() for line in running.splitlines() if line not in wanted.splitlines()]
    words = [f"lacks {lacking[0]}"] if lacking else []
    words += [f"has {strange[0]}"] if strange else []
    return "; ".join(words) or ("" if wanted == running else "another order of lines")


def counters(run: Run, name: str) -> dict[str, int]:
    """Named counter of a table -> packets."""
    code, out, _ = run(["nft", "-j", "list", "counters", "table", *name.split()])
    listed = json.loads(out)["nftables"] if code == 0 else []
    return {each["counter"]["name"]: each["counter"]["packets"] for each in listed if "counter" in each}


def strangers(run: Run) -> list[str]:
    """Base chains of other tables than ours that packets through the host meet, if they do something."""
    listed = _json(run, ["nft", "-j", "list", "ruleset"])["nftables"]
    place = ("family", "table")
    busy = {(*(each["rule"][key] for key in place), each["rule"]["chain"]) for each in listed if "rule" in each}
    found = []
    for chain in (each["chain"] for each in listed if "chain" in each):
        does = (*(chain[key] for key in place), chain["name"]) in busy or chain.get("policy") == "drop"
        if chain.get("hook") in PASSING and does and not chain["table"].startswith(OURS):
            found.append(f"{chain['family']} {chain['table']} {chain['name']}")
    return sorted(found)


def units(run: Run, names: Sequence[str]) -> dict[str, str]:
    """Unit -> ``enabled, active`` and the like."""
    return {name: f"{_word(run, 'is-enabled', name)}, {_word(run, 'is-active', name)}" for name in names}


def _word(run: Run, verb: str, name: str) -> str:
    _, out, _ = run(["systemctl", verb, name])
    return out.strip() or "not installed"


def sshd(run: Run, accounts: Sequence[str]) -> dict[str, Any]:
    """Account -> ``settings`` that sshd has for a login as that, or the ``reason`` why it does not say."""
    found: dict[str, Any] = {}
    for name in accounts:
        code, out, err = run(["env", "/usr/sbin/sshd", "-T", "-C", f"user={name},host=bastion,addr=192.0.2.1"])
        lines = [line.partition(" ") for line in out.splitlines()]
        words = err.strip().splitlines() or [f"sshd -T ended with {code}"]
        found[name] = {"settings": {word: value for word, _, value in lines}} if code == 0 else {"reason": words[-1]}
    return found


def settings(root: Path, names: Sequence[str]) -> dict[str, str | None]:
    """Setting of the kernel, written with dots or slashes -> its value; None where the kernel has none."""
    found: dict[str, str | None] = {}
    for name in names:
        path = name if "/" in name else name.replace(".", "/")
        try:
            found[name] = (root / "proc/sys" / path).read_text(encoding="utf-8").strip()
        except OSError:
            found[name] = None
    return found


def connections(run: Run, configuration: str, wait: Callable[[float], object] = time.sleep) -> dict[str, Any]:
    """What conntrackd says of itself: connections of both firewalls, and whether the other one is heard meanwhile."""
    command = ["conntrackd", "-C", configuration, "-s"]
    code, before, err = run(command)
    if code != 0:
        words = (err or before).strip().splitlines() or [f"conntrackd ended with {code}"]
        return {"reason": words[-1].rpartition("] ")[2]}  # less time and process id
    wait(HEARTBEAT_S)
    _, after, _ = run(command)
    active = {which: int(number) for which, number in _ACTIVE.findall(after)}
    return {"heard": _received(after) > _received(before), **active}


def _received(statistics: str) -> int:
    found = _RECEIVED.search(statistics)
    return int(found[1]) if found else 0


def _json(run: Run, command: Sequence[str]) -> Any:  # noqa: ANN401 - whatever the program prints
    code, out, err = run(command)
    if code != 0:
        raise OSError(f"{' '.join(command)}: {err.strip()}")
    return json.loads(out or "[]")
