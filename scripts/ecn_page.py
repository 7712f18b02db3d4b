"""docs/ecn.md: by which thresholds ports of each speed mark with ``ecn: auto``, and what else is published.

python scripts/ecn_page.py            compare; ends with 1 where the page is another one
python scripts/ecn_page.py --write    write the page again
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from made_page import compare_or_write

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.catalogue import SwitchModel
from nornir_tasks.design.model.ecn_figures import EcnFigure
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.platforms import platforms

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "ecn.md"
PUBLISHED = ROOT / "tests/corpus/ecn/published.tsv"

HEAD = """\
# Thresholds of ECN: `ecn: auto`

Made by `.venv/bin/python scripts/ecn_page.py --write` from `nornir_tasks/platforms/*/capabilities.py`, the catalogue
and `tests/corpus/ecn/published.tsv`; `make check` compares.

`ecn: auto` is a start value published for the switch's ASIC, by the speed of the port where the source
says one. Nothing is calculated. Where no source has values of a speed, those of the next slower ports stand in, or of
the slowest: it marks early rather than late. **No source has thresholds by length of cable**, so length changes
headroom (headroom.md) and no threshold. Ports that mark by other figures than links between switches have a profile
named by the speed of the figure's source. `nornir design --explain` says all this of a site.

**Leaves of one fabric mark alike, and so do its spines**: a collective waits for its slowest rail. Where the kinds of
switch of a tier have different start values below, all of the tier take that of the ASIC that marks in full first,
on ports of every speed, rounded up to each ASIC's cells; `nornir design` names the switches. What one of them cannot
hold is refused. `ecn: per_switch` lets each kind of switch have its own; thresholds of one's own hold for all.
"""
SPEEDS = """
## By model and speed

| model | system | ASIC | ports | from, to, at most | stands in | source |
|---|---|---|---|---|---|---|
"""
ROWS = """
## All that is published

Sources differ by more than ten at one speed, so that each is a start value and none is right. *used*: by `ecn: auto`.

| maker | switch | ASIC | ports | from, to, at most | used | source |
|---|---|---|---|---|---|---|
"""


class Row(NamedTuple):
    """One published pair of thresholds."""

    maker: str
    switch: str
    asic: str
    speed: str
    min_bytes: str
    max_bytes: str
    percent: str
    source: str

    @property
    def ecn(self) -> Ecn:
        """Its figures."""
        return Ecn(int(self.min_bytes), int(self.max_bytes), int(self.percent))


def rows() -> Iterator[Row]:
    """All that are in the corpus."""
    lines = [each for each in PUBLISHED.read_text(encoding="utf-8").splitlines() if not each.startswith("#")]
    yield from (Row(*line.split("\t")) for line in lines[1:])


def records() -> Iterator[tuple[SwitchModel, Capabilities]]:
    """Every model of the catalogue with each system that it runs."""
    for model in load_catalogue().switches.values():
        for os in sorted(model.os):
            facts = platforms()[os].facts
            try:
                yield model, facts.capabilities(facts.releases[-1], model.asic_under(os))
            except KeyError:  # a model without capabilities is refused in a fabric of ours
                continue


def page() -> str:
    """The whole page."""
    return "".join((HEAD, SPEEDS, *_speeds(), ROWS, *_rows()))


def _speeds() -> Iterator[str]:
    for model, known in records():
        alike: dict[str, list[int]] = {}
        for gbps in sorted({mode.speed_gbps for group in model.ports for mode in group.modes}):
            alike.setdefault(_found(known, gbps), []).append(gbps)
        for found, speeds in alike.items():
            ports = ", ".join(f"{gbps}G" for gbps in speeds)
            yield f"| {model.model} | {known.os} | {known.asic} | {ports} | {found} |\n"


def _found(known: Capabilities, gbps: int) -> str:
    figure = known.ecn_at(gbps)
    if figure is None:
        return f"refused |  | {known.ecn_source}"
    stands_in = "" if figure.is_for(gbps) else f"that of {figure.gbps}G: no source has one"
    return f"{_text(figure.ecn)} | {stands_in} | {figure.source}"


def _rows() -> Iterator[str]:
    used = {(each.ecn, known.asic) for _, known in records() for each in _figures(known)}
    for row in rows():
        where = [asic for ecn, asic in used if ecn == row.ecn and (row.asic == asic or row.maker == "Cisco")]
        asics = ", ".join(sorted(each for each in where if row.asic == each or each.startswith("cloudscale")))
        yield f"| {row.maker} | {row.switch} | {row.asic} | {row.speed} | {_text(row.ecn)} | {asics} | {row.source} |\n"


def _figures(known: Capabilities) -> Iterator[EcnFigure]:
    if known.ecn_auto is not None:
        yield EcnFigure(known.ecn_auto, known.ecn_source, known.ecn_gbps)
    yield from known.ecn_others


def _text(ecn: Ecn) -> str:
    return f"{ecn.min_bytes:,} B, {ecn.max_bytes:,} B, {ecn.probability_percent} %"


if __name__ == "__main__":
    sys.exit(compare_or_write(PAGE, page(), "made from figures and published rows"))
