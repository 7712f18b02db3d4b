"""Cisco Nexus 9000v in containerlab. Sources of each fact: tests/corpus/containerlab/exports.md."""

import re
from collections.abc import Iterable, Mapping

from nornir_tasks.platforms.containerlab import Image, Lacking, VirtualPort, numbered

_PORTS = 64
_WHOLE = re.compile(r"Ethernet1/(\d+)")


def _port(number: int) -> VirtualPort:
    return VirtualPort(f"Ethernet1/{number}", f"Ethernet1/{number}")


def _ports(ports: Iterable[str]) -> Mapping[str, VirtualPort]:
    return numbered(ports, _WHOLE, _port, _PORTS)


_NO_HARDWARE = "no hardware is emulated (Cisco Modeling Labs, NX-OS 9000)"

IMAGE = Image(
    kind="cisco_n9kv",
    reference="vrnetlab/cisco_n9kv:10.4.3",
    ports=_ports,
    port_block=r"interface (?P<port>Ethernet[\d/]+)(?:\.\d+)?",
    startup="added",
    lacking=(
        Lacking(r"interface breakout .*", "its ports are Ethernet1/1 to 1/64, none of them split (cml-community)"),
        Lacking(r"interface \S+ / (?:speed|fec|(?:no )?negotiate)\b.*", f"of a port's hardware: {_NO_HARDWARE}"),
    ),
)
