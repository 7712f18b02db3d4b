"""Ansible module: what a cluster has of what manifests want. See DOCUMENTATION."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

MISSING = None
try:
    import kubernetes
    import urllib3
    import yaml
except ImportError:
    MISSING = traceback.format_exc()

DOCUMENTATION = r"""
module: kubernetes_facts
short_description: What a Kubernetes cluster has of what manifests want
description:
  - Reads version, nodes, namespaces, definitions of custom resources with all of their fields, and the objects of the
    kinds that are asked for. Changes nothing.
options:
  kubeconfig:
    description: The file; without it E(KUBECONFIG), then C(~/.kube/config).
    type: path
  context:
    description: The context of that file.
    type: str
    required: true
  kinds:
    description: Custom resources, each as C(group/version Kind). One that is not defined is left out of the fact.
    type: list
    elements: str
    default: []
  timeout_s:
    description: How long one answer may take.
    type: int
    default: 30
requirements: [kubernetes >= 32]
author: gpufabric (@gpufabric)
attributes:
  check_mode: {support: full, description: "Changes nothing at any time."}
"""

EXAMPLES = r"""
- name: Read the cluster
  gpufabric.host.kubernetes_facts:
    context: gpus
    kinds: [mellanox.com/v1alpha1 NicClusterPolicy]
"""

RETURN = r"""
ansible_facts:
  description: One fact.
  returned: always
  type: dict
  contains:
    gpufabric_kubernetes:
      description:
        - C(server), C(version); C(namespaces), their names; C(nodes), name of each to C(labels), C(info) and C(ready).
        - C(definitions), each kind asked for that is defined to C(name) and C(fields), paths with C([]) for items, C(*)
          for any key, and a C(*) at the end where all below is kept as it is.
        - C(objects), each such kind to its objects, without C(managedFields).
        - C(marked), objects of Kubernetes' own kinds that are labelled C(app.kubernetes.io/managed-by=gpufabric).
        - C(feature_discovery), C(namespace/instance) of each Node Feature Discovery.
      type: dict
