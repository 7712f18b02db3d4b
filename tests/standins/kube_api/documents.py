"""What the API says of itself: versions, groups, kinds, and as much OpenAPI as kubectl and helm need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .kinds import VERBS, Kind

Object = dict[str, Any]


IN_ALL = {"Pod", "Service", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "Job", "CronJob"}
"""What ``kubectl get all`` shows."""


EVICTION = {
    "name": "pods/eviction",
    "singularName": "",
    "namespaced": True,
    "group": "policy",
    "version": "v1",
    "kind": "Eviction",
    "verbs": ["create"],
}
"""By this clients see that they may evict (kubectl drain deletes pods itself where it is not there)."""


def version(text: str) -> Object:
    """/version"""
    major, minor, *_ = text.lstrip("v").split(".")
    return {
        "major": major,
        "minor": minor,
        "gitVersion": text,
        "gitCommit": "0" * 40,
        "gitTreeState": "clean",
        "buildDate": "2025-01-01T00:00:00Z",
        "goVersion": "stand-in",
        "compiler": "stand-in",
        "platform": "stand-in/loopback",
    }


def group(name: str, kinds: Iterable[Kind]) -> Object:
    """/apis/NAME"""
    versions = [
        {"groupVersion": f"{name}/{each}", "version": each}
        for each in dict.fromkeys(kind.version for kind in kinds if kind.group == name)
    ]
    return {"kind": "APIGroup", "apiVersion": "v1", "name": name, "versions": versions, "preferredVersion": versions[0]}


def groups(kinds: Iterable[Kind]) -> Object:
    """/apis"""
    every = list(kinds)
    names = dict.fromkeys(each.group for each in every if each.group)
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group(name, every) for name in names]}


def resources(kinds: Iterable[Kind], group_name: str, version_name: str) -> Object | None:
    """/api/v1 or /apis/GROUP/VERSION"""
    found = []
    for each in kinds:
        if (each.group, each.version) != (group_name, version_name):
            continue
        entry = {
            "name": each.plural,
            "singularName": each.kind.lower(),
            "namespaced": each.is_namespaced,
            "kind": each.kind,
            "verbs": VERBS,
            "shortNames": list(each.short_names),
        }
        if each.kind in IN_ALL:
            entry["categories"] = ["all"]
        status = {**entry, "name": f"{each.plural}/status", "verbs": ["get", "patch", "update"], "shortNames": []}
        status.pop("categories", None)
        found += [entry, status] if each.has_status else [entry]
        found += [EVICTION] if each.kind == "Pod" else []
    name = f"{group_name}/{version_name}" if group_name else version_name
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": found} if found else None


def openapi_index(kinds: Iterable[Kind]) -> Object:
    """/openapi/v3"""
    paths = dict.fromkeys(_address(each) for each in kinds)
    return {"paths": {path: {"serverRelativeURL": f"/openapi/v3/{path}?hash=0"} for path in paths}}


def _address(kind: Kind) -> str:
    return f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}"


PARAMETERS = [
    {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    for name in ("dryRun", "fieldManager", "fieldValidation", "force")
]
"""By these clients see that the server judges fields and tries writes itself."""


def openapi(kinds: Iterable[Kind], path: str) -> Object | None:
    """/openapi/v3/PATH: paths with the parameters of writes, and schemas."""
    paths: Object = {}
    schemas: Object = {}
    for each in kinds:
        if _address(each) != path:
            continue
        identity = {"group": each.group, "version": each.version, "kind": each.kind}
        namespace = "/namespaces/{namespace}" if each.is_namespaced else ""
        write = {"parameters": PARAMETERS, "x-kubernetes-group-version-kind": identity, "responses": {}}
        collection = f"/{path}{namespace}/{each.plural}"
        paths[collection] = {"post": {**write, "x-kubernetes-action": "post"}}
        paths[f"{collection}/{{name}}"] = {
            "patch": {**write, "x-kubernetes-action": "patch"},
            "put": {**write, "x-kubernetes-action": "put"},
        }
        schema = each.schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        name = ".".join([*reversed(each.group.split(".")), each.version, each.kind]).lstrip(".")
        schemas[name] = {**schema, "x-kubernetes-group-version-kind": [identity]}
    if not paths:
        return None
    info = {"title": "Kubernetes: a stand-in for tests", "version": "stand-in"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}
