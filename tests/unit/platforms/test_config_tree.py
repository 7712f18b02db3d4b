"""ConfigTree, difference and ownership: what every OS stands on."""

import re

from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.design.model.claims import SWITCH, Claim, Claims, Owner
from nornir_tasks.platforms.config_tree import ConfigTree, Heredoc, difference, from_text
from nornir_tasks.platforms.ownership import join, rule, split

words = st.sampled_from(["alpha", "beta 1", "beta 2", "gamma", "delta 3"])
trees = st.recursive(st.just({}), lambda children: st.dictionaries(words, children, max_size=4), max_leaves=12)


def tree_of(data: dict, text: str = "") -> ConfigTree:
    tree = ConfigTree(text)
    for key, below in data.items():
        tree.children[key] = tree_of(below, key)
    return tree


def patched(tree: ConfigTree, changes) -> ConfigTree:
    """Apply changes the plain way: drop removed paths with all below, add added ones."""
    result = tree.copy()
    for change in changes:
        above = result.get(*change.path[:-1])
        if change.op == "-" and above is not None:
            above.children.pop(change.path[-1], None)
    for change in changes:
        if change.op == "+":
            result.add_path(change.path)
    return result


@given(trees, trees)
def test_the_difference_applied_to_what_runs_gives_what_is_wanted(before, after) -> None:
    running, wanted = tree_of(before), tree_of(after)
    assert patched(running, tuple(difference(running, wanted))) == wanted


@given(trees)
def test_a_tree_does_not_differ_from_its_own_text(data) -> None:
    tree = tree_of(data)
    again = from_text("\n".join(tree.lines("   ")))
    assert again == tree
    assert not list(difference(tree, again))


def test_a_banner_is_text_and_its_lines_are_no_configuration() -> None:
    banner = Heredoc(re.compile(r"banner motd"), "EOF", stands_alone=True)
    tree = from_text("hostname x\nbanner motd\nrouter bgp 1\n   neighbor\nEOF\nvlan 7\n", (banner,))
    assert list(tree.children) == ["hostname x", "banner motd\nrouter bgp 1\n   neighbor\nEOF", "vlan 7"]


def test_only_a_row_of_its_own_ends_a_banner_that_asks_for_one() -> None:
    banner = Heredoc(re.compile(r"banner motd"), "EOF", stands_alone=True)
    tree = from_text("banner motd\nThe word EOF\nnot at the EOF\nEOF \nvlan 7\n", (banner,))
    assert list(tree.children) == ["banner motd\nThe word EOF\nnot at the EOF\nEOF ", "vlan 7"]


def test_a_banner_without_an_end_does_not_swallow_the_configuration_below() -> None:
    banner = Heredoc(re.compile(r"banner motd"), "EOF", stands_alone=True)
    tree = from_text("banner motd\nrouter bgp 1\n   neighbor 10.0.0.1\n", (banner,))
    assert tree.get("router bgp 1", "neighbor 10.0.0.1") is not None


def test_a_line_said_twice_is_one_line_that_knows_both_rows() -> None:
    tree = from_text("interface Ethernet1\n   shutdown\n   mtu 9000\n   shutdown\n")
    port = tree.children["interface Ethernet1"]
    assert list(port.children) == ["shutdown", "mtu 9000"]
    assert (port.children["shutdown"].line, port.children["shutdown"].repeats) == (2, (4,))


RULES = (
    rule(r"interface (?P<key>\S+)", "port"),
    rule(r"qos .*", "switch"),
    rule(
        r"router bgp \d+",
        "switch",
        shared=True,
        children=(rule(r"neighbor (?P<key>[\d.]+) .*", "address"), rule(r"router-id .*", "switch")),
    ),
)
CLAIMS = Claims(
    (
        Claim(Owner("compute", "plane", "COMPUTE-", ("10.160.0.0/13",)), frozenset({"Ethernet1"})),
        Claim(Owner("storage", "plane", "STORAGE-", ("10.32.0.0/16",)), frozenset({"Ethernet2"})),
    )
)
TEXT = """\
interface Ethernet1
   mtu 9214
interface Ethernet2
   mtu 9000
interface Ethernet9
   description of somebody else
qos map dscp 26 to traffic-class 3
router bgp 65000
   router-id 10.255.0.1
   neighbor 10.160.0.1 remote-as 65001
   neighbor 10.32.0.1 remote-as 65002
   neighbor 192.0.2.1 remote-as 65003
"""


