"""Stand-in for cma_roce_mode and cma_roce_tos of mlnx-tools: getopts and all, on the state folder's configfs."""

from __future__ import annotations

import sys
from pathlib import Path

from nic_state import folder, log_call, not_recorded

MODES = {"1": "IB/RoCE v1", "2": "RoCE v2"}


def options(words: list[str], letters: str) -> dict[str, str]:
    """As the shell's getopts: the first word that is no option ends it, an en dash among them, and nobody is told."""
    found: dict[str, str] = {}
    left = list(words)
    while left and left[0].startswith("-") and left[0] != "-":
        word = left.pop(0)
        letter, rest = word[1], word[2:]
        if letter == "h":
            not_recorded("-h together with a stand-in")
        if letter not in letters:
            not_recorded(word)
        if not rest and not left:
            not_recorded(word, "without a value")
        found[letter] = rest or left.pop(0)
    return found


def main(tool: str, words: list[str]) -> int:
    """Exit code as the real tool's."""
    log_call(tool, words)
    letter, file = ("t", "default_roce_tos") if tool == "cma_roce_tos" else ("m", "default_roce_mode")
    given = options(words, "dp" + letter)
    device, port = given.get("d", "mlx5_0"), given.get("p", "1")
    base = folder() / "root/sys/kernel/config/rdma_cm"
    if not base.is_dir():
        print("Module rdma_cm is not loaded or does not support configfs")
        return 1
    made = not (base / device).is_dir()
    if made:
        try:
            (base / device).mkdir()
        except OSError:
            print(f"mkdir: cannot create directory ‘{device}’: No such device", file=sys.stderr)
            print(f"Failed to create configuration for {device}")
            return 1
    target = base / device / "ports" / port
    if not target.is_dir():
        print(f"Device {device} port {port} does not exist")
        return 1
    put(target / file, given.get(letter), tool)
    print((target / file).read_text().strip())
    if made or tool == "cma_roce_mode":
        (base / device).rmdir()
    return 0


def put(target: Path, value: str | None, tool: str) -> None:
    if value is None or (tool == "cma_roce_mode" and value not in MODES):
        return
    if tool == "cma_roce_tos" and not (value.isdigit() and int(value) <= 255):
        not_recorded(tool, "-t", value)
    target.write_text((value if tool == "cma_roce_tos" else MODES[value]) + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[0]).name, sys.argv[1:]))
