"""Localities as schedulers read them: Slurm's topology files, labels of Kubernetes nodes, a host file for MPI and NCCL.

Sources: topology.conf(5) and slurm.conf(5) of Slurm 22.05.8 (topology/tree, host lists); of blocks and topology.yaml
SchedMD/slurm doc/man/man5/topology.conf.5, topology.yaml.5 and CHANGELOG at 284c3b95f08a, with block_record.c at the
tags slurm-24-05-4-1 (1f8005bf270b), slurm-24-11-7-1 (defaf214db2e) and slurm-25-05-0-1 (91f6d444e368); topograph 1.0.0,
"Node Labels and Annotations" (docs.nvidia.com/topograph: tier 0 is nearest, numbers grow outwards); "slots" of a host
file (Open MPI, mpirun) from memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from nornir_tasks.design.model.order import natural_key
from nornir_tasks.design.reports.localities import Locality

TIER_LABEL = "fabric.topograph.run/tier-"
HOST_NAME = "kubernetes.io/hostname"
OLDER_TIERS = tuple(f"network.topology.nvidia.com/{tier}" for tier in ("leaf", "spine", "core"))
"""The keys of topograph before 1.0, nearest first: NVIDIA/topograph charts/topograph/values.yaml at v0.5.0
(253cb10aafae)."""
OWN_LABEL = "gpufabric/"
"""A prefix without a dot is a DNS subdomain too, and has no other user."""


def labels(each: Locality, site: str, *, with_older: bool = False) -> dict[str, str]:
    """The labels of one host's node: topograph's tiers, and what it has no name for.

    ``with_older``: the tiers by topograph's keys before 1.0 as well.
    """
    tiers = {f"{TIER_LABEL}{number}": name for number, name in enumerate(each.tiers)}
    tiers |= dict(zip(OLDER_TIERS, each.tiers, strict=False)) if with_older else {}
    own = {
        "site": site,
        "group": each.group,
        "leaf-group": each.leaf_group,
        "rails": str(len({port.rail for port in each.rails})),
    }
    if len(each.tiers) > 2:
        own["pod"] = each.tiers[1]
    if each.rack:
        own["rack"] = each.rack
    return tiers | {f"{OWN_LABEL}{name}": value for name, value in sorted(own.items())}


def label_commands(
    found: Sequence[Locality], labels_of: Mapping[str, Mapping[str, str]], nodes: Mapping[str, str]
) -> Iterator[str]:
    """One command for each node: unlike a manifest it makes no node that is not there.

    ``labels_of``: host -> labels; ``nodes``: host -> its node.
    """
    for each in found:
        pairs = " ".join(f"{name}={value}" for name, value in labels_of[each.host].items())
        yield f"kubectl label node {nodes[each.host]} --overwrite {pairs}"


WITHOUT_RAILS, ROOT = "hosts.without-rails", "all.hosts"
"""Switches of Slurm's tree for hosts that the plane does not join, and above all: no fabric has a dot in its name."""
MOST_BLOCK_LEVELS = 16
"""MAX_BLOCK_LEVELS of block_record.c."""


@dataclass(frozen=True, slots=True)
class SlurmTree:
    """Switches of topology/tree: a leaf of Slurm's tree is a leaf group, for a node is in one alone."""

    leaves: tuple[tuple[str, str], ...]
    """(switch, its nodes)."""
    above: tuple[tuple[str, str], ...]
    """(switch, its children), from below."""


@dataclass(frozen=True, slots=True)
class SlurmBlocks:
    """Blocks of topology/block: a block is a leaf group."""

    blocks: tuple[tuple[str, str], ...]
    """(block, its nodes), so that those of a pod are adjacent."""
    sizes: tuple[int, ...]
    """Nodes of a block, then of so many adjacent blocks as are still in one pod, each twice the one before."""


