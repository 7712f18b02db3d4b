"""What NetworkManager's profiles configure on our ports: keyfiles, and RHEL's older ifcfg files.

cloud-init writes /etc/NetworkManager/system-connections/cloud-init-<name>.nmconnection, with ``master`` as a UUID, and
/etc/sysconfig/network-scripts/ifcfg-<name> (canonical/cloud-init, tests/unittests/net/network_configs.py, commit
016b0ab02b8708a5dbbda156721bf4f01d2a96d7); Anaconda and nmcli write ``master`` or ``controller`` as a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.adopt_claims import (
        DEFAULTS,
        Found,
        Line,
        Links,
        ini,
        is_on,
        words_of,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.name_profiles import FOLDERS, NETPLANS
    from ansible_collections.gpufabric.host.plugins.module_utils.name_settings import (
        ASIDE,
        NameSetting,
        Port,
        kept_for,
        layered,
        line_at,
        shown,
        text_of,
    )
except ImportError:  # in a test
    from adopt_claims import DEFAULTS, Found, Line, Links, ini, is_on, words_of
    from name_profiles import FOLDERS, NETPLANS
    from name_settings import ASIDE, NameSetting, Port, kept_for, layered, line_at, shown, text_of

IFCFG = "etc/sysconfig/network-scripts"
OURS = ("gpufabric-", "bond-gpufabric-", NETPLANS)
EVERY = "every port without a profile of its own"


@dataclass(frozen=True)
class _Profile:
    """One profile: the interface it is for, what it is a member of, what is below it."""

    by: str
    path: str
    text: str
    lines: tuple[Line, ...]
    interface: str
    mac: str
    idents: tuple[str, ...]
    """Names by which other profiles mean it."""
    upper: str
    lower: tuple[str, ...]

    def of(self, section: str, key: str) -> str:
        return next((each.value for each in self.lines if (each.section, each.key) == (section, key)), "")


def profiles(root: Path, ports: Sequence[Port], own: Sequence[str], families: Sequence[int]) -> Found:
    """``own``: our ports by their present names; ``families``: those whose default route is by a port of ours."""
    every = [*_keyfiles(root), *_ifcfgs(root)]
    links, found = Links(ports, own), Found()
    names = {each.path: _names(each, ports) for each in every}
    known = {ident: name for each in every for ident in each.idents for name in names[each.path]}
    for each in every:
        if each.upper:
            links.stack(known.get(each.upper, each.upper), names[each.path])
        if each.lower:
            for name in names[each.path]:
                links.stack(name, [known.get(lower, lower) for lower in each.lower])
    for each in every:
        _sort(each, names[each.path], links, families, found)
    return found


def _keyfiles(root: Path) -> Iterator[_Profile]:
    for path in layered(root, FOLDERS, ".nmconnection"):
        if path.name.startswith(OURS):
            continue
        text = text_of(path)
        lines = tuple(ini(text))
        values = {(each.section, each.key): each.value for each in lines}
        own = {key: value for (section, key), value in values.items() if section == "connection"}
        mac = values.get(("ethernet", "mac-address")) or values.get(("802-3-ethernet", "mac-address")) or ""
        idents = tuple(own[key] for key in ("interface-name", "uuid", "id") if own.get(key))
        lower = values.get(("vlan", "parent"), "")
        upper = own.get("controller") or own.get("master") or ""
        interface = own.get("interface-name", "")
        yield _Profile(
            "NetworkManager",
            shown(path, root),
            text,
            lines,
            interface,
            mac.lower(),
            idents,
            upper,
            (lower,) if lower else (),
        )


def _ifcfgs(root: Path) -> Iterator[_Profile]:
    for path in sorted((root / IFCFG).glob("ifcfg-*")):
        text = text_of(path)
        lines = tuple(ini(text))
        values = {each.key: each.value.strip("\"'") for each in lines}
        device = values.get("DEVICE") or path.name[len("ifcfg-") :]
        if path.name == "ifcfg-lo" or path.suffix in (".bak", ".orig", ".rpmnew", ".rpmsave"):
            continue
        members = [value for key, value in values.items() if key.startswith("BONDING_SLAVE")]
        vlan = is_on(values.get("VLAN", "")) or values.get("TYPE") == "Vlan"
        below = values.get("PHYSDEV") or device.rpartition(".")[0] if vlan else ""
        lower = (*members, *([below] if below else []))
        idents = tuple(each for each in (device, values.get("UUID"), values.get("NAME")) if each)
        upper = values.get("MASTER") or values.get("BRIDGE") or ""
        hardware = values.get("HWADDR", "").lower()
        yield _Profile("ifcfg", shown(path, root), text, lines, device, hardware, idents, upper, lower)


def _names(profile: _Profile, ports: Sequence[Port]) -> list[str]:
    """The interfaces a profile is for, by present name; the permanent address counts before a name that was."""
    by_mac = [each.netdev for each in ports if profile.mac and each.mac == profile.mac]
    if by_mac:
        return by_mac
    if profile.interface:
        return [profile.interface]
    return [f"{profile.mac} (no port here)"] if profile.mac else []


def _sort(profile: _Profile, names: Sequence[str], links: Links, families: Sequence[int], found: Found) -> None:
    if links.is_ours(names) and not kept_for(profile.path):  # of those made at boot ours goes before, by its priority
        netdevs = tuple(sorted(links.touches(names)))
        found.taken.append(NameSetting(profile.by, profile.path, 0, ", ".join(names), "", netdevs, ASIDE))
        return
    found.stays.append(f"{profile.path}, {', '.join(names) or EVERY}")
    if names and not links.touches(names) and not profile.upper:
        for family in families:
            values = _by_keyfile if profile.by == "NetworkManager" else _by_ifcfg
            found.defaults += values(profile, family)


def _by_keyfile(profile: _Profile, family: int) -> Iterator[NameSetting]:
    """Default routes of a keyfile: a gateway beside an address, or on a line of its own, and DHCP's."""
    section = f"ipv{family}"
    heads = [each for each in profile.lines if each.section == section and not each.key]
    if not heads or is_on(profile.of(section, "never-default")):
        return
    for each in profile.lines:
        route = each.section == section and re.fullmatch(r"route\d+", each.key)
        if (each.section == section and each.key == "gateway") or (
            route and each.value.split(",")[0] in DEFAULTS[family]
        ):
            yield _cut(profile, each.start, each.end, f"{section}.{each.key}")
        if each.section == section and each.key.startswith("address") and "," in each.value:
            own = each.value.partition(",")[0]
            yield _cut(profile, each.start, each.end, f"{section}.{each.key}", f"{each.key}={own}\n")
    if profile.of(section, "method") == "auto":
        place = heads[0].end
        yield _cut(profile, place, place, f"{section}.method auto", "never-default=true\n")


def _by_ifcfg(profile: _Profile, family: int) -> Iterator[NameSetting]:
    values: Mapping[str, str] = {each.key: each.value for each in profile.lines}
    switch, gateway = ("DEFROUTE", "GATEWAY") if family == 4 else ("IPV6_DEFROUTE", "IPV6_DEFAULTGW")
    by_dhcp = words_of(values.get("BOOTPROTO", "")) in (["dhcp"], ["bootp"]) if family == 4 else False
    if (values.get(switch) and not is_on(values[switch])) or not (gateway in values or by_dhcp):
        return
    for each in profile.lines:
        if each.key in (gateway, switch):
            yield _cut(profile, each.start, each.end, each.key)
    end = len(profile.text)
    newline = "" if profile.text.endswith("\n") else "\n"
    yield _cut(profile, end, end, switch, f"{newline}{switch}=no\n")


def _cut(profile: _Profile, start: int, end: int, key: str, instead: str = "") -> NameSetting:
    line, kept = line_at(profile.text, start), kept_for(profile.path)
    return NameSetting(profile.by, profile.path, line, key, "", ("default",), kept=kept, span=(start, end, instead))
