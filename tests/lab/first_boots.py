"""Switches as delivered, the site that has them, and the server that hands out what they fetch at first boot."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from described_lab import LabDescription, RunningLab

from nornir_tasks.day0.sha_crypt import sha_crypt
from nornir_tasks.design.model.links import ManagementAddress
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.files.site import resource
from nornir_tasks.lab.day0.desk import Handed
from nornir_tasks.usecases.day0 import KEA, Day0, prepare, write
from nornir_tasks.usecases.day0_serve import Served, serve
from nornir_tasks.usecases.site import SiteDesign, load, select
from tests.unit.usecases.day0_site import free_ports
from tests.unit.usecases.oob_site import ACCOUNTS, TIME, with_servers

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2", "nvue-5.16": "spine-1"}
YEAR_S = 365 * 86_400.0
CLOCKS_OFF_S = {"eos": -9 * YEAR_S, "nxos": 12 * YEAR_S, "nvue": -20 * YEAR_S, "nvue-5.16": 3 * YEAR_S}
"""How far the clock of each is ahead before its first boot; behind, if negative."""
SPARE = "leaf-g1-r2"
"""A switch that is never booted to its end, so that the server goes on."""


@dataclass
class FirstBoots:
    """A lab of factory switches, the site that has them, and the server that hands out."""

    lab: RunningLab
    site: Path
    out: Path
    day0: Day0
    seen: list[Handed] = field(default_factory=list)

    def url(self, name: str) -> str:
        """Where DHCP sends a switch, as Kea's file has it."""
        subnets = json.loads((self.out / KEA).read_text())["Dhcp4"]["subnet4"]
        mine = next(each for subnet in subnets for each in subnet["reservations"] if each["hostname"] == name)
        given = {each["code"]: each["data"] for each in mine["option-data"] if "code" in each}
        return given[66] + given[67] if 66 in given else given.get(67) or given[239]

    def boot(self, name: str, url: str = "") -> dict[str, Any]:
        return self.lab.control.ask("first-boot", device=name, url=url or self.url(name))

    def endpoint(self, name: str, username: str, password: str) -> Endpoint:
        device = next(each for each in self.lab.description.devices if each["name"] == name)
        ports = {"api_port": device["api_port"], "ssh_port": device["ssh_port"]}
        return Endpoint(
            device=name,
            address=device["address"],
            **ports,
            username=username,
            password=password,
            ca_file=Path(self.lab.ca),
            fingerprint=None,
            known_hosts=Path(self.lab.known_hosts),
        )

    @property
    def once(self) -> Callable[[str], str]:
        return lambda name: self.day0.secrets[name].password


def site_of(lab: RunningLab, folder: Path, base: str) -> Path:
    http, https = free_ports()
    folder.mkdir(parents=True)
    intent = with_servers((resource("inventory") / "lab" / "fabric.yml").read_text())
    intent = intent.replace("source: lab", "source: devices")
    served = f"day0: {{server: 127.0.0.1, http_port: {http}, https_port: {https}}}\n"
    (folder / "fabric.yml").write_text(intent + base + served)
    keep_secrets(folder)
    keys = ("address", "api_port", "ssh_port", "serial")
    rows = []
    for number, each in enumerate(lab.description.devices, start=1):
        shown = ", ".join(f"{key}: {each[key]}" for key in keys)
        rows.append(f"  {each['name']}: {{{shown}, mac: '02:00:00:00:01:{number:02x}'}}")
    (folder / "devices.yml").write_text(
        f"username: gpufabric\npassword: !secret switch\nca: {lab.ca}\nknown_hosts: {lab.known_hosts}\ndevices:\n"
        + "\n".join(rows)
        + "\n"
    )
    return folder


FULL = f"""base:
  hostname: managed
  ntp: [{TIME}]
  api: {{certificate: fabric-2026}}
{ACCOUNTS}"""
PASSWORD = "the password of every push"


def keep_secrets(site: Path) -> None:
    folder = site / ".secrets"
    folder.mkdir()
    hashes = {"push-512": sha_crypt("6", PASSWORD, "saltofpush"), "push-256": sha_crypt("5", PASSWORD, "saltofpush")}
    for name, value in {**hashes, "switch": PASSWORD}.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_text(value)


def with_management(design: SiteDesign, lab: RunningLab) -> SiteDesign:
    network = lab.description.network
    addresses = {
        each["name"]: ManagementAddress(str(each["address"]), 24, f"{network}.1") for each in lab.description.devices
    }
    return SiteDesign(design.site, replace(design.network, management=addresses), design.catalogue)


@contextmanager
def factory_switches(folder: Path, start: Callable[[LabDescription], RunningLab], base: str) -> Iterator[FirstBoots]:
    description = LabDescription(folder / "lab")
    for number, (kind, name) in enumerate(SWITCHES.items()):
        release = {"release": "5.16.0"} if kind == "nvue-5.16" else {}
        facts = {"asn": 4200000000 + number, "begins": "factory", "clock_off_s": CLOCKS_OFF_S[kind]}
        description.add_device(name, kind.partition("-")[0], **facts, **release)
    description.add_device(SPARE, "eos", asn=4200000100, begins="factory")
    lab = start(description)
    site, out, stop = site_of(lab, folder / "site", base), folder / "out", threading.Event()
    day0 = prepare(select(with_management(load(site), lab), (), (",".join([*SWITCHES.values(), SPARE]),)))
    write(day0, out, fill=True)
    made, ended = FirstBoots(lab, site, out, day0), list[Served]()

    def hand_out() -> None:
        ended.append(serve(day0, out, 600.0, made.seen.append, stop))

    thread = threading.Thread(target=hand_out, daemon=True)
    thread.start()
    for _ in range(200):
        with suppress(OSError), socket.create_connection(("127.0.0.1", day0.intent.https_port), 1):
            break
        stop.wait(0.05)
    yield made
    stop.set()
    thread.join(10)
    assert ended, "the server failed"
