"""What uses a host's NICs and GPUs, and who is logged in: to be looked at before a step that disturbs it.

Standard library only (it runs on hosts, Python 3.9). Nothing here changes a host. Queue pairs are those of processes:
RESTRACK of the kernel gives each a ``pid``, and those of the kernel itself (QP 0 and 1 too) a name alone
(iproute2, rdma/res-qp.c: "pid" is printed where RDMA_NLDEV_ATTR_RES_PID is there).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_run import MISSING_PROGRAM, Answer
except ImportError:  # in a test
    from roce_run import MISSING_PROGRAM, Answer

Run = Callable[[list[str]], Answer]

QUEUE_PAIRS = ["rdma", "-j", "resource", "show", "qp"]
GPU_APPS = shlex.split("nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader")
MANAGEMENT_QPS = (0, 1)
"""InfiniBand's special queue pairs, of the subnet and of the general management."""
GPU_DEVICE = re.compile(r"/dev/nvidia\d+")
GPU_DAEMONS = frozenset(
    {
        *("nvidia-persiste", "nv-fabricmanage", "nv-hostengine", "nvidia-smi", "nvidia-device-p"),
        *("dcgm-exporter", "nvlsm", "gpu-feature-dis", "k8s-device-plug"),
    }
)
"""What keeps a GPU's device open and is no job, as /proc/PID/comm has it (15 letters). The list is from memory."""
RDMA_OPTION = re.compile(r"(?:^|,)(?:proto=rdma6?|rdma)(?:,|$)")
"""nfs(5), mount.cifs(8)."""
RDMA_FILESYSTEMS = ("nfs", "nfs4", "cifs", "smb3")
TTY_FIELD = 4
"""Place of tty_nr after the name in /proc/PID/stat (proc(5): the seventh field)."""
LUSTRE_RDMA = re.compile(r"@o2ib\d*\b")
"""The network of LNet that rides on verbs, in the source of a Lustre mount."""


def collect(run: Run, root: Path, own_session: str = "") -> dict[str, list[str]]:
    """Lines for people: ``jobs`` (queue pairs, GPU processes), ``mounts`` by RDMA, ``logins`` but our own."""
    return {
        "jobs": [*queue_pairs(run, root), *gpu_processes(run, root)],
        "mounts": list(mounts(root)),
        "logins": list(logins(root, own_session)),
    }


def queue_pairs(run: Run, root: Path) -> Iterator[str]:
    """A line for each process with queue pairs; one that says why, where devices are there and it cannot be told."""
    if not any((root / "sys/class/infiniband").glob("*")):
        return
    answer = run(QUEUE_PAIRS)
    try:
        found = json.loads(answer.stdout or "[]") if answer.exit_code == 0 else None
    except ValueError:
        found = None
    if found is None:
        yield f"queue pairs: could not be told ({' '.join(QUEUE_PAIRS)}: {answer.complaint})"
        return
    of_process: dict[tuple[int, str], list[str]] = {}
    for each in found:
        if each.get("pid") and each.get("lqpn") not in MANAGEMENT_QPS:
            of_process.setdefault((each["pid"], str(each.get("comm", ""))), []).append(str(each.get("ifname", "")))
    for (pid, name), devices in sorted(of_process.items()):
        on = ", ".join(sorted(set(devices)))
        yield f"{len(devices)} queue pairs of {name or 'a process'} (process {pid}) on {on}"


def gpu_processes(run: Run, root: Path) -> Iterator[str]:
    """What the driver names, else the processes that have a GPU's device open."""
    answer = run(GPU_APPS)
    if answer.exit_code == 0:
        for line in filter(None, map(str.strip, answer.stdout.splitlines())):
            pid, _, name = line.partition(",")
            yield f"GPU process {name.strip()} (process {pid.strip()})"
        return
    if answer.exit_code != MISSING_PROGRAM and any((root / "dev").glob("nvidia[0-9]*")):
        yield f"GPU processes: could not be told (nvidia-smi: {answer.complaint})"
    for process in sorted((root / "proc").glob("[0-9]*"), key=lambda each: int(each.name)):
        name = _text(process / "comm")
        if name not in GPU_DAEMONS and any(GPU_DEVICE.fullmatch(each) for each in _open_files(process)):
            yield f"{name} (process {process.name}) has a GPU's device open"


def _open_files(process: Path) -> Iterator[str]:
    """Paths of the files that it has open; nothing of a process that has gone."""
    try:
        for each in (process / "fd").iterdir():
            yield str(each.readlink())
    except OSError:
        return


def mounts(root: Path) -> Iterator[str]:
    """Mounts whose packages are RDMA, and NVMe devices over it."""
    seen = set()
    for line in _text(root / "proc/mounts").splitlines():
        source, where, kind, options = (*line.split(), "", "", "", "")[:4]
        is_lustre = kind == "lustre" and LUSTRE_RDMA.search(source)
        if is_lustre or (kind in RDMA_FILESYSTEMS and RDMA_OPTION.search(options)):
            line_for_people = f"{where} is mounted by RDMA ({kind} from {source})"
            if line_for_people not in seen:
                yield line_for_people
            seen.add(line_for_people)
    for each in sorted((root / "sys/class/nvme").glob("*/transport")):
        if _text(each) == "rdma":
            yield f"{each.parent.name} is an NVMe device by RDMA"


def logins(root: Path, own_session: str) -> Iterator[str]:
    """People at terminals, by SSH too, as systemd-logind keeps their sessions, but ``own_session``.

    A session without a terminal is a program's: Ansible's own connections stay open for a while after a run.
    """
    for file in sorted((root / "run/systemd/sessions").glob("*")):
        session = dict(line.split("=", 1) for line in _text(file).splitlines() if "=" in line)
        at_terminal = "TTY" in session or "SEAT" in session or _has_terminal(root, session)
        if session.get("CLASS") == "user" and at_terminal and file.name != own_session:
            tty, host = session.get("TTY", ""), session.get("REMOTE_HOST", "")
            place = " ".join(filter(None, [f"on {tty}" if tty else "", f"from {host}" if host else ""]))
            yield f"{session.get('USER', 'a user')} is logged in {place}".rstrip()


def _has_terminal(root: Path, session: dict[str, str]) -> bool:
    """Has a process of the session a controlling terminal? logind learns of SSH's by utmp alone, which not all have."""
    scope = f"user.slice/user-{session.get('UID', '')}.slice/{session.get('SCOPE', '')}"
    for pid in _text(root / "sys/fs/cgroup" / scope / "cgroup.procs").split():
        fields = _text(root / "proc" / pid / "stat").rpartition(")")[2].split()
        if len(fields) > TTY_FIELD and fields[TTY_FIELD] != "0":
            return True
    return False


def own_session(root: Path) -> str:
    """The session that this process belongs to: systemd makes a scope of its name."""
    found = re.search(r"/session-([^/.]+)\.scope", _text(root / "proc/self/cgroup"))
    return found[1] if found else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
