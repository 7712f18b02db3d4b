"""What schedulers are told of the network: which hosts are near one another."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.rdma_libraries import environment
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.localities import Locality, localities
from nornir_tasks.errors import DesignError, Problem
from nornir_tasks.files.documents import write_documents
from nornir_tasks.files.manifests import as_yaml
from nornir_tasks.render import schedulers
from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.node_names import node_names
from nornir_tasks.usecases.site import SiteDesign

Plugin = Literal["tree", "block"]
Form = Literal["conf", "yaml"]


@dataclass(frozen=True, slots=True)
class Topology:
    """The hosts of one plane, and the text that a scheduler reads."""

    plane: str
    hosts: tuple[Locality, ...]
    lines: tuple[str, ...]
    labels: Mapping[str, Mapping[str, str]]
    """Host -> labels of its node."""


def k8s_labels(
    design: SiteDesign, plane: str | None, nodes: str | None = None, *, with_older: bool = False
) -> Topology:
    """Commands that label the nodes. Raises DesignError where the plane is not clear, and as ``node_names`` does.

    ``nodes``: how the cluster calls the hosts; ``with_older``: by topograph's keys before 1.0 as well.
    """
    made = _made(design, plane, lambda _: iter(()))
    labels = {each.host: schedulers.labels(each, design.site.name, with_older=with_older) for each in made.hosts}
    names = node_names(nodes, [each.host for each in made.hosts])
    return replace(made, labels=labels, lines=tuple(schedulers.label_commands(made.hosts, labels, names)))


def kueue_topology(design: SiteDesign, plane: str | None) -> Topology:
    """Kueue's Topology and a ResourceFlavor, by the labels of ``k8s_labels``. Raises DesignError as above."""
    made = _made(design, plane, lambda _: iter(()))
    documents = schedulers.kueue_topology(made.hosts, design.site.name, made.plane)
    return replace(made, lines=tuple(as_yaml(documents).splitlines()))


def slurm_topology(design: SiteDesign, plane: str | None, plugin: Plugin, form: Form = "conf") -> Topology:
    """A topology file for one of Slurm's plug-ins. Raises DesignError as above.

    ``form``: topology.conf, of all releases (blocks: 24.05 and later), or topology.yaml, of 25.05 and later.
    """
    made = _made(design, plane, lambda _: iter(()))
    joined = {each.host for each in made.hosts}
    others = [host for host in design.network.hosts if host not in joined]
    if plugin == "tree":
        found: schedulers.SlurmTree | schedulers.SlurmBlocks = schedulers.slurm_tree(made.hosts, others)
    else:
        found = schedulers.slurm_blocks(made.hosts, is_before_25_05=form == "conf")
    if form == "conf":
        return replace(made, lines=tuple(schedulers.slurm_conf(found)))
    return replace(made, lines=tuple(schedulers.slurm_yaml(found, made.plane, has_others=bool(others))))


def slurm_task_prolog(design: SiteDesign, plane: str | None) -> Topology:
    """A script for Slurm's TaskProlog, with the traffic class of RDMA libraries. Raises DesignError as above.

    It is the same on every node, so groups that mark otherwise are refused.
    """
    made = _made(design, plane, lambda _: iter(()))
    hosts = host_inventory(design.site.intent, design.network, design.catalogue).variables
    classes: dict[tuple[int, int], str] = {}
    for each in made.hosts:
        variables = hosts[each.host]
        data = int(variables["roce_qos_traffic_class"])
        classes.setdefault((data, int(variables.get("nccl_fifo_traffic_class", data))), each.host)
    if len(classes) > 1:
        what = "one script is for all nodes, and these hosts send RDMA with unlike traffic classes"
        found = ", ".join(f"{host}: {data}" for (data, _), host in classes.items())
        raise DesignError(Problem(f"planes.{made.plane}", what, "one class of RDMA", found))
    ((data, fifo),) = classes
    values = {"NCCL_IB_TC": data, "NCCL_IB_FIFO_TC": fifo, **environment(data)}
    return replace(made, lines=tuple(schedulers.slurm_task_prolog(values)))


def nccl_topology(design: SiteDesign, plane: str | None) -> Topology:
    """A host file in the order of localities. Raises DesignError as above."""
    return _made(design, plane, schedulers.host_file)


Lines = Callable[[tuple[Locality, ...]], Iterator[str]]


def _made(design: SiteDesign, plane: str | None, lines: Lines) -> Topology:
    name = plane_with_rails(design.network, plane)
    hosts = localities(design.network, name)
    labels = {each.host: schedulers.labels(each, design.site.name) for each in hosts}
    return Topology(name, hosts, tuple(lines(hosts)), labels)


def plane_with_rails(network: Network, wanted: str | None) -> str:
    """The plane that was named, or the only one that joins GPUs. Raises DesignError where it is not clear."""
    known = kinds().planes
    with_rails = [
        each.name
        for each in network.planes.values()
        if any(network.rails_of(host, each.name) for host in network.hosts)
    ]
    of_gpus = [name for name in with_rails if known[network.planes[name].kind].joins_gpus]
    names = ", ".join(with_rails)
    if wanted is not None and wanted not in with_rails:
        what = "no hosts have rails on this plane, so it says nothing of which are near one another"
        raise DesignError(Problem(f"--plane {wanted}", what, names or "a plane with rails, which this site has not"))
    if wanted is None and len(of_gpus) != 1:
        what = "several planes join GPUs" if of_gpus else "no plane of this site joins GPUs"
        raise DesignError(
            Problem("planes", what, found=", ".join(of_gpus), hint=f"--plane, one of: {names}" if names else "")
        )
    return wanted or of_gpus[0]


def write(made: Topology, target: Path) -> None:
    """Write the lines to a file, whole or not at all. Raises LocalError where it cannot be written."""
    write_documents({target: "".join(f"{line}\n" for line in made.lines)})
