"""The watchdog of paused queues: the same times wherever a system takes them, and the order of the others said."""

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest

from nornir_tasks.design.config.qos import WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms
from nornir_tasks.usecases.site import load, select
from tests.intent_parts import figures


def every_kind() -> Iterator[Capabilities]:
    """Each release of each system on each ASIC of the catalogue, where it has lossless classes."""
    every = platforms()
    asics = {(os, model.asic_under(os)) for model in load_catalogue().switches.values() for os in model.os}
    for os, asic in sorted(asics):
        for release in every[os].facts.releases:
            with suppress(KeyError):
                known = every[os].facts.capabilities(release, asic)
                if known.max_lossless_classes:
                    yield known


KINDS = tuple(every_kind())


def test_times_are_the_same_on_every_system_that_takes_them_and_nowhere_else_without_a_reason() -> None:
    alike = (WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS)
    taken = {known.os: (known.watchdog.detect_ms, known.watchdog.restore_ms) for known in KINDS}
    assert taken["eos"] == taken["nvue"] == alike
    assert taken["nxos"] != alike
    for known in KINDS:
        assert (taken[known.os] == alike) == (not known.watchdog_gap), known.os


@pytest.mark.parametrize(
    "known", [each for each in KINDS if each.os == "eos"], ids=lambda each: f"{each.asic}-{each.release}"
)
def test_eos_polls_at_least_twice_within_the_shorter_time_else_it_takes_other_times(known: Capabilities) -> None:
    own = known.watchdog
    assert 5 <= own.poll_ms <= min(own.detect_ms, own.restore_ms) / 2


def read(text: str) -> tuple[int, int] | None:
    """(drops after, back after) in ms, by the lines alone; None: the lines have no times."""
    seconds = dict(re.findall(r"pause watchdog default (timeout|recovery-time) ([\d.]+)", text))
    if seconds:
        return round(float(seconds["timeout"]) * 1000), round(float(seconds["recovery-time"]) * 1000)
    if found := re.search(r"pfc-watchdog:\n\s+polling-interval: (\d+)\n\s+robustness: (\d+)", text):
        return int(found[1]) * int(found[2]), int(found[1])
    return None


def test_both_ends_of_every_cable_that_take_times_are_told_the_same() -> None:
    design = load("lab-rails")
    selection = select(design)
    times = {name: read(selection[name].text) for name in selection}
    ends = [
        (times[link.lower.device], times[link.upper.device]) for link in design.network.links if link.kind == "fabric"
    ]
    same = [pair for pair in ends if None not in pair]
    assert same
    assert all(lower == upper for lower, upper in same)
    assert {selection.devices[name].os for name, each in times.items() if each is None} == {"nxos"}


def test_the_order_of_firing_is_said_where_times_differ_and_that_all_are_alike_where_not() -> None:
    mixed, alike = load("lab-rails"), load("ref-512")
    found = figures(mixed.site.intent, mixed.network)["watchdog, order of firing"]
    first, second = str(found.value).split(", then ")
    assert re.fullmatch(r"leaf \S+, nxos \S+ after 100 ms", first)
    assert {"eos", "nvue"} <= set(re.findall(r"\w+", second))
    assert second.endswith("after 300 ms")
    assert "drops first" in found.rule
    found = figures(alike.site.intent, alike.network)["watchdog, order of firing"]
    assert ", then " not in str(found.value)
    assert "count to the same" in found.rule


def test_each_kind_of_switch_says_its_times_and_why_they_are_not_those_of_the_others() -> None:
    mixed = load("lab-rails")
    rows = {
        name: each for name, each in figures(mixed.site.intent, mixed.network).items() if name.startswith("watchdog")
    }
    values = {name: str(each.value) for name, each in rows.items() if "order" not in name}
    assert {value for name, value in values.items() if ", nxos " in name} == {"drops after 100 ms, back after 1000 ms"}
    assert {value for name, value in values.items() if ", nxos " not in name} == {
        "drops after 300 ms, back after 100 ms"
    }
    assert all(
        ("no public source" in each.rule) == (", nxos " in name) for name, each in rows.items() if "order" not in name
    )
