"""Build the documentation site: pages as they lie in the repository are copied to out/pages, then built into out/site.

The root's pages and the roles' READMEs are pages too, and MkDocs takes pages of one folder below its configuration alone.
Links between them stay as they are. A warning (a dead link or heading, a page that has no place in nav) ends the build.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "out/pages"
# What pages link to, besides pages, is copied as it is.
FILES = (
    "*.md",
    "docs/**/*.md",
    "docs/**/*.svg",
    "roles/*/README.md",
    "roles/roce_qos/defaults/main.yml",
    "roles/roce_qos/meta/argument_specs.yml",
    "switch_twins/README.md",
    "inventory/lab/fabric.yml",
    "inventory/lab-rails/fabric.yml",
)


def lay_out(pages: Path) -> None:
    """Copy all pages into an empty folder, each at its place in the repository."""
    shutil.rmtree(pages, ignore_errors=True)
    for file in (each for pattern in FILES for each in ROOT.glob(pattern)):
        target = pages / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def main() -> int:
    """Lay the pages out and build; the exit code is that of MkDocs."""
    lay_out(PAGES)
    return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
