"""The facts of a device that a grammar needs: release, hardware, ports, and rules allowed from memory."""

from __future__ import annotations

import fnmatch
import functools
import operator
import re
from dataclasses import dataclass

_OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq}


@dataclass(frozen=True, slots=True)
class Context:
    """One device's facts: ``ports`` its physical port names, ``allowed_from_memory`` names of rules of confidence M."""

    release: str
    asic: str = ""
    model: str = ""
    ports: frozenset[str] = frozenset()
    allowed_from_memory: frozenset[str] = frozenset()

    def has_asic(self, families: tuple[str, ...]) -> bool:
        """True if no family is required, or this device's ASIC begins with one (``tomahawk`` covers ``tomahawk4``).

        A family that begins with ``!`` is excluded; where there are only such ones, every other ASIC is meant.
        """
        if any(self.asic.startswith(family[1:]) for family in families if family.startswith("!")):
            return False
        required = [family for family in families if not family.startswith("!")]
        return not required or any(self.asic.startswith(family) for family in required)

    def is_model(self, globs: tuple[str, ...]) -> bool:
        """True if no model is required, or this device's model matches one of the shell patterns."""
        return not globs or any(fnmatch.fnmatchcase(self.model, glob) for glob in globs)

    def has_release(self, conditions: str) -> bool:
        """True if the release meets every comma-separated condition, such as ``>=10.4,<10.6``."""
        return not conditions or _meets(self.release, conditions)


@functools.lru_cache(maxsize=4096)
def _meets(release: str, conditions: str) -> bool:
    for condition in filter(None, (part.strip() for part in conditions.split(","))):
        found = re.fullmatch(r"(>=|<=|==|>|<)(.+)", condition)
        if found is None:
            raise ValueError(f"release condition {condition!r}: expected an operator and a release, such as >=4.30")
        if not _OPERATORS[found[1]](release_key(release), release_key(found[2])):
            return False
    return True


def release_key(release: str) -> tuple[int, ...]:
    """The numbers in a release name in order: 4.33.1F -> (4, 33, 1), 10.4(3) -> (10, 4, 3)."""
    return tuple(int(number) for number in re.findall(r"\d+", release))
