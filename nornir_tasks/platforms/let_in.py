"""Lines by which a switch itself hears others, in the default VRF: a list of its control plane must let that in."""

import re
from dataclasses import dataclass

from nornir_tasks.design.config.access_lists import AclRule


@dataclass(frozen=True, slots=True)
class Hears:
    """Lines, and what comes in by them."""

    line: re.Pattern[str]
    """Over ``" / ".join(path)``; its group ``address`` is who sends, without it everybody does."""
    what: str
    """In words: ``BGP``."""
    packets: AclRule
    """A rule that matches them, from any source."""


def hears(line: str, what: str, packets: AclRule) -> Hears:
    """A Hears from the text of its pattern; ``ADDRESS`` in it is who sends."""
    return Hears(re.compile(line.replace("ADDRESS", r"(?P<address>[0-9a-fA-F.:]*[.:][0-9a-fA-F.:]+)")), what, packets)
