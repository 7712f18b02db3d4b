"""Manifests for pods with RDMA: judged by the recorded definitions, and their addresses by the cables."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nornir_tasks.design import pipeline
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import demands
from nornir_tasks.design.demand.rdma_libraries import environment
from nornir_tasks.design.hosts.pod_networks import PodRail
from nornir_tasks.design.hosts.pod_rules import PodDemand, checked_networks
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import DesignError, GpufabricError, IntentError
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.intent.keys.policy import QueuePairsIntent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms
from nornir_tasks.render import kubernetes as rendered
from nornir_tasks.usecases import kubernetes
from nornir_tasks.usecases.kubernetes import Choices
from nornir_tasks.usecases.site import SiteDesign, load
from tests import crd_facts, kubernetes_schema, pod_addresses
from tests.pod_addresses import name_of, of_kind
from tests.standins.kube_api.cluster import Cluster
from tests.standins.kube_api.errors import ApiError
from tests.standins.kube_api.writes import Write
from tests.strategies import built, intent_data, intent_of
from tests.unit.usecases import manifest_mutants

ROOT = Path(__file__).parents[3]
SITES = ("inventory/lab", "tests/sites/clos3", "inventory/ref-512", "tests/sites/subnet", "tests/sites/svi")
P2P, SUBNET, SVI = "inventory/lab", "tests/sites/subnet", "tests/sites/svi"


@cache
def site(name: str) -> SiteDesign:
    return load(str(ROOT / name))


def made(name: str, **choices: Any) -> list[dict[str, Any]]:
    return [dict(each) for each in kubernetes.k8s_rdma(site(name), Choices(**choices)).all]


@cache
def grown(name: str) -> Network:
    """The site with all hosts that it has places for."""
    return with_all_hosts(site(name).site.intent)


def with_all_hosts(intent: Intent) -> Network:
    hosts = {group: each.model_copy(update={"count": each.max}) for group, each in intent.hosts.items()}
    facts = {name: each.facts for name, each in platforms().items()}
    return pipeline.design(intent.model_copy(update={"hosts": hosts}), load_catalogue(), facts)


def edited(where: Path, name: str, *changes: tuple[str, str]) -> SiteDesign:
    """A site with other words in its intent."""
    shutil.copytree(ROOT / name, where, dirs_exist_ok=True)
    file = where / "fabric.yml"
    text = file.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    file.write_text(text)
    return load(str(where))


WITH_SRIOV = [(name, "sriov") for name in (SUBNET, SVI)]


@pytest.mark.parametrize(
    ("name", "attach_by"), [*((name, by) for name in SITES for by in ("operator", "multus")), *WITH_SRIOV]
)
def test_files_hold_what_the_definitions_allow_and_addresses_are_where_the_cables_end(
    name: str, attach_by: Any, tmp_path: Path
) -> None:
    kubernetes.write(kubernetes.k8s_rdma(site(name), Choices(attach_by=attach_by)), tmp_path)
    texts = {file.name: file.read_text() for file in tmp_path.glob("*.yaml")}
    applied = yaml.safe_load(texts.pop("kustomization.yaml"))["resources"]
    assert sorted(applied) == sorted(texts.keys() - {"pod-sample.yaml"})
    every = [document for text in texts.values() for document in yaml.safe_load_all(text)]
    assert [(name_of(each), fault) for each in every for fault in kubernetes_schema.faults(each)] == []
    assert pod_addresses.faults(every, site(name).network, "compute", grown(name)) == []
    assert len({(each["kind"], name_of(each)) for each in every}) == len(every)
    assert kubernetes.write(kubernetes.k8s_rdma(site(name), Choices(attach_by=attach_by)), tmp_path).changed == ()


def test_every_mutant_is_found(figure: Callable[[str], None]) -> None:
    counts = {"of the definitions": 0, "of addresses": 0}
    for name in (P2P, SUBNET, SVI):
        every = made(name) + made(name, attach_by="operator" if name == P2P else "sriov")
        for what, mutant in manifest_mutants.of_schema(every):
            assert kubernetes_schema.faults(mutant) != [], what
            counts["of the definitions"] += 1
        for what, mutants in manifest_mutants.of_addresses(made(name)):
            assert pod_addresses.faults(mutants, site(name).network, "compute", grown(name)) != [], what
            counts["of addresses"] += 1
    figure(f"manifests for pods: {counts} mutants, all found")
    assert min(counts.values()) > 100


def test_a_cluster_with_these_definitions_takes_the_manifests_and_refuses_their_mutants() -> None:
    """Judged once more, by an API server's stand-in, which shares no code with the judge above."""
    cluster = Cluster()
    cluster.define(kubernetes_schema.TSV)
    cluster.create(cluster.kind("", "v1", "namespaces"), "", {"metadata": {"name": "pods"}}, Write())
    how = Write(is_dry_run=True, validation="Strict")
    of = {each.kind: each for each in cluster.kinds if each.schema is not None}
    refused = 0
    for name in (P2P, SUBNET, SVI):
        both = made(name) + made(name, attach_by="operator" if name == P2P else "sriov")
        every = [each for each in both if each["kind"] in of]
        for each in every:
            cluster.create(of[each["kind"]], "pods", each, how)
        for what, mutant in manifest_mutants.of_schema(every):
            kind, _, wrong = what.partition(": ")
            if (" " not in kind and wrong == "unknown field") or "not a label" in wrong:
                continue  # status, which clusters' definitions have; a label's characters, which they have not
            with pytest.raises(ApiError) as error:
                cluster.create(of[kind.split()[0]], "pods", mutant, how)
            assert error.value.reason in {"BadRequest", "Invalid"}, what
            refused += 1
    assert refused > 300


