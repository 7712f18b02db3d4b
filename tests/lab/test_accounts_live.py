"""Accounts pushed over the wire: hashes reach the switches, and nothing that anybody reads or that is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from switch_twins.eos.passwords import sha512_crypt
from switch_twins.nvue.autofill import hash_password
from switch_twins.nxos.password import make_hash
from tests.lab.adopting import adopt_words
from tests.lab.at_terminal import Operator, lab_of_its_own, small_site

LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1", "nvue": "spine-1"}
EVERY = ("leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
ALLOWED = [word for name in EVERY for word in ("--allow-management", name)]
BASE = """
base:
  accounts:
    ops: {role: admin, hash: {eos: !secret ops-512, nxos: !secret ops-256, nvue: !secret ops-crypt}}
    viewer: {role: operator, hash: {eos: !secret viewer-512, nxos: !secret viewer-256, nvue: !secret viewer-512}}
"""
HASHES = {
    "ops-512": sha512_crypt("one password", "saltofops"),
    "ops-256": make_hash("one password", "saltofops"),
    "ops-crypt": hash_password("one password"),
    "viewer-512": sha512_crypt("another password", "saltofviewer"),
    "viewer-256": make_hash("another password", "saltofviewer"),
}
NEW = {
    "ops-512": sha512_crypt("a new password", "newsaltofops"),
    "ops-256": make_hash("a new password", "newsaltofops"),
    "ops-crypt": hash_password("a new password"),
}
THEIRS = {"eos": sha512_crypt("theirs", "theirsalt"), "nxos": make_hash("theirs", "theirsalt")}
ADMIN = "$6$eJ5TvI8oru5i9e8G$R1X/SbtGTk9xoEHEBQASc7SC2nHYmi.crVgp2pXuCXwxsXEA81e4E0cXgQ6kX08fIeQzauqhv2kS.RGJFCon5/"
"""What account admin has on the lab's EOS switches."""
WRONG = {"login-512": sha512_crypt("not the password", "a"), "login-256": make_hash("not the password", "aa")}
AAA = """
  aaa:
    tacacs:
      servers: [192.0.2.92, 192.0.2.91]
      key: {eos: !secret tacacs-eos, nxos: !secret tacacs-nxos, nvue: !secret tacacs-nvue}
"""
KEYS = {"tacacs-eos": "0207014A0E1F1E4E0B", "tacacs-nxos": "fewhg123xyz", "tacacs-nvue": "shared-with-the-servers"}
RADIUS = """
  aaa:
    radius:
      servers: [192.0.2.96, 192.0.2.95]
      key: {eos: !secret radius-eos, nxos: !secret radius-nxos, nvue: !secret radius-nvue}
      timeout_s: 10
"""
RADIUS_KEYS = {
    "radius-eos": "0307014A0E1F1E4E0C",
    "radius-nxos": "ljw3976!xyz",
    "radius-nvue": "radius-with-the-servers",
}
SECRETS = (
    ADMIN,
    *KEYS.values(),
    *RADIUS_KEYS.values(),
    *(value for each in (HASHES, NEW, THEIRS, WRONG) for value in each.values()),
)


