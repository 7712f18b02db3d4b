"""What role rdma_kubernetes refuses, removes and shows: its module reads a cluster (a stand-in), its filters judge."""

from __future__ import annotations

import copy
import importlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from nornir_tasks.usecases import kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.site import load
from tests.standins.kube_api import Api, node, started
from tests.standins.kube_api.writes import Write

ROOT = Path(__file__).parents[4]
CORPUS = ROOT / "tests/corpus/kubernetes"
sys.path.append(str(ROOT))
facts_module = importlib.import_module("ansible_collections.gpufabric.host.plugins.modules.kubernetes_facts")
filters = importlib.import_module("ansible_collections.gpufabric.host.plugins.filter.kubernetes_problems")
changes = importlib.import_module("ansible_collections.gpufabric.host.plugins.filter.kubernetes_changes")
KINDS = yaml.safe_load((ROOT / "roles/rdma_kubernetes/vars/main.yml").read_text())["__rdma_kubernetes_kinds"]
P2P, SUBNET = "inventory/lab", "tests/sites/subnet"
Object = dict[str, Any]


@cache
def exported(name: str, attach_by: Any = "multus", exclusive: bool = False) -> list[Object]:
    files = kubernetes.k8s_rdma(load(str(ROOT / name)), Choices(attach_by=attach_by, exclusive=exclusive)).files
    return [dict(each) for file, documents in files.items() if file != kubernetes.SAMPLE for each in documents]


class Cluster:
    """The stand-in, and what the role's module reads of it."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def have(self, *objects: Object) -> None:
        cluster = self.api.cluster
        for each in objects:
            kind = next(
                one for one in cluster.kinds if (one.api_version, one.kind) == (each["apiVersion"], each["kind"])
            )
            cluster.create(kind, each["metadata"].get("namespace", ""), each, Write("somebody"))

    def facts(self) -> Object:
        client = facts_module._client(str(self.api.kubeconfig), "stand-in")
        found: Object = facts_module.Cluster(client, 30).facts(KINDS)
        return json.loads(json.dumps(found))

    def problems(self, manifests: list[Object], absent: tuple[str, ...] = (), hosts: Object | None = None) -> list[str]:
        found: list[str] = filters.kubernetes_problems(manifests, self.facts(), "1.32", absent, hosts)
        return found


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """One that the lab's manifests can be applied to."""
    schemas = [CORPUS / "schema.tsv", CORPUS / "others.tsv"]
    with started(tmp_path, nodes=[f"gpu-{number}" for number in range(1, 5)], schemas=schemas) as api:
        made = Cluster(api)
        made.have({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "nvidia-network-operator"}})
        yield made


def test_a_cluster_that_has_what_the_manifests_want_is_not_refused_before_and_after_they_are_applied(
    cluster: Cluster,
) -> None:
    for attach_by in ("multus", "operator"):
        assert cluster.problems(exported(P2P, attach_by)) == []
    cluster.have(*exported(P2P))
    assert cluster.problems(exported(P2P)) == []
    assert filters.kubernetes_removed(exported(P2P), cluster.facts()) == []


def custom(kind: str, name: str, spec: Object, **more: Any) -> Object:
    api = next(each.split()[0] for each in KINDS if each.split()[1] == kind)
    namespaced = kind not in {"NicClusterPolicy", "NicNodePolicy", "HostDeviceNetwork", "SpiderIPPool"}
    namespace = {"namespace": "nvidia-network-operator"} if namespaced else {}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **namespace}, "spec": spec, **more}


def discovery(namespace: str, instance: str) -> Object:
    labels = {"app.kubernetes.io/name": "node-feature-discovery", "app.kubernetes.io/instance": instance}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    metadata = {"name": "nfd-worker", "namespace": namespace, "labels": labels}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}


