"""EOS lines of base configuration."""

import re

from nornir_tasks.design.config.base import Base, ManagementPort, Server
from nornir_tasks.design.model.claims import MANAGEMENT_VRF
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.parse_accounts import ACCOUNT
from nornir_tasks.platforms.lines import Block, Fields, read, row, table, text


def _vrf(name: str) -> str | None:
    return None if name == "default" else name


BASE_ROWS = (
    row(r"hostname (\S+)", "hostname", text, single="hostname"),
    row(
        r"ip name-server vrf (\S+) ([0-9a-f:.]+)",
        "name_servers",
        lambda found: Server(found[2], _vrf(found[1])),
        many=True,
    ),
    row(r"dns domain (\S+)", "domain", text, single="dns domain"),
    row(
        r"clock timezone (\S+)",
        "timezone",
        text,
        single="clock timezone",
        # um-eos, System Clock and Time Protocols, clock timezone: "no clock timezone", without the zone
        negation=(r"(clock timezone) .*", r"no \1"),
    ),
    row(
        r"banner login\n((?s:.*))\nEOF",
        "banner",
        text,
        single="banner login",
        # arista.eos (ansible 12.3.0) eos_banner: "no banner login", without the text
        negation=(r"(?s)(banner login)\n.*", r"no \1"),
    ),
    row(
        r"no ip routing vrf (\S+)",  # a VRF that does not route says so (tests/corpus/eos/NOTES.md)
        "unrouted_vrfs",
        text,
        many=True,
        # "ip routing vrf V" would have a VRF route that did not: its default is not to (there)
        negation=(r"no (ip routing vrf \S+)", r"default \1"),
    ),
    *(
        row(rf"{line} ([0-9a-f:.]+)", name, lambda found: Server(found[2], found[1]), many=True)
        for name, line in (
            ("time_servers", r"ntp server(?: vrf (\S+))?"),
            ("log_servers", r"logging (?:vrf (\S+) )?host"),
        )
    ),
    ACCOUNT,
)
"""Lines at the top."""


_PORT = "interface Management1"
_PORT_ROWS = (
    row(r"vrf (\S+)", "vrf", text, single="vrf"),
    row(r"ip address (\d+\.\d+\.\d+\.\d+/\d+)", "address", text, single=r"ip address(?= \S+$)"),
)
_PORT_LINES = table(*_PORT_ROWS)
BASE_BLOCKS = (Block((rf"{_PORT}$",), _PORT_ROWS),)
_DEFAULT = "0.0.0.0/0"


def read_port(node: ConfigTree, _: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """The management port."""
    fields["management_port"], unknown = read(node.children.values(), _PORT_LINES)
    return unknown


BASE_READERS = ((_PORT, read_port),)


def _management(fields: Fields, left: ConfigTree) -> ManagementPort | None:
    """Port, VRF and default route, taken out of what else is read. A part of them alone is not in the model."""
    port, unrouted = fields.get("management_port", {}), fields.get("unrouted_vrfs", [])
    vrf, address = port.get("vrf"), port.get("address")
    routes = [each for each in fields.get("hops", ()) if each.vrf == vrf and each.prefix == _DEFAULT]
    is_one = len(routes) == 1 and routes[0].interface is None
    is_whole = vrf is not None and address is not None and vrf in fields["vrfs"] and is_one
    found = None
    if is_whole and vrf in unrouted and MANAGEMENT_VRF.fullmatch(vrf) and routes[0].next_hop and routes[0].tag is None:
        fields["vrfs"].remove(vrf)
        fields["hops"].remove(routes[0])
        found, port = ManagementPort(vrf, address, routes[0].next_hop), {}
    for name, value in port.items():
        left.add_path((_PORT, f"vrf {value}" if name == "vrf" else f"ip address {value}"))
    for name in unrouted:
        if found is None or name != vrf:
            left.add(f"no ip routing vrf {name}")
    return found


def base_of(fields: Fields, left: ConfigTree) -> Base:
    """What these lines say."""
    return Base(
        banner=fields.get("banner"),
        timezone=fields.get("timezone"),
        management=_management(fields, left),
        hostname=fields.get("hostname"),
        name_servers=tuple(fields.get("name_servers", ())),
        domain=fields.get("domain"),
        time_servers=tuple(fields.get("time_servers", ())),
        log_servers=tuple(fields.get("log_servers", ())),
        accounts=tuple(fields.get("accounts", ())),
    )
