"""docs/gallery.md and its drawings: sites to begin from, each with what it is, what it takes and how it looks.

python scripts/gallery_page.py            compare; ends with 1 where a page or drawing is another one
python scripts/gallery_page.py --write    write them again
"""

import sys
from pathlib import Path

from made_page import compare_or_write

from nornir_tasks.design.reports.counts import design_counts
from nornir_tasks.design.reports.drawing_layout import drawing
from nornir_tasks.files.site import gallery
from nornir_tasks.usecases.site import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
DRAWINGS = ROOT / "docs" / "gallery"

HEAD = """\
# Gallery

Made by `.venv/bin/python scripts/gallery_page.py --write` from the sites in `inventory/`; `make check` compares. A test
designs, renders and proves each of them.

Each site has a name that `--site` takes: `nornir design --site NAME` shows it, and `nornir init DIR --from NAME` makes
a copy of it to change. None of them was built: lengths of cables, addresses and PCI addresses are examples.
"""


def section(name: str, intent: Path) -> tuple[str, str]:
    """(the section about one site, its drawing)."""
    designed = load(str(intent.parent))
    total = design_counts(designed.network)["totals"]
    says = " ".join(line.removeprefix("#").strip() for line in _first_comment(intent))
    switches = f"{total['switches']} switch{'es' * (total['switches'] != 1)}"
    figures = f"{switches}, {total['cables']} cables, {total['optics']} optics"
    link = f"../{intent.relative_to(ROOT)}"
    picture = f"![Its switches and cables](gallery/{name}.svg)"
    return f"\n## {name}\n\n{says}\n\n{figures}. [Its intent]({link}).\n\n{picture}\n", drawing(designed.network)


def _first_comment(intent: Path) -> list[str]:
    """The lines of the first comment, up to its first empty one."""
    lines = intent.read_text(encoding="utf-8").splitlines()
    end = next(place for place, line in enumerate(lines) if line in {"", "#"} or not line.startswith("#"))
    return lines[:end]


def main() -> int:
    """1 where something differs."""
    DRAWINGS.mkdir(exist_ok=True)
    text, code, kept = HEAD, 0, set[str]()
    for name, folder in gallery().items():
        made, svg = section(name, folder / "fabric.yml")
        text += made
        kept.add(f"{name}.svg")
        code |= compare_or_write(DRAWINGS / f"{name}.svg", svg, f"inventory: {name}")
    for stale in (each for each in DRAWINGS.iterdir() if each.name not in kept):
        if "--write" in sys.argv[1:]:
            stale.unlink()
        else:
            sys.stdout.write(f"docs/gallery/{stale.name}: no such site is in the gallery\n")
            code = 1
    return code | compare_or_write(PAGE, text, "inventory/")


if __name__ == "__main__":
    sys.exit(main())
