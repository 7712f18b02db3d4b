"""The entries of ``devices.yml`` for switches of a design that are not listed yet."""

from collections.abc import Collection

from nornir_tasks.files.devices_file import UNWRITTEN
from nornir_tasks.usecases.site import SiteDesign


def rows(design: SiteDesign, listed: Collection[str] = ()) -> tuple[str, ...]:
    """One line for each, in the order of the design, with what it is."""
    new = [each for each in design.network.devices if each.name not in listed]
    entry = f'{{address: "{UNWRITTEN}", serial: "{UNWRITTEN}"}}'
    return tuple(f"{each.name}: {entry}   # {each.model}, {each.os} {each.release}" for each in new)