"""

OWN = "app.kubernetes.io/managed-by=gpufabric"
FEATURE_DISCOVERY = "app.kubernetes.io/name=node-feature-discovery"
"""Of all that its chart makes (kubernetes-sigs/node-feature-discovery, templates/_helpers.tpl)."""


class CannotReadError(Exception):
    """The cluster cannot be read; the text says why, and what to do."""


def _client(kubeconfig: str | None, context: str) -> kubernetes.client.ApiClient:
    try:
        return kubernetes.config.new_client_from_config(config_file=kubeconfig, context=context)
    except (kubernetes.config.ConfigException, OSError, yaml.YAMLError) as error:
        where = kubeconfig or "KUBECONFIG, ~/.kube/config"
        raise CannotReadError(
            f"context {context}: {error} ({where}). `kubectl config get-contexts` lists them"
        ) from error


class Cluster:
    """Reads through one client."""

    def __init__(self, client: kubernetes.client.ApiClient, timeout_s: int) -> None:
        self.client, self.timeout_s = client, timeout_s

    def items(self, method: Callable[..., Any], *parts: str, **selection: str) -> list[dict[str, Any]]:
        """All objects that a list method of the client finds, as the server says them."""
        try:
            answer = method(*parts, _preload_content=False, _request_timeout=self.timeout_s, **selection)
        except kubernetes.client.ApiException as error:
            answered = f"HTTP {error.status} {error.reason}"
            hint = "Its user must be allowed to read nodes, namespaces, definitions and the operators' kinds"
            raise CannotReadError(f"{self.client.configuration.host}: {answered}. {hint}") from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise CannotReadError(f"{self.client.configuration.host} does not answer: {error}") from error
        found = json.loads(answer.data)
        return found.get("items", [found])

    def facts(self, kinds: list[str]) -> dict[str, Any]:
        """All of it."""
        api, apps = kubernetes.client.CoreV1Api(self.client), kubernetes.client.AppsV1Api(self.client)
        extensions = kubernetes.client.ApiextensionsV1Api(self.client)
        version = self.items(kubernetes.client.VersionApi(self.client).get_code)[0]["gitVersion"]
        defined = dict(_defined(self.items(extensions.list_custom_resource_definition), kinds))
        marked = self.items(api.list_config_map_for_all_namespaces, label_selector=OWN)
        daemons = self.items(apps.list_daemon_set_for_all_namespaces, label_selector=FEATURE_DISCOVERY)
        return {
            "server": self.client.configuration.host,
            "version": version,
            "namespaces": [each["metadata"]["name"] for each in self.items(api.list_namespace)],
            "nodes": {each["metadata"]["name"]: _node(each) for each in self.items(api.list_node)},
            "definitions": {kind: {"name": name, "fields": fields} for kind, (name, fields, _) in defined.items()},
            "objects": {kind: self._objects(kind, plural) for kind, (_, _, plural) in defined.items()},
            "marked": [{**_short(each), "apiVersion": "v1", "kind": "ConfigMap"} for each in marked],
            "feature_discovery": sorted({_instance(each) for each in daemons}),
        }

    def _objects(self, kind: str, plural: str) -> list[dict[str, Any]]:
        group, version = kind.split(maxsplit=1)[0].split("/")
        method = kubernetes.client.CustomObjectsApi(self.client).list_cluster_custom_object
        return [_short(each) for each in self.items(method, group, version, plural)]


def _node(each: dict[str, Any]) -> dict[str, Any]:
    status = each.get("status", {})
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions", ()))
    return {"labels": each["metadata"].get("labels") or {}, "info": status.get("nodeInfo", {}), "ready": ready}


def _short(each: dict[str, Any]) -> dict[str, Any]:
    return {**each, "metadata": {key: value for key, value in each["metadata"].items() if key != "managedFields"}}


def _instance(each: dict[str, Any]) -> str:
    labels = each["metadata"].get("labels") or {}
    name = labels.get("app.kubernetes.io/instance", each["metadata"]["name"])
    return f"{each['metadata']['namespace']}/{name}"


def _defined(definitions: list[dict[str, Any]], kinds: list[str]) -> Iterator[tuple[str, tuple[str, list[str], str]]]:
    for each in definitions:
        spec = each["spec"]
        for version in spec["versions"]:
            kind = f"{spec['group']}/{version['name']} {spec['names']['kind']}"
            if kind in kinds and version["served"]:
                schema = version.get("schema", {}).get("openAPIV3Schema", {})
                yield kind, (each["metadata"]["name"], list(_fields(schema)), spec["names"]["plural"])


def _fields(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Paths of all fields, those of objects and lists included."""
    if path:
        yield path
    start = f"{path}." if path else ""
    for name, below in schema.get("properties", {}).items():
        yield from _fields(below, f"{start}{name}")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _fields(schema["additionalProperties"], f"{start}*")
    if "items" in schema:
        yield from _fields(schema["items"], f"{path}[]")
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        yield f"{start}*"


def main() -> None:
    """The entry point for Ansible."""
    module = AnsibleModule(
        argument_spec={
            "kubeconfig": {"type": "path"},
            "context": {"type": "str", "required": True},
            "kinds": {"type": "list", "elements": "str", "default": []},
            "timeout_s": {"type": "int", "default": 30},
        },
        supports_check_mode=True,
    )
    if MISSING:
        module.fail_json(msg=missing_required_lib("kubernetes", reason="to read a cluster"), exception=MISSING)
    given = module.params
    try:
        cluster = Cluster(_client(given["kubeconfig"] or None, given["context"]), given["timeout_s"])
        facts = cluster.facts(given["kinds"])
    except CannotReadError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, ansible_facts={"gpufabric_kubernetes": facts})


if __name__ == "__main__":
    main()
