"""The laws for random sites whose equal-cost paths are balanced by load, under the systems that can.

What is rendered reads back whole; every line of it that is deleted or changed is a difference; and a switch that prints
its ports in other groups than they were typed in says the same.
"""

import copy
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.errors import DesignError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform, platforms
from nornir_tasks.platforms.nvue.tree import to_data
from nornir_tasks.render.render import render
from tests.intent_parts import fabric as fabric_of
from tests.intent_parts import nics
from tests.nvue_schema import ROOTS, mistakes
from tests.property.mutants import each_change_is_reported
from tests.property.test_tiers import three_tiers
from tests.strategies import intent_data, intent_of

CAN = {
    "flowlet": (
        {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"},
        {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"},
        {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"},
    ),
    "per_packet": (
        {"platform": "nvue", "release": "5.14", "model": "SN5400"},
        {"platform": "nvue", "release": "5.16", "model": "SN5400"},
        {"platform": "nxos", "release": "10.5(1)", "model": "N9K-C9364D-GX2A"},
    ),
}
WORDS = ("load-balance", "dlb", "adaptive-routing")
few = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def switches(draw: st.DrawFn) -> list[Realised]:
    """The switches of a random site that balance; none where no paths are equal, or the site cannot be built."""
    data: dict[str, Any] = draw(intent_data())
    tiers, mode = fabric_of(data), draw(st.sampled_from(sorted(CAN)))
    data["policy"]["load_balancing"] = mode
    nics(data)["model"] = "ConnectX-7"
    for tier in ("leaf", "spine"):
        tiers[tier] |= draw(st.sampled_from(CAN[mode]))
    if "overrides" in tiers["leaf"]:
        (override,) = tiers["leaf"]["overrides"]
        tiers["leaf"]["overrides"] = ({**override, **draw(st.sampled_from(CAN[mode]))},)
    try:
        fabric = design(intent_of(data), load_catalogue(), {name: each.facts for name, each in platforms().items()})
    except DesignError:
        return []
    kinds: dict[Any, Realised] = {}
    for each in device_configs(fabric):
        if each.config.load_balancing is not None:
            kinds.setdefault((each.config.os, each.config.release, fabric.device(each.config.name).role), each)
    return list(kinds.values())


@few
@given(switches())
def test_what_is_rendered_reads_back_and_what_the_switch_prints_of_it_too(realised: list[Realised]) -> None:
    for each in realised:
        config, os = each.config, platform(each.config.os)
        written = os.to_tree(render(config, each.capabilities, environment(config.os)))
        printed = os.to_tree(os.to_text(os.canonical(written)))
        for tree in (written, printed):
            parsed = os.parse(tree, each.capabilities, config.name, config.model)
            assert (parsed.config, parsed.remainder.paths()) == (config, frozenset())
        if config.os == "nvue":
            assert mistakes(to_data(written), ROOTS[config.release]) == []


def test_the_random_sites_do_balance() -> None:
    """So that the law above is not about nothing: of both modes and all three systems there is at least one."""
    seen: set[tuple[str, str]] = set()

    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    @given(switches())
    def look(realised: list[Realised]) -> None:
        seen.update(
            (each.config.os, each.config.load_balancing.mode) for each in realised if each.config.load_balancing
        )

    look()
    assert seen == {("eos", "flowlet"), ("nxos", "flowlet"), ("nxos", "per_packet"), ("nvue", "per_packet")}


def of(each: Realised) -> Wanted:
    return wanted(each.config, each.capabilities, each.claims, environment(each.config.os))


def test_every_line_of_it_deleted_or_changed_is_a_difference(figure: Callable[[str], None]) -> None:
    deleted = changed = 0

    @settings(few, max_examples=8)
    @given(switches(), st.randoms(use_true_random=False))
    def law(realised: list[Realised], chance: Random) -> None:
        nonlocal deleted, changed
        for each in map(of, realised):
            paths = [path for path in sorted(each.tree.paths()) if any(word in " ".join(path) for word in WORDS)]
            assert paths
            counts = [each_change_is_reported(each, path) for path in chance.sample(paths, min(8, len(paths)))]
            deleted += sum(count for count, _ in counts)
            changed += sum(count for _, count in counts)

    law()
    figure(f"lines of load balancing on random sites: {deleted} deleted and {changed} changed, all reported")
    assert deleted > 0
    assert changed > 0


@pytest.mark.parametrize(
    "row",
    [
        "dlb-interface Eth1/5,Eth1/7,Eth1/6",
        "dlb-interface Ethernet1/5 , Ethernet1/6 , Ethernet1/7",
        "dlb-interface Eth1/5-7",
        "dlb-interface Ethernet1/5\n  dlb-interface Eth1/6\n  dlb-interface Ethernet1/7",
        "dlb-interface Eth1/5-6\n  mode flowlet\n  dlb-interface Eth1/7",
    ],
)
def test_however_nx_os_prints_the_ports_they_are_the_same_ports(row: str) -> None:
    os = platform("nxos")
    tree = os.to_tree(f"hardware profile dlb\n  {row}\n")
    assert tree.paths() == {
        ("hardware profile dlb",),
        *(("hardware profile dlb", f"dlb-interface Ethernet1/{port}") for port in (5, 6, 7)),
    }


REF = {"platform": "nxos", "model": "REF-64x400G"}


@few
@given(st.one_of(intent_data(), three_tiers()))
def test_who_has_equal_paths_takes_part_with_all_of_them_and_is_refused_where_it_cannot(data: dict[str, Any]) -> None:
    """What is refused goes by the layout, what is configured by the cables, and both by what routes really need."""
    data["policy"]["load_balancing"] = "flowlet"
    tiers = fabric_of(data)
    for tier in {"leaf", "spine", "core"} & tiers.keys():
        kept = {key: tiers[tier][key] for key in ("oversubscription", "pod_leaf_groups") if key in tiers[tier]}
        tiers[tier] = {**REF, "release": "10.5(1)", **kept}
    nics(data)["speed"] = "400G"
    facts = {name: each.facts for name, each in platforms().items()}
    try:
        fabric = design(intent_of(data), load_catalogue(), facts)
    except DesignError:
        return
    routes = count_routes(fabric)
    taking_part = set()
    for each in device_configs(fabric):
        name, configured = each.config.name, each.config.load_balancing
        ports = {link.end(name).port for link in fabric.links_of(name) if link.kind == "fabric"}
        assert configured is not None or routes[name].widest < 2
        if configured is not None:
            assert set(configured.ports or ()) == ports
            taking_part.add(fabric.device(name).role)
    for tier in {"leaf", "spine", "core"} & tiers.keys():
        older = copy.deepcopy(data)
        fabric_of(older)[tier]["release"] = "10.4(3)"
        try:
            design(intent_of(older), load_catalogue(), facts)
        except DesignError as error:
            assert f"{tier} REF-64x400G with nxos 10.4(3) has several equal-cost paths" in str(error)
        else:
            assert tier not in taking_part
