"""The third law's last part: a plan speaks of each valid line that we do not render, in a section we own.

It goes where it stands in what is shown to be ours, as all here was pushed before; else it stays and is named. In
silence only what a switch has once for whoever needs it, and what announces no prefix of ours.

The lines are the corpora's, from outside; their mode is rebuilt onto our objects' names: what stands in a corpus under
``interface Ethernet9`` is tried under a port of ours, a ``neighbor 192.0.2.1 ...`` with a neighbour of ours.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.ownership import is_shared
from nornir_tasks.usecases.site import select
from switch_twins.nvue.nvset import to_patch
from switch_twins.nvue.schema import schema_for
from tests.corpus.corpus_reader import CORPUS, read_corpus
from tests.lab.nvue_client import corpus
from tests.pushed import pushed
from tests.unit.design.managed import DEVICES, design

KIND = re.compile(
    r"interface (?:ethernet|loopback)|router bgp|router bfd|address-family ipv4(?: unicast)?$|neighbor (?=\S+$)"
    r"|template peer |route-map |qos profile |(?:uc-)?tx-queue |policy-map type \S+ |class type \S+ |class (?!type)"
    r"|class-map type \S+ |system qos",
    re.IGNORECASE,
)
OTHERS = {
    "eos": r"(?:no )?(?:network|aggregate-address|vrf|address-family|vlan|vlan-aware-bundle|bgp listen) ?.*|!.*"
    r"|neighbor interface .*|bgp asn notation .*",
    "nxos": r"(?:no )?(?:network|aggregate-address|vrf|address-family|neighbor|template) .*",
}
"""Of shared containers: what has a key of its own and so is somebody else's under another name. How EOS writes AS
numbers changes nothing that we read: it stays as the operators chose."""
SILENT = re.compile(r"redistribute|aggregate-(?:address|route)")
"""What announces routes, of which some are none of ours."""
OTHERS_SETTINGS = {("system", each) for each in ("aaa", "api", "message", "ssh-server")} | {("interface", "eth0")}
"""Not managed here, or of accounts and of the management port a part alone, and the rest is others' (tests/lab)."""
NAMED = {"peer-group", "neighbor", "route-map", "prefix-list", "as-path-list", "profile"}
"""NVUE keys whose children bear names."""
KEYED = NAMED | {"network", "aggregate-route", "static", "address-family", "vrf"}
"""NVUE keys whose children belong to whom their name or prefix says."""


@cache
def wanted(device: str) -> Wanted:
    return select(design())[device]


def kinds(path: Path) -> tuple[str, ...] | None:
    """What kind of container each level is; None for one we have no like of."""
    found = [KIND.match(line) for line in path]
    return tuple(each[0].strip().lower() for each in found if each) if all(found) else None


def containers(device: str) -> dict[tuple[str, ...], Path]:
    """The first container of each kind that we own on this switch."""
    found: dict[tuple[str, ...], Path] = {}
    for path, node in wanted(device).tree.walk():
        kind = kinds(path) if node.children else None
        if kind is not None:
            found.setdefault(kind, path)
    return found


def lines(system: str, device: str) -> Iterator[tuple[str, Path]]:
    """(section, path of one line) in our containers, for every corpus line of a mode that we have the like of."""
    ours = containers(device)
    peers = [each.address for each in wanted(device).config.bgp.neighbors]
    for each in read_corpus(CORPUS / system / "accept.txt"):
        kind = kinds(tuple(level for level in each.mode if level != "no switchport"))
        if not kind or kind not in ours:
            continue
        text = each.text.strip()
        if system == "eos" and kind[0] == "router bgp":
            text = re.sub(r"^((?:no |default )?neighbor )(?!interface)\S+ ", rf"\g<1>{peers[0]} ", text)
        if not re.fullmatch(OTHERS[system], text) and "\n" not in text:
            yield each.section, (*ours[kind], text)


