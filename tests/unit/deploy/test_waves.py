"""The order of a push keeps hosts connected."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.deploy.waves import Member, Wave, members, most_only_leaves, waves
from nornir_tasks.design.model.network import Network
from tests.reference import reference
from tests.strategies import built, fabrics
from tests.unit.design.test_nearest import site

SHARE = 0.25


def order_of(network: Network, share: float = SHARE) -> tuple[Wave, ...]:
    everyone = tuple(members(network))
    return waves(everyone, most_only_leaves(everyone, share))


def hosts_without_a_leaf(network: Network, wave: Wave) -> set[str]:
    """The hosts of which every leaf is in this wave."""
    left = {nic.host for nic in network.nics if nic.leaf not in wave.devices}
    return set(network.hosts) - left


def clos(hosts: int, *, per_leaf: int = 4, rails: int = 8) -> Network:
    """All NICs of a host on one leaf."""
    return built(site(design="clos", hosts__count=hosts, hosts__max=hosts, nics__per_group=per_leaf, nics__rails=rails))


def network(groups: int, rails: int, spines: int) -> list[Member]:
    places = [(g, r) for g in range(groups) for r in range(rails)]
    leaves = [Member(f"leaf-g{g}-r{r}", "compute", "leaf", 0, r, g * rails + r, 0) for g, r in places]
    return leaves + [Member(f"spine-{s}", "compute", "spine", 1, None, s, s) for s in range(spines)]


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 6), st.randoms())
def test_no_wave_takes_two_rails_of_a_host_or_two_spines(groups, rails, spines, random) -> None:
    members = network(groups, rails, spines)
    random.shuffle(members)
    order = waves(members, {"compute": 1})
    by_name = {member.device: member for member in members}
    for wave in order:
        tiers = {by_name[device].role for device in wave.devices}
        assert len(tiers) == 1
        if tiers == {"leaf"}:
            assert len({by_name[device].rail for device in wave.devices}) == 1
        else:
            assert len(wave.devices) == 1
    assert sorted(device for wave in order for device in wave.devices) == sorted(by_name)
    assert len(order[0].devices) == 1
    assert by_name[order[0].devices[0]].role == "leaf"


@pytest.mark.parametrize("site", ["lab-rails", "lab-breakout", "ref-28672", "ref-32768"])
def test_no_leaf_loses_two_spines_no_spine_two_cores_and_no_pod_more_than_by_a_spine(
    site: str, figure: Callable[[str], None]
) -> None:
    network = reference(site)
    order = order_of(network)
    above = {device.name: set[str]() for device in network.devices}
    for link in network.links:
        if link.kind == "fabric":
            above[link.lower.device].add(link.upper.device)
    for wave in order:
        devices = [network.device(name) for name in wave.devices]
        if devices[0].role == "spine":
            pushed = set(wave.devices)
            assert all(len(upper & pushed) <= 1 for upper in above.values())
            assert len({frozenset(above[name]) for name in pushed}) == 1  # the same cores above, if there are any
        elif devices[0].role == "core":
            pushed = set(wave.devices)
            assert all(len(upper & pushed) <= 1 for upper in above.values())
            lost = len(pushed) / sum(each.role == "core" for each in network.devices)
            assert lost <= max(1 / len(above[each.name]) for each in network.devices if each.role == "leaf")
    assert sorted(name for wave in order for name in wave.devices) == sorted(above)
    figure(f"{site}: {len(above)} switches in {len(order)} waves")


def test_a_part_of_the_fabric_keeps_its_places() -> None:
    some = [each for each in members(reference("ref-32768")) if each.device in ("spine-1", "spine-66", "spine-130")]
    assert [sorted(wave.devices) for wave in waves(some, {"compute": 1})] == [["spine-1"], ["spine-130", "spine-66"]]


def test_nothing_to_push_is_no_wave() -> None:
    assert waves([], {}) == ()


@given(fabrics())
def test_no_wave_takes_two_leaves_of_a_host_nor_more_only_leaves_than_declared(network: Network) -> None:
    leaves_of: dict[str, set[str]] = {}
    for nic in network.nics:
        leaves_of.setdefault(nic.host, set()).add(nic.leaf)
    only = {leaf for leaves in leaves_of.values() if len(leaves) == 1 for leaf in leaves}
    order = order_of(network)
    for wave in order:
        assert all(len(leaves.intersection(wave.devices)) <= 1 for leaves in leaves_of.values())
        assert len(only.intersection(wave.devices)) <= max(1, SHARE * len(only))
    assert sorted(name for wave in order for name in wave.devices) == sorted(each.name for each in network.devices)


def test_three_quarters_of_the_hosts_keep_their_leaf_where_each_has_only_one(figure: Callable[[str], None]) -> None:
    network = clos(64)
    assert len(network.hosts) == 64
    order = order_of(network)
    cut = [len(hosts_without_a_leaf(network, wave)) for wave in order]
    assert max(cut) == 16
    assert sum(cut) == 64
    figure(f"clos, 16 leaves: {len(order)} waves, at least {64 - max(cut)} of 64 hosts keep their leaf in each")


def test_every_host_keeps_a_leaf_where_its_nics_are_on_several() -> None:
    network = reference("ref-512")
    assert all(hosts_without_a_leaf(network, wave) == set() for wave in order_of(network))


def test_one_rail_is_not_pushed_all_at_once_where_hosts_have_no_second() -> None:
    network = built(site(nics__rails=1, hosts__count=64, hosts__max=64, nics__per_group=4))
    assert max(len(hosts_without_a_leaf(network, wave)) for wave in order_of(network)) == 16


def test_a_declared_share_decides_how_many_go_together() -> None:
    network = clos(64)
    assert max(len(wave.devices) for wave in order_of(network, 0.5)) == 8
    assert max(len(wave.devices) for wave in order_of(network, 0.01)) == 1


def test_leaves_that_share_hosts_take_turns() -> None:
    pairs = [
        Member(f"leaf-{n}", "compute", "leaf", 0, None, n, n, frozenset({f"gpu-{(n + 1) // 2}"})) for n in range(1, 9)
    ]
    canary, *rest = waves(pairs, {"compute": 1})
    assert canary.devices == ("leaf-1",)
    assert [wave.devices for wave in rest] == [("leaf-2", "leaf-3", "leaf-5", "leaf-7"), ("leaf-4", "leaf-6", "leaf-8")]
