"""A routed site as containers of FRR. Sources: tests/corpus/containerlab."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from nornir_tasks.lab.export.nodes import HOST_KIND
from nornir_tasks.lab.export.routed import RoutedTopology, settings

IMAGE = "quay.io/frrouting/frr:10.5.3"
"""The image that netlab runs (ipspace/netlab at 771eeee6b5b3, netsim/devices/frr.yml)."""
DAEMONS = """\
bgpd=yes
bfdd=yes
vtysh_enable=yes
frr_profile="datacenter"
zebra_options="  -A 127.0.0.1 -s 90000000"
bgpd_options="   -A 127.0.0.1"
staticd_options="-A 127.0.0.1"
bfdd_options="   -A 127.0.0.1"
"""
"""/etc/frr/daemons, with the options of Debian's (package frr 8.4.4)."""
VTYSH = "service integrated-vtysh-config\n"
FILES = {"daemons": DAEMONS, "vtysh.conf": VTYSH}


class FrrTopology(RoutedTopology):
    """The export. To containerlab, switches are of kind linux, as hosts are."""

    kind = "frr"
    port_columns = ("device", "port", "in_the_node")

    def _common_files(self) -> Mapping[str, str]:
        return FILES

    def _files_of(self, name: str) -> Iterator[tuple[str, str]]:
        yield f"{name}.frr.conf", self.switches[name]["configuration"]

    def _port_rows(self, name: str) -> Iterator[tuple[str, ...]]:
        ports = (port for port in self.switches[name]["ports"] if port["port"])
        return ((name, port["port"], port["name"]) for port in ports)

    def _node(self, name: str, address: str) -> dict[str, Any]:
        start = self.switches[name]
        binds = [f"{name}.frr.conf:/etc/frr/frr.conf", *(f"{file}:/etc/frr/{file}:ro" for file in FILES)]
        return {
            "kind": HOST_KIND,
            "image": self._image(IMAGE),
            "mgmt-ipv4": address,
            "sysctls": settings(start),
            "binds": binds,
            "exec": [line for port in start["ports"] for line in _port_lines(port)],
        }

    def _cabled(self, device: str, port: str) -> str:
        return self._names.get((device, port), port)

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], str]:
        """(switch, port) -> what the node's kernel calls it."""
        return {(name, port["port"]): port["name"] for name, start in self.switches.items() for port in start["ports"]}


def _port_lines(port: Mapping[str, Any]) -> Iterator[str]:
    """What makes a port of a node the switch's: it comes up last, so that no route uses it half-made."""
    name = port["name"]
    if port["port"]:
        yield f"ip link set {name} down"
        yield f"ip link set {name} mtu {port['mtu_bytes']}"
        if port["mac"]:
            yield f"ip link set {name} address {port['mac']}"
    yield from (f"ip address replace {address} dev {name}" for address in port["addresses"])
    if port["port"] and port["is_up"]:
        yield f"ip link set {name} up"
