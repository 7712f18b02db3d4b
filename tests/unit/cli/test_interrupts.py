"""What is said, and with which exit code, when the operator presses Ctrl-C or output and state cannot be written."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from nornir_tasks.cli.app import Verbs
from nornir_tasks.errors import Interrupted

ROOT = Path(__file__).parents[3]
NORNIR = Path(sys.executable).with_name("nornir")
LOCAL, INTERRUPTED = 11, 130


def nornir(*words: str, state: Path, before: Callable[[], None] | None = None, **more: Any) -> Any:
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60, "check": False} | more
    environment = {**os.environ, "GPUFABRIC_STATE": str(state), "COLUMNS": "200"}
    return subprocess.run(  # noqa: PLW1510
        [str(NORNIR), *words], env=environment, stdin=subprocess.DEVNULL, preexec_fn=before, **options
    )


def full_disk() -> None:
    """Nothing can be written to any file; pipes are none."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A copy of the lab site whose lab is down."""
    shutil.copytree(ROOT / "inventory/lab-rails", tmp_path / "lab")
    return tmp_path / "lab"


WORDS = [["design"], ["design", "--json"], ["design", "--csv", "-"], ["--version"], ["design", "--help"]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_output_to_a_full_disk_is_an_error_with_its_code(words: list[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = nornir(*words, state=tmp_path, stdout=full)
    assert done.returncode == LOCAL
    assert "error: standard output: cannot be written: No space left on device\n  hint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_output_that_was_closed_at_the_start_is_an_error_with_its_code(tmp_path: Path) -> None:
    done = nornir("design", state=tmp_path, before=lambda: os.close(1), stdout=None)
    assert (done.returncode, "Traceback" in done.stderr) == (LOCAL, False)
    assert "standard output: cannot be written" in done.stderr


def test_errors_that_nobody_can_read_keep_their_code(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        assert nornir("design", "--site", "nowhere", state=tmp_path, stderr=full).returncode == 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_a_reader_that_goes_away_ends_nothing_and_nobody_hears_of_it(words: list[str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = nornir(*words, state=tmp_path, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr.replace(_site_line(done.stderr), "")) == (0, "")


def _site_line(text: str) -> str:
    """The line that says which site was taken."""
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith("site lab: "))


def test_a_reader_that_goes_away_leaves_the_work_whole(site: Path, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = nornir("render", "--out", str(tmp_path / "out"), "--site", str(site), state=tmp_path, stdout=writing)
        refused = nornir("push", "--yes", "--site", str(site), state=tmp_path, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 0
    assert len(list((tmp_path / "out").glob("[!.]*"))) == 10
    assert refused.returncode == 10, "a verb's own code, as if somebody read"


@pytest.mark.parametrize("words", ["push --yes", "render", "design --csv plan.csv"])
def test_a_full_disk_is_an_error_that_names_what_could_not_be_written(words: str, site: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    done = nornir(*words.split(), "--site", str(site), state=state, before=full_disk, cwd=tmp_path)
    assert done.returncode in {7, LOCAL}, done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert str(state) in done.stderr or "plan.csv" in done.stderr or "out" in done.stderr
    assert not list(tmp_path.glob("**/*.cfg")) and not list(tmp_path.glob("**/*plan.csv*"))


def test_a_full_disk_does_not_keep_a_rollback_from_saying_that_there_is_no_push(site: Path, tmp_path: Path) -> None:
    done = nornir("rollback", "--yes", "--site", str(site), state=tmp_path / "state", before=full_disk, cwd=tmp_path)
    assert done.returncode == 7
    assert "the journal has no push that could be rolled back" in done.stderr


@pytest.mark.parametrize("verb", ["rollback", "push"])
@pytest.mark.needs("root")
def test_a_state_folder_of_somebody_else_is_refused_with_its_name(verb: str, site: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    nornir("rollback", "--yes", "--site", str(site), state=state)
    (folder,) = state.iterdir()
    for path in (*folder.iterdir(), folder):
        os.chown(path, 65534, 65534)
    unprivileged = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", str(NORNIR)]
    done = subprocess.run(
        [*unprivileged, verb, "--yes", "--site", str(site)],
        env={**os.environ, "GPUFABRIC_STATE": str(state)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in {7, LOCAL}, done.stderr
    assert str(folder) in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr


MODULES = ["nornir_tasks.cli.ending", "typer", "pydantic", "nornir_tasks.cli.console", "nornir_tasks.files.site"]


@pytest.mark.parametrize("module", MODULES)
def test_ctrl_c_amid_the_imports_is_no_traceback(module: str, tmp_path: Path) -> None:
    """The signal comes at the moment that a module is looked for."""
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv = ['nornir', 'design']\n"
        "from nornir_tasks.cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == INTERRUPTED, done.stderr
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_amid_a_verb_is_no_traceback(tmp_path: Path) -> None:
    """A FIFO that nobody reads makes the verb wait at a known place."""
    os.mkfifo(tmp_path / "plan.csv")
    words = [str(NORNIR), "design", "--json", "--csv", str(tmp_path / "plan.csv")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        wait_until_it_sleeps(running.pid)
        running.send_signal(signal.SIGINT)
        output, complained = running.communicate(timeout=30)
    assert running.returncode == INTERRUPTED, complained
    assert json.loads(output)["error"]["exit_code"] == INTERRUPTED
    assert complained.endswith("error: nornir: interrupted\n")


def wait_until_it_sleeps(pid: int) -> None:
    """Return when a process has used no processor for a while, and asks for none."""
    ends_at_s, seen, times = time.monotonic() + 120, "", 0
    while times < 8 and time.monotonic() < ends_at_s:
        time.sleep(0.05)
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        now = f"{state} {fields[10]} {fields[11]}"
        seen, times = now, times + 1 if state == "S" and now == seen else 0
    assert times == 8, "it never waited"


def test_the_end_of_input_at_a_question_is_an_interruption() -> None:
    app = typer.Typer(cls=Verbs)

    @app.callback(invoke_without_command=True)
    def ask() -> None:
        typer.confirm("Change 3 of 10 switches?")

    done = CliRunner().invoke(app, [], input="")
    assert isinstance(done.exception, Interrupted)


@pytest.mark.parametrize(("words", "code"), [("design --site nowhere", 3), ("render --plane compyute", 3)])
def test_a_failing_verb_answers_json_with_its_problems(words: str, code: int, tmp_path: Path) -> None:
    done = nornir(*words.split(), "--json", state=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert done.returncode == error["exit_code"] == code
    assert all({"where", "what", "expected"} <= set(problem) for problem in error["problems"])
    assert f"error: {error['problems'][0]['where']}: {error['problems'][0]['what']}" in done.stderr
