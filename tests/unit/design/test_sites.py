"""The reference sites of inventory/ come out exactly, by enumeration; their figures are not code."""

import ast
import contextlib
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design, device_config
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import load_site
from nornir_tasks.platforms import platforms
from tests.reference import reference
from tests.strategies import intent_of, rails
from tests.unit.design.test_nearest import site

ROOT = Path(__file__).parents[3]
PRODUCT, TWINS = ROOT / "nornir_tasks", ROOT / "switch_twins"


def facts() -> dict[str, Any]:
    return {name: each.facts for name, each in platforms().items()}


def counts(of: Network) -> tuple[int, ...]:
    """Leaves, spines, cores, host links, fabric links."""
    plane = design_counts(of)["planes"]["compute"]
    tiers = (plane["tiers"][tier]["switches"] for tier in ("leaf", "spine", "core"))
    return (*tiers, plane["host_links"], plane["fabric_links"])


def test_512_gpus() -> None:
    found = reference("ref-512")
    assert counts(found) == (8, 2, 0, 512, 256)
    assert found.fabrics["compute"].oversubscription == 1.0
    assert {len([link for link in found.links_of(leaf.name) if link.kind == "fabric"]) for leaf in found.devices} == {
        32,
        128,
    }


def test_28672_gpus() -> None:
    found = reference("ref-28672")
    assert counts(found) == (256, 32, 0, 28672, 4096)
    assert found.fabrics["compute"].oversubscription == 7.0
    assert found.fabrics["compute"].rail_spine_group == (1, 1, 1, 1, 2, 2, 2, 2)


def of_7060x6() -> Network:
    """The same on switches of EOS with as many cages."""
    intent = load_site("ref-28672-sn5600").intent
    fabric = intent.fabrics["compute"]
    kind = {"platform": "eos", "release": "4.33.1F", "model": "7060X6-64PE"}
    tiers = {tier: getattr(fabric, tier).model_copy(update=kind) for tier in ("leaf", "spine")}
    fabrics = {"compute": fabric.model_copy(update=tiers)}
    return design(intent.model_copy(update={"fabrics": fabrics}), load_catalogue(), facts())


@pytest.mark.parametrize("which", ["SN5600", "7060X6-64PE"])
def test_28672_gpus_on_switches_whose_cages_are_split_at_both_ends(which: str) -> None:
    found = reference("ref-28672-sn5600") if which == "SN5600" else of_7060x6()
    assert {each.model for each in found.devices} == {which}
    assert counts(found) == (256, 32, 0, 28672, 4096)
    assert found.fabrics["compute"].oversubscription == 7.0
    assert found.fabrics["compute"].rail_spine_group == (1, 1, 1, 1, 2, 2, 2, 2)
    assert {link.speed_gbps for link in found.links} == {400}
    legs: dict[tuple[str, int], list[int]] = defaultdict(list)
    for end in (end for link in found.links for end in (link.upper, link.lower) if end.slot is not None):
        legs[end.device, end.slot.number].append(end.slot.leg)
    assert len(legs) == 288 * 64
    assert all(sorted(each) == [0, 1] for each in legs.values())  # every cage is full, no leg is used twice
    above = defaultdict(set)
    for link in (link for link in found.links if link.kind == "fabric"):
        above[link.lower.device].add(link.upper.device)
    spines = {group: {f"spine-{16 * (group - 1) + place}" for place in range(1, 17)} for group in (1, 2)}
    assert all(above[leaf.name] == spines[leaf.spine_group] for leaf in found.devices if leaf.role == "leaf")
    totals = design_counts(found)["totals"]
    nics, cages = 28672, 288 * 64
    assert (totals["cables"], totals["optics"]) == (28672 + 4096, nics + cages)


