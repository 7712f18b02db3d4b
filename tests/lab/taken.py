"""A switch is brought from one configuration to others: what it takes, prints and runs is as planned and wanted."""

from line_shapes import Rendered
from typed_switches import SWITCHES, NxosSwitch, Switch

from nornir_tasks.platforms.nxos.patch import server_changes, settle


def pushed(start: Rendered, *ends: Rendered) -> str:
    """A switch is brought from one configuration to others, each of which it takes and runs; what it runs at last."""
    switch = SWITCHES[start.config.os](start)
    for end in ends:
        push(switch, start, end)
        start = end
    return switch.running()


def push(switch: Switch, start: Rendered, end: Rendered) -> None:
    assert switch.refused == []
    running = start.os.to_tree(switch.running())
    wanted = end.owned(end.os.canonical(end.written()))
    planned = end.os.candidate(running, start.owned(running), wanted)
    assert planned.changes
    switch.take(planned)
    assert switch.refused == []
    if isinstance(switch, NxosSwitch):  # its own patch says what the plan says, though addresses are typed again
        assert settle(server_changes(switch.printed), running) == frozenset(planned.changes)
    runs = end.os.to_tree(switch.running())
    assert end.owned(runs).paths() == wanted.paths()
    again = end.os.candidate(runs, end.owned(runs), wanted)
    assert again.changes == ()
    read = end.os.parse(end.os.canonical(end.owned(runs)), end.capabilities, end.config.name, end.config.model)
    assert (read.config, list(read.remainder.walk())) == (end.config, [])
