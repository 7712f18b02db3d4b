"""Expected and found state of a host's bonds in the same words: their difference is the drift.

Pure, standard library only (it runs on hosts, Python 3.9). A bond is one entry of the role's bond_interfaces_bonds, the
facts are the result of bond_state.collect. Each line begins with the interface that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MODE = "802.3ad"
OPTIONS: dict[str, tuple[str, Any]] = {
    "hash": ("xmit_hash_policy", "layer3+4"),
    "miimon_ms": ("miimon", 100),
    "lacp_rate": ("lacp_rate", None),
    "min_links": ("min_links", None),
}
"""Fact of a bond -> what `ip link set ... type bond` calls it, and the value of every bond; None: the bond says it."""
ONLY_DOWN = ("lacp_rate",)
"""What the driver changes only while the bond is down (BOND_OPTFLAG_IFDOWN in drivers/net/bonding/bond_options.c)."""
LINKS = "# Links:"
"""A line of our files: the bonds and VLANs that they make, so that those which are wanted no longer can go."""

Bond = Mapping[str, Any]
Facts = Mapping[str, Any]


def key_of(member: Mapping[str, Any]) -> str:
    """The address that identifies a member, in lower case: its PCI address or its MAC."""
    match = member["match"]
    return str(match.get("pci") or match.get("mac") or "").lower()


def options_of(bond: Bond) -> dict[str, Any]:
    """Fact of a bond -> its wanted value, but its mode."""
    return {fact: bond[fact] if value is None else value for fact, (_, value) in OPTIONS.items()}


def mtu_of(bond: Bond, plane: Mapping[str, Any]) -> int:
    """Bytes. The bond itself has the largest of its planes."""
    mtu: int = bond["mtu_bytes"] if plane["interface"] == bond["name"] else plane["mtu_bytes"]
    return mtu


def wanted_lines(bond: Bond) -> list[str]:
    """The expected state of a bond, one fact per line."""
    name = bond["name"]
    return [
        *(f"{each['name']} at {key_of(each)}" for each in bond["members"]),
        f"{name} mode {MODE}",
        *(f"{name} {fact} {value}" for fact, value in options_of(bond).items()),
        *(f"{each['name']} in {name}" for each in bond["members"]),
        *(f"{each['name']} up" for each in bond["members"]),
        *(line for plane in bond["planes"] for line in _wanted_of_plane(bond, plane)),
    ]


def _wanted_of_plane(bond: Bond, plane: Mapping[str, Any]) -> Iterator[str]:
    name = plane["interface"]
    if plane.get("vlan"):
        yield f"{name} VLAN {plane['vlan']} on {bond['name']}"
    yield f"{name} up"
    yield f"{name} mtu {mtu_of(bond, plane)}"
    for address, length, gateway, routes in (
        (plane["address"], plane["prefix_length"], plane["gateway"], plane["routes"]),
        (plane.get("address_v6"), plane.get("prefix_length_v6"), plane.get("gateway_v6"), plane.get("routes_v6") or ()),
    ):
        if address:
            yield f"{name} address {address}/{length}"
            family = "IPv6" if ":" in str(address) else "IPv4"
            every = [*routes, *(["default"] if plane["default_route"] else [])]
            yield from (f"{name} {family} route {each} via {gateway}" for each in every)


def found_lines(bond: Bond, facts: Facts) -> list[str]:
    """The present state of a bond. A member's interface has its future name where another line says its present one."""
    name = bond["name"]
    own = facts["bonds"].get(name)
    found = [(each, facts["members"].get(key_of(each), {})) for each in bond["members"]]
    there = [(each, one) for each, one in found if one.get("netdev")]
    future = {one["netdev"]: each["name"] for each, one in there}
    lines = [f"{one['netdev']} at {key_of(each)}" for each, one in there]
    if own is not None:
        lines.append(f"{name} mode {own['mode']}")
        lines += [f"{name} {fact} {own[fact]}" for fact in options_of(bond)]
        lines += [f"{future.get(each, each)} in {name}" for each in own["members"]]
    lines += [f"{each['name']} {'up' if one['up'] else 'down'}" for each, one in there]
    return lines + [line for plane in bond["planes"] for line in _found_of_plane(plane, facts)]


def _found_of_plane(plane: Mapping[str, Any], facts: Facts) -> Iterator[str]:
    name = plane["interface"]
    link = facts["links"].get(name)
    if link is None:
        return
    if plane.get("vlan"):
        yield f"{name} VLAN {link['vlan']} on {link['on']}"
    yield f"{name} {'up' if link['up'] else 'down'}"
    yield f"{name} mtu {link['mtu_bytes']}"
    judged = (4, 6) if plane.get("address_v6") else (4,)
    yield from (f"{name} address {each}" for each in link["addresses"] if (6 if ":" in each else 4) in judged)
    for each in facts["routes"]:
        if each["dev"] == name and each["via"] and each["family"] in judged:
            yield f"{name} IPv{each['family']} route {each['to']} via {each['via']}"


def touched(drift: Sequence[str]) -> set[str]:
    """The interfaces that lines of a drift are about."""
    return {line[2:].partition(" ")[0] for line in drift}


def links_of(bonds: Sequence[Bond]) -> list[str]:
    """Bonds and VLANs, each bond before the VLANs on it."""
    return [
        name
        for bond in bonds
        for name in (bond["name"], *(plane["interface"] for plane in bond["planes"] if plane.get("vlan")))
    ]


def links_in(text: str) -> list[str]:
    """The bonds and VLANs that a file of ours says it makes."""
    return [name for line in text.splitlines() if line.startswith(LINKS) for name in line[len(LINKS) :].split()]


def option_commands(bond: Bond, facts: Facts) -> list[list[str]]:
    """Commands that bring a bond which is there to its options; managers set them on a bond that they make alone."""
    own, name = facts["bonds"].get(bond["name"]), bond["name"]
    if own is None:
        return []
    wrong = {fact: value for fact, value in options_of(bond).items() if own[fact] != value}
    words = [str(word) for fact, value in wrong.items() for word in (OPTIONS[fact][0], value)]
    if not words:
        return []
    link = ["ip", "link", "set", "dev", name]
    change = [[*link, "type", "bond", *words]]
    down = any(fact in ONLY_DOWN for fact in wrong)
    return [[*link, "down"], *change, [*link, "up"]] if down else change
