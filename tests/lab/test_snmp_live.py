"""SNMPv3 users with keys from secrets, by way of the command line: each switch's own, and shown nowhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from adopting import adopt_words
from at_terminal import Operator, lab_of_its_own, small_site

LEAVES = {"eos": "leaf-g1-r0", "nxos": "leaf-g1-r1"}
EVERY = ("leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2")
ALLOWED = tuple(word for device in EVERY for word in ("--allow-management", device))
BASE = """
base:
  control_plane: {allowed: [127.0.0.0/8, 192.0.2.0/24]}
  snmp:
    users:
      nms: {auth: sha, auth_key: !secret nms-auth, privacy_key: !secret nms-privacy}
    location: Hall 3
    managers: [198.51.100.61/32]
    traps: {to: [198.51.100.61], user: nms}
"""
_KEY = "8da526cd35b9ea9b42d819036f7fad0585{:02x}ea0a"


def keys(first: int = 1) -> dict[str, str]:
    """Localized keys: two for each switch, no two alike."""
    found = {}
    for number, device in enumerate(EVERY, start=first):
        before = "0x" if device == LEAVES["nxos"] else ""
        found[f"nms-auth-{device}"] = before + _KEY.format(number)
        found[f"nms-privacy-{device}"] = before + _KEY.format(0x40 + number)[-32:]
    return found


def of_eos_and_nxos(where: Path) -> Operator:
    """Its spines, too, are of EOS: Cumulus Linux takes no localized keys."""
    made = small_site(where)
    file = made.site / "fabric.yml"
    lines = file.read_text().splitlines(keepends=True)
    (spine,) = (n for n, line in enumerate(lines) if line.strip() == "spine:")
    text = "".join(lines[spine:])
    for old, new in (
        ("platform: nvue", "platform: eos"),
        ('release: "5.14"', "release: 4.33.1F"),
        ("model: SN5600", "model: 7060DX5-64S"),
    ):
        text = text.replace(old, new, 1)
    kept = text.splitlines(keepends=True)
    (override,) = (n for n, line in enumerate(kept) if "index: [1]" in line)
    del kept[override - 1 : override + 1]
    file.write_text("".join(lines[:spine]) + "".join(kept))
    return made


class Site:
    """An operator who keeps all that was printed."""

    def __init__(self, operator: Operator) -> None:
        self.operator, self.printed = operator, list[str]()
        self.file = operator.site / "fabric.yml"
        self.plain = self.file.read_text()
        self.first = ""
        """What the plan before all tests printed."""

    def run(self, *words: str, code: int = 0) -> str:
        self.printed.append(self.operator.run(*words, code=code))
        return self.printed[-1]

    def push(self, *words: str, code: int = 0) -> str:
        return self.run("push", "--plane", "base", "--yes", *ALLOWED, *words, code=code)

    def keep(self, values: dict[str, str]) -> None:
        folder = self.operator.site / ".secrets"
        folder.mkdir(exist_ok=True)
        for name, value in values.items():
            (folder / name).touch(mode=0o600)
            (folder / name).write_text(value + "\n")

    def running(self, device: str) -> str:
        """What a switch holds, as it keeps it."""
        return str(self.operator.control.ask("running-config", device=device))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Whatever a test does, no key is printed, or kept outside of switches and vault."""
    with lab_of_its_own(tmp_path_factory.mktemp("snmp"), of_eos_and_nxos) as operator:
        made = Site(operator)
        made.file.write_text(made.plain + BASE)
        made.keep(keys())
        made.first = made.run("plan", "--all", "--plane", "base", *ALLOWED)
        assert "4 of 4 changed" in made.push(*adopt_words(operator, "--plane", "base", *ALLOWED, all_of_it=True))
        yield made
        kept = [
            path.read_bytes()
            for path in operator.state.rglob("*")
            if path.is_file() and "lab" not in path.relative_to(operator.state).parts
        ]
        for value in (*keys().values(), *keys(9).values()):
            assert not [text for text in made.printed if value.removeprefix("0x") in text]
            assert not [data for data in kept if value.removeprefix("0x").encode() in data]


def test_users_are_pushed_with_the_keys_of_each_switch_and_a_second_push_changes_nothing(site: Site) -> None:
    assert "auth sha <secret:nms-auth-leaf-g1-r0> priv aes <secret:nms-privacy-leaf-g1-r0>" in site.first
    assert "stays: snmp-server user telemetry MONITORING v3 localized" in site.first
    for device in EVERY:
        assert keys()[f"nms-auth-{device}"] in site.running(device)
        assert keys()[f"nms-privacy-{device}"] in site.running(device)
    for device in EVERY:
        lets_in = r"permit udp (?:host 198\.51\.100\.61|198\.51\.100\.61/32) any eq (?:snmp|161)"
        assert re.search(lets_in, site.running(device))
    assert "0 of 4 changed" in site.push()
    assert "0 of 4 switches would change" in site.run("plan", "--plane", "base")
    report = json.loads(site.run("validate", "--plane", "base", "--json", "--all"))
    assert {each["verdict"] for each in report["findings"] if each["check"] == "config"} == {"pass"}


def test_new_keys_in_the_vault_are_a_change_on_every_switch(site: Site) -> None:
    site.keep(keys(9))
    assert "4 of 4 changed" in site.push()
    assert all(keys(9)[f"nms-auth-{device}"] in site.running(device) for device in EVERY)
    assert "0 of 4 changed" in site.push()
    site.keep(keys())
    assert "4 of 4 changed" in site.push()


def test_what_somebody_adds_by_hand_is_named_without_its_key_and_goes_when_it_is_adopted(site: Site) -> None:
    hand = site.operator.hands()[LEAVES["eos"]]
    hand.configure("snmp-server community of-somebody-else ro")
    found = site.run("plan", "--plane", "base", *ALLOWED)
    assert "stays: snmp-server community <hidden:" in found
    assert "of-somebody-else" not in found
    assert "0 of 4 changed" in site.push()
    assert "of-somebody-else" in site.running(LEAVES["eos"])
    words = ("--adopt", "leaf-g1-r0:snmp-server community")
    assert f"--adopt '{words[1]}'" in found
    assert "1 of 4 changed" in site.push(*words)
    assert "of-somebody-else" not in site.running(LEAVES["eos"])


@pytest.mark.parametrize("value", ["a passphrase in clear text", "8da526cd"], ids=["passphrase", "too short"])
def test_a_secret_that_is_no_key_is_refused_with_its_place_and_not_repeated(site: Site, value: str) -> None:
    site.keep({"nms-auth-leaf-g1-r0": value})
    try:
        refused = site.push(code=3)
    finally:
        site.keep(keys())
    what = "base.snmp.users.nms.auth_key: the value of the secret 'nms-auth-leaf-g1-r0' is no localized sha key of eos"
    assert what in refused
    assert "expected: 40 hexadecimal digits" in refused
    assert "engine 8000757104" in refused
    assert value not in refused


def test_a_switch_without_its_secret_is_named(site: Site) -> None:
    (site.operator.site / ".secrets" / "nms-privacy-spine-2").unlink()
    try:
        assert "the secret 'nms-privacy-spine-2' has no value" in site.push(code=3)
    finally:
        site.keep(keys())
