"""The boundary's pair: its own addresses, who of the two has the shared ones, whether both know all connections."""

import re
from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.boundary_parts import CONNTRACKD, FACT, Shared, shared
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

COUNT, LIMIT = "net.netfilter.nf_conntrack_count", "net.netfilter.nf_conntrack_max"
READ_SETTINGS = (COUNT, LIMIT)
BOTH = "host_validate_conntrackd"
"""``own`` and ``other``: what conntrackd says of itself on either firewall; the role fills it in."""
SPREAD = 32
"""So many connections may have come or gone between two readings; ours."""
FULL_PERCENT = 90
"""A firewall that holds more of its limit than this soon refuses new connections; ours, no vendor's figure."""

ADDRESSES = About(
    name="boundary_addresses",
    each="port of the boundary: its link, and its own addresses",
    reads=(FACT,),
    wanted="firewall_zones and firewall_sync; load_balancer_address; boundary_relay_address",
    passes="it is up with a carrier and has the address",
    fails="no carrier, or the address is missing",
)
VRRP = About(
    name="vrrp",
    each="shared address, route that moves with them, and one for all of them together",
    reads=(FACT,),
    wanted="firewall_zones; load_balancer_published; boundary_relay_proxy",
    passes="all shared addresses are here, or none; each is on one of the two, as the wire shows; routes go with them",
    fails="some are here and some are not; both or neither answer for one; a route is missing, or is left over",
    cannot_tell="a port has no carrier, so no question could be sent",
)
CONNTRACK = About(
    name="conntrack",
    each="of these: conntrackd, the other firewall's word, connections that it was told of, share of the limit in use",
    reads=(FACT,),
    wanted="firewall_connections; conntrackd on both",
    passes="conntrackd answers and hears the other one; that has as many of its connections but for those that come "
    "and go (a tenth, or 32); less than 90 percent of the limit is in use",
    fails="the other one is silent, or has more or fewer, or the limit is close",
    cannot_tell="conntrackd could not be asked",
    skipped="the other firewall is not judged in this run, so what it was told is not known",
)


