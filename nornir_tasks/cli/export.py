"""``nornir export``: what schedulers and clusters are told of the network."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.usecases.export import Topology

app = typer.Typer(
    help="For the schedulers of jobs: which hosts are near one another, and RDMA in pods.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
OnPlane = Annotated[str | None, typer.Option("--plane", "-p", help="Whose rails count; default: the GPUs' own.")]
Plugin = Annotated[Literal["tree", "block"], typer.Option("--plugin", help="block: Slurm 24.05 and later.")]
Form = Annotated[
    Literal["conf", "yaml"], typer.Option("--format", help="topology.conf, or topology.yaml of Slurm 25.05 and later.")
]
OutFile = Annotated[Path | None, typer.Option("--out", "-o", help="File to write to; default: standard output.")]
NodeNames = Annotated[
    str | None,
    typer.Option(
        "--node-names",
        help="What the cluster calls the hosts: a template ({host}.example.com, {group}{number:03}), or a file with a "
        "line HOST NODE for each; default: as the intent.",
    ),
]
PodsPerNode = Annotated[int, typer.Option("--pods-per-node", min=1, help="Pods with RDMA on one node, at most.")]
AttachBy = Annotated[
    Literal["operator", "multus", "sriov"],
    typer.Option(
        "--attach-by",
        help="p2p: the attachments themselves, or operator: HostDeviceNetwork. Else macvlan, or sriov.",
    ),
]
Vfs = Annotated[
    int | None,
    typer.Option("--vfs", min=1, help="Virtual functions of each port, as nic_firmware_vfs; default: one a pod."),
]


@app.command("k8s-labels")
def k8s_labels(
    site: options.Site = "lab",
    plane: OnPlane = None,
    node_names: NodeNames = None,
    older_keys: Annotated[
        bool, typer.Option("--older-keys", help="Tiers by topograph's keys before 1.0 as well: leaf, spine, core.")
    ] = False,
    out: OutFile = None,
    json: options.Json = False,
) -> None:
    """Label each host's node with its leaf group, pod, fabric and rack: one kubectl command a node.

    fabric.topograph.run/tier-0 is the nearest.
    """
    from nornir_tasks.usecases import export
    from nornir_tasks.usecases.site import load

    _show(export.k8s_labels(load(site), plane, node_names, with_older=older_keys), out, json=json)


@app.command("kueue-topology")
def kueue_topology(
    site: options.Site = "lab", plane: OnPlane = None, out: OutFile = None, json: options.Json = False
) -> None:
    """Write Kueue's Topology and a ResourceFlavor of its nodes, by the labels that k8s-labels gives them."""
    from nornir_tasks.usecases import export
    from nornir_tasks.usecases.site import load

    _show(export.kueue_topology(load(site), plane), out, json=json)


@app.command("slurm-topology")
def slurm_topology(
    site: options.Site = "lab",
    plane: OnPlane = None,
    plugin: Plugin = "tree",
    form: Form = "conf",
    out: OutFile = None,
    json: options.Json = False,
) -> None:
    """Write topology.conf for Slurm (TopologyPlugin=topology/tree, or topology/block), or topology.yaml.

    A leaf of Slurm's tree is a leaf group, for a node may be at one leaf alone and has a NIC on each of the group's.
    Hosts that the plane does not join hang at a root above; in blocks they are in none.
    """
    from nornir_tasks.usecases import export
    from nornir_tasks.usecases.site import load

    _show(export.slurm_topology(load(site), plane, plugin, form), out, json=json)


@app.command("slurm-task-prolog")
def slurm_task_prolog(
    site: options.Site = "lab", plane: OnPlane = None, out: OutFile = None, json: options.Json = False
) -> None:
    """Write a script for TaskProlog of slurm.conf: the traffic class of each RDMA library, in the environment of tasks.

    What a job sets itself stays.
    """
    from nornir_tasks.usecases import export
    from nornir_tasks.usecases.site import load

    _show(export.slurm_task_prolog(load(site), plane), out, json=json)


@app.command("nccl-topology")
def nccl_topology(
    site: options.Site = "lab", plane: OnPlane = None, out: OutFile = None, json: options.Json = False
) -> None:
    """Write a host file for mpirun in the order of localities, so that NCCL's rings go up as seldom as they can.

    With --json: each host's rails, their interfaces and leaves.
    """
    from nornir_tasks.usecases import export
    from nornir_tasks.usecases.site import load

    _show(export.nccl_topology(load(site), plane), out, json=json)


