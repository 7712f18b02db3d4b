"""What the operator who begins a site says of it, judged before anything is designed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from nornir_tasks.design.model.catalogue import NicModel, SwitchModel
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files import starter
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.model_errors import pattern_in_words
from nornir_tasks.platforms import platforms

NAME = r"^[a-z][a-z0-9_-]{0,31}$"
"""Of a site, as the intent has it."""
LIST = "nornir init --list names them all"


@dataclass(frozen=True, slots=True)
class Model:
    """A switch model and an OS that runs on it; either may be left open."""

    os: str | None = None
    model: str | None = None

    def fits(self, os: str, model: SwitchModel) -> bool:
        """Is this one of those meant? Reference models are no products, and are meant only by their name."""
        is_this = self.model == model.model if self.model else bool(model.asic)
        return is_this and self.os in (None, os)


@dataclass(frozen=True, slots=True)
class Answers:
    """A new site, as the operator wants it."""

    site: str
    planes: tuple[str, ...]
    hosts: int = 4
    most: int | None = None
    """Hosts that it is laid out for; None: as many as there are."""
    nics: int = 8
    """On the plane that joins GPUs."""
    speed_gbps: int = 400
    leaf: Model = Model()
    """Of the fabric that joins GPUs; of the others, the OS."""
    spine: Model = Model()
    """The same of its spines."""
    nic: str | None = None
    oversubscription: str = "1"

    def __post_init__(self) -> None:
        """Raises IntentError with everything that no site can be."""
        if problems := list(self._problems()):
            raise IntentError(problems)

    def _problems(self) -> Iterable[Problem]:
        if self.most is not None and self.most < self.hosts:
            yield Problem("--max", "fewer hosts than there are", f"{self.hosts} or more", str(self.most))
        if re.fullmatch(NAME, self.site) is None:
            yield Problem("--name", "not a name", pattern_in_words(NAME), self.site)
        catalogue = load_catalogue()
        for option, each in (("--leaf", self.leaf), ("--spine", self.spine)):
            yield from _of_model(option, each, catalogue.switches)
        if self.nic is not None:
            yield from _of_nic(self.nic, self.speed_gbps, catalogue.nics)


def model_of(option: str, text: str) -> Model:
    """``OS:MODEL``, an OS or a model. Raises IntentError for any other word, naming what is like it."""
    os, _, model = text.rpartition(":")
    if not os and text in platforms():
        return Model(text)
    found = Model(os or None, model)
    if problems := list(_of_model(option, found, load_catalogue().switches)):
        raise IntentError(problems)
    return found


def gbps_of(text: str) -> int:
    """``400G`` as a number. Raises IntentError."""
    digits = text.strip().upper().removesuffix("G")
    if not digits.isdecimal() or not 1 <= int(digits) <= 10_000:
        raise IntentError(Problem("--speed", "not a speed", "Gbit/s, as 400G", text))
    return int(digits)


def planes_of(text: str) -> tuple[str, ...]:
    """Names with commas between. Raises IntentError for one that there is not, and if there is none."""
    known, names = starter.offer().planes, tuple(filter(None, map(str.strip, text.split(","))))
    hint = "one or more of these, with commas between"
    problems = [_unknown("--planes", "plane", name, known, hint) for name in names if name not in known]
    if not names:
        problems = [Problem("--planes", "no plane", f"one of {', '.join(known)}", hint=hint)]
    if problems:
        raise IntentError(problems)
    return names


def known_nics() -> dict[str, str]:
    """NIC model -> what its cage can be."""
    return {name: " ".join(map(str, each.modes)) for name, each in load_catalogue().nics.items()}


def nics_at(speed_gbps: int) -> tuple[str, ...]:
    """The NIC models that have ports of this speed."""
    return tuple(name for name, each in load_catalogue().nics.items() if speed_gbps in each.speeds_gbps)


def usual_nic(speed_gbps: int) -> str | None:
    """A NIC that the roles for hosts know, made for this speed; None where there is none."""
    nics = load_catalogue().nics
    known = [nics[name] for name in nics_at(speed_gbps) if nics[name].rdma_provider is not None]
    slowest = min((_fastest(each) for each in known), default=0)
    return max((each.model for each in known if _fastest(each) == slowest), default=None)


def _fastest(nic: NicModel) -> int:
    return max(mode.ways * mode.speed_gbps for mode in nic.modes)


def site_name(folder_name: str) -> str:
    """What a site in a folder of this name is called where the operator does not say otherwise."""
    kept = "".join(each if each.isascii() and (each.isalnum() or each == "-") else "-" for each in folder_name.lower())
    return kept.lstrip("0123456789-")[:32].rstrip("-") or "site"


def _of_model(option: str, meant: Model, known: Mapping[str, SwitchModel]) -> Iterable[Problem]:
    systems = platforms()
    if meant.os is not None and meant.os not in systems:
        yield _unknown(option, "switch OS", meant.os, systems, "OS:MODEL, an OS, or a model")
    elif meant.model is not None and meant.model not in known:
        of_os = [name for name, each in known.items() if meant.os in (None, *each.os)]
        yield _unknown(option, "switch model", meant.model, of_os, LIST)
    elif meant.model is not None and meant.os is not None and meant.os not in known[meant.model].os:
        what = f"{meant.model} does not run {meant.os}"
        yield Problem(option, what, f"{' or '.join(known[meant.model].os)}", meant.os, LIST)


def _of_nic(nic: str, speed_gbps: int, known: Mapping[str, NicModel]) -> Iterable[Problem]:
    at_speed = nics_at(speed_gbps)
    if nic not in known:
        yield _unknown("--nic", "NIC model", nic, known, LIST)
    elif nic not in at_speed:
        others = ", ".join(f"{each}G" for each in known[nic].speeds_gbps)
        hint = f"with ports of this speed: {', '.join(at_speed)}" if at_speed else "without --nic none is written"
        yield Problem("--nic", f"{nic} has no port of {speed_gbps}G", f"--speed of {others}", hint=hint)


def _unknown(option: str, what: str, found: str, known: Iterable[str], hint: str) -> Problem:
    names = list(known)
    by_letters = {name.lower(): name for name in names}
    near = [by_letters[each] for each in get_close_matches(found.lower(), by_letters, n=3, cutoff=0.5)]
    return Problem(option, f"no such {what}", f"one of {', '.join(near or names)}", found, hint)
