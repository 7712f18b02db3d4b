"""Exported manifests with one value changed or left out, texts of JSON included."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

Object = dict[str, Any]
Place = tuple[Any, ...]
MOST_ITEMS = 2
"""Of a list, those that are changed: the others are alike."""


def mutants(manifests: list[Object]) -> Iterator[tuple[str, str, list[Object]]]:
    """Kind and path without numbers, what was done, and all objects with that done to the first of each kind."""
    first = {each["kind"]: number for number, each in reversed(list(enumerate(manifests)))}
    for kind, number in first.items():
        for path, what, changed in _of_one(manifests[number]):
            yield f"{kind} {path}", what, [*manifests[:number], changed, *manifests[number + 1 :]]


def _of_one(each: Object) -> Iterator[tuple[str, str, Object]]:
    for place in _places(each):
        if place[0] in {"apiVersion", "kind"}:
            continue
        value = _get(each, place)
        name = ".".join("[]" if isinstance(key, int) else "(json)" if key is JSON else str(key) for key in place)
        for other in _others(value):
            yield name, f"{str(value)[:30]} -> {str(other)[:30]}", _edited(each, place, other)
        if not isinstance(place[-1], int) and place[-1] is not JSON:
            yield name, "left out", _edited(each, place, MISSING)


JSON, MISSING = object(), object()


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str) and _parsed(value) is None:
        yield str(int(value) + 1) if value.isdigit() else f"x{value[1:]}" if value else "x"


def _parsed(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(f"[{value}]")
        except ValueError:
            return None
    return None


def _places(value: Any, above: Place = ()) -> Iterator[Place]:
    if above:
        yield above
    parsed = _parsed(value)
    if parsed is not None:
        yield from (each for each in _places(parsed, (*above, JSON)) if each[-1] is not JSON)
        return
    inside: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list | tuple):
        inside = list(enumerate(value))[:MOST_ITEMS]
    for key, each in inside:
        yield from _places(each, (*above, key))


def _get(value: Any, place: Place) -> Any:
    for key in place:
        value = _parsed(value) if key is JSON else value[key]
    return value


def _edited(each: Object, place: Place, other: Any) -> Object:
    changed = copy.deepcopy(each)
    if JSON in place:
        at = place.index(JSON)
        inside = _get(changed, place[: at + 1])
        _put(inside, place[at + 1 :], other)
        other, place = ",\n".join(json.dumps(one) for one in inside), place[:at]
    _put(changed, place, other)
    return changed


def _put(value: Any, place: Place, other: Any) -> None:
    for key in place[:-1]:
        value = value[key]
    if other is MISSING:
        del value[place[-1]]
    else:
        value[place[-1]] = other


DeviceMutant = tuple[str, list[Object], str]
"""What was done, all objects, words of the finding."""


def of_devices(manifests: list[Object], group: str, storage: str) -> Iterator[DeviceMutant]:
    """All objects, with what one group's nodes are offered made wrong. ``storage``: where a storage NIC of it is."""
    number = next(
        number
        for number, each in enumerate(manifests)
        if each["kind"] == "NicNodePolicy" and each["spec"]["nodeSelector"]["gpufabric/group"] == group
    )
    own = manifests[number]

    def put(*changed: Object) -> list[Object]:
        return [*manifests[:number], *changed, *manifests[number + 1 :]]

    for what, words, selectors in _selectors(storage):
        yield what, put(_configured(own, lambda every, one=selectors: every[0]["selectors"].update(one))), words
    for what, words, edit in _ENTRIES:
        yield what, put(_configured(own, edit)), words
    plugin = own["spec"]["sriovDevicePlugin"]
    other = next(
        each["spec"]["nodeSelector"] for each in manifests if each["kind"] == "NicNodePolicy" and each is not own
    )
    cluster = next(each for each in manifests if each["kind"] == "NicClusterPolicy")
    wide = _edited(cluster, ("spec", "sriovDevicePlugin"), plugin)
    alone = [each for each in manifests if each["kind"] not in {"NicNodePolicy", "NicClusterPolicy"}]
    yield "one for all nodes", [wide, *alone], "of plane storage, which a pod would take"
    yield "in both policies", [wide, *(each for each in manifests if each is not cluster)], "webhook refuses both"
    swapped = _edited(own, ("spec", "nodeSelector"), other)
    without = [each for each in manifests if each["kind"] != "NicNodePolicy"]
    yield "the other group's nodes", [*without, swapped], "of plane storage, which a pod would take"
    yield "two policies for some nodes", put(swapped), "selects the same nodes"
    yield "no nodeSelector", put(_edited(own, ("spec", "nodeSelector"), MISSING)), "selects the same nodes"
    yield "no version", put(_edited(own, ("spec", "sriovDevicePlugin", "version"), MISSING)), "without version"
    functions = {
        "apiVersion": "sriovnetwork.openshift.io/v1",
        "kind": "SriovNetworkNodePolicy",
        "metadata": {"name": "split", "namespace": "nvidia-network-operator"},
        "spec": {
            "numVfs": 8, "resourceName": "vf", "isRdma": True, "mtu": 9000, "nodeSelector": {},
            "nicSelector": {"pfNames": ["rail0"]},
        },
    }  # fmt: skip
    yield "virtual functions of a port", [*manifests, functions], "resource rail0 selects nothing"


