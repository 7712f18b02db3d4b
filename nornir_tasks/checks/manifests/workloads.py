"""Pods and ConfigMaps: the settings of RDMA libraries, and rails whose networks and devices belong together."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nornir_tasks.checks.manifests.devices import Devices
from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.nics import marking_in_words
from nornir_tasks.checks.manifests.objects import Manifest, as_number, at, from_json, items
from nornir_tasks.design.demand.rdma_libraries import BY_VARIABLE, FOLLOWS, SETTINGS, LibrarySetting, meant, unmarked
from nornir_tasks.design.hosts.pod_networks import MANAGED_BY
from nornir_tasks.intent.core.findings import Path

CONFIG_MAP = "ConfigMap"
WITH_PODS = (
    "Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "JobSet", "LeaderWorkerSet",
    "MPIJob", "PyTorchJob", "RayCluster", "RayJob", "PodTemplate",
)  # fmt: skip
KINDS = (CONFIG_MAP, *WITH_PODS)
NETWORKS = "k8s.v1.cni.cncf.io/networks"
"""Annotation of a pod: the networks beside the cluster's own."""
PREFIXES = ("NCCL_", *(prefix for each in SETTINGS for prefix in each.prefixes))
LINE = re.compile(rf"^\s*(?:export\s+)?((?:{'|'.join(PREFIXES)})[A-Z0-9_]*)\s*=\s*(\S*)", re.MULTILINE)
"""Of a text like /etc/nccl.conf or a script."""
GID_INDEX = "gpufabric/gid-index"
"""Annotation by which an object declares the index that its NCCL_IB_GID_INDEX pins."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable of NCCL or of another library."""

    value: str
    path: Path


@dataclass(frozen=True)
class Cluster:
    """What pods refer to."""

    devices: Devices
    networks: Mapping[str, frozenset[int]]
    """``namespace/name`` of an attachment -> its rails."""
    maps: Mapping[str, Manifest]
    """``namespace/name`` -> ConfigMap."""

    @property
    def intended(self) -> Intended:
        return self.devices.intended


def judge_workloads(manifests: Iterable[Manifest], cluster: Cluster) -> Iterator[Judged]:
    """ConfigMaps and everything that makes pods."""
    for manifest in manifests:
        sheet = Sheet(manifest)
        if manifest.kind == CONFIG_MAP:
            settings = map_settings(manifest)
            _judge_nccl(sheet, settings, cluster.intended, ("data",), is_whole=True)
        elif manifest.kind in WITH_PODS:
            for path in _pods(manifest.data, ()):
                _pod(sheet, path, cluster)
        yield from sheet.results


def map_settings(manifest: Manifest) -> dict[str, Setting]:
    """Variables of RDMA libraries in a ConfigMap: as keys, or as lines of a file in it."""
    data = manifest.value("data")
    found: dict[str, Setting] = {}
    for key, text in data.items() if isinstance(data, Mapping) else ():
        if str(key).startswith(PREFIXES):
            found[str(key)] = Setting(str(text), ("data", str(key)))
        elif isinstance(text, str):
            found |= {name: Setting(value.strip("'\""), ("data", str(key))) for name, value in LINE.findall(text)}
    return found


def _pods(value: object, path: Path) -> Iterator[Path]:
    """Where pods are described: what has ``spec.containers``."""
    if isinstance(value, Mapping):
        if items(at(value, "spec", "containers")):
            yield path
        for key, each in value.items():
            yield from _pods(each, (*path, key))
    elif isinstance(value, tuple | list):
        for number, each in enumerate(value):
            yield from _pods(each, (*path, number))


def _pod(sheet: Sheet, path: Path, cluster: Cluster) -> None:
    spec: Path = (*path, "spec")
    for key in ("initContainers", "containers"):
        for number, container in enumerate(items(sheet.manifest.value(*spec, key))):
            where: Path = (*spec, key, number)
            settings, is_whole = _environment(container, where, sheet.manifest, cluster)
            own = {name: each for name, each in settings.items() if each.path}
            _judge_nccl(sheet, own, cluster.intended, where, is_whole=is_whole, also=settings.keys())
            if not settings and not is_whole and _requested_rails(sheet.manifest, spec, cluster):
                sheet.unclear("nccl", where, "its environment is of objects that are not among these")
    _rails(sheet, path, cluster)


def _environment(
    container: object, path: Path, manifest: Manifest, cluster: Cluster
) -> tuple[dict[str, Setting], bool]:
    """Variables of one container, those of ConfigMaps without a place; are all of them known?"""
    found: dict[str, Setting] = {}
    is_whole = True
    for each in items(at(container, "envFrom")):
        name = at(each, "configMapRef", "name")
        other = cluster.maps.get(f"{manifest.namespace or 'default'}/{name}")
        is_whole &= other is not None
        if other is not None:
            found |= {key: Setting(one.value, ()) for key, one in map_settings(other).items()}
    for number, each in enumerate(items(at(container, "env"))):
        name, value = str(at(each, "name")), at(each, "value")
        if name.startswith(PREFIXES) and value is not None:
            found[name] = Setting(str(value), (*path, "env", number, "value"))
        elif name.startswith(PREFIXES):
            is_whole = False
    return found, is_whole


