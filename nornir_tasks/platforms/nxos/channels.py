"""What NX-OS refuses to change of a port channel that has members.

The mode: "Port-channel mode cannot be changed in a non-empty port-channel" (cisco.nxos issue 742). Whether members are
suspended: only while the channel is shut (cisco-network-node-utils pull request 489, CSCvb64317). ``configure replace``
sends its own patch, so no order of lines in the candidate helps.
"""

from collections.abc import Iterator

from nornir_tasks.platforms.config_tree import Change, ConfigTree
from nornir_tasks.platforms.nxos.port_map import LAG, lag_number
from nornir_tasks.platforms.platform import Obstacle

_HEAD = f"interface {LAG}"
_MODES = frozenset({"no switchport", "switchport", "switchport mode trunk"})
"""What makes a channel another kind of port; the first two are printed by turns, whichever is no default."""
_SUSPENDED = "no lacp suspend-individual"


def live_obstacles(running: ConfigTree, changes: tuple[Change, ...]) -> tuple[Obstacle, ...]:
    """The planned changes of channels that would be refused, by the members that stay in them."""
    return tuple(_obstacles(running, changes))


def _obstacles(running: ConfigTree, changes: tuple[Change, ...]) -> Iterator[Obstacle]:
    changed: dict[str, set[str]] = {}
    for change in changes:
        if len(change.path) == 2 and change.path[0].startswith(_HEAD) and change.path[0] in running.children:
            changed.setdefault(change.path[0], set()).add(change.path[1])
    for head, lines in changed.items():
        staying = _staying(head, running, changes) if lines & {*_MODES, _SUSPENDED} else ()
        if not staying:
            continue
        name, members = head.removeprefix("interface "), ", ".join(staying)
        expected = f"{name} without {members}"
        hint = f"push a design without {name}, then one with it; its hosts lose it meanwhile"
        if lines & _MODES:
            what = f"{name} cannot become another kind of port while it has members ({members})"
            yield Obstacle(what, expected, hint)
        if _SUSPENDED in lines and "shutdown" not in running.children[head].children:
            what = f"whether members of {name} work individually cannot change while it is up ({members})"
            yield Obstacle(what, f"{name} shut, or {expected}", hint)


def _staying(head: str, running: ConfigTree, changes: tuple[Change, ...]) -> tuple[str, ...]:
    """The members that are there and do not leave."""
    line = f"channel-group {lag_number(head.removeprefix('interface '))}"
    gone = (change.path for change in changes if change.op == "-")
    leaving = {path[0] for path in gone if path[-1].startswith("channel-group ")}
    ports = (
        text
        for text, port in running.children.items()
        if any(each == line or each.startswith(f"{line} ") for each in port.children)
    )
    return tuple(text.removeprefix("interface ") for text in ports if text not in leaving)
