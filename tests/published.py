"""Is a JSON document of the command line what its published schema says, key by key?"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from nornir_tasks.cli.json_documents import schema_of


def published(document: dict[str, Any]) -> dict[str, Any]:
    """The document; fails where its schema lacks a key of it, or the other way round."""
    name = document["schema"].removeprefix("gpufabric/")
    mistakes = [f"{each.json_path}: {each.message}" for each in _exact(name).iter_errors(document)]
    assert not mistakes, f"{name}: {mistakes[:5]}"
    assert datetime.fromisoformat(document["time"]).tzinfo == UTC
    assert list(document)[:5] == ["schema", "version", "site", "time", "command"]
    return document


@cache
def _exact(name: str) -> Draft202012Validator:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_closed(schema))


def _closed(schema: Any) -> Any:
    """The schema, which refuses keys that it does not name. Consumers' validators take them: a later version adds."""
    if isinstance(schema, Mapping):
        here = {key: _closed(each) for key, each in schema.items()}
        return {**here, "additionalProperties": False} if isinstance(here.get("properties"), Mapping) else here
    return [_closed(each) for each in schema] if isinstance(schema, list) else schema
