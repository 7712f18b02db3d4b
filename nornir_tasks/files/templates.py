"""The Jinja environment of each OS: strict about what is undefined, and knowing this OS's filters."""

import contextlib
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jinja2
from jinja2.bccache import Bucket

from nornir_tasks.day0.first_boot import filters
from nornir_tasks.files.cache import cache_directory
from nornir_tasks.files.resources import resource
from nornir_tasks.platforms import platform


@cache
def environment(os: str) -> jinja2.Environment:
    """The environment whose templates are ``templates/<os>/``."""
    return _environment(os, platform(os).template_filters)


@cache
def day0_environment() -> jinja2.Environment:
    """The environment of what switches fetch at first boot, ``templates/day0/``."""
    return _environment("day0", filters())


@cache
def starter_environment() -> jinja2.Environment:
    """The environment of a new site's files, ``templates/init/``."""
    return _environment("init", {})


@cache
def report_environment() -> jinja2.Environment:
    """The environment of pages for people, ``templates/report/``; texts are escaped."""
    made = _environment("report", {})
    made.autoescape = True
    return made


def _environment(folder: str, known: Mapping[str, Callable[..., Any]]) -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource("templates") / folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - switch configuration, not HTML
        auto_reload=False,
        bytecode_cache=_compiled(),
    )
    made.filters.update(known)
    return made


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Compiled templates in a folder, each with a checksum of its source. A full disk costs the time to compile."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def _compiled() -> _Compiled | None:
    """Compiling takes a third of a small site's time. None where the folder cannot be made or is not this user's alone.

    A user who could write there could run code as this user: compiled templates are Python's bytecode.
    """
    try:
        folder = cache_directory() / f"templates-{jinja2.__version__}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return None
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        return None
    return _Compiled(str(folder))
