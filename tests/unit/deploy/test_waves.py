"""The order of a push keeps hosts connected."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.cli.push import members
from nornir_tasks.deploy.waves import Member, waves
from tests.reference import reference


def fabric(groups: int, rails: int, spines: int) -> list[Member]:
    leaves = [Member(f"leaf-g{g}-r{r}", "leaf", r, g * rails + r, 0) for g in range(groups) for r in range(rails)]
    return leaves + [Member(f"spine-{s}", "spine", None, s, s) for s in range(spines)]


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 6), st.randoms())
def test_no_wave_takes_two_rails_of_a_host_or_two_spines(groups, rails, spines, random) -> None:
    members = fabric(groups, rails, spines)
    random.shuffle(members)
    order = waves(members)
    by_name = {member.device: member for member in members}
    for wave in order:
        tiers = {by_name[device].tier for device in wave.devices}
        assert len(tiers) == 1
        if tiers == {"leaf"}:
            assert len({by_name[device].rail for device in wave.devices}) == 1
        else:
            assert len(wave.devices) == 1
    assert sorted(device for wave in order for device in wave.devices) == sorted(by_name)
    assert len(order[0].devices) == 1
    assert by_name[order[0].devices[0]].tier == "leaf"


@pytest.mark.parametrize("site", ["lab", "lab-breakout", "ref-28672", "ref-32768"])
def test_no_leaf_loses_two_spines_and_no_pod_a_second_path_to_another(site: str, figure: Callable[[str], None]) -> None:
    fabric = reference(site)
    order = waves(members(fabric))
    above = {device.name: set[str]() for device in fabric.devices}
    for link in fabric.links:
        if link.kind == "fabric":
            above[link.lower.device].add(link.upper.device)
    for wave in order:
        devices = [fabric.device(name) for name in wave.devices]
        if devices[0].tier == "spine":
            pushed = set(wave.devices)
            assert all(len(upper & pushed) <= 1 for upper in above.values())
            assert len({frozenset(above[name]) for name in pushed}) == 1  # the same cores above, if there are any
        elif devices[0].tier == "core":
            assert len(devices) == 1
    assert sorted(name for wave in order for name in wave.devices) == sorted(above)
    figure(f"{site}: {len(above)} switches in {len(order)} waves")


def test_a_part_of_the_fabric_keeps_its_places() -> None:
    some = [each for each in members(reference("ref-32768")) if each.device in ("spine-1", "spine-66", "spine-130")]
    assert [sorted(wave.devices) for wave in waves(some)] == [["spine-1"], ["spine-130", "spine-66"]]


def test_nothing_to_push_is_no_wave() -> None:
    assert waves([]) == ()
