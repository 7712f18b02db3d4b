"""Twins with what a site renders for them, in this process: nothing listens, nothing is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from nornir_tasks.intent.core.secret_name import placeholder
from nornir_tasks.lab.plan import specification
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.secret_places import SecretPlaces
from nornir_tasks.usecases.lab.up_down import lab_plan
from nornir_tasks.usecases.render import render
from nornir_tasks.usecases.site import SiteDesign, load, select
from switch_twins.engine import load_text
from switch_twins.eos.twin import EosTwin
from switch_twins.nvue.device import NvueTwin
from switch_twins.nvue.tree import merge
from switch_twins.nxos.twin import NxosTwin
from switch_twins.server import LabServer
from switch_twins.spec import LabSpec
from switch_twins.spec_reader import parse_spec
from switch_twins.twin import Twin


def loaded(
    site: Path | str | SiteDesign,
    planes: Iterable[str],
    directory: Path,
    more: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
) -> LabServer:
    """The lab of a site, each switch with what it is given for these planes over its configuration of day 0.

    ``more``: lines of others, or by hand, on top of that; by switch. ``secrets``: values, by name.
    """
    design = site if isinstance(site, SiteDesign) else load(site)
    return asyncio.run(_loaded(design, list(planes), directory, more or {}, secrets or {}))


async def _loaded(
    design: SiteDesign, planes: list[str], directory: Path, more: Mapping[str, str], secrets: Mapping[str, str]
) -> LabServer:
    lab = LabServer(spec_of(design, directory))
    lab.build()
    for each in render(select(design, planes, [])):
        twin = lab.twins[each.device]
        give(twin, with_values(each.text, platform(twin.device.os).secrets, secrets))
    for name, text in more.items():
        give(lab.twins[name], text)
    return lab


def with_values(text: str, places: SecretPlaces, secrets: Mapping[str, str]) -> str:
    """A rendered text with what a switch is sent for these secrets."""
    values = {placeholder(name): value for name, value in secrets.items()}

    def swap(place: str, shown: str) -> str:
        return places.stored(place, values[shown]) if shown in values else shown

    return places.in_text(text, swap) if values else text


def spec_of(design: SiteDesign, directory: Path) -> LabSpec:
    """The specification of the lab of a design; a password of its own is written."""
    spec: dict[str, Any] = specification(lab_plan(design), directory, "127.250", 0.0)
    secret = Path(spec["password_file"])
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.touch(mode=0o600)
    secret.write_text("lab\n", encoding="utf-8")
    return parse_spec(spec)


def give(twin: Twin, text: str) -> None:
    """Change a twin's running configuration by this text."""
    if isinstance(twin, EosTwin):
        wrong = load_text(twin.configuration.running, twin.configuration.context, text)
        assert not wrong, wrong
        twin.configuration.changed()
    elif isinstance(twin, NxosTwin):
        load_text(twin.store.running, twin.store.context, text)
        wrong = load_text(twin.store.running, twin.store.context, text)  # ports that the first time split off
        assert not wrong, wrong
        twin.store.committed()
    else:
        assert isinstance(twin, NvueTwin)
        merge(twin.store.running, YAML(typ="safe").load(text))
        twin.on_commit()
