"""The list of a trunk's VLANs, which EOS and NX-OS print in one line: as a line for each, and as one line again.

Each VLAN of a trunk may have another owner, so a tree has one line of each, in whatever groups a switch prints them. A
switch takes the whole list at once, so what is sent is put together again, with the VLANs of others among them.
"""

from collections.abc import Collection, Iterable, Iterator

from nornir_tasks.design.device_config import Interface
from nornir_tasks.platforms.config_tree import ConfigTree

ALLOWED = "switchport trunk allowed vlan "
"""A list that a switch prints in several lines goes on with ``add`` (NX-OS)."""
NONE = f"{ALLOWED}none"
_TRUNK = "switchport mode trunk"


def numbers(text: str) -> Iterator[int]:
    """``10,20-22`` -> 10, 20, 21, 22."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def ranges(vlans: Iterable[int]) -> str:
    """The other way, ascending: 10, 20, 21, 22 -> ``10,20-22``."""
    runs: list[list[int]] = []
    for number in sorted(vlans):
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs)


def one_vlan_each(line: str) -> tuple[str, ...]:
    """``switchport trunk allowed vlan 10,20-21`` -> one such line for each VLAN; any other line as it is."""
    listed = line.removeprefix(ALLOWED).removeprefix("add ")
    if not line.startswith(ALLOWED) or not listed[:1].isdecimal():
        return (line,)
    return tuple(f"{ALLOWED}{number}" for number in numbers(listed))


def vlans_of(port: ConfigTree | None) -> frozenset[int]:
    """The VLANs that a port's lines let through; a line without numbers (``none``) says none."""
    listed = (each for line in (port.children if port is not None else ()) for each in one_vlan_each(line))
    words = (line.removeprefix(ALLOWED) for line in listed if line.startswith(ALLOWED))
    return frozenset(int(word) for word in words if word.isdecimal())


def allowed_vlans(port: Interface) -> str:
    """The line of a trunk; its VLAN of untagged frames must be let through like any other."""
    return whole_line({*(port.tagged_vlans or ()), port.native_vlan} - {None})  # type: ignore[arg-type] # none is None


def whole_line(vlans: Collection[int]) -> str:
    """The line that lets just these through."""
    return f"{ALLOWED}{ranges(vlans)}" if vlans else NONE


def split_lists(tree: ConfigTree) -> None:
    """Make lists one line for each VLAN, in place, below every port of a tree."""
    for port in tree.children.values():
        if port.text.startswith("interface ") and any(line.startswith(ALLOWED) for line in port.children):
            printed, port.children = port.children, {}
            for node in printed.values():
                for line in one_vlan_each(node.text):
                    kept = port.add(line, node.line)
                    kept.children.update(node.children)
                    kept.repeats += (*(() if kept.line == node.line else (node.line,)), *node.repeats)


def join_lists(tree: ConfigTree) -> ConfigTree:
    """The same tree with each port's list in one line; nodes of ports without one are ``tree``'s own."""
    joined = ConfigTree(tree.text, tree.line)
    joined.children = {
        text: joined_port(node) if text.startswith("interface ") else node for text, node in tree.children.items()
    }
    return joined


def joined_port(port: ConfigTree, vlans: Collection[int] | None = None) -> ConfigTree:
    """One port with its list in one line, in the place of the first: of these VLANs, or of those it has."""
    listed = [node for line, node in port.children.items() if line.startswith(ALLOWED)]
    if not listed and vlans is None:
        return port
    line = whole_line(vlans_of(port) if vlans is None else vlans)
    rows = sorted({row for node in listed for row in (node.line, *node.repeats)})
    joined = ConfigTree(port.text, port.line)
    joined.repeats = port.repeats
    for text, node in port.children.items():
        if not text.startswith(ALLOWED):
            joined.children[text] = node
        elif line not in joined.children:
            joined.add(line, rows[0]).repeats = tuple(rows[1:])
    joined.add(line, port.line)
    return joined


def with_whole_lists(running: ConfigTree, owned: ConfigTree, wanted: ConfigTree) -> tuple[ConfigTree, ConfigTree]:
    """What is owned of a switch and what is wanted of that, each list with the VLANs that others have in it.

    Both as they are where no port has a list.
    """
    before, after = ConfigTree(), ConfigTree()
    before.children, after.children = owned.children.copy(), wanted.children.copy()
    ports = [text for text in {**before.children, **after.children} if text.startswith("interface ")]
    listed = [text for text in ports if _has_list(owned.get(text)) or _has_list(wanted.get(text))]
    for name in listed:
        all_there, ours, coming = (vlans_of(tree.get(name)) for tree in (running, owned, wanted))
        others = all_there - ours
        if name in before.children and all_there:
            before.children[name] = joined_port(before.children[name], all_there)
        if name in after.children and (others or coming or _TRUNK in after.children[name].children):
            after.children[name] = joined_port(after.children[name], others | coming)
    return (before, after) if listed else (owned, wanted)


def _has_list(port: ConfigTree | None) -> bool:
    return port is not None and any(line.startswith(ALLOWED) for line in port.children)
