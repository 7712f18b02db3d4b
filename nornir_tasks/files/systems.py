"""The known switch operating systems, and the missing parts of an incomplete one."""

from functools import cache
from importlib.util import find_spec

from nornir_tasks import platforms
from nornir_tasks.design.model.device_config import SECTIONS
from nornir_tasks.files.resources import resource
from nornir_tasks.intent.core.fields import Systems

TWINS = "switch_twins"
TEMPLATES = ("main.j2", *(f"{section}.j2" for section in SECTIONS), "SOURCES.yml")


@cache
def systems() -> Systems:
    """Every OS that has a folder in ``platforms/``."""
    return Systems(platforms.names(), missing_parts)


def missing_parts(os: str) -> tuple[str, ...]:
    """What an OS lacks of its pure parts, driver, lab switch and templates, by their paths; empty where it is whole."""
    places = {f"nornir_tasks.drivers.{os}": ".py", f"{TWINS}.{os}": "/"}
    modules = (f"{name.replace('.', '/')}{end}" for name, end in places.items() if find_spec(name) is None)
    return (*platforms.missing_parts(os), *modules, *_missing_templates(os))


def _missing_templates(os: str) -> tuple[str, ...]:
    folder = resource("templates") / os
    if not folder.is_dir():
        return (f"templates/{os}/",)
    return tuple(f"templates/{os}/{name}" for name in TEMPLATES if not (folder / name).is_file())
