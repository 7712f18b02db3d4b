"""How a client asks for a write."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Write:
    """Its name, and what it wants of the server."""

    manager: str = "unknown"
    is_dry_run: bool = False
    validation: str = "Warn"
    """Strict, Warn or Ignore: what becomes of unknown fields."""
    force: bool = False
