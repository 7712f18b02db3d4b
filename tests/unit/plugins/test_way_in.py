"""The SSH session is found above a process that was started without its variables, as sudo starts one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "plugins/module_utils"))
import way_in

UTILS = Path(way_in.__file__).parent
ASK = f"import sys; sys.path.insert(0, {str(UTILS)!r}); import way_in; print(way_in.session())"
OURS = str(way_in.session())
"""Of whoever runs these tests by SSH."""
OUTER, INNER = "192.0.2.1 40000 192.0.2.10 22", "2001:db8::1 40001 2001:db8::10 2222"


def answer_of(*starts: dict[str, str] | None, before: tuple[str, ...] = ()) -> str:
    """What the innermost of processes says, each started with these variables alone, or with none, as by sudo."""
    command = [sys.executable, "-c", ASK]
    for each in reversed(starts):
        words = [f"{key}={value}" for key, value in (each or {}).items()]
        # A shell that waits for it stays above it.
        command = ["env", "-i", *words, "/bin/sh", "-c", '"$@"; exit $?', "sh", *command]
    own = {"PATH": os.environ["PATH"]}
    return subprocess.run(
        [*before, *command], check=True, capture_output=True, text=True, env=own, timeout=30
    ).stdout.strip()


def test_it_is_found_behind_a_start_that_forgets_it() -> None:
    found = answer_of({"SSH_CONNECTION": OUTER}, None, None)
    assert found.startswith("Session(client='192.0.2.1', client_port=40000, server='192.0.2.10', server_port=22")


def test_of_several_hops_it_is_the_last_ones() -> None:
    found = answer_of({"SSH_CONNECTION": OUTER}, {"SSH_CONNECTION": INNER}, None)
    assert found.startswith("Session(client='2001:db8::1', client_port=40001, server='2001:db8::10', server_port=2222")


@pytest.mark.parametrize("words", ["", "UNKNOWN 65535", "a b c d"])
def test_without_one_there_is_none(words: str) -> None:
    assert answer_of({"SSH_CONNECTION": words}, None) == OURS


@pytest.mark.needs("namespaces")
def test_one_of_another_network_is_none_of_this_ones() -> None:
    own = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    there = ("env", f"SSH_CONNECTION={OUTER}", "sh", "-c", '"$@"; exit $?', "sh")
    assert answer_of(None, before=(*there, "env", "-u", "SSH_CONNECTION", "unshare", *own, "--net")) == "None"


def test_the_module_says_where_there_is_none(run_module) -> None:  # type: ignore[no-untyped-def]
    answer, ours = run_module("way_in", {}), way_in.session()
    assert answer["session"] == (ours.words() if ours else "")
    assert ("no SSH session was found above this process" in json.dumps(answer)) == (ours is None)


def test_a_link_local_address_is_that_of_the_interface_alone_that_it_came_by() -> None:
    found = way_in.Session("fe80::9%ens3", 1, "fe80::1%ens3", 22, "tool")
    assert found.is_to("ens3", "fe80::1")
    assert not found.is_to("ens4", "fe80::1")
