"""The endpoints of a site's switches: from its devices.yml, or from that of its running lab."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from nornir_tasks.day0.first_boot import ACCOUNT
from nornir_tasks.drivers.session import Endpoint, Login
from nornir_tasks.errors import GpufabricError, IntentError, LabError, Problem
from nornir_tasks.files.certificates import check_authority
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.files.devices_file import NAME, DeviceEntry, DeviceList, load_devices
from nornir_tasks.files.resources import shown
from nornir_tasks.files.secrets import resolve_secret
from nornir_tasks.files.site import Site
from nornir_tasks.platforms import platform


def update_command(site: Site) -> str:
    """What adds to a device list the switches of the design that it has not."""
    return f"nornir init --update {shlex.quote(shown(site.directory))}"


@dataclass(frozen=True, slots=True)
class Known:
    """One switch of the device list."""

    endpoint: Endpoint
    serial: str | None


def endpoints(site: Site, systems: "dict[str, str]", *, is_trusting: bool = False) -> dict[str, Known]:
    """Endpoints of the switches in ``systems`` (name -> OS). Raises IntentError for each that is not listed.

    Each must have a CA or a fingerprint, unless ``is_trusting``, which is used to pin one.
    """
    file = device_list_file(site)
    listed = site.devices if site.devices and site.intent.management.source == "devices" else load_devices(file)
    problems, password = _missing(site, file, systems, listed, is_trusting=is_trusting), ""
    try:
        if listed.ca and not is_trusting:
            check_authority(file.parent / listed.ca, f"{shown(file)}: ca")
    except IntentError as error:
        problems += error.problems
    try:
        password = resolve_secret(listed.password, file.parent, shown(file))
    except IntentError as error:
        problems += error.problems
    if problems:
        raise IntentError(problems)
    once = one_time_logins(site, listed)
    return {
        name: Known(
            replace(_endpoint(name, os, listed, listed.devices[name], file.parent, password), once=once.get(name)),
            listed.devices[name].serial,
        )
        for name, os in systems.items()
    }


def one_time_logins(site: Site, listed: DeviceList) -> dict[str, Login]:
    """Switch -> the account that its first boot made; of those that have not had their first push."""
    known = Day0File(site.state_directory).read()
    return {
        name: Login(ACCOUNT, each.password)
        for name, each in known.items()
        if each.is_used and name in listed.devices and each.identity in _identities(listed.devices[name])
    }


def _identities(entry: DeviceEntry) -> tuple[str | None, str | None]:
    return entry.serial, entry.mac


def device_list_file(site: Site) -> Path:
    """The device list of a site: its own, or the running lab's. Raises LabError when the lab is down."""
    if site.intent.management.source != "lab":
        own = site.directory / NAME
        if not own.exists():
            hint = (
                f"nornir init --update {shlex.quote(shown(site.directory))} writes one with every switch of the design"
            )
            raise IntentError(Problem(shown(own), "this site has real switches and no device list", hint=hint))
        return own
    file = site.state_directory / "lab" / NAME
    if not file.exists():
        raise LabError(Problem(site.name, "the lab of this site is not up", hint="nornir lab up"))
    return file


def push_account(site: Site) -> frozenset[str]:
    """The account of the site's device list that pushes; nothing where there is no such list (yet)."""
    if site.devices is not None and site.intent.management.source == "devices":
        return frozenset({site.devices.username})
    try:
        file = device_list_file(site)
        return frozenset({_listed(file, file.stat().st_mtime_ns).username})
    except (GpufabricError, OSError):
        return frozenset()


def attached_macs(site: Site) -> dict[str, str]:
    """Device on the out-of-band plane, or switch -> the declared MAC address of its port there.

    Nothing where there is no such list (yet).
    """
    if site.devices is not None and site.intent.management.source == "devices":
        return _macs(site.devices)
    try:
        file = device_list_file(site)
        return _macs(_listed(file, file.stat().st_mtime_ns))
    except (GpufabricError, OSError):
        return {}


def _macs(listed: DeviceList) -> dict[str, str]:
    switches = {name: each.mac for name, each in listed.devices.items() if each.mac is not None}
    return {**switches, **{name: each.mac for name, each in listed.attached.items()}}


@lru_cache(maxsize=8)
def _listed(file: Path, _: int) -> DeviceList:
    """Read once for all switches, as long as the file is the same."""
    return load_devices(file)


def _missing(site: Site, file: Path, systems: Iterable[str], listed: DeviceList, *, is_trusting: bool) -> list[Problem]:
    """What the list lacks of these switches."""
    where, names, hint = shown(file), tuple(systems), f"{update_command(site)} adds it, for you to write its address"
    problems = listed.unwritten(frozenset(names))
    problems += [
        Problem(f"{where}: {name}", "the design has this switch, the device list has not", hint=hint)
        for name in names
        if name not in listed.devices and not listed.is_begun(name)
    ]
    problems += [
        Problem(
            f"{where}: {name}",
            "nothing to know this switch by",
            expected="a fingerprint here, or a ca for all",
            hint=f"nornir trust {name}",
        )
        for name in names
        if name in listed.devices and not (is_trusting or listed.ca or listed.devices[name].fingerprint)
    ]
    return problems


def _endpoint(name: str, os: str, listed: DeviceList, entry: DeviceEntry, folder: Path, password: str) -> Endpoint:
    return Endpoint(
        device=name,
        address=entry.address,
        api_port=entry.api_port or platform(os).api_port,
        ssh_port=entry.ssh_port,
        username=listed.username,
        password=password,
        ca_file=folder / listed.ca if listed.ca else None,
        fingerprint=entry.fingerprint,
        known_hosts=folder / listed.known_hosts if listed.known_hosts else None,
        timeout_s=float(listed.timeout_s),
    )
