"""A NIC's run-time register ROCE_ACCL: does it make every new RDMA connection accept reordered packets?

Read and set by mlxreg (MFT) or mstreg (mstflint). The field is ``adaptive_routing_forced_en``: while it is 1, all queue
pairs are made with adaptive routing on; those that exist keep what they were made with. ``..._field_select`` beside it
says in an answer whether the card can be told. Meaning: tools_layouts/adb/prm/hca/ext/register_access_table.adb
(``roce_accl_reg_ext``) of Mellanox/mstflint at b9d9e844a14ae1c85cb90c76ccd4a56a0eccd599; output: tests/recorded/mlxreg.

The register is no setting of the firmware's flash: it is in effect at once, and a reset of the NIC or a boot forgets
it.
Standard library only, Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_congestion import explained, may_open
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_firmware import PACKAGE
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_parse import (
        ABSENT,
        UNREADABLE,
        Reading,
        Unreadable,
    )
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import MISSING_PROGRAM, NO_ANSWER, Answer
except ImportError:  # beside a service, or in a test
    from roce_congestion import explained, may_open
    from roce_firmware import PACKAGE
    from roce_parse import ABSENT, UNREADABLE, Reading, Unreadable
    from roce_run import MISSING_PROGRAM, NO_ANSWER, Answer

REGISTER, FIELD = "ROCE_ACCL", "adaptive_routing_forced_en"
TOOLS = ("mlxreg", "mstreg")
_ROW = re.compile(r"^(?P<name>[A-Za-z]\w*)\s*\|\s*(?P<value>0x[0-9a-fA-F]+)\s*$", re.MULTILINE)

Ask = Callable[..., Answer]


def get_command(tool: str, pci: str) -> tuple[str, ...]:
    """Shows the register."""
    return (tool, "-d", pci, "--reg_name", REGISTER, "--get")


def set_command(tool: str, pci: str) -> tuple[str, ...]:
    """Has the NIC reorder; the tool reads the other fields first, and writes them as they are."""
    return (tool, "-d", pci, "--reg_name", REGISTER, "--set", f"{FIELD}=0x1", "--yes")


def read_fields(text: str) -> dict[str, int]:
    """Field -> number, from the table of ``--get``."""
    return {row["name"]: int(row["value"], 16) for row in _ROW.finditer(text)}


def read(pci: str, ask: Ask, root: Path) -> Reading:
    """Does the NIC make connections that reorder? By the first tool that shows the field; its name is the source.

    Raises Unreadable: absent where card or tool do not have it, else with what each tool said.
    """
    complaints, lacking = [], []
    for tool in TOOLS:
        command = get_command(tool, pci)
        answer = ask(*command)
        if answer.exit_code == 0:
            fields = read_fields(answer.stdout)
            if FIELD in fields:
                return _reading(tool, pci, fields)
            lacking.append(f"{tool} shows no {FIELD} in {REGISTER}")
        elif answer.exit_code != MISSING_PROGRAM:
            complaints.append(f"{' '.join(command)}: {answer.complaint}")
            if answer.exit_code == NO_ANSWER:  # it is still at the NIC; a second tool would only wait for it
                break
    if lacking:
        newer = f"an mstflint or MFT whose table of registers has it ({PACKAGE} 4.21.0 does)"
        raise Unreadable(f"{'; '.join(lacking)}: install {newer}", ABSENT)
    if complaints:
        raise Unreadable(explained("; ".join(complaints), root), UNREADABLE)
    why = f"neither {' nor '.join(TOOLS)} is installed (package {PACKAGE})"
    raise Unreadable(explained(why, root), UNREADABLE, PACKAGE if may_open(root) else "")


def _reading(tool: str, pci: str, fields: dict[str, int]) -> Reading:
    """The field counts only where the card says that it can be told."""
    if not fields.get(f"{FIELD}_field_select"):
        why = f"the card cannot be told to reorder: {FIELD}_field_select of {REGISTER} is 0 ({tool} -d {pci})"
        raise Unreadable(f"{why}; newer firmware may have it", ABSENT)
    return Reading(bool(fields[FIELD]), tool, "", " ".join(get_command(tool, pci)))
