"""One lab machine: what it is as it comes up, and that nobody else can pass for it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
from fronted import beside_rails
from lab_machines import EXTRA, BroughtUp, MachineLab, PlaybookRun
from on_the_wire import capturing, send

from nornir_tasks.design.hosts.bond_needs import bond_needs
from nornir_tasks.design.hosts.host_bonds import BondPlaneVars, BondVars, bond_interfaces
from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.hosts.role_vars import RailVars
from nornir_tasks.errors import LabError
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.usecases.site import load
from tests.intent_parts import needs

HOSTS, SITE = 1, beside_rails
after_site_yml = pytest.mark.long  # site.yml twice and a reboot between: 8 to 25 minutes of an emulated machine
HOST = "gpu-1"


def test_a_second_up_changes_nothing(lab: MachineLab) -> None:
    boot = lab.ssh(HOST, "cat /proc/sys/kernel/random/boot_id")
    pid = lab.machines.machine(HOST).pid()
    output = lab.up(1)
    assert f"machines: {HOST}, as before" in output
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


def test_nics_sit_where_the_intent_says_and_have_nothing_yet(bare_to_read: MachineLab) -> None:
    bare = bare_to_read
    rails = host_rails(bare)
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
    rails = host_rails(lab)
    output = subprocess.run(lab.in_namespace("ip", "-j", "addr"), capture_output=True, text=True, check=True).stdout
    ends = {each["ifname"]: each for each in json.loads(output)}
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
    output = bare.ssh(HOST, "ibv_devinfo -d rxe0")
    assert "PORT_ACTIVE" in output
    assert "active_mtu:\t\t4096" in output


def test_a_saved_state_comes_back_and_a_missing_one_stops_nothing(bare: MachineLab) -> None:
    bare.ssh(HOST, "touch /root/later")
    bare.load(HOST, "bare")
    assert "later" not in bare.ssh(HOST, "ls /root")
    with pytest.raises(LabError, match="does not exist"):
        bare.load(HOST, "never-saved")
    bare.ssh(HOST, "true")


@after_site_yml
def test_site_yml_brings_a_bare_machine_to_the_intents_state_and_then_changes_nothing(
    lab: MachineLab, brought_up: BroughtUp
) -> None:
    assert (brought_up.first.code, brought_up.first.failures(HOST)) == (0, [])
    changed = brought_up.first.changed(HOST)
    assert all(role in " ".join(changed) for role in ("rail_interfaces", "bond_interfaces"))
    assert "Reboot" in changed, "a bare machine has other kernel arguments: without a reboot nothing is shown of boots"
    assert judged_whole(brought_up.first), "judged after the reboot"
    assert (brought_up.second.code, brought_up.second.failures(HOST)) == (0, [])
    assert brought_up.second.changed(HOST) == []
    assert judged_whole(brought_up.second)


@pytest.mark.long  # site.yml itself reboots a bare machine and judges it afterwards; this is one more
def test_after_another_reboot_all_of_it_still_stands(configured: MachineLab) -> None:
    configured.reboot(HOST)
    run = configured.playbook(*EXTRA, playbook="playbooks/validate.yml")
    assert (run.code, run.failures(HOST)) == (0, [])
    assert judged_whole(run)


@pytest.mark.long  # two reboots
def test_a_set_name_of_netplans_renames_a_rail_at_boot_and_once_taken_over_never_again(configured: MachineLab) -> None:
    mac = configured.ssh(HOST, "cat /sys/class/net/rail3/address").strip()
    file, rail = "/etc/netplan/60-maas.yaml", "rail_interfaces_take_over_names"
    stanza = f'network: {{ethernets: {{nic: {{match: {{macaddress: "{mac}"}}, set-name: maas3, optional: true}}}}}}'
    configured.ssh(HOST, f"echo '{stanza}' >{file}; chmod 600 {file}")
    refused = configured.playbook(*EXTRA, "--tags", "rail_interfaces")
    assert (refused.code != 0, refused.changed(HOST)) == (True, [])
    assert f"{file}, line 1, network.ethernets.nic.set-name" in "".join(refused.failures(HOST))
    configured.reboot(HOST)
    assert mac in configured.ssh(HOST, "cat /sys/class/net/maas3/address"), "else the refusal is about nothing"
    run = [configured.playbook(*EXTRA, "--tags", "rail_interfaces", "-e", f"{rail}=true") for _ in range(2)]
    assert [(each.code, each.failures(HOST)) for each in run] == [(0, []), (0, [])]
    assert run[1].changed(HOST) == []
    assert configured.ssh(HOST, f"cat {file}").strip() == stanza.replace(" set-name: maas3,", "")
    configured.reboot(HOST)
    assert configured.ssh(HOST, "cat /sys/class/net/rail3/address").strip() == mac
    judged = configured.playbook(*EXTRA, playbook="playbooks/validate.yml")
    assert (judged.code, judged.failures(HOST)) == (0, [])


@pytest.mark.long  # two more judgements of the whole host
def test_two_swapped_rails_are_named_with_the_cables_to_swap_though_all_of_the_hosts_settings_are_right(
    configured: MachineLab,
) -> None:
    swap = ("lab", "swap", f"{HOST}:rail1", f"{HOST}:rail2")
    assert configured.nornir(*swap).returncode == 0
    try:
        run = configured.playbook(*EXTRA, playbook="playbooks/validate.yml")
        report = "".join(run.failures(HOST))
        assert "rail1 gateway" in report and "(swap the cables of rail1 and rail2)" in report
        assert "NOT as the intent asks, 2 knobs" in report
    finally:
        assert configured.nornir("lab", "mend").returncode == 0
    run = configured.playbook(*EXTRA, playbook="playbooks/validate.yml")
    assert (run.code, run.failures(HOST)) == (0, [])


@after_site_yml
def test_a_bond_carries_tcp_and_with_one_leg_cut_carries_on_and_the_leg_is_named(configured: MachineLab) -> None:
    bond, machine = host_bond(configured), configured.machines.machine(HOST)
    cut = bond.members[0].name
    for plane in bond.planes:
        assert received(configured, plane, 200_000) == 200_000, "frames whose checksums nobody made would not arrive"
    machine.plug(cut, is_in=False)
    try:
        for plane in bond.planes:  # -w: the pair needs three seconds of LACP's silence
            size = plane.mtu_bytes - 28
            configured.ssh(HOST, f"ping -M do -c 5 -i 1 -w 30 -s {size} -I {plane.interface} {plane.gateway}")
        run = configured.playbook(*EXTRA, playbook="playbooks/validate.yml")
        report = "".join(run.failures(HOST))
        assert run.code != 0
        assert f"{cut} link" in report and "found down" in report, report
    finally:
        machine.plug(cut, is_in=True)


@after_site_yml
def test_huge_pages_asked_for_are_there_after_boot(configured_to_read: MachineLab) -> None:
    assert "HugePages_Total:      64" in configured_to_read.ssh(HOST, "cat /proc/meminfo")


@after_site_yml
@pytest.mark.parametrize(
    "words",
    [("--tags", "hugepages,roce_qos"), pytest.param((), marks=pytest.mark.long)],
    ids=["two roles", "all roles"],
)
def test_check_on_a_drifted_host_lists_the_drift_and_repairs_nothing(
    configured: MachineLab, words: tuple[str, ...]
) -> None:
    """A dry run of the two roles whose settings drifted; with ``-m long`` of all roles."""
    configured.ssh(HOST, "dcb app replace dev rail2 dscp-prio 26:5; echo 0 > /proc/sys/vm/nr_hugepages")
    run = configured.playbook(*EXTRA, "--check", "--diff", *words)
    assert (run.code, run.failures(HOST)) == (0, [])
    changed = run.changed(HOST)
    assert len(changed) == 2, changed
    assert any(name.startswith("gpufabric.host.roce_qos :") for name in changed), changed
    assert any(name.startswith("gpufabric.host.hugepages :") for name in changed), changed
    assert "26:5" in configured.ssh(HOST, "dcb -N app show dev rail2")


@after_site_yml
def test_the_largest_unfragmented_ping_of_the_mtu_reaches_the_leaf_and_one_byte_more_does_not(
    configured_to_read: MachineLab,
) -> None:
    configured = configured_to_read
    rail = host_rails(configured)[0]
    assert " 0% packet loss" in configured.ssh(HOST, f"ping -c 2 -M do -s 8972 -I {rail.name} {rail.gateway}")
    output = configured.ssh(HOST, f"ping -c 1 -W 2 -M do -s 8973 -I {rail.name} {rail.gateway}", check=False)
    assert "message too long" in output.lower()


@after_site_yml
def test_a_packet_from_the_compute_plane_leaves_on_no_other_plane(configured: MachineLab) -> None:
    rail = host_rails(configured)[0]
    mac = configured.ssh(HOST, f"cat /sys/class/net/{rail.name}/address").strip()
    beyond = "192.0.2.0"  # the far end of the machine's site link
    configured.ssh(HOST, "sysctl -qw net.ipv4.ip_forward=1; ping -c 1 -W 5 192.0.2.0")

    def forwarded() -> bool:
        with capturing(configured, "h1-site") as found:
            for _ in range(3):
                send(configured, f"h1-{rail.name}", mac, rail.gateway, beyond)
            time.sleep(3)
        return any(each["source"] == rail.gateway and each["destination"] == beyond for each in found.packets)

    assert not forwarded()
    configured.ssh(HOST, "nft delete table inet gpufabric_plane_guard")
    assert forwarded(), "without the guard the packet must come through, or this test shows nothing"


def host_rails(lab: MachineLab) -> tuple[RailVars, ...]:
    design = load(lab.site)
    return host_vars(design.network, needs(design.site.intent), HOST).rail_interfaces.rails


def host_bond(lab: MachineLab) -> BondVars:
    design = load(lab.site)
    found = bond_interfaces(design.network, bond_needs(design.demands, design.site.intent.marks), HOST)
    assert found is not None
    return found.bonds[0]


def received(lab: MachineLab, plane: BondPlaneVars, size_bytes: int) -> int:
    """So many bytes of TCP that the host sends reach the plane's gateway."""
    at = f"('{plane.gateway}', 5201)"
    listen = f"import socket; s = socket.create_server({at}); print('ready', flush=True); c = s.accept()[0]"
    send = f"import socket; s = socket.create_connection({at}, 60); s.sendall(bytes({size_bytes}))"
    argv = lab.in_namespace(sys.executable, "-c", f"{listen}; print(sum(iter(lambda: len(c.recv(65536)), 0)))")
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            lab.ssh(HOST, f'python3 -c "{send}"')
            return int(process.stdout.readline())
        finally:
            process.terminate()


def judged_whole(run: PlaybookRun, host: str = HOST) -> bool:
    """Did host_validate say that all it could judge passed?"""
    found = re.search(r"tested (\d+) of (\d+)", run.output(host))
    return found is not None and int(found[1]) == int(found[2]) > 0


@pytest.mark.long  # a boot for each
@pytest.mark.parametrize("cut", ["before its port was written down", "before its NICs were moved"])
def test_an_up_that_was_killed_half_way_is_finished_by_the_next_one(lab: MachineLab, cut: str) -> None:
    machine = lab.machines.machine(HOST)
    record = machine.record
    assert record is not None
    before = machine.pid()
    if cut.startswith("before its port"):
        (machine.directory / "machine.json").write_text(json.dumps(record | {"port": 0}), encoding="utf-8")
    else:
        run(["ip", "-n", lab.machines.namespace.name, "link", "delete", "h1-rail3"], 30)
    assert f"{HOST}: up after" in lab.up(1)
    assert machine.pid() not in (None, before)
    assert int((machine.record or {})["port"]) > 0
    ports = run(["ip", "-n", lab.machines.namespace.name, "-br", "link"], 30)
    assert "h1-rail3" in ports
    assert lab.ssh(HOST, "hostname").strip() == HOST
