"""The law of changes, on a real FRR: told only the difference, it has what one has that is told everything."""

from __future__ import annotations

import difflib
import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from routed_lab import needs_root

from switch_twins.routed.conf import Lines, configuration, text
from switch_twins.routed.daemons import Frr, release
from switch_twins.routed.delta import delta
from switch_twins.routed.form import BfdTimes, Peer, Routing
from switch_twins.state import (
    BgpInstance,
    BgpNeighbor,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)

pytestmark = needs_root
CHANGES = 15
NAMESPACE = "gflaw"


@pytest.fixture
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Frr, Frr]]:
    """Two FRRs in namespaces of their own; what pytest makes is closed to the user that FRR runs as."""
    folder = Path("/run/gpufabric-law")
    made = [Frr(f"{NAMESPACE}{number}", folder / str(number)) for number in (1, 2)]
    folder.mkdir(mode=0o755)
    try:
        for number, each in enumerate(made, start=1):
            subprocess.run(["ip", "netns", "add", f"{NAMESPACE}{number}"], check=True)
            each.start()
        yield made[0], made[1]
    finally:
        for number, each in enumerate(made, start=1):
            each.stop()
            subprocess.run(["ip", "netns", "delete", f"{NAMESPACE}{number}"], check=True)
        subprocess.run(["rm", "-r", str(folder)], check=True)


def drawn(draw: random.Random) -> Lines:
    """A switch with a part of everything that a configuration may have."""
    peers = tuple(_peer(draw, number) for number in range(4) if draw.random() < 0.8)
    numbers = draw.sample(range(1, 9), k=draw.randint(1, 4))
    lists = tuple(
        PrefixList(name, tuple(_entry(draw, number) for number in sorted(numbers)))
        for name in ("ONE", "TWO")
        if draw.random() < 0.8
    )
    maps = tuple(
        RouteMap(name, tuple(_rule(draw, number) for number in sorted(numbers)))
        for name in ("IN", "OUT")
        if draw.random() < 0.8
    )
    instance = BgpInstance(
        draw.choice((65000, 65000, 65000, 4200000000)),
        draw.choice(("10.9.9.9", "10.9.9.8")),
        neighbors=peers,
        networks=tuple(draw.sample(("10.1.1.0/24", "10.1.2.0/24"), k=draw.randint(0, 2))),
        redistribute_connected=draw.random() < 0.5,
        redistribute_connected_route_map=draw.choice((None, "OUT")),
        maximum_paths=draw.choice((1, 2, 8)),
        multipath_relax=draw.random() < 0.5,
    )
    statics = tuple(StaticRoute(f"10.2.{number}.0/24") for number in draw.sample(range(4), k=draw.randint(0, 3)))
    bgp = (instance,) if draw.random() < 0.9 else ()
    state = SwitchState("leaf", "any", bgp=bgp, prefix_lists=lists, route_maps=maps, static_routes=statics)
    times = [BfdTimes(each, 300, 3) for each in (100, 300)]
    peered = {each.address: Peer(draw.choice(times), draw.choice((None, 10, 30))) for each in peers}
    return configuration(state, Routing(peered, draw.choice(("helper", "on", "off"))), release())


def _peer(draw: random.Random, number: int) -> BgpNeighbor:
    peer = BgpNeighbor(
        f"10.0.0.{2 * number + 1}",
        draw.choice((65001, 65002)),
        is_shutdown=draw.random() < 0.2,
        bfd=draw.random() < 0.5,
        ttl_security_hops=draw.choice((None, 1)),
        route_map_in=draw.choice((None, "IN")),
        route_map_out=draw.choice((None, "OUT")),
        prefix_list_in=draw.choice((None, "ONE", "TWO")),
        prefix_limit=draw.choice((None, 50, 60)),
        prefix_limit_restart_s=draw.choice((None, 300.0)),
        send_community=draw.random() < 0.5,
        allowas_in=draw.choice((0, 1, 2)),
        keepalive_s=draw.choice((3, 10)),
        hold_s=30,
    )
    if number == 3:
        return replace(peer, address="swp3", interface="swp3", remote_as="external", extended_nexthop=True)
    return peer


def _entry(draw: random.Random, number: int) -> PrefixListEntry:
    return PrefixListEntry(number, draw.random() < 0.7, f"10.{draw.randint(1, 2)}.0.0/16", le=draw.choice((None, 24)))


def _rule(draw: random.Random, number: int) -> RouteMapEntry:
    return RouteMapEntry(
        number,
        draw.random() < 0.7,
        draw.choice(((), ("ONE",), ("TWO",))),
        prepend=draw.choice(((), (65000,), (65000, 65000))),
        communities=draw.choice(((), ("65535:0",), ("65535:0", "65000:1"))),
        communities_additive=draw.random() < 0.5,
        local_preference=draw.choice((None, 50, 200)),
    )


def test_told_the_difference_frr_has_what_it_has_when_told_everything(running: tuple[Frr, Frr]) -> None:
    changed, anew = running
    draw = random.Random(14)
    old: Lines = {}
    for number in range(CHANGES):
        new = drawn(draw)
        changed.tell(delta(old, new))
        anew.stop()
        anew.start()
        anew.tell(text(new))
        have, shall = lines_of(changed), lines_of(anew)
        assert have == shall, "\n".join((f"change {number}", delta(old, new), *difflib.ndiff(have, shall)))
        old = new


def lines_of(frr: Frr) -> list[str]:
    """Each line of what FRR prints, with its blocks; the order of lists and neighbours means nothing."""
    blocks: list[str] = []
    found = []
    for row in frr.running_config().splitlines():
        depth = len(row) - len(row.lstrip())
        blocks = [*blocks[:depth], row.strip()]
        if (
            row.strip(" !")
            and not row.startswith(("frr version", "hostname", "log "))
            and not row.strip().startswith("exit")
        ):
            found.append(" / ".join(blocks))
    return sorted(found)
