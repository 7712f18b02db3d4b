"""The state of a host's bonds in its kernel: LACP on each member, VLANs on the bond, addresses, routes, what passes.

Standard library only (it runs on hosts, Python 3.9). Nothing here changes a host: read-only commands are run by an
injected ``run``, files are read below an injected ``root``, so that tests use recorded outputs and trees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ansible_collections.gpufabric.host.plugins.module_utils.way_in import Session

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import (
        CannotReadError,
        Run,
        backend,
        has_netplan,
        interface,
        key_of,
        management,
        nic_ports,
        rail,
        show,
    )
except ImportError:  # in a test
    from rail_state import (
        CannotReadError,
        Run,
        backend,
        has_netplan,
        interface,
        key_of,
        management,
        nic_ports,
        rail,
        show,
    )

DYNAMIC = "IEEE 802.3ad Dynamic link aggregation"
"""What the driver calls mode 802.3ad (drivers/net/bonding/bond_main.c, bond_mode_name)."""
ICMP_BYTES = 28
"""IPv4 and ICMP headers of an echo request: 20 + 8 (RFC 791, RFC 792)."""
NO_PARTNER = "00:00:00:00:00:00"
"""The system of a partner that has not spoken (IEEE 802.1AX, defaulted)."""
OUR_LINK = "06-gpufabric-bonds-"
"""What the names of role bond_interfaces' files for udev begin with."""
NEEDED = ("bonding", "8021q")
"""Modules of the kernel, or built in."""
UNANSWERED = 1
"""Exit code of ping(8) if no answer came, or the packet is too long for the interface."""

_PAIR = re.compile(r"\s*(?P<key>[^:]+):\s?(?P<value>.*)")


def bonding(text: str) -> dict[str, Any]:
    """One file of /proc/net/bonding. LACP's details of members are there for root alone; else they are None.

    The file is written by bond_info_show_master and bond_info_show_slave (drivers/net/bonding/bond_procfs.c).
    """
    head, *members = re.split(r"^Slave Interface: ", text, flags=re.MULTILINE)
    values = _pairs(head)
    mode = values.get("Bonding Mode", "")
    return {
        "mode": "802.3ad" if mode == DYNAMIC else mode,
        "hash": (values.get("Transmit Hash Policy") or "").split(" ")[0] or None,
        "miimon_ms": _number(values.get("MII Polling Interval (ms)")),
        "lacp_rate": values.get("LACP rate"),
        "min_links": _number(values.get("Min links")),
        "up": values.get("MII Status") == "up",
        "aggregator": _number(values.get("Aggregator ID")),
        "members": dict(_member(each) for each in members),
    }


def _member(text: str) -> tuple[str, dict[str, Any]]:
    name, _, rest = text.partition("\n")
    own, _, details = rest.partition("details actor lacp pdu:")
    actor, _, partner = details.partition("details partner lacp pdu:")
    values, sent, heard = _pairs(own), _pairs(actor), _pairs(partner)
    return name.strip(), {
        "up": values.get("MII Status") == "up",
        "failures": _number(values.get("Link Failure Count")),
        "aggregator": _number(values.get("Aggregator ID")),
        "state": _number(sent.get("port state")),
        "partner": heard.get("system mac address"),
        "partner_key": _number(heard.get("oper key")),
        "partner_port": _number(heard.get("port number")),
        "partner_state": _number(heard.get("port state")),
    }


