"""A drawing as SVG text. Letters have a fixed width, so the end of a text is known without a font."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

LETTER_EM = 0.61
"""Width of a letter of the usual monospaced fonts, as a fraction of its size (DejaVu Sans Mono: 0.602)."""

FONTS = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"


def text_width(text: str, size: float) -> float:
    """Width of a text in pixels."""
    return len(text) * size * LETTER_EM


@dataclass
class Canvas:
    """Shapes in the order in which they are painted."""

    shapes: list[str] = field(default_factory=list)
    width: float = 0
    height: float = 0

    def text(self, x: float, y: float, text: str, size: float = 11, **style: str) -> None:
        """A text with its base line at y; ``anchor`` start (default), middle or end; ``fill``; ``weight``."""
        fill, weight = style.get("fill", "#222222"), style.get("weight", "normal")
        anchor = style.get("anchor", "start")
        bold = "" if weight == "normal" else f' font-weight="{weight}"'
        self.shapes.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}" text-anchor="{anchor}" '
            f'fill="{fill}"{bold}>{escape(text)}</text>'
        )
        share = {"start": 1.0, "middle": 0.5, "end": 0.0}[anchor]
        self._reach(x + share * text_width(text, size), y)

    def rows(self, x: float, y: float, lines: Sequence[str], size: float, **style: str) -> None:
        """Small lines below each other, the first one's base line at y: for who zooms in. ``anchor``, ``fill``."""
        at, anchor, fill = f'x="{_number(x)}"', style.get("anchor", "start"), style.get("fill", "#222222")
        head = f'<text class="ports" y="{y:.2f}" font-size="{size:.2f}" text-anchor="{anchor}" fill="{fill}">'
        below = f'</tspan><tspan {at} dy="{size:.2f}">'
        self.shapes.append(f"{head}<tspan {at}>{below.join(map(escape, lines))}</tspan></text>")

    def rectangle(self, x: float, y: float, width: float, height: float, **style: str) -> None:
        """A box with slightly round corners; ``fill``, ``stroke``; ``tint``: share of the fill that covers.

        ``hint``: what a browser shows on hover.
        """
        fill, stroke, tint = style.get("fill", "none"), style.get("stroke", "none"), style.get("tint")
        place = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
        cover = f' fill-opacity="{tint}"' if tint else ""
        hint = f"><title>{escape(style['hint'])}</title></rect>" if "hint" in style else "/>"
        self.shapes.append(f'<rect {place} rx="3" fill="{fill}"{cover} stroke="{stroke}"{hint}')
        self._reach(x + width, y + height)

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
        """A straight line."""
        (x1, y1), (x2, y2) = start, end
        place = f'x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"'
        self.shapes.append(f'<line {place} stroke="{colour}" stroke-width="2"/>')
        self._reach(max(x1, x2), max(y1, y2))

    def dot(self, x: float, y: float, colour: str) -> None:
        """A dot: two lines are connected here."""
        self.shapes.append(f'<circle cx="{_number(x)}" cy="{_number(y)}" r="3.5" fill="{colour}"/>')

    def open_group(self, kind: str, members: Iterable[str]) -> None:
        """Begin a group; a browser shows its members on hover."""
        self.shapes.append(f"<g class={quoteattr(kind)}><title>{escape(' '.join(members))}</title>")

    def open_layer(self, name: str) -> None:
        """Begin a layer: a group that a page or an editor can hide by its ``id``, and that no pointer meets."""
        self.shapes.append(f'<g id={quoteattr(name)} class="layer" pointer-events="none">')

    def close_group(self) -> None:
        """End the group that was opened last."""
        self.shapes.append("</g>")

    def svg(self, title: str, margin: float) -> str:
        """The whole document, on white."""
        width, height = _number(self.width + margin), _number(self.height + margin)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONTS}">'
        )
        # A pointer at a text means what is below it, which has the hint.
        paper = '<style>text { pointer-events: none }</style><rect width="100%" height="100%" fill="#ffffff"/>'
        return "\n".join((head, f"<title>{escape(title)}</title>", paper, *self.shapes, "</svg>")) + "\n"

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
