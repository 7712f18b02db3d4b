"""How an NX-OS switch is reached: NX-API and SSH."""

import re

from nornir_tasks.design.config.reach import CONTROL_LIST, ApiSettings, ControlPlane, Reach, SshSettings
from nornir_tasks.platforms.lines import Block, Fields, number, row, table, yes
from nornir_tasks.platforms.nxos.reading import Remainder

_CERTIFICATE, _KEY = "nxapi certificate httpscrt certfile bootflash:/", "nxapi certificate httpskey keyfile bootflash:/"
_DEFAULT = "default"
_PLACE = re.compile(r"(nxapi certificate \S+ \S+ bootflash:)/*")

API = tuple(
    row(line, "api_lines", lambda found: found[0], many=True, single=single)
    for line, single in (
        (r"feature nxapi", ""),
        (rf"{_KEY}\S+", "nxapi certificate httpskey keyfile"),
        (rf"{_CERTIFICATE}\S+", "nxapi certificate httpscrt certfile"),
        (r"nxapi certificate enable", ""),
        (r"nxapi use-vrf \S+", "nxapi use-vrf"),
    )
)


VTY = "line vty"
_VTY = (row(r"exec-timeout (\d+)", "idle_minutes", number, single="exec-timeout"),)
VTY_LINES = table(*_VTY)
LETS_IN = row(rf"ip access-group {CONTROL_LIST} in", "control", yes, single=r"ip access-group(?= \S+ in$)")
"""Of ``interface mgmt0``."""
# tests/corpus/nxos/NOTES.md, Base: SSH: 30 minutes are not printed; the intent has fewer
BLOCKS = (Block((rf"{VTY}$",), _VTY),)


def on_flash(line: str) -> str:
    """A file of the API in one spelling of its place: no slash, one and three mean the same (tests/corpus/nxos)."""
    return _PLACE.sub(r"\1/", line) if line.startswith("nxapi certificate ") else line


def reach(values: Fields, remainder: Remainder) -> Reach:
    """All that the model has of it; other lines are left."""
    minutes = values.get("idle_minutes")
    return Reach(
        api=_api(values, remainder),
        ssh=None if minutes is None else SshSettings(minutes, None),
        control_plane=ControlPlane((), None) if "control" in values else None,
    )


def _api(values: Fields, remainder: Remainder) -> ApiSettings | None:
    """The API, if its lines say all that the model has of it; else they are left."""
    found: list[str] = values.get("api_lines", [])
    settings = _settings(found)
    understood = set(_lines(settings)) if settings else set[str]()
    if not understood <= set(found):
        settings, understood = None, set()
    for line in found:
        if line not in understood:
            remainder.tree.add(line)
    return settings


def _settings(found: list[str]) -> ApiSettings | None:
    """The settings that these lines may be of."""
    certificates = (line.removeprefix(_CERTIFICATE) for line in found if line.startswith(_CERTIFICATE))
    named = next((each.removesuffix(".crt") for each in certificates if each.endswith(".crt")), None)
    vrfs = (line.removeprefix("nxapi use-vrf ") for line in found if line.startswith("nxapi use-vrf "))
    vrf = next(vrfs, _DEFAULT)
    return None if named is None else ApiSettings(named, None if vrf == _DEFAULT else vrf)


def _lines(settings: ApiSettings) -> tuple[str, ...]:
    return (
        "feature nxapi",
        f"{_KEY}{settings.certificate}.key",
        f"{_CERTIFICATE}{settings.certificate}.crt",
        "nxapi certificate enable",
        f"nxapi use-vrf {settings.vrf or _DEFAULT}",
    )
