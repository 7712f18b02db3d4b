"""Sites from texts: what the product makes of a fabric.yml that a test made up."""

import tempfile
from functools import lru_cache
from pathlib import Path

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.usecases.render import render
from nornir_tasks.usecases.site import SiteDesign, load, select
from tests.foreign.generator import Facts, facts_of


@lru_cache(maxsize=8)
def site_of(text: str) -> SiteDesign:
    """The design of a fabric.yml with this text."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yml").write_text(text, encoding="utf-8")
        return load(Path(folder))


def wanted_of(text: str, device: str) -> Wanted:
    """What one switch shall hold."""
    return select(site_of(text), [], [device])[device]


def rendered_of(text: str, device: str) -> str:
    """What is rendered for one switch."""
    (only,) = render(select(site_of(text), [], [device]))
    return only.text


def facts(text: str, device: str) -> Facts:
    """What the generator needs to know of one switch."""
    config = wanted_of(text, device).config
    return facts_of(config.os, device, config.release, rendered_of(text, device))
