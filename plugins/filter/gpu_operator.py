"""Filters of role gpu_operator: hosts, cluster and chart against what the operator needs; the chart's values."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import yaml

Settings = Mapping[str, Any]
"""The role's variables without their prefix."""
OFF_LABEL = "nvidia.com/gpu.deploy.operands"
WAITS = "gpufabric/waits-for-canary"
GPUS = "nvidia.com/gpu"
SERVICE_MONITORS = "servicemonitors.monitoring.coreos.com"
NODE_FEATURES = "nodefeatures.nfd.k8s-sigs.io"
CHART = "gpu-operator"
RANCHER_SOCKET = "/run/k3s/containerd/containerd.sock"
"""Of the containerd that RKE2 brings (docs.rke2.io, CLI Tools); that k3s has the same is from memory."""
FIRST_DMA_BUF_KERNEL = (5, 12)
"""GPU Operator manual, GPUDirect RDMA; the open kernel modules are needed besides."""


def gpu_operator_values(settings: Settings) -> dict[str, Any]:
    """Values of the chart. Their paths are recorded in tests/corpus/kubernetes/gpu_operator_values.tsv.

    ``driver.rdma.enabled`` makes the operator's driver load nvidia-peermem, which dma-buf does not need; the RDMA stack
    it then builds against is the host's (``useHostMofed``), as role rdma_stack has it.
    """
    is_operators = settings["driver_owner"] == "operator"
    loads_peermem = is_operators and settings["rdma"] == "peermem"
    workload = str(settings["validator_workload"]).lower()
    driver = {
        "enabled": is_operators,
        "kernelModuleType": settings["kernel_modules"],
        "rdma": {"enabled": loads_peermem, "useHostMofed": loads_peermem},
        "upgradePolicy": {"maxParallelUpgrades": 1},
        **({"version": settings["driver_version"]} if settings["driver_version"] else {}),
    }
    own = {
        "driver": driver,
        "toolkit": {"enabled": settings["toolkit"], **_socket(settings)},
        "dcgmExporter": {
            "enabled": settings["dcgm_exporter"],
            "serviceMonitor": {"enabled": settings["service_monitor"]},
        },
        "mig": {"strategy": settings["mig_strategy"]},
        "migManager": {"enabled": settings["mig_manager"]},
        "validator": {"plugin": {"env": [{"name": "WITH_WORKLOAD", "value": workload}]}},
        "nfd": {"enabled": settings["nfd_owner"] == "operator"},
        "daemonsets": {"rollingUpdate": {"maxUnavailable": settings["max_unavailable"]}},
    }
    return _merged(settings["values"], own)


def _toolkit_env(settings: Settings) -> list[Any]:
    """What the site gives the toolkit."""
    toolkit = settings["values"].get("toolkit")
    env = toolkit.get("env") if isinstance(toolkit, Mapping) else None
    return env if isinstance(env, list) else []


def _named(env: list[Any]) -> dict[Any, Any]:
    return {each.get("name"): each.get("value") for each in env if isinstance(each, Mapping)}


def _socket(settings: Settings) -> dict[str, Any]:
    env = _toolkit_env(settings)
    if not settings.get("rancher") or not settings["toolkit"] or "CONTAINERD_SOCKET" in _named(env):
        return {}
    return {"env": [*env, {"name": "CONTAINERD_SOCKET", "value": RANCHER_SOCKET}]}


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both, the other's first."""
    found = {**one, **other}
    for key in one.keys() & other.keys():
        if isinstance(one[key], Mapping) and isinstance(other[key], Mapping):
            found[key] = _merged(one[key], other[key])
    return found


def _leaves(value: object, path: str = "") -> Iterator[str]:
    if not isinstance(value, Mapping) or not value:
        yield path
        return
    for key, each in value.items():
        yield from _leaves(each, f"{path}.{key}" if path else str(key))


def _has(values: object, path: str) -> bool:
    """Has a chart this value? A mapping that is empty by default takes any key."""
    for key in path.split("."):
        if values in ({}, []):
            return True
        if not isinstance(values, Mapping) or key not in values:
            return False
        values = values[key]
    return True


