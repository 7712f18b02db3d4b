"""What a verb works on: the site, its design, and the switches chosen by --plane and --limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design.catalogue import Catalogue
from nornir_tasks.design.fabric import Device, Fabric
from nornir_tasks.design.pipeline import Realised, design, device_configs
from nornir_tasks.errors import IntentError, Problem
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

    def port_names(self, device: Device) -> tuple[str, ...]:
        """Every front-panel port of a switch, cabled or not."""
        groups = self.catalogue.switches[device.model].ports
        numbers = (number for group in groups for number in range(group.first, group.first + group.count))
        return tuple(self.fabric.facts[device.os].port_name(number) for number in numbers)

    def wanted(self, planes: Sequence[str] | None, limit: Sequence[str] | None) -> dict[str, Wanted]:
        """What the chosen switches shall hold for the chosen planes."""
        self._check_planes(planes or ())
        return {
            name: wanted(
                each.config,
                each.capabilities,
                each.claims,
                environment(each.config.os),
                planes=planes or None,
                allow_memory=frozenset(self.site.intent.allow_memory),
            )
            for name, each in self._chosen(limit or ()).items()
        }

    def _check_planes(self, planes: Sequence[str]) -> None:
        known = sorted(self.fabric.planes)
        unknown = [plane for plane in planes if plane not in known]
        if unknown:
            raise IntentError(
                Problem("--plane", f"no such plane: {', '.join(unknown)}", expected=f"one of {', '.join(known)}")
            )

    def _chosen(self, limit: Sequence[str]) -> dict[str, Realised]:
        patterns = [pattern for each in limit for pattern in each.split(",")]
        if not patterns:
            return self.realised
        unmatched = [each for each in patterns if not any(fnmatch(name, each) for name in self.realised)]
        if unmatched:
            names = ", ".join(list(self.realised)[:8])
            raise IntentError(
                Problem("--limit", f"matches no switch: {', '.join(unmatched)}", expected=f"names like {names}")
            )
        return {
            name: each for name, each in self.realised.items() if any(fnmatch(name, pattern) for pattern in patterns)
        }


def load(site: str) -> Scope:
    """Read and design a site. Every problem of its files is reported at once."""
    loaded = load_site(site)
    facts = {name: each.facts for name, each in platforms().items()}
    catalogue = load_catalogue()
    return Scope(loaded, design(loaded.intent, catalogue, facts), catalogue)
