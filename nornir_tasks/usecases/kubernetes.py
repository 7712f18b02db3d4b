"""The manifests that give pods RDMA on each rail of a plane."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nornir_tasks.design.hosts.pod_networks import PodNetworks
from nornir_tasks.design.hosts.pod_rules import PodDemand, checked_networks
from nornir_tasks.errors import DesignError, IntentError, Problem
from nornir_tasks.files.artifacts import Written, write_artifacts
from nornir_tasks.files.manifests import as_yaml
from nornir_tasks.render import kubernetes
from nornir_tasks.usecases.export import plane_with_rails
from nornir_tasks.usecases.node_names import node_names
from nornir_tasks.usecases.site import SiteDesign

SAMPLE = "pod-sample.yaml"
"""No part of the kustomization: it is there to be copied."""
OWN_MARK = " kubernetes"
"""What the list of rendered files has behind the site's name."""
MOST_VFS = 1024
"""Of a port, as role nic_firmware bounds them; a test compares."""
NODE_POLICIES_SINCE = (26, 4)
"""Release of the network operator that has NicNodePolicy (tests/corpus/kubernetes/device_plugin.tsv)."""
RELEASE = re.compile(r"(?:network-operator-)?v(\d+)\.(\d+)\b.*")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
DIGEST_LINE = "a line `IMAGE sha256:<64 hex digits>` for each, as skopeo inspect prints it"
NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the intent does not say."""

    plane: str | None = None
    """None: the only one that joins GPUs."""
    pods_per_node: int = 1
    """With RDMA, at most."""
    namespace: str = "default"
    """Of the pods."""
    release: str = kubernetes.OPERATOR_RELEASE
    """Tag of the network operator's images."""
    attach_by: Literal["operator", "multus", "sriov"] = "multus"
    """What makes the attachments. ``multus``, host devices: they are written themselves; blocks and shared subnets:
    Spiderpool makes them of macvlan. ``operator``: HostDeviceNetwork, whose metaPlugins no release of the operator has
    yet. ``sriov``: virtual functions, by the SR-IOV operator."""
    vfs: int | None = None
    """Virtual functions of each port; None: one for each pod."""
    image: str = "nccl-tests:latest"
    """Of the pod sample."""
    exclusive: bool = False
    """Move the RDMA device of a virtual function into the pod (CNI's ``rdma``): hosts have them exclusive then."""
    nodes: str | None = None
    """How the cluster calls the hosts: see :func:`node_names`."""
    digests: Path | None = None
    """File with the digest of each image of the network operator; None: they are pinned by the tag."""


@dataclass(frozen=True, slots=True)
class Manifests:
    """What a cluster is given."""

    pods: PodNetworks
    files: Mapping[str, tuple[Mapping[str, Any], ...]]
    """File -> its documents."""

    @property
    def all(self) -> tuple[Mapping[str, Any], ...]:
        """Every object, the sample included."""
        return tuple(each for documents in self.files.values() for each in documents)

    @property
    def needs_chained_plugins(self) -> bool:
        """Does it need a network operator that knows ``metaPlugins`` of a HostDeviceNetwork?"""
        return any(each["kind"] == "HostDeviceNetwork" for each in self.all)


def k8s_rdma(design: SiteDesign, choices: Choices) -> Manifests:
    """All manifests of a plane. Raises IntentError or DesignError for everything that is in the way."""
    plane = plane_with_rails(design.network, choices.plane)
    if not NAMESPACE.fullmatch(choices.namespace):
        what = "no name of a namespace of Kubernetes"
        raise DesignError(Problem(f"--namespace {choices.namespace}", what, "small letters, digits and dashes"))
    marks = design.site.intent.marks
    wanted = PodDemand(plane, choices.pods_per_node, _functions(choices))
    pods = checked_networks(design.network, design.demands, design.catalogue, marks, wanted)
    if pods.is_p2p:
        _require_node_policies(choices.release)
    return manifests(pods, choices)


def _require_node_policies(release: str) -> None:
    """Raise DesignError for an operator without configurations of device plug-ins by node; another tag is believed."""
    found = RELEASE.fullmatch(release)
    if found and (int(found[1]), int(found[2])) < NODE_POLICIES_SINCE:
        what = "it has one configuration of the device plug-in for all nodes, and pods would get NICs of other planes"
        raise DesignError(Problem("--operator-version", what, "network-operator-v26.4.0 or newer", release))


