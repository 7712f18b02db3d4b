"""``catalogue/<vendor>/*.yml`` -> Catalogue. A figure without a source is refused."""

from functools import cache
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from nornir_tasks.design.catalogue import Catalogue, NicModel, PortGroup, SwitchModel
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.marked_yaml import read_marked, validate
from nornir_tasks.files.resources import resource, shown
from nornir_tasks.intent.fields import SpeedGbps

Value = TypeVar("Value")
Source = Annotated[str, Field(min_length=8)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Figure(_Part, Generic[Value]):
    value: Value
    source: Source


def _value(figure: _Figure[int] | None) -> int | None:
    return None if figure is None else figure.value


class _PortGroupFile(_Part):
    first: Annotated[int, Field(ge=1)]
    count: Annotated[int, Field(ge=1)]
    cage: str
    lanes: Literal[1, 2, 4, 8]
    speeds: Annotated[tuple[SpeedGbps, ...], Field(min_length=1)]
    """Of the whole port, without breakout."""
    source: Source


class SwitchFile(_Part):
    """One file of a switch model."""

    kind: Literal["switch"]
    vendor: str
    model: str
    platforms: Annotated[tuple[Literal["eos", "nxos", "nvue"], ...], Field(min_length=1)]
    asic: _Figure[str]
    ports: Annotated[tuple[_PortGroupFile, ...], Field(min_length=1)]
    buffer_bytes: _Figure[int] | None = None
    max_ecmp_paths: _Figure[int] | None = None
    ipv4_routes: _Figure[int] | None = None

    def model_data(self) -> SwitchModel:
        """The figures without their sources."""
        return SwitchModel(
            vendor=self.vendor,
            model=self.model,
            os=self.platforms,
            asic=self.asic.value,
            ports=tuple(
                PortGroup(each.first, each.count, each.cage, each.lanes, tuple(sorted(each.speeds)))
                for each in self.ports
            ),
            buffer_bytes=_value(self.buffer_bytes),
            max_ecmp_paths=_value(self.max_ecmp_paths),
            ipv4_routes=_value(self.ipv4_routes),
        )


class NicFile(_Part):
    """One file of a NIC model."""

    kind: Literal["nic"]
    vendor: str
    model: str
    speeds: _Figure[tuple[SpeedGbps, ...]]
    max_mtu_bytes: _Figure[int] | None = None

    def model_data(self) -> NicModel:
        """The figures without their sources."""
        speeds = tuple(sorted(self.speeds.value))
        return NicModel(self.vendor, self.model, speeds, _value(self.max_mtu_bytes))


@cache
def load_catalogue(folder: Path | None = None) -> Catalogue:
    """Every model of the catalogue. Raises IntentError with the problems of all its files."""
    switches: dict[str, SwitchModel] = {}
    nics: dict[str, NicModel] = {}
    problems: list[Problem] = []
    for file in sorted((folder or resource("catalogue")).glob("*/*.yml")):
        try:
            found = _load(file)
        except IntentError as error:
            problems += error.problems
            continue
        held: dict[str, SwitchModel] | dict[str, NicModel] = switches if isinstance(found, SwitchModel) else nics
        if found.model in held:
            problems.append(Problem(shown(file), f"model {found.model} stands twice in the catalogue"))
        elif isinstance(found, SwitchModel):
            switches[found.model] = found
        else:
            nics[found.model] = found
    if problems:
        raise IntentError(problems)
    return Catalogue(switches, nics)


def _load(file: Path) -> SwitchModel | NicModel:
    marked = read_marked(file)
    if isinstance(marked.data, dict) and marked.data.get("kind") == "nic":
        return validate(NicFile, marked).model_data()
    return validate(SwitchFile, marked).model_data()
