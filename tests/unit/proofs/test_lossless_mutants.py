"""Every single change of a line or variable that breaks a lossless path makes a proof fail that names it.

The judge reads texts row by row and shares no code with the proofs. Changes that break nothing are ``plan``'s to show:
the proofs pass them, or say that they could not tell; the figures count both.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from nornir_tasks.errors import DesignError, IntentError
from nornir_tasks.usecases.site import SiteDesign, load
from tests.baseline.random_sites import random_sites
from tests.unit.design import test_congestion as congestion
from tests.unit.proofs.lossless_mutants import Mutant, Rendered, mutants, one_of_each_kind
from tests.unit.proofs.plain_judge import UNCLEAR, PlainJudge

DEVICES = ("leaf-g1-r0", "leaf-g1-r1", "spine-1")
"""One of each system: EOS and NX-OS leaves, an NVUE spine, with hosts below."""
CLEAN, CLEAN_LONG = 12, 200
"""Random fabrics without a change."""
STRICTER = "mtu N: changed"
"""A class with another MTU than the others fails even where it is larger: the parser says only that they differ."""


LISTED = frozenset((Path(__file__).parents[3] / "docs/proofs.md").read_text().splitlines())
"""Every line of the page: the changes that no proof has to catch are among them."""


class Site(NamedTuple):
    """A site as it is rendered, and the judge of it."""

    rendered: Rendered
    judge: PlainJudge

    @classmethod
    def of(cls, folder: str | Path) -> "Site":
        made = Rendered(load(str(folder)))
        return cls(made, PlainJudge(made.design.network, made.texts, made.hosts))


@cache
def rails() -> Site:
    """Leaves of EOS and NX-OS below spines of NVUE: DCQCN."""
    return Site.of("lab-rails")


@pytest.fixture(scope="module")
def spectrum_x(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Leaves and spines of NVUE that send packet by packet, below them NICs that put packets in order again."""
    folder = tmp_path_factory.mktemp("spectrum-x")
    lengths = {"medium": "DR4", "cable_m": 40}
    switches = {**congestion.SPECTRUM4, **lengths}
    wanted = congestion.data("spectrum_x", leaf=switches, spine={**switches, "count": 2})
    (folder / "fabric.yml").write_text(yaml.safe_dump(wanted))
    return Site.of(folder)


def tried(site: Site, device: str, found: Iterable[Mutant]) -> tuple[Counter[str], list[str]]:
    """How the mutants of one switch fared, and what of that must not be."""
    counts, wrong = Counter[str](), list[str]()
    for mutant in found:
        where = f"{device} row {mutant.row}: {mutant.before.strip()} -> {(mutant.after or 'gone').strip()}"
        try:
            broken = site.judge.changed(device, mutant.text).broken()
            proved = site.rendered.proved(mutant)
        except ValueError:  # no configuration any more: a key twice, a code point in no notation
            counts["no configuration"] += 1
            continue
        certain = broken - {UNCLEAR}
        if certain and not proved.failed & certain:
            wrong.append(f"missed {certain}: {where}")
        elif certain and not proved.names(mutant):
            wrong.append(f"not named: {where}")
        elif proved.failed and not broken and mutant.shape != STRICTER:
            wrong.append(f"false alarm of {proved.failed}: {where}")
        kind = "caught" if certain else "could not tell" if proved.failed or proved.undecided else "plan alone"
        counts[kind] += 1
        if not certain and mutant.shape not in LISTED:
            wrong.append(f"not in docs/proofs.md: {mutant.shape}")
    return counts, wrong


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", DEVICES)
def test_a_change_of_each_kind_of_line_is_caught_and_named(device: str, figure: Callable[[str], None]) -> None:
    counts, wrong = tried(rails(), device, one_of_each_kind(mutants(device, rails().rendered.texts[device])))
    assert wrong == []
    figure(f"{device}: one change of each kind: {dict(counts)}")
    assert counts["caught"] >= 20


SPREADING = ("leaf-g1-r0", "spine-1")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", SPREADING)
def test_a_change_of_a_switch_that_sends_packet_by_packet_is_caught_and_named(
    device: str, spectrum_x: Site, figure: Callable[[str], None]
) -> None:
    text = spectrum_x.rendered.texts[device]
    counts, wrong = tried(spectrum_x, device, one_of_each_kind(mutants(device, text)))
    assert wrong == []
    figure(f"{device} of Spectrum-X: one change of each kind: {dict(counts)}")
    assert counts["caught"] >= 20


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_every_change_of_every_line_is_caught_and_named(device: str, figure: Callable[[str], None]) -> None:
    counts, wrong = tried(rails(), device, mutants(device, rails().rendered.texts[device]))
    assert wrong == []
    figure(f"{device}: every change of every line: {dict(counts)}")
    assert counts["caught"] >= 60


# -- hosts ---------------------------------------------------------------------------------------------------------

HOST = "gpu-2"
ROLES = ("rail_interfaces_", "roce_qos_", "rdma_stack_", "nccl_")


