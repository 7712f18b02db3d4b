"""A site brought up, changed, judged and undone from Python alone: typed results, and not a word on any console."""

import gc
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
from at_terminal import small_site
from by_hand import hands

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.errors import IntentError, Interrupted, LabError, RefusedError
from nornir_tasks.platforms.observed import Observed, PathState, PortQos, PortState
from nornir_tasks.usecases import push, render, validate
from nornir_tasks.usecases.interrupted_push import Drained, PushInterrupted, Stopped
from nornir_tasks.usecases.lab import up_down
from nornir_tasks.usecases.progress import Begun, Ended, Event, Through, Unidentified, Work
from nornir_tasks.usecases.push import PlanReport
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import SiteDesign, load, select

SWITCHES = ("leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")


class Follower:
    """Keeps all that a use case says."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self.events.append(event)

    def worked(self, work: Work) -> list[str]:
        """The switches that were through with it, each as often as it was."""
        return sorted(each.name for each in self.events if isinstance(each, Through) and each.work is work)


def yes(found: PlanReport) -> bool:
    return True


@pytest.fixture(scope="module")
def of_others() -> list[object]:
    """What is alive of configurations before this file's site is; kept, so that none of it goes while we count."""
    gc.collect()
    return of_configurations()


@pytest.fixture(scope="module")
def design(of_others: list[object], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteDesign]:
    """A small site whose lab is up, nothing pushed to it yet."""
    folder = tmp_path_factory.mktemp("usecases")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUFABRIC_STATE", str(folder / "state"))
        made = load(small_site(folder).site)
        up_down.up(made, up_down.LabOptions())
        try:
            yield made
        finally:
            up_down.down(made.site.directory)


