"""What has a port on an out-of-band plane and is no host: power distribution, storage controllers, bastions."""

from typing import Annotated

from pydantic import Field

from nornir_tasks.intent.core.fields import Name, PortStem, Written
from nornir_tasks.intent.core.intent_model import Part

MAX_DEVICES = 10_000

PortName = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9/-]{0,31}$"), Written("name of a port, as the switch calls it")
]
"""As it stands in the cabling plan: ``swp7``, ``Ethernet1/7``."""


class PlaceIntent(Part):
    """The port that one device is cabled to."""

    switch: Name
    """An access switch of the plane's fabric, as `nornir design` calls it."""
    port: PortName
    """One of its ports for what is attached, as the cabling plan calls it."""


class AttachedIntent(Part):
    """Devices that are alike, each with one port on the plane."""

    count: Annotated[int, Field(ge=1, le=MAX_DEVICES)]
    """Devices that are there now; they are called after the group, pdu-1, pdu-2 and on."""
    max: Annotated[int, Field(ge=1, le=MAX_DEVICES)] | None = None
    """Devices that have a place on the access switches, at least ``count``; without it as many as there are."""
    port: PortStem = "mgmt"
    """What their port is called, for the cabling plan."""

    @property
    def most(self) -> int:
        """Places that are kept for them."""
        return self.count if self.max is None else self.max
