"""After day 0 a switch's first push brings all sections of base configuration, and a second one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from described_lab import LabDescription, RunningLab
from first_boots import PASSWORD, SWITCHES, FirstBoots, factory_switches, with_management

from nornir_tasks.day0.first_boot import ACCOUNT
from nornir_tasks.drivers import open_session
from nornir_tasks.errors import RefusedError
from nornir_tasks.intent.keys.base import BaseIntent
from nornir_tasks.usecases.push import push
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.site import load, select

ALL = """base:
  vrf: MGMT
  hostname: managed
  banner: "Property of Example 7.\\nAll sessions are recorded."
  timezone: UTC
  management: managed
  dns: {servers: [10.183.0.5], domain: fabric.example.net}
  ntp: [10.183.0.69]
  syslog: [10.183.0.6]
  api: {certificate: fabric-2026}
  ssh: {idle_minutes: 10}
  control_plane: {allowed: [127.0.0.0/8, 10.183.0.0/16]}
  accounts: {gpufabric: {role: admin, hash: {eos: !secret push-512, nxos: !secret push-256, nvue: !secret push-512}}}
  aaa: {tacacs: {servers: [10.183.0.70], key: {eos: !secret key-7, nxos: !secret key-7, nvue: !secret key}}}
"""
AT_DAY0 = ("Property of Example 7.", "10.183.0.5", "10.183.0.6", "10.183.0.69", "GPUFABRIC-BASE-CONTROL", "fabric-2026")
"""What stands in one line of each section that a switch begins with."""
TACACS = "10.183.0.70"
"""Who is asked for accounts comes with the first push: the key is a secret."""


@pytest.fixture(scope="module")
def booting(
    tmp_path_factory: pytest.TempPathFactory, start_module_lab: Callable[[LabDescription], RunningLab]
) -> Iterator[FirstBoots]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GPUFABRIC_STATE", str(tmp_path_factory.mktemp("state")))
        with factory_switches(tmp_path_factory.mktemp("whole"), start_module_lab, ALL) as made:
            for name, value in (("key-7", "071B245F5A"), ("key", "a-shared-key")):
                (made.site / ".secrets" / name).touch(mode=0o600)
                (made.site / ".secrets" / name).write_text(value)
            yield made


def test_all_sections_that_there_are_for_every_system_are_on() -> None:
    assert {each for each in BaseIntent.model_fields if f"\n  {each}: " not in ALL} == {"snmp"}  # not on Cumulus Linux


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SWITCHES.values(), ids=SWITCHES)
def test_the_first_push_brings_all_of_base_and_the_second_changes_nothing(booting: FirstBoots, name: str) -> None:
    boots, os = booting, booting.day0.design.network.device(name).os
    report = boots.boot(name)
    assert report["is_done"], "\n".join(report["log"])
    chosen = select(with_management(load(boots.site), boots.lab), ["base"], [name])
    at_day0 = str(boots.lab.control.ask("running-config", device=name))
    assert [each for each in AT_DAY0 if each not in at_day0] == []
    assert TACACS not in at_day0
    assert "<secret:" not in at_day0
    with pytest.raises(RefusedError, match=f"--allow-management {name}") as refused:
        push(chosen, Reach(workers=1), lambda _: True)
    assert "username" not in str(refused.value)  # accounts need no leave, who is asked for others does
    assert TACACS in str(refused.value)
    assert boots.lab.control.ask("running-config", device=name) == at_day0
    allowed = Reach(workers=1, allow_management=frozenset({name}))
    first = push(chosen, allowed, lambda _: True)
    assert not first.errors, "\n".join(map(str, first.errors.values()))
    assert first.changed == [name]
    running = str(boots.lab.control.ask("running-config", device=name))
    assert ACCOUNT not in running
    assert [each for each in (*AT_DAY0, TACACS) if each not in running] == []
    second = push(chosen, replace(allowed, allow_management=frozenset()), lambda _: True)
    second.require_done()
    assert (second.changed, second.saved, dict(second.plan.changing)) == ([], [], {})
    assert str(boots.lab.control.ask("running-config", device=name)) == running
    endpoint = boots.endpoint(name, "gpufabric", PASSWORD)
    session = open_session(os, endpoint)
    facts = session.read().facts
    session.close()
    assert facts is not None
    assert (facts.hostname, facts.serial) == (name, boots.day0.secrets[name].identity)
