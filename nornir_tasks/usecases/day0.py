"""Day 0: what switches fetch at first boot, made from the site, written to a folder, and served for the lab."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from nornir_tasks.day0.dhcp import Booting, bmcs, dnsmasq, kea, unknown
from nornir_tasks.day0.first_boot import (
    ACCOUNT,
    Believable,
    FirstBoot,
    Identity,
    NewSwitch,
    OneTime,
    Server,
    first_boot,
)
from nornir_tasks.day0.sha_crypt import sha_crypt
from nornir_tasks.design import pipeline
from nornir_tasks.design.capacity import first_boot_flows
from nornir_tasks.design.capacity.boot_order import Stage, boot_order
from nornir_tasks.design.config.base import Base
from nornir_tasks.design.contribute.managed_base import vrf_of
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Device
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.artifacts import Written, write_artifacts
from nornir_tasks.files.certificates import check_authority
from nornir_tasks.files.day0_file import Day0File, OnceSecrets
from nornir_tasks.files.devices_file import DeviceList, load_devices
from nornir_tasks.files.resources import shown
from nornir_tasks.files.site import INTENT
from nornir_tasks.files.templates import day0_environment, environment
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.day0 import Day0Intent
from nornir_tasks.intent.rules.oob_devices import BMC, bmc_group
from nornir_tasks.inventory.endpoints import attached_macs, device_list_file, update_command
from nornir_tasks.platforms import platform
from nornir_tasks.render.render import render
from nornir_tasks.usecases.site import Selection, SiteDesign

CERTIFICATE = "day0"
"""The certificate's name on switches whose base does not name one."""
KEA, DNSMASQ, BMCS, INDEX = "kea-dhcp4.json", "dnsmasq.conf", "bmcs.json", "index.json"
MARK = "/day0"
"""Behind a site's name in the list of what was rendered to a folder: configurations of the same site stand beside."""


@dataclass(frozen=True, slots=True)
class Day0:
    """What day 0 of the chosen switches is made from."""

    selection: Selection
    intent: Day0Intent
    server: Server
    switches: tuple[NewSwitch, ...]
    addresses: Mapping[str, tuple[str, ...]]
    """Switch -> the addresses that its certificate is for."""
    secrets: Mapping[str, OnceSecrets]
    authority: Path
    """The site's CA."""

    @property
    def design(self) -> SiteDesign:
        """The site."""
        return self.selection.design

    @property
    def order(self) -> tuple[Stage, ...]:
        """In which order they can boot; empty where the server is not on the out-of-band plane."""
        return boot_order(self.design.network, str(self.intent.server), [each.name for each in self.switches])

    def named(self, switch: NewSwitch) -> OneTime:
        """Names instead of secrets, as they stand in files."""
        name = switch.name
        return OneTime(
            ACCOUNT,
            f"!secret day0-password-{name}",
            f"!secret day0-nobody-{name}",
            f"!secret day0-token-{name}",
        )

    def filled(self, switch: NewSwitch) -> OneTime:
        """The secrets themselves, where they are sent or asked to be written."""
        known, kind = self.secrets[switch.name], platform(switch.os).first_boot.crypt
        password, nobodys = (sha_crypt(kind, each, known.salt) for each in (known.password, known.nobodys_password))
        return OneTime(ACCOUNT, password, nobodys, known.token)

    def boot(self, switch: NewSwitch, once: OneTime) -> FirstBoot:
        """Both files of one switch."""
        believable = Believable.after(self.secrets[switch.name].made_s)
        return first_boot(switch, self.server, once, believable, platform(switch.os).first_boot, day0_environment())


@dataclass(frozen=True, slots=True)
class Day0Written:
    """What was written."""

    written: Written
    unknown_to_dhcp: tuple[str, ...]
    """Switches that no DHCP server can know: no MAC address is declared, and their system sends no serial number."""


def prepare(selection: Selection, renew: frozenset[str] = frozenset()) -> Day0:
    """All that day 0 of these switches needs. Raises IntentError with everything that is missing, each with its place.

    Secrets that are used once are made where there are none, and again for ``renew``.
    """
    design = selection.design
    intent, file = design.site.intent.day0, device_list_file(design.site)
    listed = load_devices(file)
    problems = [
        *_missing(design, file, listed),
        *_closed(design),
        *_unmanaged(selection),
        *_without_account(selection, listed),
        *listed.unwritten(selection.devices),
    ]
    devices = [device for device in selection.devices.values() if device.fabric in design.network.base]
    for device in devices:
        problems += _missing_of(design, device, file, listed)
    strangers = sorted(renew - selection.devices.keys())
    problems += [Problem("--renew", f"no switch of this choice: {name}") for name in strangers]
    if problems or intent is None or listed.ca is None:
        raise IntentError(dict.fromkeys(problems))
    authority = file.parent / listed.ca
    check_authority(authority, f"{shown(file)}: ca")
    switches = tuple(_new_switch(design, device, listed) for device in devices)
    identities = {each.name: each.identity.text for each in switches}
    return Day0(
        selection,
        intent,
        _server(intent, authority.read_text(encoding="utf-8")),
        switches,
        {each.name: (each.management.address, listed.devices[each.name].address) for each in switches},
        Day0File(design.site.state_directory).secrets_for(identities, renew),
        authority,
    )


