"""The engine accepts, refuses, stores and prints as a grammar says; the small grammars here are examples."""

from __future__ import annotations

import pytest

from switch_twins.engine import (
    EOS,
    NXOS,
    Change,
    ConfigSession,
    Context,
    GrammarError,
    LineError,
    Tree,
    load_grammar,
    load_text,
)

EOS_RULES = """
@source test
@confidence V
@type ifname (Ethernet|Loopback|Management)\\d+(/\\d+)*
@section banner
banner login :: heredoc=EOF
@section hostname
hostname <name:word>
@section routing
ip routing :: no=store default=off
@section vrf
vrf instance <name!:word> :: mode
@section interface
interface <name!:ifname>
   description <text:line>
   mtu <bytes:68-9214> :: default="mtu 1500"
   shutdown :: no=store default="^interface Management -> shutdown | no shutdown"
   switchport :: no=store default="^interface Ethernet -> on | off"
   ip address <address:cidr4> :: when="no switchport" error="% switched interface"
   ip address <address!:cidr4> secondary
   service-profile <name:word> :: ref.commit="qos profile {name}" error="QoS profile {name} does not exist"
   uc-tx-queue <q!:0-7> :: asic=trident,tomahawk
      random-detect ecn count
   tx-queue <q!:0-7> :: asic=jericho mode
@section qos
qos profile <name!:word>
   qos trust {cos|dscp}
   priority-flow-control on
   priority-flow-control priority <p!:0-7> {drop|no-drop}
   uc-tx-queue <q!:0-7>
      no priority
      bandwidth percent <n:1-100>
      random-detect ecn minimum-threshold <min:1-1000> kbytes maximum-threshold <max:1-1000> kbytes [weight <w:0-15>]
@section routes
ip route [vrf <vrf!:word>] <to!:prefix4> {<via!:ipv4> | <out!:'Null0'>} [<distance:1-255>]
@section routemap
route-map <name!:word> {permit|deny}! <seq!:1-65535>
   match ip address prefix-list <name:word>
   set as-path prepend {<asn:1-4294967295>}...
@section plist
ip prefix-list <name!:word>
   seq <seq!:1-65535> {permit|deny} <p:prefix4> [ge <ge:1-32>] [le <le:1-32>]
ip prefix-list <name:word> seq <seq:1-65535> <rest:line> :: as="ip prefix-list {name} > seq {seq} {rest}"
ip prefix-list <name:word> {permit|deny}... <p:prefix4> :: rewrite=next_seq
@section bgp
router bgp <asn:1-4294967295> :: single error="BGP is already running with AS number {old_asn}"
   router-id <id:ipv4>
   no bgp default ipv4-unicast
   maximum-paths <n:1-600> [ecmp <m:1-600>]
   @cluster peer names-first
   ~ neighbor <peer!:ipv4|word>
   neighbor <peer!:ipv4|word> peer group :: key=pg
   neighbor <peer!:ipv4> peer group <g:word> :: ref.commit="./neighbor {g} peer group" error="no peer group {g}"
   neighbor <peer!:ipv4|word> remote-as <asn:1-4294967295>
   neighbor <peer!:ipv4|word> description <text:line>
   neighbor <peer!:ipv4|word> route-map <map:word> {in|out}!
   @end-cluster
   address-family ipv4
      neighbor <peer!:ipv4|word> activate :: no=store
      network <net!:prefix4>
legacy thing <n:1-5> :: conf=M name=legacy
new thing :: release=>=4.33
"""


def next_seq(params: dict[str, str], parent: object) -> str:
    del parent
    return f"ip prefix-list {params['name']} > seq 10 permit {params['p']}"


HOOKS = {"next_seq": next_seq}
GRAMMAR = load_grammar(EOS_RULES, name="eos-test", hooks=HOOKS)
CONTEXT = Context(release="4.33.1F", asic="tomahawk4", model="7060DX5-64S")


def eos(*lines: str, context: Context = CONTEXT) -> ConfigSession:
    session = ConfigSession(Tree(GRAMMAR, EOS), context)
    for line in lines:
        session.feed(line)
    return session


def printed(*lines: str) -> str:
    return eos(*lines).tree.text()


