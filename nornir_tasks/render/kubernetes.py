"""Manifests that give pods RDMA on each rail of a plane, as plain data: kind, name and what Kubernetes reads.

What these kinds hold, and where that is known from: tests/corpus/kubernetes. One owner for each setting: the host roles
have driver, DSCP map, shares, ECN and interface names, so there is no ``ofedDriver``; the README has the table.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nornir_tasks.design.demand.rdma_libraries import environment
from nornir_tasks.design.hosts.pod_networks import MANAGED_BY, PodGroup, PodNetworks, PodPool, PodRail, node_policy_name
from nornir_tasks.render.schedulers import OWN_LABEL

OPERATOR_NAMESPACE = "nvidia-network-operator"
OPERATOR_RELEASE = "network-operator-v26.4.1"
REPOSITORY = "nvcr.io/nvidia/mellanox"
VENDOR = "15b3"
POD_INTERFACE = "eth0"
"""What a pod calls its interface on the cluster's own network: NCCL's bootstrap goes over it (from memory)."""
IB_TIMEOUT, IB_RETRY_COUNT = 20, 7
"""As role nccl has them; a test compares."""
SHARED_MEMORY = "shared-memory"
"""Volume of a pod with GPUs: a container's own /dev/shm has 64 MB (from memory), too little for NCCL, whose GPUs of one
host exchange data there. NVIDIA's manual of NCCL, "Troubleshooting", "Docker", has the same for Docker
(``--shm-size=1g``). What is in it counts as the container's memory."""
SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108  a mount of the pod, not a file of ours

Manifest = dict[str, Any]


def manifest(kind: str, name: str, spec: Mapping[str, Any], namespace: str | None = None) -> Manifest:
    """One object of a cluster."""
    api = {
        "CIDRPool": "nv-ipam.nvidia.com/v1alpha1",
        "HostDeviceNetwork": "mellanox.com/v1alpha1",
        "NetworkAttachmentDefinition": "k8s.cni.cncf.io/v1",
        "NicClusterPolicy": "mellanox.com/v1alpha1",
        "NicNodePolicy": "mellanox.com/v1alpha1",
        "NicConfigurationTemplate": "configuration.net.nvidia.com/v1alpha1",
        "SriovNetwork": "sriovnetwork.openshift.io/v1",
        "SriovNetworkNodePolicy": "sriovnetwork.openshift.io/v1",
        "SpiderIPPool": "spiderpool.spidernet.io/v2beta1",
        "SpiderMultusConfig": "spiderpool.spidernet.io/v2beta1",
        "ConfigMap": "v1",
        "Pod": "v1",
    }[kind]
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **spec}


def labelled(made: Manifest, site: str) -> Manifest:
    """The same, marked as ours and the site's: by that, what the intent has no more is found in a cluster."""
    return {**made, "metadata": {**made["metadata"], "labels": {**MANAGED_BY, f"{OWN_LABEL}site": site}}}


def network_name(pods: PodNetworks, rail: PodRail) -> str:
    """What a rail's network is called in the cluster, and its pool where it has but one."""
    return f"{pods.plane}-{rail.port}"


def resource(pods: PodNetworks, rail: PodRail) -> str:
    """What a pod asks for to get a rail."""
    return f"{'nvidia.com' if pods.is_p2p or pods.vfs else 'rdma'}/{rail.port}"


def policy(pods: PodNetworks, release: str) -> Manifest:
    """NicClusterPolicy: what hands out addresses, the operator that configures NICs, the shared device plug-in.

    With Spiderpool (hosts that share subnets or have blocks) Multus and addresses are Spiderpool's; with virtual
    functions the device plug-in is that of the SR-IOV operator; that of whole ports is in ``node_policies``.
    """
    config = {"operator": {"image": "nic-configuration-operator"}}
    config["configurationDaemon"] = {"image": "nic-configuration-operator-daemon"}
    parts: dict[str, Any] = {"nicConfigurationOperator": config}
    if pods.is_p2p:
        parts["nvIpam"] = {"image": "nvidia-k8s-ipam", "enableWebhook": False}
        parts["secondaryNetwork"] = {"multus": {"image": "multus-cni"}, "cniPlugins": {"image": "plugins"}}
    elif not pods.vfs:
        shared = {"configList": [_shared(rail, pods.pods_per_node) for rail in pods.rails]}
        parts["rdmaSharedDevicePlugin"] = {
            "image": "k8s-rdma-shared-dev-plugin",
            "config": json.dumps(shared, indent=2),
        }
    spec = {"global": {"repository": REPOSITORY, "version": release}, **parts}
    return manifest("NicClusterPolicy", "nic-cluster-policy", {"spec": spec})


