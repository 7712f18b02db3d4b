"""Work that two processes share: the same results as by one, whatever becomes of the second."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
NAMES = [f"leaf-{number}" for number in range(100)]


def run(program: str) -> Any:
    """In a Python of its own: here are threads, and then nothing is forked."""
    head = f"""
        import json, os, signal, time
        from nornir_tasks.usecases.parallel_plans import in_two
        names = {NAMES!r}
        here = os.getpid()
        def all_of(job, least=1):
            with in_two(job, names, least) as results:
                return list(results)
    """
    text = textwrap.dedent(head) + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, check=True, timeout=300, cwd=ROOT
    )
    return json.loads(done.stdout)


def test_every_name_is_done_once_by_one_of_two_processes() -> None:
    found = run("""
        def job(name):
            time.sleep(0.02)
            return name.upper(), os.getpid() == here
        print(json.dumps(all_of(job)))
    """)
    assert sorted(name for name, _ in found) == sorted(NAMES)
    assert all(upper == name.upper() for name, (upper, _) in found)
    assert {ours for _, (_, ours) in found} == {True, False}


def test_a_second_process_is_not_begun_for_a_few() -> None:
    found = run("print(json.dumps(all_of(lambda name: os.getpid() == here, len(names) + 1)))")
    assert found == [[name, True] for name in NAMES]


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "raise MemoryError"])
def test_what_a_second_process_that_dies_leaves_is_done_by_the_first(end: str) -> None:
    found = run(f"""
        def job(name):
            time.sleep(0.002)
            if os.getpid() != here and name == "leaf-80":
                {end}
            return name.upper()
        print(json.dumps(all_of(job)))
    """)
    assert sorted(found) == sorted([name, name.upper()] for name in NAMES)


@pytest.mark.parametrize("name", ["leaf-0", "leaf-99"])
def test_what_the_job_raises_is_raised_here_wherever_it_happened_first(name: str) -> None:
    found = run(f"""
        def job(name):
            time.sleep(0.002)
            if name == "{name}":
                raise ValueError(name)
            return name
        try:
            all_of(job)
        except ValueError as error:
            print(json.dumps(str(error)))
    """)
    assert found == name


def test_a_caller_that_stops_early_leaves_no_second_process() -> None:
    assert run("""
        import multiprocessing
        with in_two(lambda name: time.sleep(0.05), names, 1) as results:
            next(results)
            begun = len(multiprocessing.active_children())
        print(json.dumps([begun, len(multiprocessing.active_children())]))
    """) == [1, 0]


def test_switches_read_back_by_two_processes_are_those_read_back_by_one() -> None:
    assert run("""
        from nornir_tasks.usecases import parallel_plans
        from nornir_tasks.usecases.proofs import prove
        from nornir_tasks.usecases.site import load, select
        selection = select(load("lab"))
        by_one = prove.rendered(selection)
        parallel_plans.LEAST = parallel_plans.CHUNK = 1
        by_two = prove.rendered(selection)
        print(json.dumps([list(by_one) == list(by_two), by_one == by_two]))
    """) == [True, True]
