"""A routed site as containers of SONiC-VS: ports by its configuration, routing by the FRR in it.

No platform here is SONiC: what a switch of another system was told is what FRR and a kernel need to be it, and this is
said in SONiC's words. Sources of its ports, tables and paths: tests/corpus/containerlab.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nornir_tasks.errors import LabError, Problem
from nornir_tasks.lab.export.parts import LeftOut
from nornir_tasks.lab.export.routed import RoutedTopology, settings

IMAGE = "docker-sonic-vs:latest"
"""As ``docker load`` names what the project builds."""
HWSKU, PLATFORM = "Force10-S6000", "x86_64-kvm_x86_64-r0"
"""What the image is unless its environment says otherwise: its ports are those of this one."""
_FIRST_LANES = (
    *(25, 29, 33, 37, 45, 41, 1, 5, 13, 9, 17, 21, 53, 49, 57, 61),
    *(69, 65, 73, 77, 109, 105, 113, 117, 125, 121, 81, 85, 93, 89, 101, 97),
)
"""Of each port in its order; a port has four, in sequence."""
_SPEED_MBPS = 40_000
_LOOPBACK = "Loopback0"
_CONFIG_DB, _FRR_CONF, _BEGIN = "/var/sonic/config_db.json", "/gpufabric/frr.conf", "/gpufabric/begin.sh"
BEGIN = """\
#!/bin/bash
# begin.sh CONFIGURATION PORT...: tell FRR what the switch routes, once SONiC has made its ports and begun bgpd.
set -eu
configuration=$1
shift
limit_s=100
wait_for() {
  local what=$1
  shift
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > limit_s)); then
      echo "$what is not there after $limit_s s" >&2
      exit 1
    fi
    sleep 1
  done
}
runs() { vtysh -c "show daemons" | grep -qw "$1"; }
# Only the port answers ARP, not the wire that carries its frames.
for wire in /sys/class/net/eth[1-9]*; do
  if [ -e "$wire" ]; then ip link set "${wire##*/}" arp off; fi
done
for port in "$@"; do
  wait_for "port $port" test -e "/sys/class/net/$port"
done
wait_for bgpd runs bgpd
runs bfdd || /usr/lib/frr/bfdd -d -A 127.0.0.1 -P 0
wait_for bfdd runs bfdd
vtysh -f "$configuration"
"""
_PROFILE = "frr defaults datacenter\n"
"""The lab's FRR has these defaults."""


@dataclass(frozen=True, slots=True)
class SonicPort:
    """A cabled port of a switch as the node has it. ``number``: 0 is the first."""

    port: str
    number: int
    start: Mapping[str, Any]

    @property
    def wire(self) -> str:
        """What the topology calls it."""
        return f"eth{self.number + 1}"

    @property
    def name(self) -> str:
        """What SONiC calls it."""
        return f"Ethernet{4 * self.number}"

    def row(self) -> dict[str, str]:
        """Its row of the table PORT."""
        first = _FIRST_LANES[self.number]
        return {
            "lanes": ",".join(str(first + lane) for lane in range(4)),
            "alias": f"fortyGigE0/{4 * self.number}",
            "index": str(self.number),
            "speed": str(_SPEED_MBPS),
            "mtu": str(self.start["mtu_bytes"]),
            "admin_status": "up" if self.start["is_up"] else "down",
        }


class SonicTopology(RoutedTopology):
    """The export."""

    kind = "sonic-vs"
    port_columns = ("device", "port", "in_the_node", "in_the_topology")

    @cached_property
    def ports(self) -> Mapping[str, Mapping[str, SonicPort]]:
        """Switch -> cabled port -> the node's. Raises LabError for switches that have more than the image."""
        cabled = {name: self.parts.cabled_ports(name) for name in self.switches}
        most = len(_FIRST_LANES)
        hint = "leave cables away: choose planes with --plane or switches with --limit, or export with --frr"
        problems = [
            Problem(name, f"the image has {most} ports, and {len(ports)} are cabled", hint=hint)
            for name, ports in cabled.items()
            if len(ports) > most
        ]
        if problems:
            raise LabError(problems)
        starts = {name: {each["port"]: each for each in start["ports"]} for name, start in self.switches.items()}
        return {
            name: {port: SonicPort(port, number, starts[name][port]) for number, port in enumerate(ports)}
            for name, ports in cabled.items()
        }

    def _common_files(self) -> Mapping[str, str]:
        return {"begin.sh": BEGIN}

    def _files_of(self, name: str) -> Iterator[tuple[str, str]]:
        yield f"{name}.config_db.json", json.dumps(self._config_db(name), indent=2) + "\n"
        yield f"{name}.frr.conf", _PROFILE + self._routing(name)

    def _port_rows(self, name: str) -> Iterator[tuple[str, ...]]:
        return ((name, port, each.name, each.wire) for port, each in self.ports[name].items())

    def _node(self, name: str, address: str) -> dict[str, Any]:
        files = ((f"{name}.config_db.json", _CONFIG_DB), (f"{name}.frr.conf", _FRR_CONF), ("begin.sh", _BEGIN))
        return {
            "kind": self.kind,
            "image": self._image(IMAGE),
            "mgmt-ipv4": address,
            "sysctls": settings(self.switches[name]),
            "binds": [f"{file}:{inside}:ro" for file, inside in files],
            "exec": [" ".join(("bash", _BEGIN, _FRR_CONF, *(each.name for each in self.ports[name].values())))],
        }

    def _cabled(self, device: str, port: str) -> str:
        return self.ports[device][port].wire if device in self.ports else port

    def _left_out(self, name: str) -> Iterator[LeftOut]:
        yield from super()._left_out(name)
        for each in self.switches[name]["ports"]:
            if each["port"] and each["port"] not in self.ports[name]:
                yield LeftOut(name, each["port"], "no cable of this lab ends there")
            elif each["mac"]:
                what = f"{each['port']}: link-local address by MAC {each['mac']}"
                yield LeftOut(name, what, "the node's ports have a MAC address of its own, and addresses by that")

    def _routing(self, name: str) -> str:
        """FRR's configuration with the node's names of ports."""
        text: str = self.switches[name]["configuration"]
        names = {each.start["name"]: each.name for each in self.ports[name].values()}
        known = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        return re.sub(rf"(?<=[ ])(?:{known})(?=[ \n])", lambda found: names[found[0]], text)

    def _config_db(self, name: str) -> dict[str, dict[str, dict[str, str]]]:
        """The tables of one switch."""
        start, ports = self.switches[name], self.ports[name].values()
        (loopback,) = (each for each in start["ports"] if not each["port"])
        about = {"hwsku": HWSKU, "platform": PLATFORM, "hostname": name, "docker_routing_config_mode": "split"}
        interfaces: dict[str, dict[str, str]] = {}
        for each in ports:
            is_peer = f"neighbor {each.start['name']} interface" in start["configuration"]
            if is_peer or each.start["addresses"]:
                interfaces[each.name] = {"ipv6_use_link_local_only": "enable"} if is_peer else {}
                interfaces |= {f"{each.name}|{address}": {} for address in each.start["addresses"]}
        return {
            "DEVICE_METADATA": {"localhost": about},
            "PORT": {each.name: each.row() for each in ports},
            "INTERFACE": interfaces,
            "LOOPBACK_INTERFACE": {
                _LOOPBACK: {"admin_status": "up"},
                **{f"{_LOOPBACK}|{address}": {} for address in loopback["addresses"]},
            },
        }
