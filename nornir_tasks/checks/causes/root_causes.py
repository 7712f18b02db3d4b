"""Which findings follow from which: one cause, one finding. Pure.

Every failure belongs to exactly one cause: it is the leading finding, or it follows from that. Causes are searched
in the order in which they cause one another: a switch that does not answer, a cable to a wrong port, a different
configuration, a link, a session, a route. A failure that none of these explains becomes a cause itself, so that no
failure without a reported explanation is suppressed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nornir_tasks.checks.causes.cause_board import Board, Groups, Key
from nornir_tasks.checks.causes.differences import Breaks, broken, is_known
from nornir_tasks.checks.causes.gateway_causes import explain_gateways
from nornir_tasks.checks.causes.lost_routes import explain_routes
from nornir_tasks.checks.causes.mac_causes import explain_macs
from nornir_tasks.checks.causes.pair_causes import (
    explain_apart,
    explain_conflicts,
    explain_pairs,
    peer_link_ports,
    what_carries_on,
)
from nornir_tasks.checks.causes.partner_causes import explain_partners
from nornir_tasks.checks.causes.prefix_causes import explain_prefixes
from nornir_tasks.checks.causes.tree_causes import explain_trees
from nornir_tasks.checks.causes.ways_on import explain_ways_on
from nornir_tasks.checks.evidence import End, Evidence, Finding, Verdict
from nornir_tasks.checks.switches.lldp import NO_NEIGHBOUR, ends_heard, with_leg

MOST_PORTS = 8
"""Ports of one switch with differing lines that count as a fault each; more of them are one: the switch's whole
configuration is not what it should be, and one push repairs it."""

_LINE_OF_VLAN = re.compile(r".vlan (\d+) / ")


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing to repair."""

    lead: Finding
    """The finding to show."""
    remedy: str
    """The command that repairs it, or where to look; empty if the finding is sufficient."""
    follows: tuple[Finding, ...]
    """The findings that follow from it, in the order of the checks."""


