"""Spanning tree: the root of each tree is one of both switches of a pair, and ports of hosts forward as edge ports.

On Cumulus Linux, which publishes the root as text alone, ports are judged and trees are not.
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.checks.switches.mlag import pairs_of
from nornir_tasks.design.config.spanning_tree import SpanningTree
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.observed import TreePort, TreeState

CHECK = "stp"
ABOUT = About(
    name=CHECK,
    each="tree of each switch of a pair, where its system shows the root; and edge port of hosts",
    reads=(
        *("trees.root", "trees.priority", "trees.bridge"),
        *("tree_ports.forwards", "tree_ports.edge", "tree_ports.guarded"),
    ),
    wanted="spanning_tree; interfaces: edge",
    passes="the root is one of both switches, with the wanted priority; the port forwards in the trees of its VLANs, "
    "is an edge port and guarded, as far as the system shows it",
    fails="the root is another bridge or has another priority, or there is no such tree; a port does not forward, is "
    "no edge port, or is not guarded",
    cannot_tell="the switch does not show its trees, or its peer does not, and the root is not this switch",
)


def check_trees(evidence: Evidence) -> list[Finding]:
    """One finding for each tree whose root is shown, and one for each edge port."""
    bridges = {
        (device, each.name): each.bridge for device, seen in evidence.observed.items() for each in seen.trees or ()
    }
    other = {leaf: pair.other(leaf) for leaf, pair in pairs_of(evidence).items()}
    findings: list[Finding] = []
    for device, observed in evidence.observed.items():
        config = evidence.wanted[device]
        trees = None if observed.trees is None else {each.name: each for each in observed.trees}
        for name in _names(config):
            both = {leaf: bridges.get((leaf, name)) for leaf in (device, other.get(device, device))}
            findings.append(_tree(config, name, trees, both))
        ports = None if observed.tree_ports is None else {each.port: each for each in observed.tree_ports}
        wanted = (each.name for each in config.interfaces if each.edge and each.member is None)
        findings += [_port(evidence, config, name, ports) for name in wanted]
    return findings


def _names(config: DeviceConfig) -> Iterator[str]:
    """The trees of a switch whose root is shown, as its system calls them."""
    if config.spanning_tree is None or not platform(config.os).observing.shows("trees"):
        return
    if config.spanning_tree.mode == "rapid-pvst":
        yield from (f"VLAN{each.number:04d}" for each in config.vlans)
    else:
        yield "MST0"


def _tree(config: DeviceConfig, name: str, trees: dict[str, TreeState] | None, both: dict[str, str | None]) -> Finding:
    wanted = config.spanning_tree
    expected = f"root is one of {' and '.join(both)}, priority {wanted.priority if wanted is not None else ''}"
    verdict, found = (Verdict.ERROR, "") if trees is None else _judged(wanted, trees.get(name), both)
    message = f"{config.name} {name}: {found or 'the switch does not show its spanning trees'}"
    return Finding(CHECK, config.name, "", verdict, message, expected, found, name)


def _judged(wanted: SpanningTree | None, seen: TreeState | None, both: dict[str, str | None]) -> tuple[Verdict, str]:
    if seen is None:
        return Verdict.FAIL, "no such tree"
    owner = next((leaf for leaf, bridge in both.items() if bridge == seen.root), "")
    found = f"root is {owner or seen.root}, priority {seen.priority}"
    is_right = wanted is not None and seen.priority == wanted.priority
    if is_right and not owner and None in both.values():
        return Verdict.ERROR, found
    return Verdict.PASS if is_right and owner else Verdict.FAIL, found


def _port(evidence: Evidence, config: DeviceConfig, port: str, ports: dict[str, TreePort] | None) -> Finding:
    where, words = evidence.where(config.name, port), _words(config.os)
    expected = ", ".join(right for right, _ in words.values())
    if ports is None:
        message = f"{where}: the switch does not show its spanning trees"
        return Finding(CHECK, config.name, port, Verdict.ERROR, message, expected)
    seen = ports.get(port)
    if seen is None:
        return Finding(CHECK, config.name, port, Verdict.FAIL, f"{where}: in no tree", expected, "in no tree")
    shown = {field: getattr(seen, field) for field in words}
    found = ", ".join(_spell(words[field], value, seen.state) for field, value in shown.items())
    is_wrong, is_hidden = False in shown.values(), None in shown.values()
    verdict = Verdict.FAIL if is_wrong else Verdict.ERROR if is_hidden else Verdict.PASS
    return Finding(CHECK, config.name, port, verdict, f"{where}: {found}", expected, found)


_Words = dict[str, tuple[str, str]]
_PORT_WORDS: _Words = {
    "forwards": ("forwards", ""),
    "edge": ("edge port", "no edge port"),
    "guarded": ("BPDU guard", "no BPDU guard"),
}
"""Field of a port -> what is said of it; the switch's own word where there is none."""


def _words(os: str) -> _Words:
    """Those that the system shows."""
    shows = platform(os).observing.shows
    return {field: words for field, words in _PORT_WORDS.items() if shows(f"tree_ports.{field}")}


def _spell(words: tuple[str, str], value: bool | None, state: str) -> str:
    if value is None:
        return f"{words[0]} not shown"
    return words[0] if value else words[1] or state
