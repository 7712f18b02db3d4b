"""What may pass the firewalls of tests/sites/boundary, from the intent file alone; shares no code with the design.

Written for that file: it knows YAML, addresses, and the subnets of groups of hosts, which are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, NamedTuple

import yaml

Address = IPv4Address | IPv6Address
NOBODYS = [
    *map(ip_network, ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12")),
    *map(ip_network, ("192.168.0.0/16", "224.0.0.0/3", "::/8", "fc00::/7", "fe80::/10", "ff00::/8")),
]
"""Sources that no host outside has."""


class Packet(NamedTuple):
    """An opening packet."""

    zone: str
    """Where it comes in."""
    source: str
    destination: str
    protocol: str
    port: int

    @property
    def family(self) -> int:
        return ip_address(self.source).version


class Judge:
    """One site."""

    def __init__(self, file: Path, groups: Mapping[str, Sequence[str]]) -> None:
        self.data: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        self.boundary = self.data["boundary"]
        self.groups = groups
        self.zones = {name: each for name, each in self.boundary["zones"].items() if "port" in each}

    def of_zone(self, name: str) -> list[str]:
        zone = self.zones[name]
        found = [zone[key] for key in ("link", "link_v6") if key in zone]
        if "plane" in zone:
            plane = self.data["planes"][zone["plane"]]
            for each in (plane["pools"], *plane.get("vlans", {}).values()):
                found += [each[key] for key in ("hosts", "hosts_v6") if key in each]
        return found

    def kept_apart(self) -> list[str]:
        reached = {zone.get("plane") for zone in self.zones.values()}
        found = [pool for each in self.data["fabrics"].values() for key, pool in each["pools"].items() if key != "asn"]
        found += [self.boundary["edge"]["loopback"]] if "edge" in self.boundary else []
        for name, plane in self.data["planes"].items():
            if name not in reached:
                found += plane["pools"].values()
        return found

    def zone_of(self, address: str) -> str:
        return next(
            (name for name in self.zones if name != "outside" and within(address, self.of_zone(name))), "outside"
        )

    def passes(self, packet: Packet) -> bool:
        if within(packet.source, self.kept_apart()) or within(packet.destination, self.kept_apart()):
            return False
        if not self.is_genuine(packet):
            return False
        to = self.zone_of(packet.destination)
        return packet.zone != to and any(
            packet.protocol == protocol
            and packet.port in ports
            and (sources is None or within(packet.source, sources))
            and (destinations is None or within(packet.destination, destinations))
            for zone, sources, into, destinations, protocol, ports in self.rows()
            if (zone, into) == (packet.zone, to)
        )

    def is_genuine(self, packet: Packet) -> bool:
        if packet.zone != "outside":
            return within(packet.source, self.of_zone(packet.zone))
        named = [each for prefixes in self.boundary["networks"].values() for each in prefixes]
        if any(within(packet.source, self.of_zone(name)) for name in self.zones if name != "outside"):
            return False
        return within(packet.source, named) or not any(ip_address(packet.source) in each for each in NOBODYS)

    def rows(self) -> Iterator[tuple[str, list[str] | None, str, list[str] | None, str, list[int]]]:
        for flow in self.boundary["flows"]:
            for name in flow["services"]:
                service = self.boundary["services"][name]
                for protocol in ("tcp", "udp"):
                    if protocol in service:
                        yield (
                            *self.end(flow["source"]),
                            *self.end(flow["destination"]),
                            protocol,
                            ports(service[protocol]),
                        )
                if service.get("ping"):
                    yield *self.end(flow["source"]), *self.end(flow["destination"]), "icmp", [0]
        for one in self.boundary["published"].values():
            zone = self.zone_of(one["addresses"][0])
            yield "outside", None, zone, [host(each) for each in one["addresses"]], "tcp", ports(one["tcp"])
            balancers = [host(each) for each in self.boundary["balancers"]["addresses"]]
            yield zone, balancers, *self.end(one["servers"]), "tcp", [one["server_port"]]
        bastions = self.boundary["bastions"]
        links = [ip_network(each) for each in self.of_zone(bastions["zone"])]
        for client in bastions["clients"]:
            yield (
                *self.end(client),
                bastions["zone"],
                [host(str(each[n])) for each in links for n in (4, 5)],
                "tcp",
                [22],
            )
        yield from self.relayed()

    def relayed(self) -> Iterator[tuple[str, list[str] | None, str, list[str] | None, str, list[int]]]:
        relays = self.boundary["relays"]
        own = relays["zone"], [host(each) for each in relays["addresses"]]
        shared = own[0], [host(each) for each in relays["proxy"]["addresses"]]
        forwarders, servers = relays["dns"]["forwarders"], relays["ntp"]["servers"]
        for client in relays["clients"]:
            yield *self.end(client), *own, "udp", [53, 123]
            yield *self.end(client), *own, "tcp", [53]
            yield *self.end(client), *shared, "tcp", [3128]
        for protocol in ("udp", "tcp"):
            yield *own, "outside", [host(each) for each in forwarders], protocol, [53]
        yield *own, "outside", [host(each) for each in servers], "udp", [123]
        yield *own, "outside", None, "tcp", [443, *ports(relays["proxy"]["plain_ports"])]

    def end(self, name: str) -> tuple[str, list[str] | None]:
        if name in self.zones:
            return name, None if name == "outside" else self.of_zone(name)
        if name in self.boundary["networks"]:
            return "outside", self.boundary["networks"][name]
        zone = next(zone for zone, each in self.zones.items() if each.get("plane") in self.data["hosts"][name]["nics"])
        return zone, list(self.groups[name])


def within(address: str, prefixes: Sequence[str]) -> bool:
    return any(ip_address(address) in ip_network(each) for each in prefixes)


def host(address: str) -> str:
    return str(ip_network(address))


def ports(value: Any) -> list[int]:
    return value if isinstance(value, list) else [value]
