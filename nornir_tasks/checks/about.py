"""What a check says of itself, once: ``nornir validate --list`` and docs/checks.md are made of it.

A description stands in the module of its check, as ``ABOUT``, and is listed beside the check in ``checks/suite.py`` or
``checks/host_suite.py``.
"""

from dataclasses import dataclass

NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """One check as its findings name it: what it looks at, and what each verdict means."""

    name: str
    each: str
    """The things it judges: one finding for each of them."""
    uncounted: str = ""
    """Findings that are none of the M of "tested N of M"; empty: there are none."""
    reads: tuple[str, ...] = ()
    """What of the live state: fields of Observed and of its rows, as ``ports.mtu_bytes``; facts, of a host."""
    configuration: str = ""
    """What of the configuration that runs; empty: nothing."""
    wanted: str
    """Where that comes from which is expected: fields of the wanted configuration, the design, a host's variables."""
    passes: str
    fails: str
    cannot_tell: str = NEVER
    """Of a switch or fact that was read; where it was not, nothing of it can be determined."""
    skipped: str = NEVER

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """(what, text) of all that there is to say, for people."""
        named = (
            ("one finding for each", self.each),
            ("not counted", self.uncounted),
            ("reads", ", ".join(self.reads)),
            ("of the configuration", self.configuration),
            ("expected from", self.wanted),
            ("passed", self.passes),
            ("failed", self.fails),
            ("could not tell", self.cannot_tell),
            ("skipped", self.skipped),
        )
        return tuple((what, text) for what, text in named if text)
