"""``catalogue/<vendor>/*.yml`` and ``catalogue/bogons.yml`` -> Catalogue. A figure without a source is refused."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from nornir_tasks.design.model.catalogue import Bogons, Catalogue, Mode, NicModel, OpticModel, PortGroup, SwitchModel
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.files.model_errors import validate
from nornir_tasks.files.resources import resource, shown
from nornir_tasks.intent.core.address_fields import AnyPrefix
from nornir_tasks.intent.core.fields import SystemName
from nornir_tasks.intent.core.findings import Finding, refuse, wrong

Value = TypeVar("Value")
Source = Annotated[str, Field(min_length=8)]


_MODE = re.compile(r"([1248])x([1-9]\d*)G-([1248])")


def _mode(value: object) -> Mode:
    found = _MODE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise wrong("not a mode of a cage", "ways x speed - lanes of each leg, as 2x200G-4", value)
    ways, speed, lanes = map(int, found.groups())
    return Mode(ways, speed, lanes)


ModeText = Annotated[Mode, BeforeValidator(_mode)]
PciDevice = Annotated[str, Field(pattern=r"^[0-9a-f]{4}$")]


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
    modes: Annotated[tuple[ModeText, ...], Field(min_length=1)]
    disables_next: tuple[ModeText, ...] = ()
    """Modes for odd-numbered cages only, each of which takes away the next cage."""
    source: Source

    @model_validator(mode="after")
    def _rules(self) -> "_PortGroupFile":
        refuse(
            Finding(("modes",), "more lanes than the cage has", f"at most {self.lanes}", str(mode))
            for mode in (*self.modes, *self.disables_next)
            if mode.ways * mode.lanes > self.lanes
        )
        return self

    def model_data(self) -> PortGroup:
        """The ports without their source."""
        costly = tuple(Mode(mode.ways, mode.speed_gbps, mode.lanes, disables_next=True) for mode in self.disables_next)
        return PortGroup(self.first, self.count, self.cage, self.lanes, (*self.modes, *costly))


class SwitchFile(_Part):
    """One file of a switch model."""

    kind: Literal["switch"]
    vendor: str
    model: str
    platforms: Annotated[tuple[SystemName, ...], Field(min_length=1)]
    asic: _Figure[str] | None = None
    asic_by_platform: _Figure[dict[str, str]] | None = None
    """Of a reference model, which is no product."""
    ports: Annotated[tuple[_PortGroupFile, ...], Field(min_length=1)]
    buffer_bytes: _Figure[int] | None = None
    max_ecmp_paths: _Figure[int] | None = None
    ipv4_routes: _Figure[int] | None = None
    cell_bytes: _Figure[int] | None = None
    lossless_queues: _Figure[int] | None = None
    max_ecmp_groups: _Figure[int] | None = None
    max_ecmp_members: _Figure[int] | None = None
    ipv4_neighbors: _Figure[int] | None = None
    mac_addresses: _Figure[int] | None = None
    ipv4_acl_rules: _Figure[int] | None = None
    ipv6_acl_rules: _Figure[int] | None = None
    max_bfd_sessions: _Figure[int] | None = None
    logical_ports: _Figure[int] | None = None
    silent_gbps: _Figure[tuple[int, ...]] | None = None

    def model_data(self) -> SwitchModel:
        """The figures without their sources."""
        return SwitchModel(
            vendor=self.vendor,
            model=self.model,
            os=self.platforms,
            asic=self.asic.value if self.asic else "",
            ports=tuple(each.model_data() for each in self.ports),
            buffer_bytes=_value(self.buffer_bytes),
            max_ecmp_paths=_value(self.max_ecmp_paths),
            ipv4_routes=_value(self.ipv4_routes),
            cell_bytes=_value(self.cell_bytes),
            lossless_queues=_value(self.lossless_queues),
            max_ecmp_groups=_value(self.max_ecmp_groups),
            max_ecmp_members=_value(self.max_ecmp_members),
            ipv4_neighbors=_value(self.ipv4_neighbors),
            mac_addresses=_value(self.mac_addresses),
            ipv4_acl_rules=_value(self.ipv4_acl_rules),
            ipv6_acl_rules=_value(self.ipv6_acl_rules),
            max_bfd_sessions=_value(self.max_bfd_sessions),
            logical_ports=_value(self.logical_ports),
            silent_gbps=self.silent_gbps.value if self.silent_gbps else (),
            asic_by_os=self.asic_by_platform.value if self.asic_by_platform else {},
        )


class NicFile(_Part):
    """One file of a NIC model."""

    kind: Literal["nic"]
    vendor: str
    model: str
    modes: _Figure[tuple[ModeText, ...]]
    """Of one cage: as one port, or split into several."""
    cage: _Figure[str] | None = None
    max_mtu_bytes: _Figure[int] | None = None
    out_of_order_rdma: _Figure[bool] | None = None
    out_of_order_setting: _Figure[str] | None = None
    rdma_provider: _Figure[Literal["mlx5", "rxe"]] | None = None
    pci_device: _Figure[PciDevice] | None = None
    spectrum_x: _Figure[bool] | None = None

    def model_data(self) -> NicModel:
        """The figures without their sources."""
        reorders = self.out_of_order_rdma.value if self.out_of_order_rdma else None
        setting = self.out_of_order_setting.value if self.out_of_order_setting else None
        provider = self.rdma_provider.value if self.rdma_provider else None
        mtu = _value(self.max_mtu_bytes)
        cage = self.cage.value if self.cage else None
        device = self.pci_device.value if self.pci_device else None
        own = (mtu, reorders, setting, cage, provider, device, self.spectrum_x is not None and self.spectrum_x.value)
        return NicModel(self.vendor, self.model, self.modes.value, *own)


class _OpticForm(_Part):
    cage: str
    port_gbps: Annotated[int, Field(ge=1)]
    """Of one of its two connectors."""
    connector: str
    fibre: str
    polarity: str
    source: Source


class _OpticSplitter(_Part):
    legs: Annotated[int, Field(ge=2)]
    """Of the one kind of splitter that a connector takes."""
    reach_m: int
    source: Source


class OpticFile(_Part):
    """One file of a twin-port optic."""

    kind: Literal["optic"]
    vendor: str
    model: str
    platforms: Annotated[tuple[SystemName, ...], Field(min_length=1)]
    medium: Annotated[str, Field(pattern="^2x")]
    form: _OpticForm
    reach_m: _Figure[int]
    splitter: _OpticSplitter | None = None
    nic_m: _Figure[int] | None = None

    def model_data(self) -> OpticModel:
        """The figures without their sources."""
        form = self.form
        return OpticModel(
            vendor=self.vendor,
            model=self.model,
            os=self.platforms,
            medium=self.medium,
            cage=form.cage,
            port_gbps=form.port_gbps,
            connector=form.connector,
            fibre=form.fibre,
            polarity=form.polarity,
            reach_m=self.reach_m.value,
            splitter_legs=self.splitter.legs if self.splitter else None,
            splitter_m=self.splitter.reach_m if self.splitter else None,
            nic_m=_value(self.nic_m),
        )


class _BogonPrefix(_Part):
    prefix: AnyPrefix
    source: Source


class _BogonAsns(_Part):
    first: Annotated[int, Field(ge=0, le=0xFFFFFFFF)]
    last: Annotated[int, Field(ge=0, le=0xFFFFFFFF)]
    source: Source


class BogonsFile(_Part):
    """The file of what no network may announce."""

    kind: Literal["bogons"]
    prefixes: tuple[_BogonPrefix, ...]
    asns: tuple[_BogonAsns, ...]

    @model_validator(mode="after")
    def _rules(self) -> "BogonsFile":
        """In order, so that the lists of routers are the same wherever an entry is added."""
        ends = [end for each in self.asns for end in (each.first, each.last)]
        if any(before > after for before, after in pairwise(ends)):
            expected = "first before last, and each range after the one before it"
            refuse([Finding(("asns",), "ranges of AS numbers that are not ascending", expected)])
        return self

    def model_data(self) -> Bogons:
        """The entries without their sources."""
        return Bogons(
            tuple(each.prefix for each in self.prefixes), tuple((each.first, each.last) for each in self.asns)
        )


Model = SwitchModel | NicModel | OpticModel


@cache
def load_catalogue(folder: Path | None = None) -> Catalogue:
    """Every model of the catalogue. Raises IntentError with the problems of all its files."""
    models: dict[str, Model] = {}
    problems: list[Problem] = []
    for file in sorted((folder or resource("catalogue")).glob("*/*.yml")):
        try:
            found = _load(file)
        except IntentError as error:
            problems += error.problems
            continue
        if found.model in models:
            problems.append(Problem(shown(file), f"model {found.model} occurs twice in the catalogue"))
        models.setdefault(found.model, found)
    if problems:
        raise IntentError(problems)
    return Catalogue(
        {name: each for name, each in models.items() if isinstance(each, SwitchModel)},
        {name: each for name, each in models.items() if isinstance(each, NicModel)},
        {name: each for name, each in models.items() if isinstance(each, OpticModel)},
        load_bogons(),
    )


@cache
def load_bogons() -> Bogons:
    """What no network may announce on the Internet."""
    return validate(BogonsFile, read_marked(resource("catalogue") / "bogons.yml")).model_data()


def _load(file: Path) -> Model:
    marked = read_marked(file)
    kind = marked.data.get("kind") if isinstance(marked.data, dict) else None
    if kind == "nic":
        return validate(NicFile, marked).model_data()
    if kind == "optic":
        return validate(OpticFile, marked).model_data()
    return validate(SwitchFile, marked).model_data()