def gpu_operator_problems(
    settings: Settings, hosts: Mapping[str, Any], cluster: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Each problem as `variable: what is wrong, found and expected; remedy`. Empty if the role may continue.

    ``hosts``: by name what was read of each; ``cluster``: results of the tasks that read it; ``shown``: ``helm show
    chart`` and ``helm show values``.
    """
    found = [each for name, host in hosts.items() for each in _host(settings, name, host)]
    found += [*_mixed(settings, hosts), *_values(settings)]
    if "resources" in cluster["read"][0]:
        found += _cluster(settings, hosts, cluster)
    else:
        why = str(cluster["read"][0].get("msg", ""))[:300]
        found.append(
            f"gpu_operator_kubeconfig: the cluster cannot be read: {why} Look at KUBECONFIG, gpu_operator_context and "
            "whether its API server answers (kubectl get nodes)"
        )
    return [*found, *_chart(settings, shown)]


def _rancher(settings: Settings, name: str) -> Iterator[str]:
    named = _named(_toolkit_env(settings))
    if settings["toolkit"] and named.get("CONTAINERD_SOCKET", RANCHER_SOCKET) != RANCHER_SOCKET:
        yield (
            f"{name}: containerd is that of RKE2 or k3s ({RANCHER_SOCKET}), and gpu_operator_values tell the "
            f"operator's toolkit of another: {named['CONTAINERD_SOCKET']}. Take it out of toolkit.env; it is set"
        )


def _mixed(settings: Settings, hosts: Mapping[str, Any]) -> Iterator[str]:
    """Hosts of RKE2 or k3s beside others: the chart's values are of the whole cluster."""
    of_rancher = [name for name, each in hosts.items() if isinstance(each, Mapping) and each.get("rancher")]
    others = [name for name, each in hosts.items() if isinstance(each, Mapping) and name not in of_rancher]
    if settings["toolkit"] and of_rancher and others:
        yield (
            f"gpu_operator_toolkit: containerd of {', '.join(of_rancher)} is that of RKE2 or k3s ({RANCHER_SOCKET}), "
            f"that of {', '.join(others)} is not, and the toolkit has one socket for all nodes. Install the toolkit on "
            "the hosts, and say gpu_operator_toolkit: false"
        )


def _host(settings: Settings, name: str, host: object) -> Iterator[str]:
    """What is wrong of one host."""
    if not isinstance(host, Mapping):
        yield f"{name}: nothing is known of this host, as it could not be read. Mend it, or take it out of the play"
        return
    driver, owner = host["driver"], settings["driver_owner"]
    if host["nouveau"]:
        yield (
            f"{name}: the kernel module nouveau is loaded and has the GPUs. Put `blacklist nouveau` into "
            "/etc/modprobe.d, run update-initramfs -u and reboot"
        )
    if host.get("rancher"):
        yield from _rancher(settings, name)
    elif not host["containerd"]:
        yield (
            f"{name}: containerd does not run (/run/containerd/containerd.sock is missing), and the operator's toolkit "
            "configures it. Install and start containerd"
        )
    packages = ", ".join(driver["packages"])
    if owner == "operator" and packages:
        yield (
            f"{name}: gpu_operator_driver_owner: operator, and this host has packages of the driver: {packages}. "
            "Remove them, or say host"
        )
    if owner == "host" and not packages:
        there = "the operator's container has it" if driver["operator"] else "no package has it"
        yield (
            f"{name}: gpu_operator_driver_owner: host, and {there}. Install the driver from its packages, or say "
            "operator"
        )
    yield from _gpu_memory(settings, name, driver)


def _gpu_memory(settings: Settings, name: str, driver: Mapping[str, Any]) -> Iterator[str]:
    """Can RDMA have GPU memory in the way that is chosen?"""
    if settings["rdma"] != "dma_buf":
        return
    numbers = tuple(int(part) for part in re.findall(r"\d+", driver["kernel"] or "")[:2])
    why = ""
    if numbers < FIRST_DMA_BUF_KERNEL:
        why = f"Linux {driver['kernel'] or 'of unknown version'} is older than 5.12"
    elif settings["driver_owner"] == "host" and driver["version"] is not None and not driver["open"]:
        why = f"the closed kernel modules of {driver['version']} are loaded"
    if why:
        yield f"{name}: gpu_operator_rdma: dma_buf, and {why}. Bring what it needs, or say peermem"


def _values(settings: Settings) -> Iterator[str]:
    """Variables that contradict one another."""
    other = settings["gpudirect_driver_owner"]
    if other not in {"keep", settings["driver_owner"]}:
        yield (
            f"gpu_operator_driver_owner: {settings['driver_owner']}, and gpudirect_driver_owner: {other}: the driver "
            "has one owner. Say the same in both"
        )
    if (
        settings["driver_owner"] == "operator"
        and settings["rdma"] == "dma_buf"
        and settings["kernel_modules"] != "open"
    ):
        yield (
            f"gpu_operator_kernel_modules: {settings['kernel_modules']}, and dma-buf needs the open ones. Say open, or "
            "gpu_operator_rdma: peermem"
        )
    if settings["driver_owner"] == "host" and settings["rdma"] == "peermem" and not settings["peermem"]:
        yield (
            "gpu_operator_rdma: peermem, and the operator does not load nvidia-peermem: the driver is the host's. Set "
            "rdma_stack_peermem: true"
        )
    if settings["canary"] and not re.fullmatch(r"[\w./-]+=[\w.-]+", settings["canary"]):
        yield f"gpu_operator_canary: {settings['canary']} is no label. Write name=value"
    own = set(_leaves(gpu_operator_values({**settings, "values": {}, "rancher": False})))
    for path in sorted(set(_leaves(settings["values"])) if settings["values"] else ()):
        if any(path == each or path.startswith(f"{each}.") or each.startswith(f"{path}.") for each in own):
            yield f"gpu_operator_values: {path} is set by a variable of this role. Set that one (README of the role)"


def _cluster(settings: Settings, hosts: Mapping[str, Any], cluster: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong of the cluster."""
    nodes, definitions, daemons, policies = (each.get("resources", ()) for each in cluster["read"])
    version = cluster["version"].get("version", {}).get("server", {}).get("kubernetes", {}).get("gitVersion", "")
    numbers, oldest = (
        [int(part) for part in re.findall(r"\d+", text)[:2]] for text in (version, settings["kubernetes"])
    )
    if numbers < oldest:
        yield (
            f"gpu_operator_kubernetes: {settings['kubernetes']} is the oldest that this chart is installed on, and the "
            f"cluster has {version or 'an unknown version'}. Bring Kubernetes up to date"
        )
    names = {each["metadata"]["name"] for each in nodes}
    for name, host in hosts.items():
        if isinstance(host, Mapping) and host["node"] not in names:
            yield (
                f"{name}: gpu_operator_node: {host['node']} is no node of this cluster (kubectl get nodes). Name its "
                "node"
            )
    if settings["canary"] and not _first(settings, nodes):
        yield f"gpu_operator_canary: no node has the label {settings['canary']}. Label the nodes that should come first"
    defined = {each["metadata"]["name"] for each in definitions}
    if settings["service_monitor"] and SERVICE_MONITORS not in defined:
        yield (
            f"gpu_operator_service_monitor: true, and the cluster has no definition {SERVICE_MONITORS}. Install the "
            "Prometheus operator, or say false"
        )
    yield from _feature_discovery(settings, daemons, defined)
    yield from _releases(settings, policies, cluster["releases"])


def _feature_discovery(settings: Settings, daemons: Sequence[Any], defined: set[str]) -> Iterator[str]:
    others = [
        f"{each['metadata']['namespace']}/{each['metadata']['name']}"
        for each in daemons
        if (each["metadata"].get("labels") or {}).get("app.kubernetes.io/instance") != settings["release"]
    ]
    if settings["nfd_owner"] == "operator" and others:
        yield (
            "gpu_operator_nfd_owner: operator, and the cluster has Node Feature Discovery already: "
            f"{', '.join(others)}. Say cluster, or remove that one"
        )
    if settings["nfd_owner"] == "cluster" and NODE_FEATURES not in defined:
        yield (
            f"gpu_operator_nfd_owner: cluster, and the cluster has no definition {NODE_FEATURES}: there is no Node "
            "Feature Discovery. Install it, or say operator"
        )


def _releases(settings: Settings, policies: Sequence[Any], listed: Mapping[str, Any]) -> Iterator[str]:
    """Has another tool installed the operator?"""
    if listed.get("rc") != 0:
        why = (listed.get("stderr") or listed.get("msg") or "")[:300]
        yield f"gpu_operator_helm: helm does not list the cluster's releases: {why}. Install Helm 3 on the controller"
        return
    mine = (settings["release"], settings["namespace"])
    for each in yaml.safe_load(listed["stdout"] or "[]"):
        its = (each["name"], each["namespace"])
        if each["chart"].rpartition("-")[0] == CHART and its != mine:
            yield (
                f"gpu_operator_release: {mine[1]}/{mine[0]}, and {its[1]}/{its[0]} has the operator already "
                f"({each['chart']}). Name that release and namespace, or uninstall it"
            )
        if its == mine and each["chart"].rpartition("-")[0] != CHART:
            what = f"{mine[1]}/{mine[0]} is a release of another chart: {each['chart']}"
            yield f"gpu_operator_release: {what}. Choose another name"
        if its == mine and each["status"].startswith("pending"):
            yield (
                f"gpu_operator_release: {mine[1]}/{mine[0]} is {each['status']}: another run of helm is at it, or was "
                "broken off. Wait, or `helm rollback` it"
            )
    for each in policies:
        notes = each["metadata"].get("annotations") or {}
        its = (notes.get("meta.helm.sh/release-name"), notes.get("meta.helm.sh/release-namespace"))
        if its != mine:
            whose = f"of release {its[1]}/{its[0]}" if its[0] else "of no release"
            yield (
                f"gpu_operator_release: ClusterPolicy {each['metadata']['name']} is {whose}, and a cluster has one. "
                "Take that release over by its name, or delete the policy"
            )


def _chart(settings: Settings, shown: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Is the chart the one that is pinned, and has it all values that are set?"""
    if any(each.get("rc") != 0 for each in shown):
        why = next((each.get("stderr") or each.get("msg") or "" for each in shown if each.get("rc") != 0), "")
        yield (
            f"gpu_operator_chart_version: {settings['chart_version']} of {settings['chart']} cannot be had: "
            f"{str(why).strip()[:300]}. `helm search repo gpu-operator --versions` lists those that there are"
        )
        return
    chart, values = (yaml.safe_load(each["stdout"]) or {} for each in shown)
    if chart.get("version") != settings["chart_version"]:
        yield (
            f"gpu_operator_chart_version: {settings['chart_version']} is pinned, and {settings['chart']} is "
            f"{chart.get('version')}. Pin that one, or bring the other chart"
        )
    unknown = sorted(path for path in _leaves(gpu_operator_values(settings)) if not _has(values, path))
    for path in unknown:
        yield (
            f"gpu_operator_values: chart {chart.get('version')} has no value {path}, so helm would leave it out "
            "without a word. Take it out, or pin a chart that has it (helm show values)"
        )


def _first(settings: Settings, nodes: Sequence[Any]) -> set[str]:
    name, _, value = settings["canary"].partition("=")
    return {each["metadata"]["name"] for each in nodes if (each["metadata"].get("labels") or {}).get(name) == value}


def gpu_operator_waiting(settings: Settings, nodes: Sequence[Any], selector: str) -> list[str]:
    """Nodes that wait until the first ones are ready, but for those that others keep from the operator."""
    if not settings["canary"]:
        return []
    name, is_equal, value = selector.partition("=")
    first = _first(settings, nodes)
    found = []
    for each in nodes:
        labels = each["metadata"].get("labels") or {}
        is_chosen = name in labels and (not is_equal or labels[name] == value)
        if is_chosen and each["metadata"]["name"] not in first and OFF_LABEL not in labels:
            found.append(each["metadata"]["name"])
    return found


def gpu_operator_kept_out(nodes: Sequence[Any]) -> list[str]:
    """Nodes that this role keeps from the operator."""
    return [each["metadata"]["name"] for each in nodes if WAITS in (each["metadata"].get("annotations") or {})]


def gpu_operator_not_ready(nodes: Sequence[Any]) -> list[str]:
    """Nodes that offer no GPU."""
    offers = {each["metadata"]["name"]: each.get("status", {}).get("allocatable") or {} for each in nodes}
    return [name for name, resources in offers.items() if int(resources.get(GPUS, 0)) < 1]


def gpu_operator_difference(before: str, after: str) -> list[str]:
    """The lines that differ between two manifests, object by object; what Secrets hold is left out."""
    one, other = ({_name(each): each for each in _objects(text)} for text in (before, after))
    found: list[str] = []
    for name in sorted(one.keys() | other.keys()):
        texts = [_lines(each.get(name)) for each in (one, other)]
        found += difflib.unified_diff(
            *texts, f"{name} (the release has)", f"{name} (the chart gives)", n=2, lineterm=""
        )
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for each in yaml.safe_load_all(text):
        if isinstance(each, dict):
            yield each


def _name(each: Mapping[str, Any]) -> str:
    metadata = each.get("metadata", {})
    return "/".join(str(part) for part in (each.get("kind"), metadata.get("namespace"), metadata.get("name")) if part)


def _lines(each: Mapping[str, Any] | None) -> list[str]:
    if each is None:
        return []
    hidden = {key: "(not shown)" for key in ("data", "stringData") if each.get("kind") == "Secret" and key in each}
    return yaml.safe_dump({**each, **hidden}, sort_keys=True, width=200).splitlines()


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "gpu_operator_values": gpu_operator_values,
            "gpu_operator_problems": gpu_operator_problems,
            "gpu_operator_waiting": gpu_operator_waiting,
            "gpu_operator_kept_out": gpu_operator_kept_out,
            "gpu_operator_not_ready": gpu_operator_not_ready,
            "gpu_operator_difference": gpu_operator_difference,
        }
