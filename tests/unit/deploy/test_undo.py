"""A rollback brings whole sections back: refused where a later push changed lines of both, or needs them."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from nornir_tasks.deploy.evidence import Done
from nornir_tasks.deploy.journal import Entry, Journal
from nornir_tasks.deploy.undo import Obstacles, refuse_overtaken
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.model.claims import SWITCH
from nornir_tasks.errors import RefusedError
from nornir_tasks.platforms.config_tree import ConfigTree, difference
from nornir_tasks.platforms.ownership import join, split
from tests.unit.design.toys import ONE_OF_EACH, both

SYSTEMS = pytest.mark.parametrize("device", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
LEAVES = ("leaf-g1-r0", "leaf-g1-r1")
GOLDEN = Path(__file__).parents[2] / "errors/rollback_of_an_earlier_push/expected.txt"
WHEN = "2026-05-04T08:30:00+00:00"


class Site:
    """Pushes of the lab with two planes, as far as the journal hears of them."""

    def __init__(self, path: Path, *devices: str) -> None:
        self.path = path / "journal.sqlite"
        self.journal = Journal(self.path)
        self.runs: dict[str, dict[str | None, ConfigTree]] = {device: {} for device in devices}
        """Device -> owner -> what it has there."""

    def push(self, *planes: str, less: str | None = None, state: str = "done", undoes: int | None = None) -> int:
        """Bring these planes to all switches; ``less``: without the last line that this owner has."""
        verb = "push" if undoes is None else "rollback"
        number = self.journal.begin(verb, frozenset({SWITCH, *planes}), self.runs, undoes)
        for device, runs in self.runs.items():
            wanted = both(device, *planes)
            before = join(part for owner, part in runs.items() if wanted.sends(owner))
            after = parts_of(wanted, wanted.tree)
            if less is not None and after[less].children:
                containers = wanted.platform.to_tree("")  # NVUE's, which no change consists of
                others = join((containers, *(part for owner, part in after.items() if owner != less)))
                after[less] = without_a_line(after[less], others)
            self.note(number, device, before, join(after.values()), state)
            runs |= {owner: part for owner, part in after.items() if wanted.sends(owner)}
        return number

    def note(self, number: int, device: str, before: ConfigTree, after: ConfigTree, state: str) -> None:
        if any(difference(before, after)):
            to_text = both(device).platform.to_text
            self.journal.start(number, device, Done(to_text(before), to_text(after)))
            self.journal.end(number, device, state)

    def roll_back(self, push: int) -> None:
        """What ``rollback`` does of a push."""
        planes = self.journal.owners(push) - {SWITCH}
        number = self.journal.begin("rollback", self.journal.owners(push), self.runs, push)
        for device, runs in self.runs.items():
            wanted = both(device, *planes)
            before = join(part for owner, part in runs.items() if wanted.sends(owner))
            (text,) = self.columns("before", push, device)
            self.note(number, device, before, wanted.platform.to_tree(text), "done")
            runs.update(parts_of(wanted, wanted.platform.to_tree(text)))
        self.journal.undone(push, self.runs)

    def columns(self, column: str, push: int, device: str) -> Iterator[str]:
        with closing(sqlite3.connect(self.path)) as db:
            rows = db.execute(f"SELECT {column} FROM device WHERE push = ? AND device = ?", (push, device)).fetchall()
        return (row[0] for row in rows)

    def refused(self, push: int, *devices: str) -> str:
        """Why this push may not be rolled back on these switches; empty if it may."""
        known: Mapping[str, Wanted] = {device: both(device) for device in ONE_OF_EACH.values()}
        try:
            refuse_overtaken(Obstacles(self.journal, known), push, devices or frozenset(self.runs))
        except RefusedError as error:
            return f"exit code {error.exit_code}\n{error}\n"
        return ""

    def obstacles(self, journal: Journal | None = None) -> dict[int, list[int]]:
        """Push -> those that stand against it, as the list of pushes says."""
        known: Mapping[str, Wanted] = {device: both(device) for device in ONE_OF_EACH.values()}
        listed = self.journal.history()
        rule = Obstacles(journal or self.journal, known)
        return {
            each.noted.number: [found.later.noted.number for found in rule.against(each, listed)]
            for each in listed
            if each.noted.verb == "push"
        }


def parts_of(wanted: Wanted, tree: ConfigTree) -> dict[str | None, ConfigTree]:
    parts = split(tree, wanted.platform.ownership, wanted.claims)
    return {owner: part for owner, part in parts.items() if wanted.sends(owner)}


def without_a_line(tree: ConfigTree, others: ConfigTree) -> ConfigTree:
    """The tree without its last line that no other owner has, and below which there is none."""
    made = tree.copy()
    *_, path = (path for path, node in made.walk() if not node and others.get(*path) is None)
    above = made.get(*path[:-1])
    assert above is not None
    del above.children[path[-1]]
    return made


@SYSTEMS
@pytest.mark.parametrize("owner", ["switch", "fabric compute"])
def test_a_push_whose_shared_lines_another_planes_push_changed_is_not_rolled_back_over_it(
    device: str, owner: str, tmp_path: Path
) -> None:
    site = Site(tmp_path, device)
    first, second = site.push("compute"), site.push("storage", less=owner)
    assert "push 2 has changed lines since that both are about" in site.refused(first)
    assert site.refused(second) == ""


@SYSTEMS
def test_the_push_that_brought_the_fabric_is_not_rolled_back_from_under_another_plane(
    device: str, tmp_path: Path
) -> None:
    site = Site(tmp_path, device)
    first, second = site.push("compute"), site.push("storage")
    refused = site.refused(first)
    assert "push 1: push 2 has brought plane storage since" in refused
    assert "fabric compute" in refused
    assert "hint: roll that one back first: nornir rollback --push 2" in refused
    site.roll_back(second)
    assert site.refused(first) == ""


@pytest.mark.parametrize("device", LEAVES)
def test_a_later_push_of_another_planes_own_lines_stops_none_that_changed_its_own_alone(
    device: str, tmp_path: Path
) -> None:
    site = Site(tmp_path, device)
    site.push("compute")
    own = site.push("compute", less="compute")
    site.push("storage")
    assert site.refused(own) == ""


def test_a_plane_brought_to_one_switch_needs_its_fabric_on_all(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0", "spine-1")
    first = site.push("compute")
    site.runs.pop("spine-1")
    site.push("storage")
    assert "brought plane storage" in site.refused(first, "spine-1")
    assert "on leaf-g1-r0\n" in site.refused(first, "spine-1")


def test_a_push_of_two_planes_stands_with_the_one_that_the_first_had_not(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0")
    first = site.push("compute")
    site.push("compute", "storage")
    assert "push 2 has brought plane storage since" in site.refused(first)


def test_another_plane_that_was_there_before_stops_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0")
    site.push("storage")
    later = site.push("compute", less="switch")
    site.push("storage", less="switch")  # to what is there already
    assert site.refused(later) == ""


def test_the_list_of_pushes_and_a_rollback_go_by_one_rule(tmp_path: Path) -> None:
    site = Site(tmp_path, *ONE_OF_EACH.values())
    site.push("compute")
    site.push("storage")
    site.push("compute", less="compute")
    site.push("storage", less="switch")
    site.push("compute", "storage", state="committed")
    listed = site.obstacles()
    assert listed == {5: [], 4: [5], 3: [5, 4], 2: [5, 4], 1: [5, 4, 3, 2]}
    for push, obstacles in listed.items():
        refused = site.refused(push)
        assert [f"push {push}: push {later} has " in refused for later in range(push + 1, 6)] == [
            later in obstacles for later in range(push + 1, 6)
        ]


def test_texts_of_a_switch_are_read_once_at_most_however_many_pushes_are_listed(tmp_path: Path) -> None:
    site = Site(tmp_path, *ONE_OF_EACH.values())
    read: Counter[tuple[int, str]] = Counter()

    class Counting(Journal):
        def before(self, entry: Entry) -> str:
            read[entry.push, entry.device] += 1
            return super().before(entry)

    site.push("compute")
    for number in range(4):
        site.push("compute", less="compute" if number % 2 else None)
        site.push("storage", less="storage" if number % 2 else None)
    site.obstacles(Counting(site.path))
    assert set(read.values()) == {1}
    site.push("storage", less="switch")
    read.clear()
    rule = Obstacles(Counting(site.path), {device: both(device) for device in ONE_OF_EACH.values()})
    newest, *_, oldest = site.journal.history()
    assert next(rule.against(oldest, [newest]))
    assert len(read) == 1, "one switch of two pushes answers for both"


@SYSTEMS
def test_a_later_push_of_the_same_planes_lines_is_undone_first(device: str, tmp_path: Path) -> None:
    site = Site(tmp_path, device)
    first = site.push("storage")
    site.push("storage", less="storage")
    assert "nornir rollback --push 2" in site.refused(first)


def test_what_was_undone_since_or_never_came_to_be_does_not_count(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0")
    first, second = site.push("compute"), site.push("compute", less="switch")
    site.roll_back(second)
    assert site.refused(first) == ""
    other = Site(tmp_path / "other", "leaf-g1-r0")
    first = other.push("compute")
    other.push("compute", less="switch", state="failed")
    assert other.refused(first) == ""


def test_a_change_that_nobody_knows_the_end_of_counts(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0")
    first = site.push("compute")
    site.push("compute", less="switch", state="committed")
    assert "push 2" in site.refused(first)


def test_a_later_rollback_of_an_earlier_push_changed_what_is_shared_as_well(tmp_path: Path) -> None:
    """What the second push would bring back is what the first wanted, which is undone."""
    site = Site(tmp_path, "leaf-g1-r0")
    first, second = site.push("compute"), site.push("storage")
    site.roll_back(first)
    assert "rollback 3 has changed lines" in (output := site.refused(second))
    assert "--push" not in output, "a rollback is not rolled back"


def test_only_the_switches_that_are_chosen_are_asked_about(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0", "spine-1")
    first = site.push("compute")
    site.runs.pop("spine-1")
    site.push("compute", less="switch")
    assert site.refused(first, "spine-1") == ""
    assert "on leaf-g1-r0\n" in site.refused(first, "leaf-g1-r0", "spine-1")


def test_a_number_that_is_no_push_is_refused_with_those_that_are(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0")
    assert "none that was not rolled back" in site.refused(1)
    site.push("compute")
    assert "push 1 of " in site.refused(7)
    site.roll_back(1)
    assert "none that was not rolled back" in site.refused(1)
    assert "no push of this number" in site.refused(2), "a rollback is not rolled back"


def test_a_rollback_of_an_earlier_version_says_not_what_it_undid_and_stops_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path, "leaf-g1-r0")
    first, second = site.push("compute"), site.push("compute", less="switch")
    site.roll_back(second)
    with closing(sqlite3.connect(site.path)) as db, db:
        db.execute("DROP TABLE undoing")
    site.journal = Journal(site.path)
    assert site.refused(first) == ""


def test_the_message_names_every_later_push_the_last_one_first(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    site = Site(tmp_path, *ONE_OF_EACH.values())
    first = site.push("compute")
    site.push("compute", less="switch")
    site.push("compute", "storage")
    with closing(sqlite3.connect(site.path)) as db, db:
        db.execute("UPDATE push SET started = ?", (WHEN,))
    if request.config.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(site.refused(first), encoding="utf-8")
    assert site.refused(first) == GOLDEN.read_text(encoding="utf-8")
