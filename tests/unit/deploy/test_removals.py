"""A line goes only if it is shown to be ours, is in what is ours by its full name, or a wanted one takes its place.

Each case is the wanted configuration of a leaf with a few lines of others; what the pushes before did is said.
"""

from pathlib import Path

import pytest

from nornir_tasks.deploy.dependence import Others
from nornir_tasks.deploy.evidence import NO_EVIDENCE, Evidence
from nornir_tasks.deploy.plan import DevicePlan, device_plan
from nornir_tasks.deploy.problems import in_the_way
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.config_tree import Path as Line
from tests import pushed as pushed_by
from tests.unit.design.toys import both

ERRORS = Path(__file__).parents[2] / "errors/devices"
LEAF = both("leaf-g1-r0")
BGP = "router bgp 4200000000"
PORT = "interface Ethernet1/1"
LOOPBACK = "interface Loopback0"


def running(*lines: Line, less: tuple[Line, ...] = ()) -> str:
    """All that is wanted, these lines of others, and not those."""
    tree = LEAF.tree.copy()
    for line in lines:
        tree.add_path(line)
    for line in less:
        above = tree.get(*line[:-1])
        assert above is not None
        del above.children[line[-1]]
    return LEAF.platform.to_text(tree)


def plan(*lines: Line, evidence: Evidence = NO_EVIDENCE, less: tuple[Line, ...] = ()) -> DevicePlan:
    return device_plan(LEAF, running(*lines, less=less), evidence, allow_management=True)


def goes(found: DevicePlan) -> set[Line]:
    return {each.path for each in found.changes if each.op == "-"}


def of(found: DevicePlan, line: Line) -> Others:
    (other,) = (each for each in found.others if each.path == line)
    return other


PUSHED = pushed_by.pushed(LEAF)
KEPT = {
    "a second address of the loopback": (LOOPBACK, "ip address 10.255.9.9/32 secondary"),
    "a route to a prefix of a pool": ("ip route 10.168.77.0/24 Null0",),
    "a list whose name begins as ours do": ("ip prefix-list COMPUTE-LEGACY",),
    "a network of a pool": (BGP, "address-family ipv4", "network 10.168.99.0/24"),
    "a neighbour in a pool": (BGP, "neighbor 10.160.0.99 remote-as 64999"),
    "a setting of the process": (BGP, "timers bgp 5 15"),
    "an access list applied on the loopback": (LOOPBACK, "ip access-group THEIRS in"),
}


@pytest.mark.parametrize("pushed", [False, True], ids=["no journal", "pushed before"])
@pytest.mark.parametrize("what", KEPT)
def test_what_only_looks_like_ours_stays_and_is_named_with_the_word_that_adopts_it(what: str, pushed: bool) -> None:
    line = KEPT[what]
    evidence = PUSHED if pushed else NO_EVIDENCE
    found = plan(line, evidence=evidence)
    assert found.changes == ()
    assert not of(found, line).is_in_the_way
    adopted = plan(line, evidence=pushed_by.pushed(LEAF, of(found, line).adopt))
    assert goes(adopted) == {line}
    assert adopted.others == ()


IN_OURS = {
    "a rule in a list of ours": ("ip prefix-list COMPUTE-OWN", "seq 99 permit 0.0.0.0/0 le 32"),
    "a match in a route map of ours": ("route-map COMPUTE-OUT permit 10", "match metric 5"),
}


@pytest.mark.parametrize("what", IN_OURS)
def test_what_is_in_an_object_that_is_wanted_by_exactly_our_name_goes_without_any_evidence(what: str) -> None:
    assert goes(plan(IN_OURS[what])) == {IN_OURS[what]}


def test_a_line_on_a_port_that_the_intent_cables_goes_once_a_push_of_ours_has_set_the_port_up() -> None:
    line = (PORT, "ip access-group THEIRS in")
    assert goes(plan(line, evidence=PUSHED)) == {line}
    assert goes(plan(line)) == set()
    assert plan(line).changes == ()


def test_a_line_on_a_port_of_ours_that_no_push_has_set_up_is_in_the_way_if_a_line_of_ours_comes_there() -> None:
    theirs, ours = (PORT, "ip access-group THEIRS in"), (PORT, "mtu 9214")
    found = plan(theirs, less=(ours,))
    assert of(found, theirs).in_the_way_of == ours
    assert of(found, theirs).adopt == (PORT,)
    taken = plan(theirs, less=(ours,), evidence=pushed_by.evidence(adopted=((PORT,),)))
    assert goes(taken) == {theirs}
    assert not any(each.is_in_the_way for each in taken.others)


REPLACED = {
    "a setting of the process": ((BGP, "maximum-paths 128 ecmp 128"), (BGP, "maximum-paths 4 ecmp 4")),
    "the router ID": ((BGP, "router-id 192.0.2.1"), (BGP, "router-id 10.255.0.1")),
    "the MTU of a port": ((PORT, "mtu 1500"), (PORT, "mtu 9214")),
}


