"""Two lab machines of eight rails, brought up by site.yml: RDMA between them bears on the wire what the intent says.

Soft-RoCE under emulation shows marking, addressing and configuration. It has no priorities, pauses and queues.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lab_machines import EXTRA, BroughtUp, MachineLab
from rdma import CLIENT, SERVER, assert_marked, perftest, ucx, variables, way_in
from test_one_machine import judged_whole

pytestmark = pytest.mark.long

HOSTS = 2


def test_site_yml_brings_two_machines_up_and_then_changes_nothing(lab: MachineLab, brought_up: BroughtUp) -> None:
    for host in (CLIENT, SERVER):
        assert brought_up.first.failures(host) == []
        assert brought_up.second.changed(host) == []
        assert judged_whole(brought_up.first, host) and judged_whole(brought_up.second, host)
    assert (brought_up.first.code, brought_up.second.code) == (0, 0)


@pytest.mark.parametrize("tool", ["ib_write_bw -s 65536 -n 50", "ib_write_lat -s 8 -n 50"])
@pytest.mark.parametrize("way", ["RDMA-CM", "verbs"])
def test_rdma_between_machines_bears_the_policys_dscp_and_ect(
    configured: MachineLab, tool: str, way: str, figure: Callable[[str], None]
) -> None:
    policy = variables(configured, CLIENT).roce_qos
    name, _, options = tool.partition(" ")
    found = perftest(configured, name, f"{options} {way_in(configured, way)}")
    figure(f"{name} by {way}: {found.histogram()}")
    assert_marked(found, policy.dscp)


def test_ucx_of_a_login_bears_the_policys_dscp_and_ect(configured: MachineLab, figure: Callable[[str], None]) -> None:
    found = ucx(configured)
    figure(f"UCX: {found.histogram()}")
    assert_marked(found, variables(configured, CLIENT).roce_qos.dscp)


def test_ucx_takes_a_number_that_is_not_decimal_for_none_so_checks_name_it(configured: MachineLab) -> None:
    found = ucx(configured, "UCX_IB_TRAFFIC_CLASS=0x6a")
    assert {each["dscp"] for each in found.writes()} == {0}, found.histogram()


def test_another_dscp_in_the_intent_is_on_the_wire_after_site_yml(configured: MachineLab) -> None:
    intent = configured.site / "fabric.yml"
    right = intent.read_text()
    assert "roce: {dscp: 26," in right
    try:
        intent.write_text(right.replace("roce: {dscp: 26,", "roce: {dscp: 34,"))
        run = configured.playbook(*EXTRA)
        assert run.code == 0, run.failures(CLIENT) + run.failures(SERVER)
        for way in ("RDMA-CM", "verbs"):
            assert_marked(perftest(configured, "ib_write_bw", f"-s 65536 -n 20 {way_in(configured, way)}"), 34)
        assert_marked(ucx(configured), 34)
    finally:
        intent.write_text(right)


def test_jumbo_pings_pass_from_machine_to_machine_up_to_the_mtu(configured: MachineLab) -> None:
    other = variables(configured, SERVER).rail_interfaces.rails[0].address
    own = variables(configured, CLIENT).rail_interfaces.rails[0].address
    assert " 0% packet loss" in configured.ssh(CLIENT, f"ping -c 2 -M do -s 8972 -I {own} {other}")
    output = configured.ssh(CLIENT, f"ping -c 1 -W 2 -M do -s 8973 -I {own} {other}", check=False)
    assert "message too long" in output.lower()
