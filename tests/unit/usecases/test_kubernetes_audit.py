"""Manifests of a cluster against the intent: what fits passes, each value that differs is named with both lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.objects import Manifest
from nornir_tasks.checks.manifests.suite import KNOWN, Audit, audit
from nornir_tasks.errors import GpufabricError, UndecidedError, ValidationFailed
from nornir_tasks.intent.core.findings import Marks
from nornir_tasks.usecases import audit as usecase
from nornir_tasks.usecases import kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.site import SiteDesign, load
from tests.published import published
from tests.unit.usecases import audit_mutants, manifest_mutants

ROOT = Path(__file__).parents[3]
SITES = ("inventory/lab", "tests/sites/clos3", "inventory/ref-512", "tests/sites/subnet", "tests/sites/svi")
P2P, SUBNET, SVI = "inventory/lab", "tests/sites/subnet", "tests/sites/svi"
EXAMPLE = ROOT / "examples/k8s-roce-defaults"


@cache
def site(name: str) -> SiteDesign:
    return load(str(ROOT / name))


@cache
def intended(name: str) -> Intended:
    return usecase.intended(site(name))


def exported(name: str, **choices: Any) -> list[dict[str, Any]]:
    made = kubernetes.k8s_rdma(site(name), Choices(**choices)).all
    return [json.loads(json.dumps(dict(each))) for each in made]


def judged(objects: list[dict[str, Any]], name: str) -> Audit:
    return audit([Manifest(each, Marks()) for each in objects], intended(name))


def of_text(text: str, folder: Path, name: str = P2P) -> Audit:
    (folder / "cluster.yaml").write_text(text)
    return usecase.audit_k8s(site(name), str(folder))


@pytest.mark.parametrize("name", SITES)
@pytest.mark.parametrize("attach_by", ["operator", "multus"])
def test_what_was_exported_is_audited_without_a_finding(name: str, attach_by: Any, tmp_path: Path) -> None:
    kubernetes.write(kubernetes.k8s_rdma(site(name), Choices(attach_by=attach_by)), tmp_path)
    found = usecase.audit_k8s(site(name), str(tmp_path))
    assert [each for each in found.results if each.verdict is not Verdict.PASS] == []
    has_no_device = {"NicClusterPolicy": 1} if name not in {SUBNET, SVI} else {}
    assert dict(found.not_judged) == {"Kustomization": 1, **has_no_device}
    usecase.require_agreement(found)
    assert usecase.audit_k8s(site(name), str(tmp_path)) == found


NO_VALUE_OF_THE_NETWORK = (
    "metadata", "spec.global", "nicConfigurationOperator", "nvIpam", ".image", "secondaryNetwork", "cniVersion",
    "command", "containers.[].name", "securityContext", "restartPolicy", "volume", "nvidia.com/gpu", "networkNamespace",
    "sriovDevicePlugin.repository", "sriovDevicePlugin.version",
    "enableCoordinator", "(json).[].name", "rdmaHcaMax", "numVfs", "resources.limits.rdma/",
)  # fmt: skip
NODE_LABELS = ("nodeSelector",)
"""Which node has which label is not in manifests."""
LEFT_OUT = (
    "gatewayIndex",  # each static allocation has its gateway
    "perNodeExclusions",  # the gateway is given to nobody anyway
    "staticAllocations.[].gateway",  # gatewayIndex says the same
    "NCCL_CROSS_NIC", "NCCL_IB_FIFO_TC", "NCCL_IB_ROCE_VERSION_NUM", "NCCL_PXN_DISABLE", "NCCL_SOCKET_IFNAME",
    "selectors.vendors", "resourcePrefix",
    "pciAddresses",  # all NICs of the type
    "linkType", "envFrom",
    "multusName", "ipVersion",
    "nodeName",  # all hosts of the rail are at the pool's leaf
    "macvlan.mtu",  # the host's
    "rdmaResourceName",
)  # fmt: skip
"""Left out, it means the same or is somebody else's."""
NOT_JUDGED = ("NCCL_IB_RETRY_CNT", "NCCL_IB_TIMEOUT", "NCCL_SOCKET_IFNAME", "metaPlugins.(json).[].type")
SCHEMA = ("perNodeExclusions.[].startIndex", "ipVersion")
"""What API servers refuse."""
WITHOUT_DEVICES = "NicClusterPolicy spec"
"""Where a NicNodePolicy has the device plug-in, nothing in it is judged."""
SECOND_PORT = "_P2"
"""Of a NIC with one port, which the operator ignores."""