def node_policies(pods: PodNetworks, release: str) -> Iterator[Manifest]:
    """NicNodePolicy of each group: the device plug-in of whole ports, on that group's nodes alone.

    A whole port has no ``pfName`` in the plug-in's eyes (tests/corpus/kubernetes/device_plugin.tsv), so its PCI address
    selects it; and where one group has a rail, another may have its storage, so no group gets another's addresses.
    """
    for group in pods.groups if pods.is_p2p else ():
        ports = zip(group.rails, group.places, strict=True)
        devices = {"resourceList": [_host_device(port, place) for port, place in ports]}
        plugin = {
            "image": "sriov-network-device-plugin",
            "repository": REPOSITORY,
            "version": release,
            "config": json.dumps(devices, indent=2),
        }
        spec = {"nodeSelector": _nodes(pods, group.name), "sriovDevicePlugin": plugin}
        yield manifest("NicNodePolicy", node_policy_name(pods.plane, group.name), {"spec": spec})


def images(policies: Iterable[Manifest]) -> set[str]:
    """The images that policies name."""
    return {part["image"] for policy in policies for part in _parts(policy["spec"]) if "image" in part}


def pinned(policies: Iterable[Manifest], digests: Mapping[str, str]) -> tuple[Manifest, ...]:
    """The same, with the digest of each image in the tag's place.

    The operator writes ``image@sha256:...`` where a version begins so (Mellanox/network-operator pkg/render/render.go
    at v26.4.1, 85afd6d9c697). ``digests``: of every image.
    """
    found = copy.deepcopy(tuple(policies))
    for policy in found:
        for part in _parts(policy["spec"]):
            if "image" in part:
                part["version"] = digests[part["image"]]
    return found