def test_recorded_definitions_are_those_of_the_operators() -> None:
    """Every path that is written, its type, whether it must be there, and every rule, as the facts beside have them."""
    beside = crd_facts.folder()
    if beside is None:
        pytest.skip("no schema facts beside this checkout")
    differing, compared, from_memory = [], 0, set()
    for file in (kubernetes_schema.TSV, kubernetes_schema.TSV.with_name("others.tsv")):
        for line in file.read_text().splitlines():
            kind, *row = line.split("\t")
            found = list(beside.glob(f"{kind}.*.tsv"))
            if line.startswith("#") or not found:
                from_memory |= {kind} - {line}
                continue
            path, *facts = (*row, "", "", "")[:4]
            compared += 1
            if crd_facts.fields(found[0]).get(path) != tuple(facts):
                differing.append(line)
    assert differing == []
    assert compared > 140
    assert from_memory == {"ConfigMap", "Pod", "NicNodePolicy"}, "the last is from its definition, not beside"


def test_what_is_applied_is_marked_as_ours_and_the_sites_and_the_sample_is_not() -> None:
    made_now = kubernetes.k8s_rdma(site(P2P), Choices())
    for file, documents in made_now.files.items():
        labels = {"app.kubernetes.io/managed-by": "gpufabric", "gpufabric/site": "lab"}
        wanted = None if file == kubernetes.SAMPLE else labels
        assert [each["metadata"].get("labels") for each in documents] == [wanted] * len(documents)


MARKED = {"NicConfigurationTemplate", "ConfigMap"}
NETWORKS = {SUBNET: "SpiderMultusConfig", SVI: "SpiderMultusConfig"}
POOLS = {SUBNET: "SpiderIPPool", SVI: "SpiderIPPool"}
CHANGES = [
    change
    for name in SITES
    for change in (
        (name, "dscp: 26", "dscp: 30", MARKED),
        (name, "dscp: 48", "dscp: 46", {"NicConfigurationTemplate"}),
        (name, "host: 9000", "host: 4200", {NETWORKS.get(name, "NetworkAttachmentDefinition")}),
        (name, "10.168.0.0/13", "10.200.0.0/13", {POOLS.get(name, "CIDRPool")}),
    )
]


SRIOV_CHANGES = [
    ("dscp: 26", "dscp: 30", MARKED),
    ("host: 9000", "host: 4200", {"SriovNetwork", "SriovNetworkNodePolicy"}),
    ("10.168.0.0/13", "10.200.0.0/13", {"SpiderIPPool"}),
]


@pytest.mark.parametrize(
    ("name", "before", "after", "kinds_with_it", "attach_by"),
    [
        *((*each, "multus") for each in CHANGES),
        *((name, *each, "sriov") for name in (SUBNET, SVI) for each in SRIOV_CHANGES),
    ],
)
def test_a_changed_value_changes_just_the_manifests_that_carry_it(
    name: str, before: str, after: str, kinds_with_it: set[str], attach_by: Any, tmp_path: Path
) -> None:
    changed = kubernetes.k8s_rdma(edited(tmp_path / "site", name, (before, after)), Choices(attach_by=attach_by)).all
    by_name = {(each["kind"], name_of(each)): each for each in made(name, attach_by=attach_by)}
    assert {(each["kind"], name_of(each)) for each in changed} == by_name.keys()
    differing = {(each["kind"], name_of(each)) for each in changed if each != by_name[each["kind"], name_of(each)]}
    assert differing == {key for key in by_name if key[0] in kinds_with_it}