def kueue_topology(found: Sequence[Locality], site: str, plane: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Kueue's Topology, from the fabric down to the node, and a flavor of the nodes that it is about.

    kubernetes-sigs/kueue config/components/crd/bases/kueue.x-k8s.io_topologies.yaml and _resourceflavors.yaml at
    v0.19.2: levels are labels of nodes, each once, at most 16, the host's name last; a flavor with a topology has a
    label. v1beta2 is served since v0.15.0.
    """
    tiers = range(max((len(each.tiers) for each in found), default=0))
    levels = [*(f"{TIER_LABEL}{number}" for number in reversed(tiers)), HOST_NAME]
    name = f"{site}-{plane}".replace("_", "-")
    kinds = {
        "Topology": {"levels": [{"nodeLabel": label} for label in levels]},
        "ResourceFlavor": {"nodeLabels": {f"{OWN_LABEL}site": site}, "topologyName": name},
    }
    topology, flavor = (
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, "spec": spec}
        for kind, spec in kinds.items()
    )
    return topology, flavor


def slurm_tree(found: Sequence[Locality], others: Sequence[str]) -> SlurmTree:
    """The tree of a plane. ``others``: hosts that the plane does not join; they hang at a root above both."""
    leaves = [(name, host_list(nodes)) for name, nodes in _grouped(found, 0, _host)]
    above = [
        (name, host_list(below))
        for tier in range(1, max((len(each.tiers) for each in found), default=0))
        for name, below in _grouped(found, tier, _name_of(tier - 1))
    ]
    if others:
        leaves.append((WITHOUT_RAILS, host_list(others)))
        tops = {each.tiers[-1] for each in found}
        above.append((ROOT, host_list([*sorted(tops), WITHOUT_RAILS])))
    return SlurmTree(tuple(leaves), tuple(above))


def slurm_blocks(found: Sequence[Locality], *, is_before_25_05: bool) -> SlurmBlocks:
    """The blocks of a plane, pod after pod.

    Hosts that it does not join are in none, for a block beside others would be joined to them. A group that
    is not full is a smaller block. Slurm takes one since 25.05 (CHANGELOG/slurm-25.05.md); before, it
    stops at a block that is smaller than the base size, so there the base size is that of the smallest one.
    """
    order = sorted(found, key=lambda each: [natural_key(name) for name in reversed(each.tiers)])
    groups: dict[str, list[str]] = {}
    for each in order:
        groups.setdefault(each.leaf_group, []).append(each.host)
    pods: dict[tuple[str, ...], set[str]] = {}
    for each in found:
        pods.setdefault(each.tiers[1:], set()).add(each.leaf_group)
    counts = [len(nodes) for nodes in groups.values()]
    base = (min if is_before_25_05 else max)(counts, default=0)
    levels = range(_levels([len(pods[each]) for each in dict.fromkeys(one.tiers[1:] for one in order)]))
    blocks = [(name, host_list(sorted(nodes, key=natural_key))) for name, nodes in groups.items()]
    return SlurmBlocks(tuple(blocks), tuple(base << level for level in levels) if base else ())


def _levels(groups_of_pods: Sequence[int]) -> int:
    """How often blocks can be joined two by two, counted from the first, without one that is in two pods.

    All pods but the last have to be whole multiples then. With one pod: as long as there are two to join.
    """
    level = 1
    while level < MOST_BLOCK_LEVELS:
        size = 1 << level
        if any(count % size for count in groups_of_pods[:-1]) or size > max(groups_of_pods, default=0):
            break
        level += 1
    return level


def slurm_conf(made: SlurmTree | SlurmBlocks) -> Iterator[str]:
    """Lines of topology.conf."""
    if isinstance(made, SlurmTree):
        yield from (f"SwitchName={name} Nodes={nodes}" for name, nodes in made.leaves)
        yield from (f"SwitchName={name} Switches={children}" for name, children in made.above)
        return
    yield from (f"BlockName={name} Nodes={nodes}" for name, nodes in made.blocks)
    if made.sizes:
        yield f"BlockSizes={','.join(str(size) for size in made.sizes)}"


def slurm_yaml(made: SlurmTree | SlurmBlocks, name: str, *, has_others: bool) -> Iterator[str]:
    """Lines of topology.yaml (Slurm 25.05 and later). ``name``: the topology's, which partitions may give.

    ``has_others``: there are hosts in no block, for which there is a flat topology beside.
    """
    yield from ("---", f"- topology: {name}", "  cluster_default: true")
    if isinstance(made, SlurmTree):
        yield from ("  tree:", "    switches:")
        for key, rows in (("children", tuple(reversed(made.above))), ("nodes", made.leaves)):
            for switch, below in rows:
                yield from (f'      - switch: "{switch}"', f'        {key}: "{below}"')
        return
    yield from ("  block:", "    block_sizes:")
    yield from (f"      - {size}" for size in made.sizes)
    yield "    blocks:"
    for block, nodes in made.blocks:
        yield from (f'      - block: "{block}"', f'        nodes: "{nodes}"')
    if has_others:
        yield from (f"- topology: {WITHOUT_RAILS}", "  cluster_default: false", "  flat: true")


def slurm_task_prolog(values: Mapping[str, int]) -> Iterator[str]:
    """Lines of a script for TaskProlog: what it prints as ``export NAME=VALUE`` is in the task's environment.

    SchedMD/slurm doc/html/prolog_epilog.shtml, 284c3b95f08a. What a job sets itself stays. ``values``: variable ->
    traffic class of RDMA libraries.
    """
    yield "#!/bin/sh"
    yield "# The fabric's traffic class for RDMA libraries of tasks, by gpufabric. What a job sets itself stays."
    for name, value in sorted(values.items()):
        yield f'[ -n "${{{name}+set}}" ] || echo "export {name}={value}"'


def host_file(found: Sequence[Locality]) -> Iterator[str]:
    """Hosts in the order of their localities: a ring over ranks in this order goes up as seldom as it can.

    ``slots`` is the number of rails: a rank for each NIC.
    """
    for each in sorted(found, key=lambda one: tuple(natural_key(name) for name in (*reversed(one.tiers), one.host))):
        yield f"{each.host} slots={len({port.rail for port in each.rails})}  # {' '.join(each.tiers)}"


def host_list(names: Iterable[str]) -> str:
    """Slurm's host list: ``gpu-[1-4,7],login-1``."""
    parts: dict[str, list[int]] = {}
    rest: list[str] = []
    for name in names:
        before, _, number = name.rpartition("-")
        stem, digits = (f"{before}-", number) if before else ("", "")
        if not digits.isdecimal():
            stem, digits = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
        if not digits or (digits.startswith("0") and digits != "0"):
            rest.append(name)
        else:
            parts.setdefault(stem, []).append(int(digits))
    return ",".join([*(_range(stem, sorted(numbers)) for stem, numbers in parts.items()), *rest])


def _range(stem: str, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{stem}{numbers[0]}"
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    inside = ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"{stem}[{inside}]"


def _name_of(tier: int) -> Callable[[Locality], str]:
    return lambda each: each.tiers[tier]


def _host(each: Locality) -> str:
    return each.host


def _grouped(
    found: Sequence[Locality], tier: int, member: Callable[[Locality], str]
) -> Iterator[tuple[str, list[str]]]:
    """Each name of a tier with its members, both in natural order and each once."""
    groups: dict[str, set[str]] = {}
    for each in found:
        groups.setdefault(each.tiers[tier], set()).add(member(each))
    for name in sorted(groups, key=natural_key):
        yield name, sorted(groups[name], key=natural_key)
