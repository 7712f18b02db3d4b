"""Stand-in for modprobe: knows rdma_cm, which brings configfs's folder with it."""

from __future__ import annotations

import sys

from nic_state import folder, log_call, not_recorded


def main(words: list[str]) -> int:
    """Exit code as the real tool's."""
    log_call("modprobe", words)
    if words != ["rdma_cm"]:
        not_recorded("modprobe", *words)
    with (folder() / "modules").open("a", encoding="utf-8") as modules:
        modules.write("rdma_cm\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
