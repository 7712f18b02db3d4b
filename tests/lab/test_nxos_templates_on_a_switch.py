"""NX-OS templates and candidates against a switch that knows nothing of them but its own grammar."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from kept_blocks import with_kept_blocks

from nornir_tasks.design.config.base import Server
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.order import in_order
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.nxos import PLATFORM
from nornir_tasks.platforms.ownership import join, split
from nornir_tasks.platforms.platform import Parsed
from switch_twins.engine import Context, Tree, load_text
from switch_twins.nxos.day0 import bare_tree, brownfield_tree
from switch_twins.spec import DeviceSpec
from tests.unit.platforms.nxos_examples import (
    FACTS,
    MODEL,
    bundled_leaf,
    claims,
    leaf,
    paired_leaf,
    rendered,
    spine,
    split_leaf,
)
from tests.unit.platforms.test_nxos_parse import configurations

PORTS = tuple(f"Ethernet1/{number}" for number in range(1, 65))
CONTEXT = Context(release=FACTS.release, asic=FACTS.asic, model=MODEL, ports=frozenset(PORTS))


def switch(text: str) -> Tree:
    """A switch without anything that loaded this text."""
    tree = bare_tree(CONTEXT, "leaf-g0-r1")
    assert [(number, str(error)) for number, error in load_text(tree, CONTEXT, text)] == []
    return tree


def ours(text: str, config: DeviceConfig) -> tuple[ConfigTree, ConfigTree]:
    """What is ours on a switch, and what is not."""
    parts = split(PLATFORM.to_tree(text), PLATFORM.ownership, claims(config))
    foreign = parts.pop(None)
    return join(parts.values()), foreign


def wanted(config: DeviceConfig) -> ConfigTree:
    return PLATFORM.canonical(PLATFORM.to_tree(rendered(config)))


@pytest.mark.parametrize(
    "config",
    [leaf(), spine(), leaf(16, 8), split_leaf(), bundled_leaf(), paired_leaf()],
    ids=["leaf", "spine", "wide leaf", "split leaf", "groups", "pair"],
)
def test_every_rendered_line_is_taken_and_printed_as_canonical_says(config: DeviceConfig) -> None:
    owned, _ = ours(switch(rendered(config)).text(), config)
    assert list(difference(owned, wanted(config))) == []


@settings(max_examples=40, deadline=None)
@given(configurations())
def test_what_the_switch_prints_of_any_configuration_is_read_back_whole(config: DeviceConfig) -> None:
    owned, _ = ours(switch(rendered(config)).text(), config)
    assert PLATFORM.parse(owned, FACTS, config.name, config.model) == Parsed(config, ConfigTree())


def brownfield(config: DeviceConfig) -> str:
    assert config.bgp is not None
    spec = DeviceSpec(
        name=config.name,
        os="nxos",
        release=FACTS.release,
        model=MODEL,
        asic=FACTS.asic,
        serial="LAB0001",
        address="127.0.0.1",
        api_port=8443,
        ssh_port=8022,
        asn=config.bgp.asn,
        ports=PORTS,
    )
    return brownfield_tree(spec, "gpufabric", "not-a-real-password").text()


@pytest.mark.parametrize("config", [leaf(), spine(), split_leaf()], ids=["leaf", "spine", "split leaf"])
def test_a_candidate_is_a_configuration_the_switch_takes_and_leaves_all_else_alone(config: DeviceConfig) -> None:
    before = brownfield(config)
    owned, foreign = ours(before, config)
    made = PLATFORM.candidate(PLATFORM.to_tree(before), owned, wanted(config))
    after = switch(made.payload).text()
    owned_after, foreign_after = ours(after, config)
    assert list(difference(owned_after, wanted(config))) == []
    assert list(difference(foreign, foreign_after)) == []
    again = PLATFORM.candidate(PLATFORM.to_tree(after), owned_after, wanted(config))
    assert again.changes == ()
    assert again.payload == after


@settings(max_examples=20, deadline=None)
@given(configurations(), configurations())
def test_any_configuration_is_turned_into_any_other(before: DeviceConfig, after: DeviceConfig) -> None:
    before, after = with_all_ports(before), with_all_ports(after)
    running = switch(rendered(before)).text()
    owned, foreign = ours(running, after)
    want = with_kept_blocks(wanted(after), owned, foreign)
    made = PLATFORM.candidate(PLATFORM.to_tree(running), owned, want)
    owned_after, foreign_after = ours(switch(made.payload).text(), after)
    assert list(difference(owned_after, want)) == []
    assert list(difference(foreign, foreign_after)) == []


def test_the_management_vrf_stays_where_nothing_of_it_is_ours() -> None:
    """A factory switch has it empty; with names asked in the default VRF nothing of base configuration is in it."""
    config = leaf()
    config = with_all_ports(replace(config, base=replace(config.base, domain="fabric.example.net")))
    running = switch(rendered(config)).text()
    assert "\nvrf context management\n" in running
    owned, foreign = ours(running, config)
    want = with_kept_blocks(wanted(config), owned, foreign)
    assert list(difference(owned, want)) == []


def test_the_management_vrf_stays_where_the_last_line_of_it_that_is_ours_goes() -> None:
    before = with_all_ports(
        replace(leaf(), base=replace(leaf().base, name_servers=(Server("192.0.2.53", "management"),)))
    )
    after = replace(before, base=replace(before.base, name_servers=(), domain="fabric.example.net"))
    running = switch(rendered(before)).text()
    owned, foreign = ours(running, after)
    want = with_kept_blocks(wanted(after), owned, foreign)
    made = PLATFORM.candidate(PLATFORM.to_tree(running), owned, want)
    owned_after, _ = ours(switch(made.payload).text(), after)
    assert list(difference(owned_after, want)) == []


def with_all_ports(config: DeviceConfig) -> DeviceConfig:
    """The same switch with every port it does not use kept shut."""
    names = {port.name for port in config.interfaces}
    cages = {f"Ethernet1/{cage.port}" for cage in config.breakouts}
    spare = [Interface(name, None, None, None, enabled=False, qos_profile=None) for name in PORTS]
    unused = [port for port in spare if port.name not in names | cages]
    return in_order(replace(config, interfaces=(*config.interfaces, *unused)), PLATFORM.facts.sort_key)
