"""Validators of EOS: what is read of them, what is left to others, and what the lab's switches make of them."""

from __future__ import annotations

from nornir_tasks.design.config.bgp import Validator
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.parse_bgp import parse_bgp
from nornir_tasks.platforms.eos.tree import to_text, to_tree
from switch_twins.engine import EOS, Context, Tree, load_text
from switch_twins.eos.extract import switch_state
from switch_twins.eos.grammar import eos_grammar
from switch_twins.eos.to_frr import of_tree

ASKS = "   rpki origin-validation\n      ebgp local\n"


def read(blocks: str) -> tuple[tuple[Validator, ...], str]:
    """The validators of a process, and what is left."""
    rest, left = to_tree(f"router bgp 65001\n   router-id 192.0.2.1\n{blocks}"), ConfigTree()
    found = parse_bgp(rest, left)
    return found.validators if found else (), to_text(left)


def cache(name: str, *lines: str) -> str:
    return f"   rpki cache {name}\n" + "".join(f"      {line}\n" for line in lines)


def test_the_default_port_has_one_spelling_and_others_are_read() -> None:
    for host in ("host 192.0.2.9", "host 192.0.2.9 port 323"):
        assert read(cache("192.0.2.9", host) + ASKS) == ((Validator("192.0.2.9", 323, None),), "")
    found = read(cache("192.0.2.9", "host 192.0.2.9 vrf MGMT port 3323") + ASKS)
    assert found == ((Validator("192.0.2.9", 3323, "MGMT"),), "")


def test_caches_and_lines_of_others_are_left_whole() -> None:
    ours = cache("192.0.2.9", "host 192.0.2.9", "preference 4")
    theirs = cache("theirs", "host 192.0.2.8", "retry-interval 60")
    asks = ASKS + "      ibgp send\n"
    found, left = read(ours + theirs + asks)
    assert found == (Validator("192.0.2.9", 323, None),)
    for line in ("preference 4", "rpki cache theirs", "host 192.0.2.8", "retry-interval 60", "ibgp send"):
        assert f"{line}\n" in left
    assert "host 192.0.2.9\n" not in left


def test_caches_that_nothing_is_compared_with_are_no_validators() -> None:
    found, left = read(cache("192.0.2.9", "host 192.0.2.9"))
    assert found == ()
    assert "host 192.0.2.9\n" in left
    assert read(ASKS) == ((), f"router bgp 65001\n{ASKS}")


def test_in_the_lab_nobody_knows_of_wrong_origins_so_what_is_for_them_matches_nothing() -> None:
    tree = Tree(eos_grammar(), EOS)
    maps = "".join(
        f"route-map IN {word} {number}\n   match origin-as validity {state}\n"
        for number, (word, state) in enumerate((("deny", "invalid"), ("permit", "valid"), ("permit", "not-found")), 1)
    )
    process = f"router bgp 65001\n   router-id 192.0.2.1\n{cache('192.0.2.9', 'host 192.0.2.9')}{ASKS}"
    context = Context(release="4.33.1F", asic="jericho2", model="7280SR3K-48YC8")
    assert not load_text(tree, context, f"ip routing\n{maps}{process}")
    assert [[each.sequence for each in found.entries] for found in switch_state("a", tree).route_maps] == [[3]]
    assert of_tree("a", tree).refused == ()