def is_left(path: str, what: str) -> bool:
    words = [*NO_VALUE_OF_THE_NETWORK, *NODE_LABELS, *NOT_JUDGED, *SCHEMA]
    return (
        any(each in path for each in words)
        or path == WITHOUT_DEVICES
        or (what.endswith("left out") and any(each in path for each in LEFT_OUT))
        or ("rawNvConfig" in path and (SECOND_PORT in what or what == "left out"))
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [P2P, SUBNET, SVI])
@pytest.mark.parametrize("attach_by", ["operator", "multus"])
def test_every_value_that_is_judged_is_missed_when_it_changes_or_goes(
    name: str, attach_by: Any, figure: Callable[[str], None]
) -> None:
    objects = exported(name, attach_by=attach_by)
    whole, count = judged(objects, name).judged_objects, 0
    for path, what, changed in audit_mutants.mutants(objects):
        found = judged(changed, name)
        if found.failed or found.undecided or found.judged_objects < whole:
            count += 1
        else:
            assert is_left(path, what), f"{path}: {what}"
    figure(f"audit of manifests, {name}, {attach_by}: {count} mutants found")
    assert count > 60


def test_every_address_that_is_wrong_is_found() -> None:
    for name in (P2P, SUBNET, SVI):
        for what, objects in manifest_mutants.of_addresses(exported(name)):
            found = judged(json.loads(json.dumps(objects)), name)
            assert found.failed or found.undecided or what.endswith(": no gateway for routes"), what


def test_the_operators_own_defaults_contradict_switches_as_the_example_shows() -> None:
    found = usecase.audit_k8s(site(P2P), str(EXAMPLE))
    assert {(each.check, each.found, each.expected) for each in found.failed} == {
        ("dscp", "0", "106"),
        ("cnp", "4", "48"),
        ("ecn", "255", "8"),
    }
    lines = (EXAMPLE / "nic-configuration.yaml").read_text().splitlines()
    intent = (ROOT / P2P / "fabric.yml").read_text().splitlines()
    for each in found.failed:
        file, _, number = each.where.rpartition(":")
        assert file.endswith("nic-configuration.yaml")
        assert "roceOptimized" in lines[int(number) - 1]
        place, _, path = each.intent.partition(" ")
        line = intent[int(place.rpartition(":")[2]) - 1]
        assert path.split(".")[1 if "congestion" in path else 2] in line
        assert each.remedy
    with pytest.raises(ValidationFailed, match="3 values differ, judged 1 of 1 objects"):
        usecase.require_agreement(found)


MACVLAN = """
apiVersion: mellanox.com/v1alpha1
kind: MacvlanNetwork
metadata: {name: net}
spec:
  networkNamespace: default
  master: %s
  mode: bridge
  mtu: %s
  ipam: '%s'
"""
TEMPLATE = """
apiVersion: configuration.net.nvidia.com/v1alpha1
kind: NicConfigurationTemplate
metadata: {name: t}
spec:
  nicSelector: {nicType: "1021"}
  template:
    numVfs: 0
    linkType: Ethernet
    roceOptimized: {enabled: %s, qos: {trust: %s, pfc: "%s", tos: %s}}
"""
POD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  template:
    spec:
      containers:
        - name: job
          env: [{name: %s, value: "%s"}]
"""
NCCL_CONF = """
apiVersion: v1
kind: ConfigMap
metadata: {name: nccl}
data:
  nccl.conf: |
    # of all pods
    NCCL_IB_TC=%s
