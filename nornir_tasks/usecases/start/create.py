"""Make a site's folder: from answers, or from a built-in site. All of it is written, or nothing."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from nornir_tasks import __version__
from nornir_tasks.errors import DesignError, GpufabricError, IntentError, Problem
from nornir_tasks.files import starter
from nornir_tasks.files.intent_file import intent_of_text
from nornir_tasks.files.site import INTENT, Site, built_in
from nornir_tasks.lab.machines.plan import FIRST_RAIL_SLOT
from nornir_tasks.usecases.site import SiteDesign, designed, select
from nornir_tasks.usecases.start.answers import Answers, usual_nic
from nornir_tasks.usecases.start.device_rows import rows
from nornir_tasks.usecases.start.fitting import Choice, Wanted, fitted

BOND_PORTS = 2
"""Of a host's bond, as the template has it."""
_CHANGE = "change --hosts, --nics, --speed, --leaf, --spine, --oversubscription or --planes; nothing was written"
_MANAGEMENT = re.compile(r"^management:\n(?:[ #].*\n|\n)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Started:
    """A new site."""

    folder: Path
    files: tuple[str, ...]
    switches: int
    notes: tuple[str, ...] = ()
    """What has to be changed before it is real, beside ``devices.yml``."""


def from_answers(
    folder: Path, answers: Answers, service: str | None, on_fabric: Callable[[str], None] = lambda _: None
) -> Started:
    """A site with the switches and cables that fit best. ``service``: of continuous integration, or none.

    ``on_fabric`` is called with the name of each fabric before its switches are looked for, which takes minutes where
    there are thousands of them.

    Raises IntentError for what there is not, DesignError for what cannot be built, RefusedError for files in the way,
    LocalError where nothing can be written.
    """
    _check_free(folder, answers.site, service)
    chosen: dict[str, Choice] = {}
    offer = starter.offer()
    if all(offer.fabrics[offer.planes[each].fabric].attaches for each in answers.planes):
        what = "no plane that hosts have NIC ports on, so there is nothing to attach"
        found = ",".join(answers.planes)
        raise IntentError(Problem("--planes", what, "one of the others beside it", found, "nornir init --list"))
    fabrics = [name for name in offer.fabrics if any(offer.planes[each].fabric == name for each in answers.planes)]
    for name in fabrics:
        on_fabric(name)
        about = offer.fabrics[name]
        speed_gbps = answers.speed_gbps if about.speed is None else int(about.speed.removesuffix("G"))
        leaf, spine = (each if about.joins else replace(each, model=None) for each in (answers.leaf, answers.spine))
        wanted = Wanted(about, speed_gbps, leaf, spine)
        beside = chosen if about.attaches else {}

        def refusal(
            choice: Choice, hosts: int | None, name: str = name, beside: Mapping[str, Choice] = beside
        ) -> GpufabricError | None:
            return _refusal(answers, {**beside, name: choice}, hosts)

        chosen[name] = _fitted(wanted, refusal)
    text = starter.intent_text(_variables(answers, chosen))
    return _written(folder, answers.site, text, service)


def from_example(folder: Path, example: str, site: str, service: str | None) -> Started:
    """A copy of a built-in site's intent under a new name; all else is as of every new site.

    Nothing but the intent is taken over: what a group of hosts may do to them (reboots) is never another site's.
    """
    known = examples()
    if example not in known:
        raise IntentError(Problem("--from", "no such built-in site", f"one of {', '.join(known)}", example))
    _check_free(folder, site, service)
    text = (built_in()[example] / INTENT).read_text(encoding="utf-8")
    text = re.sub(rf"^site: {re.escape(example)}$", f"site: {site}", text, flags=re.MULTILINE)
    text = re.sub(rf"--site {re.escape(example)}\b", f"--site {site}", text)
    text = _MANAGEMENT.sub(lambda _: starter.management_text(), text)
    return _written(folder, site, text, service)


def examples() -> dict[str, str]:
    """Built-in site -> the first line of its intent, which says what it is."""
    first = {
        name: (folder / INTENT).read_text(encoding="utf-8").partition("\n")[0] for name, folder in built_in().items()
    }
    return {name: line.removeprefix("# ") for name, line in first.items()}


def _check_free(folder: Path, site: str, service: str | None) -> None:
    starter.check_free(folder, {INTENT: "", **_beside(site, (), service, boundary=False)})


def _beside(site: str, listed: tuple[str, ...], service: str | None, *, boundary: bool) -> dict[str, str]:
    """All files but the intent."""
    lines = starter.offer().in_the_lab
    if boundary:  # its rules are listed by nft, which a runner need not have
        lines = tuple(f"{each} --without boundary" if " prove " in each else each for each in lines)
    return starter.texts(service, {"site": site, "version": __version__, "devices": listed, "in_the_lab": lines})


def _written(folder: Path, site: str, intent: str, service: str | None) -> Started:
    design = _designed(intent)
    boundary = design.site.intent.boundary
    files = {INTENT: intent, **_beside(site, rows(design), service, boundary=boundary is not None)}
    starter.write_new(folder, files)
    notes = []
    if boundary is not None and (boundary.exempt.asns or boundary.exempt.prefixes):
        notes.append("its boundary has a laboratory's addresses and AS numbers; take boundary.exempt out of fabric.yml,"
                     " and nornir design names each that is to be exchanged")  # fmt: skip
    return Started(folder, tuple(files), len(design.network.devices), tuple(notes))


def _fitted(wanted: Wanted, refusal: Any) -> Choice:  # noqa: ANN401 - as fitted takes it
    try:
        return fitted(wanted, refusal)
    except DesignError as error:
        raise DesignError([_as_typed(each) for each in error.problems]) from error
    except IntentError as error:
        raise IntentError([_as_typed(each) for each in error.problems]) from error


def _as_typed(problem: Problem) -> Problem:
    """Of an intent that is in no file: without its file, and with what the command line has in its place."""
    if not problem.where.startswith("--"):
        problem = replace(problem, where="the design", hint="; ".join(filter(None, (problem.hint, _CHANGE))))
    return problem


def _refusal(answers: Answers, chosen: Mapping[str, Choice], hosts: int | None) -> GpufabricError | None:
    """Why a site of these fabrics alone cannot be designed."""
    least = answers if hosts is None else replace(answers, hosts=min(hosts, answers.hosts), most=None)
    try:
        _designed(starter.intent_text(_variables(least, chosen)))
    except (DesignError, IntentError) as error:
        return error
    return None


@lru_cache(maxsize=1)  # the last one that is tried is the one that is taken
def _designed(text: str) -> SiteDesign:
    """Nothing is written for it: a disk may be full, and most of what is tried is not taken."""
    intent = intent_of_text(text, INTENT)
    design = designed(Site(intent.site, Path(), intent, None))
    select(design)
    return design


def _variables(answers: Answers, chosen: Mapping[str, Choice]) -> dict[str, Any]:
    """What the template of an intent takes; of planes those whose fabrics are chosen."""
    planes = starter.offer().planes
    return {
        "site": answers.site,
        "planes": [name for name in planes if name in answers.planes and planes[name].fabric in chosen],
        "fabrics": {name: _for_template(each) for name, each in chosen.items()},
        "hosts": answers.hosts,
        "most": answers.hosts if answers.most is None else answers.most,
        "nics": answers.nics,
        "speed": f"{answers.speed_gbps}G",
        "nic": answers.nic or usual_nic(answers.speed_gbps),
        "places": _places(answers.nics),
        "bond_places": _places(BOND_PORTS, answers.nics),
        "oversubscription": answers.oversubscription,
    }


def _places(count: int, after: int = 0) -> str:
    """PCI addresses of so many NIC ports, as the lab's machines have them; no server has its NICs there."""
    return "[" + ", ".join(f'"0000:00:{FIRST_RAIL_SLOT + after + each:02x}.0"' for each in range(count)) + "]"


def _for_template(choice: Choice) -> dict[str, Any]:
    tiers = {"leaf": choice.leaf, "spine": choice.spine, "core": choice.core}
    as_text = {
        name: {
            "os": tier.os,
            "release": tier.release,
            "model": tier.model.model,
            "down": tier.down,
            "up": tier.up,
            "medium": tier.medium,
            "cable_m": tier.cable_m,
        }
        for name, tier in tiers.items()
    }
    return {"design": choice.design, "speed": choice.speed, **as_text}
