"""Localities as schedulers read them: Slurm's topology.conf, labels of Kubernetes nodes, a host file for MPI and NCCL.

Sources: topology.conf(5) and slurm.conf(5) of Slurm 22.05.8 (topology/tree, host lists); topology/block and its release
from memory; topograph 1.0.0, "Node Labels and Annotations" (docs.nvidia.com/topograph: tier 0 is nearest, numbers grow
outwards); "slots" of a host file (Open MPI, mpirun) from memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from nornir_tasks.design.localities import Locality
from nornir_tasks.design.natural_order import natural_key

TIER_LABEL = "fabric.topograph.run/tier-"
OLDER_TIERS = tuple(f"network.topology.nvidia.com/{tier}" for tier in ("leaf", "spine", "core"))
"""The keys of topograph before 1.0, nearest first: NVIDIA/topograph charts/topograph/values.yaml at v0.5.0
(253cb10aafae)."""
OWN_LABEL = "gpufabric/"
"""A prefix without a dot is a DNS subdomain too, and nobody else's."""


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


def slurm_tree(found: Sequence[Locality]) -> Iterator[str]:
    """Lines of topology.conf for topology/tree: a leaf of Slurm's tree is a leaf group, for a node is in one alone."""
    yield from (f"SwitchName={name} Nodes={host_list(nodes)}" for name, nodes in _grouped(found, 0, _host))
    for tier in range(1, max((len(each.tiers) for each in found), default=0)):
        for name, below in _grouped(found, tier, _name_of(tier - 1)):
            yield f"SwitchName={name} Switches={host_list(below)}"


def slurm_block(found: Sequence[Locality]) -> Iterator[str]:
    """Lines of topology.conf for topology/block (Slurm 23.11 and later): a block is a leaf group."""
    blocks = list(_grouped(found, 0, _host))
    yield from (f"BlockName={name} Nodes={host_list(nodes)}" for name, nodes in blocks)
    if blocks:
        yield f"BlockSizes={min(len(nodes) for _, nodes in blocks)}"


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
