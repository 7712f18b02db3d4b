"""EOS's templates and remediation against a switch that knows nothing of them but its own grammar."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hier_config import HConfig, HConfigChild
from hier_config.platforms.driver_base import HConfigDriverBase
from hypothesis import assume, given, settings
from kept_blocks import with_kept_blocks

from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.eos.candidate import _driver, _hconfig, candidate
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.ownership import OWNERSHIP
from nornir_tasks.platforms.eos.tree import to_text, to_tree
from nornir_tasks.platforms.ownership import join, split
from switch_twins.engine import ConfigSession, Context, Tree, load_text
from switch_twins.engine.dialect import EOS
from switch_twins.eos.grammar import eos_grammar
from tests.unit.platforms.eos_examples import claims, configs, drained, examples, leaf, rendered, spine
from tests.work import calls_of

BROWNFIELD = """\
no aaa root
username admin privilege 15 role network-admin secret sha512 $6$salt$hash
username ops privilege 1 secret sha512 $6$salt$other
hostname old-name
snmp-server user mon G3 v3 localized f5717f444ca824448b00 auth sha 09f1b2 priv aes 09f1b2
vrf instance MGMT
vrf instance OUTSIDE
vlan 10
   name STORAGE
tacacs-server host 192.0.2.9 vrf MGMT key 7 071B245F5A
interface Ethernet60/1
   description not ours
   switchport access vlan 10
interface Management1
   vrf MGMT
   ip address 10.73.255.122/24
ip access-list ACL-OLD
   10 permit tcp 10.0.0.0/8 any eq ssh
ip prefix-list PL-OLD
   seq 10 permit 192.0.2.0/24
ip route 192.0.2.0/24 198.51.100.1
ip route vrf MGMT 0.0.0.0/0 10.73.255.2
system control-plane
   ip access-group ACL-OLD in
qos map cos 1 2 to traffic-class 2
qos profile OTHERS
   qos trust cos
router bgp {asn}
   neighbor OTHERS peer group
   neighbor 198.51.100.9 remote-as 64999
   address-family ipv4
      neighbor 198.51.100.9 activate
      network 192.0.2.0/24
   vrf OUTSIDE
      neighbor 192.0.2.1 remote-as 64999
management api http-commands
   no shutdown
   vrf MGMT
      no shutdown
