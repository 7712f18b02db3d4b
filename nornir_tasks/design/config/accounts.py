"""Local accounts of a switch in the common model."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["admin", "operator"]
"""``admin`` may do everything, ``operator`` may look."""


@dataclass(frozen=True, slots=True)
class Account:
    """One local account."""

    name: str
    role: Role
    hash: str
    """The placeholder of the secret whose value is the hash of the password, as ``<secret:NAME>``. Of a switch that
    runs another hash, a placeholder that names no secret."""
