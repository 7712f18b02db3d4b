"""What a verb works on: the site, its design, and the switches chosen by --plane and --limit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.catalogue import Catalogue
from nornir_tasks.design.fabric import Device, Fabric
from nornir_tasks.design.pipeline import Realised, design, device_config, device_configs
from nornir_tasks.errors import IdentityError, IntentError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import Site, load_site
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platforms


@dataclass(frozen=True)
class Scope:
    """One site, designed."""

    site: Site
    fabric: Fabric
    catalogue: Catalogue

    @cached_property
    def realised(self) -> dict[str, Realised]:
        """Every switch's configuration as its OS will hold it, by name."""
        return {each.config.name: each for each in device_configs(self.fabric)}

    def with_releases(self, reported: Mapping[str, str]) -> "Scope":
        """The same site as if the intent declared the releases these switches report.

        Raises IdentityError naming every switch whose release nobody has written down the capabilities of.
        """
        problems: list[Problem] = []
        devices = tuple(
            self._running(device, reported[device.name], problems) if device.name in reported else device
            for device in self.fabric.devices
        )
        if problems:
            raise IdentityError(problems)
        return Scope(self.site, replace(self.fabric, devices=devices), self.catalogue)

    def _running(self, device: Device, release: str, problems: list[Problem]) -> Device:
        facts = self.fabric.facts[device.os]
        for candidate in (device.release, release, *facts.releases):
            try:
                held = facts.capabilities(candidate, device.asic)
            except KeyError:
                continue
            if held.runs(release):
                return replace(device, release=candidate, capabilities=held)
        what = f"no capabilities are known of the release that runs, on {device.asic}"
        problems.append(Problem(device.name, what, facts.taken_in_words, release))
        return device

    def port_names(self, device: Device) -> tuple[str, ...]:
        """Every front-panel port of a switch, cabled or not."""
        groups = self.catalogue.switches[device.model].ports
        name = self.fabric.facts[device.os].port_name
        return tuple(name(number, 0, 1, group.lanes) for group in groups for number in group.numbers)

    def wanted(self, planes: Sequence[str] | None, limit: Sequence[str] | None) -> dict[str, Wanted]:
        """What the chosen switches shall hold for the chosen planes."""
        self._check_planes(planes or ())
        return {device.name: self._wanted(self.realised[device.name], planes) for device in self._chosen(limit or ())}

    def one_by_one(
        self, planes: Sequence[str] | None, limit: Sequence[str] | None
    ) -> Iterator[tuple[Realised, Wanted]]:
        """The same, switch by switch, each made when it is asked for: memory stays flat however large the site is."""
        self._check_planes(planes or ())
        for device in self._chosen(limit or ()):
            realised = device_config(self.fabric, device)
            yield realised, self._wanted(realised, planes)

    def count(self, limit: Sequence[str] | None) -> int:
        """How many switches are chosen."""
        return len(self._chosen(limit or ()))

    def _wanted(self, realised: Realised, planes: Sequence[str] | None) -> Wanted:
        return wanted(
            realised.config,
            realised.capabilities,
            realised.claims,
            environment(realised.config.os),
            planes=planes or None,
            allow_memory=frozenset(self.site.intent.allow_memory),
        )

    def _check_planes(self, planes: Sequence[str]) -> None:
        known = sorted(self.fabric.planes)
        unknown = [plane for plane in planes if plane not in known]
        if unknown:
            raise IntentError(
                Problem("--plane", f"no such plane: {', '.join(unknown)}", expected=f"one of {', '.join(known)}")
            )

    def _chosen(self, limit: Sequence[str]) -> tuple[Device, ...]:
        patterns = [pattern for each in limit for pattern in each.split(",")]
        if not patterns:
            return self.fabric.devices
        names = [device.name for device in self.fabric.devices]
        unmatched = [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in names)]
        if unmatched:
            raise IntentError(
                Problem(
                    "--limit",
                    f"matches no switch: {', '.join(unmatched)}",
                    expected=f"names like {', '.join(names[:8])}",
                )
            )
        return tuple(
            device for device in self.fabric.devices if any(fnmatch(device.name, pattern) for pattern in patterns)
        )


def load(site: str) -> Scope:
    """Read and design a site. Every problem of its files is reported at once."""
    loaded = load_site(site)
    facts = {name: each.facts for name, each in platforms().items()}
    catalogue = load_catalogue()
    return Scope(loaded, design(loaded.intent, catalogue, facts), catalogue)