def _functions(choices: Choices) -> int:
    """Virtual functions of each port. Raises DesignError where they are asked for and not made, or are too few."""
    if choices.attach_by != "sriov" and choices.exclusive:
        what = (
            "a device that goes into one pod is that of a virtual function; host devices and macvlan need them shared"
        )
        raise DesignError(Problem("--exclusive", what, "--attach-by sriov", choices.attach_by))
    if choices.attach_by != "sriov":
        if choices.vfs is not None:
            what = "virtual functions are made with --attach-by sriov alone"
            raise DesignError(Problem(f"--vfs {choices.vfs}", what, "--attach-by sriov", choices.attach_by))
        return 0
    made = choices.pods_per_node if choices.vfs is None else choices.vfs
    if not choices.pods_per_node <= made <= MOST_VFS:
        what = f"each of {choices.pods_per_node} pods on a node needs one, and a port has {MOST_VFS} at most"
        raise DesignError(Problem("--vfs", what, f"{choices.pods_per_node} to {MOST_VFS}", str(made)))
    return made


def manifests(pods: PodNetworks, choices: Choices) -> Manifests:
    """All manifests of networks that were checked."""
    namespace = choices.namespace
    nodes = node_names(choices.nodes, list(dict.fromkeys(nic.host for rail in pods.rails for nic in rail.nics)))
    policies = (kubernetes.policy(pods, choices.release), *kubernetes.node_policies(pods, choices.release))
    if choices.digests is not None:
        policies = kubernetes.pinned(policies, image_digests(choices.digests, kubernetes.images(policies)))
    files = {
        "policy.yaml": policies,
        "pools.yaml": tuple(kubernetes.pools(pods, namespace, nodes)),
        "virtual-functions.yaml": tuple(kubernetes.virtual_functions(pods)),
        "networks.yaml": tuple(
            kubernetes.networks(
                pods, namespace, by_multus=choices.attach_by == "multus", is_exclusive=choices.exclusive
            )
        ),
        "nic-configuration.yaml": tuple(kubernetes.nic_configuration(pods)),
        "nccl.yaml": tuple(kubernetes.nccl(pods, namespace)),
        SAMPLE: tuple(kubernetes.pod_samples(pods, namespace, choices.image)),
    }
    marked = {
        name: documents if name == SAMPLE else tuple(kubernetes.labelled(each, pods.site) for each in documents)
        for name, documents in files.items()
    }
    return Manifests(pods, {name: documents for name, documents in marked.items() if documents})


def image_digests(file: Path, images: Collection[str]) -> dict[str, str]:
    """Image -> its digest, from lines `IMAGE sha256:...`. Raises IntentError for all that is wrong, or missing.

    ``images``: those that are needed; others may stand in the file.
    """
    try:
        lines = file.expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise IntentError(Problem(f"--digests {file}", f"cannot be read: {error}", DIGEST_LINE)) from error
    found: dict[str, str] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not DIGEST.fullmatch(words[1]):
            problems.append(Problem(f"{file}:{number}", "no image and its digest", DIGEST_LINE, line.strip()))
        elif words[0] in found:
            problems.append(Problem(f"{file}:{number}", "this image has a digest above", found=words[0]))
        else:
            found[words[0]] = words[1]
    if missing := sorted(set(images) - found.keys()):
        problems.append(Problem(str(file), "images without a digest", DIGEST_LINE, ", ".join(missing)))
    if problems:
        raise IntentError(problems)
    return {image: found[image] for image in images}


def write(made: Manifests, folder: Path, *, overwrite: bool = False) -> Written:
    """Write the files and a kustomization of all but the sample; none before all can be written.

    Raises RefusedError where files of these names stand that were edited or are not ours.
    """
    applied = [name for name in made.files if name != SAMPLE]
    kustomization = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": applied}
    texts = {"kustomization.yaml": as_yaml([kustomization])}
    texts |= {name: as_yaml(documents) for name, documents in made.files.items()}
    site = made.pods.site + OWN_MARK
    return write_artifacts(folder, texts.items(), lambda _: None, site, is_whole=True, overwrite=overwrite)
