"""The DHCP server's configuration for first boots: Kea's and dnsmasq's. It answers known devices, and no others.

What each system says of itself and wants, with sources: docs/day0.md.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from typing import Any

from nornir_tasks.day0.first_boot import Identity
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.intent.keys.day0 import PxeIntent
from nornir_tasks.platforms.first_boot import Dhcp

LEASE_S = 7200
"""A lease must be an hour at least, or one system does not boot."""
PXE = "PXEClient"
"""What option 60 of a host's network boot begins with (PXE 2.1, 2.2.1)."""
_SERVER_NAME, _ROUTERS, _FIRST_PRIVATE = 66, 3, 224


@dataclass(frozen=True, slots=True)
class Booting:
    """One switch, as the DHCP server must know it."""

    name: str
    os: str
    identity: Identity
    management: ManagementAddress
    dhcp: Dhcp
    server_url: str
    """Where its first file is."""
    path: str
    """The first file's path there, without a slash before it."""

    @property
    def client_id(self) -> bytes | None:
        """What the switch says of itself in option 61; None where its MAC address does."""
        serial = self.identity.serial
        return b"\0" + serial.encode() if self.dhcp.sends_serial and serial else None

    @property
    def is_known(self) -> bool:
        """Can a DHCP server know it? A serial number is not in every system's request."""
        return self.client_id is not None or self.identity.mac is not None

    @property
    def options(self) -> tuple[tuple[int, str], ...]:
        """Number and text of the options that send it to its first file."""
        if self.dhcp.server_name:
            return (_SERVER_NAME, self.server_url), (self.dhcp.url_option, f"/{self.path}")
        return ((self.dhcp.url_option, f"{self.server_url}/{self.path}"),)

    @property
    def network(self) -> IPv4Network:
        """Where its management port is."""
        return IPv4Network(self.management.interface, strict=False)


def unknown(switches: Iterable[Booting]) -> tuple[str, ...]:
    """The switches that no DHCP server can know: their systems send no serial number, and no MAC is declared."""
    return tuple(each.name for each in switches if not each.is_known)


def kea(switches: Sequence[Booting], pxe: PxeIntent | None) -> str:
    """Kea's configuration of its DHCPv4 server, JSON."""
    known = [each for each in switches if each.is_known]
    found = {
        "interfaces-config": {"interfaces": ["*"]},
        "lease-database": {"type": "memfile", "persist": True},
        "valid-lifetime": LEASE_S,
        "host-reservation-identifiers": ["client-id", "hw-address"],
        "option-def": [
            {"name": f"url-{code}", "code": code, "space": "dhcp4", "type": "string"} for code in _own_options(known)
        ],
        "client-classes": [*_kea_classes(known, pxe)],
        "subnet4": [*_kea_subnets(known, pxe)],
    }
    return json.dumps({"Dhcp4": found}, indent=2) + "\n"


def _own_options(switches: Iterable[Booting]) -> list[int]:
    """Options of the range for sites' own use, which a DHCP server has to be told of."""
    return sorted({code for each in switches for code, _ in each.options if code >= _FIRST_PRIVATE})


def _kea_classes(switches: Iterable[Booting], pxe: PxeIntent | None) -> Iterator[dict[str, Any]]:
    vendors = sorted({(each.os, each.dhcp.vendor_class) for each in switches if each.dhcp.vendor_class})
    for os, vendor in vendors:
        yield {"name": os, "test": f"substring(option[60].hex,0,{len(vendor)}) == '{vendor}'"}
    if pxe is not None:
        boot = {"next-server": str(pxe.server), "boot-file-name": pxe.file}
        yield {"name": "pxe", "test": f"substring(option[60].hex,0,{len(PXE)}) == '{PXE}'", **boot}


def _kea_subnets(switches: Sequence[Booting], pxe: PxeIntent | None) -> Iterator[dict[str, Any]]:
    """Without pools: an address is for whom it is reserved."""
    subnets: dict[IPv4Network, list[dict[str, Any]]] = {}
    for each in switches:
        subnets.setdefault(each.network, []).append(_kea_switch(each))
    if pxe is not None:
        gateway = [{"name": "routers", "data": str(pxe.gateway)}] if pxe.gateway else []
        subnets.setdefault(pxe.subnet, []).extend(
            {"hw-address": host.mac, "ip-address": str(host.address), "hostname": name, "option-data": gateway}
            for name, host in pxe.hosts.items()
        )
    for number, network in enumerate(sorted(subnets), start=1):
        yield {"id": number, "subnet": str(network), "reservations": subnets[network]}


def _kea_switch(switch: Booting) -> dict[str, Any]:
    known_by = {"client-id": switch.client_id.hex()} if switch.client_id else {"hw-address": switch.identity.mac}
    options: list[dict[str, object]] = [{"name": "routers", "data": switch.management.gateway}]
    options += [{"code": code, "data": text.replace(",", "\\,")} for code, text in switch.options]
    more = {"ip-address": switch.management.address, "hostname": switch.name, "option-data": options}
    return {**known_by, **more}


def dnsmasq(switches: Sequence[Booting], pxe: PxeIntent | None) -> str:
    """The configuration of dnsmasq: DHCP alone."""
    known = [each for each in switches if each.is_known]
    networks = {each.network for each in known} | ({pxe.subnet} if pxe else set())
    lines = ["# DHCP for first boots: devices that are known, and no others.", "port=0", "dhcp-ignore=tag:!known"]
    lines += [f"dhcp-range={each.network_address},static,{each.netmask},{LEASE_S}" for each in sorted(networks)]
    for os, vendor in sorted({(each.os, each.dhcp.vendor_class) for each in known if each.dhcp.vendor_class}):
        lines.append(f"dhcp-vendorclass=set:{os},{vendor}")
    for each in known:
        known_by = f"id:{each.client_id.hex(':')}" if each.client_id else each.identity.mac
        lines.append(f"dhcp-host={known_by},set:{each.name},{each.management.address},{each.name},{LEASE_S}")
        lines.append(f"dhcp-option=tag:{each.name},{_ROUTERS},{each.management.gateway}")
        lines += [f'dhcp-option-force=tag:{each.name},{code},"{text}"' for code, text in each.options]
    return "\n".join([*lines, *_dnsmasq_pxe(pxe)]) + "\n"


def _dnsmasq_pxe(pxe: PxeIntent | None) -> Iterator[str]:
    if pxe is None:
        return
    yield f"dhcp-vendorclass=set:pxe,{PXE}"
    yield f"dhcp-boot=tag:pxe,{pxe.file},,{pxe.server}"
    for name, host in pxe.hosts.items():
        yield f"dhcp-host={host.mac},set:{name},{host.address},{name},{LEASE_S}"
        if pxe.gateway:
            yield f"dhcp-option=tag:{name},{_ROUTERS},{pxe.gateway}"


def bmcs(addresses: Mapping[str, str], macs: Mapping[str, str]) -> str:
    """Where each host's BMC answers Redfish (DSP0266: the service root), JSON. Both: host -> its BMC's, if declared."""
    found = {
        name: {
            "redfish": f"https://{_in_url(each)}/redfish/v1/",
            **({"mac": macs[name]} if name in macs else {}),
        }
        for name, each in addresses.items()
    }
    return json.dumps(found, indent=2) + "\n"


def _in_url(address: str) -> str:
    return f"[{address}]" if ip_network(address).version == 6 else address