def _server(intent: Day0Intent, authority: str) -> Server:
    first = intent.http_port if intent.first == "http" else intent.https_port
    urls = (f"{intent.first}://{intent.server}:{first}", f"https://{intent.server}:{intent.https_port}")
    return Server(*urls, authority)


def _missing(design: SiteDesign, file: Path, listed: DeviceList) -> Iterator[Problem]:
    """What the site lacks."""
    if design.site.intent.day0 is None:
        hint = "add day0: {server: ADDRESS} there, the address that factory switches reach your server at"
        yield Problem(
            shown(design.site.directory / INTENT), "no server that switches could fetch from", "day0:", hint=hint
        )
    if listed.ca is None:
        hint = "name the CA that signs the switches' certificates; a pinned fingerprint says nothing of a new one"
        yield Problem(shown(file), "no CA that a new switch could trust, or get its certificate from", "ca:", hint=hint)


def _closed(design: SiteDesign) -> Iterator[Problem]:
    """Lists on the way of first boots, while day 0 is not open."""
    intent = design.site.intent
    plane = intent.day0 and first_boot_flows.closed(design.network, intent.day0)
    if plane:
        what = f"day 0 is closed: the lists of plane {plane} let no factory switch reach this server"
        hint = f"say open: true, and push plane {plane} before switches boot; close it again when they are up"
        found = "open: false"
        yield intent.marks.problem(Finding(("day0",), what, "open: true", found, hint, also=("planes", plane, "flows")))


def _unmanaged(selection: Selection) -> Iterator[Problem]:
    """Fabrics whose switches would have nothing but an account after their first boot."""
    network, marks = selection.design.network, selection.design.site.intent.marks
    for fabric in dict.fromkeys(device.fabric for device in selection.devices.values()):
        if fabric not in network.base:
            names = [device.name for device in selection.devices.values() if device.fabric == fabric]
            what = f"base configuration is unmanaged here: {len(names)} switches would begin without any"
            hint = "say what is managed, as base: {ntp: [...]}, or leave these switches out with --limit"
            yield marks.problem(Finding(("fabrics", fabric), what, "base: managed", ", ".join(names[:8]), hint))


def _without_account(selection: Selection, listed: DeviceList) -> Iterator[Problem]:
    """Fabrics whose first push would have no account to go on with."""
    network, marks = selection.design.network, selection.design.site.intent.marks
    for fabric in dict.fromkeys(device.fabric for device in selection.devices.values()):
        base = network.base.get(fabric)
        if base is None or listed.username in (base.accounts or ()):
            continue
        path = ("fabrics", fabric, "base") if selection.design.site.intent.has_own_base(fabric) else ("base",)
        what = f"the account that pushes is none of those that the first push makes: {listed.username}"
        hint = f"declare it: accounts: {{{listed.username}: {{role: admin, hash: {{...: !secret NAME}}}}}}"
        found = ", ".join(base.accounts or ()) or "accounts are not managed"
        yield marks.problem(Finding((*path, "accounts"), what, listed.username, found, hint))


def _missing_of(design: SiteDesign, device: Device, file: Path, listed: DeviceList) -> Iterator[Problem]:
    """What is missing of one switch."""
    where, entry = f"{shown(file)}: {device.name}", listed.devices.get(device.name)
    if entry is None and not listed.is_begun(device.name):
        hint = f"{update_command(design.site)} adds it, for you to write its address and serial"
        yield Problem(where, "the design has this switch, the device list has not", hint=hint)
    elif entry is not None and entry.serial is None and entry.mac is None:
        hint = "both stand on its label; a DHCP server knows Arista's and NVIDIA's switches by the MAC address alone"
        yield Problem(where, "nothing to know this switch by at first boot", "serial, mac or both", hint=hint)
    if device.name not in design.network.management:
        hint = "describe the out-of-band plane that its management port is on"
        yield Problem(device.name, "no address of its management port", hint=hint)
    if not platform(device.os).first_boot.script:
        yield Problem(device.name, f"day 0 is not offered on {device.os}", hint="set it up by hand, or with --limit")


