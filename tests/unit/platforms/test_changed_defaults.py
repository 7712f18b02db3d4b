"""What lines of others make of the defaults of ports: which lines a switch hides then, and what it means by that."""

from __future__ import annotations

import pytest

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms import platforms
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.defaults import FACTORY, Defaults
from nornir_tasks.platforms.eos import PLATFORM as EOS
from nornir_tasks.platforms.nvue import PLATFORM as NVUE
from nornir_tasks.platforms.nxos import PLATFORM as NXOS
from nornir_tasks.platforms.nxos.patch import server_changes, settle
from nornir_tasks.platforms.platform import Platform
from tests.unit.platforms import eos_examples, nxos_examples

CHANGED = {
    "eos shut": (EOS, Defaults(is_shut=True)),
    "eos mtu": (EOS, Defaults(mtu_bytes=9100)),
    "eos both": (EOS, Defaults(is_shut=True, mtu_bytes=1600)),
    "nxos shut": (NXOS, Defaults(is_shut=True)),
    "nxos routed": (NXOS, Defaults(is_routed=True)),
    "nxos both": (NXOS, Defaults(is_routed=True, is_shut=True)),
}


def examples(os: Platform) -> tuple[DeviceConfig, ...]:
    if os is EOS:
        return (*eos_examples.examples(), eos_examples.bundled_leaf(), eos_examples.paired_leaf())
    makes = (nxos_examples.leaf, nxos_examples.split_leaf, nxos_examples.bundled_leaf, nxos_examples.paired_leaf)
    return tuple(make() for make in makes)


def rendered(os: Platform, config: DeviceConfig) -> ConfigTree:
    return os.to_tree((eos_examples if os is EOS else nxos_examples).rendered(config))


def lines(tree: ConfigTree, block: str) -> set[str]:
    found = tree.get(block)
    assert found is not None
    return set(found.children)


@pytest.mark.parametrize("case", CHANGED)
def test_what_is_printed_under_changed_defaults_reads_back_as_what_was_rendered(case: str) -> None:
    os, defaults = CHANGED[case]
    for config in examples(os):
        printed = os.canonical(rendered(os, config), defaults)
        known = os.facts.capabilities(config.release, config.asic)
        read = os.parse(os.spelt_out(printed, defaults), known, config.name, config.model)
        assert read.config == config
        assert read.remainder == ConfigTree()


@pytest.mark.parametrize("case", ["eos shut", "eos both", "nxos shut", "nxos routed", "nxos both"])
def test_no_two_kinds_of_defaults_print_the_same(case: str) -> None:
    os, defaults = CHANGED[case]
    assert any(
        os.canonical(tree, defaults) != os.canonical(tree)
        for tree in (rendered(os, config) for config in examples(os))
        if tree
    )


def test_an_eos_port_says_that_it_is_up_and_hides_that_it_is_down_where_down_is_the_default() -> None:
    text = "".join(
        f"interface {name}\n   {state}\n   mtu 9100\n"
        for name, state in (
            ("Ethernet1/1", "no shutdown"),
            ("Ethernet2/1", "shutdown"),
            ("Ethernet3/1.7", "no shutdown"),
            ("Port-Channel1", "no shutdown"),
            ("Vlan10", "shutdown"),
            ("Loopback0", "no shutdown"),
        )
    )
    shown = EOS.canonical(EOS.to_tree(text), Defaults(is_shut=True, mtu_bytes=9100))
    assert [sorted(node.children) for node in shown.children.values()] == [
        ["mtu 9100", "no shutdown"],
        ["mtu 9100"],
        ["mtu 9100", "no shutdown"],
        ["mtu 9100"],
        ["mtu 9100", "shutdown"],
        ["mtu 9100"],
    ]


def test_eos_defaults_are_read_from_their_block_and_a_line_of_it_that_nobody_knows_is_named() -> None:
    block = "interface defaults\n   mtu 9100\n   ethernet\n      {state}\n   {more}\n"
    plain = EOS.defaults(EOS.to_tree(block.format(state="shutdown", more="")))
    assert (plain.is_shut, plain.mtu_bytes, plain.is_routed) == (True, 9100, False)
    assert not EOS.defaults(EOS.to_tree(block.format(state="no shutdown", more=""))).is_shut
    odd = EOS.defaults(EOS.to_tree(block.format(state="shutdown", more="load-interval 5")))
    assert ("interface defaults", "load-interval 5") in [each.path for each in odd.relied_on(ConfigTree())]


def test_an_eos_switch_that_takes_no_mtu_on_ports_relies_on_the_factorys() -> None:
    defaults = EOS.defaults(EOS.to_tree("interface defaults\n   mtu 9100\n"))
    port = "interface Ethernet1\n   no switchport\n"
    assert [each.path[-1] for each in defaults.relied_on(EOS.to_tree(port))] == ["mtu 9100"]
    assert not list(defaults.relied_on(EOS.to_tree(f"{port}   mtu 9000\n")))
    assert not list(EOS.defaults(EOS.to_tree("interface defaults\n   mtu 1500\n")).relied_on(EOS.to_tree(port)))


NXOS_PORTS = """
interface port-channel1
  switchport
  no shutdown
interface Ethernet1/1
  no switchport
  no shutdown
interface Ethernet1/2
  switchport
  no shutdown
interface Ethernet1/3
  shutdown
interface Ethernet1/1.7
  no shutdown
"""