def _parts(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _parts(each)


def _nodes(pods: PodNetworks, group: str) -> dict[str, str]:
    """The labels of one group's nodes."""
    return {f"{OWN_LABEL}site": pods.site, f"{OWN_LABEL}group": group}


def _host_device(port: str, place: str) -> dict[str, Any]:
    selectors = {"vendors": [VENDOR], "pciAddresses": [place], "isRdma": True}
    return {"resourcePrefix": "nvidia.com", "resourceName": port, "selectors": selectors}


def _shared(rail: PodRail, pods_per_node: int) -> dict[str, Any]:
    selectors = {"vendors": [VENDOR], "ifNames": [rail.port]}
    return {"resourceName": rail.port, "rdmaHcaMax": pods_per_node, "selectors": selectors}


def pools(pods: PodNetworks, namespace: str, nodes: Mapping[str, str]) -> Iterator[Manifest]:
    """Addresses for pods: a CIDRPool for each rail, or a SpiderIPPool for each rail and host, or rail and leaf.

    ``nodes``: host -> its node.
    """
    for rail in pods.rails:
        if pods.is_p2p:
            yield _cidr_pool(pods, rail, nodes)
        for pool in rail.pools:
            yield _spider_pool(pods, rail, pool, namespace, [nodes[host] for host in pool.hosts])


def _cidr_pool(pods: PodNetworks, rail: PodRail, nodes: Mapping[str, str]) -> Manifest:
    """The /31 of each link, allocated to its node; the leaf's end, which is the even one, to no node.

    Only nodes that are labelled as hosts of these groups have part in it, so no other node is given a free /31.
    """
    mine = [("site", [pods.site]), ("group", list(rail.groups))]
    selected = [{"key": f"{OWN_LABEL}{key}", "operator": "In", "values": values} for key, values in mine]
    spec = {
        "cidr": rail.supernet,
        "perNodeNetworkPrefix": 31,
        "gatewayIndex": 0,
        "perNodeExclusions": [{"startIndex": 0, "endIndex": 0}],
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": selected}]},
        "routes": [{"dst": rail.supernet}],
        "staticAllocations": [
            {"nodeName": nodes[nic.host], "prefix": f"{nic.gateway}/{nic.prefix_length}", "gateway": nic.gateway}
            for nic in rail.nics
        ],
    }
    return manifest("CIDRPool", network_name(pods, rail), {"spec": spec}, OPERATOR_NAMESPACE)


def _pool_name(pods: PodNetworks, rail: PodRail, pool: PodPool) -> str:
    return f"{network_name(pods, rail)}-{pool.name}"


def _spider_pool(pods: PodNetworks, rail: PodRail, pool: PodPool, namespace: str, nodes: list[str]) -> Manifest:
    spec = {
        "ipVersion": 4,
        "subnet": pool.subnet,
        "gateway": pool.gateway,
        "ips": [pool.text],
        "nodeName": nodes,
        "multusName": [f"{namespace}/{network_name(pods, rail)}"],
    }
    return manifest("SpiderIPPool", _pool_name(pods, rail, pool), {"spec": spec})


def networks(pods: PodNetworks, namespace: str, *, by_multus: bool, is_exclusive: bool = False) -> Iterator[Manifest]:
    """A network for each rail, to which pods are attached.

    ``by_multus``: of host devices the attachment itself instead of the operator's HostDeviceNetwork. ``is_exclusive``:
    virtual functions take their RDMA devices with them.
    """
    for rail in pods.rails:
        name = network_name(pods, rail)
        if pods.vfs:
            yield manifest(
                "SriovNetwork", name, {"spec": _sriov(pods, rail, namespace, is_exclusive)}, OPERATOR_NAMESPACE
            )
        elif not pods.is_p2p:
            yield manifest("SpiderMultusConfig", name, {"spec": _macvlan(pods, rail)}, namespace)
        elif by_multus:
            yield _attachment(pods, rail, namespace)
        else:
            spec = {
                "networkNamespace": namespace,
                "resourceName": rail.port,
                "ipam": json.dumps(_ipam(name)),
                "metaPlugins": _joined(_chained(rail)),
            }
            yield manifest("HostDeviceNetwork", name, {"spec": spec})


def virtual_functions(pods: PodNetworks) -> Iterator[Manifest]:
    """How many of each rail's port the SR-IOV operator makes on nodes of each group, with the MTU of the policy."""
    for rail in pods.rails if pods.vfs else ():
        for group in rail.groups:
            spec = {
                "resourceName": rail.port,
                "nodeSelector": _nodes(pods, group),
                "nicSelector": {"vendor": VENDOR, "pfNames": [rail.port]},
                "deviceType": "netdevice",
                "isRdma": True,
                "linkType": "eth",
                "mtu": rail.mtu_bytes,
                "numVfs": pods.vfs,
            }
            name = f"{network_name(pods, rail)}-{group}"
            yield manifest("SriovNetworkNodePolicy", name, {"spec": spec}, OPERATOR_NAMESPACE)


def _sriov(pods: PodNetworks, rail: PodRail, namespace: str, is_exclusive: bool) -> dict[str, Any]:
    """A virtual function that a pod cannot make promiscuous or give another MAC address.

    That is ``trust`` of the function; the trust in DSCP is the port's.
    """
    ipam = {"type": "spiderpool", "default_ipv4_ippool": [_pool_name(pods, rail, pool) for pool in rail.pools]}
    return {
        "networkNamespace": namespace,
        "resourceName": rail.port,
        "trust": "off",
        "ipam": json.dumps(ipam, indent=2),
        "metaPlugins": _joined([*_chained(rail), *([{"type": "rdma"}] if is_exclusive else [])]),
    }


def _joined(plugins: list[dict[str, Any]]) -> str:
    """As operators take a chain: JSON objects with commas between."""
    return ",\n".join(json.dumps(each) for each in plugins)


def _macvlan(pods: PodNetworks, rail: PodRail) -> dict[str, Any]:
    macvlan = {
        "master": [rail.port],
        "mtu": rail.mtu_bytes,
        "rdmaResourceName": resource(pods, rail),
        "ippools": {"ipv4": [_pool_name(pods, rail, pool) for pool in rail.pools]},
    }
    return {"cniType": "macvlan", "enableCoordinator": True, "macvlan": macvlan}


def _ipam(pool: str) -> dict[str, str]:
    return {"type": "nv-ipam", "poolName": pool, "poolType": "cidrpool"}


def _chained(rail: PodRail) -> list[dict[str, Any]]:
    """The MTU of the policy, and a routing table for what leaves with this rail's address."""
    return [{"type": "tuning", "mtu": rail.mtu_bytes}, {"type": "sbr"}]


def _attachment(pods: PodNetworks, rail: PodRail, namespace: str) -> Manifest:
    name = network_name(pods, rail)
    plugins = [{"type": "host-device", "ipam": _ipam(name)}, *_chained(rail)]
    config = {"cniVersion": "0.3.1", "name": name, "plugins": plugins}
    made = manifest("NetworkAttachmentDefinition", name, {"spec": {"config": json.dumps(config, indent=2)}}, namespace)
    made["metadata"]["annotations"] = {"k8s.v1.cni.cncf.io/resourceName": resource(pods, rail)}
    return made


def nic_configuration(pods: PodNetworks) -> Iterator[Manifest]:
    """How the operator sets the NICs of each group: what the host roles would set, in place of its own defaults."""
    for group in pods.groups:
        selector = {"nicType": group.pci_device, **({"pciAddresses": list(group.places)} if group.places else {})}
        spec = {
            "nodeSelector": _nodes(pods, group.name),
            "nicSelector": selector,
            "template": _template(group, pods.vfs),
        }
        name = f"{pods.plane}-{group.name}"
        yield manifest("NicConfigurationTemplate", name, {"spec": spec}, OPERATOR_NAMESPACE)


def _template(group: PodGroup, vfs: int) -> dict[str, Any]:
    qos = group.qos
    lossless = {each.priority for each in qos.classes if each.lossless}
    settings = {
        "ROCE_CC_PRIO_MASK": 1 << qos.priority if qos.ecn else 0,
        "CNP_DSCP": qos.cnp_dscp,
        "CNP_802P_PRIO": qos.cnp_priority,
    }
    return {
        "numVfs": vfs,
        "linkType": "Ethernet",
        "roceOptimized": {
            "enabled": True,
            "qos": {
                "trust": "dscp",
                "pfc": ",".join("1" if priority in lossless else "0" for priority in range(8)),
                "tos": qos.traffic_class,
            },
        },
        "rawNvConfig": [
            {"name": f"{name}_P{port}", "value": str(value)} for name, value in settings.items() for port in (1, 2)
        ],
    }


def nccl(pods: PodNetworks, namespace: str) -> Iterator[Manifest]:
    """What role nccl gives a host of each group, as pods see it: names of RDMA devices are theirs alone.

    A pod has the devices of its rails and no other, so NCCL_IB_HCA is left out.
    """
    for group in pods.groups:
        if group.cross_nic is None:
            continue
        marking = str(group.qos.traffic_class)
        data = {
            "NCCL_CROSS_NIC": str(group.cross_nic),
            "NCCL_IB_FIFO_TC": marking,
            "NCCL_IB_RETRY_CNT": str(IB_RETRY_COUNT),
            "NCCL_IB_ROCE_VERSION_NUM": "2",
            "NCCL_IB_TC": marking,
            "NCCL_IB_TIMEOUT": str(IB_TIMEOUT),
            "NCCL_PXN_DISABLE": "0",
            "NCCL_SOCKET_IFNAME": f"={POD_INTERFACE}",
            **{name: str(value) for name, value in environment(group.qos.traffic_class).items()},
        }
        if group.queue_pairs is not None:
            count, is_split = group.queue_pairs
            data |= {"NCCL_IB_QPS_PER_CONNECTION": str(count), "NCCL_IB_SPLIT_DATA_ON_QPS": str(int(is_split))}
        yield manifest("ConfigMap", f"nccl-{group.name}", {"data": data}, namespace)


def pod_samples(pods: PodNetworks, namespace: str, image: str) -> Iterator[Manifest]:
    """A pod for each group with all rails of a node, and as many GPUs where the plane joins them."""
    for group in pods.groups:
        rails = [rail for rail in pods.rails if rail.port in group.rails]
        gpus = {"nvidia.com/gpu": str(len(rails))} if group.cross_nic is not None else {}
        environment = [{"configMapRef": {"name": f"nccl-{group.name}"}}] if group.cross_nic is not None else []
        container = {
            "name": "job",
            "image": image,
            "command": ["sleep", "infinity"],
            **({"envFrom": environment} if environment else {}),
            "resources": {"limits": {**gpus, **{resource(pods, rail): "1" for rail in rails}}},
            "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
            **({"volumeMounts": [{"name": SHARED_MEMORY, "mountPath": SHARED_MEMORY_PATH}]} if gpus else {}),
        }
        memory = {"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory"}}
        spec = {
            "restartPolicy": "Never",
            "nodeSelector": _nodes(pods, group.name),
            "containers": [container],
            **({"volumes": [memory]} if gpus else {}),
        }
        made = manifest("Pod", f"rdma-{pods.plane}-{group.name}", {"spec": spec}, namespace)
        attached = ", ".join(f"{namespace}/{network_name(pods, rail)}" for rail in rails)
        made["metadata"]["annotations"] = {"k8s.v1.cni.cncf.io/networks": attached}
        yield made
