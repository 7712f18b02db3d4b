"""Changes of others that are open on a switch: concurrent ones would revert one another, so they stop a push."""

from collections.abc import Collection
from dataclasses import dataclass

from nornir_tasks.errors import Problem


@dataclass(frozen=True, slots=True)
class Company:
    """One change that is open, and is not the one that reads."""

    token: str
    what: str
    """What it is, and whose, in words."""
    end: str
    """The command that ends it on the switch."""


def in_company(device: str, found: Collection[Company]) -> Problem:
    """Why a switch with open changes of others is not pushed to: all of them are named."""
    one = len(found) == 1
    ends = "; ".join(each.end for each in found)
    return Problem(
        where=device,
        what="; ".join(each.what for each in found),
        expected="no other configuration session under way",
        hint=f"let {'it' if one else 'them'} end, or end {'it' if one else 'each'} on the switch: {ends}",
    )
