"""Lists of code points in the notation of ``match dscp``: ``18,20,22`` and ``24-31``, mixed as needed."""

from collections.abc import Iterable

CODE_POINTS = 64


def to_list(text: str) -> tuple[int, ...]:
    """``0,24-31`` -> every code point, sorted. ValueError for anything else."""
    points: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        points.update(range(int(first), int(last if dash else first) + 1))
    if not points or max(points) >= CODE_POINTS:
        raise ValueError(text)
    return tuple(sorted(points))


def to_text(points: Iterable[int]) -> str:
    """Code points -> ``0,24-31``: sorted, neighbours joined into ranges."""
    runs: list[list[int]] = []
    for point in sorted(points):
        if runs and point == runs[-1][-1] + 1:
            runs[-1].append(point)
        else:
            runs.append([point])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
