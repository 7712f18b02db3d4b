"""What schedulers are told is what the cables say: judged by walking over links, and by Slurm itself."""

from __future__ import annotations

import getpass
import re
import shutil
import socket
import subprocess
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.errors import DesignError
from nornir_tasks.render.schedulers import host_list
from nornir_tasks.usecases import export
from nornir_tasks.usecases.site import SiteDesign, load

ROOT = Path(__file__).parents[3]
SITES = ("lab", "lab-breakout", "lab-rails", "ref-512", "ref-28672", "ref-32768")
LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
"""Kubernetes documentation, "Labels and Selectors"."""
STARTS_WITHIN_S = 60.0
DEBIANS_OWN = (
    "High latency for",
    "MailProg is invalid",
    "pmix",
    "PMIx",
    "MPI: Cannot create",
    "Plugin init()",
    "state file",
    "NOTE: Trying backup",
)
"""Of what slurmctld says as an error: what is so on any machine without mail, PMIx and an earlier state."""


@cache
def site(name: str) -> SiteDesign:
    return load(str(ROOT / "inventory" / name))


def leaves_of(design: SiteDesign) -> dict[str, dict[int, set[str]]]:
    """Host -> rail -> the leaves its cables of the compute plane end at, from the list of links alone."""
    fabric = design.network.planes["compute"].fabric
    found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for link in design.network.links:
        name = re.fullmatch(r"rail(\d+).*", link.lower.port)
        if link.kind == "host" and link.fabric == fabric and name is not None:
            found[link.lower.device][int(name[1])].add(link.upper.device)
    return found


