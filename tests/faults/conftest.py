"""The campaign's figures: how many faults, of which kinds, and how many trials were clean."""

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "lab")]

FAULT = "fault"
"""As in test_fault_campaign."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add up what the trials kept, from xdist's workers too."""
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.stats.get(outcome, [])]
    found = [value for each in reports if each.when == "call" for name, value in each.user_properties if name == FAULT]
    if not found:
        return
    terminalreporter.section("faults injected in pushes")
    for system in dict.fromkeys(each[0] for each in sorted(found)):
        mine = [each for each in found if each[0] == system]
        kinds = Counter(kind for _, kind, _ in mine)
        clean = Counter(kind for _, kind, is_clean in mine if is_clean)
        rows = ", ".join(f"{kind} {clean[kind]}/{count}" for kind, count in sorted(kinds.items()))
        terminalreporter.write_line(f"{system}: {sum(clean.values())} of {len(mine)} trials clean: {rows}")
