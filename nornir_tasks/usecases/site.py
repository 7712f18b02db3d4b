"""Load a site, and choose what of it to work on: planes and switches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from nornir_tasks.deploy.wanted import Wanted, wanted
from nornir_tasks.design import pipeline
from nornir_tasks.design.capacity.ecn_alike import marking_as
from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.claims import BASE, Claims
from nornir_tasks.design.model.drain import Drain
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.realise import storm_rules
from nornir_tasks.design.realise.configuration import Realised
from nornir_tasks.errors import DesignError, IdentityError, IntentError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.site import Site, load_site
from nornir_tasks.files.templates import environment
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.inventory.endpoints import push_account
from nornir_tasks.platforms import platforms


@dataclass(frozen=True)
class SiteDesign:
    """One site, designed."""

    site: Site
    network: Network
    catalogue: Catalogue

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What was asked of each fabric, as the design's steps take it."""
        return pipeline.every_demand(self.site.intent, self.catalogue, self.network.facts)

    def owners_noted(self, owners: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """Those of a push of these switches, as the journal has them.

        No plane rides on edge routers, so a rollback finds these under a name of their own.
        """
        edge = self.network.edge
        there = edge is not None and any(self.network.device(name).fabric == edge.fabric for name in owners)
        return frozenset({BOUNDARY} if there else ()).union(*owners.values())

    def realised(self) -> Iterator[Realised]:
        """Every switch's configuration as its OS will hold it, each made when it is asked for."""
        return (pipeline.device_config(self.network, device) for device in self.network.devices)

    def with_releases(self, reported: Mapping[str, str]) -> "SiteDesign":
        """The same site as if the intent declared the releases these switches report.

        Raises IdentityError naming every switch whose release's capabilities are not written down.
        """
        problems: list[Problem] = []
        devices = tuple(
            self._running(device, reported[device.name], problems) if device.name in reported else device
            for device in self.network.devices
        )
        if problems:
            raise IdentityError(problems)
        return SiteDesign(self.site, replace(self.network, devices=devices), self.catalogue)

    def _running(self, device: Device, release: str, problems: list[Problem]) -> Device:
        facts = self.network.facts[device.os]
        for candidate in (device.release, release, *facts.releases):
            try:
                capabilities = facts.capabilities(candidate, device.asic)
            except KeyError:
                continue
            if capabilities.runs(release):
                return replace(device, release=candidate, capabilities=marking_as(capabilities, device.capabilities))
        what = f"no capabilities are known of the release that runs, on {device.asic}"
        problems.append(Problem(device.name, what, facts.taken_in_words, release))
        return device


BOUNDARY = "boundary"
"""What edge routers are called where planes are chosen: no plane rides on them, and all of them is the boundary's."""


@dataclass(frozen=True, eq=False)
class Selection(Mapping[str, Wanted]):
    """The switches chosen, in the order of declared identity, each with what it should hold for the chosen planes.

    That is made again whenever it is asked for and not kept: ``for name in selection: selection[name]`` needs the
    memory of one switch, ``dict(selection)`` that of all.
    """

    design: SiteDesign
    planes: tuple[str, ...]
    """Empty: all of the site."""
    limit: tuple[str, ...]
    """Names and patterns as they were given; empty: every switch."""
    devices: Mapping[str, Device]

    def __getitem__(self, name: str) -> Wanted:
        return self.wanted(self.realised(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.devices)

    def __len__(self) -> int:
        return len(self.devices)

    def realised(self, name: str, drain: Drain | None = None) -> Realised:
        """One switch's whole configuration, and what had to be adjusted for its OS."""
        return pipeline.device_config(self.design.network, self.devices[name], drained=drain or False)

    def drained(self, name: str, drain: Drain) -> Wanted:
        """What a switch that is drained should hold."""
        return replace(self.wanted(self.realised(name, drain)), drain=drain)

    def wanted(self, realised: Realised) -> Wanted:
        """What of that the chosen planes own. Raises RefusedError for a line that may not be rendered."""
        return wanted(
            realised.config,
            realised.capabilities,
            keeping_own_account(self.design.site, realised),
            environment(realised.config.os),
            planes=self.planes or None,
            allow_memory=frozenset(self.design.site.intent.allow_memory),
        )

    def with_releases(self, reported: Mapping[str, str]) -> "Selection":
        """The same choice of the site as if the intent declared these releases; see SiteDesign."""
        return select(self.design.with_releases(reported), self.planes, self.limit) if reported else self


def keeping_own_account(site: Site, realised: Realised) -> Claims:
    """The claims on a switch, without the account that pushes: it stays as it is, unless the intent declares it."""
    claims = realised.claims
    if "accounts" not in claims.base:
        return claims
    declared = {each.name for each in realised.config.base.accounts}
    return replace(claims, kept_accounts=claims.kept_accounts | (push_account(site) - declared))


def load(site: str | Path) -> SiteDesign:
    """Read and design a site. Raises IntentError or DesignError with every problem of its files at once."""
    return designed(load_site(site))


def designed(loaded: Site) -> SiteDesign:
    """Design a site that is read. Raises IntentError or DesignError."""
    facts = {name: each.facts for name, each in platforms().items()}
    catalogue = load_catalogue()
    return SiteDesign(loaded, pipeline.design(loaded.intent, catalogue, facts), catalogue)


def select(design: SiteDesign, planes: Sequence[str] = (), limit: Sequence[str] = ()) -> Selection:
    """The switches that ``limit`` names ("leaf-1", "leaf-*", "leaf-*,spine-*"), for these planes; empty means all.

    Switches of fabrics that none of the planes rides on are left out. Raises IntentError for a plane that the site has
    not, for a name or pattern that no switch has, and where nothing is left.
    """
    _check_planes(design, planes)
    devices, named = _chosen(design, limit), ", ".join(planes)
    network = design.network
    fabrics = {network.planes[plane].fabric for plane in planes if plane in network.planes}
    fabrics |= {network.edge.fabric} if network.edge is not None and BOUNDARY in planes else set()
    fabrics |= design.network.base.keys() if BASE in planes else set()
    if planes:
        devices = {name: device for name, device in devices.items() if device.fabric in fabrics}
    if planes and not devices:
        raise IntentError(Problem("--limit", f"names no switch that has anything of {named}"))
    _check_hosts(design, devices.values())
    return Selection(design, tuple(planes), tuple(limit), devices)


def _check_hosts(design: SiteDesign, devices: Iterable[Device]) -> None:
    """Raise DesignError for all that hosts' ports and VLANs need of these switches and would not get.

    That is a gateway on a switch whose OS has none for them; and refused once for all switches of a release, a relay to
    a DHCP server of a family of which it has none, and a limit of storm control that it has not.
    """
    problems, refused = [], set[Finding]()
    for device in devices:
        known = device.capabilities
        bonded = [name for name in design.network.planes if design.network.segments_at(device.name, name)]
        if bonded and not known.has_gateways:
            what = f"hosts of {', '.join(bonded)} would have no gateway here: {known.gateway_gap}"
            hint = "give these hosts leaves of another system (leaf.overrides), or name the other switches with --limit"
            expected = "a system with redundant gateways"
            problems.append(Problem(device.name, what, expected, f"{known.os} {known.release}", hint))
        refused.update(each for name in bonded for each in _not_relayed(design, name, known))
        refused.update(_not_limited(design, device))
    problems += design.site.intent.marks.problems(sorted(refused, key=lambda each: (each.path, each.what)))
    if problems:
        raise DesignError(problems)


def _not_relayed(design: SiteDesign, plane: str, known: Capabilities) -> Iterator[Finding]:
    """The DHCP servers of a plane that switches of this OS and release cannot relay to."""
    has_ipv6 = any(each.subnet_v6 is not None for each in design.network.segments if each.plane == plane)
    for number, server in enumerate(design.site.intent.planes[plane].dhcp_relay):
        family: Family = "ipv6" if server.version == 6 else "ipv4"
        if family in known.dhcp_relay or (family == "ipv6" and not has_ipv6):
            continue
        what = f"switches with {known.os} {known.release} cannot relay to it: {known.dhcp_relay_gap}"
        hint = "have a host of each VLAN relay, or give its hosts leaves of another system or release (leaf.overrides)"
        path = ("planes", plane, "dhcp_relay", number)
        yield Finding(path, what, f"no server of IPv{server.version}", str(server), hint)


def _not_limited(design: SiteDesign, device: Device) -> Iterator[Finding]:
    """The limits of storm control that this switch does not take, of planes with ports of hosts on it."""
    circuits = design.network.circuits_of(device.name)
    switched = {each.owner for each in circuits if each.use.segment is not None and each.use.tag is None}
    for plane in sorted(switched & design.network.planes.keys()):
        storm = design.network.planes[plane].storm
        for gap in storm_rules.gaps(storm, device.capabilities) if storm is not None else ():
            path = ("planes", plane, "storm_control", gap.field)
            yield Finding(path, gap.what, gap.expected, str(gap.wanted_pps), storm_rules.HINT)


def _check_planes(design: SiteDesign, planes: Sequence[str]) -> None:
    known = sorted(design.network.planes) + [BASE] * bool(design.network.base)
    known += [BOUNDARY] * (design.network.edge is not None)
    unknown = [plane for plane in planes if plane not in known]
    if unknown:
        what, expected = f"no such plane: {', '.join(unknown)}", f"one of {', '.join(known)}"
        no_edge = (
            "the site has no edge routers (boundary.edge in fabric.yml); hosts of the boundary: playbooks/boundary.yml"
        )
        hint = no_edge if BOUNDARY in unknown else ""
        raise IntentError(Problem("--plane", what, expected=expected, hint=hint))


def _chosen(design: SiteDesign, limit: Sequence[str]) -> Mapping[str, Device]:
    patterns = [pattern for each in limit for pattern in each.split(",")]
    devices = {device.name: device for device in design.network.devices}
    unmatched = [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in devices)]
    if unmatched:
        names = ", ".join(list(devices)[:8])
        raise IntentError(
            Problem("--limit", f"matches no switch: {', '.join(unmatched)}", expected=f"names like {names}")
        )
    if not patterns:
        return devices
    return {name: device for name, device in devices.items() if any(fnmatch(name, pattern) for pattern in patterns)}
