"""What the models of all host roles' variables share."""

from pydantic import BaseModel, ConfigDict

from nornir_tasks.intent.core.fields import is_pci


class Vars(BaseModel):
    """A part of a host's variables: closed, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class NicMatch(Vars):
    """How to find a NIC port; exactly one of the two is set."""

    pci: str | None = None
    mac: str | None = None


def place_match(place: str) -> NicMatch:
    """How to find the NIC port at this place."""
    return NicMatch(pci=place) if is_pci(place) else NicMatch(mac=place)