def steps_from(design: SiteDesign, leaf: str) -> dict[str, int]:
    """Switch -> over how many cables it is reached from a leaf."""
    next_to: dict[str, list[str]] = defaultdict(list)
    for link in design.network.links:
        if link.kind == "fabric":
            next_to[link.upper.device].append(link.lower.device)
            next_to[link.lower.device].append(link.upper.device)
    steps, waiting = {leaf: 0}, deque([leaf])
    while waiting:
        at = waiting.popleft()
        for other in next_to[at]:
            if other not in steps:
                steps[other] = steps[at] + 1
                waiting.append(other)
    return steps


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", SITES)
def test_hosts_share_a_tier_just_where_their_cables_meet_there(name: str) -> None:
    design = site(name)
    hosts = {each.host: each.tiers for each in export.k8s_labels(design, "compute").hosts}
    leaves = leaves_of(design)
    assert hosts.keys() == leaves.keys()
    some = sorted(hosts)[:: max(1, len(hosts) // 40)]
    for one in some[:: max(1, len(some) // 6)]:
        (leaf,) = sorted(leaves[one][0])[:1]
        steps = steps_from(design, leaf)
        for other in some:
            up = min(steps[each] for each in leaves[other][0]) // 2
            assert [a == b for a, b in zip(hosts[one], hosts[other], strict=True)] == [
                tier >= up for tier in range(len(hosts[one]))
            ], (one, other)


@pytest.mark.parametrize("name", SITES)
def test_labels_are_values_that_kubernetes_takes_and_tiers_are_numbered_from_the_nearest(name: str) -> None:
    made = export.k8s_labels(site(name), "compute")
    for host, labels in made.labels.items():
        assert [value for value in labels.values() if not LABEL_VALUE.fullmatch(value)] == [], host
        tiers = [key for key in labels if key.startswith("fabric.topograph.run/")]
        assert tiers == [f"fabric.topograph.run/tier-{number}" for number in range(len(tiers))]
        assert labels["gpufabric/leaf-group"] == labels["fabric.topograph.run/tier-0"]
    assert len(made.lines) == len(made.labels)


def test_growth_changes_no_line_of_hosts_that_are_there(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "inventory/ref-28672", tmp_path / "site")
    file = tmp_path / "site/fabric.yml"
    text = file.read_text()
    assert "count: 3584" in text
    file.write_text(text.replace("count: 3584", "count: 1700"))
    small, large = load(str(tmp_path / "site")), site("ref-28672")
    before, after = (export.k8s_labels(each, None).labels for each in (small, large))
    assert len(before) == 1700
    assert all(after[host] == labels for host, labels in before.items())
    trees = [export.slurm_topology(each, None, "tree").lines for each in (small, large)]
    changed = set(trees[0]) - set(trees[1])
    assert {line.split()[0] for line in changed} == {"SwitchName=compute-g16", "SwitchName=compute"}


def test_ranks_in_the_order_of_the_host_file_stay_in_a_group_until_it_is_used_up() -> None:
    made = export.nccl_topology(site("ref-32768"), None)
    tiers = {each.host: each.tiers for each in made.hosts}
    order = [tiers[line.split()[0]] for line in made.lines]
    assert len(order) == len(tiers)
    for tier in range(2):
        runs = [name for at, name in enumerate(each[tier] for each in order) if at == 0 or name != order[at - 1][tier]]
        assert len(runs) == len(set(runs))
    assert all(line.split()[1] == "slots=8" for line in made.lines)


def test_a_block_of_slurm_is_a_leaf_group_and_none_is_smaller_than_the_size_that_is_declared() -> None:
    lines = export.slurm_topology(site("ref-28672"), None, "block").lines
    assert lines[0] == "BlockName=compute-g1 Nodes=gpu-[1-112]"
    assert lines[-1] == "BlockSizes=112"
    assert len(lines) == 33


def test_a_plane_without_rails_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(DesignError) as refused:
        export.slurm_topology(site("lab"), "oob", "tree")
    assert "--plane oob" in str(refused.value)
    assert "expected: compute" in str(refused.value)


@given(st.sets(st.integers(0, 4000), min_size=1), st.sets(st.integers(1, 9)))
def test_a_host_list_means_the_hosts_it_was_made_of(numbers: set[int], others: set[int]) -> None:
    names = [f"gpu-{each}" for each in numbers] + [f"rack{each}" for each in others] + ["bastion"]
    assert sorted(expanded(host_list(names))) == sorted(names)


def expanded(text: str) -> Iterator[str]:
    """hostlist(5) of what is written here: a stem, and numbers with ranges in brackets."""
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        stem, _, inside = part.partition("[")
        if not inside:
            yield part
        for run in inside.rstrip("]").split(",") if inside else ():
            first, _, last = run.partition("-")
            yield from (f"{stem}{number}" for number in range(int(first), int(last or first) + 1))


@contextmanager
def slurmctld(where: Path, lines: tuple[str, ...], nodes: str) -> Iterator[dict[str, str]]:
    """A controller of Slurm on loopback with this topology; the environment of its commands."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (where / "topology.conf").write_text("".join(f"{line}\n" for line in lines))
    (where / "slurm.conf").write_text(
        f"ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={port}\nSlurmUser={getpass.getuser()}\n"
        f"AuthType=auth/none\nCredType=cred/none\nStateSaveLocation={where}\nSlurmctldPidFile={where}/pid\n"
        f"SlurmctldLogFile={where}/log\nTopologyPlugin=topology/tree\nSlurmdTimeout=0\n"
        f"NodeName={nodes} CPUs=8 State=FUTURE\nPartitionName=all Nodes=ALL Default=YES\n"
    )
    environ = {"SLURM_CONF": f"{where}/slurm.conf", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    command = ["slurmctld", "-D", "-c", "-f", f"{where}/slurm.conf"]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + STARTS_WITHIN_S
        while subprocess.run(["scontrol", "ping"], env=environ, capture_output=True, check=False).returncode:
            assert process.poll() is None, (where / "log").read_text()
            assert time.monotonic() < end, (where / "log").read_text()
            time.sleep(0.2)
        yield environ
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.mark.needs("slurmctld", "scontrol")
@pytest.mark.parametrize("name", ["ref-512", "ref-28672"])
def test_slurm_starts_without_a_warning_and_shows_the_tree_that_was_exported(name: str, tmp_path: Path) -> None:
    made = export.slurm_topology(site(name), None, "tree")
    with slurmctld(tmp_path, made.lines, host_list(each.host for each in made.hosts)) as environ:
        shown = subprocess.run(
            ["scontrol", "show", "topology"], env=environ, capture_output=True, text=True, check=True, timeout=60
        ).stdout
    log = (tmp_path / "log").read_text().splitlines()
    assert [line for line in log if "error" in line and not any(word in line for word in DEBIANS_OWN)] == []
    assert [line for line in log if "topology" in line.lower() or "WARNING" in line] == []
    of_slurm = [dict(word.split("=", 1) for word in line.split()) for line in shown.splitlines() if line.strip()]
    of_ours = [dict(word.split("=", 1) for word in line.split()) for line in made.lines]
    assert {each["SwitchName"]: (each["Nodes"], each.get("Switches")) for each in of_slurm if each["Level"] == "0"} == {
        each["SwitchName"]: (each["Nodes"], None) for each in of_ours if "Nodes" in each
    }
    tops = {each["SwitchName"]: sorted(expanded(each["Switches"])) for each in of_ours if "Switches" in each}
    assert {each["SwitchName"]: sorted(expanded(each["Switches"])) for each in of_slurm if "Switches" in each} == tops