def test_nics_mark_as_the_host_roles_do_and_nothing_of_the_operators_own_defaults_is_left() -> None:
    (template,) = of_kind(made(P2P), "NicConfigurationTemplate")
    spec = template["spec"]["template"]
    assert spec["roceOptimized"]["qos"] == {"trust": "dscp", "pfc": "0,0,0,1,0,0,0,0", "tos": 106}
    assert spec["roceOptimized"]["qos"]["tos"] >> 2 == 26
    raw = {each["name"]: each["value"] for each in spec["rawNvConfig"]}
    assert {raw[f"CNP_DSCP_P{port}"] for port in (1, 2)} == {"48"}
    assert {raw[f"CNP_802P_PRIO_P{port}"] for port in (1, 2)} == {"6"}
    assert {raw[f"ROCE_CC_PRIO_MASK_P{port}"] for port in (1, 2)} == {"8"}


def test_the_driver_has_one_owner() -> None:
    for name in SITES:
        (policy,) = of_kind(made(name), "NicClusterPolicy")
        assert "ofedDriver" not in policy["spec"]
        with_spiderpool = bool(of_kind(made(name), "SpiderIPPool"))
        assert ("secondaryNetwork" in policy["spec"], "nvIpam" in policy["spec"]) == (not with_spiderpool,) * 2


@pytest.mark.parametrize("name", [SUBNET, SVI])
def test_virtual_functions_are_as_many_everywhere_and_have_the_mtu_of_the_policy(name: str) -> None:
    every = made(name, attach_by="sriov", pods_per_node=2, vfs=4)
    policies = of_kind(every, "SriovNetworkNodePolicy")
    assert {(each["spec"]["numVfs"], each["spec"]["mtu"]) for each in policies} == {(4, 9000)}
    assert [each["spec"]["nicSelector"]["pfNames"] for each in policies] == [[rail.port] for rail in rails(name)]
    (template,) = of_kind(every, "NicConfigurationTemplate")
    assert template["spec"]["template"]["numVfs"] == 4
    (policy,) = of_kind(every, "NicClusterPolicy")
    assert policy["spec"].keys() == {"global", "nicConfigurationOperator"}, "the SR-IOV operator hands out devices"
    assert of_kind(every, "SpiderMultusConfig") == []
    for each in of_kind(every, "SriovNetwork"):
        assert each["spec"]["trust"] == "off"
        assert {"type": "tuning", "mtu": 9000} in json.loads(f"[{each['spec']['metaPlugins']}]")
    role = (ROOT / "plugins/module_utils/nic_settings.py").read_text()
    assert f"MOST_VFS = {kubernetes.MOST_VFS}\n" in role


def test_virtual_functions_bring_their_rdma_devices_where_those_are_exclusive_and_in_no_other_network() -> None:
    def chains(**choices: Any) -> list[Any]:
        every = made(SUBNET, attach_by="sriov", **choices)
        assert [fault for each in every for fault in kubernetes_schema.faults(each)] == []
        return [json.loads(f"[{each['spec']['metaPlugins']}]") for each in of_kind(every, "SriovNetwork")]

    shared, exclusive = chains(), chains(exclusive=True)
    assert exclusive == [[*each, {"type": "rdma"}] for each in shared]
    assert len(exclusive) == 4


def rails(name: str) -> tuple[PodRail, ...]:
    return kubernetes.k8s_rdma(site(name), Choices()).pods.rails


def test_nccl_settings_are_those_of_the_role() -> None:
    defaults = yaml.safe_load((ROOT / "roles/nccl/defaults/main.yml").read_text())
    assert defaults["nccl_ib_timeout"] == rendered.IB_TIMEOUT
    assert defaults["nccl_ib_retry_count"] == rendered.IB_RETRY_COUNT
    lines = (ROOT / "roles/nccl/vars/main.yml").read_text().split("__nccl_of_gid:")[0]
    always, optional = (re.findall(r"'(NCCL_\w+)':", each) for each in lines.split("__nccl_of_queue_pairs:"))
    (settings_of_pods,) = of_kind(made(P2P), "ConfigMap")
    assert set(settings_of_pods["data"]) == set(always) | environment(106).keys()
    assert {settings_of_pods["data"][name] for name in environment(106)} == {"106"}
    intent = site(P2P).site.intent
    policy = intent.policy.model_copy(update={"queue_pairs": QueuePairsIntent(per_connection=4, split=True)})
    on_planes = demands(intent.model_copy(update={"policy": policy}), kinds().planes)
    pods = checked_networks(site(P2P).network, on_planes, load_catalogue(), intent.marks, PodDemand("compute", 1))
    (with_pairs,) = rendered.nccl(pods, "default")
    added = with_pairs["data"].items() - settings_of_pods["data"].items()
    assert added == set(zip(optional, ("4", "1"), strict=True))
    assert settings_of_pods["data"]["NCCL_IB_TC"] == settings_of_pods["data"]["NCCL_IB_FIFO_TC"] == "106"
    assert settings_of_pods["data"]["NCCL_CROSS_NIC"] == "2"


