"""The frozen list is of tests that its clients have, and only grows."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

FROZEN = yaml.safe_load((Path(__file__).parent / "frozen.yml").read_text(encoding="utf-8"))
NOT_YET = yaml.safe_load((Path(__file__).parent / "not_yet.yml").read_text(encoding="utf-8")) or {}
SUM = "9a2e3809e3a60e3c01168d0f42305f668afa3d7cdb9d93af192dd5c74b4b17f0"
"""Of the list without `added`, as JSON with sorted keys: whoever changes it changes this line too, and says why."""


def _names(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for below in part.values():
            yield from _names(below)
    else:
        yield from part


def test_the_list_that_counts_is_the_one_that_was_fixed_before_the_work() -> None:
    counted = {client: tests for client, tests in FROZEN.items() if client != "added"}
    assert hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest() == SUM


def test_every_test_of_anta_on_the_list_is_one_that_anta_has() -> None:
    for module, names in FROZEN["anta"].items():
        tests = importlib.import_module(f"anta.tests.{module}")
        assert [name for name in names if not hasattr(tests, name)] == []


def test_every_getter_on_the_list_is_one_that_the_stock_driver_has() -> None:
    for driver in ("eos", "nxos", "nxos_ssh"):
        classes = vars(importlib.import_module(f"napalm.{driver}"))
        (found,) = [each for name, each in classes.items() if name.endswith("Driver")]
        assert [name for name in FROZEN[f"napalm.{driver}"] if not hasattr(found, name)] == []


def test_what_does_not_run_yet_is_on_the_list_and_has_a_reason() -> None:
    for client, tests in NOT_YET.items():
        parts = FROZEN[client] if isinstance(FROZEN[client], dict) else {}
        of_parts = {f"{part} {name}" for part, names in parts.items() for name in names}
        assert set(tests) <= {*_names(FROZEN[client]), *of_parts}, client
        assert all(tests.values()), client


def test_no_test_is_on_the_list_twice() -> None:
    for client, tests in FROZEN.items():
        if client not in ("arista.eos", "cisco.nxos"):
            names = list(_names(tests))
            assert len(names) == len(set(names)), client
