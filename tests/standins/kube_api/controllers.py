"""What controllers would write soon, for clients that wait. Nothing runs: no pod starts, no hook is executed.

Deployments and DaemonSets are ready at once, Jobs complete, definitions established; pods stay Pending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .writes import Write

if TYPE_CHECKING:
    from .cluster import Cluster
    from .kinds import Kind

Object = dict[str, Any]
ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}
DEFAULTS: dict[str, Object] = {
    "DaemonSet": {"updateStrategy": ROLLING, "revisionHistoryLimit": 10},
    "Deployment": {
        "replicas": 1,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
    },
    "ReplicaSet": {"replicas": 1},
    "StatefulSet": {"replicas": 1, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}},
    "Job": {"parallelism": 1, "completions": 1, "backoffLimit": 6},
    "Service": {"type": "ClusterIP", "clusterIP": "10.96.0.2"},
}
"""What an API server fills in below ``spec``, of what clients read (from memory)."""


BY = Write("kube-controller-manager")


def settle(cluster: Cluster, kind: Kind, new: Object) -> None:
    """Give an object that is about to be stored the status that controllers would give it."""
    spec = new.get("spec", {})
    for key, value in DEFAULTS.get(kind.kind, {}).items():
        spec.setdefault(key, value)
    match kind.kind:
        case "Namespace":
            new["status"] = {"phase": "Active"}
        case "CustomResourceDefinition":
            conditions = [
                {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"},
                {
                    "type": "Established",
                    "status": "True",
                    "reason": "InitialNamesAccepted",
                    "message": "the initial names have been accepted",
                },
            ]
            new["status"] = {
                "conditions": conditions,
                "acceptedNames": new["spec"]["names"],
                "storedVersions": [new["spec"]["versions"][0]["name"]],
            }
        case "Job":
            new["status"] = {"conditions": [{"type": "Complete", "status": "True"}], "succeeded": 1}
        case "Pod":
            new.setdefault("status", {"phase": "Pending"})
        case "DaemonSet":
            count = len(_chosen(cluster, new))
            new["status"] = {
                "desiredNumberScheduled": count,
                "currentNumberScheduled": count,
                "updatedNumberScheduled": count,
                "numberReady": count,
                "numberAvailable": count,
                "observedGeneration": new["metadata"].get("generation", 1),
            }
        case "Deployment" | "ReplicaSet" | "StatefulSet":
            new["status"] = _replicas(new)


def _chosen(cluster: Cluster, daemons: Object) -> list[Object]:
    selector = daemons["spec"]["template"]["spec"].get("nodeSelector") or {}
    labels = ",".join(f"{key}={value}" for key, value in selector.items())
    return cluster.list(cluster.kind("", "v1", "nodes"), "", labels)


def _replicas(new: Object) -> Object:
    count = new["spec"].get("replicas", 1)
    return {
        "replicas": count,
        "updatedReplicas": count,
        "readyReplicas": count,
        "availableReplicas": count,
        "currentRevision": "1",
        "updateRevision": "1",
        "observedGeneration": new["metadata"].get("generation", 1),
        "conditions": [{"type": "Available", "status": "True"}],
    }


def follow(cluster: Cluster, kind: Kind, new: Object) -> None:
    """What a controller makes because of a stored object: a Deployment's ReplicaSet."""
    if kind.kind != "Deployment":
        return
    metadata, spec = new["metadata"], new["spec"]
    owner = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }
    template = spec["template"]
    made = {
        "metadata": {
            "name": f"{metadata['name']}-{metadata['generation']}",
            "labels": template["metadata"].get("labels", {}),
            "ownerReferences": [owner],
        },
        "spec": {"replicas": spec.get("replicas", 1), "selector": spec["selector"], "template": template},
    }
    of = cluster.kind("apps", "v1", "replicasets")
    if not any(
        each["metadata"]["name"] == made["metadata"]["name"] for each in cluster.list(of, metadata["namespace"])
    ):
        cluster.create(of, metadata["namespace"], made, BY)
