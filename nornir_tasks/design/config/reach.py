"""How a switch is reached, in the common model: its API."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """The API of a switch, by HTTPS alone. Its port is whatever the switch has."""

    certificate: str
    """The name that its certificate and key have on the switch."""
    vrf: str | None
    """The one VRF that it is served in, by the name that the switch has for it; None: the default one, or the OS binds
    the API to addresses."""
    address: str | None = None
    """The one address that it is served on, where the OS binds the API to addresses; None: it is not known, and what it
    listens on is others'."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How a switch is reached. What is not managed is None."""

    api: ApiSettings | None = None


NO_REACH = Reach()
"""Of a switch where all of it is others'."""
