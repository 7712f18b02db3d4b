"""Bonds: each leg is up and bundled, one system answers on all, each plane has its VLAN, addresses and routes.

A bond whose leaves are no pair, or whose legs are in two groups, has carrier and an address all the same: the kernel
then uses one leg alone. Only the partner that each leg hears shows it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

FACT = "gpufabric_bonds"
WANTED = "bond_interfaces_bonds"

MODE, TRANSMIT_HASH, MIIMON_MS = "802.3ad", "layer3+4", 100
"""What role bond_interfaces gives every bond. The hash spreads a host's flows over both legs; carrier is looked at ten
times a second (Documentation/networking/bonding.rst, ``xmit_hash_policy`` and ``miimon``)."""
BUNDLED = 0b111100
"""Port state: aggregation, synchronization, collecting, distributing (IEEE 802.1AX, 6.4.2.3)."""
UNHEARD = 0b11000000
"""Port state: defaulted, expired: the partner is silent."""
NOBODY = "00:00:00:00:00:00"

ABOUT = About(
    name="bonds",
    each="bond: mode, hash, miimon_ms, lacp_rate, min_links, mtu_bytes, members, partner; member: name, link, LACP; "
    "plane: mtu_bytes, VLAN, addresses, routes, packets of the MTU; host: default route",
    reads=(FACT,),
    wanted=WANTED,
    passes="all of it is as wanted; the same system answers on every leg; a packet of the MTU reaches the gateway in "
    "one piece (over one of the legs); the default route is by the one plane that has it, or by no bond",
    fails="there is no such bond, a leg is down, silent, in another group or answered by another system, or something "
    "differs",
    cannot_tell="the host does not show it: LACP's states need root, packets need ping",
)

Found = Mapping[str, Any]


def check_bonds(evidence: HostEvidence) -> list[HostFinding]:
    """Findings: 8 for each bond, 3 for each member, 4 or for a VLAN 5 for each plane, 1 for a host with bonds."""
    judge = Judge(ABOUT.name, evidence)
    bonds, facts = evidence.variables.get(WANTED) or (), evidence.facts.get(FACT)
    for bond in bonds:
        for knob, found, why in _knobs(bond, facts):
            if facts is None:
                judge.undecided(knob, evidence.why_unread(FACT))
            else:
                judge.compare(knob, found, why=why)
    if bonds:
        _default_route(judge, bonds, facts, evidence.why_unread(FACT))
    return judge.findings


Judged = tuple[Knob, object, str]
"""A knob, what was found (None: not shown), the reason or remedy."""


def _knobs(bond: Found, facts: Found | None) -> Iterator[Judged]:
    own = (facts or {}).get("bonds", {}).get(bond["name"])
    yield from _of_bond(bond, own, facts or {})
    for member in bond["members"]:
        yield from _of_member(bond["name"], member, own, facts or {})
    for plane in bond["planes"]:
        yield from _of_plane(bond["name"], plane, facts or {})


def _of_bond(bond: Found, own: Found | None, facts: Found) -> Iterator[Judged]:
    name, shown_by = bond["name"], f"cat /proc/net/bonding/{bond['name']}"
    wanted = {
        "mode": MODE,
        "hash": TRANSMIT_HASH,
        "miimon_ms": MIIMON_MS,
        "lacp_rate": bond["lacp_rate"],
        "min_links": bond["min_links"],
    }
    for key, value in wanted.items():
        yield Knob(name, key, str(value), shown_by), "no bond" if own is None else own[key], ""
    names = sorted(each["name"] for each in bond["members"])
    yield Knob(name, "members", ", ".join(names), shown_by), "no bond" if own is None else sorted(own["members"]), ""
    yield Knob(name, "mtu_bytes", str(bond["mtu_bytes"]), f"ip link show {name}"), _link(facts, name, "mtu_bytes"), ""
    yield _partner(name, own, shown_by)


def _partner(name: str, own: Found | None, shown_by: str) -> Judged:
    """Legs that hear two systems end at two switches that are no pair: the kernel then uses one of them alone."""
    knob = Knob(name, "partner", "one system on all legs", shown_by)
    if own is None:
        return knob, "no bond", ""
    heard = {leg: each["partner"] for leg, each in own["members"].items() if each["up"]}
    if None in heard.values():
        return knob, None, "LACP's partner is shown to root alone"
    if len(set(heard.values())) == 1 and NOBODY not in heard.values():
        return knob, knob.wanted, ""
    found = [f"{'no partner' if system == NOBODY else system} on {leg}" for leg, system in sorted(heard.items())]
    why = "are its leaves a pair, in one domain, with this bond's group on both?"
    return knob, found or "no leg is up", why


def _of_member(name: str, member: Found, own: Found | None, facts: Found) -> Iterator[Judged]:
    port, key = member["name"], str(member["match"].get("pci") or member["match"].get("mac") or "").lower()
    found = facts.get("members", {}).get(key, {})
    where = f"at {key}; lspci -D, ip link"
    yield Knob(port, "name", port, "ip -br link"), found.get("netdev") or "no interface", where
    leg = (own or {}).get("members", {}).get(port)
    shown_by = f"cat /proc/net/bonding/{name}"
    up = "no member" if leg is None else "up" if leg["up"] else "down"
    yield Knob(port, "link", "up", shown_by), up, "cable, or the leaf's port"
    yield Knob(port, "LACP", "bundled", shown_by), *_lacp(own or {}, leg)


def _lacp(own: Found, leg: Found | None) -> tuple[object, str]:
    """What LACP made of a leg, and the remedy."""
    if leg is None:
        return "no member", ""
    if leg["state"] is None or leg["partner_state"] is None:
        return None, "LACP's states are shown to root alone"
    if leg["state"] & UNHEARD or leg["partner"] == NOBODY:
        return "no partner answers", "is LACP on at the leaf's port?"
    if leg["aggregator"] != own["aggregator"]:
        return f"in group {leg['aggregator']}, not in {own['aggregator']}", "the leaf has this port in another group"
    if leg["state"] & leg["partner_state"] & BUNDLED != BUNDLED:
        return f"not bundled (states {leg['state']} and {leg['partner_state']})", "the leaf does not take it in yet"
    return "bundled", ""


def _of_plane(bond: str, plane: Found, facts: Found) -> Iterator[Judged]:
    name = plane["interface"]
    vlan = "untagged" if plane.get("vlan") is None else f"{plane['vlan']} on {bond}"
    yield Knob(name, "VLAN", vlan, f"ip -d link show {name}"), _vlan(facts, name), ""
    if name != bond:
        wanted = str(plane["mtu_bytes"])
        yield Knob(name, "mtu_bytes", wanted, f"ip link show {name}"), _link(facts, name, "mtu_bytes"), ""
    addresses = [f"{plane['address']}/{plane['prefix_length']}"]
    if plane.get("address_v6"):
        addresses.append(f"{plane['address_v6']}/{plane['prefix_length_v6']}")
    found = _link(facts, name, "addresses")
    if isinstance(found, list) and not plane.get("address_v6"):
        found = [each for each in found if ":" not in each]
    yield Knob(name, "addresses", ", ".join(addresses), f"ip -br address show {name}"), found, ""
    yield _routes(plane, facts)
    answer = facts.get("passes", {}).get(name)
    size, gateway = plane["mtu_bytes"] - 28, plane["gateway"]
    wanted, ping = f"{plane['mtu_bytes']} bytes reach {gateway}", f"ping -M do -s {size} -I {name} {gateway}"
    reached, why = (wanted, "") if answer else ("lost", "a smaller MTU on the way, or the gateway is silent")
    knob = Knob(name, "packets of the MTU", wanted, ping)
    yield (knob, None, "ping could not send them") if answer is None else (knob, reached, why)


def _routes(plane: Found, facts: Found) -> Judged:
    """Those by this plane's gateways but the default route, which is judged for the whole host."""
    name = plane["interface"]
    wanted = [f"{each} via {plane['gateway']}" for each in plane["routes"]]
    wanted += [f"{each} via {plane['gateway_v6']}" for each in plane.get("routes_v6") or ()]
    there = [
        each for each in facts.get("routes", ()) if each["dev"] == name and each["via"] and each["to"] != "default"
    ]
    knob = Knob(name, "routes", ", ".join(sorted(wanted)) or "none", f"ip route show dev {name}")
    found = sorted(f"{each['to']} via {each['via']}" for each in there)
    return knob, found if name in facts.get("links", ()) else "no interface", ""


