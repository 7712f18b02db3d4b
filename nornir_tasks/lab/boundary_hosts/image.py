"""The root file system of the boundary's hosts: Debian 12 as a folder, made once, kept under its recipe's hash."""

import shutil
import tempfile
import time
from pathlib import Path

from nornir_tasks.files.cache import cache_directory
from nornir_tasks.lab.lock import locked
from nornir_tasks.lab.machines.image import Recipe, Say, root_file_system

RECIPE = Path(__file__).parent / "image"


def recipe() -> Recipe:
    """Of a host of the boundary."""
    return Recipe("of the boundary's hosts", (RECIPE,), grub=False)


def ensure_root(say: Say) -> Path:
    """The root file system, made if it is missing. Hosts read it, and write beside it."""
    own = recipe()
    images = cache_directory() / "images"
    images.mkdir(mode=0o700, parents=True, exist_ok=True)
    wanted = images / own.hash
    if not wanted.exists():
        with locked(images / f"{own.hash}.lock", "another command makes the image already", say):
            if not wanted.exists():
                _build(own, wanted, say)
    return wanted / "root"


def _build(own: Recipe, wanted: Path, say: Say) -> None:
    started = time.monotonic()
    # We have the lock, so the process that made these was killed.
    for left in wanted.parent.glob(f"{wanted.name}.building-*"):
        shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=f"{wanted.name}.building-", dir=wanted.parent))
    work.chmod(0o755)  # apt's own user needs access to the folder below
    try:
        say(f"image {wanted.name} ({own.about}): Debian 12 is put together, once; about a minute")
        root_file_system(own, work / "root")
        work.rename(wanted)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say(f"image {wanted.name}: made in {time.monotonic() - started:.0f} s")