class Site:
    """An operator who keeps all that was printed."""

    def __init__(self, operator: Operator) -> None:
        self.operator, self.printed = operator, list[str]()
        self.file = operator.site / "fabric.yml"
        self.plain = self.file.read_text()
        self.first = ""
        """What the push before the test printed."""

    def run(self, *words: str, code: int = 0) -> str:
        self.printed.append(self.operator.run(*words, code=code))
        return self.printed[-1]

    def push(self, *words: str, code: int = 0) -> str:
        return self.run("push", "--plane", "base", "--yes", *words, code=code)

    def take_over(self) -> str:
        """A push that takes over all of others that it meets."""
        return self.push(*ALLOWED, *adopt_words(self.operator, "--plane", "base", *ALLOWED, all_of_it=True))

    def keep(self, hashes: dict[str, str]) -> None:
        folder = self.operator.site / ".secrets"
        folder.mkdir(exist_ok=True)
        for name, value in hashes.items():
            (folder / name).touch(mode=0o600)
            (folder / name).write_text(value + "\n")

    def running(self, os: str) -> str:
        """What a switch holds, as it keeps it."""
        return str(self.operator.control.ask("running-config", device=LEAVES[os]))

    def lets_in(self, os: str, account: str, password: str) -> bool:
        """Does a switch take this password?"""
        hand = self.operator.hands()[LEAVES[os]]
        path = {"eos": "/command-api", "nxos": "/ins", "nvue": "/nvue_v1/revision"}[os]
        ask = requests.get if os == "nvue" else requests.post
        return ask(hand.url + path, json={}, auth=(account, password), verify=hand.ca, timeout=20).status_code != 401

    def kept(self) -> Iterator[tuple[Path, bytes]]:
        """All files of the site's state but those that the lab's switches themselves have."""
        for path in self.operator.state.rglob("*"):
            if path.is_file() and "lab" not in path.relative_to(self.operator.state).parts:
                yield path, path.read_bytes()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with lab_of_its_own(tmp_path_factory.mktemp("accounts"), small_site) as operator:
        yield Site(operator)


@pytest.fixture
def site(lab: Site) -> Iterator[Site]:
    """With accounts pushed. Whatever a test does, no hash is printed, or kept outside of switches and vault."""
    lab.printed.clear()
    lab.file.write_text(lab.plain + BASE)
    lab.keep(HASHES)
    lab.first = lab.take_over()
    yield lab
    for part in (part for value in SECRETS for part in (value, value.split("$")[-1])):
        assert not [text for text in lab.printed if part in text]
        assert not [str(path) for path, data in lab.kept() if part.encode() in data]
    assert {path.name for path, _ in lab.kept()} >= {"journal.sqlite", "sent_secrets.json"}


def test_accounts_are_pushed_and_a_second_push_changes_nothing(site: Site) -> None:
    rendered = site.operator.site / "rendered"
    site.run("render", "--out", str(rendered))
    assert "<secret:ops-512>" in (rendered / "leaf-g1-r0.cfg").read_text()
    assert "of 4 changed" in site.first
    assert HASHES["ops-512"] in site.running("eos")
    assert HASHES["ops-256"] in site.running("nxos")
    assert all(site.lets_in(os, "ops", "one password") for os in LEAVES)
    assert "0 of 4 changed" in site.push(*ALLOWED)
    report = json.loads(site.run("validate", "--plane", "base", "--all", "--json"))
    found = {each["device"]: each["found"] for each in report["findings"] if each["check"] == "accounts"}
    assert found == dict.fromkeys(EVERY, "accounts: as declared")
    again = site.run("plan", "--plane", "base")
    assert "0 of 4 switches would change" in again
    assert "spine-1: cannot be compared, as the switch does not show it" in again
    assert "leaf-g1-r0: cannot be compared" not in again
    assert json.loads(site.run("plan", "--plane", "base", "--json"))["cannot_be_compared"].keys() == {
        "spine-1",
        "spine-2",
    }


