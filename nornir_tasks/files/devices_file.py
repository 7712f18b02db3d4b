"""``devices.yml``: where the switches stand and how to know them.

A real site's stands beside its intent; the built-in lab writes one for itself.

    username: gpufabric                  # the account of the push
    password: !secret switch_password    # a name, resolved where it is sent (files/secrets.py)
    ca: ca.pem                           # what the switches' certificates are verified with; or a fingerprint for each
    known_hosts: known_hosts             # host keys, for switches that need SSH as well
    devices:
      leaf-g1-r0: {address: 192.0.2.11, serial: ABC123}

Paths are relative to the file. No secret stands in it.
"""

from io import StringIO
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from ruamel.yaml import YAML

from nornir_tasks.files.documents import write_documents
from nornir_tasks.files.marked_yaml import read_marked, validate
from nornir_tasks.files.secrets import Secret
from nornir_tasks.intent.findings import wrong

NAME = "devices.yml"


def _address(value: object) -> str:
    try:
        return str(ip_address(value if isinstance(value, str) else ""))
    except ValueError:
        raise wrong("not an IP address", "the switch's management address, as 192.0.2.11", value) from None


def _secret(value: object) -> Secret:
    if not isinstance(value, Secret):
        # The value itself is not repeated: it may be the password somebody typed here.
        raise wrong("not a secret's name", "password: !secret NAME", type(value).__name__) from None
    return value


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


class DeviceList(BaseModel):
    """All switches of a site and the one account for them."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)

    username: str
    password: Annotated[Secret, BeforeValidator(_secret)]
    ca: str | None = None
    """The CA that signed the switches' certificates, relative to this file; needed where no fingerprint is pinned."""
    known_hosts: str | None = None
    """SSH host keys, relative to this file; NX-OS takes files over SSH."""
    devices: dict[str, DeviceEntry]


def load_devices(file: Path) -> DeviceList:
    """The switches of a site. Raises IntentError with every problem of the file."""
    return validate(DeviceList, read_marked(file))


def pin_fingerprint(file: Path, device: str, fingerprint: str) -> bool:
    """Write one switch's fingerprint into the list, comments and order kept. False: it stood there already.

    The list is exchanged whole. Raises LocalError when it cannot be written; then it is as it was.
    """
    editor = YAML()
    editor.preserve_quotes = True
    editor.width = 200
    content = editor.load(file)
    entry = content["devices"][device]
    if entry.get("fingerprint") == fingerprint:
        return False
    entry["fingerprint"] = fingerprint
    stream = StringIO()
    editor.dump(content, stream)
    write_documents({file: stream.getvalue()})
    return True