@app.command("k8s-rdma")
def k8s_rdma(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to.")],
    site: options.Site = "lab",
    plane: OnPlane = None,
    pods_per_node: PodsPerNode = 1,
    namespace: Annotated[str, typer.Option("--namespace", help="Of the pods, and of what they refer to.")] = "default",
    operator_version: Annotated[
        str, typer.Option("--operator-version", help="Tag of the network operator's images.")
    ] = "network-operator-v26.4.1",
    attach_by: AttachBy = "multus",
    vfs: Vfs = None,
    image: Annotated[str, typer.Option("--image", help="Of the pod sample.")] = "nccl-tests:latest",
    exclusive: Annotated[
        bool, typer.Option("--exclusive", help="Virtual functions bring their RDMA device: rdma_stack_namespaces.")
    ] = False,
    node_names: NodeNames = None,
    digests: Annotated[
        Path | None,
        typer.Option("--digests", help="File with a line IMAGE sha256:... for each image of the network operator."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that were edited as well.")] = False,
    json: options.Json = False,
) -> None:
    """Write Kubernetes manifests that give pods RDMA on each rail: policy, pools, networks, NIC configuration, NCCL.

    kubectl apply -k DIR takes all but the pod sample. Label the nodes after that (nornir export k8s-labels): a labelled
    node without an allocation would be given a free one.
    """
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.usecases import kubernetes
    from nornir_tasks.usecases.site import load

    choices = kubernetes.Choices(
        plane, pods_per_node, namespace, operator_version, attach_by, vfs, image, exclusive, node_names, digests
    )
    made = kubernetes.k8s_rdma(load(site), choices)
    written = kubernetes.write(made, out, overwrite=overwrite)
    if json:
        print_json(
            "export-k8s-rdma",
            {
                "plane": made.pods.plane,
                "objects": [{"kind": each["kind"], "name": each["metadata"]["name"]} for each in made.all],
                "files": [str(file) for file in written.files],
                "changed": [str(file) for file in written.changed],
                "removed": [str(file) for file in written.removed],
                "left": [str(file) for file in written.left],
            },
        )
        return
    counts = f"{len(made.pods.rails)} rails of plane {made.pods.plane}, {len(made.all)} objects"
    console.print(f"{out}: {counts}, {len(written.changed)} files changed", soft_wrap=True)
    for file in written.left:
        console.print(f"{file}: not written any more, and left, for it was edited", soft_wrap=True)
    if made.needs_chained_plugins:
        console.print(METAPLUGINS, soft_wrap=True)
    if digests is None:
        console.print(f"images are pinned by their tag, {operator_version}: --digests FILE pins them by digest")
    if any(each["kind"] == "SpiderMultusConfig" for each in made.all):
        console.print(MACVLAN, soft_wrap=True)


MACVLAN = (
    "pods on macvlan need NCCL 2.26 or later: an earlier one stops at the first GID of another pod (rdma-libraries.md)"
)
METAPLUGINS = (
    "HostDeviceNetwork has metaPlugins (MTU, a routing table for each rail), which network operators up to "
    "v26.7.0-rc.2 drop without a word: with such a one leave --attach-by operator out"
)


def _show(made: "Topology", out: Path | None, *, json: bool) -> None:
    from nornir_tasks.cli.console import out as console
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.files.documents import is_stdout
    from nornir_tasks.usecases.export import write

    if json:
        print_json("export-topology", _document(made))
        return
    if out is None or is_stdout(str(out)):
        for line in made.lines:
            console.print(line, soft_wrap=True, highlight=False)
        return
    write(made, out)
    console.print(f"{out}: {len(made.hosts)} hosts of plane {made.plane}")


def _document(made: "Topology") -> dict[str, object]:
    hosts = {
        each.host: {
            "tiers": list(each.tiers),
            "rack": each.rack or None,
            "rails": [{"rail": port.rail, "port": port.port, "leaf": port.leaf} for port in each.rails],
            "labels": dict(made.labels[each.host]),
        }
        for each in made.hosts
    }
    return {"plane": made.plane, "hosts": hosts, "lines": list(made.lines)}