def test_32768_gpus() -> None:
    found = reference("ref-32768")
    assert counts(found) == (512, 512, 256, 32768, 65536)
    totals = design_counts(found)["totals"]
    assert (totals["switches"], totals["links"], totals["optics"]) == (1280, 98304, 196608)


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (2, (16, 8, 0)),
        (4, (32, 16, 0)),
        (8, (64, 32, 0)),
        (16, (128, 128, 64)),
        (32, (256, 256, 128)),
        (64, (512, 512, 256)),
    ],
)
def test_dgx_superpod_b200(units: int, expected: tuple[int, int, int]) -> None:
    """docs.nvidia.com, DGX SuperPOD B200 reference architecture: 32 nodes of 8 to a scalable unit, 64-port switches."""
    hosts, kind = 32 * units, {"platform": "nvue", "release": "5.14", "model": "REF-64x400G"}
    three = {"design": "clos3", "core": kind} if units > 8 else {}
    group, nics = {"count": hosts, "max": hosts}, {"rails": 8, "speed": "400G"}
    data = site(hosts=group, nics=nics, leaf=kind, spine={**kind, "oversubscription": 1}, **three)
    found = design(intent_of(data), load_catalogue(), facts())
    links = 8 * hosts
    assert counts(found) == (*expected, links, links * (2 if units > 8 else 1))


FIGURES = frozenset({1280, 3584, 28672, 32768, 65536, 98304, 196608})
"""Switches, hosts, links and optics of the reference sites."""
ROUND_FIGURES = frozenset({256, 512, 4096})
"""Theirs as well, but every program's too: looked for where sizes are worked out."""
SIZING = ("design", "intent", "deploy", "platforms", "render")
SOMETHING_ELSE = {
    ("intent/core/intent_model.py", 1280): "least MTU: IPv6's, RFC 8200",
    ("intent/keys/fabric.py", 4096): "bound of counts in an intent",
    ("intent/keys/host.py", 4096): "bound of counts in an intent",
    ("intent/keys/host.py", 65536): "bound of counts in an intent",
    ("lab/manager.py", 65536): "bytes of disk space",
    ("switch_twins/eos/eapi.py", 32768): "part of 32 MiB, written as a product",
    ("switch_twins/engine/tree.py", 65536): "ASN written with a dot",
    ("switch_twins/eos/grammar.py", 65536): "ASN written with a dot",
    ("switch_twins/nvue/extract.py", 65536): "Linux's MTU of lo",
    ("switch_twins/nvue/extract_pair.py", 32768): "default priority of a member of a pair",
    ("lab/machines/leaf_pair.py", 32768): "LACP's default priority of a system and a port",
    ("switch_twins/eos/shows/groups.py", 32768): "LACP's default priority of a system and a port",
    ("switch_twins/eos/shows/bgp_text.py", 32768): "BGP's weight of a switch's own paths",
    ("switch_twins/nxos/show_bgp.py", 32768): "BGP's weight of a switch's own paths",
    ("switch_twins/nxos/show_groups.py", 32768): "LACP's default priority of a system and a port",
    ("switch_twins/eos/extract_trees.py", 32768): "spanning tree's default priority of a bridge",
    ("switch_twins/nxos/extract_trees.py", 32768): "spanning tree's default priority of a bridge",
    ("platforms/nxos/observe_trees.py", 4096): "step of a bridge's priority",
    ("switch_twins/nxos/words.py", 65536): "ASN written with a dot",
    ("switch_twins/spec.py", 65536): "entries of a cache",
    ("design/config/spanning_tree.py", 4096): "step of a bridge's priority",
    ("design/realise/configuration.py", 4096): "step of a bridge's priority",
    ("platforms/asn.py", 65536): "ASN written with a dot",
    ("platforms/nxos/capabilities.py", 4096): "greatest number of a port-channel",
    ("platforms/nxos/capabilities.py", 256): "bits of a hash",
    ("platforms/nxos/parse_snmp.py", 256): "bits of a hash",
    ("switch_twins/routed/ports.py", 65536): "Linux's MTU of lo",
    ("switch_twins/routed/daemons.py", 65536): "bytes read at once from a socket",
    ("design/contribute/bond_ports.py", 512): "greatest number of a group that hosts' ports are in",
    ("platforms/nxos/access_lists.py", 512): "number of a TCP or UDP port with a name",
    ("platforms/eos/port_names.py", 512): "number of a TCP or UDP port with a name",
    ("platforms/nvue/headroom.py", 32768): "bytes of headroom, published",
    ("platforms/eos/headroom.py", 4096): "bytes of a buffer of Jericho 2",
    ("platforms/eos/headroom.py", 256): "bytes that both published figures are multiples of",
    ("switch_twins/routed/legs.py", 65536): "bytes read at once from a socket",
    ("platforms/eos/capabilities.py", 256): "kbytes, in the source of an ECN threshold",
    ("platforms/eos/capabilities.py", 512): "kbytes, in the source of an ECN threshold",
}
"""(file, figure) that means something else, and what."""


