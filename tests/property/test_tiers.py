"""Random fabrics of three tiers, of split cages and of declared spine groups: their counts agree with closed forms."""

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.errors import DesignError
from tests.intent_parts import demand
from tests.strategies import built, intent_of
from tests.unit.design.test_nearest import site

some = settings(max_examples=25, deadline=None)
REF = {"platform": "nvue", "release": "5.14", "model": "REF-64x400G"}


def try_to_build(data: dict[str, Any]) -> Network:
    try:
        return built(data)
    except DesignError:
        assume(False)
        raise


@st.composite
def three_tiers(draw: st.DrawFn) -> dict[str, Any]:
    count = draw(st.integers(1, 24))
    hosts = {"count": count, "max": draw(st.integers(count, 48))}
    nics: dict[str, Any] = {"rails": draw(st.sampled_from((1, 2))), "speed": "400G"}
    nics["per_group"] = draw(st.integers(1, 8))
    spine = {**REF, "oversubscription": draw(st.sampled_from((0.5, 1, 2))), "pod_leaf_groups": draw(st.integers(1, 4))}
    core = {**REF, "oversubscription": draw(st.sampled_from((0.5, 1, 2)))}
    return site(design="clos3", hosts=hosts, nics=nics, leaf=REF, spine=spine, core=core)


@some
@given(three_tiers())
def test_three_tiers_agree_with_closed_forms(data: dict[str, Any]) -> None:
    network = try_to_build(data)
    fabric, needed = network.fabrics["compute"], demand(intent_of(data))
    groups = -(-needed.hosts.count // fabric.parts[0].layout.hosts_per_group)
    leaves, found = groups * needed.nics.rails, design_counts(network)["planes"]["compute"]
    pods = -(-groups // (needed.fabric.spine.pod_leaf_groups or 1))
    spines = {each.name for each in network.devices if each.role == "spine"}
    per_pod = len(spines) // pods
    up = {name: sum(link.lower.device == name for link in network.links_of(name)) for name in spines}
    assert (found["tiers"]["leaf"]["switches"], len(spines)) == (leaves, pods * per_pod)
    assert found["tiers"]["core"]["switches"] == fabric.cores
    assert len(set(up.values())) == 1
    assert found["fabric_links"] == leaves * fabric.parts[0].layout.uplinks + sum(up.values())
    for leaf in (each for each in network.devices if each.role == "leaf"):
        above = {link.upper.device for link in network.links_of(leaf.name) if link.kind == "fabric"}
        assert {network.device(name).spine_group for name in above} == {leaf.spine_group}
        assert len(above) == per_pod
    reached = {each.name: {link.lower.device for link in network.links_of(each.name)} for each in network.devices}
    for core in (each for each in network.devices if each.role == "core"):
        assert {network.device(name).spine_group for name in reached[core.name]} == set(range(1, pods + 1))


@some
@given(st.integers(1, 4), st.integers(1, 16), st.sampled_from((2, 4)), st.booleans())
def test_split_cages_agree_with_closed_forms(count: int, per_group: int, groups: int, split: bool) -> None:
    data = site(
        hosts__count=count,
        hosts__max=max(count, per_group),
        nics__per_group=per_group,
        leaf__breakout="2x200G",
        spine__groups=groups,
        spine__count=2 * groups,
        cross_rail="nvlink",
        **({"spine__breakout": "2x400G"} if split else {}),
    )
    network = try_to_build(data)
    totals, fabric = design_counts(network)["totals"], network.fabrics["compute"]
    full, rest = divmod(count, per_group)
    cages = 8 * (full * -(-per_group // 2) + -(-rest // 2))
    hosts = [cable for cable in network.cables if cable.name.startswith("leaf") and "-p" in cable.name]
    assert len(hosts) == cages
    assert totals["links"] == 8 * count + 8 * -(-count // per_group) * fabric.parts[0].layout.uplinks
    assert sum(len(cable.links) for cable in network.cables) == totals["links"]
    plugs = {
        (end.device, end.slot.number if end.slot else end.port)
        for link in network.links
        for end in (link.upper, link.lower)
    }
    assert totals["optics"] == len(plugs)


@some
@given(three_tiers())
def test_a_leaf_of_three_tiers_has_addresses_for_its_declared_hosts_and_no_more(data: dict[str, Any]) -> None:
    network = try_to_build(data)
    per_group = data["hosts"]["gpu"]["nics"]["compute"]["per_group"]
    least = 32 - (2 * per_group - 1).bit_length()
    assert {prefix.partition("/")[2] for prefix in network.host_blocks.values()} == {str(least)}