def refused(*lines: str, context: Context = CONTEXT) -> LineError:
    session = eos(*lines[:-1], context=context)
    before = session.tree.text()
    with pytest.raises(LineError) as error:
        session.feed(lines[-1])
    assert session.tree.text() == before, "a refused line changed the tree"
    return error.value


def test_running_config_has_eos_layout_and_grammar_order_whatever_the_order_of_entry() -> None:
    text = printed(
        "router bgp 65001",
        "neighbor 10.0.0.10 peer group SPINES",
        "neighbor 10.0.0.2 peer group SPINES",
        "address-family ipv4",
        "neighbor SPINES activate",
        "network 10.1.0.0/24",
        "neighbor SPINES peer group",
        "neighbor SPINES remote-as 65000",
        "router-id 10.255.0.1",
        "interface Ethernet10",
        "mtu 9214",
        "INTERFACE Ethernet2",
        "description to spine  1",
        "hostname leaf1",
        "ip routing",
    )
    assert (
        text
        == """hostname leaf1
!
ip routing
!
interface Ethernet2
   description to spine  1
!
interface Ethernet10
   mtu 9214
!
router bgp 65001
   router-id 10.255.0.1
   neighbor SPINES peer group
   neighbor SPINES remote-as 65000
   neighbor 10.0.0.2 peer group SPINES
   neighbor 10.0.0.10 peer group SPINES
   !
   address-family ipv4
      neighbor SPINES activate
      network 10.1.0.0/24
"""
    )


def test_printed_configuration_fed_again_prints_the_same() -> None:
    text = printed(
        "banner login",
        "  hello",
        "!",
        "EOF",
        "qos profile R",
        "uc-tx-queue 3",
        "no priority",
        "bandwidth percent 60",
        "uc-tx-queue 1",
        "ip route 10.0.0.0/8 Null0",
        "ip route vrf M 0.0.0.0/0 10.9.9.9 200",
    )
    tree = Tree(GRAMMAR, EOS)
    assert load_text(tree, CONTEXT, text) == []
    assert tree.text() == text
    assert "   uc-tx-queue 1\n   !\n   uc-tx-queue 3\n      no priority\n" in text


def test_value_replaces_and_identity_adds() -> None:
    text = printed(
        "interface Ethernet1",
        "no switchport",
        "mtu 9000",
        "mtu 9100",
        "ip address 10.0.0.0/31",
        "ip address 10.0.0.2/31",
        "ip address 10.1.0.1/24 secondary",
        "ip address 10.2.0.1/24 secondary",
    )
    assert "mtu 9100" in text and "mtu 9000" not in text
    assert "10.0.0.2/31" in text and "10.0.0.0/31" not in text
    assert text.count("secondary") == 2


def test_default_on_lines_print_only_when_negated_and_defaults_depend_on_the_interface() -> None:
    assert printed(
        "interface Management1", "shutdown", "interface Ethernet1", "no shutdown", "mtu 1500", "switchport"
    ) == ("interface Ethernet1\n!\ninterface Management1\n")
    assert printed("interface Management1", "no shutdown", "interface Ethernet1", "shutdown", "no switchport") == (
        "interface Ethernet1\n   shutdown\n   no switchport\n!\ninterface Management1\n   no shutdown\n"
    )


def test_all_lines_show_hidden_defaults() -> None:
    tree = eos("interface Ethernet1").tree
    assert "   mtu 1500\n   no shutdown\n   switchport\n" in tree.text(all_lines=True)
    assert tree.text() == "interface Ethernet1\n"


def test_no_removes_with_and_without_the_value_and_default_restores() -> None:
    lines = ("interface Ethernet1", "mtu 9000", "description x")
    assert "mtu" not in printed(*lines, "no mtu")
    assert "mtu" not in printed(*lines, "no mtu 9000")
    assert "mtu" not in printed(*lines, "default mtu")
    assert "description" not in printed(*lines, "no description")
    assert printed(*lines, "no interface Ethernet1") == ""
    assert printed("no ip routing", "no hostname") == ""


