"""What a new site is made of: ``templates/init/``, and how its files get into a folder: all of them or none.

``offer.yml`` says which planes there are to choose from, ``site/`` holds the files that every site gets,
``ci/<service>/`` those for one service of continuous integration. ``dot-`` begins the name of a hidden file, ``.j2``
ends that of a template.
"""

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from nornir_tasks.errors import LocalError, Problem, RefusedError, words_of
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.files.model_errors import validate
from nornir_tasks.files.resources import resource, shown
from nornir_tasks.files.templates import starter_environment

HIDDEN, TEMPLATE = "dot-", ".j2"


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PlaneOffer(_Part):
    """A plane to choose. ``default``: a site has it where the operator does not choose."""

    fabric: str
    about: str
    default: bool = False


class FabricOffer(_Part):
    """The fabric of some planes."""

    designs: tuple[str, ...]
    """Tried in this order, as media are."""
    speed: str | None = None
    """Of hosts' ports; None where it is chosen."""
    joins: bool = False
    """Its speed and models are those of the command line."""
    media: tuple[str, ...]
    ports_m: int
    """Length of cables to hosts."""
    link_media: tuple[str, ...]
    links_m: int
    """Length of cables between switches."""
    attaches: bool = False
    """Switches of all other fabrics have ports on it: it comes last."""


class Offer(_Part):
    """All that can be chosen, by name."""

    planes: dict[str, PlaneOffer]
    fabrics: dict[str, FabricOffer]
    in_the_lab: tuple[str, ...]
    """Shell commands of continuous integration."""


@cache
def offer() -> Offer:
    """``templates/init/offer.yml``."""
    return validate(Offer, read_marked(_folder() / "offer.yml"))


def services() -> tuple[str, ...]:
    """The services of continuous integration that there are files for."""
    return tuple(sorted(each.name for each in (_folder() / "ci").iterdir() if each.is_dir()))


def intent_text(variables: Mapping[str, Any]) -> str:
    """``fabric.yml`` of a new site."""
    return starter_environment().get_template("fabric.yml.j2").render(variables)


def management_text() -> str:
    """The part of ``fabric.yml`` that says where switches are: in the lab, and how that is changed."""
    return starter_environment().get_template("management.yml").render()


def device_list_text(variables: Mapping[str, Any]) -> str:
    """``devices.yml`` alone."""
    return starter_environment().get_template("site/devices.yml.j2").render(variables)


def texts(service: str | None, variables: Mapping[str, Any]) -> dict[str, str]:
    """Path in the site -> text, of all files but ``fabric.yml``. ``service``: of continuous integration, or none."""
    made = dict(_texts("site", variables))
    return made if service is None else {**made, **dict(_texts(f"ci/{service}", variables))}


def _texts(part: str, variables: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    top = _folder() / part
    for file in sorted(each for each in top.rglob("*") if each.is_file()):
        name = "/".join(each.replace(HIDDEN, ".", 1) for each in file.relative_to(top).parts)
        template = starter_environment().get_template(f"{part}/{file.relative_to(top).as_posix()}")
        yield name.removesuffix(TEMPLATE), template.render(variables)


def _folder() -> Path:
    return resource("templates") / "init"


def check_free(folder: Path, names: Mapping[str, object]) -> None:
    """Raises RefusedError with every file that stands where one of these would be written; for no folder as well."""
    parents = [each for each in (folder, *folder.parents) if each.exists() or each.is_symlink()]
    if parents and not parents[0].is_dir():
        raise RefusedError(Problem(shown(parents[0]), "is in the way: it is no folder", hint="choose another folder"))
    taken = [folder / name for name in names if (folder / name).exists() or (folder / name).is_symlink()]
    if taken:
        hint = "choose another folder; nornir init --update adds to a site what its design has gained"
        raise RefusedError([Problem(shown(each), "is in the way; nothing was written", hint=hint) for each in taken])


def write_new(folder: Path, made: Mapping[str, str]) -> None:
    """Write these files to a folder, which is made if need be: all or none, and none that is there already.

    Raises RefusedError for files that are in the way, LocalError where nothing can be written.
    """
    check_free(folder, made)
    with _undone_if_it_fails() as undo:
        try:
            for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
                each.mkdir()
                undo.append(each)
            hidden = folder / f".init.{secrets.token_hex(4)}"
            hidden.mkdir()
            undo.append(hidden)
            for name, text in made.items():
                (hidden / name).parent.mkdir(parents=True, exist_ok=True)
                (hidden / name).write_text(text, encoding="utf-8")
            for name in made:
                for each in reversed([each for each in (folder / name).parents if not each.exists()]):
                    each.mkdir()
                    undo.append(each)
                (hidden / name).rename(folder / name)
                undo.append(folder / name)
        except OSError as error:
            what = f"cannot be written: {words_of(error)}; nothing was left there"
            hint = "make room there, or choose a folder you may write to"
            raise LocalError(Problem(str(error.filename or folder), what, hint=hint)) from error
        shutil.rmtree(hidden)


@contextmanager
def _undone_if_it_fails() -> Iterator[list[Path]]:
    """What is added to the list is removed again, last first, unless all goes well."""
    made: list[Path] = []
    try:
        yield made
    except BaseException:
        for each in reversed(made):
            with suppress(
                OSError
            ):  # what cannot go, as a folder that has got files of others, hides no error and no other
                if each.name.startswith(".init."):
                    shutil.rmtree(each)
                elif each.is_dir():
                    each.rmdir()
                else:
                    each.unlink()
        raise