@pytest.mark.parametrize(
    ("text", "is_routed"),
    [
        ("interface Ethernet1/1\n  ip address 10.0.11.0/31\ninterface Ethernet1/10\n  switchport\n", True),
        ("interface Ethernet1/1\n  ipv6 address 2001:db8::/127\n", True),
        ("interface Ethernet1/3\n  switchport\ninterface Ethernet1/4\n  switchport\n  shutdown\n", True),
        ("interface Ethernet1/1\n  ip address 10.0.11.0/31\ninterface Ethernet1/2\n  shutdown\n", False),
        ("interface Ethernet1/1\n  no switchport\n  ip address 10.0.11.0/31\n", False),
        ("interface Ethernet1/1\ninterface Ethernet1/2.7\n  ip address 10.0.11.0/31\n", False),
        ("interface Vlan7\n  ip address 10.0.11.0/31\ninterface Ethernet1/2\n  switchport mode trunk\n", False),
        ("system default switchport\ninterface Ethernet1/1\n  switchport\n", False),
    ],
)
def test_which_mode_an_nxos_port_hides_is_seen_on_its_ports_where_no_line_says_it(text: str, is_routed: bool) -> None:
    assert NXOS.defaults(NXOS.to_tree(text)).is_routed == is_routed


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("nxos shut", [[], ["no shutdown", "no switchport"], ["no shutdown"], [], ["no shutdown"]]),
        ("nxos routed", [["switchport"], ["no shutdown"], ["switchport"], [], ["no shutdown"]]),
        ("nxos both", [["switchport"], ["no shutdown"], ["no shutdown", "switchport"], [], ["no shutdown"]]),
    ],
)
def test_an_nxos_port_says_what_is_not_its_default(case: str, expected: list[list[str]]) -> None:
    shown = NXOS.canonical(NXOS.to_tree(NXOS_PORTS), CHANGED[case][1])
    assert [sorted(node.children) for node in shown.children.values()] == expected


def test_a_bare_nxos_port_of_a_switch_with_routed_ports_stays_one_that_nobody_uses() -> None:
    running = NXOS.to_tree("interface Ethernet1/1\ninterface Ethernet1/2\n  ip address 10.0.0.0/31\n")
    spelt = NXOS.spelt_out(running, Defaults(is_routed=True))
    assert lines(spelt, "interface Ethernet1/1") == {"shutdown"}
    assert lines(spelt, "interface Ethernet1/2") == {"ip address 10.0.0.0/31", "no switchport", "shutdown"}


def test_nxos_defaults_are_those_of_the_factory_where_a_line_says_so() -> None:
    text = "system default switchport\nno system default switchport shutdown\nrouter bgp 65000\n  timers bgp 60 180\n"
    assert NXOS.defaults(NXOS.to_tree(text)) == FACTORY
    changed = NXOS.defaults(NXOS.to_tree("no system default switchport\nsystem default switchport shutdown\n"))
    assert (changed.is_routed, changed.is_shut, changed.others) == (True, True, ())


TIMERS = "router bgp 65000\n  template peer OURS\n    timers 60 180\n"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("no system default interface-vlan autostate", "interface Vlan10\n  no shutdown\n"),
        ("system default interface-vlan no autostate", "interface Vlan10\n  no shutdown\n"),
        ("vlan dot1q tag native", "interface Ethernet1/1\n  switchport trunk native vlan 10\n"),
        ("system jumbomtu 9000", "interface port-channel1\n  switchport mode trunk\n  mtu 9216\n"),
        ("bfd ipv4 interval 250 min_rx 250 multiplier 3", "bfd interval 50 min_rx 50 multiplier 3\n"),
        ("router bgp 65000\n  timers bgp 3 9", TIMERS),
        (
            "router bgp 65000\n  vrf A\n    timers bgp 3 9",
            TIMERS,
        ),
    ],
)
def test_an_nxos_line_that_decides_about_a_hidden_one_is_named_where_it_is_relied_on(theirs: str, ours: str) -> None:
    defaults = NXOS.defaults(NXOS.to_tree(theirs))
    (found,) = defaults.relied_on(NXOS.to_tree(ours))
    assert found.path == tuple(line.strip() for line in theirs.splitlines())
    assert not list(defaults.relied_on(NXOS.to_tree("interface Ethernet1/1\n  no switchport\n")))


def test_a_factory_switch_and_one_of_nvue_have_the_factorys_defaults_themselves() -> None:
    for os in platforms().values():
        assert os.defaults(ConfigTree()) == FACTORY
    tree = ConfigTree()
    assert NVUE.spelt_out(tree, FACTORY) is tree
    assert EOS.spelt_out(tree, FACTORY) is tree
    assert NXOS.spelt_out(tree, FACTORY) is tree


def test_the_patch_of_a_port_that_becomes_switched_where_ports_are_routed_settles_to_its_lines() -> None:
    running = NXOS.to_tree("no system default switchport\ninterface Ethernet1/1\n  no shutdown\n")
    there = settle(server_changes("`interface Ethernet1/1`\n`switchport`\n`switchport access vlan 10`"), running)
    assert {str(each) for each in there} == {
        "+ interface Ethernet1/1 / switchport",
        "+ interface Ethernet1/1 / switchport access vlan 10",
        "- interface Ethernet1/1 / no shutdown",
    }