def _judge_nccl(
    sheet: Sheet,
    settings: Mapping[str, Setting],
    intended: Intended,
    path: Path,
    *,
    is_whole: bool,
    also: Iterable[str] = (),
) -> None:
    """Every setting that the network has a word on; ``also``: variables that come from elsewhere."""
    for name, setting in settings.items():
        _variable(sheet, name, setting, intended)
    wanted = intended.qos.traffic_class
    for each in _without_class(sheet.manifest, settings.keys(), also):
        if not is_whole:
            what = f"{each.variable} is not here, and not all that is given to the container is known"
            sheet.unclear("nccl", path, what)
            continue
        what = f"{each.library}: packets bear {each.unset}, and pods' devices begin with DSCP 0"
        at_class = intended.class_at(intended.roce.name, "dscp")
        asks = Asks(f"{each.variable}={wanted}", at_class, f"{each.variable}: {str(wanted)!r}")
        sheet.failed("nccl", path, what, f"no {each.variable}", asks)


def _without_class(manifest: Manifest, own: Iterable[str], also: Iterable[str]) -> list[LibrarySetting]:
    """Libraries that are used here without a traffic class: all, in what we exported; else those with other variables.

    NCCL's variables that are not of RDMA say nothing of it.
    """
    labels = manifest.value("metadata", "labels")
    names = set(own)
    if manifest.kind == CONFIG_MAP and names and isinstance(labels, Mapping) and labels.items() >= MANAGED_BY.items():
        return [each for each in SETTINGS if each.prefixes and each.variable not in names]
    return [each for each in unmarked(names) if each.variable not in set(also)]


NEVER = {
    "NCCL_IB_GID_INDEX": "a GID's index moves when an address is added: NCCL finds the one of RoCE v2 by itself",
    "NCCL_IB_DISABLE": "turns RDMA off",
}
"""What role nccl refuses too."""
NEVER_REMEDY = {
    "NCCL_IB_GID_INDEX": "take it out, and have NCCL 2.26 or later in pods with macvlan (older ones stop there: "
    f"NVIDIA/nccl issue 1573), or declare the index: annotation {GID_INDEX}",
}


QUEUE_PAIRS = ("NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_SPLIT_DATA_ON_QPS")
"""As in ``policy.queue_pairs``: how many, and whether each message is split among them."""


def _declared_index(manifest: Manifest) -> int | None:
    return as_number(manifest.value("metadata", "annotations", GID_INDEX))


def _variable(sheet: Sheet, name: str, setting: Setting, intended: Intended) -> None:
    qos, found = intended.qos, as_number(setting.value)
    value: object = setting.value if found is None else found
    if name in BY_VARIABLE:
        found = meant(name, setting.value)
        value = setting.value if found is None else found
        if found == FOLLOWS and BY_VARIABLE[name].follows:
            sheet.passed("nccl", setting.path, f"{name}: as {BY_VARIABLE[name].follows}")
            return
        asks = Asks(qos.traffic_class, intended.class_at(intended.roce.name, "dscp"), f"{name}: '{qos.traffic_class}'")
        is_byte = found is not None and 0 <= found <= 255
        meaning = f"{name}: " + (marking_in_words(found, intended) if found is not None and is_byte else "no byte")
        sheet.compare("nccl", setting.path, value, meaning, asks)
    elif name == "NCCL_IB_GID_INDEX" and _declared_index(sheet.manifest) == found:
        sheet.passed("nccl", setting.path, f"{found}, as declared; the risk: {NEVER[name]}")
    elif name in NEVER and not (name == "NCCL_IB_DISABLE" and found == 0):
        asks = Asks("not set", intended.plane_at, NEVER_REMEDY.get(name, "take it out"))
        sheet.failed("nccl", setting.path, f"{name}: {NEVER[name]}", setting.value, asks)
    elif name == "NCCL_IB_ROCE_VERSION_NUM":
        what = f"{name}: RoCE v1 is not routed"
        sheet.compare("nccl", setting.path, value, what, Asks(2, intended.plane_at, f"{name}: '2'"))
    elif name == "NCCL_CROSS_NIC" and intended.pods.groups[0].cross_nic is not None:
        what = f"{name}: which rails reach which other follows from the cables"
        asks = Asks(
            intended.pods.groups[0].cross_nic, intended.plane_at, f"{name}: '{intended.pods.groups[0].cross_nic}'"
        )
        sheet.compare("nccl", setting.path, value, what, asks)
    elif name == "NCCL_PXN_DISABLE":
        what = f"{name}: between rails that share no spine, PXN is the only way"
        sheet.compare("nccl", setting.path, value, what, Asks(0, intended.plane_at, f"{name}: '0'"))
    elif name in QUEUE_PAIRS and intended.pods.groups[0].queue_pairs is not None:
        wanted = int(intended.pods.groups[0].queue_pairs[QUEUE_PAIRS.index(name)])
        what = f"{name}: how evenly flows spread over uplinks is reckoned with other queue pairs"
        asks = Asks(wanted, intended.at("policy", "queue_pairs"), f"{name}: '{wanted}'")
        sheet.compare("nccl", setting.path, value, what, asks)
    elif name == "NCCL_SOCKET_IFNAME":
        _socket(sheet, setting, intended)