def networks_of(data: dict[str, Any], network: Network, pods_per_node: int, vfs: int) -> list[dict[str, Any]]:
    intent = intent_of(data)
    every_demand = demands(intent, kinds().planes)
    wanted = PodDemand("compute", pods_per_node, vfs)
    pods = checked_networks(network, every_demand, load_catalogue(), intent.marks, wanted)
    return [dict(each) for each in kubernetes.manifests(pods, Choices(pods_per_node=pods_per_node)).all]


def random_site(data: dict[str, Any]) -> Network:
    nics = data["hosts"]["gpu"]["nics"]["compute"]
    nics |= {"model": "ConnectX-7", "at": tuple(f"0000:{rail + 16:02x}:00.0" for rail in range(nics["rails"]))}
    try:
        return built(data)
    except DesignError:
        assume(False)
        raise


def test_on_any_site_pods_get_addresses_of_their_rails_leaf_and_nobody_elses(figure: Callable[[str], None]) -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=130)
    @given(intent_data(), st.integers(1, 3), st.booleans())
    def judge(data: dict[str, Any], pods: int, with_functions: bool) -> None:
        network = random_site(data)
        link = data["planes"]["compute"]["link"].partition("/")[0]
        pods_per_node = 1 if link == "p2p" else pods
        try:
            every = networks_of(data, network, pods_per_node, pods if with_functions and link != "p2p" else 0)
        except DesignError as error:
            seen["refused: a pool holds too few"] += 1
            assert "--pods-per-node" in str(error) or "per_group" in str(error)
            return
        assert [fault for each in every for fault in kubernetes_schema.faults(each)] == []
        all_hosts = {**data, "hosts": {"gpu": {**data["hosts"]["gpu"], "count": data["hosts"]["gpu"]["max"]}}}
        assert pod_addresses.faults(every, network, "compute", built(all_hosts)) == []
        seen[link] += 1

    judge()
    figure(f"random sites with pods: {dict(sorted(seen.items()))}")
    assert seen["p2p"] + seen["subnet"] + seen["svi"] >= 100
    assert min(seen[link] for link in ("p2p", "subnet", "svi")) > 0


REFUSED = [
    (P2P, {"plane": "oob"}, (), ["--plane oob", "expected: compute"]),
    (P2P, {"pods_per_node": 2}, (), ["fabric.yml:", "planes.compute.link", "--pods-per-node 1"]),
    (SUBNET, {"pods_per_node": 5}, (), ["hold no 5 pods", "--pods-per-node 4 at most", "4 addresses of 10.168.0.0/29"]),
    (SUBNET, {}, (("subnet/29", "subnet/30"),), ["hold no 1 pods", "a larger block"]),
    (SVI, {"pods_per_node": 999}, (), ["999 on each of", "--pods-per-node"]),
    (P2P, {"namespace": "A B"}, (), ["--namespace A B"]),
    (P2P, {"attach_by": "sriov"}, (), ["planes.compute.link", "addresses of their own", "link: subnet/N or svi"]),
    (SUBNET, {"vfs": 4}, (), ["--vfs 4", "--attach-by sriov"]),
    (P2P, {"release": "network-operator-v26.1.0"}, (), ["--operator-version", "v26.4.0 or newer", "found: network-"]),
    (P2P, {"exclusive": True}, (), ["--exclusive", "need them shared", "expected: --attach-by sriov"]),
    (SUBNET, {"exclusive": True}, (), ["--exclusive", "need them shared", "expected: --attach-by sriov"]),
    (SUBNET, {"attach_by": "sriov", "pods_per_node": 3, "vfs": 2}, (), ["--vfs", "3 to 1024", "found: 2"]),
    (
        P2P,
        {},
        (("rails: 8\n        speed: 200G\n        model: ConnectX-7", "rails: 8\n        speed: 200G"),),
        ["nics.compute"],
    ),
    (P2P, {}, (('"0000:00:17.0"]\n      storage', '"0c:42:a1:00:00:10"]\n      storage'),), ["not by MAC addresses"]),
]


