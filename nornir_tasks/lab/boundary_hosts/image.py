"""The root file system of the boundary's hosts: Debian 12 as a folder, made once, kept under its recipe's hash."""

from pathlib import Path

from nornir_tasks.lab.machines.image import Recipe, Say, made_once, root_file_system

RECIPE = Path(__file__).parent / "image"


def recipe() -> Recipe:
    """Of a host of the boundary."""
    return Recipe("of the boundary's hosts", (RECIPE,), grub=False)


def ensure_root(say: Say) -> Path:
    """The root file system, made if it is missing. Hosts read it, and write beside it."""
    own = recipe()

    def fill(work: Path) -> Path:
        root_file_system(own, work / "root")
        return work

    return made_once(own, fill, "about a minute", say) / "root"
