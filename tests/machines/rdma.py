"""RDMA between two machines by the tools of perftest, which are clients as an application is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lab_machines import MachineLab
from on_the_wire import Captured, capturing

from nornir_tasks.design.hosts.host_vars import host_vars
from nornir_tasks.design.hosts.role_vars import HostVars
from nornir_tasks.usecases.site import load
from tests.intent_parts import needs

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
    with serving(lab, tool, options, rail, rail) as client, capturing(lab, f"h1-{rail}") as found:
        measured(lab, client)
    return found


UCX_PORT = 13337
"""ucx_perftest's own, where its two ends meet before they speak RDMA."""


def ucx(lab: MachineLab, environment: str = "", rail: str = "rail0") -> Captured:
    """RDMA writes by UCX from client to server over a rail, as a login's environment has it; what the leaf received.

    ``environment``: settings of this run alone, ``NAME=VALUE``.
    """
    command = {
        host: f"env {environment} timeout {RUN_TIMEOUT_S} ucx_perftest -t put_bw -x rc_verbs -D zcopy -n 40 -s 65536 "
        f"-d {device(lab, host, rail)[0]}:1"
        for host in (CLIENT, SERVER)
    }
    server = lab.start(SERVER, command[SERVER])
    try:
        listening = f"ss -ltn | grep -q :{UCX_PORT}"
        lab.ssh(SERVER, f"for i in $(seq 60); do {listening} && exit 0; sleep 0.5; done; exit 1")
        with capturing(lab, f"h1-{rail}") as found:
            output = lab.ssh(CLIENT, f"{command[CLIENT]} {address(lab, SERVER, rail)}")
        assert "Final:" in output, output
    finally:
        server.terminate()
        server.wait(10)
    return found


@contextmanager
def serving(lab: MachineLab, tool: str, options: str, client_rail: str, server_rail: str) -> Iterator[str]:
    """A tool of perftest listens on the server; what the client is to run."""
    ends = {host: device(lab, host, rail) for host, rail in ((CLIENT, client_rail), (SERVER, server_rail))}
    words = {
        host: f"timeout {RUN_TIMEOUT_S} {tool} -d {name} -x {gid} -F {options}" for host, (name, gid) in ends.items()
    }
    server = lab.start(SERVER, words[SERVER])
    try:
        # By RDMA-CM it listens in the RDMA stack's own ports, else on TCP.
        listening = "{ rdma resource show cm_id; ss -ltn; } | grep -q 18515"
        lab.ssh(SERVER, f"for i in $(seq 60); do {listening} && exit 0; sleep 0.5; done; exit 1")
        yield f"{words[CLIENT]} {address(lab, SERVER, server_rail)}"
    finally:
        server.terminate()
        server.wait(10)


def measured(lab: MachineLab, client: str) -> str:
    """Run the client; its output has a row of figures, or it has failed."""
    output = lab.ssh(CLIENT, client)
    assert re.search(r"^\s*\d+\s+\d+", output, re.MULTILINE), output
    return output


def address(lab: MachineLab, host: str, rail: str) -> str:
    """A host's address on a rail."""
    return next(each.address for each in variables(lab, host).rail_interfaces.rails if each.name == rail)


def assert_marked(found: Captured, dscp: int) -> None:
    """Every packet that carries data bears this DSCP and says that its sender heeds ECN."""
    writes = found.writes()
    assert writes, f"no RDMA write was captured: {found.histogram()}"
    wrong = [each for each in writes if (each["dscp"], each["ecn"]) != (dscp, ECT_0)]
    assert not wrong, found.histogram()


def way_in(lab: MachineLab, way: str) -> str:
    """RDMA-CM takes the host's default ToS; a verbs application says its own, as NCCL does from /etc/nccl.conf.

    So it does how long it waits for an acknowledgement: perftest's own 67 ms (4.096 us x 2^14) are too short for an
    emulated machine. It sends again what has arrived, and Soft-RoCE of Linux 6.1 then fails now and then
    (IBV_WC_REM_INV_REQ_ERR): 4 of 7 runs of 16 queue pairs with 64 KiB did, and none of 7 with NCCL's 2^20.
    """
    if way == "RDMA-CM":
        return "-R"
    settings = dict(
        re.findall(r"^(NCCL_IB_TC|NCCL_IB_TIMEOUT)\s*=\s*(\d+)", lab.ssh(CLIENT, "cat /etc/nccl.conf"), re.MULTILINE)
    )
    assert settings.keys() == {"NCCL_IB_TC", "NCCL_IB_TIMEOUT"}
    return f"--tclass={settings['NCCL_IB_TC']} --qp-timeout={settings['NCCL_IB_TIMEOUT']}"
