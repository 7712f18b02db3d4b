"""Single changes of rendered lines and host variables, and what the proofs find of each."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from nornir_tasks.platforms import platforms
from nornir_tasks.proofs.cables import Read
from nornir_tasks.proofs.quotes import Quote, Quotes, Source, findings
from nornir_tasks.proofs.treatment import ReadSwitch
from nornir_tasks.proofs.verdicts import Outcome
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.proofs.prove import _OF_CABLES, _beside
from nornir_tasks.usecases.site import SiteDesign, select

WORDS = (
    ("on", "off"), ("enable", "disable"), ("enabled", "disabled"), ("up", "down"), ("l3", "l2"), ("lossless", "lossy"),
    ("strict", "dwrr"), ("reed-solomon", "fire-code"), ("rs", "baser"), ("no priority", "priority strict"),
)  # fmt: skip
MOST_NUMBERS = 6
"""Of a row with more numbers, the first and the last ones are changed."""
NO_WORDS = re.compile(r"\b(?:shutdown|switchport|negotiate auto)$")


class Mutant(NamedTuple):
    """One row of one switch, gone or changed."""

    device: str
    row: int
    before: str
    after: str | None
    text: str
    port_to: str = ""
    """What the port is cabled to, where it is a row of a port."""

    @property
    def is_gone(self) -> bool:
        return self.after is None

    @property
    def shape(self) -> str:
        """The line with N for each number, and what was done."""
        name = re.sub(r"\d+", "N", self.before.strip())
        return f"{name}: {'gone' if self.after is None else 'changed'}"


def mutants(device: str, text: str) -> Iterator[Mutant]:
    every, port_to = text.splitlines(), ""
    for at, row in enumerate(every):
        line = row.strip()
        if line.startswith(("interface ", '"swp', "qos:", "router ", "route-map ")):
            port_to = ""
        if found := re.match(r'description:? "?([a-z]+)', line):
            port_to = found[1]
        if not line or line[0] in "!#":
            continue
        depth = len(row) - len(row.lstrip())
        later = next((each for each in every[at + 1 :] if each.strip() not in ("", "!")), "")
        is_head = len(later) - len(later.lstrip()) > depth
        made = [*others(row)] if not (is_head and line.startswith(("interface ", '"swp'))) else []
        made += [] if is_head else [None]
        for other in made:
            changed = [*every[:at], *([] if other is None else [other]), *every[at + 1 :]]
            yield Mutant(device, at + 1, row, other, "\n".join(changed) + "\n", port_to)


def one_of_each_kind(found: Iterable[Mutant]) -> Iterator[Mutant]:
    """One mutant of each line shape and of each change of it."""
    seen = set()
    for each in found:
        before, after = (re.split(r"(\d+)", text or "") for text in (each.before, each.after))
        changed = tuple(at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
        kind = each.shape, changed, each.after is None or len(after) == len(before), each.port_to
        if kind not in seen:
            seen.add(kind)
            yield each


def others(row: str) -> Iterator[str]:
    """The row with each number changed in turn, with words exchanged, and negated."""
    numbers = list(re.finditer(r"\d+", row))
    if len(numbers) > MOST_NUMBERS:
        numbers = [*numbers[: MOST_NUMBERS // 2], *numbers[-MOST_NUMBERS // 2 :]]
    for found in numbers:
        for step in (1, -1):
            number = int(found[0]) + step
            if number >= 0:
                yield row[: found.start()] + str(number) + row[found.end() :]
    for one, other in WORDS:
        for here, there in ((one, other), (other, one)):
            if re.search(rf"(?<![\w-]){here}(?![\w-])", row):
                yield re.sub(rf"(?<![\w-]){here}(?![\w-])", there, row, count=1)
    if NO_WORDS.search(row):
        line = row.lstrip()
        yield row[: len(row) - len(line)] + (line.removeprefix("no ") if line.startswith("no ") else f"no {line}")


@dataclass
class Rendered:
    """A site as it is rendered, and with one change."""

    design: SiteDesign
    texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        selection = select(self.design)
        self.texts = {name: selection[name].text for name in selection}

    @cached_property
    def hosts(self) -> Mapping[str, Mapping[str, Any]]:
        return host_inventory(self.design.site.intent, self.design.network, self.design.catalogue).variables

    @cached_property
    def switches(self) -> dict[str, ReadSwitch]:
        return {name: self.read(name, text) for name, text in self.texts.items()}

    def read(self, name: str, text: str) -> ReadSwitch:
        device = self.design.network.device(name)
        os = platforms()[device.os]
        tree = os.to_tree(text)
        parsed = os.parse(tree, device.capabilities, name, device.model)
        unread, missing = _beside(tree, parsed.remainder)
        return ReadSwitch(
            parsed.config,
            tuple(each for each in unread if each not in missing),
            tuple(missing),
            os.lossless,
            device.capabilities.has_class_mtu,
        )

    def proved(self, mutant: Mutant | None = None, hosts: Mapping[str, Any] | None = None) -> "Proved":
        switches, texts = self.switches, self.texts
        if mutant is not None:
            switches = {**switches, mutant.device: self.read(mutant.device, mutant.text)}
            texts = {**texts, mutant.device: mutant.text}
        read = Read(self.design.network, switches, hosts or self.hosts)
        outcomes = tuple(judge(read) for name, judge in _OF_CABLES.items())
        return Proved(outcomes, self._quotes(texts))

    def _quotes(self, texts: Mapping[str, str]) -> Quotes:
        def source(name: str) -> Source:
            os = platforms()[self.design.network.device(name).os]
            return Source(name, os.to_tree(texts[name]), os.lossless)

        return Quotes(source)


@dataclass
class Proved:
    outcomes: Iterable[Outcome]
    quotes: Quotes

    @property
    def failed(self) -> set[str]:
        return {each.name for each in self.outcomes if each.broken}

    @property
    def undecided(self) -> set[str]:
        return {each.name for each in self.outcomes if each.undecided}

    @property
    def quoted(self) -> list[Quote]:
        return [
            quote
            for outcome in self.outcomes
            for finding in findings(outcome, self.quotes)
            for _, lines in finding.ends
            for quote in lines
        ]

    def names(self, mutant: Mutant) -> bool:
        """Is the line named that was changed, alone or before one of its block, or the file that it is missing from?"""
        of_file = [quote for quote in self.quoted if quote.file == mutant.device]
        if mutant.is_gone:
            return any(quote.row is None for quote in of_file) or bool(of_file)
        block = f"{(mutant.after or '').strip()} / "
        return any(quote.row in (mutant.row, None) or quote.text.startswith(block) for quote in of_file)
