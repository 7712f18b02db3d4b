"""Build the documentation site: pages are copied to out/pages as they lie in the repository, then built into out/site.

The root's pages and the roles' READMEs are pages too, and MkDocs takes pages of one folder below its configuration.
Links between them stay as they are. A warning (a dead link or heading, a page that has no place in nav) ends the build.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES, SITE = ROOT / "out/pages", ROOT / "out/site"
# What pages link to, besides pages, is copied as it is.
FILES = (
    "*.md",
    "docs/**/*.md",
    "docs/**/*.svg",
    "roles/*/README.md",
    "roles/roce_qos/defaults/main.yml",
    "roles/roce_qos/meta/argument_specs.yml",
    "switch_twins/README.md",
    "inventory/**/fabric.yml",
)


def lay_out(pages: Path) -> None:
    """Copy all pages into an empty folder, each at its place in the repository."""
    shutil.rmtree(pages, ignore_errors=True)
    for file in (each for pattern in FILES for each in ROOT.glob(pattern)):
        target = pages / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def fetched_from_elsewhere(site: Path) -> list[str]:
    """Scripts, styles, pictures and frames that a browser would fetch from another place than the site itself."""
    element = re.compile(r"<(?:link|script|img|iframe|source)\b[^>]*?\b(?:href|src)=[\"']?((?:https?:)?//[^\"'\s>]+)")
    return [
        f"{page.relative_to(site)}: {address}"
        for page in sorted(site.rglob("*.html"))
        for address in element.findall(page.read_text(encoding="utf-8"))
    ]


def build(folder: Path) -> list[str]:
    """Build the site of a folder, by its mkdocs.yml; all that MkDocs warns of."""
    # Material's notice of the end of its own life says nothing of these pages.
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    # Not --quiet: with it --strict counts no warnings.
    command = [sys.executable, "-m", "mkdocs", "--no-color", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)  # noqa: S603 - no argument is input
    warned = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("INFO")]
    return warned or ([f"mkdocs ended with {done.returncode}"] if done.returncode else [])


def main() -> int:
    """Lay the pages out and build; 1 where MkDocs warns of something, or a page fetches something from elsewhere."""
    lay_out(PAGES)
    found = build(ROOT) or [f"fetched from elsewhere: {each}" for each in fetched_from_elsewhere(SITE)]
    sys.stdout.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
