"""The result of a push on one switch."""

from dataclasses import dataclass

from nornir_tasks.errors import GpufabricError


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one switch."""

    device: str
    changed: bool
    saved: bool = False
    """It already was as wanted, but not saved until now."""
    trouble: GpufabricError | None = None
    """The change is kept, but a later step failed."""
    is_unsaved: bool = False
    """It is kept, and a reboot would lose it."""
    has_leftover: bool = False
    """A file of this push is still there; the next push removes it."""