def test_two_planes_and_a_stranger_share_one_bgp_process_and_each_line_has_one_owner() -> None:
    parts = split(from_text(TEXT), RULES, CLAIMS)
    bgp = "router bgp 65000"
    assert parts["compute"].paths() == {
        ("interface Ethernet1",), ("interface Ethernet1", "mtu 9214"),
        (bgp,), (bgp, "neighbor 10.160.0.1 remote-as 65001"),
    }  # fmt: skip
    assert (bgp, "neighbor 10.32.0.1 remote-as 65002") in parts["storage"].paths()
    assert (bgp, "neighbor 192.0.2.1 remote-as 65003") in parts[None].paths()
    assert (bgp, "router-id 10.255.0.1") in parts[SWITCH].paths()
    assert join(parts.values()) == from_text(TEXT)
    leaves = [path for part in parts.values() for path, node in part.walk() if not node]
    assert len(leaves) == len(set(leaves))


def test_an_address_is_claimed_by_the_pool_it_lies_in_and_a_name_by_its_prefix() -> None:
    assert CLAIMS.by_address("10.167.255.255") == "compute"
    assert CLAIMS.by_address("10.168.0.0") is None
    assert CLAIMS.by_address("10.32.9.0/24") == "storage"
    assert CLAIMS.by_address("fe80::1") is None
    assert CLAIMS.by_name("COMPUTE-SPINES") == "compute"
    assert CLAIMS.by_name("GPUFABRIC-ROCE") == SWITCH
    assert CLAIMS.by_name("LEGACY") is None


TRUNK = Claims(
    (
        Claim(Owner("front", "fabric", "FRONT-"), frozenset({"Ethernet9"})),
        *(
            Claim(Owner(name, "plane", f"{name.upper()}-"), frozenset({"Ethernet1", own}), frozenset({vlan}))
            for name, own, vlan in (("red", "Ethernet2", 301), ("blue", "Ethernet3", 302))
        ),
    )
)
TRUNK_TEXT = """\
interface Ethernet1
   mtu 9214
   switchport trunk allowed vlan add 301
   switchport trunk allowed vlan add 302
   switchport trunk allowed vlan add 999
interface Ethernet2
   switchport trunk allowed vlan add 302
"""


def test_each_line_of_a_port_that_two_planes_use_has_its_own_owner_where_the_rule_says_how_to_tell() -> None:
    lines = (rule(r"switchport trunk allowed vlan add (?P<key>\d+)", "vlan"), rule(r".*", "enclosing"))
    parts = split(from_text(TRUNK_TEXT), (rule(r"interface (?P<key>\S+)", "port", children=lines),), TRUNK)
    trunk = "interface Ethernet1"
    assert parts["fabric front"].paths() == {(trunk,), (trunk, "mtu 9214")}
    assert parts["blue"].paths() == {
        each
        for port in (trunk, "interface Ethernet2")
        for each in ((port,), (port, "switchport trunk allowed vlan add 302"))
    }
    assert (trunk, "switchport trunk allowed vlan add 301") in parts["red"].paths()
    assert parts[None].paths() == {(trunk,), (trunk, "switchport trunk allowed vlan add 999")}
    # of a port that one plane uses alone, the VLAN of another one is that one's: it has left the port
    assert ("interface Ethernet2", "switchport trunk allowed vlan add 302") not in parts["red"].paths()
    assert join(parts.values()) == from_text(TRUNK_TEXT)


def test_a_port_that_two_planes_use_is_their_fabrics_where_no_rule_tells_its_lines_apart() -> None:
    parts = split(from_text(TRUNK_TEXT), (rule(r"interface (?P<key>\S+)", "port"),), TRUNK)
    assert set(parts["fabric front"].children) == {"interface Ethernet1"}
    assert set(parts["red"].children) == {"interface Ethernet2"}
    assert not parts["blue"]
