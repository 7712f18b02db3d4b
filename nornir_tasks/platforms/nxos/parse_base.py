"""NX-OS lines of base configuration."""

import re
from dataclasses import replace

from nornir_tasks.design.config.base import Base, ManagementPort, Server
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.lines import Block, Fields, Row, row, table, text
from nornir_tasks.platforms.nxos.parse_accounts import ACCOUNT
from nornir_tasks.platforms.nxos.parse_reach import LETS_IN
from nornir_tasks.platforms.nxos.reading import Remainder

_ADDRESS = r"[0-9a-f:.]+"


def _servers(vrf: str | None) -> Row:
    """All name servers of a VRF stand in one line (cisco.nxos 11.1.0 nxos_system, parse_name_servers)."""
    return row(
        rf"ip name-server ({_ADDRESS}(?: {_ADDRESS})*)",
        "name_servers",
        lambda found: tuple(Server(each, vrf) for each in found[1].split()),
        single="ip name-server",
    )


MANAGEMENT_VRF = "management"
_PORT = "interface mgmt0"
_IPV4 = r"\d+\.\d+\.\d+\.\d+"
_MANAGEMENT = (
    _servers(MANAGEMENT_VRF),
    row(rf"ip route 0\.0\.0\.0/0 ({_IPV4})", "gateways", text, many=True),
)
_PORT_ROWS = (
    row(rf"vrf member ({MANAGEMENT_VRF})", "vrf", text, single="vrf member"),
    row(rf"ip address ({_IPV4}/\d+)", "address", text, single=r"ip address(?= \S+$)"),
    LETS_IN,
)
_MANAGEMENT_LINES, _PORT_LINES = table(*_MANAGEMENT), table(*_PORT_ROWS)
BASE_BLOCKS = (Block((rf"vrf context {MANAGEMENT_VRF}$",), _MANAGEMENT), Block((rf"{_PORT}$",), _PORT_ROWS))

BASE_ROWS = (
    _servers(None),
    row(r"clock timezone (UTC) 0 0", "timezone", text, single="clock timezone"),
    row(r"banner motd \^\n((?s:.*))\n\^", "banner", text, single="banner motd"),
    row(r"ip domain-name (\S+)", "domain", text, single="ip domain-name"),
    row(r"hostname (\S+)", "hostname", text, single="hostname"),
    *(
        row(
            rf"{line} ([0-9a-f:.]+){more} use-vrf (\S+)",
            name,
            lambda found: Server(found[1], None if found[2] == "default" else found[2]),
            single=rf"{line} \S+",
            many=True,
        )
        for name, line, more in (("time_servers", "ntp server", ""), ("log_servers", "logging server", " 5"))
    ),
    ACCOUNT,
)
"""Lines at the top."""


class ManagementReader:
    """Reads the blocks of the management network."""

    def __init__(self, remainder: Remainder) -> None:
        self._remainder = remainder
        self._values: Fields = {}
        self._port: Fields = {}

    def vrf(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``vrf context management``."""
        self._values |= self._remainder.read(node, (*above, node.text), _MANAGEMENT_LINES)

    def port(self, _: re.Match[str], node: ConfigTree, above: Path) -> None:
        """``interface mgmt0``."""
        self._port = self._remainder.read(node, (*above, node.text), _PORT_LINES)

    @property
    def of_port(self) -> Fields:
        """What was read of ``interface mgmt0``."""
        return self._port

    def finish(self, values: Fields) -> Base:
        """Base configuration, from the lines at the top and of these blocks."""
        names = values.get("name_servers", ()) + self._values.get("name_servers", ())
        return replace(_base_of(values), name_servers=names, management=self._management())

    def _management(self) -> ManagementPort | None:
        """Port, VRF and default route; a part of them alone is not in the model."""
        vrf, address, gateways = self._port.get("vrf"), self._port.get("address"), self._values.get("gateways", [])
        if vrf is not None and address is not None and len(gateways) == 1:
            return ManagementPort(vrf, address, gateways[0])
        left = self._remainder.tree
        for line in (vrf and f"vrf member {vrf}", address and f"ip address {address}"):
            if line:
                left.add_path((_PORT, line))
        for gateway in gateways:
            left.add_path((f"vrf context {MANAGEMENT_VRF}", f"ip route 0.0.0.0/0 {gateway}"))
        return None


def _base_of(values: Fields) -> Base:
    return Base(
        hostname=values.get("hostname"),
        banner=values.get("banner"),
        timezone=values.get("timezone"),
        domain=values.get("domain"),
        time_servers=tuple(values.get("time_servers", ())),
        log_servers=tuple(values.get("log_servers", ())),
        accounts=tuple(values.get("accounts", ())),
    )
