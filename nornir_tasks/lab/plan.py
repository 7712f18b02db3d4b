"""A lab as the design lays it out, as the file its process reads, and in what two such files differ."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nornir_tasks.lab.routed import lab_name, machine_memory_mib, run_folder
from nornir_tasks.platforms import platform

UNPRIVILEGED = 8000
"""Added to a port that only root may open: 8443 stands in for 443."""
_FIRST_UNPRIVILEGED = 1024
SSH_PORT = 22 + UNPRIVILEGED
USERNAME = "gpufabric"
SECRET = "switch_password"  # noqa: S105 - its name
_NAMED = 3
"""So many names stand for a longer list."""


@dataclass(frozen=True, slots=True)
class LabDevice:
    """What the lab must know of one switch."""

    name: str
    os: str
    release: str
    model: str
    asic: str
    asn: int
    ports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabRoute:
    """A route of a host by a port or VLAN. ``table``: that of packets from the port's address; None: the main one."""

    to: str
    via: str
    table: int | None = None


@dataclass(frozen=True, slots=True)
class LabVlan:
    """What a host has on a bond, untagged (``tag`` None) or in one VLAN: addresses with length, and routes by it."""

    tag: int | None
    addresses: tuple[str, ...]
    routes: tuple[LabRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class LabBond:
    """A bond of a host, as its variables have it; it sends LACP by itself."""

    host: str
    name: str
    mtu_bytes: int
    is_fast: bool
    vlans: tuple[LabVlan, ...]


@dataclass(frozen=True, slots=True)
class LabHostEnd:
    """What a host's variables say of one of its ports. ``bond``: None if it is in none."""

    bond: str | None = None
    mac: str | None = None
    addresses: tuple[str, ...] = ()
    """Of the port itself, with length."""
    routes: tuple[LabRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class LabSpeaker:
    """BGP of a router of another network. ``peers``: the site's addresses with its AS number."""

    asn: int
    peers: tuple[tuple[str, int], ...]
    announces: tuple[str, ...]
    signs: bool = False
    """Its segments, as the intent asks of both ends."""


@dataclass(frozen=True, slots=True)
class LabHost:
    """One NIC port and the switch port it is cabled to; ``cable`` is the design's name for the link.

    ``lldp``: does it announce itself? ``end``: None where the host has no variables.
    ``speaks``: of an upstream's router.
    """

    name: str
    port: str
    switch: tuple[str, str]
    mtu_bytes: int
    cable: str = ""
    lldp: bool = False
    end: LabHostEnd | None = None
    speaks: LabSpeaker | None = None


@dataclass(frozen=True, slots=True)
class LabPlan:
    """A lab as the design lays it out."""

    site: str
    devices: tuple[LabDevice, ...]
    cables: tuple[tuple[str, tuple[str, str], tuple[str, str]], ...]
    """(cable id, one end, other end) of every link between switches."""
    hosts: tuple[LabHost, ...]
    bonds: tuple[LabBond, ...] = ()
    attached: frozenset[str] = frozenset()
    """Names among the hosts of what is attached to the out-of-band plane: the lab's devices.yml has their addresses."""
    routed: bool = False
    """Each switch routes by an FRR of its own in a network namespace; else routes are simulated."""
    in_machine: bool = False
    """A routed lab in one QEMU machine, as this kernel lacks what it needs; else in namespaces of this machine."""


def played_mac(device: str) -> str:
    """The MAC address that the lab plays a device with: one of those that no maker was given (IEEE 802, local)."""
    digits = hashlib.sha256(f"attached {device}".encode()).hexdigest()
    return ":".join(("02", *(digits[at : at + 2] for at in range(0, 10, 2))))


def specification(plan: LabPlan, directory: Path, network: str, rtt_ms: float) -> dict[str, Any]:
    """The file that the lab's process reads. ``network`` ("127.93") holds all addresses of the lab."""
    return {
        "site": plan.site,
        "dir": str(directory),
        "ca": str(directory / "ca.pem"),
        "username": USERNAME,
        "password_file": str(directory / ".secrets" / SECRET),
        "network": network,
        "rtt_ms": rtt_ms,
        "devices": [
            _device(device, f"{network}.{1 + index // 250}.{1 + index % 250}")
            for index, device in enumerate(plan.devices)
        ],
        "cables": [{"id": name, "a": list(a), "b": list(b)} for name, a, b in plan.cables],
        "bonds": [_bond(bond, has_routes=plan.routed) for bond in plan.bonds],
        "hosts": [{**_host(host), **(_routes(host) if plan.routed else {})} for host in plan.hosts],
        **({"routed": _routed(directory)} if plan.routed else {}),
        **({"machine": {"memory_mib": machine_memory_mib(len(plan.devices))}} if plan.in_machine else {}),
    }


def _routed(directory: Path) -> dict[str, str]:
    return {"name": lab_name(directory), "run_folder": str(run_folder(directory))}


def _host(host: LabHost) -> dict[str, Any]:
    """One of many: what is empty is left out."""
    end: dict[str, Any] = {}
    if host.end is not None:
        more = {"mac": host.end.mac, "addresses": list(host.end.addresses)}
        end = {"bond": host.end.bond, **{key: value for key, value in more.items() if value}}
    return {
        "name": host.name,
        "port": host.port,
        "switch": list(host.switch),
        "mtu_bytes": host.mtu_bytes,
        "cable": host.cable,
        **({"lldp": True} if host.lldp else {}),
        **({"speaks": _speaker(host.speaks)} if host.speaks is not None else {}),
        **end,
    }


def _speaker(speaker: LabSpeaker) -> dict[str, Any]:
    peers = [list(each) for each in speaker.peers]
    signs = {"signs": True} if speaker.signs else {}
    return {"asn": speaker.asn, "peers": peers, "announces": list(speaker.announces), **signs}


def _routes(host: LabHost) -> dict[str, Any]:
    """Simulated hosts send no packets, so these are a routed lab's."""
    return _as_data(host.end.routes if host.end is not None else ())


def _as_data(routes: Iterable[LabRoute]) -> dict[str, Any]:
    found = [{key: value for key, value in asdict(each).items() if value is not None} for each in routes]
    return {"routes": found} if found else {}


def _bond(bond: LabBond, *, has_routes: bool) -> dict[str, Any]:
    vlans = [
        {
            **({} if each.tag is None else {"tag": each.tag}),
            "addresses": list(each.addresses),
            **(_as_data(each.routes) if has_routes else {}),
        }
        for each in bond.vlans
    ]
    rate = {"rate": "fast"} if bond.is_fast else {}
    return {"host": bond.host, "name": bond.name, "mtu_bytes": bond.mtu_bytes, **rate, "vlans": vlans}


def _device(device: LabDevice, address: str) -> dict[str, Any]:
    return {
        "name": device.name,
        "os": device.os,
        "release": device.release,
        "model": device.model,
        "asic": device.asic,
        "serial": "LAB" + hashlib.sha256(device.name.encode()).hexdigest()[:8].upper(),
        "address": address,
        "api_port": _lab_port(platform(device.os).api_port),
        "ssh_port": SSH_PORT,
        "asn": device.asn,
        "ports": list(device.ports),
    }


def _lab_port(port: int) -> int:
    return port if port >= _FIRST_UNPRIVILEGED else port + UNPRIVILEGED


def differences(running: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """In what a lab that runs differs from what is wanted now, in words; empty if in nothing."""
    found = []
    if running.get("rtt_ms", 0.0) != wanted["rtt_ms"]:
        found.append(f"it runs with --rtt-ms {running.get('rtt_ms', 0.0):g}, not {wanted['rtt_ms']:g}")
    if ("routed" in running) != ("routed" in wanted):
        found.append(f"it runs {'with' if 'routed' in running else 'without'} --routed")
    elif ("machine" in running) != ("machine" in wanted):
        places = "in namespaces of this machine", "in a machine of its own"
        is_in, shall_be_in = (places["machine" in each] for each in (running, wanted))
        found.append(f"it runs {is_in}, not {shall_be_in}")
    found += _changes("switch", "switches", _by(running["devices"], "name"), _by(wanted["devices"], "name"))
    found += _changes("cable", "cables", _by(running["cables"], "id"), _by(wanted["cables"], "id"))
    bonds = (_by(each.get("bonds", ()), "host", "name") for each in (running, wanted))
    found += _changes("bond of a host", "bonds of hosts", *bonds)
    found += _changes("NIC", "NICs", _by(running["hosts"], "name", "port"), _by(wanted["hosts"], "name", "port"))
    if not found and {**running, "network": ""} != {**wanted, "network": ""}:
        found.append("it was started by another version of this tool")
    return found


def _by(entries: Iterable[Mapping[str, Any]], *keys: str) -> dict[str, Mapping[str, Any]]:
    return {":".join(str(each[key]) for key in keys): each for each in entries}


def _changes(
    one: str, many: str, running: Mapping[str, Mapping[str, Any]], wanted: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    sets = {
        "is new": [name for name in wanted if name not in running],
        "is gone": [name for name in running if name not in wanted],
        "is another now": [name for name in wanted if name in running and running[name] != wanted[name]],
    }
    found = []
    for how, names in sets.items():
        if names:
            shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
            count = f"1 {one} {how}" if len(names) == 1 else f"{len(names)} {many} {_PLURAL[how]}"
            found.append(f"{count}: {shown}")
    return found


_PLURAL = {"is new": "are new", "is gone": "are gone", "is another now": "are others now"}
