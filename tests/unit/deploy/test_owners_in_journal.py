"""The journal notes planes and ``switch``: what was pushed before fabrics had an owner of their own can be undone."""

from dataclasses import replace
from pathlib import Path

import pytest

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.journal import Journal
from nornir_tasks.deploy.plan import device_plan, sides
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from tests.unit.design.toys import ONE_OF_EACH, both

NOTED = frozenset({"switch", "compute"})
SYSTEMS = pytest.mark.parametrize("device", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


@SYSTEMS
def test_a_push_of_one_plane_notes_what_it_always_noted(device: str) -> None:
    assert both(device, "compute").owners == NOTED
    assert both(device).owners == NOTED | {"storage"}
    assert both(device, "compute").sends("fabric compute")
    assert not both(device, "compute").sends("storage")
    assert not both(device, "compute").sends(None)


@SYSTEMS
def test_an_entry_of_an_earlier_push_is_of_the_same_owners(device: str, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    noted = journal.owners(journal.begin("push", NOTED, ()))
    assert both(device, "compute").is_of(noted)
    assert not both(device).is_of(noted)
    # a push of a site whose switches are not all on the same planes notes the planes of all
    assert both(device, "compute").is_of(noted | {"business"})


@SYSTEMS
def test_what_an_earlier_push_noted_as_owned_is_owned_by_a_push_of_the_same_planes_and_can_be_brought_back(
    device: str, tmp_path: Path
) -> None:
    now = both(device, "compute")
    to_text = now.platform.to_text
    journal = Journal(tmp_path / "journal.sqlite")
    push = journal.begin("push", NOTED, [device])
    journal.start(push, device, Done(to_text(now.tree), to_text(ConfigTree())))
    journal.end(push, device, "done")
    (entry,) = journal.entries(push)
    before = now.platform.to_tree(journal.before(entry))
    found = sides(now, before)
    assert found.owned == before
    assert not any(not node for _, node in found.foreign.walk()), "a line that was owned then is nobody's now"
    # the whole of it was taken away: bringing it back brings back every line
    nothing = to_text(ConfigTree())
    missing = difference(now.platform.to_tree(nothing), found.owned)
    assert set(device_plan(now, nothing).changes) == set(missing) != set()
    undoing = replace(now, undoes=journal.done(entry))
    assert set(device_plan(undoing, nothing).changes) == {*difference(now.platform.to_tree(nothing), found.owned)}
