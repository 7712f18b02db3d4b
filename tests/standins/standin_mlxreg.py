"""Stand-in for mlxreg (and mstreg): get and set of ROCE_ACCL, by its field adaptive_routing_forced_en."""

from __future__ import annotations

import sys
from pathlib import Path

from nic_state import Nic, log_call, not_recorded
from standin_mlxconfig import interface_at

REGISTER = "ROCE_ACCL"
FIELD = "adaptive_routing_forced_en"


def main(tool: str, words: list[str]) -> int:
    """Exit code as the real tool's. A card without the function ignores what is set (its field_select is 0)."""
    log_call(tool, words)
    left, device, register, value, get, yes = list(words), "", "", "", False, False
    while left:
        word = left.pop(0)
        if word == "-d" and left:
            device = left.pop(0)
        elif word == "--reg_name" and left:
            register = left.pop(0)
        elif word == "--set" and left:
            value = left.pop(0)
        elif word in ("--get", "--yes"):
            get, yes = get or word == "--get", yes or word == "--yes"
        else:
            not_recorded(tool, *words)
    name, _, number = value.partition("=")
    if register != REGISTER or get == bool(value) or (value and (name != FIELD or not yes)):
        not_recorded(tool, *words)
    netdev = interface_at(device)
    if not netdev:
        print(f'-E- Failed to open device: "{device}", No such file or directory', file=sys.stderr)
        return 1
    with Nic(netdev).opened() as nic:
        if nic.state["locked_down"]:
            print(f'-E- Failed to open device: "{device}", Permission denied', file=sys.stderr)
            return 1
        if get:
            print("Sending access register...")
            table(nic.state["roce_accl"])
            return 0
        put(nic.state["roce_accl"], int(number, 0))
    return 0


def put(fields: dict, number: int) -> None:
    print(f"You are about to send access register: {REGISTER} with the following data:")
    table({**fields, FIELD: number})
    print("\n Do you want to continue ? (y/n) [n] : y\n Sending access register...")
    if fields[f"{FIELD}_field_select"]:
        fields[FIELD] = number


def table(fields: dict) -> None:
    width = max(map(len, fields)) + 3
    print(f"{'Field Name':<{width}} | Data\n" + "=" * (width + 14))
    for name, value in fields.items():
        print(f"{name:<{width}} | 0x{value:08x}")
    print("=" * (width + 14))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[0]).name, sys.argv[1:]))
