"""Filter ``bond_problems``: all problems of a host's bonds at once, before anything is changed.

Judged on the controller from the role's variables and the host's facts, so that it costs the host nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

from ansible_collections.gpufabric.host.plugins.module_utils.interface_names import RAIL, RAIL_IN_WORDS
from ansible_collections.gpufabric.host.plugins.module_utils.port_problems import (
    OR_ADOPT,
    blocks,
    gone,
    key_of,
    no_manager,
    not_found,
    one_port_twice,
    other_name,
    plain,
    way_in,
)

OF_A_VLAN = re.compile(rf"{RAIL.pattern}(\.[0-9]{{1,4}})?")
MOST = 15
"""The kernel's IFNAMSIZ less the final zero."""
MODE = "802.3ad"
VARIABLE = "bond_interfaces_bonds"
INTENT = "hosts.<group>.nics in fabric.yml"

Bond = Mapping[str, Any]
Plane = Mapping[str, Any]
Facts = Mapping[str, Any]


def bond_problems(
    bonds: Sequence[Bond],
    facts: Facts,
    manager: str = "auto",
    rails: Sequence[Mapping[str, Any]] = (),
    adopt: Facts | None = None,
) -> list[str]:
    """Each problem as `variable: what is wrong, found and expected; remedy`. Empty if the role may continue.

    ``rails``: rail_interfaces_rails, whose ports are routed each on its own; ``adopt``: network_adopted's plan, where
    what others configured on the ports is adopted.
    """
    if not bonds:
        return [f"{VARIABLE}: empty, so that there is nothing to do; see {INTENT}"]
    return [
        *_kernel(facts),
        *_twice(bonds, facts),
        *blocks(adopt),
        *(problem for bond in bonds for problem in _bond(bond, facts, gone(adopt))),
        *(
            problem
            for bond in bonds
            for member in bond["members"]
            for problem in _member(bond, member, facts, rails, adopt)
        ),
        *(problem for bond in bonds for plane in bond["planes"] for problem in _plane(bond, plane, facts, gone(adopt))),
        *_default_route(bonds, facts, adopt),
        *_way_back(bonds, facts, gone(adopt)),
        *_manager(facts, manager),
    ]


def _kernel(facts: Facts) -> Iterator[str]:
    for module in facts["lacking"]:
        yield f"{VARIABLE}: this kernel has no module {module}; boot one that has it"


def _twice(bonds: Sequence[Bond], facts: Facts) -> Iterator[str]:
    """Names and ports that must differ."""
    members = [member for bond in bonds for member in bond["members"]]
    names = [bond["name"] for bond in bonds] + [member["name"] for member in members]
    names += [plane["interface"] for bond in bonds for plane in bond["planes"] if plane.get("vlan")]
    for name, times in Counter(names).items():
        if times > 1:
            yield f"{VARIABLE}: {times} interfaces are called {name}; each needs a name of its own"
    for key, times in Counter(key_of(member["match"]) for member in members).items():
        if times > 1:
            yield f"{VARIABLE}: {times} members match {key}; name another port for one of them in {INTENT}"
    found = {key: facts["members"].get(key, {}).get("netdev") for key in (key_of(each["match"]) for each in members)}
    yield from one_port_twice(VARIABLE, found, INTENT)


def _bond(bond: Bond, facts: Facts, goes: set[str]) -> Iterator[str]:
    """Something else that has the bond's name, or a bond of it that is another one."""
    name, where, own = bond["name"], f"{VARIABLE}, bond {bond['name']}", facts["bonds"].get(bond["name"])
    if not RAIL.fullmatch(name):
        yield f"{where}: expected {RAIL_IN_WORDS}; port_names in {INTENT}"
    if not bond["planes"] or bond["planes"][0].get("vlan") or bond["planes"][0]["interface"] != name:
        yield f"{where}: expected the plane that is untagged, on {name} itself, before those with a VLAN"
    if not bond["members"] or not 1 <= bond["min_links"] <= len(bond["members"]):
        many = len(bond["members"])
        yield f"{where}, min_links {bond['min_links']}: expected 1 to {many}, as it has {many} members"
    if facts["interfaces"].get(name, "bond") != "bond" and name not in goes:
        yield f"{where}: another interface has that name; rename it, see `ip -d link show {name}`"
    ours = {member["name"] for member in bond["members"]}
    ours |= {facts["members"].get(key_of(member["match"]), {}).get("netdev") for member in bond["members"]}
    others = sorted(set((own or {}).get("members", ())) - ours)
    look = f"see /proc/net/bonding/{name}, {OR_ADOPT}"
    if name in goes:
        return
    if others:
        yield f"{where}: there is one with other members, {', '.join(others)}; take it away, {look}"
    elif own is not None and own.get("mode", MODE) != MODE:
        yield f"{where}: there is one of mode {own['mode']}, not {MODE}, which cannot be changed; take it away, {look}"


