"""Who owns a port, and what stands at a cage that is there in parts."""

import pytest

from nornir_tasks.design.claims import SWITCH, Claims, PlaneClaim

CLAIMS = Claims(
    (
        PlaneClaim("compute", frozenset({"swp1s0", "swp2", "swp3s0", "Ethernet1/3/1", "Ethernet1/5", "lo"}), ()),
        PlaneClaim("storage", frozenset({"swp3s1", "swp4s0"}), ()),
        PlaneClaim("business", frozenset({"Ethernet63/1"}), ()),
    ),
    frozenset({"swp1s1", "swp4s1", "swp9", "swp8s0", "swp8s1"}),
)


@pytest.mark.parametrize(
    ("port", "owner"),
    [
        ("swp1s0", "compute"),
        ("swp1s1", SWITCH),
        ("swp9", SWITCH),
        ("swp10", None),
        # the whole of a cage that is split: where the split is configured
        ("swp1", "compute"),
        ("swp4", "storage"),
        ("swp3", SWITCH),
        ("swp8", SWITCH),
        ("Ethernet1/3", "compute"),
        # parts of a cage that is used as a whole: what an earlier split left
        ("swp2s1", "compute"),
        ("swp9s3", SWITCH),
        ("Ethernet1/5/2", "compute"),
        # parts that only another split of the same cage had
        ("Ethernet1/3/4", "compute"),
        ("swp1s3", "compute"),
        ("swp3s2", SWITCH),
        ("Ethernet1/33", None),
        ("Ethernet1/33/1", None),
        ("Ethernet1/5.100", None),
        # lanes of EOS are ports by themselves
        ("Ethernet63/1", "business"),
        ("Ethernet63/5", None),
        ("Ethernet63", None),
    ],
)
def test_a_port_and_its_cage_have_one_owner(port: str, owner: str | None) -> None:
    assert CLAIMS.by_port(port) == owner