def test_what_somebody_changes_by_hand_is_planned_away_without_its_hash(site: Site) -> None:
    hands = site.operator.hands()
    hands[LEAVES["eos"]].configure(f"username ops privilege 15 role network-admin secret sha512 {THEIRS['eos']}")
    hands[LEAVES["nxos"]].configure(f"username guest password 5 {THEIRS['nxos']} role network-admin")
    hands[LEAVES["nvue"]].nvue({"system": {"aaa": {"user": {"guest": {"role": "system-admin"}}}}})
    found = site.run("plan", "--plane", "base", *ALLOWED)
    assert "1 of 4 switches would change" in found
    site.push(code=7)
    assert "- username ops privilege 15 role network-admin secret sha512 <hidden:" in found
    assert "+ username ops privilege 15 role network-admin secret sha512 <secret:ops-512>" in found
    report = json.JSONDecoder().raw_decode(site.run("validate", "--plane", "base", "--all", "--json", code=8))[0]
    assert {each["verdict"] for each in report["findings"] if each["check"] == "reach"} == {"pass"}
    failed = [each for each in report["findings"] if each["verdict"] == "fail"]
    assert {each["device"]: each["found"] for each in failed if each["check"] == "accounts"} == {
        LEAVES["nxos"]: "accounts: also guest (admin)",
        LEAVES["nvue"]: "accounts: also guest (admin)",
    }
    assert {each["device"] for each in failed if each["check"] == "config"} == {LEAVES["eos"]}
    assert "stays: username guest password 5 <hidden:" in found
    assert "stays: system / aaa / user / guest" in found
    assert "1 of 4 changed" in site.push(*ALLOWED)
    assert "0 of 4 changed" in site.push(*ALLOWED)
    assert "guest" in site.running("nxos")
    words = ("--adopt", "leaf-g1-r1:username guest", "--adopt", "spine-1:system / aaa / user / guest")
    assert f"--adopt '{words[1]}'" in found
    assert f"--adopt '{words[3]}'" in found
    assert "2 of 4 changed" in site.push(*ALLOWED, *words)
    assert "guest" not in site.running("nxos") + site.running("nvue")
    assert "0 of 4 changed" in site.push(*ALLOWED)


def test_a_new_hash_in_the_vault_is_a_change_everywhere_and_sent_as_it_is(site: Site) -> None:
    site.keep(NEW)
    found = site.run("plan", "--plane", "base", *ALLOWED)
    assert "4 of 4 switches would change" in found
    assert "4 of 4 changed" in site.push(*ALLOWED)
    assert NEW["ops-512"] in site.running("eos")
    assert NEW["ops-256"] in site.running("nxos")
    assert all(site.lets_in(os, "ops", "a new password") for os in LEAVES)
    assert not any(site.lets_in(os, "ops", "one password") for os in LEAVES)
    assert "0 of 4 changed" in site.push(*ALLOWED)


def test_a_rollback_brings_secrets_back_by_name_and_refuses_what_had_none(site: Site) -> None:
    without = site.plain + BASE[: BASE.index("    viewer")]
    site.file.write_text(without)
    assert "4 of 4 changed" in site.push(*ALLOWED)
    assert "viewer" not in site.running("eos")
    site.file.write_text(site.plain + BASE)
    assert "4 of 4 changed" in site.run("rollback", "--yes", *ALLOWED)
    assert HASHES["viewer-512"] in site.running("eos")
    assert HASHES["viewer-256"] in site.running("nxos")
    assert '"viewer"' in site.running("nvue")
    assert "0 of 4 changed" in site.push(*ALLOWED)
    site.operator.hands()[LEAVES["eos"]].configure(
        f"username guest privilege 1 secret sha512 {THEIRS['eos']}",
    )
    assert "0 of 4 changed" in site.push(*ALLOWED)
    assert "1 of 4 changed" in site.push(*ALLOWED, "--adopt", f"{LEAVES['eos']}:username guest")
    refused = " ".join(site.run("rollback", "--yes", *ALLOWED, code=7).split())
    assert "they were not kept" in refused
    assert "username guest privilege 1 secret sha512 <hidden>" in refused
    assert re.search(rf"run: nornir push .*--limit {LEAVES['eos']}", refused)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("value", ["in clear text", "$1$NKhJ$PUfYNtJF2tIneEBZztchy."], ids=["clear text", "other kind"])
def test_a_secret_that_is_no_hash_is_refused_with_its_place_and_not_repeated(site: Site, value: str) -> None:
    site.keep({"viewer-256": value})
    try:
        refused = site.push(*ALLOWED, code=3)
    finally:
        site.keep(HASHES)
    line = (site.plain + BASE).splitlines().index(BASE.splitlines()[-1]) + 1
    assert f"fabric.yml:{line}: base.accounts.viewer.hash: the value of the secret 'viewer-256' is no hash" in refused
    assert "openssl passwd -5" in refused
    assert value not in refused