def _member(
    bond: Bond,
    member: Mapping[str, Any],
    facts: Facts,
    rails: Sequence[Mapping[str, Any]],
    adopt: Facts | None,
) -> Iterator[str]:
    """Problems of the port that a member's match selects."""
    match, name = member["match"], member["name"]
    where = f"{VARIABLE}, {name}, match {plain(match)}"
    if not RAIL.fullmatch(name):
        yield f"{VARIABLE}, {name}: expected {RAIL_IN_WORDS}"
    if bool(match.get("pci")) == bool(match.get("mac")):
        yield f"{where}: expected either pci or mac; see {INTENT}"
        return
    found = facts["members"].get(key_of(match))
    if found is None or not found["netdev"]:
        yield from not_found(where, match, found, INTENT)
        return
    netdev, limit = found["netdev"], found["max_mtu_bytes"]
    yield from way_in(where, netdev, facts, INTENT, adopt)
    for rail in rails:
        if key_of(rail["match"]) == key_of(match) or rail["name"] in (name, netdev):
            yield f"{where}: is rail {rail['rail']} ({rail['name']}), which is routed on its own; correct {INTENT}"
    if found["master"] not in {None, bond["name"], *gone(adopt)}:
        yield f"{where}: {netdev} is a member of {found['master']}; take it out first, {OR_ADOPT}"
    if limit and bond["mtu_bytes"] > limit:
        less = f"not {bond['mtu_bytes']}; lower policy.mtu.host in fabric.yml"
        yield f"{where}: {netdev} takes an MTU of at most {limit}, {less}"
    ours = {facts["members"].get(key_of(each["match"]), {}).get("netdev") for each in bond["members"]}
    if name != netdev and name in facts["interfaces"] and name not in ours:
        yield f"{VARIABLE}, {name}: another interface has that name; rename it, see `ip link show {name}`"
    names = [each for each in facts["names"] if not adopt or each["kept"]]
    yield from other_name(f"{VARIABLE}, {name}", name, netdev, names)
    for unread in facts["names_unread"]:
        yield f"{VARIABLE}, {name}: whether it keeps its name cannot be told. {unread}"


def _plane(bond: Bond, plane: Plane, facts: Facts, goes: set[str]) -> Iterator[str]:
    name = plane["interface"]
    where = f"{VARIABLE}, {name}"
    if plane.get("vlan"):
        if len(name) > MOST or not OF_A_VLAN.fullmatch(name):
            yield f"{where}: expected up to {MOST} characters, the bond's name and the VLAN's number"
        if name not in goes:
            yield from _vlan(where, bond, plane, facts)
        if plane["mtu_bytes"] > bond["mtu_bytes"]:
            yield f"{where}, mtu_bytes {plane['mtu_bytes']}: more than {bond['mtu_bytes']} of {bond['name']} below it"
    for address, length, gateway in (
        (plane["address"], plane["prefix_length"], plane["gateway"]),
        (plane.get("address_v6"), plane.get("prefix_length_v6"), plane.get("gateway_v6")),
    ):
        if address:
            yield from _address(where, str(address), length, gateway)
    for route in (*plane["routes"], *(plane.get("routes_v6") or ())):
        try:
            ip_network(str(route))
        except ValueError as error:
            yield f"{where}, routes {route}: {error}; correct networks of plane {plane['plane']}"