def _selectors(storage: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    nothing, plane = "resource rail0 selects nothing", "resource rail0: on hosts of group"
    yield "by name", nothing, {"pciAddresses": [], "pfNames": ["rail0"]}
    yield "by name too", nothing, {"pfNames": ["rail0"]}
    yield "as root device", nothing, {"pciAddresses": [], "rootDevices": ["0000:00:10.0"]}
    yield "without domain", nothing, {"pciAddresses": ["00:10.0"]}
    yield "in no slot", nothing, {"pciAddresses": ["0000:00:1f.0"]}
    yield "another vendor", nothing, {"vendors": ["8086"]}
    yield "vendor in capitals", nothing, {"vendors": ["15B3"]}
    yield "the functions' device ID", nothing, {"devices": ["101e"]}
    yield "another driver", nothing, {"drivers": ["vfio-pci"]}
    yield "InfiniBand", nothing, {"linkTypes": ["infiniband"]}
    yield "a storage NIC as well", plane, {"pciAddresses": ["0000:00:10.0", storage]}
    yield "a storage NIC instead", plane, {"pciAddresses": [storage]}
    yield "two rails", "any of 2 rails", {"pciAddresses": ["0000:00:10.0", "0000:00:11.0"]}
    yield "every NIC", "any of 8 rails", {"pciAddresses": []}
    yield "by an index that nobody knows", "cannot be told", {"pciAddresses": [], "acpiIndexes": ["7"]}


_ENTRIES: list[tuple[str, str, Callable[[list[Any]], Any]]] = [
    ("no selectors", "resource rail0: no selectors", lambda every: every[0].update(selectors=[])),
    ("a name twice", "a second of this name", lambda every: every.append(every[0])),
    ("a name with a dot", "with other characters", lambda every: every[0].update(resourceName="rail.0")),
    ("a rail left out", "no resource has rail0 on hosts of group", lambda every: every.pop(0)),
    (
        "taken before",
        "resource rail0 selects nothing",
        lambda every: every.insert(0, {**every[0], "resourceName": "a"}),
    ),
    ("all taken before", "any of 8 rails", lambda every: every.insert(0, {"resourceName": "a", "selectors": {}})),
    (
        "RDMA beside selectors",
        "without its RDMA device",
        lambda every: every[0].update(isRdma=every[0]["selectors"].pop("isRdma")),
    ),
]


def _configured(own: Object, edit: Callable[[list[Any]], Any]) -> Object:
    config = json.loads(own["spec"]["sriovDevicePlugin"]["config"])
    edit(config["resourceList"])
    return _edited(own, ("spec", "sriovDevicePlugin", "config"), json.dumps(config, indent=2))
