"""Who uses a host is read from recorded output and trees: jobs are named, the kernel's own and our session are not."""

import json
from pathlib import Path

import pytest
from job_state import collect, own_session

QPS = [
    {"ifname": "mlx5_0", "port": 1, "lqpn": 0, "type": "SMI", "state": "RTS", "comm": "ib_core"},
    {"ifname": "mlx5_0", "port": 1, "lqpn": 1, "type": "GSI", "state": "RTS", "comm": "ib_core"},
    {"ifname": "mlx5_0", "lqpn": 240, "type": "UD", "state": "RTS", "comm": "rpcrdma"},
    {"ifname": "mlx5_0", "lqpn": 301, "rqpn": 9, "type": "RC", "state": "RTS", "pid": 4711, "comm": "python3"},
    {"ifname": "mlx5_1", "lqpn": 302, "rqpn": 9, "type": "RC", "state": "RTS", "pid": 4711, "comm": "python3"},
]
"""In the shape of iproute2's rdma/res-qp.c; not recorded from hardware."""


class Answer:
    def __init__(self, exit_code=0, stdout="", complaint=""):
        self.exit_code, self.stdout, self.complaint = exit_code, stdout, complaint


NO_PROGRAM = Answer(127, "", "no such program")


def look(root: Path, rdma=NO_PROGRAM, smi=NO_PROGRAM, own=""):
    return collect(lambda argv: rdma if argv[0] == "rdma" else smi, root, own)


@pytest.fixture
def host(tree):
    def make(files):
        return tree({"proc/mounts": "", "sys/class/infiniband/mlx5_0/x": "", **files})

    return make


def test_queue_pairs_of_a_process_are_a_job_and_those_of_the_kernel_are_none(host) -> None:
    found = look(host({}), rdma=Answer(0, json.dumps(QPS)))
    assert found["jobs"] == ["2 queue pairs of python3 (process 4711) on mlx5_0, mlx5_1"]


@pytest.mark.parametrize("rdma", [Answer(1, "", "Operation not permitted"), NO_PROGRAM, Answer(0, "no JSON")])
def test_queue_pairs_that_nobody_can_tell_are_said_and_count(host, rdma) -> None:
    (line,) = look(host({}), rdma=rdma)["jobs"]
    assert line.startswith("queue pairs: could not be told (rdma -j resource show qp")


def test_a_host_without_rdma_devices_has_no_queue_pairs(tree) -> None:
    assert look(tree({"proc/mounts": ""}))["jobs"] == []


def test_gpu_processes_are_those_that_the_driver_names(host) -> None:
    found = look(host({}), rdma=Answer(0, "[]"), smi=Answer(0, "4711, /usr/bin/python3\n4712, vllm\n"))
    assert found["jobs"] == ["GPU process /usr/bin/python3 (process 4711)", "GPU process vllm (process 4712)"]


def test_without_nvidia_smi_whoever_has_a_gpu_open_is_a_job_but_its_daemons(host) -> None:
    root = host({"dev/nvidia0": "", "proc/7/comm": "python3", "proc/8/comm": "nvidia-persiste", "proc/9/comm": "sh"})
    for pid, target in (("7", "/dev/nvidia0"), ("8", "/dev/nvidia0"), ("9", "/dev/nvidiactl")):
        (root / f"proc/{pid}/fd").mkdir()
        (root / f"proc/{pid}/fd/3").symlink_to(target)
    assert look(root, rdma=Answer(0, "[]"))["jobs"] == ["python3 (process 7) has a GPU's device open"]


def test_mounts_by_rdma_are_named_and_others_are_not(host) -> None:
    mounts = "\n".join(
        [
            "10.0.0.1:/a /data nfs4 rw,vers=4.2,proto=rdma,port=20049 0 0",
            "10.0.0.1:/b /home nfs4 rw,vers=4.2,proto=tcp 0 0",
            "10.1.0.1@o2ib:10.1.0.2@o2ib:/scratch /scratch lustre rw 0 0",
            "10.1.0.1@tcp:/old /old lustre rw 0 0",
            "/dev/sda1 / ext4 rw 0 0",
        ]
    )
    found = look(
        host(
            {
                "proc/mounts": mounts,
                "sys/class/nvme/nvme3/transport": "rdma\n",
                "sys/class/nvme/nvme0/transport": "pcie\n",
            }
        )
    )
    assert found["mounts"] == [
        "/data is mounted by RDMA (nfs4 from 10.0.0.1:/a)",
        "/scratch is mounted by RDMA (lustre from 10.1.0.1@o2ib:10.1.0.2@o2ib:/scratch)",
        "nvme3 is an NVMe device by RDMA",
    ]


SESSION = """\
UID=1000
USER={user}
ACTIVE=1
REMOTE=1
REMOTE_HOST=10.9.9.9
CLASS={kind}
SCOPE=session-{number}.scope
"""


def session(number, user, kind="user", tty="") -> dict[str, str]:
    text = SESSION.format(user=user, kind=kind, number=number) + (f"TTY={tty}\n" if tty else "")
    return {f"run/systemd/sessions/{number}": text}


def test_a_person_at_a_terminal_is_named_and_ansibles_own_sessions_are_not(host) -> None:
    root = host(
        {
            **session(3, "ada", tty="pts/0"),
            **session(4, "ansible"),
            **session(5, "root", tty="pts/1"),
            **session(6, "gdm", kind="greeter", tty="tty1"),
            "proc/self/cgroup": "0::/user.slice/user-0.slice/session-5.scope\n",
        }
    )
    assert look(root, own=own_session(root))["logins"] == ["ada is logged in on pts/0 from 10.9.9.9"]


def test_a_login_by_ssh_is_seen_where_there_is_no_utmp(host) -> None:
    root = host(
        {
            **session(3, "ada"),
            "sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cgroup.procs": "70\n71\n",
            "proc/70/stat": "70 (sshd: ada) S 1 70 70 0 -1 0",
            "proc/71/stat": "71 (ba) sh) S 70 71 71 34816 71 0",
        }
    )
    assert look(root)["logins"] == ["ada is logged in from 10.9.9.9"]
