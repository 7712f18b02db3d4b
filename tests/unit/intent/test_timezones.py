"""Names of time zones: those that every system takes, and no others."""

from importlib.resources import files

import pytest
from pydantic import ValidationError

from nornir_tasks.intent.core.timezone_field import TIMEZONES, UTC
from nornir_tasks.intent.keys.base import BaseIntent


def test_each_zone_is_one_of_iana() -> None:
    known = set(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())
    assert set(TIMEZONES) <= known
    assert len(TIMEZONES) == len(set(TIMEZONES)) > 500


@pytest.mark.parametrize("name", [UTC, "Europe/Berlin", "America/Argentina/Buenos_Aires", "US/Eastern"])
def test_a_zone_is_taken_by_its_name(name: str) -> None:
    assert BaseIntent.model_validate({"timezone": name}).timezone == name


@pytest.mark.parametrize(
    "name", ["Berlin", "CET", "utc", "europe/berlin", "Etc/UTC", "Europe/", "UTC+1", "Mars/Olympus", 1]
)
def test_what_is_no_zone_of_every_system_is_refused(name: object) -> None:
    with pytest.raises(ValidationError, match="not a time zone"):
        BaseIntent.model_validate({"timezone": name})
