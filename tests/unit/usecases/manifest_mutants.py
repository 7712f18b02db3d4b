"""Manifests with one thing wrong each: types, fields, enums, patterns, bounds, CEL rules, addresses."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from tests.kubernetes_schema import kinds

Object = dict[str, Any]
Mutant = tuple[str, list[Object]]
OTHER = {str: 7, int: "seven", bool: "perhaps", dict: "text", list: "text"}

QOS = "template.roceOptimized.qos"
EDITS: dict[str, dict[str, Any]] = {
    "CIDRPool": {
        "perNodeNetworkPrefix": 2**31,
        "perNodeExclusions.0.startIndex": 1,  # CEL: endIndex >= startIndex
        "perNodeExclusions.0.endIndex": -1,
        "gatewayIndex": 2**40,
    },
    "NicConfigurationTemplate": {
        f"{QOS}.pfc": "0,0,0,1",
        f"{QOS}.trust": 3,
        "nicSelector.pciAddresses": ["18:00.0"],
        "template.linkType": "RoCE",
        "template.rawNvConfig.0.name": "N" * 65,
        "template.rawNvConfig.0.value": "1" * 129,
        "template.rawNvConfig.1.name": "MODULE_SPLIT_M0[0..3]",
        "template.rawNvConfig": [{"name": "A", "value": "1"}] * 129,
        "template.networkBay": {"conf": "x"},
        "template.spectrumXOptimized": {"enabled": True, "version": "1", "platformType": "p"},
        "nodeSelector": {"gpufabric/site": "not a label!"},
    },
    "NicClusterPolicy": {"nicConfigurationOperator.logLevel": "trace", "nicConfigurationOperator.operator.image": "!!"},
    "NicNodePolicy": {"nodeSelector": {"gpufabric/site": "not a label!"}, "sriovDevicePlugin.image": "!!"},
    "SriovNetwork": {"trust": "yes"},
    "SriovNetworkNodePolicy": {
        "numVfs": -1,
        "mtu": 0,
        "deviceType": "uio",
        "linkType": "roce",
        "nodeSelector": {"a": "not a label!"},
    },
    "SpiderIPPool": {"ipVersion": 5},
    "SpiderMultusConfig": {"cniType": "bridge", "macvlan.mtu": -1, "macvlan.vlanID": 4095, "macvlan.mtu ": 2**31},
    "Pod": {"restartPolicy": "Sometimes", "containers.0.name": "Job!"},
}
"""Kind -> path below ``spec`` -> a value that its facts or rules refuse."""


def of_schema(manifests: list[Object]) -> Iterator[tuple[str, Object]]:
    """Objects that the definitions refuse, one of each kind taken."""
    for kind, first in {each["kind"]: each for each in reversed(manifests)}.items():
        for path in _paths(first):
            value = _at(first, path)
            yield f"{kind} {path}: another type", _with(first, path, OTHER[type(value)])
            if isinstance(value, dict) and path[-1:] != ("limits",) and path[-1:] != ("data",):
                stranger = 7 if path[-1] == "nodeSelector" else "text"
                yield f"{kind} {path}: unknown field", _with(first, (*path, "stranger"), stranger)
            if _is_required(kind, path):
                yield f"{kind} {path}: missing", _without(first, path)
        yield f"{kind}: unknown field", {**first, "status": {}}
        yield f"{kind}: another API", {**first, "apiVersion": "v9"}
        yield f"{kind}: no name", _without(first, ("metadata", "name"))
        yield f"{kind}: no name of Kubernetes", _with(first, ("metadata", "name"), "Under_score")
        for text, value in EDITS.get(kind, {}).items():
            keys = tuple(int(key) if key.isdigit() else key for key in text.strip().split("."))
            yield f"{kind} {text}: {str(value)[:40]}", _with(first, ("spec", *keys), value)


def of_addresses(manifests: list[Object]) -> Iterator[Mutant]:
    """All manifests, with one address or name of one of them wrong."""
    for number, each in enumerate(manifests):
        for what, changed in _addresses(each):
            yield f"{each['metadata']['name']}: {what}", [*manifests[:number], changed, *manifests[number + 1 :]]


def _addresses(each: Object) -> Iterator[tuple[str, Object]]:
    kind = each["kind"]
    if kind == "CIDRPool":
        yield "another pool", _with(each, ("spec", "cidr"), "10.0.0.0/16")
        yield "routes beyond", _with(each, ("spec", "routes"), [{"dst": "0.0.0.0/0"}])
        yield "no gateway for routes", _without(each, ("spec", "gatewayIndex"))
        static = each["spec"]["staticAllocations"]
        for at, one in enumerate(static[:4]):
            other, path = static[at - 1], ("spec", "staticAllocations", at)
            host = one["prefix"].replace("/31", "")
            yield f"{at}: another's prefix", _with(each, (*path, "prefix"), other["prefix"])
            yield f"{at}: outside", _with(each, (*path, "prefix"), "10.9.0.0/31")
            yield f"{at}: another length", _with(each, (*path, "prefix"), f"{host}/30")
            yield f"{at}: the host as gateway", _with(each, (*path, "gateway"), _next(host))
            yield f"{at}: another's gateway", _with(each, (*path, "gateway"), other["gateway"])
            yield f"{at}: another node", _with(each, (*path, "nodeName"), other["nodeName"])
            yield f"{at}: a node that is not there", _with(each, (*path, "nodeName"), "gpu-999")
            yield f"{at}: left out", _without(each, path)
    if kind == "SpiderIPPool":
        first, last = each["spec"]["ips"][0].split("-")
        ranges = {
            "before": f"{_next(first, -1)}-{last}",
            "beyond": f"{first}-{_next(last)}",
            "backwards": f"{last}-{first}",
        }
        for what, text in ranges.items():
            yield what, _with(each, ("spec", "ips"), [text])
        yield "elsewhere", _with(each, ("spec", "ips"), ["10.9.0.3-10.9.0.6"])
        yield "the gateway", _with(each, ("spec", "ips"), [each["spec"]["gateway"]])
        yield "another gateway", _with(each, ("spec", "gateway"), _next(first))
        yield "another subnet", _with(each, ("spec", "subnet"), "10.9.0.0/29")
        yield "a node that is not there", _with(each, ("spec", "nodeName"), ["gpu-999"])
        yield "another network", _with(each, ("spec", "multusName"), ["default/other"])


def _next(address: str, by: int = 1) -> str:
    before, _, last = address.rpartition(".")
    return f"{before}.{int(last) + by}"


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path and path[0] not in {"apiVersion", "kind", "metadata"}:
        yield path
    if path[:1] == ("metadata",):
        return
    inside: Any = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, each in inside:
        yield from _paths(each, (*path, key))


def _is_required(kind: str, path: tuple[Any, ...]) -> bool:
    text = ".".join("[]" if isinstance(key, int) else key for key in path).replace(".[]", "[]")
    row = kinds()[kind].rows.get(text)
    return row is not None and row.required


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _edited(each: Object, path: tuple[Any, ...], edit: Callable[[Any, Any], None]) -> Object:
    changed = copy.deepcopy(each)
    edit(_at(changed, path[:-1]), path[-1])
    return changed


def _with(each: Object, path: tuple[Any, ...], value: Any) -> Object:
    return _edited(each, path, lambda inside, key: inside.__setitem__(key, value))


def _without(each: Object, path: tuple[Any, ...]) -> Object:
    return _edited(each, path, lambda inside, key: inside.__delitem__(key))
