"""Reads the lab's specification from JSON: every mistake at once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path
from typing import Any, TypeVar

from .errors import Problem, TwinError
from .spec import (
    Cable,
    DeviceSpec,
    End,
    Host,
    HostBond,
    HostEnd,
    HostRoute,
    HostVlan,
    LabSpec,
    RoutedSpec,
    Speaks,
)

_T = TypeVar("_T", str, tuple[str, int], tuple[str, str], End)


class SpecError(TwinError):
    """A specification file is wrong; every mistake is in ``problems``."""


def load_spec(path: Path) -> LabSpec:
    """Read a specification. Raises SpecError with the file and every mistake."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise SpecError(Problem(str(path), f"cannot be read: {error}")) from error
    return parse_spec(data, str(path))


def parse_spec(data: dict[str, Any], where: str = "spec") -> LabSpec:
    """Build a LabSpec from decoded JSON. Raises SpecError with every mistake."""
    try:
        spec = LabSpec(
            site=data["site"],
            directory=Path(data["dir"]),
            ca=Path(data["ca"]),
            username=data["username"],
            password_file=Path(data["password_file"]),
            devices=tuple(_device(item) for item in data["devices"]),
            cables=tuple(Cable(item["id"], End(*item["a"]), End(*item["b"])) for item in data.get("cables", ())),
            hosts=_hosts(data.get("hosts", ()), data.get("bonds", ())),
            rtt_ms=float(data.get("rtt_ms", 0)),
            routed=_routed(data.get("routed")),
        )
    except KeyError as error:
        raise SpecError(Problem(where, f"key {error} is missing")) from error
    except TypeError as error:
        raise SpecError(Problem(where, f"wrong shape: {error}")) from error
    except _Mistakes as error:
        raise SpecError(Problem(where, mistake) for mistake in error.mistakes) from error
    mistakes = _mistakes(spec)
    if mistakes:
        raise SpecError(Problem(where, mistake) for mistake in mistakes)
    return spec


def _routed(item: dict[str, Any] | None) -> RoutedSpec | None:
    if item is None:
        return None
    return RoutedSpec(item["name"], Path(item["run_folder"]), int(item.get("bfd_factor", 1)))


def _device(item: dict[str, Any]) -> DeviceSpec:
    lists = {key: tuple(item.get(key, ())) for key in ("ports", "allow_from_memory", "certificates")}
    return DeviceSpec(**{**item, **lists})


_LACP = {"active": True, "passive": False, "off": None}
_RATES = {"fast": True, "slow": False}
_TAGS = range(1, 4095)
_TABLES = range(1, 253)
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


class _Mistakes(Exception):  # noqa: N818 (never leaves this module)
    def __init__(self, mistakes: list[str]) -> None:
        self.mistakes = mistakes


def _hosts(items: Iterable[dict[str, Any]], bonds: Iterable[dict[str, Any]]) -> tuple[Host, ...]:
    """Hosts' ports, each with the bond that it names. Raises _Mistakes with everything that is wrong about these."""
    reader = _HostReader([_BondEntry(**item) for item in bonds])
    hosts = tuple(reader.host(**item) for item in items)
    if reader.mistakes:
        raise _Mistakes(reader.mistakes)
    return hosts


@dataclass(frozen=True, slots=True)
class _BondEntry:
    """A bond as the specification has it."""

    host: str
    name: str
    mtu_bytes: int
    lacp: str = "active"
    rate: str = "slow"
    vlans: Iterable[dict[str, Any]] = ()


