"""``devices.yml``: where the switches stand and how to know them. A real site's stands beside its intent; the built-in
lab writes one for itself.

    username: gpufabric          # the account of the push; without password_file the password is asked for, or taken
    password_file: password      #   from the environment
    ca: ca.pem                   # what the switches' certificates are verified with; a fingerprint stands in for it
    known_hosts: known_hosts     # host keys, for switches that need SSH as well
    devices:
      leaf-g1-r0: {address: 192.0.2.11, serial: ABC123}

Paths are relative to the file. No secret stands in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from nornir_tasks.files.marked_yaml import read_marked, validate
from nornir_tasks.intent.findings import Finding, refuse, wrong

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


class _DevicesFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    username: Annotated[str, Field(min_length=1)]
    password_file: str | None = None
    ca: str | None = None
    known_hosts: str | None = None
    devices: dict[str, DeviceEntry]

    @model_validator(mode="after")
    def _known(self) -> "_DevicesFile":
        if self.ca is None:
            refuse(
                Finding(
                    ("devices", name),
                    "no way to know this switch",
                    "ca for all switches, or a fingerprint of its own",
                    hint=f"nornir trust {name} records the fingerprint",
                )
                for name, entry in self.devices.items()
                if entry.fingerprint is None
            )
        return self


@dataclass(frozen=True, slots=True)
class Devices:
    """The switches of a site, and what all of them share."""

    username: str
    password_file: Path | None
    ca_file: Path | None
    known_hosts: Path | None
    entries: Mapping[str, DeviceEntry]
    """By switch name."""


def load_devices(file: Path) -> Devices | None:
    """All switches of a site; None when there is no such file. Raises IntentError."""
    if not file.exists():
        return None
    found = validate(_DevicesFile, read_marked(file))

    def path(name: str | None) -> Path | None:
        return None if name is None else file.parent / name

    return Devices(found.username, path(found.password_file), path(found.ca), path(found.known_hosts), found.devices)