def figures_of(code: str) -> set[int]:
    """Every figure of a source file: literals, products and shifts of literals, numbers in texts; not docstrings."""
    tree = ast.parse(code)
    comments = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            numbers = re.findall(r"(?<![\w.])[\d,_]*\d(?![\w.])", node.value)
            found |= {int(re.sub("[,_]", "", each)) for each in numbers}
        elif isinstance(node, (ast.Constant, ast.BinOp)):
            # Not made of literals alone: a name, a text to join, an await.
            with contextlib.suppress(NameError, TypeError, ValueError, SyntaxError):
                value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}})
                found |= {int(value)} if isinstance(value, (int, float)) else set()
    return found


def looked_for(file: Path) -> frozenset[int]:
    return FIGURES | ROUND_FIGURES if file.parts[0] in SIZING else FIGURES


def test_no_figure_of_a_reference_site_stands_in_the_code() -> None:
    found = {
        (str(file.relative_to(base)), each)
        for base, tree in ((PRODUCT, PRODUCT), (ROOT, TWINS))
        for file in tree.rglob("*.py")
        for each in figures_of(file.read_text(encoding="utf-8")) & looked_for(file.relative_to(base))
    }
    assert found - SOMETHING_ELSE.keys() == set()
    assert SOMETHING_ELSE.keys() - found == set()  # nothing is allowed that is not there


@pytest.mark.parametrize("code", ["x = 28_672", "x = 256 * 112", "x = 1 << 15", "x = '28,672 GPUs'", "x = 98304.0"])
def test_a_figure_is_found_however_it_is_written(code: str) -> None:
    assert figures_of(code) & (FIGURES | ROUND_FIGURES)


def test_hosts_with_subnets_of_their_own() -> None:
    data = site(link="subnet/28")
    found = design(intent_of(data), load_catalogue(), facts())
    nic = rails(found)[0]
    assert (nic.prefix_length, nic.gateway.rpartition(".")[2], nic.address.rpartition(".")[2]) == (28, "1", "2")
    second = next(nic for nic in rails(found) if nic.at.host_index == 2 and nic.rail == 0)
    assert second.gateway.rpartition(".")[2] == "17"
    config = device_config(found, found.device(nic.at.leaf)).config
    port = next(port for port in config.interfaces if port.name == nic.at.leaf_port)
    assert port.address == f"{nic.gateway}/28"


def test_leaving_unused_ports_alone_says_nothing_of_them() -> None:
    intent = load_site("lab-rails").intent
    left = intent.model_copy(update={"policy": intent.policy.model_copy(update={"unused_ports": "leave"})})
    found = design(left, load_catalogue(), facts())
    realised = device_config(found, found.devices[0])
    assert all(port.enabled for port in realised.config.interfaces)
    assert realised.claims.spare_ports == frozenset()
    assert replace(realised.claims, spare_ports=frozenset()) == realised.claims
