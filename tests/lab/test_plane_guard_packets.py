"""Packets through a host that forwards: by the rules of role plane_guard none gets from plane to plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product

import jinja2
import pytest
from boundary_pair import ROOT

from nornir_tasks.lab.boundary.room import Outcome, Room
from nornir_tasks.proofs.rules.flows import Flow, Foretold, Oracle
from nornir_tasks.proofs.rules.machine import State
from nornir_tasks.proofs.rules.ruleset import read

pytestmark = pytest.mark.needs("nft", "ip", "namespaces")
PLANES = {"compute": ["gpu0", "gpu1"], "storage": ["bond0"], "business": ["bond0.300"]}
"""Of a host, with its interfaces; one of each plane is cabled, and the second rail of the first."""
LINKS = {"gpu0": 1, "gpu1": 2, "bond0": 3, "bond0.300": 4}
"""Interface -> number of its subnets, IPv4 and IPv6."""
BMC = "10.183.0.21"
"""Behind the business plane's gateway."""


def host(port: str, family: str) -> str:
    return f"10.77.{LINKS[port]}.9" if family == "ipv4" else f"fd77:{LINKS[port]}::9"


def commands() -> list[list[str]]:
    found = []
    for port, number in LINKS.items():
        found.append(["ip", "address", "add", f"10.77.{number}.1/24", "dev", port])
        found.append(["ip", "address", "add", f"fd77:{number}::1/64", "dev", port, "nodad"])
    return [*found, ["ip", "route", "add", "10.183.0.0/16", "via", host("bond0.300", "ipv4"), "dev", "bond0.300"]]


def flows() -> list[Flow]:
    """Between all ports, in both families and three protocols, and from each to a BMC."""
    found = []
    for (one, other), family in product(permutations(LINKS, 2), ("ipv4", "ipv6")):
        for protocol, number in ((6, 22), (17, 53), (1, 8) if family == "ipv4" else (58, 128)):
            found.append(Flow(one, host(one, family), host(other, family), protocol, number))
    return found + [Flow(port, host(port, "ipv4"), BMC, protocol, 623) for port in LINKS for protocol in (6, 17)]


def rules() -> str:
    planes = [{"key": name, "value": ports} for name, ports in sorted(PLANES.items())]
    template = (ROOT / "roles/plane_guard/templates/plane-guard.nft.j2").read_text()
    environment = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    return environment.from_string(template).render(
        __plane_guard_planes=planes, __plane_guard_table="gpufabric_plane_guard"
    )


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    there = {port: [host(port, family) for family in ("ipv4", "ipv6")] for port in LINKS}
    with Room(there, commands()) as made:
        yield made


def sent(room: Room, text: str) -> tuple[dict[Flow, Foretold], dict[Flow, Outcome]]:
    """What the proof says of the rules as the kernel lists them, and what packets do; both must be the same."""
    room.run("nft", "flush", "ruleset")
    room.run("nft", "-f", "-", text=text)
    ruleset, routes = room.state()
    oracle = Oracle.of(State("gpu-1", read(ruleset), routes, tuple(LINKS)), room.there)
    foretold = {flow: oracle.of_flow(flow) for flow in flows()}
    arrive = [flow for flow, each in foretold.items() if each.arrives]
    seen = room.send(flows(), arrive, [flow for flow, each in foretold.items() if each.is_answered])
    assert [flow for flow in flows() if not foretold[flow].fits(seen[flow].arrived, answered=seen[flow].answered)] == []
    return foretold, seen


def plane_of(port: str) -> str:
    return next(plane for plane, ports in PLANES.items() if port in ports)


def planes_of(flow: Flow) -> tuple[str, str]:
    """From which plane to which; a BMC is behind the business plane's port."""
    ends = {host(port, family): port for port, family in product(LINKS, ("ipv4", "ipv6"))}
    return plane_of(flow.port), plane_of(ends.get(flow.destination, "bond0.300"))


def test_without_the_guard_a_host_that_forwards_joins_its_planes(room: Room) -> None:
    _, seen = sent(room, "")
    assert all(each.arrived for each in seen.values())


def test_with_the_guard_nothing_gets_from_plane_to_plane(room: Room, figure: Callable[..., None]) -> None:
    foretold, seen = sent(room, rules())
    for flow, each in seen.items():
        one, other = planes_of(flow)
        assert bool(each.arrived) == (one == other), flow
        if one != other:
            assert f'counter name "{one}_to_{other}" drop' in foretold[flow].by.replace("{ ", "").replace(" }", "")
    figure(f"the proof and packets through a host that forwards: {len(seen)} of {len(seen)} flows agree")
    kinds = {(*planes_of(flow), flow.family) for flow in flows()}
    assert kinds >= {(*pair, family) for pair in permutations(PLANES, 2) for family in ("ipv4", "ipv6")}


@pytest.mark.parametrize("pair", list(permutations(PLANES, 2)), ids=" to ".join)
def test_a_line_that_is_gone_opens_just_its_pair(pair: tuple[str, str], room: Room) -> None:
    kept = [line for line in rules().splitlines() if f'counter name "{pair[0]}_to_{pair[1]}" drop' not in line]
    assert len(kept) < len(rules().splitlines())
    _, seen = sent(room, "\n".join(kept) + "\n")
    through = {planes_of(flow) for flow, each in seen.items() if each.arrived}
    assert {each for each in through if each[0] != each[1]} == {pair}
