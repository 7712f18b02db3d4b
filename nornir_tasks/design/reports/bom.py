"""The bill of materials: what to buy for the present network, with spares, prices and power as the site declares."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from math import ceil
from typing import get_args

from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.model.order import natural_key
from nornir_tasks.design.reports.bill_parts import Part, PartCounter
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Path
from nornir_tasks.intent.keys.bill import BillIntent, Bought
from nornir_tasks.intent.keys.site import Intent


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the bill."""

    part: Part
    name: str
    """That of the part, and what other lines of this part differ in."""
    count: int
    """Number installed."""
    spares_percent: float
    spares: int
    price: float | None
    """Price of one, if the site declares it."""
    power_w: float | None
    """Power of one, if the site declares it."""

    @property
    def to_buy(self) -> int:
        """Number to buy, spares included."""
        return self.count + self.spares


PART_COLUMNS = tuple(each.name for each in fields(Part))
COLUMNS = (*PART_COLUMNS, "count", "spares_percent", "spares", "to_buy")
PRICED = ("price", "price_of_all")
POWERED = ("power_w", "power_w_of_all")


@dataclass(frozen=True, slots=True)
class Bill:
    """All lines, in the order of their kinds, then by name and length."""

    lines: tuple[Line, ...]
    currency: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; price and power only if the site declares any."""
        priced = PRICED if any(each.price is not None for each in self.lines) else ()
        return (*COLUMNS, *priced, *(POWERED if any(each.power_w is not None for each in self.lines) else ()))

    def rows(self) -> Iterator[dict[str, str | int | float | None]]:
        """Each line by column. The total price includes spares, the total power does not: they are not installed."""
        for line in self.lines:
            row: dict[str, str | int | float | None] = {name: getattr(line.part, name) for name in PART_COLUMNS}
            percent = int(line.spares_percent) if line.spares_percent.is_integer() else line.spares_percent
            row |= {"count": line.count, "spares_percent": percent, "spares": line.spares}
            row |= {"to_buy": line.to_buy, "price": line.price, "power_w": line.power_w}
            row["price_of_all"] = None if line.price is None else line.price * line.to_buy
            row["power_w_of_all"] = None if line.power_w is None else line.power_w * line.count
            yield {name: row[name] for name in self.columns}

    def totals(self) -> dict[str, int]:
        """Kind -> number installed."""
        found: Counter[str] = Counter()
        for line in self.lines:
            found[line.part.kind] += line.count
        return dict(found)


def bill_of_materials(network: Network, intent: Intent, catalogue: Catalogue) -> Bill:
    """The parts of the present network.

    Raises IntentError for a price or power of a part that it does not have, and for one of several lines that differ.
    """
    counts = PartCounter(network, intent, catalogue).parts()
    names = _names(counts)
    unknown = [*_unlike(("bill", "prices"), intent.bill.prices, names)]
    unknown += _unlike(("bill", "power_w"), intent.bill.power_w, names)
    if unknown:
        raise IntentError(intent.marks.problems(unknown))
    lines = (_line(part, count, names[part], intent.bill) for part, count in sorted(counts.items(), key=_order))
    return Bill(tuple(lines), intent.bill.currency)


def _names(parts: Iterable[Part]) -> dict[Part, str]:
    """Part -> the name of its line: that of the part, then the values in which parts of this name differ."""
    alike: dict[str, list[Part]] = {}
    for part in parts:
        alike.setdefault(part.part, []).append(part)
    names = {}
    for part in parts:
        apart = [name for name in PART_COLUMNS if len({getattr(each, name) for each in alike[part.part]}) > 1]
        names[part] = ", ".join((part.part, *(_shown(name, getattr(part, name)) for name in apart)))
    return names


def _shown(column: str, value: str | int | None) -> str:
    if value is None:
        return f"{column} not declared"
    return f"{value} m" if column == "length_m" else str(value)


def _unlike(path: Path, given: Mapping[str, float], names: Mapping[Part, str]) -> Iterator[Finding]:
    """The names that are not those of one line of the bill."""
    for name in given:
        lines = [line for part, line in names.items() if name in (line, part.part)]
        if len(lines) > 1:
            several = "; ".join(sorted(lines, key=natural_key))
            what = f"one figure for {len(lines)} lines of the bill, which differ"
            yield Finding((*path, name), what, f"a figure for each: {several}", name)
        elif not lines:
            known = "; ".join(sorted(names.values(), key=natural_key))
            yield Finding((*path, name), "the bill has no such part", f"one of {known}", name)


def _order(item: tuple[Part, int]) -> tuple[object, ...]:
    part = item[0]
    return get_args(Bought).index(part.kind), natural_key(part.part), part.length_m or 0, part.form_factor or ""


def _line(part: Part, count: int, name: str, bill: BillIntent) -> Line:
    percent = bill.spares_percent.get(part.kind, 0.0)
    spares = ceil(count * Fraction(str(percent)) / 100)
    price, power_w = (given.get(name, given.get(part.part)) for given in (bill.prices, bill.power_w))
    return Line(part, name, count, percent, spares, price, power_w)
