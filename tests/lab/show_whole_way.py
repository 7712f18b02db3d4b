"""show_whole_way.py [--all]: packets between hosts of the lab's front planes, and out of the site, in a lab of its own.

In one QEMU machine, its front pairs on one system, or with ``--all`` the lab as it is with all of its planes: what
arrives from each group of hosts at each other, and what does not; proof, rules loaded and packets must agree, else it
ends with 1. Needs root.
"""

import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/lab")]

from whole_way import Found, Probe, differing, summary  # noqa: E402 - it is found by the path above
from whole_way_labs import AS_IT_IS, LOSSES, PLANES, raised, site_of  # noqa: E402

SYSTEM = "eos"
MANY = 4


def lines(found: Mapping[Probe, Found]) -> list[str]:
    """From whom to whom -> what arrives of what was sent."""
    of: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for probe, each in found.items():
        ends = f"{probe.source.group} on {probe.source.plane} > {probe.target.group} on {probe.target.plane}"
        of[ends][f"{probe.protocol} {probe.port or 'echo'}"].append(each.packets[0])
    width = max(map(len, of))
    return [f"{ends:<{width}}  {_in_words(sent)}" for ends, sent in of.items()]


def _in_words(sent: Mapping[str, list[bool]]) -> str:
    """Protocol and port -> which of these arrived."""
    arrived = sorted(what for what, each in sent.items() if all(each))
    if len(arrived) == len(sent):
        return f"all of {', '.join(arrived) if len(sent) < MANY else f'{len(sent)} protocols and ports'}"
    return f"{', '.join(arrived) or 'nothing'} of {len(sent)} protocols and ports"


def main() -> int:
    """See above."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the lab is ended, too
    has_all = "--all" in sys.argv[1:]
    with (
        tempfile.TemporaryDirectory(prefix="gpufabric-way-") as folder,
        raised(site_of(AS_IT_IS if has_all else SYSTEM, Path(folder)), () if has_all else PLANES) as way,
    ):
        found = way.found_without(LOSSES[0])
    wrong = differing(found)
    print(*lines(found), *wrong, f"proof, rules and packets: {summary(found)}", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
