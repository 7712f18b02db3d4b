"""The text that switches show before a login, as all systems can hold it."""

import re
from typing import Annotated

from pydantic import BeforeValidator

from nornir_tasks.intent.core.fields import Written
from nornir_tasks.intent.core.findings import wrong

MAX_LINES, MAX_CHARACTERS = 40, 80
"""A screen; what the systems take beyond it is not published alike."""

_REFUSED = (
    (r".*[^ -~].*", "a character that is not printable ASCII"),
    (r"", "an empty line, which is lost on the way to some systems"),
    (r" .*|.* ", "a line that begins or ends with a blank, which is lost on the way to some systems"),
    (r"!.*", "a line that begins with !, which is a comment to some systems"),
    (r"EOF", "a line that is EOF alone, which ends the text on some systems"),
    (r".*\^.*", "the character ^, which ends the text on some systems"),
    (r".*`.*", "the character `, which some systems put around each line that they will change"),
)


def _banner(value: object) -> str:
    text = value.removesuffix("\n") if isinstance(value, str) else ""
    lines = text.split("\n")
    expected = f"1 to {MAX_LINES} lines of 1 to {MAX_CHARACTERS} printable ASCII characters"
    if not text or len(lines) > MAX_LINES:
        raise wrong("not a text that all systems can show before a login", expected, value if not text else text[:40])
    for number, line in enumerate(lines, start=1):
        for pattern, what in _REFUSED:
            if re.fullmatch(pattern, line):
                raise wrong(f"line {number} has {what}", expected, line or "an empty line")
        if len(line) > MAX_CHARACTERS:
            raise wrong(f"line {number} is longer than a screen", expected, f"{len(line)} characters")
    return text


Banner = Annotated[str, BeforeValidator(_banner), Written(f"text of 1-{MAX_LINES} lines")]
