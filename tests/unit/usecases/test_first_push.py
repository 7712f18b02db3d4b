"""The first push after day 0 may exchange accounts; nothing else of the management path, and no other push."""

import re
from pathlib import Path

import pytest

from nornir_tasks.deploy.evidence import Evidence
from nornir_tasks.deploy.plan import device_plan
from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.drivers.session import Login
from nornir_tasks.errors import RefusedError
from nornir_tasks.files.day0_file import Day0File
from nornir_tasks.inventory.endpoints import endpoints
from nornir_tasks.usecases.site import load, select
from tests.unit.usecases.day0_site import SWITCHES, write_site

BASE = """base:
  api: {certificate: fabric-2026}
  accounts: {gpufabric: {role: admin, hash: {eos: !secret push-512, nxos: !secret push-256, nvue: !secret push-512}}}
"""
SYSTEMS = pytest.mark.parametrize("name", SWITCHES.values(), ids=SWITCHES)


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUFABRIC_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("GPUFABRIC_SECRET_SWITCH", "the password of every push")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site", base=BASE)


def after_day0(wanted: Wanted, **more: str) -> str:
    """What the switch runs: all as wanted, but the account for one use instead of the declared one."""
    text = re.sub(r'\bgpufabric(?=["\' :])', "gpufabric-day0", wanted.platform.to_text(wanted.tree))
    for old, new in more.items():
        text = text.replace(old, new)
    return text


@SYSTEMS
def test_accounts_change_with_the_first_push_and_with_no_other(site: Path, name: str) -> None:
    wanted = select(load(site), ["base"])[name]
    running = after_day0(wanted)
    plan = device_plan(wanted, running, Evidence(once="gpufabric-day0"), first_push=True)
    assert {each.op for each in plan.changes} == {"+", "-"}
    assert all("gpufabric" in str(each) for each in plan.changes)
    with pytest.raises(RefusedError, match="management path"):
        device_plan(wanted, running, Evidence(once="gpufabric-day0"))


@SYSTEMS
def test_an_account_that_nobody_declared_stays_though_accounts_are_managed(site: Path, name: str) -> None:
    wanted = select(load(site), ["base"])[name]
    plan = device_plan(wanted, after_day0(wanted), first_push=True)
    assert {each.op for each in plan.changes} == {"+"}
    assert any("gpufabric-day0" in each.path[-1] for each in plan.others)


@SYSTEMS
def test_the_first_push_changes_nothing_else_of_the_management_path(site: Path, name: str) -> None:
    wanted = select(load(site), ["base"])[name]
    with pytest.raises(RefusedError) as caught:
        device_plan(wanted, after_day0(wanted, **{"fabric-2026": "another"}), first_push=True)
    assert all("fabric-2026" in each.what or "another" in each.what for each in caught.value.problems)


def test_the_account_for_one_use_is_for_switches_whose_token_was_used_and_no_others(site: Path) -> None:
    design = load(site)
    store = Day0File(design.site.state_directory)
    made = store.secrets_for({"leaf-g1-r0": "SER11", "leaf-g1-r1": "SER12", "spine-1": "ANOTHER"})
    for name in ("leaf-g1-r0", "spine-1"):
        store.use(name, made[name].token, "cafe")
    known = endpoints(design.site, dict.fromkeys(made, "eos"))
    assert known["leaf-g1-r0"].endpoint.once == Login("gpufabric-day0", made["leaf-g1-r0"].password)
    assert known["leaf-g1-r1"].endpoint.once is None
    assert known["spine-1"].endpoint.once is None
    assert made["leaf-g1-r0"].password not in repr(known)
