"""Scripts of the first boot: each is recognised by its system, clean for its language, and carries what it proves."""

import ast
import hashlib
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from nornir_tasks.day0.first_boot import Identity
from nornir_tasks.platforms import platform
from switch_twins.nvue.schema import schema_for
from tests.unit.day0.boots import BELIEVABLE, ONCE, SERVER, SYSTEMS, boot, new_switch

BIN = Path(sys.executable).parent
BY_SERIAL = Identity("ABC123", "02:00:00:00:00:01")
BY_MAC = Identity(None, "02:00:00:00:00:01")
BASE_OF_RELEASE = {
    "service": 'service:\n  ntp:\n    "mgmt":\n      server:\n        "192.0.2.123": {}\n',
    "system": 'system:\n  ntp:\n    server:\n      "192.0.2.123": {}\n    vrf: "mgmt"\n',
}
QUOTED = Identity("it's; rm -rf $HOME \"`\\", None)
identities = pytest.mark.parametrize("identity", [BY_SERIAL, BY_MAC], ids=["serial", "mac"])


@pytest.mark.parametrize("os", ["eos", "nvue"])
def test_a_serial_number_with_quotes_stays_one_word_of_the_shell(os: str) -> None:
    script = boot(new_switch(os, QUOTED)).script
    line = next(line for line in script.splitlines() if line.startswith("expected="))
    shown = subprocess.run(["bash", "-c", f'{line}\nprintf %s "$expected"'], capture_output=True, text=True, check=True)
    assert shown.stdout == QUOTED.serial


@identities
@pytest.mark.parametrize("os", ["eos", "nvue"])
def test_a_shell_script_has_nothing_that_shellcheck_knows(os: str, identity: Identity, tmp_path: Path) -> None:
    file = tmp_path / "boot.sh"
    file.write_text(boot(new_switch(os, identity), replace(SERVER, boot_url="https://198.51.100.10:8443")).script)
    found = subprocess.run([BIN / "shellcheck", "--norc", file], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")


@identities
def test_a_poap_script_needs_no_python_newer_than_that_of_nxos(identity: Identity, tmp_path: Path) -> None:
    file = tmp_path / "boot.py"
    file.write_text(boot(new_switch("nxos", identity)).script)
    compile(file.read_text(), str(file), "exec")
    found = subprocess.run([BIN / "vermin", "-q", "-t=3.6-", file], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_judge_of_versions_itself_finds_what_is_too_new(tmp_path: Path) -> None:
    file = tmp_path / "new.py"
    file.write_text("if (found := 1):\n    print(found)\n")
    assert subprocess.run([BIN / "vermin", "-q", "-t=3.6-", file], capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("os", SYSTEMS)
def test_each_script_begins_as_its_system_recognises_scripts(os: str) -> None:
    lines = boot(new_switch(os)).script.splitlines()
    assert lines[0] == ("#!/bin/env python3" if os == "nxos" else "#!/bin/bash")
    assert ("# CUMULUS-AUTOPROVISIONING" in lines) == (os == "nvue")
    assert lines[1].startswith("#md5sum=") == (os == "nxos")


def test_the_md5_of_a_poap_script_is_that_of_all_its_other_lines() -> None:
    script = boot(new_switch("nxos")).script
    shown = re.search(r'^#md5sum="([0-9a-f]{32})"$', script, re.MULTILINE)
    rest = "".join(line for line in script.splitlines(keepends=True) if not line.startswith("#md5sum"))
    assert shown
    assert shown[1] == hashlib.md5(rest.encode()).hexdigest()


@pytest.mark.parametrize("os", SYSTEMS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_clock_is_set_within_bounds_before_a_certificate_is_judged(os: str, scheme: str) -> None:
    script = boot(new_switch(os), replace(SERVER, boot_url=f"{scheme}://198.51.100.10:8080")).script
    own = script[script.index("def main") :] if os == "nxos" else script
    assert own.index("set_clock") < own.index('ask("/config")' if os == "nxos" else "--cacert")
    for bound_s in (BELIEVABLE.earliest_s, BELIEVABLE.latest_s):
        assert str(bound_s) in script
    assert script.count("--insecure") == (scheme == "https" and os != "nxos"), "for the date alone"


@pytest.mark.parametrize("os", SYSTEMS)
def test_a_script_names_the_hash_of_the_configuration_that_goes_with_it(os: str) -> None:
    made = boot(new_switch(os))
    assert hashlib.sha256(made.config.encode()).hexdigest() in made.script
    other = boot(new_switch(os, name="leaf-2"))
    assert other.config_sha256 != made.config_sha256


@pytest.mark.parametrize("os", SYSTEMS)
def test_the_same_switch_gets_the_same_bytes_and_a_token_is_in_the_script_alone(os: str) -> None:
    one, other = boot(new_switch(os)), boot(new_switch(os), once=replace(ONCE, token="0THER"))
    assert boot(new_switch(os)) == one
    assert one.config == other.config
    assert ONCE.token in one.script
    assert one.script.replace(ONCE.token, "0THER").splitlines()[2:] == other.script.splitlines()[2:]


@pytest.mark.parametrize("os", SYSTEMS)
def test_a_configuration_holds_the_account_for_one_use_the_address_and_the_managed_base(os: str) -> None:
    config = boot(new_switch(os)).config
    for each in (ONCE.account, ONCE.password_hash, "192.0.2.11/24", "192.0.2.1", "leaf-1", "192.0.2.123"):
        assert each in config


def test_what_base_says_replaces_what_day_0_says_on_cumulus_and_words_stay_words() -> None:
    base = 'system:\n  hostname: "other"\n  ssh-server:\n    state: "off"\n'
    read = YAML(typ="safe").load(boot(new_switch("nvue", base=base)).config)[0]["set"]
    assert read["system"]["hostname"] == "other"
    assert read["system"]["ssh-server"] == {"state": "off"}
    assert read["system"]["api"] == {"certificate": "day0", "state": "enabled"}


@pytest.mark.parametrize("release", platform("nvue").facts.releases)
def test_the_configuration_of_cumulus_linux_is_within_the_schema_of_each_release(release: str) -> None:
    facts = platform("nvue").facts.capabilities(release, "spectrum4")
    base = BASE_OF_RELEASE[facts.spelling.ntp]  # type: ignore[attr-defined]
    tree = YAML(typ="safe").load(boot(new_switch("nvue", facts=facts, base=base, api_port=8765)).config)[0]["set"]
    assert schema_for(f"{release}.0").mistakes(tree) == ()


def test_a_poap_script_is_python_that_runs_nothing_when_it_is_read() -> None:
    tree = ast.parse(boot(new_switch("nxos")).script)
    kinds = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.If)
    assert all(isinstance(node, kinds) for node in tree.body)
