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
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nornir_tasks.design.reports.localities import Locality
from nornir_tasks.errors import DesignError
from nornir_tasks.render.schedulers import host_list, slurm_blocks
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
    assert lines[-1] == "BlockSizes=112,224,448,896,1792,3584"
    assert len(lines) == 33


def blocks_of(found: tuple[Locality, ...], *, is_old: bool) -> tuple[dict[str, list[str]], list[int]]:
    made = slurm_blocks(found, is_before_25_05=is_old)
    return {name: list(expanded(nodes)) for name, nodes in made.blocks}, list(made.sizes)


def joined(names: list[str], base: int, sizes: list[int]) -> Iterator[list[str]]:
    """Blocks that Slurm joins at each size: so many neighbours, counted from the first (block_record.c, 25.05.0)."""
    for size in sizes:
        count = size // base
        yield from (names[at : at + count] for at in range(0, len(names), count))


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=9), min_size=1, max_size=5), st.booleans())
def test_blocks_that_slurm_joins_are_of_one_pod_and_their_sizes_are_such_as_it_takes(
    pods: list[list[int]], is_old: bool
) -> None:
    numbers, found, pod_of = iter(range(1, 1000)), [], {}
    for pod, groups in enumerate(pods, 1):
        for count in groups:
            name = f"compute-g{len(pod_of) + 1}"
            pod_of[name] = pod
            tiers = (name, f"compute-p{pod}", "compute")
            found += [Locality(f"gpu-{next(numbers)}", tiers, "", ()) for _ in range(count)]
    blocks, sizes = blocks_of(tuple(found), is_old=is_old)
    assert sorted(host for hosts in blocks.values() for host in hosts) == sorted(each.host for each in found)
    counts = [len(each) for each in blocks.values()]
    assert sizes[0] == (min(counts) if is_old else max(counts))
    assert sizes == [sizes[0] << level for level in range(len(sizes))] and len(sizes) <= 16
    assert all(len({pod_of[name] for name in each}) == 1 for each in joined(list(blocks), sizes[0], sizes))
    if len(pods) == 1:
        assert len(sizes) == len(bin(len(pods[0]))) - 2


def test_a_group_that_is_not_full_does_not_make_blocks_smaller_where_slurm_takes_a_smaller_one(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "inventory/ref-28672", tmp_path / "site")
    file = tmp_path / "site/fabric.yml"
    file.write_text(file.read_text().replace("count: 3584", "count: 1689"))
    design = load(str(tmp_path / "site"))
    assert export.slurm_topology(design, None, "block").lines[-1].startswith("BlockSizes=9,18,")
    document = yaml.safe_load("\n".join(export.slurm_topology(design, None, "block", "yaml").lines))
    assert document[0]["block"]["block_sizes"] == [112, 224, 448, 896, 1792]
    assert document[0]["block"]["blocks"][-1] == {"block": "compute-g16", "nodes": "gpu-[1681-1689]"}


@pytest.mark.parametrize("name", SITES)
def test_topology_yaml_has_what_topology_conf_has_and_keys_that_slurm_knows(name: str) -> None:
    design = site(name)
    of_conf = [
        dict(word.split("=", 1) for word in line.split())
        for line in export.slurm_topology(design, "compute", "tree").lines
    ]
    (tree,) = yaml.safe_load("\n".join(export.slurm_topology(design, "compute", "tree", "yaml").lines))
    assert list(tree) == ["topology", "cluster_default", "tree"] and tree["cluster_default"] is True
    switches = {each["switch"]: (each.get("nodes"), each.get("children")) for each in tree["tree"]["switches"]}
    assert switches == {each["SwitchName"]: (each.get("Nodes"), each.get("Switches")) for each in of_conf}
    first, *rest = yaml.safe_load("\n".join(export.slurm_topology(design, "compute", "block", "yaml").lines))
    assert list(first) == ["topology", "cluster_default", "block"] and set(first["block"]) == {"block_sizes", "blocks"}
    has_others = len(switches) > 0 and "hosts.without-rails" in switches
    assert rest == ([{"topology": "hosts.without-rails", "cluster_default": False, "flat": True}] if has_others else [])


@pytest.mark.parametrize("name", SITES)
def test_kueues_levels_are_labels_that_every_node_is_given_from_the_outermost_to_the_node(name: str) -> None:
    topology, flavor = yaml.safe_load_all("\n".join(export.kueue_topology(site(name), "compute").lines))
    levels = [each["nodeLabel"] for each in topology["spec"]["levels"]]
    made = export.k8s_labels(site(name), "compute")
    assert levels.pop() == "kubernetes.io/hostname" and len(set(levels)) == len(levels) <= 15
    for labels in made.labels.values():
        assert set(levels) <= labels.keys()
        assert flavor["spec"]["nodeLabels"].items() <= labels.items()
    counts = [len({labels[level] for labels in made.labels.values()}) for level in levels]
    assert counts == sorted(counts) and counts[0] == 1
    assert flavor["spec"]["topologyName"] == topology["metadata"]["name"]
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", topology["metadata"]["name"])


def test_hosts_outside_rails_are_in_the_tree_and_below_one_root_with_the_others() -> None:
    lines = export.slurm_topology(site("lab"), None, "tree").lines
    assert lines[-3] == "SwitchName=hosts.without-rails Nodes=storage-[1-2],login-1,api-1"
    assert lines[-1] == "SwitchName=all.hosts Switches=compute,hosts.without-rails"
    named = [host for line in lines if "Nodes=" in line for host in expanded(line.split("Nodes=")[1])]
    assert sorted(named) == sorted(site("lab").network.hosts)


def test_a_task_is_given_each_librarys_traffic_class_and_keeps_what_its_job_says(tmp_path: Path) -> None:
    script = tmp_path / "prolog"
    script.write_text("\n".join(export.slurm_task_prolog(site("lab"), None).lines) + "\n")

    def run(**environ: str) -> list[str]:
        done = subprocess.run(["sh", script], env=environ, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    names = [
        "MC_IB_TC",
        "MORI_RDMA_TC",
        "NCCL_IB_FIFO_TC",
        "NCCL_IB_TC",
        "NVSHMEM_IB_TRAFFIC_CLASS",
        "UCX_IB_TRAFFIC_CLASS",
    ]
    assert run() == [f"export {name}=106" for name in names]
    assert run(UCX_IB_TRAFFIC_CLASS="0", MORI_RDMA_TC="") == [
        f"export {name}=106" for name in names if name not in {"UCX_IB_TRAFFIC_CLASS", "MORI_RDMA_TC"}
    ]


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
@pytest.mark.parametrize("name", ["ref-512", "ref-28672", "lab"])
def test_slurm_starts_without_a_warning_and_shows_the_tree_that_was_exported(name: str, tmp_path: Path) -> None:
    made = export.slurm_topology(site(name), None, "tree")
    with slurmctld(tmp_path, made.lines, host_list(site(name).network.hosts)) as environ:
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
