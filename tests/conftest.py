"""``--update-golden`` writes the messages anew; CI never gives it."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write expected.txt anew from what is said now")
