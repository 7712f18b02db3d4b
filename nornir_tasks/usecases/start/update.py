"""Bring ``devices.yml`` up to a design that has grown. What is there stays; what the design no longer has is named."""

from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.files import starter
from nornir_tasks.files.devices_file import NAME
from nornir_tasks.files.grown_devices import add_entries
from nornir_tasks.usecases.site import load
from nornir_tasks.usecases.start.device_rows import rows


@dataclass(frozen=True, slots=True)
class Updated:
    """What a second look at a site did."""

    folder: Path
    added: tuple[str, ...]
    """Switches that are listed now, to be written about."""
    gone: tuple[str, ...]
    """Switches that are listed, and that the design has not."""


def updated(site: str | Path) -> Updated:
    """Add what is missing. Raises what loading the site raises, and LocalError where nothing can be written."""
    design = load(site)
    file, listed = design.site.directory / NAME, design.site.devices
    names = [] if listed is None else listed.names()
    new = rows(design, names)
    if listed is None:
        starter.write_new(file.parent, {NAME: starter.device_list_text({"site": design.site.name, "devices": new})})
    elif new:
        add_entries(file, new)
    there = {each.name for each in design.network.devices}
    added = tuple(each.partition(":")[0] for each in new)
    return Updated(design.site.directory, added, tuple(each for each in names if each not in there))