banner login
Authorised use only
EOF
"""

_MANAGEMENT = "interface Management1"


def context_of(config: DeviceConfig) -> Context:
    return Context(release=config.release, asic=config.asic, model=config.model)


def switch(config: DeviceConfig, text: str) -> Tree:
    """A switch that somebody typed this text into."""
    tree = Tree(eos_grammar(), EOS)
    context = context_of(config)
    assert [(number, str(error)) for number, error in load_text(tree, context, text)] == []
    return tree


def split_switch(tree: Tree, config: DeviceConfig, after: DeviceConfig | None = None) -> tuple[ConfigTree, ConfigTree]:
    """What is ours on a switch, and what is not; it has or gets access lists of ours.

    ``after``: what it shall be, whose pair, spanning tree and hash of groups are ours as well. Of two management VRFs
    the one that it shall have is ours, as in a plan.
    """
    both = [claims(each) for each in (config, after) if each is not None]
    (first,) = both[0].claims
    pair_vlan = next((vlan for each in both if (vlan := each.claims[0].owner.pair_vlan) is not None), None)
    if pair_vlan is not None:
        first = replace(first, owner=replace(first.owner, pair_vlan=pair_vlan), vlans=first.vlans | {pair_vlan})
    owners = replace(
        both[0],
        claims=(first,),
        has_acls=True,
        has_spanning_tree=any(each.has_spanning_tree for each in both),
        has_lag_hash=any(each.has_lag_hash for each in both),
        base=frozenset().union(*(each.base for each in both)),
        management_vrf=next((each.management_vrf for each in reversed(both) if each.management_vrf), None),
    )
    parts = split(to_tree(tree.text()), OWNERSHIP, owners)
    foreign = parts.pop(None)
    return join(parts.values()), foreign


def wanted(config: DeviceConfig) -> ConfigTree:
    return canonical(to_tree(rendered(config)))


@pytest.mark.parametrize("config", examples(), ids=lambda each: f"{each.name}-{each.asic}")
def test_every_rendered_line_is_taken_and_printed_as_canonical_says(config: DeviceConfig) -> None:
    owned, foreign = split_switch(switch(config, rendered(config)), config)
    assert list(difference(owned, wanted(config))) == []
    assert to_text(foreign) == ""


def change(before: DeviceConfig, after: DeviceConfig, typed: str = "") -> None:
    """Bring a switch from one configuration to another with our payload; brownfield stays byte for byte."""
    assert before.bgp is not None
    text = BROWNFIELD.format(asn=before.bgp.asn) + rendered(before).replace("end\n", "") + typed
    tree = switch(before, text)
    owned, foreign = split_switch(tree, before, after)
    want = with_kept_blocks(wanted(after), owned, foreign)
    if _MANAGEMENT in owned.children:  # no switch is without its management port, whoever configures it
        want.add(_MANAGEMENT)
    made = candidate(to_tree(tree.text()), owned, want)
    session = ConfigSession(tree, context_of(after))
    refused = [(made.payload[number - 1], str(error)) for number, error in session.feed_all(made.payload)]
    assert refused == []
    owned_after, foreign_after = split_switch(tree, before, after)
    assert list(difference(owned_after, want)) == []
    assert list(difference(foreign, foreign_after)) == []
    accounts_are_ours = before.base.accounts or after.base.accounts
    assert ("username ops privilege 1 secret sha512 $6$salt$other" in tree.text()) is not bool(accounts_are_ours)


def test_a_leaf_is_drained_and_undrained() -> None:
    change(leaf(), drained())
    change(drained(), leaf())


def test_lines_that_nobody_rendered_go_away() -> None:
    change(
        leaf(),
        leaf(),
        "interface Ethernet1/1\n   speed 100g-1\n   ip access-group ACL-OLD in\n   qos cos 3\n   mtu 9000\n"
        "router bgp 4200000001\n   redistribute connected\n   neighbor 10.160.0.9 remote-as 65000\n"
        "   neighbor COMPUTE-OLD peer group\n   neighbor COMPUTE-OLD bfd\n   neighbor COMPUTE-OLD timers 1 3\n"
        "   neighbor 10.160.0.11 peer group COMPUTE-OLD\n   neighbor 10.160.0.11 description gone\n"
        "   no bgp bestpath as-path multipath-relax\n   timers bgp 1 3\n   graceful-restart\n"
        "   address-family ipv4\n      neighbor COMPUTE-OLD activate\n      network 10.168.9.0/24\n"
        "ip prefix-list COMPUTE-OLD\n   seq 10 permit 10.0.0.0/8\n"
        "ip prefix-list COMPUTE-LOCAL\n   seq 10 permit 10.255.0.2/32\n"
        "route-map COMPUTE-OUT deny 5\n   match ip address prefix-list COMPUTE-LOCAL\n"
        "route-map COMPUTE-OUT permit 10\n   set local-preference 7\n"
        "ip route 10.168.7.0/24 198.51.100.1\n"
        "priority-flow-control all off\npriority-flow-control pause watchdog action errdisable\n"
        "qos rewrite dscp\nqos map dscp 1 2 26 to traffic-class 5\nqos map traffic-class 3 to tx-queue 4\n"
        "ip load-sharing trident 4\nlldp run\nno lldp run\n"
        "qos profile GPUFABRIC-OLD\n   qos trust cos\n"
        "qos profile GPUFABRIC-ROCE\n   priority-flow-control priority 4 no-drop\n   shape rate 10 percent\n"
        "   uc-tx-queue 3\n      priority strict\n   uc-tx-queue 6\n      no priority\n      bandwidth percent 30\n"
        "   uc-tx-queue 5\n      no priority\n",
    )


def test_a_second_address_on_a_port_or_loopback_of_ours_goes() -> None:
    change(
        leaf(),
        leaf(),
        "interface Ethernet1/1\n   ip address 10.9.0.1/24 secondary\n   ip address 10.9.1.1/24 secondary\n"
        "interface Loopback0\n   ip address 10.255.9.9/32 secondary\n",
    )


def test_a_link_of_1500_bytes_is_pushed_and_pushed_again() -> None:
    """A running configuration of 4.32.1F prints ``mtu 1500`` (tests/corpus/eos/accept.txt)."""
    small = replace(
        leaf(), interfaces=tuple(replace(each, mtu_bytes=each.mtu_bytes and 1500) for each in leaf().interfaces)
    )
    change(leaf(), small)
    change(small, small)
    change(small, leaf())


def test_equal_as_numbers_written_with_a_dot_are_no_difference() -> None:
    config = leaf()
    tree = switch(config, rendered(config).replace("end\n", "") + "router bgp 64086.59905\n   bgp asn notation asdot\n")
    assert "router bgp 64086.59905\n   bgp asn notation asdot\n" in tree.text()
    assert "remote-as 64086.59904" in tree.text()
    owned, foreign = split_switch(tree, config)
    assert list(difference(owned, wanted(config))) == []
    assert to_text(foreign) == "router bgp 4200000001\n   bgp asn notation asdot\n"


def test_a_wrong_as_number_written_with_a_dot_is_repaired() -> None:
    change(
        leaf(),
        leaf(),
        "router bgp 64086.59905\n   bgp asn notation asdot\n   neighbor 10.160.0.1 remote-as 64086.1\n"
        "route-map COMPUTE-OUT permit 10\n   set as-path prepend 64086.1 64086.1\n",
    )


def test_prefix_lists_of_ours_typed_on_one_line_are_repaired_in_either_form() -> None:
    change(
        leaf(),
        leaf(),
        "no ip prefix-list COMPUTE-LOCAL\nip prefix-list COMPUTE-LOCAL seq 7 permit 10.9.0.0/16\n"
        "ip prefix-list COMPUTE-OLD seq 10 permit 10.0.0.0/8\n"
        "ip prefix-list STRANGER seq 10 permit 192.0.2.0/24\nip prefix-list STRANGER seq 20 deny 0.0.0.0/0 le 32\n",
    )


@given(configs(), configs())
@settings(max_examples=25, deadline=None)
def test_any_configuration_is_turned_into_any_other_of_the_same_switch(
    before: DeviceConfig, after: DeviceConfig
) -> None:
    assert before.bgp is not None
    assert after.bgp is not None
    asic = before.asic
    assume(after.asic.startswith("jericho") == asic.startswith("jericho"))
    seed = after.hashing and replace(after.hashing, seed=1)
    after = replace(after, asic=asic, hashing=seed, bgp=replace(after.bgp, asn=before.bgp.asn))
    # a port cannot be removed, so both have the same ones, in the same VLANs and VRFs
    routes = tuple(each for each in after.static_routes if each.vrf in {None, *(vrf.name for vrf in before.vrfs)})
    after = replace(after, static_routes=routes)
    change(before, replace(after, interfaces=before.interfaces, vlans=before.vlans, vrfs=before.vrfs))


@given(configs(), configs())
@settings(max_examples=15, deadline=None)
def test_which_line_takes_the_place_of_which_is_as_hier_config_finds_it_by_the_same_rules(
    before: DeviceConfig, after: DeviceConfig
) -> None:
    driver = _driver()

    def compare(one: HConfig | HConfigChild, other: HConfig | HConfigChild) -> int:
        found = 0
        for line in one.children:
            theirs = HConfigDriverBase.idempotent_for(driver, line, other.children)
            assert driver.idempotent_for(line, other.children) is theirs, line.text
            found += theirs is not None
            if (same := other.get_child(equals=line.text)) is not None:
                found += compare(line, same)
        return found

    assert compare(_hconfig(wanted(before)), _hconfig(wanted(after))) > 0


def test_four_times_the_changed_lines_of_one_block_are_four_times_the_work(figure: Callable[[str], None]) -> None:
    def block(word: str, count: int) -> ConfigTree:
        lines = (f"   neighbor 10.0.{number // 250}.{number % 250} description {word}\n" for number in range(count))
        return to_tree("router bgp 65000\n" + "".join(lines))

    def calls(count: int) -> int:
        old, new = block("old", count), block("new", count)
        made = candidate(ConfigTree(), old, new)
        assert len([line for line in made.payload if line.endswith("new")]) == count
        return calls_of(lambda: candidate(ConfigTree(), old, new))

    few, many = calls(256), calls(1024)
    figure(f"1,024 changed descriptions of one EOS switch: {many:,} calls, {many / few:.1f} times those of 256")
    assert many < 5 * few  # 15 times where each is compared with each


def test_a_fresh_switch_gets_everything() -> None:
    for config in (leaf(), spine()):
        assert config.bgp is not None
        tree = switch(
            config, BROWNFIELD.format(asn=config.bgp.asn) + "no ip routing\nservice routing protocols model ribd\n"
        )
        owned, foreign = split_switch(tree, config)
        made = candidate(to_tree(tree.text()), owned, wanted(config))
        session = ConfigSession(tree, context_of(config))
        assert [str(error) for _, error in session.feed_all(made.payload)] == []
        after, foreign_after = split_switch(tree, config)
        assert list(difference(after, wanted(config))) == []
        assert list(difference(foreign, foreign_after)) == []