def _socket(sheet: Sheet, setting: Setting, intended: Intended) -> None:
    named = {each.strip() for each in setting.value.lstrip("^=").split(",")}
    rails = sorted(named & intended.by_port.keys())
    if rails and not setting.value.startswith("^"):
        what = "NCCL_SOCKET_IFNAME: NCCL's bootstrap would go over a rail"
        asks = Asks("an interface that is no rail", intended.plane_at, "NCCL_SOCKET_IFNAME: '=eth0'")
        sheet.failed("nccl", setting.path, what, ", ".join(rails), asks)
        return
    sheet.passed("nccl", setting.path, f"{setting.value} is no rail")


def _rails(sheet: Sheet, path: Path, cluster: Cluster) -> None:
    """Has a pod a device of each rail that it is attached to, and is it attached to each whose device it has?"""
    intended = cluster.intended
    where: Path = (*path, "metadata", "annotations", NETWORKS)
    names = list(_named(sheet.manifest.value(*where), sheet.manifest.namespace or "default"))
    unknown = [each for each in names if each not in cluster.networks]
    attached = [rail for each in names for rail in cluster.networks.get(each, ())]
    requested = _devices_of(sheet, (*path, "spec"), cluster)
    if not names and not requested:
        return
    if unknown:
        sheet.unclear("rail", where, f"not among these objects: {', '.join(unknown)}", "audit the networks too")
        return
    twice = sorted({rail for rail in attached if attached.count(rail) > 1})
    if twice and intended.pods.is_p2p:
        asks = Asks("each rail once", intended.link_at, "one network for each rail")
        sheet.failed("rail", where, "a NIC port can be in a pod once", f"{intended.names(twice)} twice", asks)
        return
    if not attached and not requested:
        return
    if set(attached) != requested:
        what = "a rail without its device has no RDMA, a device without its network no address"
        found = (
            f"networks of {intended.names(set(attached)) or 'none'}, devices of {intended.names(requested) or 'none'}"
        )
        asks = Asks("the same rails", intended.nics_at(intended.pods.groups[0].name), "ask for one resource a network")
        sheet.failed("rail", where, what, found, asks)
        return
    sheet.passed("rail", where, f"networks and devices of {intended.names(requested)}")


def _requested_rails(manifest: Manifest, spec: Path, cluster: Cluster) -> dict[tuple[str | int, ...], int]:
    """Where a pod asks for a rail's device -> the rail."""
    found: dict[tuple[str | int, ...], int] = {}
    for number, _ in enumerate(items(manifest.value(*spec, "containers"))):
        path: Path = (*spec, "containers", number, "resources", "limits")
        limits = manifest.value(*path)
        for name in limits if isinstance(limits, Mapping) else ():
            rails = cluster.devices.rails_of(str(name))
            if len(rails) == 1:
                found[*path, str(name)] = next(iter(rails))
    return found


def _devices_of(sheet: Sheet, spec: Path, cluster: Cluster) -> set[int]:
    """Rails whose devices the pod asks for, judged: one port of each, where a pod takes ports whole."""
    found = _requested_rails(sheet.manifest, spec, cluster)
    for path in found if cluster.intended.pods.is_p2p else ():
        count = sheet.manifest.value(*path)
        if as_number(count) not in {0, 1}:
            asks = Asks(1, cluster.intended.link_at, "ask for one")
            sheet.failed("rail", path, "a node has one port of a rail: the pod waits for ever", count, asks)
    return set(found.values())


def _named(annotation: object, namespace: str) -> Iterator[str]:
    """``a``, ``ns/a@net1`` or a JSON list -> ``namespace/name`` of each."""
    if not isinstance(annotation, str):
        return
    listed = from_json(annotation)
    if items(listed):
        yield from (f"{at(each, 'namespace') or namespace}/{at(each, 'name')}" for each in items(listed))
        return
    for each in annotation.split(","):
        name = each.strip().partition("@")[0]
        if name:
            yield name if "/" in name else f"{namespace}/{name}"
