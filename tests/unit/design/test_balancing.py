"""Load balancing: which switches take part, what each system makes of it, and what stands against it."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.layout.balancing import SETTING
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from tests.intent_parts import figures
from tests.strategies import intent_of
from tests.unit.design.test_nearest import site

EOS = {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
JERICHO = {"platform": "eos", "release": "4.33.1F", "model": "7280DR3-24"}
NXOS = {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"}
OLD_NXOS = {**NXOS, "release": "10.4(3)"}
NVUE = {"platform": "nvue", "release": "5.14", "model": "SN5400"}
NVUE_800G = {**NVUE, "model": "SN5600"}
SPECTRUM3 = {**NVUE, "model": "SN4700"}


def intended(mode: str, leaf: dict[str, str], spine: dict[str, str], **more: Any) -> Intent:
    """A small site: eight hosts, two rails, so four 400G uplinks a leaf, two to each spine."""
    shape: dict[str, Any] = {
        "hosts": {"count": 8, "max": 64},
        "nics": {"per_group": 8, "rails": 2, "speed": "200G", "model": "ConnectX-7"},
        "leaf": leaf,
        "spine": {**spine, "oversubscription": 1, "count": 2},
    }
    data = site(**{**shape, **more})
    data["policy"]["load_balancing"] = mode
    return intent_of(data)


def built(
    mode: str, leaf: dict[str, str], spine: dict[str, str], known: Catalogue | None = None, **more: Any
) -> Network:
    """That site under the real systems."""
    facts = {name: each.facts for name, each in platforms().items()}
    return design(intended(mode, leaf, spine, **more), known or load_catalogue(), facts)


def realised(network: Network) -> dict[str, Realised]:
    return {each.config.name: each for each in device_configs(network)}


def fabric_ports(network: Network, device: str) -> set[str]:
    return {link.end(device).port for link in network.links_of(device) if link.kind == "fabric"}


@pytest.mark.parametrize("spine", [EOS, NXOS], ids=["eos", "nxos"])
@pytest.mark.parametrize("leaf", [EOS, NXOS], ids=["eos", "nxos"])
def test_flowlet_is_held_by_every_switch_with_equal_paths_on_all_its_ports_to_switches(leaf: Any, spine: Any) -> None:
    network = built("flowlet", leaf, spine)
    for name, each in realised(network).items():
        configured = each.config.load_balancing
        assert configured is not None
        assert configured.mode == "flowlet"
        assert (
            configured.ports is None
            if each.config.os == "eos"
            else set(configured.ports) == fabric_ports(network, name)
        )


@pytest.mark.parametrize("spine", [NXOS, NVUE], ids=["nxos", "nvue"])
@pytest.mark.parametrize("leaf", [NXOS, NVUE], ids=["nxos", "nvue"])
def test_per_packet_is_held_by_all_members_of_every_set_of_equal_paths(leaf: Any, spine: Any) -> None:
    network = built("per_packet", leaf, spine)
    for name, each in realised(network).items():
        configured = each.config.load_balancing
        assert configured is not None
        assert (configured.mode, configured.flow_set_size) == ("per_packet", None)
        assert set(configured.ports or ()) == fabric_ports(network, name)


def test_a_spine_with_one_link_to_each_leaf_has_nothing_to_balance_and_may_be_of_any_kind() -> None:
    network = built("flowlet", EOS, NVUE_800G, spine__count=4)
    configured = {name: each.config.load_balancing for name, each in realised(network).items()}
    below = Counter((x.upper.device, x.lower.device) for x in network.links if x.kind == "fabric")
    assert set(below.values()) == {1}
    assert {name.partition("-")[0] for name, each in configured.items() if each is not None} == {"leaf"}


def test_static_asks_nothing_of_anybody() -> None:
    assert {each.config.load_balancing for each in realised(built("static", OLD_NXOS, SPECTRUM3)).values()} == {None}


@pytest.mark.parametrize(
    ("mode", "leaf", "spine", "words"),
    [
        pytest.param("flowlet", OLD_NXOS, EOS, "leaf N9K-C9364D-GX2A with nxos 10.4(3)", id="before-dlb"),
        pytest.param(
            "flowlet", EOS, OLD_NXOS, "spine N9K-C9364D-GX2A with nxos 10.4(3)", id="parallel-links-of-a-spine"
        ),
        pytest.param("flowlet", EOS, NVUE, "spine SN5400 with nvue 5.14", id="adaptive-routing-is-per-packet"),
        pytest.param("flowlet", EOS, JERICHO, "spine 7280DR3-24 with eos 4.33.1F", id="another-asic"),
        pytest.param("per_packet", EOS, NXOS, "leaf 7060DX5-64S with eos 4.33.1F", id="no-source-for-spraying"),
        pytest.param("per_packet", SPECTRUM3, NXOS, "leaf SN4700 with nvue 5.14", id="before-spectrum4"),
    ],
)
def test_a_switch_with_equal_paths_that_cannot_is_named_with_those_that_can(mode, leaf, spine, words) -> None:
    with pytest.raises(DesignError) as caught:
        built(mode, leaf, spine, hosts__max=32)
    text = str(caught.value)
    assert f"{words} has several equal-cost paths and no known {mode}" in text
    assert f"known to have {mode}: " in text
    assert "NX-OS from 10.5(1) on Cloud Scale GX2" in text
    assert len(caught.value.problems) == 1


def test_the_nearest_mode_is_one_that_all_of_them_have() -> None:
    with pytest.raises(DesignError, match="expected: static or per_packet"):
        built("flowlet", NXOS, NVUE)
    built("per_packet", NXOS, NVUE)
    with pytest.raises(DesignError, match="expected: static or flowlet"):
        built("per_packet", EOS, NXOS)
    built("flowlet", EOS, NXOS)


def test_adaptive_routing_is_refused_on_links_faster_than_it_runs_on() -> None:
    faster = {"nics__speed": "400G", "spine__count": 1, "nics__per_group": 16}
    with pytest.raises(DesignError) as caught:
        built("per_packet", NVUE_800G, NVUE_800G, **faster)
    text = str(caught.value)
    assert "leaf SN5600 with nvue 5.14 does per_packet on links of 200G and 400G" in text
    assert "its links to other switches are of 800G" in text


@pytest.mark.parametrize("model", ["ConnectX-7", "ConnectX-8", "BlueField-3"])
def test_a_nic_that_a_role_tells_to_reorder_takes_per_packet(model: str) -> None:
    speed = {"nics__speed": "400G", "nics__per_group": 4} if model == "ConnectX-8" else {}
    network = built("per_packet", NXOS, NVUE, nics__model=model, **speed)
    assert {each.config.load_balancing.mode for each in realised(network).values() if each.config.load_balancing} == {
        "per_packet"
    }


def test_per_packet_asks_for_nics_that_reorder() -> None:
    def refusal(**nic: Any) -> str:
        known = load_catalogue()
        nics = {**known.nics, "ConnectX-7": replace(known.nics["ConnectX-7"], **nic)}
        with pytest.raises(DesignError) as caught:
            built("per_packet", NXOS, NVUE, Catalogue(known.switches, nics))
        (problem,) = caught.value.problems
        return str(problem)

    assert "ConnectX-7 is not known to reorder" in refusal(out_of_order_rdma=None)
    assert "ConnectX-7 is not known to reorder" in refusal(out_of_order_rdma=False)
    text = refusal(out_of_order_setting="a jumper on the card")
    assert "only with a setting on its host, which no role makes" in text
    assert "the setting is a jumper on the card" in text


def test_every_nic_of_the_catalogue_that_needs_a_setting_names_the_one_that_a_role_makes() -> None:
    needing = {name: nic for name, nic in load_catalogue().nics.items() if nic.out_of_order_setting}
    assert {nic.out_of_order_setting for nic in needing.values()} == {SETTING}
    assert needing.keys() == {
        "BlueField-3",
        "ConnectX-6",
        "ConnectX-7",
        "ConnectX-8",
    }


def flow_sets(**hosts: Any) -> dict[str, int | None]:
    found = realised(built("flowlet", EOS, EOS, **hosts))
    return {name: x.config.load_balancing.flow_set_size for name, x in found.items() if x.config.load_balancing}


def test_the_table_of_flow_sets_has_room_for_a_set_to_each_other_switch_of_the_layout() -> None:
    """17 others: 32 sets of 1024 entries; sets to 16 would not do."""
    network = built("flowlet", EOS, EOS)
    assert network.fabrics["compute"].switches == 18
    assert set(flow_sets().values()) == {3}
    routes = count_routes(network)
    assert max(each.groups for each in routes.values()) <= 32
    assert max(each.widest for each in routes.values()) <= 1024


def test_growth_within_the_maximum_does_not_carve_the_table_anew() -> None:
    small, full = flow_sets(hosts__count=8), flow_sets(hosts__count=64)
    assert small.items() <= full.items()
    assert len(full) > len(small)


def test_more_switches_than_there_are_flow_sets_is_said() -> None:
    spine = {"spine__model": "7060X6-64PE", "spine__breakout": "2x400G", "spine__oversubscription": 2}
    network = built("flowlet", EOS, EOS, hosts__max=512, **spine)
    leaf = realised(network)["leaf-g1-r0"]
    assert leaf.config.load_balancing is not None
    assert leaf.config.load_balancing.flow_set_size == 1
    (rows,) = [each for each in leaf.adjustments if each.field == "load_balancing.sets"]
    assert (int(rows.intended), rows.adjusted) == (network.fabrics["compute"].switches - 1, "128")


def test_explain_says_what_each_kind_of_switch_does_and_whence_that_is_known() -> None:
    rows = figures(intended("flowlet", NXOS, EOS), built("flowlet", NXOS, EOS))
    leaf = rows["load balancing, leaf N9K-C9364D-GX2A, nxos 10.5(1)"]
    spine = rows["load balancing, spine 7060DX5-64S, eos 4.33.1F"]
    assert (leaf.value, leaf.inputs["ports"]) == ("flowlet", 4)
    assert "Configure Dynamic Load Balancing" in leaf.rule
    assert (spine.value, spine.inputs["ports"], spine.inputs["flow_set_size"]) == ("flowlet", "all", 3)
    wide = {"spine__count": 4}
    rows = figures(intended("flowlet", EOS, NVUE_800G, **wide), built("flowlet", EOS, NVUE_800G, **wide))
    spine = rows["load balancing, spine SN5600, nvue 5.14"]
    assert (spine.value, spine.rule) == ("static", "no switch of the kind has several equal-cost paths")
