"""Whether systemd-networkd leaves rules and routes alone that others made.

By default it removes those that it was not told of, when it starts and when it configures an interface
(networkd.conf(5), ManageForeignRoutingPolicyRules= and ManageForeignRoutes=; it leaves those of protocol `kernel`:
systemd/systemd, src/network/networkd-routing-policy-rule.c, commit 00126e0032de). It reads these as it starts.
Standard library only (it runs on hosts, Python 3.9).
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ansible_collections.gpufabric.host.plugins.module_utils.rail_state import Run

NOW, LATER, NEVER = "now", "from its next start on", "no"
SETTINGS = ("ManageForeignRoutingPolicyRules", "ManageForeignRoutes")
FALSE = frozenset({"0", "no", "n", "false", "f", "off"})
"""As systemd reads them, in any case (src/basic/parse-util.c, parse_boolean)."""

_FILE = re.compile(r"# (/\S+)")
_SETTING = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*")


def leaves_others(run: Run, root: Path) -> str:
    """NOW, LATER (its files say so, and it started before they did) or NEVER."""
    shown = run(["systemd-analyze", "cat-config", "--no-pager", "systemd/networkd.conf"])[1].splitlines()
    values = {match[1]: match[2].lower() for match in map(_SETTING.fullmatch, shown) if match}
    if any(values.get(name) not in FALSE for name in SETTINGS):
        return NEVER
    files = [root / match[1].lstrip("/") for match in map(_FILE.fullmatch, shown) if match]
    written_s = max((each.stat().st_ctime for each in files if each.is_file()), default=0.0)
    return NOW if written_s <= started_s(run) else LATER


def started_s(run: Run) -> float:
    """When networkd started, in seconds since 1970; 0 if that is not known."""
    command = ["systemctl", "show", "--property=ExecMainStartTimestampMonotonic", "systemd-networkd.service"]
    value = run(command)[1].strip().rpartition("=")[2]
    if not value.isdigit() or value == "0":
        return 0.0
    return time.time() - time.monotonic() + int(value) / 1e6
