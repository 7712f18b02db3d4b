"""The bill of materials: all parts to buy for the present network, counted one by one.

For an optic link these are the transceivers, each once however many jumpers come out of it, and the fibre between them:
a jumper per leg, or a splitter where one connector makes several legs. Copper and AOC are bought as assemblies.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import get_args

from nornir_tasks.design.cables import Cable
from nornir_tasks.design.catalogue import Catalogue
from nornir_tasks.design.links import Endpoint, Link, NicPort
from nornir_tasks.design.media import OPTICS, STRAIGHT, connector_of, is_twin, light_of, polarity_of
from nornir_tasks.design.natural_order import natural_key
from nornir_tasks.design.network import Network
from nornir_tasks.design.plugs import Plug, plug_at
from nornir_tasks.design.twin_ports import CONNECTORS
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.bill_model import BillIntent, Bought
from nornir_tasks.intent.findings import Finding
from nornir_tasks.intent.model import Intent


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of part to buy. Undeclared and inapplicable values are None."""

    kind: Bought
    part: str
    """Its name, or its class if any manufacturer's is suitable."""
    form_factor: str | None = None
    """Form of the cages for its plugs."""
    connector: str | None = None
    """Connector of its fibre."""
    fibre: str | None = None
    polarity: str | None = None
    length_m: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the bill."""

    part: Part
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
    """The parts of the present network. Raises IntentError for a price or power of a part that it does not have."""
    counts = _Counter(network, intent, catalogue).parts()
    lines = [_line(part, count, intent.bill) for part, count in sorted(counts.items(), key=_order)]
    known = {line.part.part for line in lines}
    unknown = [
        Finding(("bill", key, name), "the bill has no such part", f"one of {', '.join(sorted(known))}", name)
        for key in ("prices", "power_w")
        for name in getattr(intent.bill, key)
        if name not in known
    ]
    if unknown:
        raise IntentError(intent.marks.problems(unknown))
    return Bill(tuple(lines), intent.bill.currency)


def _order(item: tuple[Part, int]) -> tuple[object, ...]:
    part = item[0]
    return get_args(Bought).index(part.kind), natural_key(part.part), part.length_m or 0, part.form_factor or ""


def _line(part: Part, count: int, bill: BillIntent) -> Line:
    percent = bill.spares_percent.get(part.kind, 0.0)
    spares = ceil(count * Fraction(str(percent)) / 100)
    return Line(part, count, percent, spares, bill.prices.get(part.part), bill.power_w.get(part.part))


@dataclass(frozen=True)
class _Counter:
    network: Network
    intent: Intent
    catalogue: Catalogue

    @cached_property
    def links(self) -> dict[str, Link]:
        """Name -> link."""
        return {link.name: link for link in self.network.links}

    @cached_property
    def nics(self) -> dict[tuple[str, str], str]:
        """(Host, port) -> model of the NIC."""
        return {(port.host, port.port): self._model_of(port) for port in self.network.nics}

    def parts(self) -> Counter[Part]:
        """Every part and its installed number."""
        cards = {(port.host, port.nic, self._plane_of(port)): self._model_of(port) for port in self.network.nics}
        found = Counter(Part("switch", device.model) for device in self.network.devices)
        found.update(Part("nic", model) for model in cards.values())
        found.update(self._fibres_and_assemblies())
        found.update(self._transceivers().values())
        found[Part("label", "cable label")] = len(self.network.links)
        return found

    def _plane_of(self, port: NicPort) -> str:
        """The first plane of the port; NICs are numbered in each plane."""
        return next((each.owner for each in self.network.circuits_on(port.link)), "")

    def _model_of(self, port: NicPort) -> str:
        nics = self.intent.hosts[port.host.rpartition("-")[0]].nics.get(self._plane_of(port))
        return nics.model if nics is not None and nics.model is not None else "NIC, model not declared"

    def _fibres_and_assemblies(self) -> Iterator[Part]:
        for cable in self.network.cables:
            joined = [self.links[name] for name in cable.links]
            if cable.medium is None:
                yield Part("assembly", f"{joined[0].speed_gbps}G, medium not declared", length_m=cable.length_m)
            elif cable.medium in STRAIGHT:
                ways, speed = _ways(cable, joined[0]), joined[0].speed_gbps
                split = f"-{ways}x{speed}G" if ways > 1 else ""
                form = " to ".join(dict.fromkeys(self._forms(joined)))
                yield Part("assembly", f"{ways * speed}G-{cable.medium}{split}", form or None, length_m=cable.length_m)
            elif _is_splitter(cable, joined):
                ways = _ways(cable, joined[0])
                yield self._fibre(cable, joined[0], "splitter", f"1:{ways} splitter")
            else:
                for link in joined:
                    yield self._fibre(cable, link, "jumper", "jumper")

    def _fibre(self, cable: Cable, link: Link, kind: Bought, name: str) -> Part:
        connector, fibre, polarity = self._glass(cable, link)
        return Part(kind, f"{fibre} {name}, {connector}", None, connector, fibre, polarity, cable.length_m)

    def _glass(self, cable: Cable, link: Link) -> tuple[str, str, str]:
        """Connector, fibre and polarity."""
        twin = self.catalogue.optics.get(cable.make.upper_optic or cable.make.lower_optic or "")
        if twin is not None:
            return twin.connector, twin.fibre, twin.polarity
        light = light_of(str(cable.medium))
        connector = connector_of(light, link.speed_gbps)
        return connector, OPTICS[light].fibre, polarity_of(connector)

    def _forms(self, joined: list[Link]) -> Iterator[str]:
        for end in (end for link in joined for end in (link.upper, link.lower)):
            form = self._form(end)
            if form is not None:
                yield form

    def _form(self, end: Endpoint) -> str | None:
        """Form of the cage at this end."""
        if end.slot is not None and end.device in self.network:
            model = self.network.models.get(self.network.device(end.device).model)
            return model.group_of(end.slot.number).cage if model is not None else None
        nic = self.catalogue.nics.get(self.nics.get((end.device, end.port), ""))
        return nic.cage if nic is not None else None

    def _transceivers(self) -> dict[Plug, Part]:
        """Pluggable -> its part; each once. None for assemblies, and for undeclared media."""
        found: dict[Plug, Part] = {}
        for cable in self.network.cables:
            if cable.medium is None or cable.medium in STRAIGHT:
                continue
            for link in (self.links[name] for name in cable.links):
                for end, optic in ((link.upper, cable.make.upper_optic), (link.lower, cable.make.lower_optic)):
                    found[plug_at(end)] = self._transceiver(cable, link, end, optic)
        return found

    def _transceiver(self, cable: Cable, link: Link, end: Endpoint, optic: str | None) -> Part:
        connector, fibre, _ = self._glass(cable, link)
        form = self._form(end)
        if optic is not None:
            return Part("transceiver", optic, form, f"{CONNECTORS} x {connector}", fibre)
        medium, ways = str(cable.medium), end.slot.ways if end.slot is not None else 1
        speed = link.speed_gbps
        if is_twin(medium):  # a whole cage has the lanes of one connector of the far optic
            port_gbps = speed * _ways(cable, link) if cable.make.kind == "splitter" else speed
            return Part("transceiver", f"{port_gbps}G-{light_of(medium)}", form, connector, fibre)
        if ways > 1 and speed in OPTICS[medium].reach_m:
            return Part("transceiver", f"{ways}x{speed}G-{medium}", form, f"{ways} x {connector}", fibre)
        if ways > 1:
            return Part("transceiver", f"{ways * speed}G-{medium}", form, connector, fibre)
        name = f"{speed}G-{medium}" if speed in OPTICS[medium].reach_m else f"{speed}G, a leg of {medium}"
        return Part("transceiver", name, form, connector, fibre)


def _is_splitter(cable: Cable, joined: list[Link]) -> bool:
    """Do several legs come out of one connector?"""
    if cable.make.kind != "assembly":
        return cable.make.kind == "splitter"
    return _ways(cable, joined[0]) > 1 and joined[0].speed_gbps not in OPTICS[str(cable.medium)].reach_m


def _ways(cable: Cable, link: Link) -> int:
    """Legs per connector; for a cage with one connector, all legs."""
    ways = max(end.slot.ways if end.slot is not None else 1 for end in (link.upper, link.lower))
    return max(1, ways // CONNECTORS) if cable.make.kind != "assembly" else ways
