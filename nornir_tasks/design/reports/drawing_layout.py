"""The fabric as a drawing: planes, tiers, pods or leaf groups, and the bundles of cables between them.

Bundles are drawn as on a circuit diagram: each box of the upper row has a line over the lower boxes, with a drop to
each of them; a dot is a connection, a crossing is not. No line slants, and every count has its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nornir_tasks.design.model.network import Fabric, Network
from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.drawing_model import Box, Cables, Ends, Picture, names, picture
from nornir_tasks.design.reports.drawing_svg import Canvas, text_width

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a5c00", "#56b4e9", "#e69f00", "#555555")
"""Colours of spine groups, in turn; most people, including colour-blind ones, can distinguish them (Okabe and Ito,
Color Universal Design, 2008; yellow and black replaced by colours that show on white)."""

MARGIN, GUTTER, PAGE = 24.0, 96.0, 1500.0
GAP, PAD, LEADING, BUS, PILL, CLEAR = 14.0, 8.0, 15.0, 15.0, 16.0, 8.0
"""Pixels between boxes, inside them, from line to line, from bus to bus; height of a count's field; between lines."""
STRIP = 9.5
"""Pixels above a lower box that no bus and no dot is in."""
PALE, GREY = "#f4f6f8", "#9aa5b1"
STATES = {"fail": "#c62828", "could not tell": "#9a6b00", "affected": "#b0703c", "pass": "#2e7d32"}
"""State of a switch -> the colour over its box; the worst first."""
FAULTS, TINT = "faults", "0.18"
"""The layer of what was found, and how much its colours cover."""
SMALL, LEAST, MOST_ROWS = 2.4, 0.3, 40
"""Size of ports' names in pixels at most and at least, for who zooms in; rows of them at one bundle."""
MOST_HINTS = 64
"""Cables that are named on hover."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What was found on the devices, drawn over the design."""

    states: Mapping[str, str] = field(default_factory=dict)
    """Switch -> one of STATES; none: it was not looked at."""
    broken: frozenset[frozenset[str]] = frozenset()
    """Pairs of switches with a link between them that failed."""


def drawing(network: Network, marks: Marks = Marks()) -> str:
    """The site as SVG: a pure function of network and marks, equal bytes for equal ones."""
    canvas, over = Canvas(), Canvas()
    counts = design_counts(network)
    total = counts["totals"]
    parts = (f"{total[key]:,} {key}" for key in ("switches", "links", "cables", "optics"))
    title = f"{network.site}: {', '.join(parts)}"
    y = MARGIN + 16
    canvas.text(MARGIN, y, title, 18, weight="bold")
    riding = {name: sorted(plane.name for plane in network.planes_on(name)) for name in network.fabrics}
    for name, planes in sorted(riding.items(), key=lambda each: each[1]):
        fabric = network.fabrics[name]
        heads = _heads(planes, fabric, counts["fabrics"][name])
        if fabric.copies == 1:
            y = _Sheet(canvas, picture(network, name), marks, over).draw(heads, y + 30)
        for copy in range(1, fabric.copies_there + 1) if fabric.copies > 1 else ():
            title = f"copy {copy} of {fabric.copies} of fabric {name}"
            sheet = _Sheet(canvas, picture(network, name, copy), marks, over)
            y = sheet.draw((*heads, title) if copy == 1 else (title,), y + 30)
    _legend(canvas, y + 34, has_states=bool(marks.states))
    if marks.states:
        canvas.open_layer(FAULTS)
        canvas.shapes += over.shapes
        canvas.close_group()
    return canvas.svg(title, MARGIN)


def _heads(planes: Sequence[str], fabric: Fabric, counts: dict[str, object]) -> tuple[str, ...]:
    """The heading of a fabric: the planes that use it, its size, and the rails it connects."""
    if fabric.kind == "edge":
        return (f"boundary: {_heads_of_edge(counts)}",)
    tiers = counts["tiers"]
    assert isinstance(tiers, dict)  # noqa: S101 - for the type checker: design_counts is JSON
    sizes = [f"{tier['switches']:,} {_plural(name, tier['switches'])}" for name, tier in tiers.items()]
    size = ", ".join(each for each in sizes if not each.startswith("0 "))
    riding = f"plane {planes[0]}" if len(planes) == 1 else f"planes {', '.join(planes)}"
    head = f"{riding}: {size}; {fabric.oversubscription:g}:1 at the leaf; "
    head += f"{counts['host_links']:,} host links, {counts['fabric_links']:,} fabric links"
    return (head, *reachability(fabric))


