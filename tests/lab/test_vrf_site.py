"""A site in a VRF, on switches of all three systems: pushed, nothing to do again, valid; sessions of others stay, and
what a hand at a switch does to its routes is named.
"""

import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.lab.at_terminal import Operator
from tests.vrf_site import LEAVES, SITE, VRF, network

pytestmark = pytest.mark.xdist_group("vrf-site")

THEIRS = {
    "eos": (("neighbor 192.0.2.9 remote-as 64999",),),
    "nxos": (("neighbor 192.0.2.9", "remote-as 64999"),),
}


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    where = tmp_path_factory.mktemp("vrf")
    shutil.copytree(SITE, where / "vrf")
    operator = Operator(where / "vrf", where / "state")
    operator.start()
    try:
        assert "6 of 6 changed" in operator.run("push", "--plane", "compute", "--yes")
        yield operator
    finally:
        operator.run("lab", "down")


def test_a_second_push_changes_nothing(pushed: Operator) -> None:
    assert "0 of 6 changed" in pushed.run("push", "--plane", "compute", "--yes")


def test_the_whole_site_is_valid_and_its_routes_are_judged_in_the_vrf(
    pushed: Operator, figure: Callable[[str], None]
) -> None:
    report = pushed.json("validate")
    assert (report["failed"], report["tested"]) == (0, report["of"])
    routes = [each["id"] for each in report["findings"] if each["check"] == "ecmp" and "others" not in each["id"]]
    assert len(routes) == 48
    assert all(each.endswith(f" in VRF {VRF}") for each in routes)
    figure(f"tested {report['tested']} of {report['of']}")


def test_sessions_of_others_in_the_vrf_come_through_a_push_and_a_lost_network_is_named_and_repaired(
    pushed: Operator,
) -> None:
    hands = pushed.hands()
    leaves = [network().device(LEAVES[os]) for os in ("eos", "nxos")]
    blocks = {leaf.name: network().host_block(leaf.name, "compute") for leaf in leaves}
    family = {"eos": "address-family ipv4", "nxos": "address-family ipv4 unicast"}
    for leaf in leaves:
        process = (f"router bgp {leaf.asn}", f"vrf {VRF}")
        hands[leaf.name].configure(*process, *(each for path in THEIRS[leaf.os] for each in path))
        hands[leaf.name].configure(*process, family[leaf.os], f"no network {blocks[leaf.name]}")
    report = pushed.json("validate", code=8)
    failed = [each["id"] for each in report["findings"] if each["verdict"] == "fail" and each["check"] == "ecmp"]
    wrong = {each.split(maxsplit=2)[2] for each in failed}
    assert wrong == {f"{blocks[leaf.name]} in VRF {VRF}" for leaf in leaves}
    assert all(each.startswith("config leaf-g1-r") for each in report["causes"] if not each.startswith("unfinished"))
    assert "2 of 6 changed" in pushed.run("push", "--plane", "compute", "--yes")
    assert pushed.json("validate")["failed"] == 0
    for leaf in leaves:
        assert "neighbor 192.0.2.9" in hands[leaf.name].running()
