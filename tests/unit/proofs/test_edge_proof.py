"""Edge routers' access lists, judged for every packet: of each system, and of changes that matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.proofs.rules.edges import OTHER_PORTS, REST, ROUTERS, SITE
from nornir_tasks.proofs.rules.judge import Pair
from nornir_tasks.proofs.unsure import SURE, Unsure
from nornir_tasks.usecases.proofs.prove_boundary import with_edges
from nornir_tasks.usecases.site import select
from tests.unit.design.edge_systems import SYSTEMS, design_of, text_of

FIREWALLS = "from firewalls"


class Site:
    """The site with routers of one system."""

    def __init__(self, system: str, folder: Path) -> None:
        (folder / "fabric.yml").write_text(text_of(system))
        self.design = design_of(folder)
        self.configs = {name: select(self.design)[name].config for name in ("edge-1", "edge-2")}


@pytest.fixture(scope="module", params=SYSTEMS)
def edge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("sites") / "edge"
    folder.mkdir()
    return Site(request.param, folder)


def judged(edge: Site, found: dict[str, DeviceConfig], doubts: Unsure = SURE) -> dict[tuple[str, str], Pair]:
    guarded, _ = with_edges(edge.design, found, doubts, None)
    assert guarded is not None
    return {(str(each.source), str(each.destination)): each for each in guarded.pairs}


def test_lists_of_every_system_take_in_what_the_routers_are_for_and_nothing_else(edge: Site) -> None:
    pairs = judged(edge, edge.configs)
    assert [each for each in pairs.values() if each.breaches or each.undecided] == []
    assert {source for source, _ in pairs} == {"isp-a", "isp-b", FIREWALLS, OTHER_PORTS}
    assert {destination for _, destination in pairs} == {SITE, ROUTERS, REST}


def changed(edge: Site, old: AclRule, new: AclRule) -> Iterator[tuple[str, dict[str, DeviceConfig]]]:
    """Each list that has such a rule, but for its number, with another one in its place."""
    for name, config in edge.configs.items():
        for place, acl in enumerate(config.access_lists):
            rules = [
                replace(new, sequence=each.sequence) if replace(each, sequence=0) == old else each for each in acl.rules
            ]
            if tuple(rules) != acl.rules:
                lists = [*config.access_lists]
                lists[place] = replace(acl, rules=tuple(rules))
                yield acl.name, {**edge.configs, name: replace(config, access_lists=tuple(lists))}


OURS = "203.0.113.0/24"
CHANGES = [
    ("spoofed", AclRule(0, permit=False, source=OURS), AclRule(0, permit=True, source=OURS), ("isp-a", SITE), "open"),
    (
        "a bogon",
        AclRule(0, permit=False, source="10.0.0.0/8"),
        AclRule(0, permit=False, source="10.0.0.0/9"),
        ("isp-b", SITE),
        "open",
    ),
    ("leaves", AclRule(0, permit=True, source=OURS), AclRule(0, permit=True), (FIREWALLS, REST), "open"),
    ("kept", AclRule(0, permit=True, source=OURS), AclRule(0, permit=False), (FIREWALLS, REST), "blocked"),
    (
        "a loopback",
        AclRule(0, permit=False, destination="10.252.0.1/32"),
        AclRule(0, permit=False, destination="10.252.0.9/32"),
        (FIREWALLS, ROUTERS),
        "open",
    ),
    (
        "refused",
        AclRule(0, permit=True, destination=OURS),
        AclRule(0, permit=False, destination=OURS),
        ("isp-a", SITE),
        "blocked",
    ),
]


@pytest.mark.parametrize(("old", "new", "ends", "kind"), [pytest.param(*each[1:], id=each[0]) for each in CHANGES])
def test_a_change_of_a_list_fails_the_pair_that_it_is_about(
    edge: Site, old: AclRule, new: AclRule, ends: tuple[str, str], kind: str
) -> None:
    found = dict(changed(edge, old, new))
    assert found
    failed = [judged(edge, configs)[ends] for configs in found.values()]
    breaches = [each for pair in failed for each in pair.breaches]
    assert kind in {each.kind for each in breaches}
    assert all(each.by[0].startswith(f"{each.firewall}: ip acl ") for each in breaches)


def test_a_port_without_its_lists_is_found(edge: Site) -> None:
    config = edge.configs["edge-1"]
    ports = tuple(replace(port, acls=()) for port in config.interfaces)
    pairs = judged(edge, {**edge.configs, "edge-1": replace(config, interfaces=ports)})
    for ends in (("isp-a", SITE), ("isp-a", ROUTERS), (FIREWALLS, REST)):
        assert {each.kind for each in pairs[ends].breaches} == {"open"}
    assert not pairs["isp-b", SITE].breaches


def test_another_port_with_an_address_and_no_list_is_found(edge: Site) -> None:
    config = edge.configs["edge-2"]
    free = next(port for port in config.interfaces if not port.enabled)
    ports = tuple(
        replace(port, enabled=True, address="192.0.2.1/30") if port == free else port for port in config.interfaces
    )
    pairs = judged(edge, {**edge.configs, "edge-2": replace(config, interfaces=ports)})
    assert {each.packet.entry for each in pairs[OTHER_PORTS, SITE].breaches} == {free.name}


def test_a_router_that_was_not_read_and_lists_with_lines_that_are_not_known_leave_open_what_they_touch(
    edge: Site,
) -> None:
    without = judged(edge, {"edge-1": edge.configs["edge-1"]})
    assert without["isp-b", SITE].undecided == ("edge-2: was not read",)
    assert without["isp-a", SITE].undecided == ()
    doubtful = judged(edge, edge.configs, Unsure({}, frozenset({("edge-1", "EDGE-X")})))
    assert doubtful["isp-a", SITE].undecided == ("edge-1: EDGE-X has lines that are not known",)
    assert doubtful["isp-b", SITE].undecided == ()