def _heads_of_edge(counts: dict[str, object]) -> str:
    tiers = counts["tiers"]
    assert isinstance(tiers, dict)  # noqa: S101 - for the type checker: design_counts is JSON
    routers = sum(tier["switches"] for tier in tiers.values())
    return f"{routers} edge {'router' if routers == 1 else 'routers'}, from the upstreams to the firewalls"


def reachability(fabric: Fabric) -> tuple[str, ...]:
    """The rails that share no spine, in words."""
    groups: dict[int, list[int]] = {}
    for rail, group in enumerate(fabric.rail_spine_group):
        groups.setdefault(group, []).append(rail)
    pairs = sum(not fabric.reachable(a, b) for a in range(len(fabric.rail_spine_group)) for b in range(a))
    what = "The fabric joins" if fabric.copies == 1 else f"Each of {fabric.copies} copies, which share no switch, joins"
    if not pairs:
        return (f"{what} all rails.",)
    text = "; ".join(f"spine group {group} joins {_rails(rails)}" for group, rails in sorted(groups.items()))
    text = text if fabric.copies == 1 else f"in each of {fabric.copies} copies, which share no switch, {text}"
    return (f"{text}.", f"{pairs} pairs of rails share no spine: that traffic takes NVLink, as the intent declares.")


def _rails(rails: Sequence[int]) -> str:
    return f"rail {rails[0]}" if len(rails) == 1 else f"rails {rails[0]}-{rails[-1]}"


def _plural(tier: str, count: int) -> str:
    return tier if count == 1 else {"leaf": "leaves"}.get(tier, f"{tier}s")


def _label(cables: Cables, sign: str = "×") -> str:
    return "+".join(f"{count:,}{sign}{speed}G" for speed, count in cables)


def _colour(group: int | None) -> str:
    return COLOURS[(group - 1) % len(COLOURS)] if group else COLOURS[0]