def settings(device: str, release: str) -> Iterator[tuple[str, Path]]:
    """The same of NVUE: every leaf of every corpus entry of this release, its names replaced by ours."""
    system = wanted(device).platform
    for entry in corpus("accept.txt"):
        if release not in entry.releases:
            continue
        data = to_patch(schema_for(release), entry.text) if entry.form == "nv-set" else json.loads(entry.text)
        for path, node in system.to_tree(json.dumps(data)).walk():
            if not node.children and (ours := renamed(device, path)) is not None:
                yield entry.section, ours


def renamed(device: str, path: Path) -> Path | None:
    """The path with our names in it; None where we own nothing of the kind."""
    if path[0] == "bridge" or "dhcp-relay" in path or path[:2] in OTHERS_SETTINGS:
        return None  # its own settings and other VLANs are whoever's made them; relays are those of VLANs, none of ours
    node, made = wanted(device).tree, list[str]()
    for depth, text in enumerate(path):
        if made and made[-1] in KEYED and depth == len(path) - 1:
            return None
        if text in node.children or depth == len(path) - 1:
            made.append(text)
        elif made and (made[-1] in NAMED or (made == ["interface"] and text.startswith("swp"))):
            named = [name for name in node.children if not name.startswith("lo")]
            if not named:
                return None
            made.append(named[0])
        else:
            return (*made, *path[depth:]) if len(made) > 2 and made[-1] not in KEYED else None
        node = node.children.get(made[-1]) or ConfigTree()
    return tuple(made) if len(made) > 2 else None


def with_line(device: str, path: Path) -> ConfigTree:
    """What runs, if somebody added this line. NVUE holds one value for each key."""
    tree = wanted(device).tree.copy()
    key, _, value = path[-1].partition(": ")
    above = tree.get(*path[:-1])
    if wanted(device).config.os == "nvue" and value and above is not None:
        for text in [text for text in above.children if text.partition(": ")[0] == key]:
            del above.children[text]
    tree.add_path(path)
    return tree


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", sorted(DEVICES))
def test_a_plan_speaks_of_each_valid_line_that_we_do_not_render_and_removes_nothing_else(
    name: str, figure: Callable[[str], None]
) -> None:
    device, (system, _, release) = DEVICES[name], name.partition(" ")
    ours, os = wanted(device), wanted(device).platform
    found = settings(device, release) if system == "nvue" else lines(system, device)
    counts: Counter[str] = Counter()
    stays = silent = 0
    for section, path in dict.fromkeys(found):
        text = os.to_text(with_line(device, path))
        added = os.to_tree(text).paths() - ours.tree.paths()
        if not added:
            continue  # we render it, or the switch hides it as its default
        if os.obstacles(os.to_tree(text)):
            with pytest.raises(RefusedError, match="profile"):
                device_plan(ours, text, allow_management=True)
            continue  # refused by its name: with it the switch follows a configuration that is not shown
        plan = device_plan(ours, text, pushed(ours), allow_management=True)
        removed = {change.path for change in plan.changes if change.op == "-"}
        named = {each.path for each in plan.others}
        if not removed | named and (SILENT.search(" / ".join(path)) or is_shared(path, os.ownership)):
            silent += 1
            continue
        assert removed | named, (path, "is valid here, and no plan speaks of it")
        assert removed <= added, (path, sorted(removed - added))
        assert all(any(one[: len(each)] == each for one in added) for each in named), (path, sorted(named))
        assert path in removed or named or all(gone[: len(path) - 1] == path[:-1] for gone in removed), (path, removed)
        counts[section] += 1
        stays += not removed
    figure(
        f"{name}: {sum(counts.values())} valid lines of others in our sections, {stays} of them named as kept, "
        f"{silent} passed over: {dict(counts)}"
    )
    assert sum(counts.values()) >= 40
    assert stays >= 3
    assert {"interfaces", "bgp"} <= set(counts)
