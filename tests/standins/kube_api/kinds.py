"""Which kinds the API has: those of Kubernetes itself, and those that CustomResourceDefinitions add.

Kubernetes' own kinds are taken as they come: their fields are not judged here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Object = dict[str, Any]
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


@dataclass(frozen=True)
class Kind:
    """One kind of one version of a group."""

    group: str
    version: str
    plural: str
    kind: str
    is_namespaced: bool
    short_names: tuple[str, ...] = ()
    schema: Object | None = None
    """OpenAPI v3 of a custom resource; None: fields are not judged."""
    has_status: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


BUILT_IN = """
v1 namespaces Namespace - ns
v1 nodes Node - no
v1 persistentvolumes PersistentVolume - pv
v1 pods Pod + po
v1 services Service + svc
v1 endpoints Endpoints + ep
v1 configmaps ConfigMap + cm
v1 secrets Secret +
v1 serviceaccounts ServiceAccount + sa
v1 events Event + ev
v1 persistentvolumeclaims PersistentVolumeClaim + pvc
v1 resourcequotas ResourceQuota + quota
v1 limitranges LimitRange + limits
apps/v1 daemonsets DaemonSet + ds
apps/v1 deployments Deployment + deploy
apps/v1 replicasets ReplicaSet + rs
apps/v1 statefulsets StatefulSet + sts
apps/v1 controllerrevisions ControllerRevision +
batch/v1 jobs Job +
batch/v1 cronjobs CronJob + cj
rbac.authorization.k8s.io/v1 roles Role +
rbac.authorization.k8s.io/v1 rolebindings RoleBinding +
rbac.authorization.k8s.io/v1 clusterroles ClusterRole -
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding -
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition - crd,crds
admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration -
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration -
coordination.k8s.io/v1 leases Lease +
networking.k8s.io/v1 networkpolicies NetworkPolicy + netpol
node.k8s.io/v1 runtimeclasses RuntimeClass -
policy/v1 poddisruptionbudgets PodDisruptionBudget + pdb
scheduling.k8s.io/v1 priorityclasses PriorityClass - pc
"""


def built_in() -> Iterator[Kind]:
    """Kinds that each cluster has; the list is from memory, and shorter than a real one's."""
    for line in BUILT_IN.strip().splitlines():
        api, plural, kind, scope, *short = line.split()
        group, _, version = api.rpartition("/")
        yield Kind(group, version, plural, kind, scope == "+", tuple(short[0].split(",")) if short else ())


def of_definition(definition: Object) -> Iterator[Kind]:
    """The kinds that a CustomResourceDefinition adds: one of each version that is served."""
    spec = definition["spec"]
    names = spec["names"]
    for version in spec["versions"]:
        if version.get("served", True):
            yield Kind(
                spec["group"],
                version["name"],
                names["plural"],
                names["kind"],
                spec["scope"] == "Namespaced",
                tuple(names.get("shortNames", ())),
                version.get("schema", {}).get("openAPIV3Schema", {}),
                "status" in version.get("subresources", {}),
            )


_HEAD = re.compile(r"# (\S+)/(\w+) (\w+) \((\w+)\); (.+)")
_FACT = re.compile(r"(\w+)=")
PLURALS = {"NetworkAttachmentDefinition": "network-attachment-definitions"}
"""Plurals that are not the kind's name with an s."""
NUMBERS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}


def definitions(*files: Path) -> list[Object]:
    """CustomResourceDefinitions from tables of recorded facts, as tests/corpus/kubernetes/schema.tsv is one.

    A later table adds fields to a kind. Kinds of Kubernetes' own ``v1`` are left out. Of an object without recorded
    fields every field is taken.
    """
    found: dict[str, Object] = {}
    for line in (line for file in files for line in file.read_text(encoding="utf-8").splitlines()):
        head = _HEAD.fullmatch(line)
        if head and head[3] not in found:
            found[head[3]] = _definition(head[1], head[2], head[3], head[4])
        elif not line.startswith("#") and line:
            kind, path, type_, required, facts = (*line.split("\t"), "", "", "")[:5]
            if kind in found:
                _add(found[kind], path, type_, required == "required", facts)
    return list(found.values())


def _definition(group: str, version: str, kind: str, scope: str) -> Object:
    singular = kind.lower()
    plural = PLURALS.get(kind) or (singular[:-1] + "ies" if singular.endswith("y") else singular + "s")
    root = {
        "type": "object",
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    served = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    served["subresources"] = {"status": {}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": singular},
            "versions": [served],
        },
    }


def _add(definition: Object, path: str, type_: str, required: bool, facts: str) -> None:
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    *above, last = path.replace("[]", ".[]").split(".")
    for part in above:
        schema = _below(schema, part)
    row = _row(type_, facts)
    if last == "[]":
        schema["items"] = row
        return
    schema.pop("x-kubernetes-preserve-unknown-fields", None)
    if last == "*":
        schema["additionalProperties"] = row
        return
    schema.setdefault("properties", {})[last] = row
    if required:
        schema.setdefault("required", []).append(last)


def _below(schema: Object, part: str) -> Object:
    if part == "[]":
        return schema["items"]
    return schema["additionalProperties"] if part == "*" else schema["properties"][part]


def _row(type_: str, facts: str) -> Object:
    row: Object = {"type": type_} if type_ != "int-or-string" else {"x-kubernetes-int-or-string": True}
    if type_ == "object":
        row["x-kubernetes-preserve-unknown-fields"] = True
    for name, value in _pairs(facts):
        if name == "rule":
            row.setdefault("x-kubernetes-validations", []).append({"rule": value})
        elif name == "enum":
            row["enum"] = [int(each) if type_ == "integer" else each for each in value.split("|")]
        elif name in NUMBERS:
            row[name] = int(value)
        elif name == "default":
            row[name] = json.loads(value)
        else:
            row[name] = value
    return row


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    position, decoder = 0, json.JSONDecoder()
    while match := _FACT.match(text, position):
        start = match.end()
        end = text.find(" ", start) % (len(text) + 1)
        value = text[start:end]
        if text[start : start + 1] == '"':
            value, end = decoder.raw_decode(text, start)
            value = json.dumps(value) if match[1] == "default" else value
        yield match[1], value
        position = end + 1
