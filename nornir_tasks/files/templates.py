"""The Jinja environment of each OS: strict about what is undefined, and knowing this OS's filters."""

from functools import cache

import jinja2

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
    )
    made.filters.update(platform(os).template_filters)
    return made