def nic(name: str, *interfaces: str) -> Object:
    ports = [{"pci": f"0000:00:{at + 16:x}.0", "networkInterface": each} for at, each in enumerate(interfaces)]
    return custom("NicDevice", f"{name}-nic", {}, status={"node": name, "type": "1021", "ports": ports})


OFED = {"ofedDriver": {"image": "doca-driver"}}
THERE = [
    ([custom("NicClusterPolicy", "second", {})], "NicClusterPolicy second: another policy beside"),
    ([custom("NicClusterPolicy", "nic-cluster-policy", OFED)], "nic-cluster-policy: spec.ofedDriver has the operator"),
    (
        [custom("NicClusterPolicy", "nic-cluster-policy", {"rdmaSharedDevicePlugin": {"image": "a"}})],
        "spec.rdmaSharedDevicePlugin hands out devices, as our sriovDevicePlugin does",
    ),
    (
        [custom("NicClusterPolicy", "nic-cluster-policy", {"sriovDevicePlugin": {"image": "a"}})],
        "spec.sriovDevicePlugin hands out devices, as our sriovDevicePlugin does",
    ),
    (
        [custom("NicNodePolicy", "theirs", {"nodeSelector": {"a": "b"}, "sriovDevicePlugin": {"image": "a"}})],
        "NicNodePolicy theirs: hands out devices of nodes, as our policies do",
    ),
    ([custom("NicClusterPolicy", "nic-cluster-policy", {})], "kubectl label nicclusterpolicy nic-cluster-policy app."),
    (
        [custom("CIDRPool", "compute-rail0", {"cidr": "192.0.2.0/24", "perNodeNetworkPrefix": 31})],
        "CIDRPool compute-rail0: it is there already, and not ours; hand it over with `kubectl label -n nvidia-",
    ),
    (
        [custom("CIDRPool", "theirs", {"cidr": "10.170.1.0/24", "perNodeNetworkPrefix": 31})],
        "CIDRPool theirs: 10.170.1.0/24 has addresses of CIDRPool compute-rail2 (10.170.0.0/16)",
    ),
    (
        [
            custom(
                "NicConfigurationTemplate",
                "theirs",
                {
                    "nicSelector": {"nicType": "1021"},
                    "template": {"numVfs": 0, "linkType": "Ethernet"},
                },
            )
        ],
        "NicConfigurationTemplate theirs: sets NICs of type 1021, as our manifests do",
    ),
    (
        [discovery("default", "gpu-operator"), discovery("kube-system", "nfd")],
        "Node Feature Discovery: there are 2, default/gpu-operator, kube-system/nfd; keep one",
    ),
    (
        [nic("gpu-2", "ens1f0", "rail0")],
        "node gpu-2: no interface rail1, rail2, rail3, rail4, rail5, rail6, rail7; its",
    ),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("objects", "message"), THERE, ids=[message[:40] for _, message in THERE])
def test_what_is_in_the_way_is_refused_by_name_and_remedy(
    cluster: Cluster, objects: list[Object], message: str
) -> None:
    cluster.have(*objects)
    found = cluster.problems(exported(P2P))
    assert [each for each in found if message in each], found
    assert all(";" in each or ":" in each for each in found)


def test_an_old_release_missing_kinds_namespaces_and_nodes_are_all_named_at_once(tmp_path: Path) -> None:
    with started(tmp_path, nodes=["gpu-1", "gpu-2", "gpu-3"], version="v1.31.9-eks-1") as api:
        found = Cluster(api).problems(exported(P2P))
    assert [each.split(":")[0] for each in found] == [
        "Kubernetes",
        "mellanox.com/v1alpha1 NicClusterPolicy",
        "mellanox.com/v1alpha1 NicNodePolicy",
        "nv-ipam.nvidia.com/v1alpha1 CIDRPool",
        "k8s.cni.cncf.io/v1 NetworkAttachmentDefinition",
        "configuration.net.nvidia.com/v1alpha1 NicConfigurationTemplate",
        "namespace nvidia-network-operator",
        "nodes gpu-4",
    ]
    assert "v1.31.9-eks-1" in found[0]
    assert "1.32 or newer" in found[0]
    assert "install NVIDIA's network operator" in found[1]


