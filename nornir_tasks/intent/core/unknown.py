"""A value that the file does not tell: it is missing there, or wrong. Whatever needs it cannot be judged.

An intent with mistakes is judged as far as it can be. Each rule is a generator of findings that stops where it meets
such a value, without a word; the mistake itself was told already, and the other rules go on.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

from nornir_tasks.intent.core.findings import Finding

Result = TypeVar("Result")


class UnknownValueError(Exception):
    """A rule met a value that is not known."""


class Unknown:
    """Can be handed on and compared with None by ``is``; a closer look says that it is unknown."""

    def _raise(self, *_: object) -> NoReturn:
        raise UnknownValueError

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _raise
    __iter__ = __len__ = __contains__ = __getitem__ = __getattr__ = __call__ = _raise
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _raise
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = __neg__ = _raise
    __int__ = __float__ = __index__ = __str__ = __format__ = _raise

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN: Any = Unknown()


def independent(*rules: Iterator[Finding]) -> Iterator[Finding]:
    """The findings of all rules; one that meets an unknown value ends there, and the next one begins.

    A finding that carries such a value along, as what was found, has met it as well.
    """
    for rule in rules:
        try:
            for finding in rule:
                hash(finding)  # raises for an unknown value in it
                yield finding
        except UnknownValueError:
            continue


def attempt(step: Callable[[], Result]) -> Result | None:
    """What the step gives; None if it cannot tell for an unknown value."""
    try:
        return step()
    except UnknownValueError:
        return None
