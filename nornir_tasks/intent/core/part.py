"""What every part of the intent has in common: strict, closed, immutable, and judged by rules of its own.

Each field says in the text below it what it means, in the operator's words: docs/intent.md is made of these texts.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nornir_tasks.intent.core.fields import Unit
from nornir_tasks.intent.core.findings import Finding, refuse


class Part(BaseModel):
    """A part of the intent: strict, closed, immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Key that somebody may look for here -> what to write instead."""

    not_offered: ClassVar[Mapping[str, str]] = {}
    """Key of what somebody may expect here and is not built -> what there is in its place."""

    def findings(self) -> Iterator[Finding]:
        """What the rules that concern several of these fields have to say; below, each part speaks for itself."""
        return iter(())

    @model_validator(mode="after")
    def _judge(self) -> Self:
        refuse(self.findings())
        return self


LoadBalancing = Literal["static", "flowlet", "per_packet"]
"""How a switch spreads over equal-cost paths."""

MtuBytes = Annotated[int, Field(ge=1280, le=9216), Unit("bytes")]
"""IP MTU in bytes."""
