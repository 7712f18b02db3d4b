"""What systemd-networkd's own files configure on our ports, as cloud-init's renderer and administrators write them.

cloud-init names them /etc/systemd/network/10-cloud-init-<interface>.network and .netdev (canonical/cloud-init,
tests/unittests/net/artifacts/openstack_net_config_v1, commit ec5aed09c506adfaae4873c48cf01abfcb5493bf). What netplan
writes into /run is judged by its own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_claims import (
        DEFAULTS,
        Found,
        Line,
        Links,
        ini,
        words_of,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        ASIDE,
        NameSetting,
        Port,
        kept_for,
        layered,
        like,
        line_at,
        shown,
        text_of,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.name_udev import LINKS as FOLDERS
    from ansible_collections.gpufabric.host.plugins.module_utils.name_udev import link_fits, sections_of
except ImportError:  # in a test
    from adopt_claims import DEFAULTS, Found, Line, Links, ini, words_of
    from name_settings import ASIDE, NameSetting, Port, kept_for, layered, like, line_at, shown, text_of
    from name_udev import LINKS as FOLDERS
    from name_udev import link_fits, sections_of

OURS, NETPLANS = "gpufabric-", "10-netplan-"
FIRST_OF_OURS = "05-gpufabric-"
UPPER = ("Bond", "Bridge", "VRF")
LOWER = ("VLAN", "MACVLAN", "MACVTAP", "IPVLAN", "IPVTAP", "Tunnel", "VXLAN")
"""Keys of [Network]: the interface is a member of these; these are on top of it."""
OFFERED = {4: ("yes", "true", "ipv4", "on", "1"), 6: ("yes", "true", "ipv6", "on", "1")}


@dataclass(frozen=True)
class _Unit:
    """One .network or .netdev file."""

    path: str
    name: str
    text: str
    lines: tuple[Line, ...]

    def of(self, section: str, *keys: str) -> list[str]:
        """Words of all these keys of a section."""
        found = (each for each in self.lines if each.section == section and each.key in keys)
        return [word for each in found for word in words_of(each.value)]


def networkd(root: Path, ports: Sequence[Port], own: Sequence[str], families: Sequence[int]) -> Found:
    """``own``: our ports by their present names; ``families``: those whose default route is by a port of ours."""
    networks, netdevs = (list(_units(root, suffix)) for suffix in (".network", ".netdev"))
    made = {name for each in netdevs for name in each.of("NetDev", "Name")}
    links = Links(ports, own)
    for each in networks:
        names = _matches(each, ports, made)
        for upper in each.of("Network", *UPPER):
            links.stack(upper, names)
        for upper in each.of("Network", *LOWER):
            links.stack(upper, names)
    found = Found()
    for each in netdevs:
        _sort(each, each.of("NetDev", "Name"), links, (), found)
    for each in networks:
        _sort(each, sorted(_matches(each, ports, made)), links, families, found)
    return found


def _units(root: Path, suffix: str) -> Iterator[_Unit]:
    for path in layered(root, FOLDERS, suffix):
        if OURS not in path.name and not path.name.startswith(NETPLANS):
            text = text_of(path)
            yield _Unit(shown(path, root), path.name, text, tuple(ini(text)))


def _matches(unit: _Unit, ports: Sequence[Port], made: set[str]) -> set[str]:
    """Ports, and bonds and the like that files make, which a [Match] section reaches."""
    names = unit.of("Match", "Name")
    others = {key: value for key, value in sections_of(unit.text).get("Match", {}).items() if key != "Name"}
    fits = {each.netdev for each in ports if link_fits(others, each) is not False}
    known = fits | (made if names or not others else set())
    found = {name for name in known if not names or any(like(name, each) for each in names)}
    return found or set(names)


def _sort(unit: _Unit, names: Sequence[str], links: Links, families: Sequence[int], found: Found) -> None:
    """All of the file goes, or its default route, or nothing."""
    if not unit.path.startswith(("/etc/", "/run/")):
        return  # a package's, such as 80-container-host0.network: matches by kinds, and is after ours
    ours = links.touches(names)
    if links.is_ours(names):
        kept = kept_for(unit.path)
        found.taken.append(
            NameSetting("networkd", unit.path, 0, ", ".join(names), "", tuple(sorted(ours)), ASIDE, kept)
        )
        return
    found.stays.append(f"{unit.path}, {' '.join(names) or 'no interface of this host'}")
    if ours and unit.name < FIRST_OF_OURS and unit.name.endswith(".network"):
        step = f"have its name come after {FIRST_OF_OURS}, or take {' and '.join(sorted(ours))} out of its match"
        found.blocks.append(f"{unit.path}, Match: is read before our files, and takes our ports; {step}")
    if not ours and names:
        found.defaults += _defaults(unit, families)


def _defaults(unit: _Unit, families: Sequence[int]) -> Iterator[NameSetting]:
    """Default routes: Gateway= of [Network], a [Route] without a destination, and DHCP's."""
    for family in families:
        for each in unit.lines:
            if (each.section, each.key) == ("Network", "Gateway") and (":" in each.value) == (family == 6):
                yield _cut(unit, each.start, each.end, f"Network.Gateway {each.value}")
        for lines in _routes(unit):
            values = {each.key: each.value for each in lines}
            to, via = values.get("Destination", "default"), values.get("Gateway", "")
            mine = (":" in via) == (family == 6)
            if via and mine and to in DEFAULTS[family] and values.get("Table", "main") in ("main", "254"):
                yield _cut(unit, lines[0].start, lines[-1].end, f"Route.Gateway {via}")
        if any(word.lower() in OFFERED[family] for word in unit.of("Network", "DHCP")):
            yield from _by_dhcp(unit, family)


def _routes(unit: _Unit) -> Iterator[list[Line]]:
    """The lines of each [Route] section."""
    lines: list[Line] = []
    for each in unit.lines:
        if not each.key:
            if lines:
                yield lines
            lines = []
        if each.section == "Route":
            lines.append(each)
    if lines:
        yield lines


def _by_dhcp(unit: _Unit, family: int) -> Iterable[NameSetting]:
    """Keep the address and not the default route that DHCP offers; of IPv6 routers offer it, not DHCP."""
    if family == 6 or any(each.lower() in ("no", "false", "0") for each in unit.of("DHCPv4", "UseGateway")):
        return []
    heads = [each for each in unit.lines if not each.key and each.section == "DHCPv4"]
    place = heads[0].end if heads else len(unit.text)
    newline = "" if unit.text[:place].endswith("\n") else "\n"
    added = f"{newline}UseGateway=no\n" if heads else f"{newline}\n[DHCPv4]\nUseGateway=no\n"
    return [_cut(unit, place, place, "Network.DHCP", added)]


def _cut(unit: _Unit, start: int, end: int, key: str, instead: str = "") -> NameSetting:
    line = line_at(unit.text, start)
    return NameSetting(
        "networkd", unit.path, line, key, "", ("default",), kept=kept_for(unit.path), span=(start, end, instead)
    )
