"""The objects of a cluster, and what an API server does with each write: names, versions, fields, managers, watches."""

from __future__ import annotations

import base64
import copy
import re
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import controllers, fields, patches, schema
from .errors import ApiError
from .kinds import Kind, built_in, definitions, of_definition
from .selectors import matches
from .writes import Write

Object = dict[str, Any]
Key = tuple[str, str, str, str]
"""Group, plural, namespace, name."""
NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True)
class Written:
    """What came of it."""

    object: Object
    warnings: tuple[str, ...] = ()
    is_new: bool = False


class Cluster:
    """All objects, and their past for watches. Safe for threads."""

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.RLock())
        self.objects: dict[Key, Object] = {}
        self.events: list[tuple[int, str, Kind, Object]] = []
        self.version = 0
        self._built_in = list(built_in())
        self.kinds = list(self._built_in)
        for name in NAMESPACES:
            self.create(self.kind("", "v1", "namespaces"), "", {"metadata": {"name": name}}, Write())

    # Kinds

    def kind(self, group: str, version: str, plural: str) -> Kind:
        """The kind of that address. Raises ApiError."""
        for each in self.kinds:
            if (each.group, each.version, each.plural) == (group, version, plural):
                return each
        raise ApiError("NotFound", "the server could not find the requested resource")

    def _learn(self) -> None:
        """Take up what CustomResourceDefinitions say now."""
        found = [kind for key, each in self.objects.items() if key[1] == DEFINITIONS for kind in of_definition(each)]
        self.kinds = [*self._built_in, *found]

    def define(self, *files: Path) -> None:
        """Take up what tables of recorded facts define."""
        for each in definitions(*files):
            self.create(self.kind("apiextensions.k8s.io", "v1", DEFINITIONS), "", each, Write("operators"))

    # Reads

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """One object. Raises ApiError."""
        found = self.objects.get(_key(kind, namespace, name))
        if found is None:
            raise _not_found(kind, name)
        return self._shown(kind, found)

    def list(self, kind: Kind, namespace: str, labels: str = "", field: str = "") -> list[Object]:
        """All of a kind, of one namespace or all."""
        with self.changed:
            return [
                self._shown(kind, each)
                for key, each in sorted(self.objects.items())
                if key[:2] == (kind.group, kind.plural) and namespace in {"", key[2]} and matches(each, labels, field)
            ]

    def watch(self, kind: Kind, since: int, timeout_s: float, wanted: Any) -> Iterator[tuple[str, Object]]:
        """Events of a kind after that version, until the time is over."""
        ends = threading.TIMEOUT_MAX if timeout_s <= 0 else timeout_s
        deadline = datetime.now(UTC).timestamp() + min(ends, 600)
        while True:
            with self.changed:
                found = [(at, what, each) for at, what, of, each in self.events if at > since and _same(of, kind)]
                left = deadline - datetime.now(UTC).timestamp()
                if not found:
                    if left <= 0:
                        return
                    self.changed.wait(min(left, 1))
            for at, what, each in found:
                since = at
                if wanted(each):
                    yield what, self._shown(kind, each)

    def _shown(self, kind: Kind, each: Object) -> Object:
        made = copy.deepcopy(each)
        return {**made, "apiVersion": kind.api_version, "kind": kind.kind}

    # Writes

    def create(self, kind: Kind, namespace: str, given: Object, how: Write) -> Written:
        """A new object. Raises ApiError."""
        with self.changed:
            new = copy.deepcopy(given)
            metadata = new.setdefault("metadata", {})
            if "name" not in metadata and "generateName" in metadata:
                metadata["name"] = metadata["generateName"] + uuid.uuid4().hex[:5]
            name = metadata.get("name") or ""
            _named(kind, given, name)
            if _key(kind, namespace, name) in self.objects:
                raise ApiError("AlreadyExists", f'{_called(kind)} "{name}" already exists', **_details(kind, name))
            new, warnings = self._judged(kind, new, how)
            new = fields.written(None, new, how.manager, _now())
            return Written(self._store(kind, namespace, None, new, how), warnings, True)

    def update(self, kind: Kind, namespace: str, name: str, given: Object, how: Write, part: str = "") -> Written:
        """Replace an object, or its status. Raises ApiError."""
        with self.changed:
            live = self.get(kind, namespace, name)
            version = given.get("metadata", {}).get("resourceVersion")
            if version and version != live["metadata"]["resourceVersion"]:
                what = "the object has been modified; please apply your changes to the latest version and try again"
                raise ApiError(
                    "Conflict",
                    f'Operation cannot be fulfilled on {_called(kind)} "{name}": {what}',
                    **_details(kind, name),
                )
            return self._changed(kind, namespace, live, given, how, part)

    def patch(
        self, kind: Kind, namespace: str, name: str, media: str, given: Any, how: Write, part: str = ""
    ) -> Written:
        """Change an object, by the kind of patch that the media type names. Raises ApiError."""
        with self.changed:
            live = self.objects.get(_key(kind, namespace, name))
            if media == "application/apply-patch+yaml":
                return self._apply(kind, namespace, name, given, how)
            shown = self.get(kind, namespace, name)
            if media == "application/strategic-merge-patch+json" and kind.schema is not None:
                what = "the body of the request was in an unknown format - accepted media types include: "
                raise ApiError(
                    "UnsupportedMediaType",
                    what + "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
                )
            by = {
                "application/merge-patch+json": patches.merge,
                "application/strategic-merge-patch+json": patches.strategic,
                "application/json-patch+json": patches.json_patch,
            }
            if media not in by:
                raise ApiError("UnsupportedMediaType", f"the body of the request was in an unknown format: {media}")
            try:
                new = by[media](shown, given)
            except patches.PatchError as error:
                raise ApiError("Invalid", str(error)) from error
            assert live is not None
            return self._changed(kind, namespace, shown, new, how, part)

    def _apply(self, kind: Kind, namespace: str, name: str, given: Object, how: Write) -> Written:
        live = self.objects.get(_key(kind, namespace, name))
        if given.get("apiVersion") != kind.api_version:
            found = f"Specified patch version: {given.get('apiVersion')}, expected: {kind.api_version}"
            raise ApiError("BadRequest", f"Incorrect version specified in apply patch. {found}")
        wanted = {**given, "metadata": {**given.get("metadata", {}), "name": name}}
        if kind.schema is not None:
            for field in schema.unknown_fields(wanted, kind.schema):
                called = f"{namespace}/{name}; {kind.api_version}, Kind={kind.kind}"
                raise ApiError(
                    "", f"failed to create typed patch object ({called}): .{field}: field not declared in schema"
                )
        try:
            new = fields.applied(live, wanted, how.manager, force=how.force, now=_now())
        except fields.ConflictError as conflict:
            raise _conflict(conflict) from conflict
        new["apiVersion"], new["kind"] = kind.api_version, kind.kind
        new, warnings = self._judged(kind, new, how)
        return Written(self._store(kind, namespace, live, new, how), warnings, live is None)

    def _changed(self, kind: Kind, namespace: str, live: Object, given: Object, how: Write, part: str) -> Written:
        new = {**copy.deepcopy(live), "status": given.get("status", {})} if part == "status" else copy.deepcopy(given)
        if part != "status" and kind.has_status and "status" in live:
            new["status"] = live["status"]
        for key in ("uid", "creationTimestamp", "generation", "resourceVersion", "managedFields", "namespace"):
            if key in live["metadata"]:
                new["metadata"][key] = live["metadata"][key]
        new, warnings = self._judged(kind, new, how)
        new = fields.written(live, new, how.manager, _now())
        return Written(self._store(kind, namespace, live, new, how), warnings)

    def _judged(self, kind: Kind, new: Object, how: Write) -> tuple[Object, tuple[str, ...]]:
        new["apiVersion"], new["kind"] = kind.api_version, kind.kind
        if kind.schema is None:
            return (_with_data(new) if kind.kind == "Secret" else new), ()
        unknown = [f'unknown field "{each}"' for each in schema.unknown_fields(new, kind.schema)]
        if unknown and how.validation == "Strict":
            name = new["metadata"]["name"]
            what = (
                f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: strict decoding error: '
            )
            raise ApiError("BadRequest", what + ", ".join(unknown), **_details(kind, name))
        new = schema.pruned(new, kind.schema)
        found = list(schema.causes(new, kind.schema))
        if found:
            message = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
            called = f"{kind.kind}.{kind.group}"
            raise ApiError(
                "Invalid",
                f'{called} "{new["metadata"]["name"]}" is invalid: {message}',
                **_details(kind, new["metadata"]["name"]),
            )
        return new, tuple(unknown) if how.validation == "Warn" else ()

    def _store(self, kind: Kind, namespace: str, live: Object | None, new: Object, how: Write) -> Object:
        if kind.is_namespaced and ("", "namespaces", "", namespace) not in self.objects:
            raise ApiError("NotFound", f'namespaces "{namespace}" not found', name=namespace, kind="namespaces")
        metadata = new["metadata"]
        if kind.is_namespaced:
            metadata["namespace"] = namespace
        if live is not None and _compared(live) == _compared(new):
            return self._shown(kind, live)
        if live is None:
            metadata |= {"uid": str(uuid.uuid4()), "creationTimestamp": _now(), "generation": 1}
        elif _compared(live, False) != _compared(new, False):
            metadata["generation"] = live["metadata"].get("generation", 1) + 1
        controllers.settle(self, kind, new)
        if how.is_dry_run:
            metadata["resourceVersion"] = live["metadata"]["resourceVersion"] if live else ""
            return self._shown(kind, new)
        self._record("ADDED" if live is None else "MODIFIED", kind, new)
        self.objects[_key(kind, namespace, metadata["name"])] = new
        if kind.plural == DEFINITIONS:
            self._learn()
        controllers.follow(self, kind, new)
        return self._shown(kind, new)

    def _record(self, what: str, kind: Kind, each: Object) -> None:
        self.version += 1
        each["metadata"]["resourceVersion"] = str(self.version)
        self.events.append((self.version, what, kind, copy.deepcopy(each)))
        self.changed.notify_all()

    def delete(self, kind: Kind, namespace: str, name: str, *, is_dry_run: bool = False) -> Object:
        """Remove an object, and what belongs to it. Raises ApiError."""
        with self.changed:
            gone = self.get(kind, namespace, name)
            if not is_dry_run:
                del self.objects[_key(kind, namespace, name)]
                self._record("DELETED", kind, gone)
                self._clear(kind, gone)
            return gone

    def evict(self, kind: Kind, namespace: str, name: str, *, is_dry_run: bool = False) -> None:
        """Remove a pod as far as disruption budgets allow (policy/v1, Eviction). Raises ApiError."""
        with self.changed:
            labels = self.get(kind, namespace, name)["metadata"].get("labels", {})
            for each in self.list(self.kind("policy", "v1", "poddisruptionbudgets"), namespace):
                chosen = each["spec"].get("selector", {}).get("matchLabels", {})
                if not chosen.items() <= labels.items():
                    continue
                of = [
                    pod
                    for pod in self.list(kind, namespace)
                    if chosen.items() <= pod["metadata"].get("labels", {}).items()
                ]
                if each["spec"].get("maxUnavailable") == 0 or len(of) <= each["spec"].get("minAvailable", 0):
                    raise ApiError(
                        "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget."
                    )
            self.delete(kind, namespace, name, is_dry_run=is_dry_run)

    def _clear(self, kind: Kind, gone: Object) -> None:
        """Remove what belongs to the object."""
        name, uid = gone["metadata"]["name"], gone["metadata"]["uid"]
        for key, each in list(self.objects.items()):
            owners = {owner["uid"] for owner in each["metadata"].get("ownerReferences", ())}
            is_in_namespace = kind.plural == "namespaces" and key[2] == name
            defined = kind.plural == DEFINITIONS and key[:2] == (gone["spec"]["group"], gone["spec"]["names"]["plural"])
            if (uid in owners or is_in_namespace or defined) and key in self.objects:
                of = next(each for each in self.kinds if (each.group, each.plural) == key[:2])
                self.delete(of, key[2], key[3])
        if kind.plural == DEFINITIONS:
            self._learn()


NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
DEFINITIONS = "customresourcedefinitions"


def _key(kind: Kind, namespace: str, name: str) -> Key:
    return kind.group, kind.plural, namespace if kind.is_namespaced else "", name


def _named(kind: Kind, given: Object, name: str) -> None:
    """Refuse what is no name, and another version than the address has."""
    if not NAME.fullmatch(name) and not kind.group.startswith("rbac."):
        what = f'metadata.name: Invalid value: "{name}": a lowercase RFC 1123 subdomain must consist of lower case'
        raise ApiError("Invalid", f"{kind.kind} \"{name}\" is invalid: {what} alphanumeric characters, '-' or '.'")
    if given.get("apiVersion", kind.api_version) != kind.api_version:
        found = f"the API version in the data ({given['apiVersion']}) does not match the expected API version"
        raise ApiError("BadRequest", f"{found} ({kind.api_version})")


def _same(one: Kind, other: Kind) -> bool:
    return (one.group, one.plural) == (other.group, other.plural)


def _called(kind: Kind) -> str:
    return f"{kind.plural}.{kind.group}" if kind.group else kind.plural


def _details(kind: Kind, name: str) -> dict[str, str]:
    return {"name": name, **({"group": kind.group} if kind.group else {}), "kind": kind.plural}


def _not_found(kind: Kind, name: str) -> ApiError:
    return ApiError("NotFound", f'{_called(kind)} "{name}" not found', **_details(kind, name))


