"""A site as a topology for labs with the vendors' own images, written to a folder."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nornir_tasks.design.model.claims import BASE
from nornir_tasks.files.artifacts import Written, write_artifacts
from nornir_tasks.lab.export import air
from nornir_tasks.lab.export.containerlab import Topology, config_file
from nornir_tasks.lab.export.frr import FrrTopology
from nornir_tasks.lab.export.nodes import Options
from nornir_tasks.lab.export.parts import LeftOut, Parts, parts
from nornir_tasks.lab.export.routed import RELEASE, RoutedTopology
from nornir_tasks.lab.export.sonic import SonicTopology
from nornir_tasks.lab.manager import Lab
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.usecases.site import BOUNDARY, Selection, SiteDesign, select

MARK_CONTAINERLAB, MARK_AIR, MARK_FRR, MARK_SONIC = "/containerlab", "/air", "/frr", "/sonic"
"""Behind a site's name in the list of what was written to a folder."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and what of the site is in it."""

    written: Written
    parts: Parts

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Cables that are not in it."""
        return self.parts.left_out


def chosen(design: SiteDesign, planes: tuple[str, ...], limit: tuple[str, ...]) -> Selection:
    """The switches of an export, with what planes own: base configuration is the lab's own."""
    every = [each for each in design.network.planes if each != BASE]
    every += [BOUNDARY] * (design.network.edge is not None)
    return select(design, planes or every, limit)


def containerlab(selection: Selection, folder: Path, options: Options, *, overwrite: bool = False) -> Exported:
    """Write the topology, configurations, port names, device list and what is left out.

    Raises DesignError, RefusedError for files in the way, LocalError where nothing can be written.
    """
    has = _parts(selection)

    def wanted(name: str) -> ConfigTree:
        return selection[name].tree

    made = Topology(selection.design.site.name, has, options, wanted)
    return Exported(_write(selection, folder, made.files(), MARK_CONTAINERLAB, overwrite=overwrite), has)


def frr(selection: Selection, folder: Path, options: Options, *, overwrite: bool = False) -> Exported:
    """Write the topology with FRR for switches, as the site's lab, which must be up, has them now.

    Raises LabError where no lab is up or FRR cannot be a switch; the other errors as above.
    """
    return _routed(FrrTopology, MARK_FRR, selection, folder, options, overwrite=overwrite)


def sonic(selection: Selection, folder: Path, options: Options, *, overwrite: bool = False) -> Exported:
    """Write the topology with SONiC-VS for switches; all else as above. Raises LabError for more ports than it has."""
    return _routed(SonicTopology, MARK_SONIC, selection, folder, options, overwrite=overwrite)


def _routed(
    topology: type[RoutedTopology],
    mark: str,
    selection: Selection,
    folder: Path,
    options: Options,
    *,
    overwrite: bool,
) -> Exported:
    has, lab = _parts(selection), Lab(selection.design.site.state_directory)

    def startup(name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = lab.ask("frr", device=name, release=RELEASE)
        return found

    made = topology(selection.design.site.name, has, options, startup)
    return Exported(_write(selection, folder, made.files(), mark, overwrite=overwrite), has)


def nvidia_air(selection: Selection, folder: Path, *, overwrite: bool = False) -> Exported:
    """Write the topology and configurations for NVIDIA Air; errors as above, and for switches that Air has not."""
    has, site = _parts(selection), selection.design.site.name
    text = air.topology(site, has)

    def files() -> Iterator[tuple[str, str]]:
        yield f"{site}.air.json", text
        for device in has.switches:
            yield config_file(device), platform(device.os).to_text(selection[device.name].tree)

    return Exported(_write(selection, folder, files(), MARK_AIR, overwrite=overwrite), has)


def _parts(selection: Selection) -> Parts:
    return parts(selection.design.network, selection.devices.values())


def _write(
    selection: Selection, folder: Path, files: Iterator[tuple[str, str]], mark: str, *, overwrite: bool
) -> Written:
    whole = not selection.limit
    return write_artifacts(
        folder, files, lambda _: None, selection.design.site.name + mark, is_whole=whole, overwrite=overwrite
    )
