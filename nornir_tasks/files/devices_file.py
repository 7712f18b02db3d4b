"""``inventory/<site>/devices.yml``: where the switches stand and how to know them. Optional; the lab provides its own.

No secrets here: a password is resolved where it is sent.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel

from nornir_tasks.files.marked_yaml import read_marked, validate
from nornir_tasks.intent.findings import wrong

NAME = "devices.yml"


def _address(value: object) -> str:
    try:
        return str(ip_address(value if isinstance(value, str) else ""))
    except ValueError:
        raise wrong("not an IP address", "the switch's management address, as 192.0.2.11", value) from None


class DeviceEntry(BaseModel):
    """One switch."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    address: Annotated[str, BeforeValidator(_address)]
    serial: str | None = None
    """Compared with what the switch says of itself at every open."""
    api_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Of the HTTPS API; without it the OS's own."""
    ssh_port: Annotated[int, Field(ge=1, le=65535)] = 22
    fingerprint: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the switch's certificate, as ``nornir trust`` recorded it."""


class _Devices(RootModel[dict[str, DeviceEntry]]):
    pass


def load_devices(file: Path) -> Mapping[str, DeviceEntry]:
    """All switches of a site by name; empty when there is no such file. Raises IntentError."""
    if not file.exists():
        return {}
    return validate(_Devices, read_marked(file)).root
