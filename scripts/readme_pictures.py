"""Pictures of the README: the lab's fabric as `nornir design --svg` draws it, and a terminal with real output.

python scripts/readme_pictures.py NORNIR    run the commands in the built-in lab, and write docs/images/
"""

import io
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

IMAGES = Path(__file__).parents[1] / "docs" / "images"
COMMANDS = (
    ("lab up", 1),
    ("push --yes", 2),
    ("validate", 6),
    ("lab cut leaf-g1-r0-u1", 1),
    ("validate", 5),
    ("lab mend leaf-g1-r0-u1", 1),
    ("validate", 1),
    ("lab down", 1),
)
"""Each with how many lines of its output are shown, the last ones."""
WIDTH = 118
# rich's own one without its web font: a page of ours loads nothing from elsewhere.
FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""


def main(nornir: str) -> int:
    """Run the commands; 1 where one ends otherwise than it should."""
    IMAGES.mkdir(exist_ok=True)
    screen = Console(record=True, width=WIDTH, file=io.StringIO())
    for command, most in COMMANDS:
        done = subprocess.run([nornir, *command.split()], capture_output=True, text=True, check=False, timeout=300)  # noqa: S603
        if done.returncode not in (0, 8):
            sys.stdout.write(done.stdout + done.stderr)
            return 1
        screen.print(Text(f"$ nornir {command}", style="bold green"))
        lines = [each for each in done.stdout.splitlines() if not each.startswith(("skipped", "Not judged", "played"))]
        if len(lines) > most:
            screen.print(Text("  ...", style="dim"))
        for text in lines[-most:]:
            failed = text.startswith(("fail:", "FAILED"))
            line = text.partition(", in /")[0]  # the folder of its state is this machine's
            screen.print(Text(line[:WIDTH], style="bold red" if failed else ""))
    screen.save_svg(str(IMAGES / "session.svg"), title="gpufabric", theme=MONOKAI, code_format=FORMAT)
    drawing = subprocess.run([nornir, "design", "--svg", str(IMAGES / "lab.svg")], check=False, capture_output=True)  # noqa: S603
    return drawing.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
