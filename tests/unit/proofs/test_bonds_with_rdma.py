"""Proofs follow RDMA over a bond: each member's cable is lossless at both ends, and hosts on bonds mark like others."""

from typing import Any

import pytest
import yaml

from nornir_tasks.proofs import class_path, headroom_fits, pauses
from nornir_tasks.usecases.site import load
from tests.unit.design import rdma_bonds
from tests.unit.proofs.lossless_mutants import Mutant, Rendered

LEAF = "front-leaf-g2-a"
"""Of the servers, which have bonds and no rail."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    folder = tmp_path_factory.mktemp("rdma-bonds")
    (folder / "fabric.yml").write_text(yaml.safe_dump(rdma_bonds.data(), sort_keys=False))
    return Rendered(load(folder))


def found(site: Rendered, name: str, text: str = "", **changed: Any) -> Any:
    """What a proof finds with another text of LEAF, or other variables of store-1."""
    hosts = {**site.hosts, "store-1": {**site.hosts["store-1"], **changed}}
    outcomes = site.proved(Mutant(LEAF, 0, "", "", text or site.texts[LEAF]), hosts).outcomes
    return next(each for each in outcomes if each.name == name)


@pytest.mark.parametrize("proof", [class_path, pauses, headroom_fits])
def test_a_right_site_holds_and_members_cables_are_judged(site: Rendered, proof: Any) -> None:
    outcome = found(site, proof.NAME)
    assert not outcome.broken
    bare = {name: {} if name == "store-1" else each for name, each in site.hosts.items()}
    less = site.proved(Mutant(LEAF, 0, "", "", site.texts[LEAF]), bare).outcomes
    assert next(each for each in less if each.name == proof.NAME).judged < outcome.judged


def test_a_host_that_marks_otherwise_over_its_bond_is_named(site: Rendered) -> None:
    broken = found(site, class_path.NAME, roce_qos_traffic_class=26).broken
    assert {each.where for each in broken} == {"store-1"}


def test_a_member_that_is_told_too_short_a_cable_is_named(site: Rendered) -> None:
    broken = found(site, headroom_fits.NAME, roce_qos_cable_m=1).broken
    assert {str(each.where).partition(" to ")[0] for each in broken} == {"store-1 data0", "store-1 data1"}


def test_a_members_leaf_that_sorts_rdma_otherwise_is_named(site: Rendered) -> None:
    there, gone = ('"26":\n          switch-priority: ' + priority for priority in ("3", "0"))
    assert there in site.texts[LEAF]
    broken = found(site, class_path.NAME, site.texts[LEAF].replace(there, gone)).broken
    assert any("store-1" in each.where and "data0" in each.where for each in broken)
