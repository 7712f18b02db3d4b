"""How the twins print what can be typed in more than one way: as published running configurations of their OS do."""

from __future__ import annotations

import pytest

from switch_twins.engine import EOS, NXOS, ConfigSession, Context, Grammar, LineError, Tree
from switch_twins.engine.dialect import Dialect
from switch_twins.eos.grammar import eos_grammar
from switch_twins.nxos.grammar import nxos_grammar

CONTEXTS = {
    "eos": Context(release="4.33.1F", asic="tomahawk4"),
    "nxos": Context(release="10.4(3)", asic="cloudscale-gx2", ports=frozenset({"Ethernet1/1"})),
}
SYSTEMS: dict[str, tuple[Grammar, Dialect]] = {"eos": (eos_grammar(), EOS), "nxos": (nxos_grammar(), NXOS)}


def typed(system: str, *lines: str) -> ConfigSession:
    session = ConfigSession(Tree(*SYSTEMS[system]), CONTEXTS[system])
    for line in lines:
        session.feed(line)
    return session


def test_eos_prints_as_numbers_with_a_dot_where_asked() -> None:
    lines = ("router bgp 65166.10010", "neighbor 10.0.0.1 remote-as 4270728986", "neighbor 10.0.0.3 remote-as 65001")
    assert typed("eos", *lines).tree.text() == (
        "router bgp 4270728986\n   neighbor 10.0.0.1 remote-as 4270728986\n   neighbor 10.0.0.3 remote-as 65001\n"
    )
    dotted = typed("eos", *lines, "bgp asn notation asdot")
    assert dotted.tree.text() == (
        "router bgp 65166.10010\n   bgp asn notation asdot\n"
        "   neighbor 10.0.0.1 remote-as 65166.10010\n   neighbor 10.0.0.3 remote-as 65001\n"
    )
    dotted.feed("no bgp asn notation asdot")
    assert "router bgp 4270728986\n" in dotted.tree.text()


def test_nxos_prints_as_numbers_with_a_dot_where_asked() -> None:
    lines = ("feature bgp", "router bgp 4270728986", "neighbor 10.0.0.1", "remote-as 1.1")
    assert "router bgp 4270728986\n  neighbor 10.0.0.1\n    remote-as 65537\n" in typed("nxos", *lines).tree.text()
    text = typed("nxos", "as-format asdot", *lines).tree.text()
    assert "as-format asdot\n" in text
    assert "router bgp 65166.10010\n  neighbor 10.0.0.1\n    remote-as 1.1\n" in text


@pytest.mark.parametrize("number", ["65536.0", "1.65536", "0.0", "4294967296", "1.2.3"])
@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_what_is_no_as_number_is_refused(system: str, number: str) -> None:
    session = typed(system, *(("feature bgp",) if system == "nxos" else ()))
    with pytest.raises(LineError):
        session.feed(f"router bgp {number}")


def test_eos_prints_a_prefix_list_in_the_form_in_which_it_was_first_typed() -> None:
    one = ("ip prefix-list ONE seq 10 permit 10.0.0.0/8", "ip prefix-list ONE seq 20 deny 0.0.0.0/0 le 32")
    block = ("ip prefix-list BLOCK", "seq 10 permit 10.0.0.0/8", "exit")
    session = typed("eos", *one, *block, "ip prefix-list OTHER seq 5 permit 10.1.0.0/16", "route-map R permit 10")
    assert session.tree.text() == (
        "ip prefix-list BLOCK\n   seq 10 permit 10.0.0.0/8\n!\n"
        "ip prefix-list ONE seq 10 permit 10.0.0.0/8\nip prefix-list ONE seq 20 deny 0.0.0.0/0 le 32\n"
        "ip prefix-list OTHER seq 5 permit 10.1.0.0/16\n!\nroute-map R permit 10\n"
    )
    again = typed("eos", *session.tree.text().splitlines())
    assert again.tree.text() == session.tree.text()
    assert again.tree.copy().text() == session.tree.text()
    session.feed("ip prefix-list ONE")
    session.feed("no seq 20")
    assert "deny" not in session.tree.text()
    session.feed("no ip prefix-list ONE")
    assert "ONE" not in session.tree.text()


@pytest.mark.parametrize(("line", "printed"), [("route-map R", "permit"), ("route-map R deny", "deny")])
def test_eos_enters_the_mode_of_a_route_map_without_a_number(line: str, printed: str) -> None:
    session = typed("eos", line, "set local-preference 7")
    assert session.tree.text() == f"route-map R {printed} 10\n   set local-preference 7\n"


def test_eos_takes_a_second_address_away_alone_and_all_with_the_first() -> None:
    lines = ("interface Ethernet1/1", "no switchport", "ip address 10.0.0.1/31", "ip address 10.9.0.1/24 secondary")
    session = typed("eos", *lines)
    session.feed("no ip address 10.9.0.1/24 secondary")
    assert session.tree.text() == "interface Ethernet1/1\n   no switchport\n   ip address 10.0.0.1/31\n"
    for removal in ("no ip address", "no ip address 10.0.0.1/31", "default ip address 10.0.0.1/31"):
        assert typed("eos", *lines, removal).tree.text() == "interface Ethernet1/1\n   no switchport\n"


def test_nxos_has_no_name_for_port_22() -> None:
    session = typed("nxos", "ip access-list A", "10 permit tcp any any eq 22")
    assert session.tree.text() == "ip access-list A\n  10 permit tcp any any eq 22\n"
    with pytest.raises(LineError):
        session.feed("20 permit tcp any any eq ssh")
