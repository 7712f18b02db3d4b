"""The state of a host's rails in its kernel and network managers.

Standard library only (it runs on hosts, Python 3.9). Nothing here changes a host: read-only commands are run by an
injected ``run``, files are read below an injected ``root``, so that tests use recorded outputs and trees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.networkd_others import leaves_others
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_device import rdma_ports
except ImportError:  # in a test
    from networkd_others import leaves_others
    from roce_device import rdma_ports

if TYPE_CHECKING:
    from ansible.module_utils.basic import AnsibleModule

    from ansible_collections.gpufabric.host.plugins.module_utils.way_in import Session

Run = Callable[[Sequence[str]], "tuple[int, str, str]"]
"""Command -> exit code, output, errors; 127 if there is no such program."""

PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
MAIN_TABLE, LOCAL_TABLE = "254", "255"
UNKNOWN_PROTOCOL, KERNEL_PROTOCOL, STATIC_PROTOCOL = "0", "2", "4"
"""Who made a rule or route, as it says itself (linux/rtnetlink.h, RTPROT_): network managers say `static`."""
KNOBS = ("rp_filter", "arp_ignore", "arp_announce")

STACKED = frozenset({"bond", "bridge", "hsr", "ipvlan", "ipvtap", "macsec", "macvlan", "macvtap", "team", "vlan"})
"""Kinds of interfaces on top of another one, which usually have its MAC address."""
UPLINK_PORT = re.compile(r"(p\d+)?")
"""phys_port_name of a NIC's own port; pf0vf3 and the like are a switchdev port's representors of others."""


def runner(module: AnsibleModule) -> Run:
    """Runs commands with an Ansible module's own function, which sets the locale."""

    def run(command: Sequence[str]) -> tuple[int, str, str]:
        if module.get_bin_path(command[0]) is None:
            return 127, "", f"no program {command[0]} on this host"
        code, out, err = module.run_command(list(command))
        return code, out, err

    return run


class CannotReadError(Exception):
    """A command that shows the host's state failed."""


def show(run: Run, *command: str) -> Any:  # noqa: ANN401 (whatever the command prints)
    """Output of a command that prints JSON."""
    code, out, err = run(command)
    if code != 0:
        message = f"`{' '.join(command)}` failed ({code}): {(err or out).strip()}"
        raise CannotReadError(message)
    return json.loads(out or "[]")


def read(path: Path) -> str | None:
    """First line of a kernel file; None if it is missing or cannot be read, as some cannot while the link is down."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None


def link_name(path: Path) -> str | None:
    """Name of the target of a symbolic link."""
    return path.resolve().name if path.exists() else None


def pci_of(path: Path) -> str | None:
    """PCI address of an interface's port; a virtio device's is that of the card above it."""
    device = path / "device"
    found = [part for part in device.resolve().parts if PCI.fullmatch(part)] if device.exists() else []
    return found[-1] if found else None


def interface(entry: Mapping[str, Any], root: Path, rdma: Mapping[str, str]) -> dict[str, Any]:
    """One interface, from one entry of `ip -j -d address show` and from sysfs."""
    name = entry["ifname"]
    path = root / "sys/class/net" / name
    infos = entry.get("addr_info", [])
    return {
        "netdev": name,
        "altnames": entry.get("altnames", []),
        "pci": pci_of(path),
        "mac": entry.get("permaddr") or entry.get("address"),
        "driver": link_name(path / "device/driver"),
        "kind": entry.get("linkinfo", {}).get("info_kind"),
        "port": read(path / "phys_port_name") or "",
        "master": entry.get("master"),
        "mtu_bytes": entry["mtu"],
        "max_mtu_bytes": entry.get("max_mtu") or None,  # 0: the driver reports no limit
        "up": "UP" in entry["flags"],
        "carrier": "LOWER_UP" in entry["flags"],
        "addresses": [f"{each['local']}/{each['prefixlen']}" for each in infos if each.get("scope") == "global"],
        "link_local": [
            f"{each['local']}/{each['prefixlen']}"
            for each in infos
            if each.get("scope") == "link" and ":" in each["local"]
        ],
        "rdma_device": rdma.get(name),
    }


def key_of(match: Mapping[str, str | None]) -> str:
    """The address that identifies a rail, in lower case: its PCI address or its MAC."""
    return (match.get("pci") or match.get("mac") or "").lower()


def nic_ports(interfaces: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The interfaces that are a NIC's own ports, and nothing on top of one."""
    return [each for each in interfaces if each["kind"] not in STACKED and UPLINK_PORT.fullmatch(each["port"])]


