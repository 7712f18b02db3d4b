"""What role nic_firmware wrote to NICs because the intent's profile has it, so that a later run can take it back.

One file on the host: PCI function -> setting (without its port) -> what was found before the role's first write, what
the role wrote, and for which variable. It is written before the NIC is, so that a run that breaks off loses nothing.
What another tool set since is its own: it is no longer what the role wrote. Standard library only, Python 3.9.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.nic_settings import Want
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_firmware import Setting
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_host import Host
except ImportError:  # in a test
    from nic_settings import Want
    from roce_firmware import Setting
    from roce_host import Host

FILE = "/var/lib/gpufabric/nic_firmware.json"
OF_THE_PROFILE = tuple(f"nic_firmware_{name}" for name in ("policy", "reorder", "spectrum_x"))
"""Variables that are on or off. The others say ``keep`` when they ask for nothing, and what they wrote is kept."""


class RecordError(Exception):
    """The file is not what the role wrote."""


@dataclass(frozen=True)
class Written:
    """One setting that the role wrote: its value before that, the role's value, and the variable that asked for it."""

    found: int
    wrote: int
    by: str

    def is_back(self, setting: Setting) -> bool:
        """Is the setting as it was found, now and at the next start?"""
        return setting.current == setting.next_boot == self.found

    def is_ours(self, setting: Setting) -> bool:
        """Is it as the role wrote it, or as the role put it back? Otherwise another tool set it since."""
        return setting.next_boot in (self.wrote, self.found)


class Record:
    """The file of one host. Raises RecordError if it cannot be read."""

    def __init__(self, host: Host) -> None:
        self.path = host.at(FILE)
        self.nics = self._read()

    def _read(self) -> dict[str, dict[str, Written]]:
        try:
            given = json.loads(self.path.read_text(encoding="utf-8"))
            return {
                pci: {
                    name: Written(int(each["found"]), int(each["wrote"]), str(each["by"])) for name, each in own.items()
                }
                for pci, own in given.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise RecordError(f"{type(error).__name__}: {error}") from error

    def of(self, pci: str) -> dict[str, Written]:
        return self.nics.get(pci, {})

    def to_take_back(self, pci: str, wants: tuple[Want, ...]) -> tuple[Want, ...]:
        """What no variable asks for any more, with the value that was found."""
        owned = {want.name for want in wants}
        left = {name: each for name, each in self.of(pci).items() if name not in owned}
        return tuple(Want(name, each.found, each.by, taken_back=True) for name, each in left.items())

    def keep(self, pci: str, own: Mapping[str, Written]) -> None:
        """From now on this is what the role wrote to the NIC; the file goes with its last entry."""
        if own == self.of(pci):
            return
        self.nics = {name: each for name, each in {**self.nics, pci: dict(own)}.items() if each}
        if not self.nics:
            self.path.unlink()
            return
        shown = {name: {setting: asdict(one) for setting, one in each.items()} for name, each in self.nics.items()}
        self.path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            file.write(json.dumps(shown, indent=1, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)


def after_writing(
    own: Mapping[str, Written], wants: tuple[Want, ...], settings: Mapping[str, Setting]
) -> dict[str, Written]:
    """The entries of a NIC once all that is wanted is written; ``settings`` are those before it, without a port."""
    found: dict[str, Written] = {}
    for want in wants:
        setting, old = settings.get(want.name), own.get(want.name)
        if setting is None:
            continue
        if want.taken_back:
            if old is not None and old.is_ours(setting) and not old.is_back(setting):
                found[want.name] = old
        elif want.variable in OF_THE_PROFILE:
            new = _entry(old, want, setting)
            if new is not None:
                found[want.name] = new
    return found


def _entry(old: Written | None, want: Want, setting: Setting) -> Written | None:
    """The entry of a setting that is asked for; None where it is as the host came, or as another tool has set it."""
    ours = old if old is not None and setting.next_boot == old.wrote else None
    origin = ours.found if ours else setting.next_boot
    if origin == want.value:
        return None
    return Written(origin, want.value, want.variable)
