"""nornir day0 as it is called: refusals with their remedies and exit code, and help for both verbs."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nornir_tasks.cli.app import app
from nornir_tasks.errors import IntentError
from nornir_tasks.usecases.day0 import BMCS, DNSMASQ, KEA
from nornir_tasks.usecases.site import load
from tests.published import published
from tests.unit.day0.boots import program
from tests.unit.usecases.day0_site import free_ports, write_authority, write_site
from tests.unit.usecases.oob_site import ACCOUNTS, TIME, write_oob_intent


def test_all_that_is_missing_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    site = write_site(tmp_path / "site", base="", day0="", without=frozenset({"spine-1"}))
    (site / "devices.yml").write_text((site / "devices.yml").read_text().replace("ca: ca.pem\n", ""))
    result = CliRunner().invoke(app, ["day0", "--site", str(site), "--out", str(tmp_path / "out"), "--renew", "nobody"])
    assert isinstance(result.exception, IntentError)
    text = str(result.exception)
    for each in ("day0: {server:", "no CA that a new switch could trust", "base configuration is unmanaged", "nobody"):
        assert each in text
    assert not (tmp_path / "out").exists()


def test_the_verb_that_serves_says_once_which_site(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "nornir", "day0", "serve", "--out", tmp_path / "out"]
    environment = {**os.environ, "GPUFABRIC_STATE": str(tmp_path / "state")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr.count("site lab:")) == (10, 1)
    assert "the lab of this site is not up" in done.stderr


BASE = f"""
base:
  ntp: [{TIME}]
{ACCOUNTS}"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with everything that day 0 needs: an out-of-band plane, managed base, serial numbers."""
    folder = tmp_path / "dc1"
    folder.mkdir()
    http, https = free_ports()
    served = f"day0: {{server: 127.0.0.1, http_port: {http}, https_port: {https}}}\n"
    write_oob_intent(folder / "fabric.yml", more=BASE + served)
    write_authority(folder)
    names = [device.name for device in load(folder).network.devices]
    rows = [
        f"  {name}: {{address: 192.0.2.{number}, serial: SER{number}, mac: '02:00:00:00:00:{number:02x}'}}\n"
        for number, name in enumerate(names, start=11)
    ]
    (folder / "devices.yml").write_text(
        "username: gpufabric\npassword: !secret switch\nca: ca.pem\ndevices:\n" + "".join(rows)
    )
    return folder


def test_the_order_of_first_boots_is_said_with_the_switch_that_is_brought_up_by_hand(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(site.parent / "state"))
    intent = site / "fabric.yml"
    intent.write_text(intent.read_text().replace("server: 127.0.0.1,", "server: 10.183.0.2, open: true,"))
    words = ["day0", "--site", str(site), "--out", str(site / "out")]
    shown = CliRunner().invoke(app, words).stdout
    assert "  1. oob-leaf-g1: by hand, from its console or with its management port at the server, as the way" in shown
    assert "\n  3. " in shown
    assert "\n  4. " not in shown
    order = published(json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout))["order"]
    assert order[0]["switches"] == ["oob-leaf-g1"]
    assert sum(len(each["switches"]) for each in order) == len(load(site).network.devices)
    assert [bool(each["by_hand"]) for each in order] == [True, False, False]


def nornir(site: Path, *words: str) -> subprocess.Popen[str]:
    command = [str(Path(sys.executable).parent / "nornir"), *words, "--site", str(site), "--out", str(site / "out")]
    environment = {**os.environ, "GPUFABRIC_STATE": str(site.parent / "state")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_site_with_an_out_of_band_plane_is_written_and_the_second_time_nothing_changes(site: Path) -> None:
    first, _ = nornir(site, "day0").communicate(timeout=60)
    assert "52 files in" in first
    assert "52 changed; 24 switches" in first
    again, _ = nornir(site, "day0").communicate(timeout=60)
    assert "0 changed; 24 switches" in again
    for command in (
        ["kea-dhcp4", "-t", f"{site}/out/{KEA}"],
        ["dnsmasq", "--test", f"--conf-file={site}/out/{DNSMASQ}"],
    ):
        done = subprocess.run([program(command[0]), *command[1:]], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    bmcs = json.loads((site / "out" / BMCS).read_text())
    assert sorted(bmcs) == sorted(host for host in load(site).network.hosts)
    assert bmcs["gpu-1"]["redfish"].startswith("https://10.183.0.")
    config = (site / "out" / "leaf-g1-r0.startup-config").read_text()
    address = load(site).network.management["leaf-g1-r0"].interface
    assert f"ip address {address}\n" in config
    assert "username gpufabric " not in config


def test_ctrl_c_ends_the_server_and_leaves_no_port_taken(site: Path) -> None:
    nornir(site, "day0").communicate(timeout=60)
    port = load(site).site.intent.day0.https_port  # type: ignore[union-attr]
    serving = nornir(site, "day0", "serve", "--for", "60")
    for _ in range(300):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            break
        time.sleep(0.1)
    serving.send_signal(signal.SIGINT)
    _, errors = serving.communicate(timeout=60)
    assert serving.returncode == 130
    assert "Traceback" not in errors
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), 1)


def test_the_server_ends_in_time_and_says_who_did_not_come(site: Path) -> None:
    nornir(site, "day0").communicate(timeout=60)
    serving = nornir(site, "day0", "serve", "--for", "1", "--limit", "spine-1")
    out, errors = serving.communicate(timeout=60)
    assert serving.returncode == 9
    assert "0 of 1 have their certificate" in out
    assert "spine-1: did not ask for its certificate in time" in errors
    document, _ = nornir(site, "day0", "serve", "--for", "1", "--limit", "spine-1", "--json").communicate(timeout=60)
    assert published(json.loads(document))["waiting"] == ["spine-1"]
