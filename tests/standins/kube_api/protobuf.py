"""Requests in Kubernetes' protobuf, which helm and kubectl send of some kinds: read into the JSON of the same object.

Field numbers are those of generated.proto in k8s.io/api/core/v1 and k8s.io/apimachinery/pkg/apis/meta/v1, from memory:
that they are right shows in what the real helm and kubectl get back. A kind that is not here is refused by name.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]
MAGIC = b"k8s\x00"
TEXT, BYTES, NUMBER, FLAG, TEXTS = "text", "bytes", "number", "flag", "texts"
Message = dict[int, tuple[str, Any]]
"""Number of a field -> its name, and what it holds: one of these, a message, ("map", kind), ("list", message)."""

OWNER: Message = {
    1: ("kind", TEXT),
    3: ("name", TEXT),
    4: ("uid", TEXT),
    5: ("apiVersion", TEXT),
    6: ("controller", FLAG),
    7: ("blockOwnerDeletion", FLAG),
}
METADATA: Message = {
    1: ("name", TEXT),
    2: ("generateName", TEXT),
    3: ("namespace", TEXT),
    5: ("uid", TEXT),
    6: ("resourceVersion", TEXT),
    11: ("labels", ("map", TEXT)),
    12: ("annotations", ("map", TEXT)),
    13: ("ownerReferences", ("list", OWNER)),
    14: ("finalizers", TEXTS),
}
KINDS: dict[str, Message] = {
    "Secret": {
        1: ("metadata", METADATA),
        2: ("data", ("map", BYTES)),
        3: ("type", TEXT),
        4: ("stringData", ("map", TEXT)),
        5: ("immutable", FLAG),
    },
    "ConfigMap": {
        1: ("metadata", METADATA),
        2: ("data", ("map", TEXT)),
        3: ("binaryData", ("map", BYTES)),
        4: ("immutable", FLAG),
    },
    "Namespace": {1: ("metadata", METADATA)},
    "ServiceAccount": {1: ("metadata", METADATA)},
    "DeleteOptions": {
        1: ("gracePeriodSeconds", NUMBER),
        4: ("propagationPolicy", TEXT),
        5: ("dryRun", TEXTS),
    },
}
ENVELOPE: Message = {1: ("type", {1: ("apiVersion", TEXT), 2: ("kind", TEXT)}), 2: ("raw", "raw")}


class UnknownKindError(Exception):
    """An object of a kind that is not here."""


def read(body: bytes) -> Object:
    """The object in a request. Raises UnknownKindError."""
    envelope = _message(body.removeprefix(MAGIC), ENVELOPE)
    kind = envelope["type"].get("kind", "")
    if kind not in KINDS:
        raise UnknownKindError(kind)
    return {**envelope["type"], **_message(envelope.get("raw", b""), KINDS[kind])}


def _message(data: bytes, message: Message) -> Object:
    made: Object = {}
    for number, value in _fields(data):
        if number not in message:
            continue
        name, holds = message[number]
        if holds == TEXTS:
            made.setdefault(name, []).append(value.decode())
        elif isinstance(holds, tuple) and holds[0] == "map":
            entry = _message(value, {1: ("key", TEXT), 2: ("value", holds[1])})
            made.setdefault(name, {})[entry["key"]] = entry.get("value", "")
        elif isinstance(holds, tuple):
            made.setdefault(name, []).append(_message(value, holds[1]))
        else:
            made[name] = _value(value, holds)
    return {name: each for name, each in made.items() if each != ""}


def _value(value: Any, holds: Any) -> Any:
    if isinstance(holds, dict):
        return _message(value, holds)
    readers = {
        TEXT: value.decode if isinstance(value, bytes) else None,
        BYTES: lambda: base64.b64encode(value).decode(),
        FLAG: lambda: bool(value),
    }
    return readers.get(holds, lambda: value)()


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field: of wire type 0 a number, of 2 bytes; others do not occur here."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        value, at = _varint(data, at)
        if tag & 7 == 2:
            at, value = at + value, data[at : at + value]
        yield tag >> 3, value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if not data[at - 1] & 0x80:
            return value, at
