"""Who owns a port, and what stands at a cage that is there in parts."""

from collections.abc import Mapping

import pytest

from nornir_tasks.design.model.claims import SWITCH, Claim, Claims, Owner
from nornir_tasks.platforms import platform

PORTS: Mapping[str, Mapping[str, set[str]]] = {
    "nvue": {"compute": {"swp1s0", "swp2", "swp3s0", "lo"}, "storage": {"swp3s1", "swp4s0"}},
    "nxos": {"compute": {"Ethernet1/3/1", "Ethernet1/5"}},
    "eos": {"business": {"Ethernet63/1"}, "compute": {"Ethernet5/1"}},
}
SPARE = {"nvue": {"swp1s1", "swp4s1", "swp9", "swp8s0", "swp8s1"}}


def plane(name: str, *ports: str, pools: tuple[str, ...] = (), vlans: tuple[int, ...] = ()) -> Claim:
    owner = Owner(name, "plane", f"{name.upper()}-", pools, frozenset(vlans))
    return Claim(owner, frozenset(ports), owner.vlans)


def claims(os: str) -> Claims:
    planes = tuple(plane(name, *ports) for name, ports in PORTS[os].items())
    return Claims(planes, frozenset(SPARE.get(os, ())), split_part=platform(os).facts.split_part)


@pytest.mark.parametrize(
    ("os", "port", "owner"),
    [
        ("nvue", "swp1s0", "compute"),
        ("nvue", "swp1s1", SWITCH),
        ("nvue", "swp9", SWITCH),
        ("nvue", "swp10", None),
        # the whole of a cage that is split: where the split is configured
        ("nvue", "swp1", "compute"),
        ("nvue", "swp4", "storage"),
        ("nvue", "swp3", SWITCH),
        ("nvue", "swp8", SWITCH),
        ("nxos", "Ethernet1/3", "compute"),
        # parts of a cage that is used as a whole: what an earlier split left
        ("nvue", "swp2s1", "compute"),
        ("nvue", "swp9s3", SWITCH),
        ("nxos", "Ethernet1/5/2", "compute"),
        # parts that only another split of the same cage had
        ("nxos", "Ethernet1/3/4", "compute"),
        ("nvue", "swp1s3", "compute"),
        ("nvue", "swp3s2", SWITCH),
        ("nxos", "Ethernet1/33", None),
        ("nxos", "Ethernet1/33/1", None),
        ("nxos", "Ethernet1/5.100", None),
        # lanes of EOS are ports by themselves
        ("eos", "Ethernet63/1", "business"),
        ("eos", "Ethernet63/5", None),
        ("eos", "Ethernet63", None),
        ("eos", "Ethernet5/1/2", None),
    ],
)
def test_a_port_and_its_cage_have_one_owner(os: str, port: str, owner: str | None) -> None:
    assert claims(os).by_port(port) == owner


TRUNK = Claims(
    (
        Claim(Owner("front", "fabric", "FRONT-", ("10.255.0.0/16",)), frozenset({"lo", "swp64"})),
        plane("red", "swp1", "swp2", pools=("10.1.0.0/16",), vlans=(301,)),
        plane("blue", "swp1", pools=("10.2.0.0/16",), vlans=(302,)),
    )
)


def test_a_port_of_several_owners_is_their_fabrics_and_its_lines_are_judged_one_by_one() -> None:
    assert (TRUNK.by_port("swp1"), TRUNK.has_several("swp1")) == ("fabric front", True)
    assert (TRUNK.by_port("swp2"), TRUNK.has_several("swp2")) == ("red", False)
    assert (TRUNK.by_vlan("301"), TRUNK.by_vlan("302"), TRUNK.by_vlan("303")) == ("red", "blue", None)


def test_the_fabric_and_the_switch_go_with_any_plane() -> None:
    assert TRUNK.planes == {"red", "blue"}
    assert TRUNK.shared == {SWITCH, "fabric front"}
    assert (claims("nvue").shared, claims("nvue").fabric) == ({SWITCH}, SWITCH)  # of no fabric