@dataclass(frozen=True)
class _Sheet:
    canvas: Canvas
    picture: Picture
    marks: Marks
    over: Canvas
    """The layer of what was found."""

    def draw(self, heads: Sequence[str], y: float) -> float:
        """Draw one fabric from y downwards; return where it ends."""
        for number, head in enumerate(heads):
            self.canvas.text(MARGIN, y + 18 * number, head, 13, weight="bold" if number == 0 else "normal")
        y += 18 * len(heads)
        widths = [max((self._width(box, row) for box in boxes), default=0.0) for row, boxes in enumerate(self.rows)]
        columns = max(1, min(len(self.picture.below), int((PAGE - self.left + GAP) // (widths[1] + GAP))))
        right = self.left + max(columns * (widths[1] + GAP), len(self.picture.above) * (widths[0] + GAP)) - GAP
        centres, bottom = self._upper(y, widths[0], right)
        first: list[float] = []
        former: list[float] = []
        starts = range(0, len(self.picture.below), columns)
        for start in starts:
            buses = [bottom + 14 + BUS * number for number in range(len(centres))]
            first = first or buses
            row = range(start, min(start + columns, len(self.picture.below)))
            feeds = centres if start == 0 else [self._trunk(number) for number in range(len(centres))]
            last = start == starts[-1]
            bottom = self._lower(row, buses, feeds, (widths[1], right, not last or start > 0))
            if start:
                for number, bus in enumerate(buses):
                    above = (self._trunk(number), former[number])
                    self.canvas.line(above, (self._trunk(number), bus), self._colour_of(number))
            former = buses
            bottom += 10
        for number, (centre, bus) in enumerate(zip(centres, first, strict=True)):
            self.canvas.line((centre, self._upper_bottom(y)), (centre, bus), self._colour_of(number))
            self.canvas.dot(centre, bus, self._colour_of(number))
        return bottom

    @property
    def rows(self) -> tuple[tuple[Box, ...], tuple[Box, ...]]:
        return self.picture.above, self.picture.below

    @property
    def left(self) -> float:
        """Left edge of the boxes: right of the trunks."""
        return GUTTER + 9 * len(self.picture.above) + 10

    def _trunk(self, number: int) -> float:
        return GUTTER + 9 * number

    def _colour_of(self, number: int) -> str:
        return _colour(self.picture.above[number].group)

    def _foot(self, box: int) -> str:
        if box not in self.picture.hosts:
            return ""
        cables, hosts = self.picture.hosts[box]
        return f"{_label(cables)} to {names(hosts) if len(hosts) < 3 else f'{len(hosts):,} hosts'}"

    def _inside(self, box: int) -> str:
        if box not in self.picture.inside:
            return ""
        cables, where = self.picture.inside[box]
        return f"{_label(cables)} {where}"

    def _width(self, box: Box, row: int) -> float:
        texts = [text_width(box.title, 12) + 6, *(text_width(line, 11) for line in box.lines)]
        if row == 1:
            number = self.picture.below.index(box)
            texts += [text_width(self._foot(number), 11) + 8, text_width(self._inside(number), 11) + 8]
            texts.append(sum(wide + 6 for *_, wide in self._fields(number, 0)) - 6)
            texts.append(22.0 * len(box.cells))
        return max(96.0, *texts) + 2 * PAD

    def _upper_bottom(self, y: float) -> float:
        return y + 2 * PAD + LEADING * (1 + max((len(box.lines) for box in self.picture.above), default=0))

    def _upper(self, y: float, width: float, right: float) -> tuple[list[float], float]:
        """The upper row, spread over the sheet: the x position of each box's line, and the end of the row."""
        bottom, boxes = self._upper_bottom(y), self.picture.above
        self.canvas.text(MARGIN, (y + bottom) / 2 + 4, self.picture.tiers[0], 12, weight="bold", fill="#666666")
        step = (right - self.left) / max(1, len(boxes))
        centres = []
        for number, box in enumerate(boxes):
            centre = self.left + step * (number + 0.5)
            self._box(box, (centre - width / 2, y, width, bottom - y), self._colour_of(number))
            self._lines(box, centre - width / 2 + PAD, y + PAD + 11)
            self.canvas.close_group()
            centres.append(self._free(centre))
        return centres, bottom

    def _free(self, x: float) -> float:
        """The next place right of x without a drop of the first row: two lines in one place would look connected."""
        width = max(self._width(box, 1) for box in self.picture.below)
        first = range(min(len(self.picture.below), int((PAGE - self.left + GAP) // (width + GAP))))
        taken = [middle for n in first for _, _, middle, _ in self._fields(n, self.left + n * (width + GAP))]
        while any(abs(x - other) < CLEAR for other in taken):
            x += CLEAR
        return x

    def _lower(
        self, row: range, buses: Sequence[float], feeds: Sequence[float], size: tuple[float, float, bool]
    ) -> float:
        """One row of lower boxes with the buses over it; return where it ends."""
        width, right, trunks = size
        top = buses[-1] + 14 if buses else 0
        for number, bus in enumerate(buses):
            start = min(self._trunk(number), feeds[number]) if trunks else min(self.left + PAD, feeds[number])
            self.canvas.line((start, bus), (right + 4, bus), self._colour_of(number))
            name = self.picture.above[number].title.partition(":")[0]
            self.canvas.text(right + 10, bus + 4, name, 10, fill=self._colour_of(number))
            if trunks:
                self.canvas.dot(self._trunk(number), bus, self._colour_of(number))
        height = self._height(row)
        self.canvas.text(MARGIN, top + height / 2, self.picture.tiers[1], 12, weight="bold", fill="#666666")
        for place, number in enumerate(row):
            x = self.left + place * (width + GAP)
            self._box(self.picture.below[number], (x, top, width, height), GREY)
            self._fill(number, x, top, width)
            self.canvas.close_group()
            self._drops(number, x, top, buses)
        return top + height

    def _height(self, row: range) -> float:
        boxes = [self.picture.below[number] for number in row]
        lines = max(len(box.lines) for box in boxes) + 1
        cells = 28.0 if any(box.cells for box in boxes) else 4.0
        inside = PILL + 6 if self.picture.inside else 0.0
        return 2 * PAD + PILL + LEADING * lines + cells + inside + PILL + 4

    def _box(self, box: Box, frame: tuple[float, float, float, float], stroke: str) -> None:
        x, y, width, height = frame
        self.canvas.open_group("box", (each.name for each in box.members))
        self.canvas.rectangle(x, y, width, height, fill=PALE, stroke=stroke)
        states = {self.marks.states.get(each.name) for each in box.members}
        if colour := next((colour for state, colour in STATES.items() if state in states), ""):
            self.over.rectangle(x, y, width, height, fill=colour, tint=TINT, stroke=colour)

    def _lines(self, box: Box, x: float, y: float) -> float:
        self.canvas.text(x, y, box.title, 12, weight="bold")
        for number, line in enumerate(box.lines, start=1):
            self.canvas.text(x, y + LEADING * number, line)
        return y + LEADING * (len(box.lines) + 1)

    def _fill(self, number: int, x: float, top: float, width: float) -> None:
        """The contents of a lower box below its fields: names, rails, cables inside and to the hosts."""
        box = self.picture.below[number]
        y = self._lines(box, x + PAD, top + PILL + PAD + 12)
        for place, leaf in enumerate(box.cells):
            self.canvas.rectangle(x + PAD + 22 * place, y - 11, 20, 17, fill=_colour(leaf.spine_group))
            centre = x + PAD + 22 * place + 10
            self.canvas.text(centre, y + 1.5, str(leaf.rail), 10, anchor="middle", fill="#ffffff")
        y += 28 if box.cells else 4
        for text, ends in ((self._inside(number), ()), (self._foot(number), self.picture.host_ports.get(number, ()))):
            if text:
                hint = {"hint": _hint(ends)} if ends else {}
                self.canvas.rectangle(x + PAD, y - 12, width - 2 * PAD, PILL, fill="#e3e8ee", **hint)
                self.canvas.text(x + PAD + 4, y, text)
                y += PILL + 4

    def _drops(self, number: int, x: float, top: float, buses: Sequence[float]) -> None:
        for above, text, middle, wide in self._fields(number, x):
            colour = self._colour_of(above)
            self.canvas.line((middle, buses[above]), (middle, top), colour)
            self.canvas.dot(middle, buses[above], colour)
            ends = self.picture.ports[above, number]
            places = [(self.canvas, colour, {"hint": _hint(ends)})]
            places += [(self.over, STATES["fail"], {})] if self._is_broken(above, number) else []
            for canvas, fill, hint in places:
                canvas.rectangle(middle - wide / 2, top, wide, PILL, fill=fill, **hint)
                canvas.text(middle, top + 11.5, text, 10, anchor="middle", fill="#ffffff")
            self._ports(ends, middle, wide / 2, top)

    def _ports(self, ends: Sequence[Ends], middle: float, half: float, top: float) -> None:
        """The ports of a bundle beside its line: those of the upper box on the left, of the lower one on the right."""
        if len(ends) > MOST_ROWS:
            ends = (*ends[: MOST_ROWS - 1], (f"and {len(ends) - MOST_ROWS + 1} more", "nornir design --csv"))
        longest = max(text_width(each, 1) for pair in ends for each in pair)
        size = max(LEAST, min(SMALL, STRIP / len(ends), (half - 1.5) / longest))
        y = top - STRIP - 0.5 + size
        self.canvas.rows(middle - 1.5, y, [upper for upper, _ in ends], size, anchor="end")
        self.canvas.rows(middle + 1.5, y, [lower for _, lower in ends], size)

    def _is_broken(self, above: int, below: int) -> bool:
        upper, lower = self.picture.above[above].members, self.picture.below[below].members
        return any({a.name, b.name} in self.marks.broken for a in upper for b in lower) if self.marks.broken else False

    def _fields(self, number: int, x: float) -> Iterator[tuple[int, str, float, float]]:
        """The coloured fields of a lower box that begins at x: (upper box, text, middle, width)."""
        place = x + PAD
        for (above, below), cables in self.picture.bundles.items():
            if below == number:
                text = _label(cables)
                wide = text_width(text, 10) + 8
                yield above, text, place + wide / 2, wide
                place += wide + 6


def _hint(ends: Sequence[Ends]) -> str:
    """The cables of a field, one on a line."""
    more = (f"and {len(ends) - MOST_HINTS} more: nornir design --csv",) if len(ends) > MOST_HINTS else ()
    return "\n".join((*(" - ".join(each) for each in ends[:MOST_HINTS]), *more))


def _legend(canvas: Canvas, y: float, *, has_states: bool) -> None:
    states = (
        "Red: a cause is here; a red field: a link there failed. Brown: only what follows from causes.",
        "Amber: could not tell. Green: all checks passed.",
    )
    text = (
        *(states if has_states else ()),
        "One colour for each spine group or core plane. Line: a bundle of cables; a dot joins, a crossing does not.",
        "Coloured field: cables from this box to the box above whose line ends there, as count×speed. Squares: leaves "
        "by rail.",
        "Grey field: cables to hosts, inside a pod, or to the other of a pair. Zoom in to read ports beside a line. "
        "Point at a field for its cables, at a box for its switches.",
    )
    for number, line in enumerate(text):
        canvas.text(MARGIN, y + 15 * number, line, 11, fill="#444444")
