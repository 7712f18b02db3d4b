"""The order of a push keeps hosts connected."""

from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.deploy.waves import Member, waves


def fabric(groups: int, rails: int, spines: int) -> list[Member]:
    leaves = [Member(f"leaf-g{g}-r{r}", "leaf", r, g * rails + r) for g in range(groups) for r in range(rails)]
    return leaves + [Member(f"spine-{s}", "spine", None, s) for s in range(spines)]


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


def test_nothing_to_push_is_no_wave() -> None:
    assert waves([]) == ()
