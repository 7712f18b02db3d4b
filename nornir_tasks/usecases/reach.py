"""How switches are reached, and what the operator lets a push do there; shared by the use cases that talk to them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from nornir_tasks.deploy.evidence import Evidence
from nornir_tasks.deploy.fleet import DEFAULT_WORKERS, Fleet, Results, T, Target
from nornir_tasks.deploy.identity import Declared, Doubts
from nornir_tasks.deploy.journal import JOURNAL, Journal
from nornir_tasks.deploy.plan_one_switch import CONFIRM_WITHIN_S, Rules
from nornir_tasks.deploy.planned import Planned
from nornir_tasks.deploy.tasks import Job
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.capacity.management_paths import distances
from nornir_tasks.design.model.network import Device
from nornir_tasks.drivers.session import Login
from nornir_tasks.drivers.vault import NO_SECRETS, Vault
from nornir_tasks.errors import DeviceError, GpufabricError, LabError, Problem, RefusedError
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.lab.manager import Lab
from nornir_tasks.platforms.config_tree import Path
from nornir_tasks.usecases.progress import On, Unidentified, Work, following
from nornir_tasks.usecases.site import Selection, SiteDesign

MOST_NAMED = 8
"""Switches named where many have the same problem."""


Adopted = Mapping[str, tuple[Path, ...]]


@dataclass(frozen=True, slots=True)
class Reach:
    """What the operator allows."""

    allow_management: frozenset[str] = frozenset()
    """Switches whose change may touch accounts, management path or API."""
    accept_release: bool = False
    """Take a switch that runs another release than declared for what it runs."""
    unguarded: bool = False
    """Commit also to a switch without a commit timer."""
    workers: int = DEFAULT_WORKERS
    """Switches worked on at the same time."""
    hosts_reorder: bool = False
    """Hosts' NICs accept reordered packets, so switches may begin to balance packet by packet."""
    adopt: Adopted = field(default_factory=dict)
    """Switch -> objects of others, by their lines, that a push takes over."""
    message: str = ""
    """Why a push or rollback is made."""
    ticket: str = ""
    """Its number in the site's system for changes."""


@dataclass(frozen=True, slots=True)
class Access:
    """One use case's way to the switches of a site."""

    reach: Reach
    on: On
    vault: Vault = NO_SECRETS
    """The secrets that the site names."""
    doubts: Doubts = field(default_factory=Doubts)
    planned: Planned | None = None
    """The plan that a push carries out; None: what it shows."""
    keeps_read: bool = False
    """A plan is made that is pushed later."""
    heard: dict[str, dict[str, str]] = field(default_factory=dict)
    """Switch -> who is heard at its ports without a cable: what was planned with it is carried out with it."""

    @contextmanager
    def fleet(self, design: SiteDesign, wanted: Mapping[str, Wanted]) -> Iterator[Fleet]:
        """Switches of a site, connected on first use and closed at the end. Raises LabError where its lab has ended.

        What each should hold is looked up in ``wanted`` when its turn comes.
        """
        _check_lab(design)
        devices, carrying = {device.name: device for device in design.network.devices}, distances(design.network)
        known = endpoints(design.site, {name: devices[name].os for name in wanted})
        names = frozenset(devices)
        _refuse_unknown(self.reach.adopt, wanted)
        evidence = evidence_of(design, self.reach.adopt)
        targets = {
            name: Target(
                Job(
                    declared(devices[name]),
                    partial(wanted.__getitem__, name),
                    Rules(
                        allow_management=name in self.reach.allow_management,
                        first_push=known[name].endpoint.once is not None,
                        is_pinned=known[name].endpoint.fingerprint is not None,
                        unguarded=self.reach.unguarded,
                        serial=known[name].serial,
                        names=names,
                        evidence=replace(
                            evidence(name),
                            once=_name(known[name].endpoint.once),
                            heard=self.heard.setdefault(name, {}),
                        ),
                        planned=None if self.planned is None else self.planned.switches.get(name),
                        keeps_read=self.keeps_read,
                        doubts=self.doubts,
                        # a way that other switches are reached by may take its time to come back
                        confirm_within_s=CONFIRM_WITHIN_S * (2 if name in carrying else 1),
                    ),
                    partial(wanted.drained, name) if isinstance(wanted, Selection) else None,
                ),
                known[name].endpoint,
                self.vault,
            )
            for name in wanted
        }
        made = Fleet(targets, self.reach.workers)
        try:
            yield made
        finally:
            made.close()

    def read(self, work: Work, total: int, verb: Callable[[Callable[[str], None]], Results[T]]) -> Results[T]:
        """Run a verb of the fleet on every switch; then say which of them are known by address alone."""
        with following(self.on, work, total) as step:
            results = verb(step)
        if news := self.doubts.news():
            known = tuple(each for _, each in sorted(self.doubts.by_device.items()))
            self.on(Unidentified(tuple(news), known, total))
        return results

    def accepted(self, selection: Selection) -> dict[str, str]:
        """Switch -> release that runs, if the operator takes whatever runs; else nothing is asked."""
        if not self.reach.accept_release:
            return {}
        with self.fleet(selection.design, selection) as switches:
            answers = require_all(self.read(Work.ASK, len(selection), switches.ask))
        return {name: facts.release for name, facts in answers.items()}


