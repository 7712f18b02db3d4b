"""One lab machine: what it is as it comes up, and that nobody else can pass for it."""

from __future__ import annotations

import json
import subprocess

import pytest
from lab_machines import MachineLab

from nornir_tasks.cli.scope import load
from nornir_tasks.design.host_vars import host_vars
from nornir_tasks.errors import LabError

HOSTS = 1
HOST = "gpu-1"


def test_a_second_up_changes_nothing(lab: MachineLab) -> None:
    boot = lab.ssh(HOST, "cat /proc/sys/kernel/random/boot_id")
    pid = lab.machines.machine(HOST).pid()
    said = lab.up(1)
    assert f"machines: {HOST}, as before" in said
    assert lab.machines.machine(HOST).pid() == pid
    assert lab.ssh(HOST, "cat /proc/sys/kernel/random/boot_id") == boot


def test_status_tells_where_the_machine_is(lab: MachineLab) -> None:
    (found,) = json.loads(lab.nornir("lab", "status", "--json").stdout)["hosts"]
    assert (found["name"], found["running"]) == (HOST, True)
    assert lab.ssh(HOST, "hostname").strip() == HOST


def test_a_machine_with_another_host_key_is_not_talked_to(lab: MachineLab) -> None:
    known = lab.machines.keys.known_hosts
    right = known.read_text()
    other = lab.machines.keys.client.with_suffix(".pub").read_text().split()[1]
    try:
        known.write_text(" ".join([*right.split()[:2], other]) + "\n")
        assert "verification failed" in lab.ssh(HOST, "true", check=False)
    finally:
        known.write_text(right)
    lab.ssh(HOST, "true")


def test_nics_sit_where_the_intent_says_and_have_nothing_yet(bare: MachineLab) -> None:
    scope = load(str(bare.site))
    rails = host_vars(scope.fabric, scope.catalogue, HOST).rail_interfaces.rails
    script = "for d in /sys/class/net/*; do echo $(basename $(readlink -f $d/device/..)) $(basename $d); done"
    at = dict(line.split() for line in bare.ssh(HOST, script).splitlines() if line.count(" ") == 1)
    links = {each["ifname"]: each for each in json.loads(bare.ssh(HOST, "ip -j -d addr"))}
    for rail in rails:
        link = links[at[str(rail.match.pci)]]
        assert link["addr_info"] == []
        assert "UP" not in link["flags"]
        assert link["max_mtu"] >= rail.mtu_bytes
        assert link["ifname"] != rail.name


def test_each_rails_leaf_end_has_the_switchs_address_and_takes_jumbo_frames(lab: MachineLab) -> None:
    scope = load(str(lab.site))
    rails = host_vars(scope.fabric, scope.catalogue, HOST).rail_interfaces.rails
    said = subprocess.run(lab.in_namespace("ip", "-j", "addr"), capture_output=True, text=True, check=True).stdout
    ends = {each["ifname"]: each for each in json.loads(said)}
    for rail in rails:
        end = ends[f"h1-{rail.name}"]
        assert end["mtu"] == 9216
        assert [each["local"] for each in end["addr_info"]] == [rail.gateway]


def test_dcb_sets_and_reads_a_rail_and_only_rails(bare: MachineLab) -> None:
    bare.ssh(HOST, "dcb pfc set dev ens16 prio-pfc all:off 3:on && dcb app add dev ens16 dscp-prio 26:3")
    bare.ssh(HOST, "dcb ets set dev ens16 tc-tsa all:ets 6:strict tc-bw all:0 0:40 3:60 prio-tc all:0 3:3 6:6")
    pfc = json.loads(bare.ssh(HOST, "dcb -j pfc show dev ens16"))
    assert [pri for pri, on in enumerate(pfc["prio_pfc"]) if on] == [3]
    ets = json.loads(bare.ssh(HOST, "dcb -j ets show dev ens16"))
    assert (ets["tc_bw"][0], ets["tc_bw"][3], ets["tc_tsa"][6]) == (40, 60, "strict")
    assert json.loads(bare.ssh(HOST, "dcb -jN app show dev ens16"))["dscp_prio"] == [[26, 3]]
    untouched = json.loads(bare.ssh(HOST, "dcb -j pfc show dev ens17"))
    assert not any(untouched["prio_pfc"])
    assert "not supported" in bare.ssh(HOST, "dcb pfc show dev ens3", check=False)


def test_a_driver_that_refuses_pfc_keeps_what_it_had(bare: MachineLab) -> None:
    bare.ssh(HOST, "echo 95 > /sys/module/dcbsim/parameters/fail_pfc; dcb pfc set dev ens16 prio-pfc 3:on; true")
    assert not any(json.loads(bare.ssh(HOST, "dcb -j pfc show dev ens16"))["prio_pfc"])


def test_soft_roce_carries_the_largest_path_mtu_on_a_rail(bare: MachineLab) -> None:
    bare.ssh(HOST, "modprobe rdma_rxe && ip link set ens16 up && rdma link add rxe0 type rxe netdev ens16")
    said = bare.ssh(HOST, "ibv_devinfo -d rxe0")
    assert "PORT_ACTIVE" in said
    assert "active_mtu:\t\t4096" in said


def test_a_saved_state_comes_back_and_a_missing_one_stops_nothing(bare: MachineLab) -> None:
    bare.ssh(HOST, "touch /root/later")
    bare.load(HOST, "bare")
    assert "later" not in bare.ssh(HOST, "ls /root")
    with pytest.raises(LabError, match="does not exist"):
        bare.load(HOST, "never-saved")
    bare.ssh(HOST, "true")
