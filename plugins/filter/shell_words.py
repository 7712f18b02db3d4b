"""Filter ``shell_words``: the words of a command line as a shell takes them, quotes undone."""

from __future__ import annotations

import shlex
from collections.abc import Callable


def shell_words(text: str | None) -> list[str]:
    """`-o ProxyCommand="ssh -W %h:%p jump"` -> two words."""
    return shlex.split(text or "")


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"shell_words": shell_words}