def test_no_of_a_neighbour_takes_all_its_lines_and_no_others() -> None:
    text = printed(
        "router bgp 1",
        "neighbor 10.0.0.1 remote-as 2",
        "neighbor 10.0.0.1 description a b",
        "neighbor 10.0.0.1 route-map X in",
        "neighbor 10.0.0.11 remote-as 3",
        "no neighbor 10.0.0.1",
    )
    assert text == "router bgp 1\n   neighbor 10.0.0.11 remote-as 3\n"


def test_identity_in_the_middle_must_be_given_to_negate() -> None:
    lines = ("router bgp 1", "neighbor 10.0.0.1 route-map X in", "neighbor 10.0.0.1 route-map Y out")
    assert "route-map X" not in printed(*lines, "no neighbor 10.0.0.1 route-map X in")
    assert refused(*lines, "no neighbor 10.0.0.1 route-map").kind == "incomplete"


def test_line_of_an_outer_mode_leaves_the_inner_one() -> None:
    text = printed(
        "router bgp 1",
        "address-family ipv4",
        "neighbor 10.0.0.1 activate",
        "neighbor 10.0.0.1 remote-as 2",
        "hostname x",
        "interface Ethernet1",
    )
    assert "   neighbor 10.0.0.1 remote-as 2\n   !\n   address-family" in text
    session = eos("router bgp 1", "address-family ipv4", "hostname x")
    assert len(session.path) == 1


def test_exit_end_and_comments_move_as_on_the_console() -> None:
    session = eos("router bgp 1", "address-family ipv4", "! comment", "exit")
    assert [node.line for node in session.path[1:]] == ["router bgp 1"]
    session.feed("end")
    assert session.ended and len(session.path) == 1


def test_one_line_form_is_stored_nested_and_keeps_the_mode() -> None:
    session = eos("ip prefix-list LO seq 10 permit 10.255.0.7/24 le 32")
    assert session.tree.text() == "ip prefix-list LO\n   seq 10 permit 10.255.0.0/24 le 32\n"
    assert len(session.path) == 1
    session.feed("no ip prefix-list LO seq 10 permit 10.255.0.0/24")
    assert session.tree.text() == "ip prefix-list LO\n"
    session.feed("no ip prefix-list OTHER seq 10 permit 10.0.0.0/8")
    assert session.tree.text() == "ip prefix-list LO\n", "negating what is not there made it"
    assert "seq 10 permit 10.0.0.0/8" in printed("ip prefix-list A permit 10.0.0.0/8")


def test_heredoc_takes_any_text_by_line_or_as_one_body() -> None:
    expected = "banner login\n! not a comment\n  hostname evil\nEOF\n"
    assert printed("banner login", "! not a comment", "  hostname evil", "EOF") == expected
    session = eos()
    session.feed("banner login", body="! not a comment\n  hostname evil\nEOF")
    assert session.tree.text() == expected
    session.feed("no banner login")
    assert session.tree.text() == ""


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("hostnam x",), "Invalid input (at token 0: 'hostnam')"),
        (("no hostnam",), "Invalid input (at token 1: 'hostnam')"),
        (("hostname",), "Incomplete command (at token 0: 'hostname')"),
        (("hostname a b",), "Invalid input (at token 2: 'b')"),
        (("mtu 9000",), "Invalid input (at token 0: 'mtu')"),
        (("interface Ethernet1", "mtu 9216"), "Invalid input (at token 1: '9216')"),
        (("interface Ethernet1", "tx-queue 3"), "Unavailable command (not supported on this hardware platform)"),
        (("ip prefix-list P seq 10 permit 10.0.0.0/33",), "Invalid input (at token 6: '10.0.0.0/33')"),
        (("router bgp 1", "router bgp 2"), "BGP is already running with AS number 1"),
        (("qos profile A", "qos trust pcp"), "Invalid input (at token 2: 'pcp')"),
        (
            ("interface Ethernet1", "ip address 10.0.0.1/24"),
            "% switched interface",
        ),
    ],
)
def test_refusals_in_the_words_of_eos(lines: tuple[str, ...], text: str) -> None:
    assert EOS.error_text(refused(*lines)) == text


def test_rule_from_memory_is_refused_unless_allowed_by_name() -> None:
    assert refused("legacy thing 3").kind == "from_memory"
    allowed = Context(release="4.33.1F", asic="tomahawk4", allowed_from_memory=frozenset({"legacy"}))
    assert "legacy thing 3" in eos("legacy thing 3", context=allowed).tree.text()