def _vlan(where: str, bond: Bond, plane: Plane, facts: Facts) -> Iterator[str]:
    """Something else that has the name of a bond's VLAN."""
    name = plane["interface"]
    link, kind = facts["links"].get(name), facts["interfaces"].get(name)
    if name in facts["interfaces"] and (kind != "vlan" or (link and link["on"] != bond["name"])):
        yield f"{where}: another interface has that name; rename it, see `ip -d link show {name}`"
    elif link and link["vlan"] != plane["vlan"]:
        remedy = f"take it away: ip link delete {name}, {OR_ADOPT}"
        yield f"{where}: is VLAN {link['vlan']} on this host, not {plane['vlan']}; {remedy}"


def _address(where: str, address: str, length: object, gateway: object) -> Iterator[str]:
    try:
        own, hop = ip_interface(f"{address}/{length}"), ip_address(str(gateway))
    except ValueError as error:
        yield f"{where}, address {address}/{length}, gateway {gateway}: {error}; correct the plane's pools"
        return
    if hop not in own.network or hop == own.ip:
        yield f"{where}, gateway {gateway}: not a neighbour in {own.network}; it is what both leaves answer"


def _default_route(bonds: Sequence[Bond], facts: Facts, adopt: Facts | None) -> Iterator[str]:
    """A host whose default route is by a plane has it by one plane, and by nothing else."""
    planes = [plane for bond in bonds for plane in bond["planes"]]
    own = [plane for plane in planes if plane["default_route"]]
    if len(own) > 1:
        names = " and ".join(plane["plane"] for plane in own)
        yield f"{VARIABLE}: the default route by planes {names}; set default_route: true on one plane alone"
    ours = {plane["interface"] for plane in planes}
    families = {4, 6} if any(plane.get("address_v6") for plane in own) else {4}
    for each in facts["routes"]:
        if own and each["to"] == "default" and each["dev"] not in ours and each["family"] in families and not adopt:
            yield (
                f"{VARIABLE}, {own[0]['interface']}: this host has its default route by {each['dev']} ({each['via']});"
                f" take it away there, or set default_route: false on plane {own[0]['plane']}, {OR_ADOPT}"
            )


def _way_back(bonds: Sequence[Bond], facts: Facts, goes: set[str]) -> Iterator[str]:
    """A route of a plane that answers to the controller would take instead of their present way."""
    way, planes = facts["way_back"], [plane for bond in bonds for plane in bond["planes"]]
    if way is None or way["dev"] is None or way["dev"] in {*(plane["interface"] for plane in planes), *goes}:
        return
    client = ip_address(way["client"])
    present = ip_network(way["to"]).prefixlen if way["to"] not in (None, "default") else 0
    remedy = "reach the host from elsewhere, or correct the plane's pools"
    for plane in planes:
        for route in _prefixes(plane):
            if client in route and route.prefixlen >= present:
                would = f"and would go by {route} of plane {plane['plane']}"
                where = f"{VARIABLE}, {plane['interface']}"
                yield f"{where}: answers to the controller ({client}) go by {way['dev']}, {would}; {remedy}"


def _prefixes(plane: Plane) -> Iterator[Any]:
    """What a plane's interface leads to, but the default route; what is no prefix is left out."""
    own = (f"{plane['address']}/{plane['prefix_length']}", f"{plane.get('address_v6')}/{plane.get('prefix_length_v6')}")
    for text in (*own, *plane["routes"], *(plane.get("routes_v6") or ())):
        try:
            yield ip_network(str(text), strict=False)
        except ValueError:
            continue


def _manager(facts: Facts, manager: str) -> Iterator[str]:
    """No network manager to configure the bonds, or another one than runs the host."""
    setting, chosen = f"bond_interfaces_manager {manager}", facts["manager"] if manager == "auto" else manager
    yield from no_manager(setting, chosen, facts, "start one of them")
    if chosen in ("networkd", "networkmanager") and facts["backend"] not in ("none", chosen):
        yield f"{setting}: {facts['backend']} runs this host; two managers would undo one another"


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"bond_problems": bond_problems}
