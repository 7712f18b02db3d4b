"""Bring up, or end, a lab of one switch in a process of its own: ``lab_up.py STATE_FOLDER [up|down]``; prints JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nornir_tasks.errors import LabError
from nornir_tasks.lab.manager import Lab, LabDevice, LabHost, LabPlan

PORTS = ("Ethernet1/1", "Ethernet2/1")
PLAN = LabPlan(
    "test",
    (LabDevice("leaf-1", "eos", "4.33.1F", "7060DX5-64S", "tomahawk4", 4200000001, PORTS),),
    (),
    tuple(LabHost("gpu-1", f"rail{at}", ("leaf-1", port), 9000, f"leaf-1-h{at + 1}") for at, port in enumerate(PORTS)),
)


def main() -> int:
    lab = Lab(Path(sys.argv[1]))
    messages: list[str] = []
    try:
        if sys.argv[2:] == ["down"]:
            answer: dict[str, object] = {"was_there": lab.down(messages.append)}
        else:
            started = lab.up(PLAN, 0.0, messages.append)
            answer = {"is_new": started.is_new, "lost": started.lost, "pid": lab.process.pid()}
    except LabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(json.dumps({**answer, "messages": messages}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