def test_rule_of_a_later_release_does_not_exist() -> None:
    assert "new thing" in printed("new thing")
    assert refused("new thing", context=Context(release="4.32.9M")).kind == "invalid"


def test_references_are_checked_at_commit_not_before() -> None:
    session = eos("interface Ethernet1", "service-profile ROCE", "router bgp 1", "neighbor 10.0.0.1 peer group S")
    assert sorted(error.message for error in session.check()) == ["QoS profile ROCE does not exist", "no peer group S"]
    session.feed("neighbor S peer group")
    session.feed("qos profile ROCE")
    assert session.check() == []


def test_copy_is_independent_and_text_is_kept_until_a_change() -> None:
    base = eos("hostname a", "interface Ethernet1", "mtu 9000").tree
    assert base.text() is base.text()
    candidate = ConfigSession(base.copy(), CONTEXT)
    candidate.feed("interface Ethernet1")
    candidate.feed("mtu 9100")
    assert "mtu 9000" in base.text() and "mtu 9100" in candidate.tree.text()


def test_every_mistake_of_a_grammar_file_is_reported_with_its_line() -> None:
    with pytest.raises(GrammarError) as error:
        load_grammar(
            "a <x:nosuchtype>\n@source s\n@confidence V\nb {c|d\n@nonsense\nc :: colour=red\nd :: after=nohook\n",
            name="g",
        )
    lines = str(error.value).splitlines()
    assert [line.split(":")[1] for line in lines] == ["1", "4", "5", "6", "7"]


NXOS_RULES = """
@source test
@confidence V
@section top
version <text:line> :: no=refuse
hostname <name:word>
feature {bgp|lldp}!
@section banner
banner motd <text:line> :: heredoc=delimiter
@section policy
policy-map type qos <name!:word> :: join
  class <class!:word>
    set qos-group <g:0-7>
@section interface
interface <name!:word> :: permanent
  switchport :: no=store default=on after=to_routed
  shutdown :: no=store default="no switchport -> shutdown | no shutdown"
  mtu <n:576-9216> :: default="mtu 1500"
  service-policy type qos input <name:word> :: ref="policy-map type qos {name}" error="ERROR: no policy-map {name}"
@section bgp
router bgp <asn:1-4294967295> :: needs="feature bgp" single
  address-family ipv4 unicast
    maximum-paths <n:1-64>
  template peer <name!:word>
    remote-as <asn:1-4294967295>
  neighbor <ip!:ipv4>
    inherit peer <name:word> :: ref="../template peer {name}"
    remote-as <asn:1-4294967295>
    address-family ipv4 unicast :: mode
  neighbor <ip!:ipv4> remote-as <asn:1-4294967295> :: as="neighbor {ip} > remote-as {asn}"
"""


def to_routed(change: Change) -> None:
    """A port that changes between switched and routed loses its MTU."""
    for node in [n for n in change.parent.children.values() if n.words.startswith("mtu")]:
        change.session.remove(node)


NXOS_GRAMMAR = load_grammar(NXOS_RULES, name="nxos-test", hooks={"to_routed": to_routed})


def nxos(*lines: str) -> ConfigSession:
    session = ConfigSession(Tree(NXOS_GRAMMAR, NXOS), Context(release="10.4(3)"))
    for line in lines:
        session.feed(line)
    return session


def test_feature_gates_its_commands_and_takes_them_along() -> None:
    with pytest.raises(LineError) as error:
        nxos("router bgp 65001")
    assert NXOS.error_text(error.value) == "^\n% Invalid command at '^' marker."
    session = nxos("feature bgp", "router bgp 65001", "neighbor 10.0.0.1 remote-as 65000", "no feature bgp")
    assert session.tree.text() == ""


