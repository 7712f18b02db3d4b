"""show_whole_way.py: packets between hosts of the lab's front planes, and out of the site, in a lab of its own.

The front pairs on one system, in one QEMU machine: what arrives from each group of hosts at each other, and what does
not; proof, rules loaded and packets must agree, else it ends with 1. Needs root.
"""

import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/lab")]

from whole_way import Found, Probe, differing, summary  # noqa: E402 - it is found by the path above
from whole_way_labs import LOSSES, raised, site_of  # noqa: E402

SYSTEM = "eos"


def lines(found: Mapping[Probe, Found]) -> list[str]:
    """From whom to whom -> what arrives; what was sent and does not, by number."""
    arrived: dict[str, list[str]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for probe, each in found.items():
        ends = f"{probe.source.group} on {probe.source.plane} > {probe.target.group} on {probe.target.plane}"
        arrived[ends] += [f"{probe.protocol} {probe.port or 'echo'}"] if each.packets[0] else []
        refused[ends] += not each.packets[0]
    width = max(map(len, arrived))
    return [
        f"{ends:<{width}}  {', '.join(sorted({*what})) or 'nothing'}; {refused[ends]} more were sent, and are refused"
        for ends, what in arrived.items()
    ]


def main() -> int:
    """See above."""
    with (
        tempfile.TemporaryDirectory(prefix="gpufabric-way-") as folder,
        raised(site_of(SYSTEM, Path(folder))) as way,
    ):
        found = way.found_without(LOSSES[0])
    wrong = differing(found)
    print(*lines(found), *wrong, f"proof, rules and packets: {summary(found)}", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
