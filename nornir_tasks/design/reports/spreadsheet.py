"""CSV cells that a spreadsheet would change: rack 1-2 into the first of February, 1E5 into 100000, 007 into 7.

Quotes do not help, as a spreadsheet takes ``"007"`` for a number too. Such a cell gets an apostrophe in front, which
spreadsheets show or take for "text follows", and which programs remove: a cell that begins with one is the rest of it.
"""

import re
from functools import lru_cache

MARK = "'"
_MONTH = (
    "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
    "|january|february|march|april|august|september|october|november|december"
)
_OTHER = r"[\W\d_]*"
_NOT_TEXT = re.compile(
    rf"{_OTHER}|{_OTHER}\d[\W_]*(?:e|[ap]m?){_OTHER}|{_OTHER}(?:{_MONTH}){_OTHER}|true|false|[=+@\t\r-].*",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
"""Numbers, dates, times, truth values and formulas as English has them, and what may be one."""


@lru_cache(maxsize=8192)
def as_cell(text: str) -> str:
    """The cell for this text, ``'1-2``; most text stays as it is."""
    return MARK + text if text and (text.startswith(MARK) or _NOT_TEXT.fullmatch(text)) else text


def of_cell(cell: str) -> str:
    """The text of a cell."""
    return cell.removeprefix(MARK)