class _HostReader:
    def __init__(self, bonds: Iterable[_BondEntry]) -> None:
        self.mistakes: list[str] = []
        found = [self._bond(each, f"{each.host}:{each.name}") for each in bonds]
        self._bonds = {(each.host, each.name): each for each in found}
        names = ((each.host, each.name) for each in found)
        self.mistakes += [f"{host}:{name}: bond listed twice" for host, name in _repeated(names)]

    def _bond(self, entry: _BondEntry, where: str) -> HostBond:
        if entry.lacp not in _LACP:
            self.mistakes.append(f"{where}: lacp is one of {', '.join(_LACP)}, not {entry.lacp!r}")
        if entry.rate not in _RATES:
            self.mistakes.append(f"{where}: rate is one of {', '.join(_RATES)}, not {entry.rate!r}")
        vlans = tuple(self._vlan(where, **each) for each in entry.vlans)
        tags = ("none" if each.tag is None else str(each.tag) for each in vlans)
        self.mistakes += [f"{where}: VLAN tag {tag} listed twice" for tag in _repeated(tags)]
        return HostBond(entry.host, entry.name, entry.mtu_bytes, _LACP.get(entry.lacp), entry.rate == "fast", vlans)

    def _vlan(
        self,
        where: str,
        *,
        tag: int | None = None,
        addresses: Iterable[str] = (),
        routes: Iterable[dict[str, Any]] = (),
    ) -> HostVlan:
        if tag is not None and tag not in _TAGS:
            self.mistakes.append(f"{where}: VLAN tag {tag!r} is not from 1 to 4094")
        return HostVlan(tag, self._addresses(where, addresses), tuple(self._route(where, **each) for each in routes))

    def _addresses(self, where: str, addresses: Iterable[str]) -> tuple[str, ...]:
        found = tuple(addresses)
        for each in found:
            try:
                ip_interface(each)
            except ValueError:
                self.mistakes.append(f"{where}: {each!r} is no address with length")
        return found

    def host(
        self,
        *,
        name: str,
        port: str,
        switch: Iterable[str],
        mtu_bytes: int,
        lldp: bool = False,
        cable: str = "",
        speaks: dict[str, Any] | None = None,
        **of_end: Any,  # noqa: ANN401 - decoded JSON
    ) -> Host:
        end = self._end(name, port, **of_end) if of_end else None
        bgp = self._speaks(f"{name}:{port}", **speaks) if speaks else None
        return Host(name, port, End(*switch), mtu_bytes, lldp, cable, end, bgp)

    def _speaks(
        self,
        where: str,
        *,
        asn: int,
        peers: Iterable[tuple[str, int]],
        announces: Iterable[str] = (),
        signs: bool = False,
    ) -> Speaks:
        found = Speaks(asn, tuple((address, number) for address, number in peers), tuple(announces), signs)
        for text in (*(address for address, _ in found.peers), *found.announces):
            try:
                ip_network(text)
            except ValueError:
                self.mistakes.append(f"{where}: {text!r} is no address or prefix of BGP")
        return found

    def _end(
        self,
        name: str,
        port: str,
        *,
        bond: str | None,
        mac: str = "",
        addresses: Iterable[str] = (),
        routes: Iterable[dict[str, Any]] = (),
    ) -> HostEnd:
        where = f"{name}:{port}"
        if mac and not _MAC.fullmatch(mac):
            self.mistakes.append(f"{where}: {mac!r} is no MAC address")
        if bond is not None and (name, bond) not in self._bonds:
            self.mistakes.append(f"{where}: the host has no bond {bond!r}")
        own = self._addresses(where, addresses)
        through = tuple(self._route(where, **each) for each in routes)
        return HostEnd(self._bonds.get((name, bond)) if bond is not None else None, mac, own, through)

    def _route(self, where: str, *, to: str, via: str, table: int | None = None) -> HostRoute:
        try:
            ip_network(to), ip_address(via)
        except ValueError:
            self.mistakes.append(f"{where}: {to!r} via {via!r} is no route")
        if table is not None and table not in _TABLES:
            self.mistakes.append(f"{where}: routing table {table!r} is not from 1 to 252")
        return HostRoute(to, via, table)


def _repeated(items: Iterable[_T]) -> list[_T]:
    return sorted(item for item, count in Counter(items).items() if count > 1)


def _mistakes(spec: LabSpec) -> list[str]:
    known = {device.name: device for device in spec.devices}
    ends = [end for cable in spec.cables for end in (cable.a, cable.b)] + [host.switch for host in spec.hosts]
    found = []
    for end in ends:
        if end.device not in known:
            found.append(f"{end}: there is no such device")
        elif not known[end.device].has_place_for(end.port):  # a part that is not split off yet is dark, not a mistake
            found.append(f"{end}: the device has no such port")
    found += [f"{end}: cabled twice" for end in _repeated(ends)]
    found += [f"{name}: device listed twice" for name in _repeated(device.name for device in spec.devices)]
    sockets = ((d.address, port) for d in spec.devices for port in {d.api_port, d.ssh_port})
    found += [f"{address}:{port}: used by two devices" for address, port in _repeated(sockets)]
    found += [
        f"{d.name}: {d.address} is not a loopback address" for d in spec.devices if not d.address.startswith("127.")
    ]
    return found