@pytest.mark.sampled(1)
@pytest.mark.parametrize("os", LEAVES)
def test_a_new_hash_that_the_pushing_account_does_not_know_is_taken_back_by_the_timer(site: Site, os: str) -> None:
    account = site.operator.hands()[LEAVES[os]].auth[0]
    site.keep(WRONG)
    hashes = "{eos: !secret login-512, nxos: !secret login-256, nvue: !secret login-512}"
    declared = f"    {account}: {{role: admin, hash: {hashes}}}\n"
    before = site.running(os)
    site.file.write_text(site.plain + BASE + declared)
    only = ("--limit", LEAVES[os])
    try:
        refused = site.push(*only, *ALLOWED, code=6)
    finally:
        site.file.write_text(site.plain + BASE)
    assert "takes the change back by itself within" in refused
    site.operator.control.ask("advance-clock", seconds=3600)
    assert site.running(os) == before
    assert "0 of 1 changed" in site.push(*only, *ALLOWED)


def test_servers_of_accounts_are_pushed_with_their_keys_and_a_second_push_changes_nothing(site: Site) -> None:
    site.keep(KEYS)
    site.file.write_text(site.plain + BASE + AAA)
    found = site.run("plan", "--plane", "base", *ALLOWED)
    assert "+ tacacs-server host 192.0.2.91 vrf MGMT key 7 <secret:tacacs-eos>" in found
    assert "in the way" in site.push(*ALLOWED, code=7)
    assert "4 of 4 changed" in site.take_over()
    assert f"tacacs-server host 192.0.2.91 vrf MGMT key 7 {KEYS['tacacs-eos']}" in site.running("eos")
    assert f'tacacs-server host 192.0.2.91 key 7 "{KEYS["tacacs-nxos"]}"' in site.running("nxos")
    assert "0 of 4 changed" in site.push(*ALLOWED)
    again = site.run("plan", "--plane", "base")
    assert "system / aaa / tacacs / server / 192.0.2.91 / secret" in again
    site.keep({"tacacs-eos": KEYS["tacacs-eos"] + "FF", "tacacs-nvue": "another-key-of-them"})
    assert "3 of 4 changed" in site.push(*ALLOWED)
    assert "0 of 4 changed" in site.push(*ALLOWED)
    site.keep({"tacacs-eos": "in clear text"})
    assert "base.aaa.tacacs.key: the value of the secret 'tacacs-eos' is no key" in site.push(*ALLOWED, code=3)
    site.keep(KEYS)
    site.file.write_text(site.plain + BASE)


def test_radius_servers_are_pushed_with_their_keys_and_a_second_push_changes_nothing(site: Site) -> None:
    site.keep(RADIUS_KEYS)
    site.file.write_text(site.plain + BASE + RADIUS)
    found = site.run("plan", "--plane", "base", *ALLOWED)
    assert "+ radius-server host 192.0.2.95 vrf MGMT timeout 10 key 7 <secret:radius-eos>" in found
    assert "4 of 4 changed" in site.take_over()
    assert f"radius-server host 192.0.2.95 vrf MGMT timeout 10 key 7 {RADIUS_KEYS['radius-eos']}" in site.running("eos")
    assert f'radius-server host 192.0.2.95 key 7 "{RADIUS_KEYS["radius-nxos"]}" authentic' in site.running("nxos")
    assert "tacacs-server" not in site.running("eos") + site.running("nxos")
    assert "0 of 4 changed" in site.push(*ALLOWED)
    assert "system / aaa / radius / server / 192.0.2.95 / secret" in site.run("plan", "--plane", "base")
    site.keep({"radius-nvue": "another-key-of-them"})
    assert "2 of 4 changed" in site.push(*ALLOWED)
    site.keep({"radius-eos": "in clear text"})
    assert "base.aaa.radius.key: the value of the secret 'radius-eos' is no key" in site.push(*ALLOWED, code=3)
    site.keep(RADIUS_KEYS)
    site.file.write_text(site.plain + BASE)
