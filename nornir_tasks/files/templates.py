"""The Jinja environment of each OS: strict about what is undefined, and knowing this OS's filters."""

import contextlib
import os
from functools import cache

import jinja2
from jinja2.bccache import Bucket

from nornir_tasks.files.cache import cache_directory
from nornir_tasks.files.resources import resource
from nornir_tasks.platforms import platform


@cache
def environment(os: str) -> jinja2.Environment:
    """The environment whose templates are ``templates/<os>/``."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource("templates") / os),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - switch configuration, not HTML
        auto_reload=False,
        bytecode_cache=_compiled(),
    )
    made.filters.update(platform(os).template_filters)
    return made


class _Compiled(jinja2.FileSystemBytecodeCache):
    """Compiled templates in a folder, each with a checksum of its source. A full disk costs the time to compile."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def _compiled() -> _Compiled | None:
    """Compiling takes a third of a small site's time. None where the folder cannot be made or is not this user's alone.

    Whoever could write there could run code as this user: compiled templates are Python's bytecode.
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