def check_boundary_addresses(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each port, and one for each of its own addresses."""
    judge, facts = Judge(ADDRESSES.name, evidence), evidence.facts.get(FACT)
    for port, addresses in _own(evidence.variables).items():
        link = Knob(port, "link", "up, with carrier", f"ip -br link show {port}")
        knobs = {each: Knob(port, "address", each, f"ip -br address show {port}") for each in addresses}
        if facts is None:
            for knob in (link, *knobs.values()):
                judge.undecided(knob, evidence.why_unread(FACT))
            continue
        here = facts["ports"].get(port)
        judge.compare(link, "no such interface" if here is None else _link(here))
        for address, knob in knobs.items():
            found = list(here["addresses"]) if here else []
            judge.decide(knob, address in found, found, why="the role does not configure it: see the host's network")
    return judge.findings


def _own(variables: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Port -> addresses that are always there."""
    zones = variables.get("firewall_zones") or ()
    own = {zone["port"]: tuple(filter(None, (zone.get("address"), zone.get("address_v6")))) for zone in zones}
    if sync := variables.get("firewall_sync"):
        own[sync["port"]] = (sync["address"],)
    for role in ("load_balancer", "boundary_relay"):
        addresses = tuple(filter(None, (variables.get(f"{role}_address{each}") for each in ("", "_v6"))))
        if addresses:
            own[variables[f"{role}_port"]] = addresses
    return own


def _link(port: Mapping[str, Any]) -> str:
    return f"{'up' if port['up'] else 'down'}, {'with' if port['carrier'] else 'no'} carrier"


def check_vrrp(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for all shared addresses together, one for each, and one for each route that moves."""
    judge, facts = Judge(VRRP.name, evidence), evidence.facts.get(FACT)
    those = shared(evidence.variables)
    if not those:
        return judge.findings
    together = Knob("", "shared addresses", "all here, or none", "ip -br address")
    each = {one: Knob(one.zone, one.bare, "on one of the two", f"arping -D, ndisc6 on {one.port}") for one in those}
    if facts is None:
        for knob in (together, *each.values(), *(knob for knob, _ in _routes(evidence.variables, is_owner=True))):
            judge.undecided(knob, evidence.why_unread(FACT))
        return judge.findings
    here = [one for one in those if one.address in facts["ports"].get(one.port, {}).get("addresses", ())]
    found = "all here" if len(here) == len(those) else "none" if not here else f"{len(here)} of {len(those)} here"
    judge.decide(
        together, len(here) in (0, len(those)), found, why="keepalived moves them together: journalctl -u keepalived"
    )
    for one, knob in each.items():
        _judge_holder(judge, knob, one in here, _other_has(facts, one))
    for knob, route in _routes(evidence.variables, is_owner=bool(here)):
        judge.compare(knob, route if route in facts["routes"] else "none")
    return judge.findings


def _other_has(facts: Mapping[str, Any], one: Shared) -> bool | None:
    answers: Mapping[str, bool] = facts["wire"].get(one.port, {})
    return answers.get(one.bare)


def _judge_holder(judge: Judge, knob: Knob, is_here: bool, is_there: bool | None) -> None:
    if is_there is None:
        judge.undecided(knob, "the port has no carrier, so no question could be sent")
    elif is_here and is_there:
        judge.decide(knob, False, "on both", why="they do not hear one another: look at the link between them")
    elif not is_here and not is_there:
        judge.decide(knob, False, "on neither", why="journalctl -u keepalived on both")
    else:
        judge.decide(knob, True, "here" if is_here else "on the other one")


def _routes(variables: Mapping[str, Any], *, is_owner: bool) -> list[tuple[Knob, str]]:
    """Each route that moves with the addresses, with what shows it; wanted only where the addresses are."""
    found = []
    for zone in variables.get("firewall_zones") or ():
        for route in zone["routes"]:
            text = f"{route['to']} via {route['via']} dev {zone['port']}"
            knob = Knob(
                zone["name"], f"route {route['to']}", text if is_owner else "none", f"ip route get {route['to']}"
            )
            found.append((knob, text))
    return found


def check_conntrack(evidence: HostEvidence) -> list[HostFinding]:
    """One finding each for the daemon, the other firewall's word, and the limit."""
    judge, facts = Judge(CONNTRACK.name, evidence), evidence.facts.get(FACT)
    if "firewall_sync" not in evidence.variables:
        return judge.findings
    daemon = Knob("", "conntrackd", "answers", f"conntrackd -C {CONNTRACKD} -s")
    other = Knob("", "the other firewall", "heard", f"conntrackd -C {CONNTRACKD} -s, twice: Pckts recv")
    known = Knob("", "connections that the other firewall has", "as many as here", f"{daemon.shown_by} on both")
    limit = Knob("", "connections", f"below {FULL_PERCENT} percent of the limit", f"sysctl {COUNT} {LIMIT}")
    if facts is None:
        for knob in (daemon, other, known, limit):
            judge.undecided(knob, evidence.why_unread(FACT))
        return judge.findings
    daemon_state = facts["connections"]
    if reason := daemon_state.get("reason"):
        judge.decide(daemon, False, reason, why="journalctl -u conntrackd says why")
        judge.undecided(other, reason)
    else:
        state = (
            f"answers: {daemon_state.get('internal', 0)} of its own, {daemon_state.get('external', 0)} of the other one"
        )
        judge.decide(daemon, True, state)
        judge.compare(other, "heard" if daemon_state["heard"] else "silent", why="it is down, or the sync cable is")
    _judge_known(judge, known, evidence.variables.get(BOTH) or {})
    _judge_limit(judge, limit, facts["settings"])
    return judge.findings


def _judge_known(judge: Judge, knob: Knob, both: Mapping[str, str]) -> None:
    """Own connections here, and those of ours that the other one has; both read at the same time."""
    own, there = _active(both.get("own", ""), "internal"), _active(both.get("other", ""), "external")
    if own is None or there is None:
        judge.skip(knob, "one of the two did not answer, or is not judged in this run")
        return
    is_close = abs(own - there) <= max(SPREAD, own // 10)
    judge.decide(knob, is_close, f"{own} here, {there} there", why="conntrackd -n there asks for all of them")


def _active(statistics: str, cache: str) -> int | None:
    found = re.search(rf"cache {cache}:\ncurrent active connections:\s+(\d+)", statistics)
    return int(found[1]) if found else None


def _judge_limit(judge: Judge, knob: Knob, settings: Mapping[str, str | None]) -> None:
    count, limit = settings.get(COUNT), settings.get(LIMIT)
    if not count or not limit:
        judge.undecided(knob, "the kernel does not count connections")
        return
    found = f"{count} of {limit}"
    judge.decide(knob, int(count) * 100 < int(limit) * FULL_PERCENT, found, why="raise boundary.firewalls.connections")
