"""A run that was killed in the middle leaves nothing that a second run does not bring to the same end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest
from conftest import RAILS, ROOT, StateHost, policy_values

RUN = """
import json, sys
from pathlib import Path
from roce_apply import apply
from roce_host import Host
from roce_policy import read_policy
report = apply(read_policy(json.loads(sys.argv[1])), Host(root=Path(sys.argv[2])))
print(*report.failures, sep="\\n")
sys.exit(1 if report.failures else 0)
"""
KILLS = """#!/bin/sh
# As the tool, but at its call number GPUFABRIC_KILL_AT that sets something, the run that called it is killed.
case " $* " in *" show "* | *" q "* | *" -a "*) ;; *)
  echo "$*" >>"$GPUFABRIC_STANDIN/sets"
  [ "$(wc -l <"$GPUFABRIC_STANDIN/sets")" != "$(cat "$GPUFABRIC_STANDIN/kill_at")" ] || kill -9 "$PPID" ;;
esac
exec "$0.real" "$@"
"""
TOOLS = ("dcb", "ethtool", "modprobe")
COUNTS = "link_flaps"
"""What a NIC's memory counts, and does not set."""


def put_killers(here: StateHost) -> None:
    for tool in TOOLS:
        path = here.folder / "bin" / tool
        if path.exists():
            path.rename(f"{path}.real")
            path.write_text(KILLS)
            path.chmod(0o755)


def start_over(here: StateHost) -> None:
    """The host as it came: memory of its NICs, and files of its kernel."""
    shutil.copytree(here.folder / "as_it_came", here.folder / "nics", dirs_exist_ok=True)
    shutil.rmtree(here.folder / "values", ignore_errors=True)


def run(here: StateHost, kill_at: int = 0) -> int:
    """The role's run in a process of its own: its exit code, -9 if it was killed."""
    (here.folder / "kill_at").write_text(str(kill_at))
    (here.folder / "sets").write_text("")
    policy = json.dumps(policy_values(rails=list(RAILS)))
    command = [sys.executable, "-c", RUN, policy, here.folder / "root"]
    folder = ROOT / "plugins/module_utils"
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    print(done.stdout + done.stderr)  # shown if the test fails
    return done.returncode


def sets(here: StateHost) -> int:
    return len((here.folder / "sets").read_text().splitlines())


def values(here: StateHost) -> dict[str, object]:
    """All that was set: memory of the NICs, and the kernel's files that were written."""
    nics = {path.name: json.loads(path.read_text()) for path in here.folder.glob("nics/*.json")}
    set_in_nics = {name: {key: nic[key] for key in nic if key != COUNTS} for name, nic in nics.items()}
    return set_in_nics | {path.name: path.read_text() for path in here.folder.glob("values/*")}


def moments(total: int, count: int) -> list[int]:
    """The first call that sets something, the last one, and others evenly between."""
    return sorted({1 + round(step * (total - 1) / (count - 1)) for step in range(count)})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [3, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("state", ["inbox_mlx5", "doca_ofed"])
def test_a_run_killed_at_any_moment_and_run_again_ends_the_same(
    state_host: Callable[..., StateHost], state: str, count: int
) -> None:
    whole = state_host(state)
    put_killers(whole)
    shutil.copytree(whole.folder / "nics", whole.folder / "as_it_came")
    assert run(whole) == 0
    wanted, total = values(whole), sets(whole)
    assert total >= 3 * len(RAILS), "it sets enough to be killed in between"
    for kill_at in moments(total, count):
        start_over(whole)
        assert run(whole, kill_at) == -9
        assert run(whole) == 0
        assert values(whole) == wanted, f"killed at call {kill_at} of {total}"
        assert run(whole) == 0
        assert sets(whole) == 0, "a third run finds nothing to set"