def _link(facts: Found, name: str, key: str) -> Any:  # noqa: ANN401 (whatever the fact has)
    found = facts.get("links", {}).get(name)
    return "no interface" if found is None else found[key]


def _vlan(facts: Found, name: str) -> str:
    found = facts.get("links", {}).get(name)
    if found is None:
        return "no interface"
    return "untagged" if found["vlan"] is None else f"{found['vlan']} on {found['on']}"


def _default_route(judge: Judge, bonds: Any, facts: Found | None, unread: str) -> None:  # noqa: ANN401
    """By the one plane that has it, and by nothing else; else by no bond."""
    planes = [plane for bond in bonds for plane in bond["planes"]]
    own = [plane for plane in planes if plane["default_route"]]
    gateways = [gateway for plane in own for gateway in (plane["gateway"], plane.get("gateway_v6")) if gateway]
    wanted = ", ".join(f"via {gateway} dev {own[0]['interface']}" for gateway in gateways)
    knob = Knob("", "default route", wanted or "by no bond", "ip route show default; ip -6 route show default")
    if facts is None:
        judge.undecided(knob, unread)
        return
    ours = {plane["interface"] for plane in planes}
    there = [each for each in facts["routes"] if each["to"] == "default" and (own or each["dev"] in ours)]
    judges = {4: True, 6: not own or len(gateways) > 1}
    found = [f"via {each['via']} dev {each['dev']}" for each in there if judges[each["family"]]]
    judge.compare(knob, found or ("none" if wanted else knob.wanted))
