"""Programs of the host, asked by the real code."""

from pathlib import Path

import pytest
from roce_run import run_command

OUT_OF_SEQUENCE = """#!/bin/sh
# dcb of iproute2 6.1, as seen on a lab machine while the clock ticked
echo call >>"$CALLS"
[ "$(wc -l <"$CALLS")" -gt "$FAILS" ] && exit 0
echo "Attribute write: Protocol error" >&2
echo "Could not add new APP entries" >&2
"""


@pytest.mark.parametrize(("fails", "calls", "complains"), [(0, 1, False), (1, 2, False), (99, 4, True)])
def test_a_dcb_that_lost_count_of_its_requests_is_asked_again_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: int, calls: int, complains: bool
) -> None:
    tool, log = tmp_path / "dcb", tmp_path / "calls"
    tool.write_text(OUT_OF_SEQUENCE)
    tool.chmod(0o755)
    for name, value in {"PATH": f"{tmp_path}:/usr/bin:/bin", "CALLS": str(log), "FAILS": str(fails)}.items():
        monkeypatch.setenv(name, value)
    answer = run_command(["dcb", "app", "replace", "dev", "rail2", "dscp-prio", "26:0", "34:3"])
    assert len(log.read_text().splitlines()) == calls
    assert ("Protocol error" in answer.stderr) is complains
