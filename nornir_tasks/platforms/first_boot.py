"""How an OS begins: what its first boot fetches, and what it asks DHCP for. Facts with their sources: docs/day0.md."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


def _unchanged(script: str) -> str:
    """No last touch."""
    return script


def joined_lines(own: str, base: str) -> str:
    """Lines of both; what comes later replaces what came before, as typed."""
    return own + base


@dataclass(frozen=True, slots=True)
class Dhcp:
    """What a factory switch says and wants of a DHCP server."""

    url_option: int
    """The option that its first file's URL stands in; of systems with ``server_name`` only the path."""
    vendor_class: str = ""
    """What its option 60 begins with; empty: no source says."""
    sends_serial: bool = False
    """Its client identifier (option 61) is a zero byte and the serial number."""
    server_name: bool = False
    """It takes the server from option 66, or its address from option 150."""


@dataclass(frozen=True, slots=True)
class FirstBootFacts:
    """How one OS begins."""

    script: str
    """The script's template in ``templates/day0/``."""
    config: str
    """The configuration's."""
    script_suffix: str
    """Of the file's name."""
    config_suffix: str
    crypt: Literal["5", "6"]
    """The kind of SHA-crypt that it keeps of passwords: ``5`` or ``6``."""
    serial_header: str
    """Of its HTTP request for the first file, with its serial number."""
    dhcp: Dhcp
    combine: Callable[[str, str], str] = joined_lines
    """The day-0 configuration and the managed base as one text; where both say something, the base decides."""
    finish: Callable[[str], str] = _unchanged
    """The last touch to a script."""


NO_FIRST_BOOT = FirstBootFacts("", "", "", "", "6", "", Dhcp(0))
"""Of an OS that day 0 is not offered on."""
