"""ECN before PFC: judged where alpha and pool are lines of the switch; elsewhere it could not be told.

The judge here counts congested ports one by one, in whole bytes, and reads the lines with regular expressions.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import inf
from pathlib import Path

import pytest
import yaml

from nornir_tasks.design.model.xoff_threshold import Pool, alpha_of, worst_case
from nornir_tasks.proofs import headroom_fits, marks_first
from nornir_tasks.proofs.cables import Read
from nornir_tasks.proofs.quotes import findings
from nornir_tasks.proofs.verdicts import Outcome
from nornir_tasks.usecases.site import load
from tests.unit.design.test_sites import ROOT
from tests.unit.proofs.lossless_mutants import Mutant, Proved, Rendered

SPINE, EOS_LEAF, NXOS_LEAF = "spine-1", "leaf-g1-r0", "leaf-g1-r1"
CELL, BUFFER = 64 * 192, 158_229_504
ALPHAS = ("alpha_0", "alpha_1_128", "alpha_1_8", "alpha_1", "alpha_8", "alpha_64", "alpha_infinity")
WORST_CASE = 8
"""A spine of the lab has eight lossless ports, of which half are fewer than the least that counts."""


@cache
def rails() -> Rendered:
    return Rendered(load("lab-rails"))


@cache
def headroom() -> int:
    """Of all ports: those without a cable have the same profile."""
    found = headroom_fits.taken(Read(rails().design.network, rails().switches, rails().hosts))[SPINE]
    assert (found.ports, found.total_bytes) == (8, 8 * found.largest_bytes)
    return len(rails().switches[SPINE].config.interfaces) * found.largest_bytes


def buffers(alpha: str = "", percent: int | None = None, fixed: int | None = None) -> str:
    """The rendered spine with these lines of its buffers."""
    lossless = f'        shared-alpha: "{alpha}"\n' if alpha else f"        shared-bytes: {fixed}\n" if fixed else ""
    made = (
        "  advance-buffer-config:\n    default-global:\n      ingress-lossless-buffer:\n" + lossless if lossless else ""
    )
    if percent is not None:
        made += f"  traffic-pool:\n    roce-lossless:\n      memory-percent: {percent}\n"
        made += f"    default-lossy:\n      memory-percent: {100 - percent}\n"
    head, found, rest = rails().texts[SPINE].partition("\nqos:\n")
    assert found
    return head + found + made + rest


def marking(text: str, least: int, most: int) -> str:
    return text.replace("min-threshold: 150000", f"min-threshold: {least}").replace(
        "max-threshold: 1500000", f"max-threshold: {most}"
    )


def proved(device: str, text: str) -> Proved:
    return rails().proved(Mutant(device, 0, "", "", text))


def of(found: Proved) -> Outcome:
    return next(each for each in found.outcomes if each.name == marks_first.NAME)


def verdict(device: str, text: str) -> str:
    """Of this switch alone: the others of the lab could not be told."""
    outcome = of(proved(device, text))
    if outcome.broken:
        assert {each.where for each in outcome.broken} == {device}
        return "fail"
    return "pass" if outcome.passed else "undecided" if outcome.undecided else "could not tell"


def in_cells(size: int) -> int:
    while size % CELL:
        size += 1
    return size


def expected(text: str) -> str:
    """The verdict by counting, from the text alone."""
    alpha, fixed = re.search(r'shared-alpha: "alpha_(\w+)"', text), re.search(r"shared-bytes: (\d+)", text)
    percent = re.search(r"roce-lossless:\n      memory-percent: (\d+)", text)
    least, most = (in_cells(int(each)) for each in re.findall(r"(?:min|max)-threshold: (\d+)", text))
    if fixed is not None:
        return "fail" if least >= int(fixed[1]) or most > int(fixed[1]) else "pass"
    if alpha is None:
        return "fail" if least >= BUFFER else "could not tell"
    pool = BUFFER if percent is None else BUFFER * int(percent[1]) // 100
    if least >= threshold(alpha[1], pool, 1):
        return "fail"
    if percent is None:
        return "could not tell"
    return "fail" if threshold(alpha[1], max(0, pool - headroom()), WORST_CASE) < most else "pass"


def threshold(alpha: str, pool: int, ports: int) -> float:
    """What each of these ports holds when the pool has come to rest: filled step by step, ports alike."""
    part = inf if alpha == "infinity" else float(Fraction(alpha.replace("_", "/")))
    low, high = 0.0, pool / ports
    for _ in range(200):
        middle = (low + high) / 2
        free = pool - ports * middle
        low, high = (middle, high) if part == inf or middle < part * free else (low, middle)
    return (low + high) / 2


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_shown_alpha_and_pool_are_judged_as_counting_says(alpha: str, figure: Callable[[str], None]) -> None:
    counts = Counter[str]()
    for percent in (1, 5, 50, 99):
        for least, most in ((150_000, 1_500_000), (1_000_000, 9_000_000), (9_000_000, 80_000_000)):
            text = marking(buffers(alpha, percent), least, most)
            found = verdict(SPINE, text)
            assert found == expected(text), (percent, least, most)
            counts[found] += 1
    figure(f"{alpha}: {dict(counts)}")
    assert sum(counts.values()) == 12


def test_each_change_of_a_line_that_decides_is_judged_as_counting_says(figure: Callable[[str], None]) -> None:
    """Each number and word of the four lines, changed or gone; the finding names marks and alpha."""
    counts = Counter[str]()
    clean = buffers("alpha_1", 50)
    assert verdict(SPINE, clean) == "pass"
    changes = [("memory-percent: 50", f"memory-percent: {each}") for each in range(1, 100, 7)]
    changes += [('"alpha_1"', f'"{each}"') for each in ALPHAS]
    changes += [("min-threshold: 150000", f"min-threshold: {each}") for each in (1, 40_000_000, BUFFER, 10**9)]
    changes += [("max-threshold: 1500000", f"max-threshold: {each}") for each in (150_001, 8_000_000, 80_000_000)]
    for line in ('        shared-alpha: "alpha_1"\n', "    roce-lossless:\n      memory-percent: 50\n"):
        changes.append((line, line.replace("roce-lossless", "other-lossless") if "roce" in line else "        {}\n"))
    for before, after in changes:
        text = clean.replace(before, after, 1)
        assert text != clean or before == after
        found, wanted = proved(SPINE, text), expected(text)
        outcome = of(found)
        broken = bool(outcome.broken)
        assert broken is (wanted == "fail"), (before, after)
        assert (outcome.passed > 0) is (wanted == "pass"), (before, after)
        if broken:
            (finding,) = findings(outcome, found.quotes)
            quoted = " ".join(quote.text for _, lines in finding.ends for quote in lines)
            assert "min-threshold" in quoted
            assert "max-threshold" in quoted
            assert "shared-alpha" in quoted or "shared-alpha" not in text
            counts["caught"] += 1
        else:
            counts["not broken" if wanted == "pass" else "could not tell"] += 1
    figure(f"lines of marks, alpha and pool: {dict(counts)}")
    assert counts["caught"] >= 8
    assert counts["could not tell"] >= 2


@pytest.mark.parametrize(
    ("fixed", "wanted"), [(2_000_000, "pass"), (1_511_423, "fail"), (150_000, "fail"), (1, "fail")]
)
def test_a_threshold_that_does_not_move_is_compared_directly(fixed: int, wanted: str) -> None:
    text = buffers(fixed=fixed)
    assert (verdict(SPINE, text), expected(text)) == (wanted, wanted)


def test_a_finding_has_the_sum_and_the_number_of_ports() -> None:
    (broken,) = of(proved(SPINE, buffers("alpha_1", 25))).broken
    pool, depth = BUFFER * 25 // 100 - headroom(), in_cells(1_500_000)
    assert f"8 congested ports pause from {pool // 9}: 1 x {pool} / (1 + 1 x 8)" in broken.what
    first = next(ports for ports in range(1, 99) if pool / (1 + ports) < depth)
    assert broken.what.endswith(f"first from {first} ports on")


def test_a_pass_says_from_how_many_ports_pauses_come_first() -> None:
    pool, depth = BUFFER // 2 - headroom(), in_cells(1_500_000)
    first = next(ports for ports in range(1, 999) if pool / (1 + ports) < depth)
    notes = of(proved(SPINE, buffers("alpha_1", 50))).notes
    assert (
        f"SN5600, as its lines have alpha and pool: pauses come before full marking at {depth} bytes from {first}"
        in (" ".join(notes))
    )


def test_alpha_without_a_pool_is_never_a_pass() -> None:
    outcome = of(proved(SPINE, buffers("alpha_1")))
    assert outcome.passed == 0
    assert "nvue shows alpha, and no line of it the pool" in outcome.not_shown


def test_lines_of_buffers_that_are_understood_leave_the_other_proofs_as_they_were() -> None:
    before = {each.name: each.verdict for each in rails().proved().outcomes}
    after = {each.name: each.verdict for each in proved(SPINE, buffers("alpha_1", 50)).outcomes}
    assert {name: each for name, each in after.items() if name != marks_first.NAME} == {
        name: each for name, each in before.items() if name != marks_first.NAME
    }


LATE = {
    EOS_LEAF: (
        ("minimum-threshold 256000", "minimum-threshold 119179848"),
        ("threshold 512000", "threshold 999999999"),
    ),
    NXOS_LEAF: (("minimum-threshold 256", "minimum-threshold 125830"), ("threshold 512", "threshold 999999")),
    SPINE: (("threshold: 150000", "threshold: 158229504"), ("threshold: 1500000", "threshold: 999999999")),
}


@pytest.mark.parametrize("device", LATE)
def test_a_queue_that_is_marked_from_more_than_the_whole_buffer_fails_without_alpha(device: str) -> None:
    text = rails().texts[device]
    for before, after in reversed(LATE[device]):
        assert before in text
        text = text.replace(before, after)
    found = proved(device, text)
    (broken,) = of(found).broken
    assert "the packet buffer has" in broken.what
    (finding,) = findings(of(found), found.quotes)
    assert any(quote.row is not None for _, lines in finding.ends for quote in lines)
    assert verdict(device, rails().texts[device]) == "could not tell"


def test_alpha_of_eos_counts_where_its_profile_is_applied_and_alone_is_no_pass() -> None:
    profile = "platform trident mmu queue profile GPUFABRIC-HEADROOM"
    block = f"{profile}\n   ingress headroom bytes 64000\n   ingress threshold 1/{{}}\n!\n{{}}!\nqos profile"
    text = rails().texts[EOS_LEAF]
    small, late = text.replace("qos profile", block.format(1024, f"{profile} apply\n"), 1), "1/1024"
    assert late in small
    assert verdict(EOS_LEAF, small) == "fail"  # 119,179,848 / 1025 is less than 256,000
    assert verdict(EOS_LEAF, text.replace("qos profile", block.format(1024, ""), 1)) == "could not tell"
    assert verdict(EOS_LEAF, text.replace("qos profile", block.format(16, f"{profile} apply\n"), 1)) == "could not tell"


def test_what_is_published_for_the_asic_is_noted_and_decides_nothing() -> None:
    outcome = of(rails().proved())
    assert (outcome.passed, outcome.verdict) == (0, "could not tell")
    (note,) = outcome.notes
    # 52,161,690 / (1 + n) is less than 1,511,424 from 34 on
    assert "alpha 1 and 52161690 bytes" in note
    assert "from 34 congested ports" in note


def test_the_intent_says_how_many_ports_are_congested_at_once() -> None:
    network = rails().design.network
    compute = network.fabrics["compute"]
    switches = {**rails().switches, SPINE: rails().read(SPINE, buffers("alpha_1", 25))}
    broken = {}
    for declared in (None, 2, 7, 100):
        fabrics = {**network.fabrics, "compute": replace(compute, incast_ports=declared)}
        read = Read(replace(network, fabrics=fabrics), switches, rails().hosts)
        outcome = marks_first.judge(read)
        broken[declared] = bool(outcome.broken)
    assert broken == {None: True, 2: False, 7: False, 100: True}


def test_the_intents_number_reaches_the_proof(tmp_path: Path) -> None:
    data = yaml.safe_load((ROOT / "inventory/lab-rails/fabric.yml").read_text())
    data["policy"]["incast_ports"] = 3
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(data))
    assert load(tmp_path).network.fabrics["compute"].incast_ports == 3


@pytest.mark.parametrize("ports", [1, 15, 16, 17, 64])
def test_half_of_the_ports_count_as_congested_and_no_fewer_than_eight(ports: int) -> None:
    assert worst_case(ports) == {1: 8, 15: 8, 16: 8, 17: 9, 64: 32}[ports]


@pytest.mark.parametrize("alpha", ["1/128", "1/8", "1", "8", "64", "alpha_infinity"])
@pytest.mark.parametrize("depth", [1, 150_000, 1_500_000, 52_161_690, 10**9])
def test_the_first_number_of_ports_that_pause_before_a_depth_is_the_first(alpha: str, depth: int) -> None:
    pool = Pool(alpha_of(alpha), 52_161_690)
    first = pool.first_before(depth)
    assert pool.pauses_at(first) < depth
    assert first == 1 or pool.pauses_at(first - 1) >= depth