def _pairs(text: str) -> dict[str, str]:
    """``key: value`` of each line; the first of a key counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        pair = _PAIR.fullmatch(line)
        if pair is not None:
            found.setdefault(pair["key"].strip(), pair["value"].strip())
    return found


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.strip().isdigit() else None


def link(entry: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """One interface of a bond or VLAN, from one entry of `ip -j -d address show`."""
    found, info = interface(entry, root, {}), entry.get("linkinfo", {})
    infos = [each for each in entry.get("addr_info", []) if each.get("scope") == "global"]
    return {
        **{key: found[key] for key in ("mtu_bytes", "up", "carrier", "kind", "master")},
        "vlan": info.get("info_data", {}).get("id") if info.get("info_kind") == "vlan" else None,
        "on": entry.get("link"),
        "addresses": [f"{each['local']}/{each['prefixlen']}" for each in infos],
    }


def routes(run: Run) -> list[dict[str, Any]]:
    """Unicast routes of the main table, IPv4 and IPv6; the default routes are `default`."""
    found = []
    for family in (4, 6):
        for each in show(run, "ip", "-j", f"-{family}", "route", "show", "table", "main"):
            if each.get("type", "unicast") == "unicast":
                hops = each.get("nexthops") or [each]
                found += [
                    {"family": family, "to": each["dst"], "via": hop.get("gateway"), "dev": hop.get("dev")}
                    for hop in hops
                ]
    return found


def passes(run: Run, interface_name: str, gateway: str, mtu_bytes: int) -> bool | None:
    """Does a packet of just this size reach the gateway and come back in one piece? None: ping could not ask."""
    size = str(mtu_bytes - ICMP_BYTES)
    code = run(
        ["ping", "-n", "-q", "-c", "3", "-i", "0.2", "-W", "1", "-M", "do", "-s", size, "-I", interface_name, gateway]
    )[0]
    return None if code not in (0, UNANSWERED) else code == 0


def lacking(root: Path, release: str) -> list[str]:
    """Kernel modules that bonds need and this kernel does not have; empty where its modules are not to be seen."""
    folder = root / "lib/modules" / release
    listed = [folder / name for name in ("modules.dep", "modules.builtin")]
    if not release or not all(each.is_file() for each in listed):
        return []
    there = "".join(each.read_text(encoding="utf-8") for each in listed)
    return [name for name in NEEDED if not re.search(rf"/{name}\.ko", there)]


def way_back(run: Run, client: str | None) -> dict[str, Any] | None:
    """The route that answers to the controller take: ``client``, ``to`` (its prefix), ``via``, ``dev``."""
    if not client:
        return None
    address, _, zone = client.partition("%")
    try:
        found = show(run, "ip", "-j", "route", "get", "fibmatch", address, *(("oif", zone) if zone else ()))
    except CannotReadError:  # no route
        return {"client": client, "to": None, "via": None, "dev": None}
    one = found[0] if found else {}
    return {"client": client, "to": one.get("dst"), "via": one.get("gateway"), "dev": one.get("dev")}


def collect(
    bonds: Sequence[Mapping[str, Any]],
    run: Run,
    root: Path,
    ask: bool = True,
    came: Session | None = None,
) -> dict[str, Any]:
    """All facts: the value of gpufabric_bonds.

    ``ask``: send packets to the gateways; ``came``: the SSH session that Ansible came in by.
    """
    entries = [each for each in show(run, "ip", "-j", "-d", "address", "show") if each]
    ports = [interface(each, root, {}) for each in entries]
    there = {each["ifname"]: link(each, root) for each in entries}
    matches = [member["match"] for bond in bonds for member in bond["members"]]
    planes = [plane for bond in bonds for plane in bond["planes"]]
    names = {name for bond in bonds for name in (bond["name"], *(each["interface"] for each in bond["planes"]))}
    runs = backend(run)
    return {
        "manager": "netplan" if has_netplan(root) else runs,
        "backend": runs,
        "management": management(run, entries, came),
        "way_back": way_back(run, came.client if came else None),
        "interfaces": {each["ifname"]: each.get("linkinfo", {}).get("info_kind") for each in entries},
        "ports": [{key: each[key] for key in ("netdev", "mac", "pci")} for each in nic_ports(ports)],
        "lacking": lacking(root, run(["uname", "-r"])[1].strip()),
        "bonds": {name: bonding(text) for name, text in _files(root).items()},
        "links": {name: there[name] for name in sorted(names & set(there))},
        "members": {key_of(match): rail(match, ports) for match in matches},
        "routes": routes(run),
        "passes": {
            each["interface"]: passes(run, each["interface"], each["gateway"], each["mtu_bytes"])
            for each in planes
            if ask and each["interface"] in there
        },
    }


def _files(root: Path) -> dict[str, str]:
    """Every bond of the host and its file; none where the kernel has no bonding."""
    folder = root / "proc/net/bonding"
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {each.name: each.read_text(encoding="utf-8", errors="replace") for each in found}