def find(match: Mapping[str, str | None], interfaces: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Interfaces of a rail; with more than one the match is ambiguous."""
    key = key_of(match)
    field = "pci" if match.get("pci") else "mac"
    return [each for each in nic_ports(interfaces) if (each[field] or "").lower() == key]


ABSENT: dict[str, Any] = {
    "netdev": None,
    "altnames": [],
    "pci": None,
    "mac": None,
    "driver": None,
    "master": None,
    "mtu_bytes": None,
    "max_mtu_bytes": None,
    "up": False,
    "carrier": False,
    "addresses": [],
    "link_local": [],
    "rdma_device": None,
}


def rail(match: Mapping[str, str | None], interfaces: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The interface that a rail's match selects. `netdev` is None if it selects none, or several (`candidates`)."""
    found = find(match, interfaces)
    one = found[0] if len(found) == 1 else ABSENT
    return {**{field: one[field] for field in ABSENT}, "candidates": [each["netdev"] for each in found]}


def rules(run: Run, family: str = "-4") -> list[dict[str, Any]]:
    """Routing policy rules without the kernel's own: of IPv4 three, of IPv6 two."""
    every = show(run, "ip", "-N", "-d", "-j", family, "rule", "show")
    return [
        {
            "priority": each["priority"],
            "from": f"{each['src']}/{each['srclen']}" if "srclen" in each else each["src"],
            "table": "main" if each.get("table") == MAIN_TABLE else each.get("table"),
            "selectors": sorted(set(each) - {"priority", "src", "srclen", "table", "protocol"}),
            "protocol": each.get("protocol", UNKNOWN_PROTOCOL),
        }
        for each in every
        if 0 < each["priority"] < 32766
    ]


def routes(run: Run) -> dict[str, list[dict[str, Any]]]:
    """IPv4 unicast routes by table, without the kernel's local table."""
    found: dict[str, list[dict[str, Any]]] = {"main": []}
    for each in show(run, "ip", "-N", "-j", "-4", "route", "show", "table", "all"):
        table = each.get("table", MAIN_TABLE)
        if table != LOCAL_TABLE and "type" not in each:
            named = "main" if table == MAIN_TABLE else table
            entry = {"to": each["dst"], "via": each.get("gateway"), "dev": each.get("dev")}
            found.setdefault(named, []).append(entry)
    return found


def sysctls(root: Path, netdevs: Sequence[str]) -> dict[str, dict[str, int | None]]:
    """Interface -> reverse path filter and ARP settings."""
    base = root / "proc/sys/net/ipv4/conf"
    values = {name: {knob: read(base / name / knob) for knob in KNOBS} for name in netdevs}
    return {name: {knob: int(text) if text else None for knob, text in each.items()} for name, each in values.items()}


def active(run: Run) -> list[str]:
    """The running network managers."""
    units = {"networkmanager": "NetworkManager.service", "networkd": "systemd-networkd.service"}
    states = run(["systemctl", "is-active", *units.values()])[1].split()
    return [name for name, state in zip(units, states) if state == "active"]  # noqa: B905 (strict= needs Python 3.10)


def networkd_manages(run: Run) -> bool:
    """Does systemd-networkd manage any interface at all? Where both managers run, one of them usually does not."""
    lines = run(["networkctl", "--no-pager", "--no-legend", "list"])[1].splitlines()
    return any(fields[-1] != "unmanaged" for fields in map(str.split, lines) if fields)


def backend(run: Run) -> str:
    """The manager of the host's interfaces: networkd, networkmanager or none."""
    running = active(run)
    if len(running) == 2:
        return "networkd" if networkd_manages(run) else "networkmanager"
    return running[0] if running else "none"


def has_netplan(root: Path) -> bool:
    """Is netplan installed, and does it have a configuration?"""
    installed = any((root / path).exists() for path in ("usr/sbin/netplan", "usr/bin/netplan"))
    return installed and any(root.glob("etc/netplan/*.yaml"))


def management(run: Run, entries: Sequence[Mapping[str, Any]], came: Session | None) -> list[str]:
    """The management interfaces: those of a default route, or of the present connection."""
    default = [each for family in ("-4", "-6") for each in show(run, "ip", "-j", family, "route", "show", "default")]
    hops = [hop for each in default for hop in (each, *each.get("nexthops", ()))]
    devices = {hop["dev"] for hop in hops if "dev" in hop}
    for entry in entries:
        if came and any(came.is_to(entry["ifname"], each["local"]) for each in entry.get("addr_info", [])):
            devices.add(entry["ifname"])
    return sorted(devices)


def collect(matches: Sequence[Mapping[str, str | None]], run: Run, root: Path, came: Session | None) -> dict[str, Any]:
    """All facts: the value of gpufabric_rails. ``came``: the SSH session that Ansible came in by."""
    entries = [each for each in show(run, "ip", "-j", "-d", "address", "show") if each]
    rdma = {each.interface: each.device for each in rdma_ports(root) if each.interface}
    interfaces = [interface(each, root, rdma) for each in entries]
    rails = {key_of(match): rail(match, interfaces) for match in matches}
    netdevs = [each["netdev"] for each in rails.values() if each["netdev"]]
    runs = backend(run)
    of_ipv4 = rules(run)
    return {
        "manager": "netplan" if has_netplan(root) else runs,
        "backend": runs,
        "management": management(run, entries, came),
        "interfaces": [each["netdev"] for each in interfaces],
        "ports": [{key: each[key] for key in ("netdev", "mac", "pci")} for each in nic_ports(interfaces)],
        "rails": rails,
        "rules": of_ipv4,
        # networkd leaves the kernel's rules alone, and what a manager's file asks for is made again.
        "others_rules": [
            each for each in (*of_ipv4, *rules(run, "-6")) if each["protocol"] not in (KERNEL_PROTOCOL, STATIC_PROTOCOL)
        ],
        "networkd_leaves_others": leaves_others(run, root) if runs == "networkd" else "",
        "routes": routes(run),
        "sysctl": sysctls(root, netdevs),
    }