def at_first_boot(base: Base) -> Base:
    """What of base configuration a switch begins with: all but what has secrets, which the first push brings.

    That is the accounts, in place of the one for one use, who is asked for others, and users of SNMP.
    """
    return replace(base, accounts=(), tacacs=None, radius=None, snmp=None)


def _new_switch(design: SiteDesign, device: Device, listed: DeviceList) -> NewSwitch:
    entry = listed.devices[device.name]
    realised = pipeline.device_config(design.network, device)
    config = realised.config
    own = at_first_boot(config.base)
    base = DeviceConfig(config.name, config.os, config.release, config.model, config.asic, base=own)
    allowed = frozenset(design.site.intent.allow_memory)
    return NewSwitch(
        name=device.name,
        os=device.os,
        facts=device.capabilities,
        identity=Identity(entry.serial, entry.mac),
        management=design.network.management[device.name],
        vrf=vrf_of(design.network.base[device.fabric], device.capabilities),
        certificate=CERTIFICATE if config.base.reach.api is None else config.base.reach.api.certificate,
        has_api=config.base.reach.api is not None,
        api_port=None if entry.api_port == platform(device.os).api_port else entry.api_port,
        base=render(base, device.capabilities, environment(device.os), allowed),
    )


def write(day0: Day0, folder: Path, *, fill: bool = False, overwrite: bool = False) -> Day0Written:
    """Write what the server hands out, and the DHCP server's configuration: whole or not at all.

    Secrets are names there unless ``fill``; then no other user may look into the folder. Raises RefusedError for files
    in the way, LocalError where nothing can be written.
    """
    once = day0.filled if fill else day0.named
    booting = [_booting(day0, switch, once(switch)) for switch in day0.switches]
    pxe = day0.intent.pxe
    texts = {KEA: kea(booting, pxe), DNSMASQ: dnsmasq(booting, pxe), INDEX: _index(day0)}
    if fill:
        _keep_to_ourselves(folder)
    written = write_artifacts(
        folder,
        (*_files(day0, once), *texts.items(), (BMCS, _bmcs(day0.design))),
        lambda _: None,
        day0.design.site.name + MARK,
        is_whole=not day0.selection.limit,
        overwrite=overwrite,
    )
    return Day0Written(written, unknown(booting))


def _bmcs(design: SiteDesign) -> str:
    """The list of hosts' BMCs: addresses on the out-of-band plane, and MAC addresses that are declared."""
    network, declared = design.network, attached_macs(design.site)
    addresses, macs = dict[str, str](), dict[str, str]()
    for group, hosts in design.site.intent.hosts.items():
        if BMC not in (hosts.out_of_band or ()):
            continue
        named = f"{bmc_group(group, BMC)}-"
        for each in (nic for nic in network.attached if nic.host.startswith(named)):
            number = each.host.removeprefix(named)
            own = [circuit.lower_address for circuit in network.circuits_on(each.link)]
            if number.isdigit() and own:
                addresses[f"{group}-{number}"] = own[0]
                macs |= {f"{group}-{number}": declared[each.host]} if each.host in declared else {}
    return bmcs(addresses, macs)


def _keep_to_ourselves(folder: Path) -> None:
    """Make the folder, or refuse one that others may look into."""
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True)
    elif folder.stat().st_mode & 0o077:
        hint = f"chmod 700 {folder}, or choose another --out"
        raise IntentError(Problem(str(folder), "others may look into this folder; it would hold tokens", hint=hint))


def _files(day0: Day0, once: Callable[[NewSwitch], OneTime]) -> Iterator[tuple[str, str]]:
    for switch in day0.switches:
        made = day0.boot(switch, once(switch))
        script, config = names_of(switch)
        yield script, made.script
        yield config, made.config


def names_of(switch: NewSwitch) -> tuple[str, str]:
    """The names of a switch's script and configuration in the folder."""
    begins = platform(switch.os).first_boot
    return switch.name + begins.script_suffix, switch.name + begins.config_suffix


def _booting(day0: Day0, switch: NewSwitch, once: OneTime) -> Booting:
    dhcp, path = platform(switch.os).first_boot.dhcp, f"{once.token}/boot"
    return Booting(switch.name, switch.os, switch.identity, switch.management, dhcp, day0.server.boot_url, path)


def _index(day0: Day0) -> str:
    """Which files are whose, by serial number or MAC address."""
    found = {
        switch.identity.text: {
            "device": switch.name,
            "serial": switch.identity.serial,
            "mac": switch.identity.mac,
            "script": names_of(switch)[0],
            "config": names_of(switch)[1],
        }
        for switch in day0.switches
    }
    return json.dumps(found, indent=2, sort_keys=True) + "\n"
