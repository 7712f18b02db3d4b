"""pyavd's templates print the EOS that ours print: from inputs of its own, in every section that it has inputs for.

Hand-made switches, switches of designed sites (the default lab's front leaves among them), and random ones.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyavd import get_device_config, validate_structured_config

from nornir_tasks.design.config.interfaces import Lldp
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.device_config import SECTIONS, DeviceConfig
from nornir_tasks.design.pipeline import Realised
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.tree import to_tree
from tests.lab.line_shapes import Shape, fitting, shapes
from tests.property.test_random_laws import switches as switches_of_random_sites
from tests.unit.design import edge_systems
from tests.unit.platforms import front_drawn
from tests.unit.platforms.avd_inputs import avd_inputs
from tests.unit.platforms.crosscheck_switches import switches, text_of
from tests.unit.platforms.eos_examples import configs, examples, facts_of, leaf, rendered, with_guarantee

NOT_COMPARED = {
    "route-map <name> permit|deny <n> / description <text>",  # of drained switches alone
    "ip load-sharing trident|arad <seed>",
    "random-detect ecn count",
    "hardware counter feature ecn out",
    "port-channel load-balance trident fields ip source-ip destination-ip source-port destination-port",
    "hardware access-list resource sharing vlan ipv6 out",
    "[no] bgp log-neighbor-changes",
    "[no] bgp bestpath as-path multipath-relax",
    "neighbor <group> out-delay <seconds>",
    "neighbor <group> idle-restart-timer <seconds>",
    "rpki cache <address>",
    "host <address> [vrf <vrf>] [port <port>]",
    "rpki origin-validation",
    "ebgp local",
    "platform trident mmu queue profile <profile> / ingress headroom bytes <bytes>",
    "platform trident mmu queue profile <profile> apply",
}
"""Line shapes that pyavd 6.4.0 has no input for; each has another source in templates/eos/SOURCES.yml."""
SECTIONS_NOT_COMPARED = {"hashing", "breakouts"}
"""Both of its hashing's lines are above; EOS has no line of breakouts: names of ports tell them."""
Switch = tuple[DeviceConfig, Capabilities, str]


@pytest.fixture(autouse=True)
def its_templates_are_gone() -> Iterator[None]:
    """pyavd's loaders put weak references into sys.modules: one that dies later fails whoever walks over modules."""
    yield
    gc.collect()


def by_pyavd(config: DeviceConfig, known: Capabilities) -> ConfigTree:
    """What pyavd prints of the same switch."""
    valid = validate_structured_config(avd_inputs(config, known))
    wrong = [f"{each.path}: {each.message}" for each in valid.validation_result.violations]
    assert wrong == [], config.name
    return to_tree(get_device_config(valid.validated_data))


def is_only_ours(path: Path) -> bool:
    return any(shape.text in NOT_COMPARED for shape in fitting("eos", path))


@cache
def eos_shapes() -> tuple[Shape, ...]:
    return tuple(shape for shape in shapes() if shape.os == "eos")


def compare(each: Switch) -> tuple[int, int]:
    """Lines that both print, and lines that pyavd has no input for; no others."""
    config, known, text = each
    theirs = canonical(by_pyavd(config, known)).paths()
    ours = canonical(to_tree(text)).paths()
    assert sorted(path for path in ours - theirs if not is_only_ours(path)) == []
    assert sorted(theirs - ours) == ([] if config.base.hostname else [(f"hostname {config.name}",)])
    return len(ours & theirs), len(ours - theirs)


def hand_made() -> list[Switch]:
    """The examples; queues with promised bandwidth; what is said when a default is turned off."""
    promised, bgp = leaf(asic="jericho2"), leaf().bgp
    assert bgp is not None
    found: list[Switch] = [(each, facts_of(each), rendered(each)) for each in examples()]
    found.append((promised, *with_guarantee(promised)))
    silent = replace(leaf(), lldp=Lldp(enabled=False), bgp=replace(bgp, graceful_restart_helper_only=False))
    return [*found, (silent, facts_of(silent), rendered(silent))]


def of_sites() -> list[Switch]:
    return [(each.config, each.capabilities, text_of(each)) for each in (*switches("eos"), *edges())]


@cache
def edges() -> tuple[Realised, ...]:
    """Edge routers, one of them drained."""
    return edge_systems.edges("eos", signed=True, drained=True)[0], edge_systems.edges("eos")[1]


def drawn(strategy: st.SearchStrategy[Iterable[Switch]], examples: int) -> list[Switch]:
    """So many examples, drawn before pyavd is asked: see ``its_templates_are_gone``."""
    found: list[Switch] = []

    @settings(max_examples=examples, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def keep(each: Iterable[Switch]) -> None:
        found.extend(each)

    keep()
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("which", [hand_made, of_sites], ids=["hand-made", "of sites"])
def test_pyavd_prints_the_same_lines_in_the_same_places(
    which: Callable[[], list[Switch]], figure: Callable[[str], None]
) -> None:
    same, only_ours = map(sum, zip(*map(compare, which()), strict=True))
    assert same > 100 * len(which())
    figure(f"{same} lines the same by pyavd, {only_ours} that it has no input for")


DRAWN = {
    "configurations": (configs().map(lambda each: [(each, facts_of(each), rendered(each))]), 40),
    "sites": (
        switches_of_random_sites().map(
            lambda found: [(each.config, each.capabilities, text_of(each)) for each in found if each.config.os == "eos"]
        ),
        15,
    ),
    "front fabrics": (
        front_drawn.leaves("eos").map(
            lambda found: [(each.config, each.capabilities, text_of(each)) for each in found]
        ),
        15,
    ),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("which", DRAWN)
def test_pyavd_prints_the_same_lines_of_random_switches(which: str) -> None:
    strategy, examples = DRAWN[which]
    switches = drawn(strategy, examples)
    assert sum(compare(each)[0] for each in switches) > 50 * len(switches) > 0


def test_what_pyavd_does_not_compare_is_named() -> None:
    compared: set[Shape] = set()
    for config, known, text in (*hand_made(), *of_sites()):
        both = to_tree(text).paths() & by_pyavd(config, known).paths()
        rows = {(*path[:-1], path[-1].partition("\n")[0]) for path in both}  # of a banner the first
        compared |= {shape for row in rows for shape in fitting("eos", row)}
    assert {shape.text for shape in eos_shapes()} - {shape.text for shape in compared} == NOT_COMPARED
    assert set(SECTIONS) - {shape.section for shape in compared} == SECTIONS_NOT_COMPARED
