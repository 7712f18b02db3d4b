"""Arista cEOS in containerlab. Sources of each fact: tests/corpus/containerlab/exports.md."""

import json
from collections.abc import Iterable, Mapping

from nornir_tasks.platforms.containerlab import Image, Lacking, PortsFile, VirtualPort

_MTU_BYTES = 9194
_BEFORE = """\
hostname {{ .ShortName }}
username {{ .Credentials.Username }} privilege 15 role network-admin secret {{ .Credentials.Password }}
interface {{ .MgmtIntf }}
   ip address {{ .MgmtIPv4Address }}/{{ .MgmtIPv4PrefixLength }}
management api http-commands
   no shutdown
"""


def _ports(ports: Iterable[str]) -> Mapping[str, VirtualPort]:
    """All keep their names: a file says which ethN is which."""
    return {name: VirtualPort(f"eth{number}", name) for number, name in enumerate(ports, 1)}


def _ports_file(ports: Iterable[VirtualPort]) -> str:
    names = {port.cabled: port.named for port in ports}
    return json.dumps({"ManagementIntf": {"eth0": "Management1"}, "EthernetIntf": names}, indent=2) + "\n"


IMAGE = Image(
    kind="arista_ceos",
    reference="ceos:4.33.1F",
    ports=_ports,
    port_block=r"interface (?P<port>Ethernet[\d/]+)(?:\.\d+)?",
    startup="whole",
    before=_BEFORE,
    ports_file=PortsFile("/mnt/flash/EosIntfMapping.json", ".ports.json", _ports_file),
    lacking=(
        Lacking(r"(?:.* / )?storm-control .*", "cEOS has no storm control (arista.avd, platform settings of cEOS)"),
        Lacking(
            r"router bgp \d+ / (?:.* / )?update wait-(?:install|for-convergence)",
            "cEOS has neither (arista.avd, platform settings of cEOS)",
        ),
        Lacking(
            rf"interface \S+ / mtu (?:{_MTU_BYTES // 100}9[5-9]|92\d\d)",
            f"ports of cEOS have {_MTU_BYTES} bytes at most (netlab, devices/eos.yml)",
            f"mtu {_MTU_BYTES}",
        ),
    ),
)
