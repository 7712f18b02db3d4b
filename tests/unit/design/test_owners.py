"""Owners are declared once, and none can be taken for another."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.contribute.owners import check_owners, check_vlans, declared
from nornir_tasks.design.model.claims import Owner, host_prefix, name_prefix
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Marks
from nornir_tasks.intent.keys.fabric import FabricIntent
from tests.unit.design.lab_like import lab
from tests.unit.design.toys import STORAGE, real_lab, with_kind, with_storage


def fabric(name: str, *pools: str) -> Owner:
    return Owner(name, "fabric", name_prefix(name), pools)


def plane(name: str, *pools: str, on: str = "front", vlans: tuple[int, ...] = (), vrf: str | None = None) -> Owner:
    return Owner(name, "plane", host_prefix(name, on), pools, frozenset(vlans), vrf)


def refused(*owners: Owner) -> list[tuple[str, str, str]]:
    with pytest.raises(DesignError) as caught:
        check_owners(owners)
    return [(*each.what.split(": "), each.found) for each in caught.value.problems]


def test_a_fabric_and_the_plane_of_its_name_are_two_owners() -> None:
    owners = declared(real_lab(), kinds())
    assert [(each.key, str(each), each.prefix) for each in owners] == [
        ("fabric compute", "fabric compute", "COMPUTE-"),
        ("compute", "plane compute", "COMPUTE-HOSTS"),
    ]
    assert not set(owners[0].pools) & set(owners[1].pools)


def test_names_that_begin_alike_are_refused_with_both_prefixes() -> None:
    assert refused(plane("storage"), plane("storage-b")) == [
        (
            "planes.storage-b",
            "plane storage-b and plane storage begin alike on switches",
            "STORAGE-, STORAGE-B-; see planes.storage",
        )
    ]
    check_owners((plane("storage"), plane("storageb")))


def test_a_plane_called_like_a_fabric_that_it_does_not_ride_on_is_refused() -> None:
    found = refused(fabric("storage"), plane("storage"))
    assert found[0][1] == "plane storage and fabric storage begin alike on switches"
    check_owners((fabric("storage"), plane("storage", on="storage")))


def test_nobody_can_be_called_like_the_switch_itself() -> None:
    assert refused(plane("switch"))[0][:2] == ("planes.switch", "plane switch and the switch have one name")
    assert refused(plane("gpufabric"))[0][1] == "plane gpufabric and the switch begin alike on switches"


def test_pools_that_overlap_in_one_vrf_are_refused_and_in_two_are_not() -> None:
    one, other = plane("red", "10.0.0.0/8"), plane("blue", "10.32.0.0/16", "10.33.0.0/16")
    assert refused(one, other) == [
        (
            "planes.blue",
            "plane blue and plane red have pools that overlap",
            "10.0.0.0/8, 10.32.0.0/16; 10.0.0.0/8, 10.33.0.0/16; see planes.red",
        )
    ]
    check_owners((one, replace(other, vrf="blue")))


def test_everything_that_can_be_taken_for_something_else_is_named_at_once() -> None:
    found = refused(plane("red", "10.0.0.0/8"), plane("red-b", "10.1.0.0/16"), fabric("blue", "10.2.0.0/16"))
    both = ["plane red-b and plane red"] * 2 + ["fabric blue and plane red"]
    assert [what.split(" have")[0].split(" begin")[0] for _, what, _ in found] == both


def test_owners_that_clash_are_named_with_the_lines_of_the_file_that_describe_both() -> None:
    marks = Marks("fabric.yml", {("planes", "red"): 7, ("fabrics", "blue"): 12})
    with pytest.raises(DesignError) as caught:
        check_owners((plane("red", "10.0.0.0/8"), fabric("blue", "10.2.0.0/16")), marks)
    (problem,) = caught.value.problems
    assert problem.where == "fabric.yml:12"
    assert problem.found == "10.0.0.0/8, 10.2.0.0/16; see planes.red in line 7"


def test_two_planes_on_one_fabric_have_vlans_of_their_own() -> None:
    check_vlans((plane("red", vlans=(300,)), plane("blue", vlans=(301,))))
    with pytest.raises(DesignError) as caught:
        check_vlans((plane("red", vlans=(300, 310)), plane("blue", vlans=(310,))))
    assert [(each.what, each.found) for each in caught.value.problems] == [
        ("planes.blue: plane blue and plane red have one VLAN", "310; see planes.red")
    ]


def test_a_plane_whose_pool_is_the_fabrics_is_refused_before_anything_is_designed_of_it() -> None:
    taken = lab().fabrics["compute"].pools["loopback"]
    greedy = replace(STORAGE, owner=lambda plane, _: Owner(plane.name, "plane", "STORAGE-", (taken,)))
    with pytest.raises(DesignError, match="plane storage and fabric compute have pools that overlap"):
        declared(with_storage(), with_kind(greedy))


def designs() -> Iterator[str]:
    (word,) = (each for name, each in FabricIntent.__annotations__.items() if name == "design")
    yield from word.__args__


def test_every_design_of_fabrics_that_can_be_laid_out_has_its_module_and_so_has_the_plane() -> None:
    # edge routers are described at the boundary, not among fabrics
    assert {*designs(), "edge"} == kinds().fabrics.keys()
    assert set(kinds().planes) == {"business", "compute", "oob", "storage"}
