"""``--update-golden`` writes the messages anew; CI never gives it. ``figure`` keeps what was measured for the end.
``--update-slow-files`` writes which files take long, from a whole ``make test``. ``--fast`` leaves these out, and all
that makes use of the machine (``make test-fast``). What a test needs of the machine: `needs`.

Random tests try the same examples each time, so that a change is judged by what it changes; ``make test-long`` tries
new ones (``--hypothesis-profile new-examples``).
"""

import gc
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable
from functools import cache
from hashlib import md5
from pathlib import Path

import needs
import pytest
from hypothesis import HealthCheck, settings, strategies

from nornir_tasks.cli.main import GC_THRESHOLD
from nornir_tasks.lab.process import LOG

FIGURE = "figure"
LAB_LOGS = (f"lab/{LOG}", "twins.log")
LOG_LINES = 60
TEMPORARY = pytest.StashKey[Path]()
ROOT = Path(__file__).parents[1]
MACHINES = ROOT / "tests" / "machines"
SLOW_FILES = ROOT / "tests" / "slow_files.tsv"
"""Seconds, file: in the order in which they are begun, the longest first. ``--fast`` leaves all of them out."""
SLOW_S = 2

# A loaded machine makes no test fail: times are measured by `make bench`.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same-examples", _UNTIMED, derandomize=True)
settings.register_profile("new-examples", _UNTIMED, derandomize=False, print_blob=True)
settings.load_profile("same-examples")


def pytest_configure(config: pytest.Config) -> None:
    needs.is_fast = config.getoption("fast")
    gc.set_threshold(GC_THRESHOLD)  # as the console script does: fabrics are large, and trees
    # A shell starts background jobs with Ctrl-C ignored, and what they start inherits that: commands that tests
    # interrupt would never end. A handler of ours is not inherited.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    # Its module is loaded at first use, and pytest parses it then. CPython 3.11 fails that parse (SystemError: AST
    # constructor recursion depth mismatch) if a finalizer or a thread parses meanwhile, as can be amid the tests.
    strategies.from_regex("a").validate()


def pytest_collection_finish() -> None:
    gc.freeze()  # what was loaded stays: no collection amid tests and at their end need look at it


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Machines first, as bringing one up takes longest; then the files that take long, so that none of them is left to
    one worker when the others are done; then files by their number of tests (as pytest-xdist would)."""
    leave_to_long(items)
    yield
    tests = Counter(item.path for item in items)
    slow = slow_files()
    items.sort(key=lambda item: (item.path.parent != MACHINES, -slow.get(item.path, 0), -tests[item.path]))


def leave_to_long(items: Iterable[pytest.Item]) -> None:
    """Mark ``long`` what ``sampled`` leaves out: of each such test, all cases but so many, chosen by their names."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("sampled") is not None:
            cases[item.nodeid.partition("[")[0]].append(item)
    for of_one in cases.values():
        of_one.sort(key=lambda item: md5(item.nodeid.encode(), usedforsecurity=False).digest())
        (marker,) = of_one[0].iter_markers("sampled")
        for item in of_one[marker.args[0] :]:
            item.add_marker("long")


@cache
def slow_files() -> dict[Path, int]:
    """File -> the seconds that it took when all were measured."""
    rows = (row.split("\t") for row in SLOW_FILES.read_text(encoding="utf-8").splitlines())
    return {ROOT / name: int(seconds) for seconds, name in rows}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("fast") and collection_path in slow_files() else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture: what is missing is said, not run into."""
    needs.require(*(part for marker in item.iter_markers("needs") for part in marker.args))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a worker of xdist end at once: execnet interrupts (SIGINT) one that takes more than five seconds to.

    pytest would look for garbage in all that tests of a worker have kept, some hundred MB.
    """
    if hasattr(session.config, "workerinput"):
        gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write expected.txt anew from what is said now")
    parser.addoption("--update-slow-files", action="store_true", help="write how long files take from this whole run")
    parser.addoption("--fast", action="store_true", help="leave out slow files and all that makes use of the machine")
    where = "tests of tests/lab/test_running_lab.py run against a containerlab that is up, which was exported"
    parser.addoption("--lab", choices=("built-in", "containerlab"), default="built-in", help=where)
    parser.addoption("--lab-export", metavar="DIR", help="with --lab containerlab: what nornir lab export wrote")
    parser.addoption(
        "--lab-site", metavar="SITE", default="lab-rails", help="with --lab containerlab: the site exported"
    )


@pytest.fixture(scope="session", autouse=True)
def _temporary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    request.config.stash[TEMPORARY] = tmp_path_factory.getbasetemp()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show with a failure what labs have logged during the test, which goes with them: why an answer failed."""
    report = yield
    base = item.config.stash.get(TEMPORARY, None)
    if report.failed and base is not None:
        logs = (each for pattern in LAB_LOGS for each in base.rglob(pattern))
        for log in (each for each in logs if each.stat().st_mtime >= call.start and each.stat().st_size):
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
            report.sections.append((f"{log.relative_to(base)}", "\n".join(lines)))
    return report


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keep a counted or measured figure; all of them are printed at the end of the run, from xdist's workers too."""
    return lambda text: request.node.user_properties.append((FIGURE, text))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.stats.get(outcome, [])]
    every = [*reports, *terminalreporter.stats.get("", [])]
    if terminalreporter.config.getoption("update_slow_files"):
        write_slow_files(every)
    found = {(each.nodeid, text) for each in reports for name, text in each.user_properties if name == FIGURE}
    _section(
        terminalreporter,
        "figures",
        (f"{_file(nodeid).removeprefix('tests/')}: {text}" for nodeid, text in sorted(found)),
    )
    lines = needs.left_out(terminalreporter.stats.get("skipped", []))
    if terminalreporter.config.getoption("fast"):
        lines += [f"{len(slow_files())} files of all: take over {SLOW_S} s (tests/slow_files.tsv)"]
        new = Counter(
            {name: s for name, s in seconds_of(every).items() if s > SLOW_S and ROOT / name not in slow_files()}
        )
        slow = (f"{name}: {found:.0f} s" for name, found in new.most_common())
        _section(terminalreporter, "slow here, and not in tests/slow_files.tsv (--update-slow-files)", slow)
    _section(terminalreporter, "left out", lines)


def _section(terminalreporter: pytest.TerminalReporter, title: str, lines: Iterable[str]) -> None:
    for place, line in enumerate(lines):
        if place == 0:
            terminalreporter.section(title)
        terminalreporter.write_line(line)


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def seconds_of(reports: Iterable[pytest.TestReport]) -> Counter[str]:
    """File -> seconds, with what comes before and after tests: fixtures of labs and machines take most of it."""
    seconds = Counter[str]()
    for each in reports:
        seconds[_file(each.nodeid)] += each.duration
    return seconds


def write_slow_files(reports: Iterable[pytest.TestReport]) -> None:
    rows = [f"{found:.0f}\t{name}\n" for name, found in seconds_of(reports).most_common() if found > SLOW_S]
    SLOW_FILES.write_text("".join(rows), encoding="utf-8")
