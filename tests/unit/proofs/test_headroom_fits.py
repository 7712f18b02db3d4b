"""Headroom proved on rendered lines: each change that leaves a cable short fails and names its line, no other does.

The judge here is two regular expressions and the figures of the published table, written down by hand.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import yaml

from nornir_tasks.proofs import headroom_fits
from nornir_tasks.proofs.cables import Read
from nornir_tasks.proofs.quotes import findings
from nornir_tasks.proofs.verdicts import Outcome
from nornir_tasks.usecases.site import load
from tests.unit.design.long_cables import SITE
from tests.unit.proofs.lossless_mutants import Mutant, Proved, Rendered, mutants

LEAF, SPINE = "leaf-g1", "spine-1"
LONGEST_M = 300
NEEDED_BYTES = 839_216 + 254
"""400G over 300 m on Tomahawk 5, and a cell for the larger MTU."""
APPLIED = "platform trident mmu queue profile GPUFABRIC-HEADROOM apply"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """EOS leaves under NVUE spines, with 300 m between them."""
    folder = tmp_path_factory.mktemp("long")
    data = yaml.safe_load(SITE.read_text())
    data["fabrics"]["compute"]["spine"]["cable_m"] = LONGEST_M
    (folder / "fabric.yml").write_text(yaml.safe_dump(data))
    return Rendered(load(folder))


@cache
def rails() -> Rendered:
    return Rendered(load("lab-rails"))


def of(found: Proved) -> Outcome:
    return next(each for each in found.outcomes if each.name == headroom_fits.NAME)


def is_short(device: str, text: str) -> bool:
    """Does this text leave a cable of the switch without enough?"""
    if device == LEAF:
        block = text.partition("mmu queue profile GPUFABRIC-HEADROOM\n")[2]
        found = re.match(r"   ingress headroom bytes (\d+)\n", block)
        return APPLIED not in text.splitlines() or found is None or int(found[1]) < NEEDED_BYTES
    length = re.search(r"^      cable-length: (\d+)$", text, re.MULTILINE)
    return length is None or int(length[1]) < LONGEST_M


def test_rendered_lines_of_long_cables_have_headroom(long: Rendered) -> None:
    outcome = of(long.proved())
    assert not outcome.broken
    assert not outcome.undecided
    assert not outcome.not_shown
    cables, switches = len(long.design.network.links), len(long.design.network.devices)
    assert outcome.passed == 2 * cables + switches


@pytest.mark.parametrize("device", [LEAF, SPINE])
def test_each_change_that_leaves_a_cable_short_fails_and_names_the_line(
    device: str, long: Rendered, figure: Callable[[str], None]
) -> None:
    words = ("headroom", "HEADROOM", "cable-length")
    counts, wrong = Counter[str](), list[str]()
    for mutant in mutants(device, long.texts[device]):
        if not any(word in mutant.before for word in words):
            continue
        where = f"{mutant.before.strip()} -> {(mutant.after or 'gone').strip()}"
        found = long.proved(mutant)
        outcome, short = of(found), is_short(device, mutant.text)
        if short != bool(outcome.broken):
            wrong.append(f"{'missed' if short else 'false alarm'}: {where}")
        elif short and not any(
            quote.file == device and quote.row in (mutant.row, None)
            for finding in findings(outcome, found.quotes)
            for _, lines in finding.ends
            for quote in lines
        ):
            wrong.append(f"not named: {where}")
        counts["caught" if short else "enough all the same"] += 1
    assert wrong == []
    assert counts["caught"] >= 2
    figure(f"headroom of {device}: {dict(counts)}")


def changed(rendered: Rendered, device: str, before: str, after: str) -> Outcome:
    text = rendered.texts[device]
    assert before in text
    return of(rendered.proved(Mutant(device, 0, "", "", text.replace(before, after, 1))))


def test_a_profile_without_its_block_has_no_effect(long: Rendered) -> None:
    block = "platform trident mmu queue profile GPUFABRIC-HEADROOM\n"
    outcome = changed(long, LEAF, f"{block}   ingress headroom bytes {NEEDED_BYTES}\n", "")
    assert {"the system's own headroom"} == {each.ends[0].found for each in outcome.broken}


def test_buffers_made_for_less_than_the_systems_own_length_fail_for_the_cables_beyond() -> None:
    outcome = changed(
        rails(), SPINE, "  pfc:\n    default-global:\n", "  pfc:\n    default-global:\n      cable-length: 10\n"
    )
    assert outcome.broken
    assert all("buffers are made for 10 m" in each.what for each in outcome.broken)


def test_headroom_that_the_packet_buffer_does_not_hold_fails_with_the_sum(long: Rendered) -> None:
    outcome = changed(long, SPINE, f"cable-length: {LONGEST_M}", "cable-length: 20000")
    (broken,) = outcome.broken
    assert broken.where == SPINE
    total, limit = map(int, re.findall(r"\d+", broken.what)[:2])
    assert total > limit
    assert f"over {LONGEST_M} m of " in broken.what


def test_bytes_on_an_asic_without_figures_could_not_be_told(long: Rendered) -> None:
    network = long.design.network
    devices = tuple(
        replace(each, capabilities=replace(each.capabilities, cables=replace(each.capabilities.cables, source=None)))
        if each.name == LEAF
        else each
        for each in network.devices
    )
    outcome = headroom_fits.judge(Read(replace(network, devices=devices), long.switches, long.hosts))
    assert not outcome.broken
    assert any("no source has headroom of REF-128x400G with eos" in each for each in outcome.undecided)


def test_a_line_of_buffers_that_nobody_knows_is_never_a_pass(long: Rendered) -> None:
    own = f"   ingress headroom bytes {NEEDED_BYTES}\n"
    outcome = changed(long, LEAF, own, "   ingress headroom 4000 cells\n")
    assert not outcome.broken
    assert any("ingress headroom 4000 cells" in each for each in outcome.undecided)


def test_pause_buffers_of_nx_os_that_no_source_sizes_are_never_a_pass() -> None:
    policy = "policy-map type queuing BY-HAND\n  class type queuing c-in-q3\n"
    line = "pause buffer-size 101920 pause-threshold 46800 resume-threshold 34320"
    text = f"{policy}    {line}\n{rails().texts['leaf-g1-r1']}"
    outcome = of(rails().proved(Mutant("leaf-g1-r1", 0, "", "", text)))
    assert not outcome.broken
    assert any(line in each for each in outcome.undecided)


@pytest.mark.parametrize(("nic_m", "fails"), [(None, True), (49, True), (50, False), (60, False)])
def test_a_nic_that_is_told_less_than_its_cable_fails_and_names_the_variable(
    nic_m: int | None, fails: bool, long: Rendered
) -> None:
    host = min(long.hosts)
    hosts: Mapping[str, Any] = {**long.hosts, host: {**long.hosts[host], "roce_qos_cable_m": nic_m}}
    found = long.proved(hosts=hosts)
    outcome = of(found)
    assert bool(outcome.broken) == fails
    named = {line.text for each in findings(outcome, found.quotes) for _, lines in each.ends for line in lines}
    assert named == ({f"roce_qos_cable_m = {nic_m}"} if fails else set())


def test_own_headroom_whose_size_no_source_has_is_never_passed() -> None:
    outcome = of(rails().proved())
    assert not outcome.broken
    assert outcome.not_shown == {
        "eos's own headroom is in use, and no source has its size": 4,
        "nxos's own headroom is in use, and no source has its size": 4,
    }
    assert outcome.verdict == "could not tell"
    assert any("no source says what EOS' own headroom is made for" in each for each in outcome.notes)
