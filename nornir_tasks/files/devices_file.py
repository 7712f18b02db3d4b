"""``devices.yml``: the switches' addresses, and how to verify their identity.

A real site's stands beside its intent; the built-in lab writes one for itself.

    username: gpufabric                  # the account of the push
    password: !secret switch_password    # a name, resolved where it is sent (files/secrets.py)
    ca: ca.pem                           # what the switches' certificates are verified with; or a fingerprint for each
    known_hosts: known_hosts             # host keys, for switches that need SSH as well
    timeout_s: 30                        # so long each may take to answer; 30 without it
    source: lab                          # only while the built-in lab plays them
    devices:
      leaf-g1-r0: {address: 192.0.2.11, serial: ABC123, mac: "0c:42:a1:00:00:12"}
    attached:                            # what else has a port on the out-of-band plane
      gpu-bmc-1: {mac: "0c:42:a1:00:01:01"}

Paths are relative to the file. No secret stands in it. ``???`` is what ``nornir init`` leaves to a person.
"""

from collections.abc import Container, Iterator
from dataclasses import replace
from difflib import get_close_matches
from io import StringIO
from ipaddress import IPv4Address, ip_address
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr
from ruamel.yaml import YAML

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.documents import write_documents
from nornir_tasks.files.marked_yaml import Marked, read_marked
from nornir_tasks.files.model_errors import validate
from nornir_tasks.intent.core.address_fields import MacAddress
from nornir_tasks.intent.core.fields import Written, text
from nornir_tasks.intent.core.findings import Finding, wrong
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.core.secret_name import NAME as SECRET_NAME
from nornir_tasks.intent.core.secret_name import Secret
from nornir_tasks.intent.core.unknown import independent

NAME = "devices.yml"
UNWRITTEN = "???"
"""What stands in a new list where a person must write. What needs no switch works with it: a design is made before its
serial numbers are known."""


def _address(value: object) -> str:
    expected = "the switch's management address, as 192.0.2.11"
    try:
        address = ip_address(value if isinstance(value, str) else "")
    except ValueError:
        raise wrong("not an IP address", expected, value) from None
    is_reserved = isinstance(address, IPv4Address) and address.is_reserved
    if address.is_unspecified or address.is_multicast or is_reserved:
        raise wrong("not an address that one switch can have", expected, value)
    return str(address)


def _secret(value: object) -> Secret:
    if not isinstance(value, Secret):
        # The value itself is not repeated: it may be the password itself, typed here by mistake.
        raise wrong("not a secret's name", "password: !secret NAME", "")
    return value


Text = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=128)]
"""Not empty, without surrounding spaces."""


class DeviceEntry(Part):
    """One switch."""

    address: Annotated[str, BeforeValidator(_address), Written("IPv4 or IPv6 address", text(r"[0-9a-fA-F:.]+"))]
    """Of its management port; never a name, which could come to mean another switch."""
    serial: Text | None = None
    """Compared with the switch's own serial number at every open."""
    mac: MacAddress | None = None
    """Of its management port, as DHCP sees it at first boot."""
    api_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Of the HTTPS API; without it the OS's own."""
    ssh_port: Annotated[int, Field(ge=1, le=65535)] = 22
    """Of SSH, where the system needs that as well."""
    fingerprint: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the switch's certificate, as ``nornir trust`` recorded it."""


class AttachedEntry(Part):
    """One device on the out-of-band plane that is no switch: a BMC, power distribution."""

    mac: MacAddress
    """Of its port there, as its label or its own page says; the access switch is asked whether it has learned it."""


class DeviceList(Part):
    """All switches of a site and the one account for them."""

    username: Text
    """The account of the push, on every switch."""
    password: Annotated[Secret, BeforeValidator(_secret), Written("`!secret NAME`", text(SECRET_NAME))]
    """``!secret NAME``: its value is kept outside (docs/own-site.md)."""
    ca: str | None = None
    """The CA that signed the switches' certificates, relative to this file; needed where no fingerprint is pinned."""
    known_hosts: str | None = None
    """SSH host keys, relative to this file; NX-OS takes files over SSH."""
    timeout_s: Annotated[int, Field(ge=5, le=600)] = 30
    """So long a switch may take to answer one request."""
    source: Literal["lab"] | None = None
    """``lab``: the built-in lab plays the switches, whatever the intent says; without it the intent decides."""
    devices: dict[str, DeviceEntry]
    """Switch, by its name in the design."""
    attached: dict[str, AttachedEntry] = Field(default_factory=dict)
    """By the names of the cabling plan. Devices that speak no LLDP are told apart by this alone."""

    _unwritten: tuple[tuple[str, Problem], ...] = PrivateAttr(())

    def unwritten(self, names: Container[str]) -> list[Problem]:
        """What is still to be written of these switches, and of the whole list.

        A switch without an address is not in ``devices``.
        """
        return [problem for name, problem in self._unwritten if name in names or not name]

    def names(self) -> list[str]:
        """All switches that are listed, those too of which something is still to be written."""
        return list(dict.fromkeys((*self.devices, *(name for name, _ in self._unwritten if name))))

    def is_begun(self, name: str) -> bool:
        """Has this switch an entry in which something is still to be written?"""
        return any(each == name for each, _ in self._unwritten)

    def findings(self) -> Iterator[Finding]:
        """No two names for one switch: the configuration of one would be pushed to the other."""
        return independent(_addresses_twice(self.devices), _serials_twice(self.devices), _macs_twice(self))


