"""Who is locked out by an access list of the control plane."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.design.contribute.lockout import locked_out
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.errors import DesignError
from tests.unit.design import out_of_band

NETWORKS = st.ip_addresses(v=4).flatmap(
    lambda address: st.integers(8, 32).map(lambda length: f"{_masked(int(address), length)}/{length}")
)


def _masked(address: int, length: int) -> str:
    value = address >> (32 - length) << (32 - length)
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


@pytest.mark.parametrize(
    ("allowed", "needed", "expected"),
    [
        (["192.0.2.0/24"], ["192.0.2.7"], ()),
        (["192.0.2.0/24"], ["192.0.2.0/25", "192.0.2.0/24"], ()),
        (["192.0.2.0/24"], ["192.0.3.7"], ("192.0.3.7",)),
        (["192.0.2.0/25", "192.0.2.128/25"], ["192.0.2.0/24"], ("192.0.2.0/24",)),
        ([], ["192.0.2.7"], ("192.0.2.7",)),
        (["192.0.2.7/32"], [], ()),
        (["198.51.100.0/24"], ["192.0.2.9", "192.0.2.8"], ("192.0.2.9", "192.0.2.8")),
    ],
)
def test_who_is_in_no_allowed_prefix_is_named_in_order(
    allowed: list[str], needed: list[str], expected: tuple[str, ...]
) -> None:
    assert locked_out(allowed, needed) == expected


@given(st.lists(NETWORKS, max_size=5), st.lists(NETWORKS, max_size=5))
def test_what_is_allowed_is_never_locked_out_and_more_that_is_allowed_locks_out_no_more(
    allowed: list[str], needed: list[str]
) -> None:
    assert locked_out([*allowed, *needed], needed) == ()
    assert set(locked_out([*allowed, "10.0.0.0/8"], needed)) <= set(locked_out(allowed, needed))


def with_control(*allowed: str) -> Network:
    """A site with an out-of-band plane, whose switches let in these."""
    base = {"control_plane": {"allowed": list(allowed)}}
    return out_of_band.designed({**out_of_band.with_out_of_band(out_of_band.rails()), "base": base})


def test_a_list_that_keeps_out_who_may_enter_the_out_of_band_plane_is_refused_and_one_that_does_not_is_designed() -> (
    None
):
    with pytest.raises(DesignError) as refused:
        with_control("192.0.2.0/24")
    right = with_control("192.0.2.0/24", "10.183.0.0/16")
    bastion = right.ends_of_flows["oob"]["bastion"].prefixes["ipv4"]
    (problem,) = refused.value.problems  # one for the group, however many switches there are
    assert problem.found.startswith("192.0.2.0/24")
    assert all(str(each) in problem.expected and str(each) in problem.hint for each in bastion)
    control = device_config(right, right.devices[0]).config.base.reach.control_plane
    assert control is not None
    assert {rule.source for rule in control.rules} > {"192.0.2.0/24", "10.183.0.0/16"}
    assert control.rules[-1].is_all
    assert not control.rules[-1].permit
