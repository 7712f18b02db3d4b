"""What a model's published limits refuse: the figures here are made small, so that small fabrics meet them."""

from dataclasses import replace
from typing import Any

import pytest

from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.pipeline import design
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from tests.intent_parts import fabric
from tests.plain_facts import plain_facts
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site


def refusal(data: dict[str, Any], **limits: int) -> str:
    known = load_catalogue()
    small = {**known.switches, "SN5600": replace(known.switches["SN5600"], **limits)}
    with pytest.raises(DesignError) as caught:
        design(intent_of(data), Catalogue(small, known.nics), plain_facts())
    return str(caught.value)


def test_more_routes_than_the_forwarding_table_holds() -> None:
    text = refusal(site(hosts__max=64, nics__per_group=16), ipv4_routes=50)
    assert "SN5600 holds 50 IPv4 routes" in text
    assert "68: two for each of 32 leaves, one for each of 4 spines" in text
    assert "nearest that can be built: hosts.gpu.max: 32" in text
    fitting = site(hosts__max=32, nics__per_group=16)
    known = load_catalogue()
    small = {**known.switches, "SN5600": replace(known.switches["SN5600"], ipv4_routes=50)}
    assert design(intent_of(fitting), Catalogue(small, known.nics), plain_facts()).devices


def test_more_bfd_sessions_than_the_switch_holds() -> None:
    assert "SN5600 holds 4 BFD sessions" in refusal(site(), max_bfd_sessions=4)


def test_more_ports_at_once_than_the_switch_has() -> None:
    assert "SN5600 has 70 ports at once" in refusal(
        site(hosts__max=128, nics__per_group=16, spine__breakout="2x400G"), logical_ports=70
    )


def test_a_split_that_takes_away_the_next_cage_leaves_only_odd_ones() -> None:
    model = load_catalogue().switches["SN5600"]
    assert model.ports_at(100, 8)[:3] == (1, 3, 5)
    assert len(model.slots_at(100, 8)) == 256


def unnumbered(**bfd: bool) -> dict[str, Any]:
    data = site(leaf__platform="nvue", leaf__release="5.14", leaf__model="SN5600")
    fabric(data)["routing"] = {"addressing": "unnumbered", **bfd}
    return data


def test_bfd_on_unnumbered_links_is_refused_where_no_source_vouches_for_it_and_built_without() -> None:
    facts = plain_facts()

    def deaf(release: str, asic: str) -> Capabilities:
        return replace(plain_facts()["nvue"].capabilities(release, asic), has_link_local_bfd=False)

    facts["nvue"] = replace(facts["nvue"], capabilities=deaf)
    with pytest.raises(DesignError) as caught:
        design(intent_of(unnumbered(bfd=True)), load_catalogue(), facts)
    assert "fabrics.compute.routing.bfd: no source says that BFD follows a session over link-local" in str(caught.value)
    fabric = design(intent_of(unnumbered(bfd=False)), load_catalogue(), facts)
    assert {each.is_numbered for each in fabric.circuits if each.link.kind == "fabric"} == {False}
    assert design(intent_of(unnumbered(bfd=True)), load_catalogue(), plain_facts()).links


def test_an_end_that_only_one_side_vouches_for_is_no_end_of_an_unnumbered_link() -> None:
    facts = plain_facts()

    def alone(release: str, asic: str) -> Capabilities:
        known = plain_facts()["nvue"].capabilities(release, asic)
        return known if release == "5.16" else replace(known, unnumbered_with=(("nvue", r"5\.14"),))

    facts["nvue"] = replace(facts["nvue"], capabilities=alone)
    data = unnumbered()
    fabric(data)["leaf"]["release"] = "5.16"
    fabric(data)["spine"]["release"] = "5.14"
    with pytest.raises(DesignError, match=r"nvue 5\.16 - nvue 5\.14"):
        design(intent_of(data), load_catalogue(), facts)


def test_more_neighbors_or_mac_addresses_than_the_tables_hold() -> None:
    wide = site(hosts__max=64, nics__per_group=16)
    assert "SN5600 holds 8 IPv4 neighbors" in refusal(wide, ipv4_neighbors=8)
    spectrum = {"platform": "nvue", "release": "5.14", "model": "SN5600"}
    in_vlan = site(link="svi", vlan=200, leaf=spectrum)
    assert "SN5600 holds 1 MAC addresses" in refusal(in_vlan, mac_addresses=1)


def test_more_ecmp_groups_or_members_than_the_tables_hold() -> None:
    assert "SN5600 holds 1 ECMP members" in refusal(
        site(leaf={"platform": "nvue", "release": "5.14", "model": "SN5600"}), max_ecmp_members=1
    )