def _addresses_twice(devices: dict[str, DeviceEntry]) -> Iterator[Finding]:
    at: dict[tuple[str, int | None], str] = {}
    anywhere: dict[str, str] = {}
    for name, entry in devices.items():
        # Behind one forwarding address each switch has a port of its own, and says so.
        other = at.get((entry.address, entry.api_port)) or at.get((entry.address, None))
        if entry.api_port is None:
            other = anywhere.get(entry.address)
        if other is not None:
            what, expected = "the address of another switch", "each switch its own address, or its own api_port there"
            yield Finding(("devices", name, "address"), what, expected, f"{entry.address}, also {other}'s")
        at.setdefault((entry.address, entry.api_port), name)
        anywhere.setdefault(entry.address, name)


def _serials_twice(devices: dict[str, DeviceEntry]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for name, entry in devices.items():
        if entry.serial is not None and (other := first.setdefault(entry.serial, name)) != name:
            what, expected = "the serial number of another switch", "each switch its own"
            yield Finding(("devices", name, "serial"), what, expected, f"{entry.serial}, also {other}'s")


def _macs_twice(listed: "DeviceList") -> Iterator[Finding]:
    first: dict[str, str] = {}
    for name, entry in listed.devices.items():
        if entry.mac is not None and (other := first.setdefault(entry.mac, name)) != name:
            what, expected = "the MAC address of another switch", "each switch its own"
            yield Finding(("devices", name, "mac"), what, expected, f"{entry.mac}, also {other}'s")
    for name, attached in listed.attached.items():
        if (other := first.setdefault(attached.mac, name)) != name:
            what, expected = "the MAC address of another device", "each device its own"
            yield Finding(("attached", name, "mac"), what, expected, f"{attached.mac}, also {other}'s")


def load_devices(file: Path, kept: frozenset[str] | None = None) -> DeviceList:
    """The switches of a site. Raises IntentError with every problem of the file.

    ``kept``: what has, or may come to have, a port on the out-of-band plane; others are refused. None: not known.
    """
    marked, unwritten = _without_unwritten(read_marked(file))
    listed = validate(DeviceList, marked)
    listed._unwritten = unwritten  # noqa: SLF001 - its own, before a caller has it
    strangers = list(_strangers(listed, kept)) if kept is not None else []
    if strangers:
        raise IntentError(marked.marks.problems(strangers))
    return listed


def _without_unwritten(marked: Marked) -> tuple[Marked, tuple[tuple[str, Problem], ...]]:
    """The list without entries' keys that are still to be written, and these; an entry without its address goes.

    Beside each problem the name of its switch; of the list's own keys, and of what is attached, none.
    """
    if not isinstance(marked.data, dict):
        return marked, ()
    found: list[tuple[str, Problem]] = []

    def note(name: str, *path: str) -> None:
        what, expected = _TO_WRITE.get(path[-1], ("", ""))
        finding = Finding(path, f"still to be written{what}", expected, UNWRITTEN)
        found.append((name, marked.marks.problem(finding)))

    data = dict(marked.data)
    for key in [key for key, value in data.items() if value == UNWRITTEN]:
        note("", key)
    for part, needed in (("devices", "address"), ("attached", "mac")):
        entries = data.get(part)
        if not isinstance(entries, dict):
            continue
        data[part] = kept = {}
        for name, entry in entries.items():
            left = [key for key, value in entry.items() if value == UNWRITTEN] if isinstance(entry, dict) else []
            for key in left:
                note(name if part == "devices" else "", part, name, key)
            if needed not in left:
                kept[name] = {key: value for key, value in entry.items() if key not in left} if left else entry
    return replace(marked, data=data), tuple(found)


_TO_WRITE = {
    "address": ("", "the switch's management address, as 192.0.2.11"),
    "serial": (", or the key is taken out", "the switch's serial number, as its label says"),
    "mac": ("", "a MAC address, as its label says"),
}
"""Key -> what else may be done, and what is to stand there."""


def _strangers(listed: DeviceList, kept: frozenset[str]) -> Iterator[Finding]:
    for name in (each for each in listed.attached if each not in kept):
        close = get_close_matches(name, sorted(kept), n=1)
        hint = f"did you mean {close[0]}?" if close else "hosts' out_of_band and the plane's devices give it a port"
        expected = "a device of the out-of-band plane, as the cabling plan calls it; switches stand under devices"
        yield Finding(
            ("attached", name), "nothing of this name has a port on the out-of-band plane", expected, name, hint
        )


def pin_fingerprint(file: Path, device: str, fingerprint: str) -> bool:
    """Write one switch's fingerprint into the list, comments and order kept. False: it stood there already.

    The list is replaced atomically. Raises LocalError if it cannot be written; then it is unchanged.
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