def test_a_field_that_an_older_operator_would_drop_is_refused_and_what_to_do_without_it_is_told(
    cluster: Cluster,
) -> None:
    kind = cluster.api.cluster.kind("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/metaPlugins"
    older = [{"op": "remove", "path": path}]
    name = "hostdevicenetworks.mellanox.com"
    cluster.api.cluster.patch(kind, "", name, "application/json-patch+json", older, Write())
    (found,) = cluster.problems(exported(P2P, "operator"))
    assert "HostDeviceNetwork compute-rail0 and 7 more: the cluster's definition has no field spec.metaPlugins" in found
    assert "without --attach-by operator" in found
    assert cluster.problems(exported(P2P)) == []


def test_nodes_that_may_be_absent_are_not_missed(cluster: Cluster) -> None:
    nodes = cluster.api.cluster.kind("", "v1", "nodes")
    cluster.api.cluster.delete(nodes, "", "gpu-4")
    assert "nodes gpu-4" in cluster.problems(exported(P2P))[0]
    assert cluster.problems(exported(P2P), absent=("gpu-4",)) == []


def test_a_port_that_a_pod_has_taken_is_not_counted_against_its_node(cluster: Cluster) -> None:
    """Its interface is in the pod, so that the operator sees the port without a name."""
    cluster.have(nic("gpu-1", *(f"rail{rail}" for rail in range(6)), "", ""))
    assert cluster.problems(exported(P2P)) == []


def test_two_policies_for_virtual_functions_of_one_port_are_refused_and_ours_are_applied(cluster: Cluster) -> None:
    manifests = exported(SUBNET, "sriov")
    assert not [each for each in cluster.problems(manifests) if not each.startswith("nodes ")]
    spec = {"numVfs": 8, "resourceName": "a", "nodeSelector": {}, "nicSelector": {"pfNames": ["rail1#0-3", "eth0"]}}
    cluster.have(custom("SriovNetworkNodePolicy", "theirs", spec))
    found = [each for each in cluster.problems(manifests) if not each.startswith("nodes ")]
    assert found == [
        "SriovNetworkNodePolicy theirs: makes virtual functions of rail1, which our pods use; "
        "delete it, or have it select other NICs"
    ]


def test_settings_that_a_host_role_owns_as_well_are_refused_and_what_fits_is_not(cluster: Cluster) -> None:
    fits = {"nic_firmware_policy": False, "nic_firmware_vfs": 0, "rdma_stack_source": "inbox"}
    hosts = {f"gpu-{number}": dict(fits) for number in range(1, 5)}
    assert cluster.problems(exported(P2P), hosts=hosts) == []
    hosts["gpu-3"] |= {"nic_firmware_policy": True, "nic_firmware_vfs": 8}
    assert cluster.problems(exported(P2P), hosts=hosts) == [
        "nic_firmware_policy: true on gpu-3: role nic_firmware writes CNP_DSCP, CNP_802P_PRIO and ROCE_CC_PRIO_MASK, "
        "as the operator does (NicConfigurationTemplate); set it to false there",
        "nic_firmware_vfs: 8 on gpu-3: the manifests have the operator make 0 virtual functions of each port; leave it "
        "out, or nornir export k8s-rdma --attach-by sriov --vfs 8",
    ]
    allowed = {"gpu-1": {"roce_qos_virtual_functions_allowed": 1}, "gpu-2": {}}
    assert cluster.problems(exported(SUBNET, "sriov"), hosts=allowed) == [
        "roce_qos_virtual_functions_allowed: 0 on gpu-2: the operator makes 1 virtual functions of each port, and role "
        "roce_qos would refuse these hosts; set it to 1"
    ]


def test_rdma_devices_are_shared_or_exclusive_on_hosts_as_the_networks_want_them(cluster: Cluster) -> None:
    def problems(mode: str, manifests: list[Object]) -> list[str]:
        more = {"roce_qos_virtual_functions_allowed": 1} if manifests is not exported(P2P) else {}
        return cluster.problems(manifests, hosts={"gpu-2": {"rdma_stack_namespaces": mode, **more} if mode else more})

    moving, shared = exported(SUBNET, "sriov", exclusive=True), exported(SUBNET, "sriov")
    assert problems("exclusive", moving) == problems("shared", shared) == problems("", shared) == []
    assert problems("shared", exported(P2P)) == []
    for mode, is_ in (("", "not set, so shared,"), ("shared", "shared")):
        (found,) = problems(mode, moving)
        assert found.startswith(
            f"rdma_stack_namespaces: {is_} on gpu-2: the networks move each RDMA device into its pod"
        )
        assert "set it to exclusive" in found
    for manifests in (shared, exported(P2P)):
        (found,) = problems("exclusive", manifests)
        assert found.startswith("rdma_stack_namespaces: exclusive on gpu-2: pods would see no RDMA device")


def test_the_operators_driver_is_refused_unless_every_host_leaves_the_driver_alone(cluster: Cluster) -> None:
    cluster.have(exported(P2P)[0])
    live = {**exported(P2P)[0], "spec": {**exported(P2P)[0]["spec"], **OFED}}
    kind = next(each for each in cluster.api.cluster.kinds if each.kind == "NicClusterPolicy")
    cluster.api.cluster.patch(kind, "", "nic-cluster-policy", "application/merge-patch+json", live, Write())
    hosts = {f"gpu-{number}": {"rdma_stack_source": "keep"} for number in range(1, 5)}
    assert cluster.problems(exported(P2P), hosts=hosts) == []
    (found,) = cluster.problems(exported(P2P), hosts={**hosts, "gpu-2": {"rdma_stack_source": "doca"}})
    assert "a NIC driver, and role rdma_stack owns the hosts' driver (gpu-2)" in found


def test_pools_of_blocks_name_their_nodes_and_rails_too(cluster: Cluster) -> None:
    cluster.have(node_object("gpu-5"))
    found = cluster.problems(exported(SUBNET))
    wanted = {name for each in exported(SUBNET) if each["kind"] == "SpiderIPPool" for name in each["spec"]["nodeName"]}
    there = {f"gpu-{number}" for number in range(1, 6)}
    assert bool(wanted - there) == any(each.startswith("nodes ") for each in found)
    assert [each for each in found if not each.startswith("nodes ")] == []
    rails = filters._rails_of_nodes(exported(SUBNET))
    assert all(names and len(names) == len(set(names)) for names in rails.values())


def node_object(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Node", **node(name, {})}


def test_what_the_intent_has_no_more_is_removed_if_it_is_ours_and_this_sites_and_nothing_else(cluster: Cluster) -> None:
    def pool(name: str, **labels: str) -> Object:
        made = custom("CIDRPool", name, {"cidr": "192.0.2.0/24", "perNodeNetworkPrefix": 31})
        made["metadata"]["labels"] = {key.replace("_", "/", 1): value for key, value in labels.items()}
        return made

    ours = {"app.kubernetes.io_managed-by": "gpufabric"}
    cluster.have(*exported(P2P), pool("gone", **ours, gpufabric_site="lab"))
    cluster.have(pool("of-another-site", **ours, gpufabric_site="other"), pool("of-others"))
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nccl-old", "namespace": "default"}}
    data["metadata"]["labels"] = pool("x", **ours, gpufabric_site="lab")["metadata"]["labels"]
    cluster.have(data)
    removed = filters.kubernetes_removed(exported(P2P), cluster.facts())
    assert [(each["kind"], each["metadata"]["name"]) for each in removed] == [
        ("CIDRPool", "gone"),
        ("ConfigMap", "nccl-old"),
    ]


def test_objects_of_another_site_are_not_taken_over(cluster: Cluster) -> None:
    theirs = copy.deepcopy(exported(P2P))
    for each in theirs:
        each["metadata"]["labels"]["gpufabric/site"] = "other"
    cluster.have(theirs[0])
    (found,) = cluster.problems(exported(P2P))
    assert found == "NicClusterPolicy nic-cluster-policy: it is of site other, not lab; a cluster is of one site"


def test_a_context_that_is_not_there_or_a_server_that_does_not_answer_is_told_with_its_place(cluster: Cluster) -> None:
    with pytest.raises(facts_module.CannotReadError, match=r"context other: .*kubectl config get-contexts"):
        facts_module._client(str(cluster.api.kubeconfig), "other")
    config = json.loads(cluster.api.kubeconfig.read_text())
    config["users"][0]["user"]["token"] = "wrong"
    file = cluster.api.kubeconfig.parent / "wrong"
    file.write_text(json.dumps(config))
    with pytest.raises(facts_module.CannotReadError, match="HTTP 401") as refused:
        facts_module.Cluster(facts_module._client(str(file), "stand-in"), 30).facts(KINDS)
    assert "wrong" not in str(refused.value)


def test_what_the_server_refuses_is_told_in_its_words_with_a_remedy() -> None:
    status = {"message": 'Apply failed with 1 conflict: conflict with "x" using v1: .data.a', "code": 409}
    error = {"msg": f"Failed to apply object: {json.dumps(status)}"}
    objects = [{"kind": "ConfigMap", "metadata": {"name": "a"}}, {"kind": "ConfigMap", "metadata": {"name": "b"}}]
    applied = {"result": {"results": [{"changed": False, "error": error}, {"changed": True}]}}
    (found,) = changes.kubernetes_refused(applied, objects)
    assert found.startswith('ConfigMap a: the API server refuses it: Apply failed with 1 conflict: conflict with "x"')
    assert "--force-conflicts --field-manager gpufabric" in found
    assert changes.kubernetes_refused({"error": {"msg": "no such kind"}}, objects[:1]) == [
        "ConfigMap a: the API server refuses it: no such kind"
    ]


def test_what_changes_is_shown_value_by_value_within_json_and_lists_too() -> None:
    before = {"spec": {"config": json.dumps({"plugins": [{"mtu": 9000, "type": "tuning"}]}), "ips": ["a", "b"]}}
    after = {"spec": {"config": json.dumps({"plugins": [{"mtu": 4200, "type": "tuning"}]}), "ips": ["a"], "new": 1}}
    noise = {"metadata": {"generation": 2, "managedFields": [{"time": "now"}]}}
    results = [
        {"changed": True, "diff": {"before": before | noise, "after": after | {"metadata": {"generation": 3}}}},
        {"changed": True, "diff": {"before": {}, "after": {"apiVersion": "v1", "kind": "ConfigMap"}}},
        {"changed": False},
    ]
    objects = [{"kind": "ConfigMap", "metadata": {"name": name}} for name in "abcd"]
    assert changes.kubernetes_changes({"result": {"results": results}}, objects[:3], objects[3:]) == [
        "- ConfigMap d",
        "~ ConfigMap a: spec.config.plugins[0].mtu: 9000 -> 4200",
        "~ ConfigMap a: spec.ips[1]: b -> -",
        "~ ConfigMap a: spec.new: - -> 1",
        "+ ConfigMap b",
    ]


def test_every_option_of_the_module_that_the_role_passes_is_read(cluster: Cluster) -> None:
    facts = cluster.facts()
    assert facts["nodes"]["gpu-1"]["ready"] is True
    assert facts["version"] == "v1.32.3"
    assert "spec.staticAllocations[].nodeName" in facts["definitions"]["nv-ipam.nvidia.com/v1alpha1 CIDRPool"]["fields"]
    assert "managedFields" not in json.dumps(facts)
