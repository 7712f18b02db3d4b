"""Schema facts of Kubernetes' custom resources and charts, beside this checkout where they are."""

from pathlib import Path

BESIDE = "shared/reference/crds"


def folder() -> Path | None:
    """Where they are, if they are there."""
    found = Path(__file__).parents[2] / BESIDE
    return found if found.is_dir() else None


def fields(file: Path) -> dict[str, tuple[str, ...]]:
    """Path -> type, ``required`` or nothing, facts."""
    lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {line[0]: (*line[1:], "", "", "")[:3] for line in lines}


def source(file: Path) -> str:
    """Repository, file and commit of a kind's definition."""
    return file.read_text(encoding="utf-8").splitlines()[0].partition("schema facts of ")[2]
