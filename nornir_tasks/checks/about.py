"""The description of a check: ``nornir validate --list`` and docs/checks.md are generated from it.

A description is ``ABOUT`` in the module of its check, and is listed beside the check in ``checks/suite.py`` or
``checks/hosts/host_suite.py``.
"""

from dataclasses import dataclass

NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """One check under the name in its findings: what it reads, and what each verdict means."""

    name: str
    each: str
    """The things it judges: one finding for each of them."""
    uncounted: str = ""
    """Findings that do not count in M of "tested N of M"; empty: none."""
    reads: tuple[str, ...] = ()
    """Live state it reads: fields of Observed and of its rows, as ``ports.mtu_bytes``; of a host, facts."""
    configuration: str = ""
    """Running configuration it reads; empty: none."""
    wanted: str
    """Source of the expected values: fields of the wanted configuration, the design, a host's variables."""
    passes: str
    fails: str
    cannot_tell: str = NEVER
    """For a switch or fact that was read; otherwise every result is undecided."""
    skipped: str = NEVER

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """All parts as (title, text), for people."""
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
