"""A site: a folder with its intent and, where they are real switches, its device list."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.design.pipeline import mistakes
from nornir_tasks.errors import GpufabricError, IntentError, LocalError, Problem
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.devices_file import NAME as DEVICES
from nornir_tasks.files.devices_file import DeviceList, load_devices
from nornir_tasks.files.intent_file import read_intent
from nornir_tasks.files.resources import resource
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import kept_names
from nornir_tasks.platforms import platforms

INTENT = "fabric.yml"
GALLERY = "gallery"
"""The folder of built-in sites that are there to begin from."""
LAB_RECORDS = "lab-records"
ELSEWHERE = "elsewhere.txt"
"""The names of sites that belong to the gallery and stand among the others, a line each: the large ones."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site as it stands on disk."""

    name: str
    directory: Path
    intent: Intent
    devices: DeviceList | None
    """None where there is no devices.yml."""

    @property
    def state_directory(self) -> Path:
        """Where this site's lab and records are kept between commands."""
        return state_directory(self.directory)

    @property
    def record_directory(self) -> Path:
        """Where it is kept what was pushed, sent and found. The lab's is apart: nothing of it is so on real switches.

        Without that, a line that others typed there would pass for ours, because we once pushed it to the lab.
        """
        if self.intent.management.source != "lab":
            return self.state_directory
        return _owners_folder(self.state_directory / LAB_RECORDS)


def load_site(name_or_path: str | Path) -> Site:
    """The site of this name or path. Raises IntentError with every problem of its files."""
    directory = find_site(name_or_path)
    problems: list[Problem] = []
    devices: DeviceList | None = None
    intent: Intent | None = None
    known: Intent | None = None
    try:
        reading = read_intent(directory / INTENT)
        intent, known = reading.value, reading.value or reading.partial
        problems += reading.problems
    except IntentError as error:
        problems += error.problems
    if (directory / DEVICES).exists():
        try:
            devices = load_devices(directory / DEVICES, None if intent is None else kept_names(intent))
        except IntentError as error:
            problems += error.problems
    if intent is None or problems:
        raise IntentError(_with_those_of_the_design(problems, known))
    return Site(intent.site, directory, _of_the_lab(intent) if devices and devices.source else intent, devices)


def _of_the_lab(intent: Intent) -> Intent:
    """The intent with its switches in the lab, as the device list has it. So real switches need both files' word."""
    management = intent.management.model_copy(update={"source": "lab"})
    return intent.model_copy(update={"management": management})


def _with_those_of_the_design(problems: list[Problem], known: Intent | None) -> list[Problem]:
    """The errors so far, then those of the design of the rest, so that all are reported at once."""
    if known is None:
        return problems
    facts = {name: each.facts for name, each in platforms().items()}
    try:
        more = mistakes(known, load_catalogue(), facts)
    except GpufabricError as fault:  # of ours, which must not hide what the operator can mend
        more = fault.problems
    return list(dict.fromkeys([*problems, *more]))


def find_site(name_or_path: str | Path) -> Path:
    """The folder of a site. A string without a slash is a name; anything else, and ``.``, is a path."""
    if is_name(name_or_path) and (found := named_sites(str(name_or_path))):
        return found[0]
    text = str(name_or_path)
    path = Path(text).expanduser()
    if is_name(name_or_path) and not path.is_dir():
        raise IntentError(_no_such_site(text))
    if not (path / INTENT).is_file():
        raise IntentError(Problem(text, f"no {INTENT} here", expected="a folder with an intent, or a site's name"))
    return path.resolve()


def is_name(name_or_path: str | Path) -> bool:
    """Is this a site's name, to be looked for in several places?"""
    text = name_or_path if isinstance(name_or_path, str) else "/"
    return "/" not in text and text not in {"", ".", ".."} and not text.startswith("~")


def named_sites(name: str) -> tuple[Path, ...]:
    """The sites of this name, the one that counts first: in ``./inventory``, in the working directory, built in."""
    places = (Path("inventory") / name, Path(name), *(folder / name for folder in _built_in()))
    return tuple(dict.fromkeys(place.resolve() for place in places if (place / INTENT).is_file()))


def built_in() -> dict[str, Path]:
    """Name -> folder of every site that comes with gpufabric."""
    return {file.parent.name: file.parent for folder in _built_in() for file in sorted(folder.glob(f"*/{INTENT}"))}


def gallery() -> dict[str, Path]:
    """Name -> folder of each built-in site that is there to begin from: by name, and the large ones last."""
    found = {file.parent.name: file.parent for file in sorted((resource("inventory") / GALLERY).glob(f"*/{INTENT}"))}
    elsewhere = (resource("inventory") / GALLERY / ELSEWHERE).read_text(encoding="utf-8").split()
    return {**found, **{name: resource("inventory") / name for name in elsewhere}}


def _built_in() -> tuple[Path, ...]:
    return resource("inventory"), resource("inventory") / GALLERY


def is_built_in(site: Path) -> bool:
    """Does this site come with gpufabric?"""
    return site.is_relative_to(resource("inventory").resolve())


def state_directory(name_or_path: str | Path) -> Path:
    """Where a site's state is kept: ``$GPUFABRIC_STATE``, else the user's state folder, by the site's own folder.

    The folder is created, readable by its owner only, because it will contain keys.
    """
    site = find_site(name_or_path)
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    top = Path(os.environ.get("GPUFABRIC_STATE") or Path(home) / "gpufabric").absolute()
    digest = hashlib.sha256(str(site).encode()).hexdigest()[:8]
    return _owners_folder(top / f"{site.name}-{digest}")


def _owners_folder(folder: Path) -> Path:
    """Make this folder, if need be, for its owner only."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        hint = "set GPUFABRIC_STATE to a folder you may write to"
        raise LocalError(Problem(str(folder), f"no place for the site's state: {error.strerror}", hint=hint)) from error
    return folder


def site_names() -> tuple[str, ...]:
    """Every site that a name can stand for here."""
    places = (Path("inventory"), Path(), *_built_in())
    return tuple(sorted({file.parent.name for place in places for file in place.glob(f"*/{INTENT}")}))


def _no_such_site(name: str) -> Problem:
    return Problem(
        f"--site {name}",
        "no such site in ./inventory, in the working directory or built in",
        expected=f"one of {', '.join(site_names())}, or the path of a folder that holds {INTENT}",
    )