"""
HOST_DEVICE = """
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata: {name: nic-cluster-policy}
spec:
  sriovDevicePlugin:
    image: sriov-network-device-plugin
    config: '{"resourceList": [{"resourcePrefix": "nvidia.com", "resourceName": "hostdev",
      "selectors": {"vendors": ["15b3"], "isRdma": true}}]}'
---
apiVersion: nv-ipam.nvidia.com/v1alpha1
kind: IPPool
metadata: {name: hostdev-pool, namespace: nvidia-network-operator}
spec: {subnet: 10.168.0.0/24, perNodeBlockSize: 50, gateway: 10.168.0.1}
"""
SRIOV = """
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetworkNodePolicy
metadata: {name: p, namespace: nvidia-network-operator}
spec:
  deviceType: netdevice
  mtu: %s
  nodeSelector: {feature.node.kubernetes.io/pci-15b3.present: "true"}
  nicSelector: {vendor: "15b3", pfNames: [%s]}
  isRdma: %s
  numVfs: 8
  resourceName: vf
---
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovNetwork
metadata: {name: n, namespace: nvidia-network-operator}
spec: {resourceName: vf, vlan: %s, ipam: '{"type": "spiderpool"}'}
"""
ROUTED = '{"type": "nv-ipam", "poolName": "p", "poolType": "cidrpool"}'
CASES = [
    (P2P, TEMPLATE % ("true", "dscp", "0,0,0,1,0,0,0,0", 104), "dscp", "Not-ECT: congested switches drop"),
    (P2P, TEMPLATE % ("true", "dscp", "0,0,0,1,0,0,0,0", 26), "dscp", "26 is the DSCP, not the byte"),
    (P2P, TEMPLATE % ("true", "dscp", "0,0,0,1,0,0,0,0", 98), "dscp", "RDMA leaves with DSCP 24, class bulk"),
    (P2P, TEMPLATE % ("true", "dscp", "0,0,0,1,1,0,0,0", 106), "pfc", "NICs pause priority 3, 4, switches 3"),
    (P2P, TEMPLATE % ("true", "pcp", "0,0,0,1,0,0,0,0", 106), "trust", "rails have none"),
    (P2P, POD % ("NCCL_IB_TC", 41), "nccl", "DSCP 10, class bulk"),
    (P2P, POD % ("NCCL_IB_GID_INDEX", 3), "nccl", "a GID's index moves"),
    (P2P, POD % ("NCCL_SOCKET_IFNAME", "=rail0"), "nccl", "bootstrap would go over a rail"),
    (P2P, NCCL_CONF % 104, "nccl", "Not-ECT"),
    (SVI, MACVLAN % ("rail0", 1500, ROUTED), "mtu", "RDMA falls to a smaller path MTU"),
    (SVI, MACVLAN % ("rail0", 9216, ROUTED), "mtu", "dropped on the way"),
    (SVI, MACVLAN % ("ens1f0np0", 9000, ROUTED), "rail", "no rail of the intent is ens1f0np0"),
    (
        SVI,
        MACVLAN % ("rail1", 9000, '{"type": "whereabouts", "range": "10.168.0.0/27", "gateway": "10.168.0.1"}'),
        "rail",
        "of different rails",
    ),
    (
        SUBNET,
        MACVLAN % ("rail0", 9000, '{"type": "whereabouts", "range": "10.168.0.0/16"}'),
        "pool",
        "addresses that are not theirs: leaf-g1-r0",
    ),
    (P2P, HOST_DEVICE, "rail", "a pod gets a port of any of 8 rails"),
    (P2P, HOST_DEVICE, "pool", "addresses that are not theirs"),
    (P2P, HOST_DEVICE, "gateway", "has 10.168.0."),
    (P2P, SRIOV % (1500, "rail0", "true", 0), "mtu", "9000 bytes do not fit"),
    (P2P, SRIOV % (9000, "rail0", "false", 0), "rdma", "without RDMA devices"),
    (P2P, SRIOV % (9000, "rail0, rail1", "true", 0), "rail", "any of 2 rails"),
    (P2P, SRIOV % (9000, "rail0", "true", 100), "vlan", "end at the leaf"),
]


@pytest.mark.parametrize(("name", "text", "check", "words"), CASES)
def test_what_clusters_have_is_named_where_it_does_not_fit(
    name: str, text: str, check: str, words: str, tmp_path: Path
) -> None:
    found = of_text(text, tmp_path, name).failed
    assert any(each.check == check and words in each.message for each in found), found
    assert all("cluster.yaml:" in each.where and "fabric.yml:" in each.intent and each.remedy for each in found)


def test_items_of_a_list_as_kubectl_prints_it_have_their_own_lines_and_json_is_read_too(tmp_path: Path) -> None:
    template = json.loads(
        '{"apiVersion": "configuration.net.nvidia.com/v1alpha1", "kind": "NicConfigurationTemplate", "metadata": '
        '{"name": "t"}, "spec": {"nicSelector": {"nicType": "1021"}, "template": {"numVfs": 0, "linkType": "Ethernet",'
        '"roceOptimized": {"enabled": true, "qos": {"trust": "dscp", "pfc": "0,0,0,1,0,0,0,0", "tos": 24}}}}}'
    )
    pod = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod, template]}, indent=4)
    (tmp_path / "all.json").write_text(text)
    found = usecase.audit_k8s(site(P2P), str(tmp_path))
    (tos,) = [each for each in found.failed if each.check == "dscp"]
    number = int(tos.where.rpartition(":")[2])
    assert '"tos": 24' in text.splitlines()[number - 1]
    assert "not judged: Service 1 (kind not known)" in found.summary()


def test_interfaces_of_other_planes_are_skipped_and_not_counted(tmp_path: Path) -> None:
    found = of_text(MACVLAN % ("front0", 1500, "{}"), tmp_path)
    assert [(each.verdict, each.check) for each in found.results] == [(Verdict.SKIPPED, "rail")]
    assert "judged 0 of 1 objects, 0 of 0 values" in found.summary()
    with pytest.raises(UndecidedError):
        usecase.require_agreement(found)


def test_what_other_objects_would_say_is_never_passed(tmp_path: Path) -> None:
    found = of_text(MACVLAN % ("rail0", 9000, ROUTED), tmp_path, SVI)
    assert [each.check for each in found.undecided] == ["pool"]
    with pytest.raises(UndecidedError, match="1 values could not be told"):
        usecase.require_agreement(found)


def test_kinds_that_are_not_known_are_counted_by_name(tmp_path: Path) -> None:
    text = "".join(
        f"---\napiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n" for kind in ("Secret", "Secret", "Thing")
    )
    found = of_text(text, tmp_path)
    assert dict(found.not_judged) == {"Secret": 2, "Thing": 1}
    assert not {"Secret", "Thing"} & set(KNOWN)


BAD = {
    "a.yaml": "apiVersion: v1\nkind: [\n",
    "b.yaml": "apiVersion: v1\nkind: Pod\nkind: Pod\n",
    "c.yaml": "just: text\n---\n- 1\n",
    "d.json": '{"a": &x [1, *x]}',
    "e.yaml": "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(9)
    ),
    "f.yaml": "a: " + "[" * 500,
    "g.yaml": "\x00",
}  # fmt: skip


def test_files_that_cannot_be_read_are_named_all_at_once_with_their_lines(tmp_path: Path) -> None:
    for name, text in BAD.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(GpufabricError) as refused:
        usecase.audit_k8s(site(P2P), str(tmp_path))
    assert refused.value.exit_code == 3
    where = [each.where.rpartition("/")[2] for each in refused.value.problems]
    assert {each.partition(":")[0] for each in where} == set(BAD)
    assert {"a.yaml:3", "b.yaml:3", "c.yaml:1", "c.yaml:3", "g.yaml:1"} <= set(where)


@pytest.mark.parametrize(
    ("files", "words"),
    [({}, "no manifest is in this folder"), ({"a.yaml": "# nothing\n"}, "no object of Kubernetes is in here")],
)
def test_a_folder_without_objects_is_refused(files: dict[str, str], words: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(GpufabricError, match=words):
        usecase.audit_k8s(site(P2P), str(tmp_path))


def run(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from nornir_tasks.cli.main import main; main()", "audit", "k8s", *words]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=120, cwd=ROOT)


def test_standard_input_and_exit_codes() -> None:
    example = (EXAMPLE / "nic-configuration.yaml").read_text()
    differs = run("-", "--json", given=example)
    assert differs.returncode == 8
    document = published(json.loads(differs.stdout))
    assert (document["tested"], document["failed"], document["judged_objects"]) == (8, 3, 1)
    assert {each["where"].rpartition(":")[0] for each in document["findings"]} == {"standard input"}
    broken = run("-", given="a: [")
    assert (broken.returncode, "standard input:" in broken.stderr, "Traceback" in broken.stderr) == (3, True, False)
    nothing = run("-", given="apiVersion: v1\nkind: Service\nmetadata: {name: s}\n")
    assert (nothing.returncode, "judged 0 of 1 objects" in nothing.stdout) == (9, True)


def test_a_terminal_names_both_lines_and_a_remedy_for_each_difference() -> None:
    shown = run("examples/k8s-roce-defaults")
    assert shown.returncode == 8
    golden = EXAMPLE / "expected.txt"
    assert shown.stdout == golden.read_text()


def test_queue_pairs_in_pods_are_those_of_the_policy_where_it_has_any() -> None:
    plain = usecase.intended(site(P2P))
    groups = tuple(replace(each, queue_pairs=(4, True)) for each in plain.pods.groups)
    wanted = replace(plain, pods=replace(plain.pods, groups=groups))
    data = {"NCCL_IB_TC": "106", "NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_IB_SPLIT_DATA_ON_QPS": "0"}
    settings = Manifest({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nccl"}, "data": data}, Marks())
    failed = [each for each in audit([settings], wanted).results if each.verdict is Verdict.FAIL]
    assert len(failed) == 1
    assert "NCCL_IB_SPLIT_DATA_ON_QPS" in str(failed[0])
    assert not any(each.verdict is Verdict.FAIL for each in audit([settings], plain).results)


DECLARED = """
apiVersion: v1
kind: Pod
metadata: {name: one, annotations: {gpufabric/gid-index: "%s"}}
spec: {containers: [{name: job, env: [{name: NCCL_IB_TC, value: "106"}, {name: NCCL_IB_GID_INDEX, value: "3"}]}]}
"""


@pytest.mark.parametrize(("declared", "is_right"), [("3", True), ("5", False)])
def test_a_gid_index_is_allowed_where_the_object_declares_it_and_its_risk_is_named(
    declared: str, is_right: bool, tmp_path: Path
) -> None:
    found = of_text(DECLARED % declared, tmp_path)
    (one,) = [each for each in found.results if "GID" in each.message or "index" in each.message]
    assert (one.verdict is Verdict.PASS) is is_right
    assert "a GID's index moves" in one.message


OTHERS = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec: {containers: [{name: job, env: [{name: NCCL_IB_TC, value: "106"}, {name: %s, value: "%s"}]}]}
"""


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("UCX_IB_GID_INDEX", "3", "no UCX_IB_TRAFFIC_CLASS"),
        ("NVSHMEM_IB_GID_INDEX", "3", "no NVSHMEM_IB_TRAFFIC_CLASS"),
        ("MORI_IB_GID_INDEX", "3", "no MORI_RDMA_TC"),
        ("MC_GID_INDEX", "3", "no MC_IB_TC"),
        ("UCX_IB_TRAFFIC_CLASS", "0x6a", "no byte"),
        ("MORI_IO_TC", "104", "Not-ECT"),
        ("UCX_TLS", "tcp", ""),
        ("MORI_RDMA_TC", "106", ""),
        ("NCCL_GIN_IB_TC", "-1", ""),
    ],
)
def test_a_pod_that_uses_another_library_without_the_policys_class_is_named(
    name: str, value: str, words: str, tmp_path: Path
) -> None:
    failed = [str(each) for each in of_text(OTHERS % (name, value), tmp_path).failed]
    assert bool(failed) == bool(words) and words in "".join(failed)