@pytest.mark.parametrize("what", REPLACED)
def test_another_value_is_ours_to_change_once_we_have_set_it_and_else_in_the_way(what: str) -> None:
    theirs, ours = REPLACED[what]
    found = plan(theirs, less=(ours,))
    assert of(found, theirs).in_the_way_of == ours
    assert goes(found) == {theirs}
    again = plan(theirs, less=(ours,), evidence=PUSHED)
    assert goes(again) == {theirs}
    assert again.others == ()


def test_what_an_earlier_push_added_and_the_intent_has_no_more_goes() -> None:
    line = (BGP, "timers bgp 5 15")
    before, after = ConfigTree(), LEAF.tree.copy()
    after.add_path(line)
    found = plan(line, evidence=pushed_by.evidence(pushed_by.done(LEAF, before, after)))
    assert goes(found) == {line}
    assert found.others == ()


def test_a_block_stays_as_long_as_a_line_of_others_is_in_it_and_goes_with_the_last_line_of_ours() -> None:
    list_of_ours, rule = ("ip prefix-list COMPUTE-OLD",), ("ip prefix-list COMPUTE-OLD", "seq 10 permit 10.0.0.0/8")
    theirs = ("ip prefix-list COMPUTE-OLD", "seq 20 permit 192.0.2.0/24")
    after = LEAF.tree.copy()
    after.add_path(rule)
    evidence = pushed_by.evidence(pushed_by.done(LEAF, LEAF.tree, after))
    assert goes(plan(rule, evidence=evidence)) == {list_of_ours, rule}
    found = plan(rule, theirs, evidence=evidence)
    assert goes(found) == {rule}
    assert {each.path for each in found.others} & {list_of_ours, theirs}


def test_a_list_of_ours_that_a_line_of_others_names_by_now_stays_whole_and_what_it_names_too() -> None:
    old = ("route-map COMPUTE-OLD permit 10", "match ip address prefix-list COMPUTE-ALL")
    rule = ("ip prefix-list COMPUTE-ALL", "seq 10 permit 10.0.0.0/8")
    after = LEAF.tree.copy()
    for line in (old, rule):
        after.add_path(line)
    evidence = pushed_by.evidence(pushed_by.done(LEAF, LEAF.tree, after))
    assert goes(plan(old, rule, evidence=evidence)) == {old[:1], old, rule[:1], rule}
    theirs = (BGP, "neighbor 203.0.113.9 route-map COMPUTE-OLD out")
    found = plan(old, rule, theirs, evidence=evidence)
    assert found.changes == ()
    assert {each.path: each.reason for each in found.others} == {
        old[:1]: f"'{' / '.join(theirs)}' needs it, and stays",
        rule[:1]: f"'{' / '.join(old)}' needs it, and stays",
    }


def test_lines_of_others_aside_of_ours_are_not_even_looked_at() -> None:
    found = plan(
        ("vlan 3999",), ("vrf instance LEGACY",), (BGP, "vrf LEGACY"), (BGP, "neighbor 203.0.113.9 remote-as 1")
    )
    assert (found.changes, found.others) == ((), ())


def test_the_journal_is_not_read_where_nothing_would_change() -> None:
    def never() -> tuple[()]:
        raise AssertionError

    assert plan(evidence=Evidence(never)).changes == ()


def refused(evidence: Evidence, *lines: Line) -> str:
    with pytest.raises(RefusedError) as found:
        plan(*lines, evidence=evidence)
    return f"exit {found.value.exit_code}\n{found.value}\n"


def check(name: str, text: str, request: pytest.FixtureRequest) -> None:
    golden = ERRORS / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_adopting_what_is_not_there_or_what_no_push_meets_says_what_may_be_adopted(request) -> None:
    theirs = (("vlan 3999",), KEPT["a setting of the process"], KEPT["a route to a prefix of a pool"])
    evidence = pushed_by.pushed(LEAF, ("vlan 4000",), ("vlan 3999",))
    check("adopted-in-vain", refused(evidence, *theirs), request)


def test_adopting_what_was_adopted_before_is_no_mistake() -> None:
    name = ("vlan 3999",)
    done = pushed_by.done(LEAF, ConfigTree(), LEAF.tree)
    before = type(done)(done.before, done.after, adopted=(name,))
    assert plan(evidence=pushed_by.evidence(before, adopted=(name,))).changes == ()
    assert "vlan 3999: this is not on this switch" in refused(pushed_by.pushed(LEAF, name))


def test_what_is_in_the_way_is_said_once_for_each_object_with_both_lines_and_the_word_that_adopts_it(request) -> None:
    ours = ((PORT, "mtu 9214"), (PORT, "description gpu-1 rail0"), (BGP, "router-id 10.255.0.1"))
    theirs = ((PORT, "mtu 1500"), (PORT, "description another team's"), (BGP, "router-id 192.0.2.1"))
    problems = in_the_way(LEAF.device, plan(*theirs, less=ours).others)
    assert len(problems) == 2
    check("in-the-way", f"{RefusedError(problems)}\n", request)