@pytest.mark.parametrize(("name", "choices", "changes", "words"), REFUSED)
def test_what_pods_cannot_have_is_refused_with_place_and_remedy(
    name: str, choices: dict[str, Any], changes: tuple[tuple[str, str], ...], words: list[str], tmp_path: Path
) -> None:
    with pytest.raises(GpufabricError) as refused:
        kubernetes.k8s_rdma(edited(tmp_path / "site", name, *changes), Choices(**choices))
    assert [word for word in words if word not in str(refused.value)] == []


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    text = (ROOT / P2P / "fabric.yml").read_text()
    places = re.search(r"        at: \[\"0000:00:10.*?\]\n(?=      storage)", text, re.DOTALL)
    assert places is not None
    design = edited(tmp_path / "site", P2P, (places[0], ""))
    with pytest.raises(GpufabricError) as refused:
        kubernetes.k8s_rdma(design, Choices(pods_per_node=3))
    assert len(refused.value.problems) == 2
    assert "hosts.gpu.nics.compute" in str(refused.value)
    assert "planes.compute.link" in str(refused.value)


def test_a_refusal_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "rdma"
    command = [sys.executable, "-c", "from nornir_tasks.cli.main import main; main()", "export", "k8s-rdma"]
    words = ["--site", str(ROOT / P2P), "--out", str(folder), "--pods-per-node", "2"]
    ended = subprocess.run([*command, *words], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, folder.exists()) == (3, False)
    assert "--pods-per-node 1" in ended.stderr


def test_edited_files_are_not_replaced_unless_that_is_asked_for(tmp_path: Path) -> None:
    made_now = kubernetes.k8s_rdma(site(SVI), Choices())
    kubernetes.write(made_now, tmp_path)
    (tmp_path / "pools.yaml").write_text("edited\n")
    with pytest.raises(GpufabricError, match="pools"):
        kubernetes.write(made_now, tmp_path)
    assert (tmp_path / "pools.yaml").read_text() == "edited\n"
    assert kubernetes.write(made_now, tmp_path, overwrite=True).changed == (tmp_path / "pools.yaml",)


def images_of(value: Any) -> dict[str, set[str]]:
    """Image -> the versions that stand beside it, in whatever is nested."""
    found: dict[str, set[str]] = {}
    inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, dict) and "image" in value:
        found[value["image"]] = {value.get("version", "")}
    for each in inside:
        for image, versions in images_of(each).items():
            found.setdefault(image, set()).update(versions)
    return found


@pytest.mark.parametrize("name", [P2P, SUBNET])
def test_every_image_of_the_operator_is_pinned_by_its_digest_where_a_file_has_them(name: str, tmp_path: Path) -> None:
    policies = [each for each in made(name) if each["kind"] in {"NicClusterPolicy", "NicNodePolicy"}]
    images = sorted({image for each in policies for image in images_of(each["spec"])})
    digests = {image: f"sha256:{number:064x}" for number, image in enumerate(images)}
    file = tmp_path / "digests"
    file.write_text("# of network-operator-v26.4.1\n" + "".join(f"{image} {each}\n" for image, each in digests.items()))
    every = made(name, digests=file)
    pinned = [each for each in every if each["kind"] in {"NicClusterPolicy", "NicNodePolicy"}]
    assert {image: {digest} for image, digest in digests.items()} == {
        image: versions for each in pinned for image, versions in images_of(each["spec"]).items()
    }
    assert [fault for each in every for fault in kubernetes_schema.faults(each)] == []


def test_digests_that_are_missing_or_none_are_refused_all_at_once(tmp_path: Path) -> None:
    file = tmp_path / "digests"
    file.write_text("multus-cni latest\nplugins sha256:00\n" + 2 * f"nvidia-k8s-ipam sha256:{0:064x}\n")
    with pytest.raises(IntentError) as refused:
        made(P2P, digests=file)
    text = str(refused.value)
    assert all(each in text for each in ("digests:1", "digests:2", "digests:4", "images without a digest"))
    assert "sriov-network-device-plugin" in text
    with pytest.raises(IntentError):
        made(P2P, digests=tmp_path / "none")
