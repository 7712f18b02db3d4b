"""A lab machine of a host that has a bond and no rail: brought up by its group's play, and judged for that alone."""

from __future__ import annotations

import pytest
from fronted import alone
from lab_machines import MachineLab
from test_one_machine import judged_whole

pytestmark = pytest.mark.long  # a boot and site.yml twice; GPU hosts' bonds are in test_one_machine.py

HOSTS, SITE = 1, alone
HOST = "storage-1"


def test_site_yml_brings_a_storage_host_to_the_intents_state_and_then_changes_nothing(bare: MachineLab) -> None:
    first, second = bare.playbook(), bare.playbook()
    assert [(each.code, each.failures(HOST)) for each in (first, second)] == [(0, []), (0, [])]
    assert "bond_interfaces" in " ".join(first.changed(HOST))
    assert second.changed(HOST) == []
    assert judged_whole(first, HOST) and judged_whole(second, HOST)
    assert "rail" not in second.output(HOST)
