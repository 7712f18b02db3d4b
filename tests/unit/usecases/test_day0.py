"""nornir day0: what is missing is refused with its place, one site writes the same files, and no secret is in them."""

import hashlib
import json
import re
import stat
from pathlib import Path

import pytest

from nornir_tasks.errors import GpufabricError, IntentError, RefusedError
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.usecases.day0 import DNSMASQ, INDEX, KEA, prepare, write
from nornir_tasks.usecases.site import load, select
from tests.unit.usecases.day0_site import SWITCHES, names_of_switches, prepared, with_management, write_site
from tests.unit.usecases.oob_site import LOG, TIME

CHOSEN = (",".join(SWITCHES.values()),)


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))


def problems(folder: Path, **changes: object) -> list[str]:
    with pytest.raises(IntentError) as caught:
        prepare(select(with_management(load(folder), **changes)))  # type: ignore[arg-type]
    return [str(each) for each in caught.value.problems]


def test_unmanaged_base_is_refused_at_its_fabric_with_what_to_say(tmp_path: Path) -> None:
    found = problems(write_site(tmp_path / "site", base=""))
    assert len(found) == 4  # one for each fabric
    assert re.search(r"fabric\.yml:\d+: fabrics\.compute: base configuration is unmanaged here: 10 switches", found[0])
    assert "hint: say what is managed, as base: {ntp: [...]}" in found[0]


def test_a_base_whose_first_push_would_lock_us_out_is_refused(tmp_path: Path) -> None:
    (found,) = problems(write_site(tmp_path / "site", base=f"base: {{ntp: [{TIME}]}}\n"))
    assert re.search(r"fabric\.yml:\d+: base\.accounts: the account that pushes is none of those", found)
    assert "found: accounts are not managed" in found


def test_a_switch_with_neither_serial_number_nor_mac_is_refused_by_name(tmp_path: Path) -> None:
    (found,) = problems(write_site(tmp_path / "site", without=frozenset({"spine-1"})))
    assert "devices.yml: spine-1: nothing to know this switch by at first boot" in found


def test_a_switch_without_a_management_address_is_refused_by_name(tmp_path: Path) -> None:
    (found,) = problems(write_site(tmp_path / "site"), but="leaf-g1-r1")
    assert found.startswith("leaf-g1-r1: no address of its management port")


def test_a_site_that_serves_nowhere_is_refused(tmp_path: Path) -> None:
    (found,) = problems(write_site(tmp_path / "site", day0=""))
    assert "fabric.yml: no server that switches could fetch from" in found


def test_a_closed_day_0_whose_server_no_list_leads_to_is_refused_and_an_open_one_is_not(tmp_path: Path) -> None:
    (found,) = problems(write_site(tmp_path / "shut", day0="day0: {server: 10.183.0.2}\n"))
    assert re.search(r"fabric\.yml:\d+: day0: day 0 is closed: the lists of plane oob let no factory switch", found)
    prepared(write_site(tmp_path / "open", day0="day0: {server: 10.183.0.2, open: true}\n"))


def test_what_was_made_so_long_ago_that_its_switch_believes_no_time_is_made_anew_unless_it_was_used(
    tmp_path: Path,
) -> None:
    site = write_site(tmp_path / "site")
    first = prepared(site, limit=CHOSEN)
    (kept,) = (tmp_path / "state").rglob("day0.json")
    known = json.loads(kept.read_text())
    used, *others = SWITCHES.values()
    for each in known.values():
        each["made_s"] -= 31 * 86_400
    known[used]["certificate_sha256"] = "0" * 64
    kept.write_text(json.dumps(known))
    second = prepared(site, limit=CHOSEN)
    assert second.secrets[used].token == first.secrets[used].token
    assert all(second.secrets[each].token != first.secrets[each].token for each in others)


def test_written_twice_the_files_are_the_same_and_the_second_run_says_so(tmp_path: Path) -> None:
    site, out = write_site(tmp_path / "site"), tmp_path / "out"
    first = write(prepared(site), out)
    before = {path.name: path.read_bytes() for path in first.written.files}
    again = write(prepared(site), out)
    assert len(first.written.changed) == len(first.written.files) == 2 * len(names_of_switches()) + 4
    assert again.written.changed == ()
    assert {path.name: path.read_bytes() for path in again.written.files} == before