def evidence_of(design: SiteDesign, adopted: Adopted = MappingProxyType({})) -> Callable[[str], Evidence]:
    """Switch -> what is shown to be ours there, by the site's journal; nothing where there is no journal yet."""
    path = design.site.record_directory / JOURNAL
    journal = Journal(path) if path.exists() else None
    if journal is not None:
        journal.require_site(design.site.intent.site)
    last = journal.last_claims() if journal is not None else {}

    def of_switch(name: str) -> Evidence:
        look_up = partial(journal.standing, name) if journal is not None else tuple
        return Evidence(look_up, tuple(adopted.get(name, ())), last.get(name, ""))

    return of_switch


def _name(once: Login | None) -> str:
    return "" if once is None else once.username


def _refuse_unknown(adopted: Adopted, chosen: Mapping[str, Wanted]) -> None:
    if unknown := sorted(adopted.keys() - chosen.keys()):
        raise RefusedError(
            Problem(
                where=f"--adopt {name}:{' / '.join(adopted[name][0])}",
                what="this switch is not part of the push",
                expected="SWITCH:OBJECT with a switch of the site that --plane and --limit choose",
                found=name,
            )
            for name in unknown
        )


def declared(device: Device) -> Declared:
    """What the design says of one switch, whatever it should hold."""
    return Declared(device.name, device.os, device.release, device.capabilities)


def _check_lab(design: SiteDesign) -> None:
    """A lab that has ended is said once, and not by each switch that does not answer any more."""
    if design.site.intent.management.source != "lab":
        return
    lab, name = Lab(design.site.state_directory), design.site.name
    if lab.directory.exists() and not lab.is_up():
        what = "the lab of this site has ended: its process is gone, and with it what was pushed to its switches"
        raise LabError(Problem(name, what, hint="nornir lab up, then nornir push"))


def require_all(results: Results[T]) -> dict[str, T]:
    """The values; raises with every problem of every switch if one failed."""
    if results.errors:
        raise worst(results.errors)
    return results.values


def worst(errors: Mapping[str, GpufabricError]) -> GpufabricError:
    """One error for those of several switches, of their kind if they are of one."""
    problems = together(problem for error in errors.values() for problem in error.problems)
    kinds = {_public(type(error)) for error in errors.values()}
    kind = kinds.pop() if len(kinds) == 1 else DeviceError
    return kind(problems)


def together(problems: Iterable[Problem]) -> list[Problem]:
    """What is the same for several switches is said once, with their names."""
    same: dict[Problem, list[Problem]] = {}
    for problem in problems:
        same.setdefault(replace(problem, where=""), []).append(problem)
    return [replace(found[0], where=_names([each.where for each in found])) for found in same.values()]


def _names(places: list[str]) -> str:
    more = len(places) - MOST_NAMED
    return ", ".join(places[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _public(kind: type[GpufabricError]) -> type[GpufabricError]:
    """The class of errors.py that a driver's own class stands for."""
    return next(each for each in kind.__mro__ if each.__module__ == GpufabricError.__module__)
