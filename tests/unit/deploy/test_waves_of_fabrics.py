"""The order of a push over several fabrics keeps every host all of its attachments but one."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache, reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.deploy.waves import Member, Wave, members, most_only_leaves, waves
from nornir_tasks.design.model.links import Endpoint, Link, NicPort
from nornir_tasks.design.model.network import Device, Network
from tests.strategies import built
from tests.unit.design.test_nearest import site

SHARE = 0.25
RAILS: dict[str, Any] = {"hosts__count": 24, "hosts__max": 24, "nics__per_group": 8, "nics__rails": 4}
CLOS: dict[str, Any] = {
    "design": "clos",
    "hosts__count": 24,
    "hosts__max": 24,
    "nics__per_group": 4,
    "nics__rails": 1,
}
SITES: dict[str, tuple[dict[str, Any], ...]] = {
    "rails beside one NIC a host": (RAILS, CLOS),
    "one NIC a host on each of two": (CLOS, CLOS),
    "rails on both": (RAILS, RAILS),
    "three": (RAILS, CLOS, {**CLOS, "nics__per_group": 24}),
    "all hosts on one leaf of each": ({**CLOS, "nics__per_group": 24}, {**CLOS, "nics__per_group": 24}),
}


@cache
def network(name: str) -> Network:
    """A site of several fabrics with the same hosts, of which each is called as the order it comes in."""
    parts = (named(built(site(**part)), f"fabric-{number}") for number, part in enumerate(SITES[name], start=1))
    return reduce(beside, parts)


def named(network: Network, fabric: str) -> Network:
    """The same fabric under another name, which its switches bear as well; the hosts are called what they were."""

    def end(each: Endpoint) -> Endpoint:
        return replace(each, device=f"{fabric}-{each.device}") if each.device in network else each

    def link(each: Link) -> Link:
        return replace(each, name=f"{fabric} {each.name}", fabric=fabric, upper=end(each.upper), lower=end(each.lower))

    def device(each: Device) -> Device:
        return replace(each, name=f"{fabric}-{each.name}", fabric=fabric)

    def nic(each: NicPort) -> NicPort:
        return replace(each, link=link(each.link))

    (only,) = network.fabrics.values()
    return replace(
        network,
        fabrics={fabric: replace(only, name=fabric)},
        devices=tuple(map(device, network.devices)),
        links=tuple(map(link, network.links)),
        nics=tuple(map(nic, network.nics)),
        planes={},
        circuits=(),
        cables=(),
    )


def beside(one: Network, other: Network) -> Network:
    """Both fabrics as one site."""
    return replace(
        one,
        fabrics={**one.fabrics, **other.fabrics},
        devices=one.devices + other.devices,
        links=one.links + other.links,
        nics=one.nics + other.nics,
    )


def order_of(everyone: list[Member], share: float = SHARE) -> tuple[Wave, ...]:
    return waves(everyone, most_only_leaves(everyone, share))


def check(everyone: list[Member], order: tuple[Wave, ...]) -> None:
    """What must hold of every order."""
    of = {member.device: member for member in everyone}
    assert Counter(name for wave in order for name in wave.devices) == Counter(list(of))
    for wave in order:
        attached = Counter(host for name in wave.devices for host in of[name].hosts)
        assert all(count == 1 for count in attached.values()), f"{wave.name} takes two leaves of a host"
    fabrics = {member.fabric for member in everyone}
    canaries = [name for wave in order for name in wave.devices][: len(fabrics)]
    assert {of[name].fabric for name in canaries} == fabrics, "another switch comes before some fabric's canary"


@pytest.mark.parametrize("name", SITES)
def test_no_wave_takes_two_leaves_of_one_host_over_all_fabrics(name: str, figure: Callable[[str], None]) -> None:
    everyone = list(members(network(name)))
    order = order_of(everyone)
    check(everyone, order)
    leaves = Counter(nic.leaf for nic in network(name).nics)
    assert {member.device for member in everyone if member.hosts} == set(leaves)
    figure(f"{name}: {len(everyone)} switches of {len(network(name).fabrics)} fabrics in {len(order)} waves")


def test_a_canary_that_waits_for_another_keeps_nobody_out_of_the_first_wave() -> None:
    def leaf(fabric: str, number: int, *hosts: str) -> Member:
        return Member(f"{fabric}-{number}", fabric, "leaf", 0, None, number, number, frozenset(hosts))

    everyone = [
        leaf("c", 0, "gpu-1"),
        leaf("b", 0, "gpu-1", "gpu-2"),  # waits for c-0, so that a-2 need not wait for it
        leaf("a", 0, "gpu-1"),
        leaf("a", 2, "gpu-2"),
    ]
    assert [wave.devices for wave in order_of(everyone)] == [("c-0", "a-2"), ("b-0",), ("a-0",)]


@st.composite
def fabrics(draw: st.DrawFn) -> list[Member]:
    """Switches of up to three fabrics, with hosts attached to leaves at random."""
    hosts = [f"gpu-{number}" for number in range(1, draw(st.integers(1, 8)) + 1)]
    found: list[Member] = []
    for fabric in ("a", "b", "c")[: draw(st.integers(1, 3))]:
        rails = draw(st.sampled_from((None, 2)))
        attached: dict[int, frozenset[str]] = {
            number: draw(st.frozensets(st.sampled_from(hosts))) for number in range(draw(st.integers(1, 6)))
        }
        leaves_of = Counter(host for some in attached.values() for host in some)
        for number, some in attached.items():
            rail = None if rails is None else number % rails
            is_only = any(leaves_of[host] == 1 for host in some)
            found.append(Member(f"{fabric}-{number}", fabric, "leaf", 0, rail, number, number, some, is_only))
        spines = range(draw(st.integers(0, 3)))
        found += [Member(f"{fabric}-s{spine}", fabric, "spine", 1, None, spine, spine) for spine in spines]
    return draw(st.permutations(found))


@given(fabrics(), st.sampled_from((0.01, 0.25, 1.0)))
def test_every_switch_goes_once_and_canaries_first_whatever_is_attached_where(
    everyone: list[Member], share: float
) -> None:
    order = order_of(everyone, share)
    check(everyone, order)
    of = {member.device: member for member in everyone}
    first = [of[name] for name in order[0].devices]
    assert all(member.level == 0 for member in first), "a canary is a leaf, as long as there is one"
    taken = {host for member in first for host in member.hosts}
    left_out = {member.fabric for member in everyone} - {member.fabric for member in first}
    for fabric in left_out:
        assert all(member.hosts & taken for member in everyone if member.fabric == fabric and member.level == 0)
    most = most_only_leaves(everyone, share)
    for wave in order:
        only = Counter(of[name].fabric for name in wave.devices if of[name].is_only_leaf)
        assert all(count <= most[fabric] for fabric, count in only.items())


@given(fabrics())
def test_each_fabric_keeps_its_own_order_above_the_leaves(everyone: list[Member]) -> None:
    of = {member.device: member for member in everyone}
    together, alone = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for name in (name for wave in order_of(everyone) for name in wave.devices if of[name].level):
        together[of[name].fabric].append(name)
    for fabric in {member.fabric for member in everyone}:
        own = [member for member in everyone if member.fabric == fabric]
        alone[fabric] = [name for wave in order_of(own) for name in wave.devices if of[name].level]
        assert together[fabric] == alone[fabric]


def test_the_first_wave_is_a_canary_of_each_fabric_without_a_host_in_common() -> None:
    first, *_ = order_of(list(members(network("rails beside one NIC a host"))))
    assert first == Wave("canary", ("fabric-1-leaf-g1-r0", "fabric-2-leaf-g3"))
    assert network("rails beside one NIC a host").nics[0].leaf == "fabric-1-leaf-g1-r0"


def test_canaries_that_share_all_their_hosts_go_one_after_the_other_and_before_all_else() -> None:
    everyone = list(members(network("all hosts on one leaf of each")))
    first, second, *_ = order_of(everyone)
    assert [len(wave.devices) for wave in (first, second)] == [1, 1]
    assert (first.name, second.name) == ("canary", "canary")


def test_spines_of_each_fabric_are_counted_by_themselves_and_go_side_by_side() -> None:
    name = "one NIC a host on each of two"
    everyone = list(members(network(name)))
    spines = defaultdict[str, list[int]](list)
    for member in everyone:
        if member.level == 1:
            spines[member.fabric].append(member.position)
    assert spines["fabric-1"] == spines["fabric-2"] == list(range(1, len(spines["fabric-1"]) + 1))
    of = {member.device: member for member in everyone}
    above = [wave for wave in order_of(everyone) if of[wave.devices[0]].level]
    assert [[of[device].fabric for device in wave.devices] for wave in above] == [["fabric-1", "fabric-2"]] * len(above)


def test_a_leaf_that_is_a_hosts_only_one_in_its_fabric_is_so_though_another_fabric_has_the_host() -> None:
    """Else all storage leaves would go at once: every host has a compute leaf meanwhile, but no storage."""
    everyone = list(members(network("one NIC a host on each of two")))
    leaves = [member for member in everyone if member.level == 0]
    assert all(member.is_only_leaf for member in leaves)
    assert most_only_leaves(everyone, SHARE) == {"fabric-1": 1, "fabric-2": 1}
    assert most_only_leaves(everyone, 0.5) == {"fabric-1": 3, "fabric-2": 3}


def test_what_waits_for_its_hosts_lets_a_later_part_of_its_fabric_go_first() -> None:
    """Two fabrics over the same hosts need no more waves than one of them by itself, and one."""
    both = list(members(network("one NIC a host on each of two")))
    one = [member for member in both if member.fabric == "fabric-1"]
    assert len(order_of(one)) <= len(order_of(both)) <= len(order_of(one)) + 1