@pytest.fixture(autouse=True)
def silent(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Whatever a test of this file does, nothing of it is printed."""
    yield
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def nothing_pushed(design: SiteDesign) -> SiteDesign:
    """Each test starts from what day 0 left, whatever the one before it pushed."""
    try:
        while True:
            push.rollback(design, push.last_push(design), Reach(), yes).require_done()
    except RefusedError:
        return design


def test_a_push_that_is_not_approved_changes_nothing(nothing_pushed: SiteDesign) -> None:
    selection, reports = select(nothing_pushed), list[PlanReport]()

    def no(found: PlanReport) -> bool:
        reports.append(found)
        return False

    with pytest.raises(Interrupted, match="declined; nothing was changed"):
        push.push(selection, Reach(), no)
    assert [tuple(each.changing) for each in reports] == [SWITCHES], "asked once, about all that would change"
    assert tuple(push.plan(selection, Reach()).changing) == SWITCHES


def parts() -> set[str]:
    """What a switch may show or leave open, as checks call it."""
    rows = {"ports": PortState, "qos": PortQos, "paths": PathState}
    named = {f"{table}.{field.name}" for table, row in rows.items() for field in fields(row)}
    return named - {"paths.needs_reload"}  # a trait of the OS, and no answer


def shown(observed: Observed) -> set[str]:
    """What of that a switch said of any of its ports, or of itself."""
    rows = {"ports": observed.ports, "qos": observed.qos, "paths": (observed.paths,)}
    values_by_part = {
        part: [getattr(each, part.partition(".")[2]) for each in rows[part.partition(".")[0]]] for part in parts()
    }
    return {part for part, values in values_by_part.items() if any(value is not None for value in values)}


def test_plan_push_validate_and_rollback_return_what_became_of_each_switch(nothing_pushed: SiteDesign) -> None:
    follower, selection = Follower(), select(nothing_pushed)
    planned = push.plan(selection, Reach(), follower)
    assert tuple(planned.changing) == planned.work == SWITCHES

    done = push.push(selection, Reach(), yes, follower)
    done.require_done()
    assert (done.changed, done.left, done.not_begun) == ([*SWITCHES], [], [])
    assert follower.worked(Work.PUSH) == [*SWITCHES]
    assert Counter(map(type, follower.events))[Begun] == Counter(map(type, follower.events))[Ended]
    with pytest.raises(FrozenInstanceError):
        done.plan = planned  # type: ignore[misc]

    assert push.plan(selection, Reach()).work == ()
    readings = validate.collect(selection, Reach(), follower)
    report = validate.judge(selection, readings)
    validate.require_passed(report)
    assert report.tested == report.total > 0
    assert set(readings.switches) == set(SWITCHES)
    assert sum(validate.expected(selection).values()) == report.total
    compute = select(nothing_pushed, ["compute"])
    assert validate.judge(compute, validate.collect(compute, Reach())).findings == report.findings, "its only plane"
    for name, each in readings.switches.items():
        observing = selection[name].platform.observing
        promised = {part for part in parts() if observing.shows(part)}
        assert shown(each.observed) <= promised, name
        assert promised - shown(each.observed) <= {"ports.vlan"}, name  # no switch here has a VLAN of hosts

    undone = push.rollback(nothing_pushed, push.last_push(nothing_pushed), Reach(), yes)
    assert undone.changed == [*SWITCHES]
    assert validate.judge(selection, validate.collect(selection, Reach())).failed


def test_what_validate_keeps_of_a_switch_that_is_read_is_no_text_and_no_tree(
    nothing_pushed: SiteDesign, of_others: list[object]
) -> None:
    alive: list[int] = []
    not_ours = {id(each) for each in of_others}

    def count(event: Event) -> None:
        if isinstance(event, Through):
            gc.collect()
            alive.append(sum(type(each) is Wanted and id(each) not in not_ours for each in of_configurations()))

    readings = validate.collect(select(nothing_pushed), Reach(workers=1), count)
    assert alive == [0] * len(SWITCHES)
    assert {name: each.wanted.name for name, each in readings.switches.items()} == {name: name for name in SWITCHES}


def test_a_switch_that_somebody_changes_while_its_plan_is_read_is_not_pushed_to(nothing_pushed: SiteDesign) -> None:
    selection, device = select(nothing_pushed), "leaf-g1-r0"
    hand = hands(nothing_pushed.site.state_directory / "lab")[device]

    def yes_after_a_while(found: PlanReport) -> bool:
        hand.configure("interface Ethernet1/1", "description by hand")
        return True

    done = push.push(selection, Reach(), yes_after_a_while)
    assert (done.changed, done.not_begun) == ([], [name for name in SWITCHES if name != device])
    error = done.errors[device]
    assert isinstance(error, RefusedError)
    assert "to be done, and not shown: - interface Ethernet1/1 / description by hand" in str(error)
    assert "another session changed the switch after its plan was shown" in str(error)
    hand.configure("interface Ethernet1/1", "no description")
    assert push.push(selection, Reach(), yes).changed == [*SWITCHES]


def test_of_a_push_no_configuration_stays_in_memory_but_its_summary(nothing_pushed: SiteDesign) -> None:
    """Python does not look for cycles meanwhile: what nobody needs any more goes at once, also of 1,000 switches."""
    selection = select(nothing_pushed)
    push.plan(selection, Reach())
    gc.collect()
    gc.disable()
    try:
        before = configurations()
        done = push.push(selection, Reach(workers=2), yes)
        left = configurations() - before
    finally:
        gc.enable()
    assert done.changed == [*SWITCHES]
    assert not left
    assert sum(len(each.packed) for each in done.plan.plans.values()) < 100_000


def of_configurations() -> list[object]:
    """What is alive of configurations: trees, their lines for hier_config, whole configurations."""
    kinds = {"ConfigTree", "SourceTree", "HConfig", "HConfigChild", "Wanted", "DeviceConfig", "DevicePlan", "Change"}
    return [each for each in gc.get_objects() if type(each).__name__ in kinds]


def configurations() -> Counter[str]:
    """How many of each kind are alive."""
    return Counter(type(each).__name__ for each in of_configurations())


def test_a_push_with_nothing_to_do_asks_nobody(nothing_pushed: SiteDesign) -> None:
    selection = select(nothing_pushed, limit=["spine-1"])
    push.push(selection, Reach(), yes).require_done()

    def never(found: PlanReport) -> bool:
        raise AssertionError(found)

    assert push.push(selection, Reach(), never).changed == []


def test_an_interrupted_push_says_how_it_stands_and_raises_it(nothing_pushed: SiteDesign) -> None:
    """Ctrl-C comes when the first switch is through."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    follower, sent = Follower(), threading.Event()

    def on(event: Event) -> None:
        follower(event)
        if isinstance(event, Through) and event.work is Work.PUSH and not sent.is_set():
            sent.set()
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    try:
        with pytest.raises(PushInterrupted) as interrupted:
            push.push(select(nothing_pushed), Reach(), yes, on)
    finally:
        signal.signal(signal.SIGINT, before)
    (stopped,) = [each.standing for each in follower.events if isinstance(each, Stopped)]
    standing = interrupted.value.standing
    assert stopped.total == standing.total == len(SWITCHES)
    assert stopped.begun < len(SWITCHES)
    assert standing.lines[0].startswith("confirmed: leaf-g1-r0")
    assert standing.under_way == (), "what was on its way was waited for"
    assert all(each.standing.begun == stopped.begun for each in follower.events if isinstance(each, Drained))


def test_switches_known_by_their_address_alone_are_named_once_in_each_use_case(nothing_pushed: SiteDesign) -> None:
    listed = nothing_pushed.site.state_directory / "lab" / "devices.yml"
    text = listed.read_text()
    listed.write_text("\n".join(line for line in text.splitlines() if "serial:" not in line) + "\n")
    follower = Follower()
    try:
        push.plan(select(nothing_pushed), Reach(accept_release=True), follower)
    finally:
        listed.write_text(text)
    assert follower.worked(Work.ASK) == follower.worked(Work.READ) == [*SWITCHES]
    (event,) = [each for each in follower.events if isinstance(each, Unidentified)]
    assert [each.device for each in event.news] == [each.device for each in event.known] == [*SWITCHES]


def test_what_is_rendered_of_a_selection_is_made_one_switch_at_a_time(design: SiteDesign, tmp_path: Path) -> None:
    selection, follower = select(design, limit=["spine-*"]), Follower()
    first = next(render.render(selection))
    assert (first.device, first.file) == ("spine-1", "spine-1.yaml")
    written = render.write(selection, render.render(selection), tmp_path, follower)
    assert [path.name for path in written.files] == ["spine-1.yaml", "spine-2.yaml"] == follower.worked(Work.RENDER)
    assert (tmp_path / "spine-1.yaml").read_text() == first.text == selection["spine-1"].text


def test_a_wrong_choice_is_refused_before_any_switch_is_asked(design: SiteDesign) -> None:
    with pytest.raises(IntentError, match="no such plane: compyute"):
        select(design, ["compyute"])
    with pytest.raises(IntentError, match=r"matches no switch: laef-\*"):
        select(design, limit=["leaf-*,laef-*"])


def test_a_lab_that_runs_as_planned_is_found_up_and_shows_every_switch(design: SiteDesign) -> None:
    follower = Follower()
    found = up_down.up(design, up_down.LabOptions(), follower)
    assert (found.switches.is_new, found.switches.switches, found.machines) == (False, len(SWITCHES), None)
    assert follower.events == [found.switches]
    status = up_down.status(design.site.directory)
    assert status.state == "up"
    assert status.answer is not None
    assert [each["name"] for each in status.answer["devices"]] == [*SWITCHES]


def test_more_machines_than_the_design_has_hosts_are_refused(design: SiteDesign) -> None:
    with pytest.raises(LabError, match="the design has fewer hosts"):
        up_down.up(design, up_down.LabOptions(hosts=10_000))