def test_what_changed_is_named_and_an_edited_file_is_not_lost(tmp_path: Path) -> None:
    site, out = write_site(tmp_path / "site"), tmp_path / "out"
    write(prepared(site), out)
    intent = site / "fabric.yml"
    intent.write_text(intent.read_text().replace(f"ntp: [{TIME}]", f"ntp: [{LOG}]"))
    changed = {path.name for path in write(prepared(site), out).written.changed}
    assert "leaf-g1-r0.startup-config" in changed
    assert INDEX not in changed
    (out / "spine-1.sh").write_text("#!/bin/bash\nreboot\n")
    with pytest.raises(RefusedError, match=r"spine-1\.sh"):
        write(prepared(site), out)


def test_no_secret_stands_in_a_file_unless_it_is_asked_for(tmp_path: Path) -> None:
    day0 = prepared(write_site(tmp_path / "site"))
    named, filled = tmp_path / "named", tmp_path / "filled"
    write(day0, named)
    write(day0, filled, fill=True)
    for name in SWITCHES.values():
        known = day0.secrets[name]
        texts = [path.read_text() for path in named.iterdir()]
        assert not any(known.token in text or known.salt in text for text in texts)
        assert any(f"!secret day0-token-{name}" in text for text in texts)
        of_filled = [path.read_text() for path in filled.iterdir()]
        assert sum(known.token in text for text in of_filled) == 3  # the script, Kea's file, dnsmasq's
        assert not any(known.password in text or known.nobodys_password in text for text in of_filled)


def test_files_with_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    day0 = prepared(write_site(tmp_path / "site"))
    write(day0, tmp_path / "new", fill=True)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(GpufabricError, match="others may look into this folder"):
        write(day0, tmp_path / "open", fill=True)
    state = day0.design.site.state_directory / "day0.json"
    assert stat.S_IMODE(state.stat().st_mode) == 0o600


def test_a_script_written_out_names_the_configuration_written_out(tmp_path: Path) -> None:
    day0 = prepared(write_site(tmp_path / "site"), limit=CHOSEN)
    write(day0, tmp_path / "out", fill=True)
    index = json.loads((tmp_path / "out" / INDEX).read_text())
    assert {each["device"] for each in index.values()} == set(SWITCHES.values())
    for entry in index.values():
        digest = hashlib.sha256((tmp_path / "out" / entry["config"]).read_bytes()).hexdigest()
        assert digest in (tmp_path / "out" / entry["script"]).read_text()


def test_secrets_stay_until_they_are_renewed_or_the_switch_is_exchanged(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site")
    first = prepared(site).secrets
    assert prepared(site).secrets == first
    renewed = prepared(site, frozenset({"spine-1"})).secrets
    assert {name for name in first if renewed[name] != first[name]} == {"spine-1"}
    devices = site / "devices.yml"
    devices.write_text(devices.read_text().replace("serial: SER11,", "serial: OTHER,"))
    assert prepared(site).secrets["leaf-g1-r0"].token != first["leaf-g1-r0"].token


def test_a_token_is_used_once_whoever_asks(tmp_path: Path) -> None:
    store = Day0File(tmp_path)
    token = store.secrets_for({"leaf-1": "ABC"})["leaf-1"].token
    assert not store.use("leaf-1", "another", "cafe")
    assert store.use("leaf-1", token, "cafe")
    assert not store.use("leaf-1", token, "cafe")
    store.forget("leaf-1")
    assert store.read() == {}


def test_the_dhcp_server_sends_each_switch_to_its_own_token(tmp_path: Path) -> None:
    day0 = prepared(write_site(tmp_path / "site"), limit=CHOSEN)
    write(day0, tmp_path / "out", fill=True)
    for file in (KEA, DNSMASQ):
        text = (tmp_path / "out" / file).read_text()
        assert all(f"{day0.secrets[name].token}/boot" in text for name in SWITCHES.values())
