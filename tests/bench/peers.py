"""Peers that render: pyavd and netlab, on comparable fabrics, in an environment of their own.

They are run where they are installed; ``PEERS=1`` installs them first, into a cache folder, never into ours.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import yaml

PACKAGES = ("pyavd==6.4.0", "networklab==26.10")
COLUMNS = ("peer", "fabric", "switches", "wall s", "CPU s", "wall ms/switch", "peak MiB")
NOTE = (
    "pyavd: eBGP underlay, 112 access ports with PFC and ECN and 32 uplinks a leaf; it knows all of EOS, we a part of "
    "it. netlab: `netlab create`, eBGP on every link. Compare with the table above by switches and ports."
)
PYAVD = Path(__file__).with_name("peer_pyavd.py")
TIMEOUT_S = 1800


def home() -> Path:
    """Where the peers live: outside the project."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpufabric-bench"


def rows() -> list[tuple[str, ...]]:
    """Measured now, or one row that says how to have them measured."""
    if os.environ.get("PEERS") == "1":
        _install()
    python = home() / "bin/python"
    if not python.exists():
        return [("not installed: make bench PEERS=1", "", "", "", "", "", "")]
    found = [_pyavd(python, leaves, spines, 112) for leaves, spines in ((16, 4), (64, 32))]
    return found + [_netlab(leaves, spines) for leaves, spines in ((16, 4), (64, 8))]


def _install() -> None:
    if not (home() / "bin/python").exists():
        print("  installing the peers", file=sys.stderr)
        venv.create(home(), with_pip=True)
        subprocess.run([home() / "bin/pip", "install", "--quiet", *PACKAGES], check=True, timeout=TIMEOUT_S)


def _measured(command: list[str], folder: str) -> tuple[float, float, float]:
    """(wall seconds, CPU seconds, peak MiB) of one process and those it waited for."""
    print(f"  {Path(command[0]).name} {' '.join(Path(each).name for each in command[1:])}", file=sys.stderr)
    path = f"{home() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    started = time.perf_counter()
    errors = Path(folder) / "stderr"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL, stderr=stderr
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed: {errors.read_text(errors='replace')[-500:]}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _row(peer: str, fabric: str, switches: int, cost: tuple[float, float, float]) -> tuple[str, ...]:
    wall_s, cpu_s, peak_mib = cost
    each_ms = wall_s / switches * 1000
    return (peer, fabric, str(switches), f"{wall_s:.1f}", f"{cpu_s:.1f}", f"{each_ms:.0f}", f"{peak_mib:.0f}")


def _pyavd(python: Path, leaves: int, spines: int, host_ports: int) -> tuple[str, ...]:
    command = [str(python), str(PYAVD), str(leaves), str(spines), str(host_ports)]
    with tempfile.TemporaryDirectory() as folder:
        cost = _measured(command, folder)
    return _row("pyavd 6.4.0", f"{leaves} x {spines}, {host_ports} host ports a leaf", leaves + spines, cost)


def _netlab(leaves: int, spines: int) -> tuple[str, ...]:
    names = [f"l{number}" for number in range(1, leaves + 1)], [f"s{number}" for number in range(1, spines + 1)]
    asns = {name: {"bgp.as": 65001 + at} for at, name in enumerate(names[0])} | {
        name: {"bgp.as": 65000} for name in names[1]
    }
    links = [f"{leaf}-{spine}" for leaf in names[0] for spine in names[1]]
    topology = {"defaults.device": "eos", "provider": "clab", "module": ["bgp"], "nodes": asns, "links": links}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "topology.yml").write_text(yaml.safe_dump(json.loads(json.dumps(topology)), sort_keys=False))
        cost = _measured([str(home() / "bin/netlab"), "create", "-q"], folder)
    return _row("netlab 26.10", f"{leaves} x {spines}, no host ports", leaves + spines, cost)