def _conflict(conflict: fields.ConflictError) -> ApiError:
    lines = {}
    for manager, version, path in conflict.found:
        lines.setdefault(f'conflict with "{manager}" using {version}', []).append("." + ".".join(path))
    count = f"Apply failed with {len(conflict.found)} conflict{'s' if len(conflict.found) > 1 else ''}"
    if len(lines) == 1 and len(conflict.found) == 1:
        (who, paths), *_ = lines.items()
        message = f"{count}: {who}: {paths[0]}"
    else:
        message = f"{count}: " + "\n".join(
            f"{who}:\n" + "\n".join(f"- {each}" for each in paths) for who, paths in lines.items()
        )
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f'conflict with "{who}" using {version}',
            "field": "." + ".".join(path),
        }
        for who, version, path in conflict.found
    ]
    return ApiError("Conflict", message, causes=causes)


def _compared(each: Object, with_metadata: bool = True) -> Object:
    metadata = {key: value for key, value in each["metadata"].items() if key not in {"resourceVersion", "generation"}}
    rest = {key: value for key, value in each.items() if key not in {"metadata", "status"}}
    return {**rest, "metadata": metadata, "status": each.get("status")} if with_metadata else rest


def _with_data(secret: Object) -> Object:
    texts = secret.pop("stringData", None) or {}
    if texts:
        made = {key: base64.b64encode(value.encode()).decode() for key, value in texts.items()}
        secret["data"] = {**secret.get("data", {}), **made}
    return secret


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