def other_values(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """(what was done, the same data with one value in it changed, or one entry of a list gone)."""
    if isinstance(value, bool):
        yield f"{name}: changed", not value
    elif isinstance(value, int):
        others = (each for each in (value + 1, value - 1) if 0 <= each != 64)  # 63 is the last code point
        yield from ((f"{name}: changed", each) for each in others)
    elif isinstance(value, str):
        yield f"{name}: changed", f"{value}x"
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from ((done, {**value, key: other}) for done, other in other_values(each, f"{name} / {key}"))
    elif isinstance(value, list):
        for at in range(len(value)) if len(value) < 10 else (0, 26, len(value) - 1):
            yield f"{name}: one less", [*value[:at], *value[at + 1 :]]
            for done, other in other_values(value[at], name):
                yield done, [*value[:at], other, *value[at + 1 :]]


def host_tried(site: Site) -> tuple[Counter[str], list[str]]:
    """How the mutants of a host's variables fared, and what of that must not be."""
    hosts = site.rendered.hosts
    own, counts, wrong = hosts[HOST], Counter[str](), list[str]()
    for name, value in own.items():
        for done, other in other_values(value, name) if name.startswith(ROLES) else ():
            changed = {**own, name: other}
            broken = site.judge.with_host(HOST, changed).broken()
            proved = site.rendered.proved(hosts={**hosts, HOST: changed})
            quoted = [each.text for each in proved.quoted if each.file == f"variables of {HOST}"]
            if broken and not proved.failed & broken:
                wrong.append(f"missed {broken}: {name} = {other}")
            elif broken and not any(name in text for text in quoted):
                wrong.append(f"not named: {name} = {other}")
            elif proved.failed and not broken:
                wrong.append(f"false alarm of {proved.failed}: {name} = {other}")
            counts["caught" if broken else "not of lossless paths"] += 1
            if not broken and done not in LISTED:
                wrong.append(f"not in docs/proofs.md: {done}")
    return counts, wrong


def test_every_change_of_a_host_variable_is_caught_and_named(figure: Callable[[str], None]) -> None:
    counts, wrong = host_tried(rails())
    assert wrong == []
    figure(f"{HOST}: every change of a variable: {dict(counts)}")
    assert counts["caught"] >= 90


def test_every_change_of_a_host_whose_nics_reorder_is_caught_and_named(
    spectrum_x: Site, figure: Callable[[str], None]
) -> None:
    counts, wrong = host_tried(spectrum_x)
    assert wrong == []
    figure(f"{HOST} of Spectrum-X: every change of a variable: {dict(counts)}")
    assert counts["caught"] >= 60


# -- clean fabrics -------------------------------------------------------------------------------------------------


def built(most: int, folder: Path) -> Iterator[SiteDesign]:
    """Random sites that can be built, of all systems in all places."""
    found = 0
    for at, data in enumerate(random_sites()):
        made = {**data, "management": {"source": "lab"}, "fabrics": with_lengths(data["fabrics"], at)}
        (folder / "fabric.yml").write_text(yaml.safe_dump(made))
        try:
            yield load(folder)
        except (DesignError, IntentError):
            continue
        found += 1
        if found == most:
            return


def with_lengths(fabrics: dict[str, Any], at: int) -> dict[str, Any]:
    """The same with cables of declared length, every other site beyond what systems have headroom for by themselves."""
    lengths = {"leaf": (3, 40, 100)[at % 3], "spine": (40, 300)[at % 2]}
    return {
        name: {**fabric, **{tier: {**fabric[tier], "cable_m": lengths[tier]} for tier in lengths if tier in fabric}}
        for name, fabric in fabrics.items()
    }


def alarms(most: int, folder: Path, figure: Callable[[str], None]) -> list[str]:
    wrong, judged, skipped = list[str](), Counter[str](), Counter[str]()
    for design in built(most, folder):
        for outcome in Rendered(design).proved().outcomes:
            judged[outcome.name] += outcome.judged
            skipped[outcome.name] += sum(outcome.skipped.values())
            wrong += [f"{design.network.site} {outcome.name}: {each}" for each in outcome.broken]
            wrong += [f"{design.network.site} {outcome.name}: {each}" for each in outcome.undecided]
    figure(f"{most} clean random fabrics: judged {dict(judged)}, skipped {dict(skipped)}, alarms {len(wrong)}")
    assert all(judged[name] for name in ("class-path", "pfc", "headroom-fits", "mtu", "layer-1", "ecn-before-pfc"))
    return wrong


def test_no_clean_fabric_raises_an_alarm(tmp_path: Path, figure: Callable[[str], None]) -> None:
    assert alarms(CLEAN, tmp_path, figure) == []


@pytest.mark.long
def test_no_clean_fabric_of_two_hundred_raises_an_alarm(tmp_path: Path, figure: Callable[[str], None]) -> None:
    assert alarms(CLEAN_LONG, tmp_path, figure) == []
