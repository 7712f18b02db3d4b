"""Factory switches of each system execute what day 0 hands out, and answer with their identity; others are refused."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from described_lab import LabDescription, RunningLab
from first_boots import CLOCKS_OFF_S, FULL, PASSWORD, SPARE, SWITCHES, FirstBoots, factory_switches, with_management

from nornir_tasks.day0.first_boot import ACCOUNT, Believable
from nornir_tasks.drivers import open_session
from nornir_tasks.errors import AuthError, ConnectError, LeftToTimerError
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.platforms import platform
from nornir_tasks.usecases.day0 import INDEX, prepare
from nornir_tasks.usecases.push import PushReport, push
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import load, select
from switch_twins.client import TwinError
from tests.unit.usecases.day0_site import BASE, write_authority
from tests.unit.usecases.oob_site import TIME

SYSTEMS = pytest.mark.parametrize("name", SWITCHES.values(), ids=SWITCHES)


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


@pytest.mark.sampled(2)
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
    assert TIME in str(running.text)
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


def script_of(boots: FirstBoots, name: str) -> str:
    index = json.loads((boots.out / INDEX).read_text()).values()
    return (boots.out / next(each["script"] for each in index if each["device"] == name)).read_text()


@SYSTEMS
def test_a_switch_whose_clock_is_years_off_believes_no_certificate_before_it_is_set(
    boots: FirstBoots, name: str
) -> None:
    system = boots.day0.design.network.device(name).os
    kind = next(kind for kind, each in SWITCHES.items() if each == name)
    script = re.sub(
        r'^( *)set_clock(\(\)| "\$now")$', r"\1:" if system != "nxos" else r"\1pass", script_of(boots, name), flags=re.M
    )
    report = boots.boot(name, serve_file(platform(system).first_boot.finish(script).encode()))
    assert not report["is_done"]
    why = "is not yet valid" if CLOCKS_OFF_S[kind] < 0 else "has expired"
    assert any(f"certificate {why}" in line for line in report["log"]), report["log"]


@SYSTEMS
@pytest.mark.parametrize("off_days", [-1, 31])
def test_a_time_that_cannot_be_right_is_not_believed_and_nothing_is_changed(
    boots: FirstBoots, name: str, off_days: int
) -> None:
    """As if the files had been made at another time: the server's clock is this machine's."""
    system = boots.day0.design.network.device(name).os
    before, made_s = boots.lab.control.ask("running-config", device=name), boots.day0.secrets[name].made_s
    script = script_of(boots, name)
    for bound_s in (Believable.after(made_s).earliest_s, Believable.after(made_s).latest_s):
        script = script.replace(str(bound_s), str(int(bound_s - off_days * 86400)))
    report = boots.boot(name, serve_file(platform(system).first_boot.finish(script).encode()))
    assert not report["is_done"]
    assert any("the server says that it is" in line and "these files are for" in line for line in report["log"])
    assert boots.lab.control.ask("running-config", device=name) == before


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