def test_nested_neighbours_print_with_nxos_layout() -> None:
    text = nxos(
        "hostname n9k",
        "feature bgp",
        "interface Ethernet1/2",
        "no switchport",
        "no shutdown",
        "interface Ethernet1/1",
        "router bgp 65001",
        "template peer S",
        "remote-as 65000",
        "neighbor 10.0.0.1",
        "inherit peer S",
        "address-family ipv4 unicast",
        "exit",
        "exit",
        "address-family ipv4 unicast",
        "maximum-paths 64",
    ).tree.text()
    assert (
        text
        == """hostname n9k
feature bgp

interface Ethernet1/1

interface Ethernet1/2
  no switchport
  no shutdown

router bgp 65001
  address-family ipv4 unicast
    maximum-paths 64
  template peer S
    remote-as 65000
  neighbor 10.0.0.1
    inherit peer S
    address-family ipv4 unicast
"""
    )


def test_reference_is_checked_at_once_where_the_system_does() -> None:
    with pytest.raises(LineError) as error:
        nxos("interface Ethernet1/1", "service-policy type qos input Q")
    assert NXOS.error_text(error.value) == "ERROR: no policy-map Q"
    nxos("policy-map type qos Q", "interface Ethernet1/1", "service-policy type qos input Q")


def test_delimited_banner_over_several_lines_or_one() -> None:
    assert (
        nxos("banner motd #", "hostname no", "# bye", "hostname yes").tree.text()
        == "hostname yes\n\nbanner motd #\nhostname no\n# bye\n"
    )
    assert nxos("banner motd #hi#", "hostname yes").tree.text() == "hostname yes\n\nbanner motd #hi#\n"


def test_permanent_object_is_emptied_not_removed_and_hooks_run() -> None:
    assert (
        nxos("interface Ethernet1/1", "mtu 9216", "no interface Ethernet1/1").tree.text() == "interface Ethernet1/1\n"
    )
    assert "mtu" not in nxos("interface Ethernet1/1", "mtu 9216", "no switchport").tree.text()


def test_marker_stands_under_the_offending_word() -> None:
    with pytest.raises(LineError) as error:
        nxos("interface Ethernet1/1", "mtu 99999")
    assert error.value.kind == "range" and error.value.column == 4 and error.value.expected == "576-9216"


def test_purge_rule_does_not_make_a_positive_line_complete() -> None:
    error = refused("router bgp 1", "neighbor 10.0.0.1")
    assert EOS.error_text(error) == "Incomplete command (at token 1: '10.0.0.1')"


DEFAULTS_GRAMMAR = load_grammar(
    """
@source test
@confidence V
@section top
system default switchport :: no=store default=on
system default switchport shutdown :: no=store default=off
interface defaults :: single
   ethernet :: mode
      shutdown :: no=store default=off
interface <name!:word>
   switchport :: no=store default="/system default switchport -> switchport | no switchport"
   shutdown :: no=store default="/interface defaults > ethernet > shutdown -> shutdown | no shutdown"
""",
    name="defaults-test",
)


def turned(*lines: str) -> ConfigSession:
    session = ConfigSession(Tree(DEFAULTS_GRAMMAR, EOS), Context(release="1"))
    for line in (*lines, "interface Ethernet1", "no shutdown", "interface Ethernet2", "shutdown"):
        session.feed(line)
    return session


def test_a_line_below_a_block_of_the_top_turns_the_default_of_another_and_its_going_turns_it_back() -> None:
    session = turned()
    assert session.tree.text() == "interface Ethernet1\n!\ninterface Ethernet2\n   shutdown\n"
    session = turned("interface defaults", "ethernet", "shutdown")
    assert session.tree.text().endswith("interface Ethernet1\n   no shutdown\n!\ninterface Ethernet2\n")
    for line in ("interface defaults", "ethernet", "no shutdown"):
        session.feed(line)
    assert session.tree.text().endswith("interface Ethernet1\n!\ninterface Ethernet2\n   shutdown\n")


def test_a_line_is_in_effect_by_its_own_rule_and_not_by_one_that_begins_or_goes_on_like_it() -> None:
    tree = turned("no system default switchport", "system default switchport shutdown").tree
    assert not tree.effective(tree.root, "system default switchport")
    assert tree.effective(tree.root, "no system default switchport")
    assert tree.effective(tree.root, "system default switchport shutdown")
    plain = turned().tree
    assert plain.effective(plain.root, "system default switchport")
    assert plain.effective(plain.root, "no system default switchport shutdown")
