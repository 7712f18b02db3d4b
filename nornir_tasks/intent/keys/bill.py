"""Input of the bill of materials that does not follow from the design: spares, prices, power."""

from typing import Annotated, Literal

from pydantic import Field

from nornir_tasks.intent.core.fields import Unit
from nornir_tasks.intent.core.intent_model import Part

Bought = Literal["switch", "nic", "transceiver", "jumper", "splitter", "assembly", "label"]
"""What a line of the bill is about; an assembly is a cable with its plugs: DAC, ACC, AEC, AOC."""

Percent = Annotated[float, Field(ge=0, le=100), Unit("per cent")]
Amount = Annotated[float, Field(ge=0, le=1e12)]


class BillIntent(Part):
    """For ``nornir design --bom``; no switch is configured by it."""

    spares_percent: dict[Bought, Percent] = Field(default_factory=dict)
    """Bought besides what is built in, in per cent of each line, rounded up; what is not named here has none."""
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None = None
    """Of the prices: three letters, as ISO 4217 has them."""
    prices: dict[str, Amount] = Field(default_factory=dict)
    """Part, as the bill calls it -> price of one. Where several lines have that part, each has a price of its own under
    the part with what differs behind it, as `OS2 jumper, MPO-12/APC, 30 m`; one that the bill has no line for is
    refused, and so is one for several lines."""
    power_w: dict[str, Amount] = Field(default_factory=dict)
    """Part, as in `prices` -> what one draws, in watts; those built in are summed. What is refused there is refused
    here."""
