"""Two lab machines, brought up by site.yml: RDMA between them bears on the wire what the intent says.

Soft-RoCE under emulation shows marking, addressing and configuration. It has no priorities, pauses and queues.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from lab_machines import EXTRA, BroughtUp, MachineLab
from on_the_wire import Captured, capturing

from nornir_tasks.design.host_vars import HostVars, host_vars
from nornir_tasks.usecases.site import load
from tests.intent_parts import needs

pytestmark = pytest.mark.long

HOSTS = 2
CLIENT, SERVER = "gpu-1", "gpu-2"
ECT_0 = 0b10
RUN_TIMEOUT_S = 90


def variables(lab: MachineLab, host: str) -> HostVars:
    design = load(lab.site)
    return host_vars(design.network, needs(design.site.intent), host)


def device(lab: MachineLab, host: str, rail: str) -> tuple[str, int]:
    """The RDMA device of a rail and the index of its IPv4 GID."""
    # The first eight of a device's thousand entries: an interface has two or three GIDs, and every look costs time.
    script = (
        "for d in /sys/class/infiniband/*/ports/1; do for i in 0 1 2 3 4 5 6 7; do "
        "read -r n 2>/dev/null <$d/gid_attrs/ndevs/$i && "
        f'[ "$n" = {rail} ] && read -r g <$d/gids/$i && echo $d/$i $g; done; done; true'
    )
    for line in lab.ssh(host, script).splitlines():
        path, gid = line.split()
        if ":ffff:" in gid:
            return path.split("/")[4], int(path.rpartition("/")[2])
    raise AssertionError(f"{host} has no RDMA device with an IPv4 address on {rail}")


def perftest(lab: MachineLab, tool: str, options: str, rail: str = "rail0") -> Captured:
    """Run one tool of perftest from client to server over a rail; what the client's leaf received meanwhile."""
    ends = {host: device(lab, host, rail) for host in (CLIENT, SERVER)}
    words = {
        host: f"timeout {RUN_TIMEOUT_S} {tool} -d {name} -x {gid} -F {options}" for host, (name, gid) in ends.items()
    }
    target = next(each.address for each in variables(lab, SERVER).rail_interfaces.rails if each.name == rail)
    server = lab.start(SERVER, words[SERVER])
    try:
        # By RDMA-CM it listens in the RDMA stack's own ports, else on TCP.
        listening = "{ rdma resource show cm_id; ss -ltn; } | grep -q 18515"
        lab.ssh(SERVER, f"for i in $(seq 60); do {listening} && exit 0; sleep 0.5; done; exit 1")
        with capturing(lab, f"h1-{rail}") as found:
            output = lab.ssh(CLIENT, f"{words[CLIENT]} {target}")
    finally:
        server.terminate()
        server.wait(10)
    assert re.search(r"^\s*\d+\s+\d+", output, re.MULTILINE), output
    return found


def assert_marked(found: Captured, dscp: int) -> None:
    """Every packet that carries data bears this DSCP and says that its sender heeds ECN."""
    writes = found.writes()
    assert writes, f"no RDMA write was captured: {found.histogram()}"
    wrong = [each for each in writes if (each["dscp"], each["ecn"]) != (dscp, ECT_0)]
    assert not wrong, found.histogram()


def test_site_yml_brings_two_machines_up_and_then_changes_nothing(lab: MachineLab, brought_up: BroughtUp) -> None:
    for host in (CLIENT, SERVER):
        assert brought_up.first.failures(host) == []
        assert brought_up.second.changed(host) == []
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


def way_in(lab: MachineLab, way: str) -> str:
    """RDMA-CM takes the host's default ToS; a verbs application says its own, as NCCL does from /etc/nccl.conf."""
    if way == "RDMA-CM":
        return "-R"
    settings = lab.ssh(CLIENT, "cat /etc/nccl.conf")
    traffic_class = re.search(r"^NCCL_IB_TC\s*=\s*(\d+)", settings, re.MULTILINE)
    assert traffic_class, settings
    return f"--tclass={traffic_class[1]}"


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
    finally:
        intent.write_text(right)


def test_jumbo_pings_pass_from_machine_to_machine_up_to_the_mtu(configured: MachineLab) -> None:
    other = variables(configured, SERVER).rail_interfaces.rails[0].address
    own = variables(configured, CLIENT).rail_interfaces.rails[0].address
    assert " 0% packet loss" in configured.ssh(CLIENT, f"ping -c 2 -M do -s 8972 -I {own} {other}")
    output = configured.ssh(CLIENT, f"ping -c 1 -W 2 -M do -s 8973 -I {own} {other}", check=False)
    assert "message too long" in output.lower()
