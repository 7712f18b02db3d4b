"""What an operator reads when a switch does not answer as it must: goldens; nothing is pushed."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from by_hand import hands

from tests import preloaded_client

ROOT = Path(__file__).parents[2]
GOLDENS = ROOT / "tests/errors/devices"
DEVICES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-2"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    where = tmp_path_factory.mktemp("errors")
    shutil.copytree(ROOT / "inventory/lab-rails", where / "lab")
    nornir(where, "lab", "up")
    try:
        yield where
    finally:
        nornir(where, "lab", "down")


def nornir(where: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "GPUFABRIC_STATE": str(where / "state")}
    return preloaded_client.nornir(*words, "--site", str(where / "lab"), environ=environ, timeout_s=120)


def lab_folder(where: Path) -> Path:
    (found,) = (where / "state").glob("*/lab")
    return found


@pytest.fixture
def listed(site: Path) -> Iterator[Callable[[Callable[[dict[str, Any]], None]], None]]:
    """Change the device list for one test."""
    file = lab_folder(site) / "devices.yml"
    before = file.read_text()

    def change(edit: Callable[[dict[str, Any]], None]) -> None:
        head, _, tail = before.partition("devices:\n")
        devices = yaml.safe_load("devices:\n" + tail)["devices"]
        edit(devices)
        file.write_text(head + yaml.safe_dump({"devices": devices}, sort_keys=False))

    try:
        yield change
    finally:
        file.write_text(before)


def output(site: Path, done: subprocess.CompletedProcess[str]) -> str:
    """The message with what differs from run to run made the same."""
    text = done.stderr.replace(str(lab_folder(site)), "LAB").replace(str(site), "SITE")
    text = re.sub(r"127\.\d+\.\d+\.\d+", "ADDRESS", text)
    text = re.sub(r"\b0x[0-9a-f]+\b", "0x0", text)
    return f"exit {done.returncode}\n{text}"


def compare(name: str, text: str, update: bool) -> None:
    golden = GOLDENS / f"{name}.txt"
    if update:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(os.environ.get("UPDATE_GOLDENS")) and not os.environ.get("CI")


@pytest.mark.parametrize("system", sorted(DEVICES))
def test_an_unreachable_switch_is_named_and_nothing_is_pushed(site, listed, update, system) -> None:
    listed(lambda devices: devices[DEVICES[system]].update(api_port=9, ssh_port=9))
    compare(f"unreachable-{system}", output(site, nornir(site, "push", "--yes", "--limit", DEVICES[system])), update)


def test_one_unreachable_switch_stops_the_push_on_all(site, listed) -> None:
    before = {name: hand.running() for name, hand in hands(lab_folder(site)).items()}
    listed(lambda devices: devices["spine-1"].update(api_port=9))
    assert nornir(site, "push", "--yes").returncode == 6
    assert {name: hand.running() for name, hand in hands(lab_folder(site)).items()} == before


@pytest.mark.parametrize("system", sorted(DEVICES))
def test_wrong_credentials_are_named_and_the_password_is_not(site, update, system) -> None:
    secret = lab_folder(site) / ".secrets/switch_password"
    before = secret.read_text()
    secret.write_text("not-the-password")
    try:
        done = nornir(site, "push", "--yes", "--limit", DEVICES[system])
    finally:
        secret.write_text(before)
    assert "not-the-password" not in done.stdout + done.stderr
    compare(f"credentials-{system}", output(site, done), update)


@pytest.mark.parametrize("system", sorted(DEVICES))
def test_a_certificate_of_an_unknown_authority_is_refused(site, update, system, tmp_path) -> None:
    authority = lab_folder(site) / "ca.pem"
    before = authority.read_bytes()
    shutil.copy(_other_authority(tmp_path), authority)
    try:
        done = nornir(site, "push", "--yes", "--limit", DEVICES[system])
    finally:
        authority.write_bytes(before)
    compare(f"certificate-{system}", output(site, done), update)


def _other_authority(folder: Path) -> Path:
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "1",
    ]
    command += ["-subj", "/CN=somebody else", "-keyout", str(folder / "key.pem"), "-out", str(folder / "ca.pem")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return folder / "ca.pem"


@pytest.mark.parametrize("system", sorted(DEVICES))
def test_a_switch_with_another_serial_number_is_refused(site, listed, update, system) -> None:
    listed(lambda devices: devices[DEVICES[system]].update(serial="SOMEOTHER01"))
    compare(f"serial-{system}", output(site, nornir(site, "push", "--yes", "--limit", DEVICES[system])), update)


PAIRS = {"eos": ("leaf-g1-r0", "leaf-g1-r2"), "nxos": ("leaf-g1-r1", "leaf-g1-r3"), "nvue": ("spine-1", "spine-2")}


def _swap(devices: dict[str, Any], one: str, other: str, *, keep_serials: bool) -> None:
    """As a slip of the hand in the device list would: each stands where the other one is."""
    for key in ("address", "api_port", "ssh_port"):
        devices[one][key], devices[other][key] = devices[other][key], devices[one][key]
    if not keep_serials:
        del devices[one]["serial"], devices[other]["serial"]


@pytest.mark.parametrize("system", sorted(PAIRS))
def test_two_swapped_addresses_are_noticed_by_the_switches_names(site, listed, update, system) -> None:
    before = {name: hand.running() for name, hand in hands(lab_folder(site)).items()}
    listed(lambda devices: _swap(devices, *PAIRS[system], keep_serials=False))
    done = nornir(site, "push", "--yes", "--limit", ",".join(PAIRS[system]))
    assert done.returncode == 6
    compare(f"swapped-{system}", output(site, done), update)
    assert {name: hand.running() for name, hand in hands(lab_folder(site)).items()} == before


def test_a_declared_serial_number_decides_whatever_the_names_are(site, listed) -> None:
    one, other = PAIRS["eos"]
    listed(lambda devices: _swap(devices, one, other, keep_serials=True))
    swapped = nornir(site, "plan", "--limit", one)
    assert swapped.returncode == 6
    assert "another switch answers at this address" in swapped.stderr

    def as_they_are(devices: dict[str, Any]) -> None:
        _swap(devices, one, other, keep_serials=True)
        devices[one]["serial"], devices[other]["serial"] = devices[other]["serial"], devices[one]["serial"]

    listed(as_they_are)
    done = nornir(site, "plan", "--limit", one)
    assert "answers at this address" not in done.stderr
    assert "warning" not in done.stderr


def test_a_switch_known_by_its_address_alone_is_warned_of_once(site, listed, update) -> None:
    def forget_serials(devices: dict[str, Any]) -> None:
        for entry in devices.values():
            del entry["serial"]

    listed(forget_serials)
    done = nornir(site, "plan", "--json")
    assert done.returncode == 0
    compare("no-serials", output(site, done), update)
    unidentified = json.loads(done.stdout)["unidentified"]
    assert [each["device"] for each in unidentified] == sorted(each["hostname"] for each in unidentified)
    assert all(each["serial"].startswith("LAB") for each in unidentified)


RELEASES = {
    "eos": ("4.33.1F", "4.32.2F"),
    "nxos": ('"10.4(3)"', '"10.5(2)"'),
    "nvue": ('release: "5.14"', 'release: "5.16"'),
}


@pytest.mark.parametrize("system", sorted(DEVICES))
def test_a_switch_with_another_release_is_refused(site, update, system) -> None:
    file = site / "lab/fabric.yml"
    before = file.read_text()
    file.write_text(before.replace(*RELEASES[system]))
    try:
        done = nornir(site, "push", "--yes", "--limit", DEVICES[system])
    finally:
        file.write_text(before)
    compare(f"release-{system}", output(site, done), update)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", sorted(DEVICES))
def test_an_accepted_release_is_rendered_for_and_nothing_is_left_to_change(site, system) -> None:
    file = site / "lab/fabric.yml"
    before = file.read_text()
    words = ("push", "--yes", "--accept-release", "--limit", DEVICES[system])
    file.write_text(before.replace(*RELEASES[system]))
    try:
        assert "1 of 1 changed" in nornir(site, *words).stdout
        assert "0 of 1 changed" in nornir(site, *words).stdout
    finally:
        file.write_text(before)
    assert "0 of 1 changed" in nornir(site, "push", "--yes", "--limit", DEVICES[system]).stdout
    assert nornir(site, "rollback", "--yes").returncode == 0


def test_a_push_with_nobody_to_ask_and_no_yes_changes_nothing(site, update) -> None:
    before = {name: hand.running() for name, hand in hands(lab_folder(site)).items()}
    done = nornir(site, "push")
    compare("nobody-to-ask", output(site, done), update)
    assert {name: hand.running() for name, hand in hands(lab_folder(site)).items()} == before


def test_verbs_of_a_site_whose_lab_is_down_say_how_to_start_it(tmp_path, update) -> None:
    shutil.copytree(ROOT / "inventory/lab-rails", tmp_path / "lab")
    done = nornir(tmp_path, "push", "--yes")
    text = f"exit {done.returncode}\n{done.stderr}".replace(str(tmp_path), "SITE")
    compare("lab-down", text, update)
