"""The tests' plane storage, whose circuits bear tags, as a kind that is found by being there."""

from tests.unit.design.tagged import KIND

__all__ = ["KIND"]
