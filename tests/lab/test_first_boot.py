"""Factory switches of each system execute what day 0 hands out, and answer with their identity; others are refused."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import LabDescription, RunningLab

from nornir_tasks.day0.first_boot import ACCOUNT
from nornir_tasks.day0.sha_crypt import sha_crypt
from nornir_tasks.design.management import ManagementAddress
from nornir_tasks.drivers import open_session
from nornir_tasks.drivers.session import Endpoint
from nornir_tasks.errors import AuthError, ConnectError, LeftToTimerError
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.files.site import resource
from nornir_tasks.lab.day0.desk import Handed
from nornir_tasks.platforms import platform
from nornir_tasks.usecases.day0 import INDEX, KEA, Day0, prepare, write
from nornir_tasks.usecases.day0_serve import Served, serve
from nornir_tasks.usecases.push import PushReport, push
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import SiteDesign, load, select
from switch_twins.client import TwinError
from tests.unit.usecases.day0_site import BASE, free_ports, write_authority

SWITCHES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2", "nvue-5.16": "spine-1"}
SPARE = "leaf-g1-r2"
"""A switch that is never booted to its end, so that the server goes on."""
SYSTEMS = pytest.mark.parametrize("name", SWITCHES.values(), ids=SWITCHES)


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
    intent = (resource("inventory") / "lab" / "fabric.yml").read_text().replace("source: lab", "source: devices")
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


def serve_file(content: bytes) -> str:
    """Somebody else's server, which hands out one file; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.timeout = 30

    def once() -> None:
        server.handle_request()
        server.server_close()

    threading.Thread(target=once, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/boot"


def another_authority(folder: Path) -> str:
    folder.mkdir()
    write_authority(folder)
    return (folder / "ca.pem").read_text()


FULL = """base:
  hostname: managed
  ntp: [192.0.2.123]
  api: {certificate: fabric-2026}
  accounts: {gpufabric: {role: admin, hash: {eos: !secret push-512, nxos: !secret push-256, nvue: !secret push-512}}}
"""
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
        description.add_device(name, kind.partition("-")[0], asn=4200000000 + number, begins="factory", **release)
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


@pytest.fixture(scope="module", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GPUFABRIC_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def boots(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> Iterator[FirstBoots]:
    """Switches that no test boots to the end."""
    with factory_switches(tmp_path_factory.mktemp("refused"), start_module_lab, BASE) as made:
        yield made


@pytest.fixture(scope="module")
def booting(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> Iterator[FirstBoots]:
    """Switches that one test each boots to the end."""
    with factory_switches(tmp_path_factory.mktemp("booted"), start_module_lab, FULL) as made:
        yield made


@SYSTEMS
def test_a_factory_switch_comes_up_and_its_first_push_exchanges_the_account_for_one_use(
    booting: FirstBoots, name: str
) -> None:
    boots, os = booting, booting.day0.design.network.device(name).os
    with pytest.raises(ConnectError):
        open_session(os, boots.endpoint(name, ACCOUNT, boots.once(name))).read()
    url, password = boots.url(name), boots.once(name)
    report = boots.boot(name)
    assert report["is_done"], "\n".join(report["log"])
    session = open_session(os, boots.endpoint(name, ACCOUNT, boots.once(name)))
    running = session.read()
    session.close()
    assert running.facts is not None
    assert (running.facts.serial, running.facts.hostname) == (boots.day0.secrets[name].identity, name)
    assert "192.0.2.123" in str(running.text)
    with pytest.raises(AuthError):
        open_session(os, boots.endpoint(name, ACCOUNT, "another password")).read()
    assert prepare(boots.day0.selection).secrets[name].is_used
    with pytest.raises(TwinError, match="it has booted"):
        boots.boot(name)
    chosen = select(with_management(load(boots.site), boots.lab), ["base"], [name])
    a_wrong_password_is_taken_back(boots, name, lambda: push(chosen, Reach(workers=1), lambda _: True))
    report = push(chosen, Reach(workers=1), lambda _: True)
    assert not report.errors, "\n".join(map(str, report.errors.values()))
    assert report.outcomes[name].changed
    assert not push(chosen, Reach(workers=1), lambda _: True).plan.changing
    open_session(os, boots.endpoint(name, "gpufabric", PASSWORD)).read()
    assert ACCOUNT not in boots.lab.control.ask("running-config", device=name)
    with pytest.raises(AuthError):
        open_session(os, boots.endpoint(name, ACCOUNT, password)).read()
    assert name not in Day0File(boots.day0.design.site.state_directory).read()
    again = boots.boot(SPARE, url)
    assert again == {"is_done": False, "log": ["the server says 403: refused: this token was used"]}


def a_wrong_password_is_taken_back(boots: FirstBoots, name: str, pushed: Callable[[], PushReport]) -> None:
    """The account of devices.yml cannot log in after the commit: its timer brings the one-time account back."""
    secret = boots.site / ".secrets" / "switch"
    secret.write_text("not that password")
    report = pushed()
    assert isinstance(report.errors[name], LeftToTimerError), report.errors
    secret.write_text(PASSWORD)
    boots.lab.control.ask("advance-clock", seconds=900)
    assert ACCOUNT in boots.lab.control.ask("running-config", device=name)
    assert name in Day0File(boots.day0.design.site.state_directory).read()


@SYSTEMS
def test_a_script_for_another_switch_changes_nothing_and_says_so(boots: FirstBoots, name: str) -> None:
    system = boots.day0.design.network.device(name).os
    before = boots.lab.control.ask("running-config", device=name)
    file = boots.out / next(
        each["script"] for each in json.loads((boots.out / INDEX).read_text()).values() if each["device"] == name
    )
    script = file.read_text().replace(boots.day0.secrets[name].identity, "ANOTHER")
    report = boots.boot(name, serve_file(platform(system).first_boot.finish(script).encode()))
    assert not report["is_done"]
    assert any("ANOTHER" in line and "nothing was changed" in line for line in report["log"])
    assert boots.lab.control.ask("running-config", device=name) == before
    assert not prepare(boots.day0.selection).secrets[name].is_used


@SYSTEMS
def test_a_configuration_that_was_changed_on_its_way_is_not_installed(boots: FirstBoots, name: str) -> None:
    system = boots.day0.design.network.device(name).os
    index = json.loads((boots.out / INDEX).read_text()).values()
    entry = next(each for each in index if each["device"] == name)
    digest = hashlib.sha256((boots.out / entry["config"]).read_bytes()).hexdigest()
    script = (boots.out / entry["script"]).read_text().replace(digest, "0" * 64)
    report = boots.boot(name, serve_file(platform(system).first_boot.finish(script).encode()))
    assert not report["is_done"]
    assert any("is not the one that this script was made for" in line for line in report["log"]), report["log"]


@SYSTEMS
def test_a_script_does_not_talk_to_a_server_that_the_sites_ca_does_not_vouch_for(boots: FirstBoots, name: str) -> None:
    system = boots.day0.design.network.device(name).os
    entry = next(each for each in json.loads((boots.out / INDEX).read_text()).values() if each["device"] == name)
    before = len(boots.seen)
    other = another_authority(boots.site / f"other-{name}")
    script = re.sub(
        r"-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----",
        other.strip(),
        (boots.out / entry["script"]).read_text(),
        flags=re.DOTALL,
    )
    report = boots.boot(name, serve_file(platform(system).first_boot.finish(script).encode()))
    assert not report["is_done"]
    assert not [each for each in boots.seen[before:] if each.what in ("config", "enrol")]


def test_poap_takes_no_script_whose_md5_is_not_its_own(boots: FirstBoots) -> None:
    name = SWITCHES["nxos"]
    script = (boots.out / f"{name}.py").read_text() + "# changed\n"
    report = boots.boot(name, serve_file(script.encode()))
    assert report == {
        "is_done": False,
        "log": [f"fetched {len(script)} bytes", "POAP: MD5 of the script does not match"],
    }


def test_a_switch_that_is_sent_to_anothers_file_is_refused_by_the_server(boots: FirstBoots) -> None:
    mine, others = SWITCHES["nvue"], SWITCHES["nvue-5.16"]
    report = boots.boot(mine, boots.url(others))
    serials = [boots.day0.secrets[each].identity for each in (mine, others)]
    assert report == {
        "is_done": False,
        "log": ["the server says 403: refused: serial number {}, expected {}".format(*serials)],
    }