def causes(evidence: Evidence, findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """All failures and undecided results, grouped by cause."""
    board = Board(evidence, [each for each in findings if each.verdict in {Verdict.FAIL, Verdict.ERROR}])
    _unreachable(board)
    elsewhere = _cabling(board)
    _configuration(board)
    for key, (device, port) in elsewhere:
        board.cover(key, Breaks.LINK, device, port)
    _dead_switches(board)
    explain_conflicts(board)
    _one_by_one(board, "port", highest=0, among=peer_link_ports(evidence))
    explain_apart(board)
    _one_by_one(board, "port", highest=0)
    _one_by_one(board, "lacp")
    _one_by_one(board, "port")
    _not_announced(board)
    for check in ("lldp", "ra", "mtu", "vlan", "trunks"):
        _one_by_one(board, check)
    _silent_switches(board)
    _one_by_one(board, "bgp")
    explain_prefixes(board)
    explain_routes(board)
    explain_partners(board)
    explain_pairs(board)
    explain_gateways(board)
    explain_ways_on(board)
    explain_trees(board)
    explain_macs(board)
    for check in board.checks:
        _one_by_one(board, check)
    return tuple(Cause(lead, remedy, tuple(follows)) for lead, remedy, follows in board.result())


def _unreachable(board: Board) -> None:
    """A switch that was not read: all its results are undecided."""
    unreachable = board.evidence.unreachable
    for finding in board.open("reach"):
        key = _silence(board, finding.device)
        if board.has(key):
            board.follow(finding, key)
        else:
            carried = what_carries_on(board.evidence, finding.device)
            board.lead(finding, "; ".join(filter(None, (unreachable[finding.device].hint, carried))), key)
    for check in board.checks:
        for finding in board.open(check):
            if finding.device in unreachable:
                board.follow(finding, _silence(board, finding.device))


def _silence(board: Board, device: str) -> Key:
    """Why a switch was not read. The same text for several switches, without an address, is one cause."""
    return ("reach", board.evidence.unreachable[device].what)


def _cabling(board: Board) -> list[tuple[Key, End]]:
    """A port with another LLDP neighbour than planned. Cables swapped with one another are one cause.

    Returns the ports with the causes that break their links, for a configuration that differs comes first there.
    """
    wrong = [each for each in board.open("lldp") if each.verdict is Verdict.FAIL and each.found != NO_NEIGHBOUR]
    together = Groups()
    for finding in wrong:
        for name in _mixed_up_with(board.evidence, finding):
            together.join(board.cable(finding.device, finding.port), name)
    elsewhere: list[tuple[Key, End]] = []
    for finding in wrong:
        key = ("cabling", together.of(board.cable(finding.device, finding.port)))
        if board.has(key):
            board.follow(finding, key)
        else:
            board.lead(finding, _look_at(board, finding), key)
        elsewhere.append((key, (finding.device, finding.port)))
    return elsewhere


def _mixed_up_with(evidence: Evidence, finding: Finding) -> Iterator[str]:
    """The cables of the ports that are heard; a switch that calls itself otherwise is one thing on all its cables."""
    planned = evidence.far[finding.device, finding.port].device
    for end in ends_heard(evidence, finding.device, finding.port):
        yield evidence.far[end].cable if end in evidence.far else f"{planned} as {end[0]}"


def _configuration(board: Board) -> None:
    """Different lines: one cause per port of a switch, and one for the lines of the switch as a whole."""
    by_device: dict[str, list[Finding]] = {}
    for finding in board.open("config"):
        by_device.setdefault(finding.device, []).append(finding)
    for device, lines in by_device.items():
        ports = _by_port(board.evidence, device, lines)
        for port, found in ports.items():
            key = ("config", device, port)
            board.lead(found[0], f"nornir push --limit {device}", key)
            for line in found[1:]:
                board.follow(line, key)
        _cover(board, device, ports)


def _by_port(evidence: Evidence, device: str, lines: list[Finding]) -> dict[str, list[Finding]]:
    """Lines by the port they are about; all under an empty one where they are about the switch as a whole."""
    running, wanted = evidence.running.get(device), evidence.wanted[device]
    if running is None or (running.bgp is None and wanted.bgp is not None):
        return {"": lines}  # it was never pushed to
    is_replaced = running.bgp is not None and wanted.bgp is not None and running.bgp.asn != wanted.bgp.asn
    found: dict[str, list[Finding]] = {}
    for line in lines:
        found.setdefault("" if is_replaced and not _is_of_interface(line) else line.port, []).append(line)
    return found if len(found.keys() - {""}) <= MOST_PORTS else {"": lines}


def _is_of_interface(line: Finding) -> bool:
    """Does the line stand below an interface, on any of the systems?"""
    return line.subject[1:].startswith("interface")


def _cover(board: Board, device: str, ports: Mapping[str, list[Finding]]) -> None:
    """What the differing lines of one switch break, each put down to the lines of its port or else to the switch's."""
    if device not in board.evidence.running:
        return
    known = frozenset(ports)
    rest = "" if "" in known else next(iter(ports))
    everywhere = [port.name for port in board.evidence.wanted[device].interfaces]
    for breaks, port in broken(board.evidence, device):
        key = ("config", device, port if port in known else rest)
        board.routes.setdefault((breaks, device), key)
        for each in (port,) if port else ("", *everywhere):
            board.cover(key, breaks, device, each)
    if "" in known and board.evidence.running[device].base == board.evidence.wanted[device].base:
        # of an account that was made by hand the model has nothing, and its lines are among these
        board.cover(("config", device, ""), Breaks.ACCOUNTS, device, "")
    for vlan in dict.fromkeys(found[1] for line in ports.get("", ()) if (found := _LINE_OF_VLAN.match(line.subject))):
        # as `state suspend`, of which the model has nothing: all that has this VLAN may be without it
        for each in ("", *board.standing.in_vlan(device, int(vlan))):
            is_port = each and not board.standing.is_svi((device, each))
            board.cover(("config", device, ""), Breaks.CARRIED if is_port else Breaks.VLAN, device, each)
    for port in known - {""}:
        if not is_known(board.evidence, device, port):
            board.cover(("config", device, port), Breaks.TRAFFIC, device, port)


def _dead_switches(board: Board) -> None:
    """A switch that does not answer, and of which all neighbours say the same.

    Its links are down, the cable of its management port too; or nothing is heard on them; or its sessions are down.
    """
    hear_nothing = {(each.device, each.port) for each in board.open("lldp") if each.found == NO_NEIGHBOUR}
    alike: dict[tuple[Key, str], dict[str, int]] = {}
    for device in board.evidence.unreachable:
        ends = {(far.device, far.port) for _, far in board.links(device) if far.device in board.evidence.observed}
        if ends and all(board.fails("port", *end) for end in ends):
            breaks, seen = Breaks.LINK, "lost the carrier: power, or the switch itself"
            ends |= {(far.device, far.port) for far in board.managed(device) if far.device in board.evidence.observed}
        elif ends and ends <= hear_nothing:
            breaks, seen = Breaks.SILENCE, "have carrier and hear nothing: it hangs"
        elif ends and all(board.fails("bgp", *end) for end in ends):
            breaks, seen = Breaks.SESSION, "have carrier and lost their sessions: it hangs"
        else:
            continue
        alike.setdefault((_silence(board, device), seen), {})[device] = len({name for name, _ in ends})
        for end in ends:
            board.cover(_silence(board, device), breaks, *end)
        board.dead[device] = _silence(board, device)
    for (key, seen), neighbours in alike.items():
        (device, count), *more = neighbours.items()
        whose = f"neighbours of each of {len(neighbours)} switches" if more else f"{count} neighbours of {device}"
        board.remark(key, f"all {whose} {seen}")


def _silent_switches(board: Board) -> None:
    """A switch without any session left, though its links are up: one cause, and not one for each neighbour."""
    unexplained: dict[str, list[Finding]] = {}
    for finding in board.open("bgp"):
        if finding.verdict is Verdict.FAIL and board.explanation(finding) is None:
            unexplained.setdefault(finding.device, []).append(finding)
    for device, found in unexplained.items():
        still = [each for each in found if board.explanation(each) is None]
        wanted = board.evidence.wanted[device].bgp
        if len(still) > 1 and wanted is not None and len(still) == len(wanted.neighbors):
            key = ("silent", device)
            board.lead(still[0], f"look at BGP on {device}: none of its sessions is up", key)
            for each in still:
                board.cover(key, Breaks.SESSION, device, each.port)


def _not_announced(board: Board) -> None:
    """The subnet of an SVI that is down is announced by this switch no more."""
    for finding, key in board.failed("port"):
        if board.standing.is_svi((finding.device, finding.port)):
            board.routes.setdefault((Breaks.ANNOUNCED, finding.device), key)


LEADING = {
    "port": Breaks.LINK,
    "lldp": Breaks.SESSION,
    "lacp": Breaks.GROUP,
    "ra": Breaks.ADVERTISEMENTS,
    "mtu": Breaks.MTU,
    "bgp": Breaks.SESSION,
}
"""What an unexplained failure breaks in turn."""


def _one_by_one(board: Board, check: str, highest: int | None = None, among: frozenset[End] | None = None) -> None:
    """Explained findings follow their cause; of the others, equal ones of the same switch follow the first of them.

    ``highest``: only what stands no higher than that on other interfaces, so that a group follows its members.
    ``among``: only these ports.
    """
    chosen = (each for each in board.open(check) if among is None or (each.device, each.port) in among)
    for finding in sorted(chosen, key=lambda each: _place(board, each)):
        if highest is not None and board.standing.height((finding.device, finding.port)) > highest:
            continue
        same = _same(finding)
        explanation = board.explanation(finding)
        if explanation is not None:
            board.follow(finding, explanation)
        elif check in LEADING and finding.verdict is Verdict.FAIL:
            key = ("link", check, finding.device, finding.port, finding.subject)
            board.lead(finding, _look_at(board, finding), key)
            board.cover(key, LEADING[check], finding.device, finding.port)
        elif board.has(same):
            board.follow(finding, same)
        else:
            board.lead(finding, "", same)


def _place(board: Board, finding: Finding) -> tuple[bool, int]:
    """Which finding may lead first: not one that the far end is to blame for, and a port before what stands on it."""
    return _is_blamed_by_the_far_end(board.evidence, finding), board.standing.height((finding.device, finding.port))


def _is_blamed_by_the_far_end(evidence: Evidence, finding: Finding) -> bool:
    """A correct MTU also fails if that of the other end is wrong, and must not lead."""
    if finding.check != "mtu":
        return False
    state = evidence.port_states.get((finding.device, finding.port))
    wanted = evidence.interfaces.get((finding.device, finding.port))
    return state is not None and wanted is not None and state.mtu_bytes == wanted.mtu_bytes


def _same(finding: Finding) -> Key:
    """Equal findings: what a switch does not show, or has wrong in the same way on several ports.

    Each prefix is a thing of its own.
    """
    what = ("same", finding.check, finding.device, finding.verdict)
    if finding.verdict is Verdict.ERROR:
        return what
    return (*what, finding.expected, finding.found, finding.subject if finding.check == "ecmp" else "")


def _look_at(board: Board, finding: Finding) -> str:
    """The cable to look at, where it may be the cable."""
    far = board.evidence.far.get((finding.device, finding.port))
    if far is None or finding.check not in {"port", "lldp"}:
        return ""
    here = with_leg((finding.device, finding.port), far.leg)
    return f"look at cable {far.cable}: {here} to {with_leg((far.device, far.port), far.far_leg)}"
