"""What every part of the intent has in common: strict, closed, immutable, and judged by rules of its own.

Each field says in the text below it what it means, in the operator's words: docs/intent.md is made of these texts.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from nornir_tasks.intent.core.fields import Unit
from nornir_tasks.intent.core.findings import Finding


class Part(BaseModel):
    """A part of the intent: strict, closed, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Key that a user may look for here -> what to write instead."""

    not_offered: ClassVar[Mapping[str, str]] = {}
    """Key of what a user may expect here and is not built -> what there is in its place."""

    def findings(self) -> Iterator[Finding]:
        """What this part says of its own keys; rules over more: :mod:`nornir_tasks.intent.rules.judge`."""
        return iter(())


LoadBalancing = Literal["static", "flowlet", "per_packet"]
"""How a switch spreads over equal-cost paths."""

MtuBytes = Annotated[int, Field(ge=1280, le=9216), Unit("bytes")]
"""IP MTU in bytes."""
