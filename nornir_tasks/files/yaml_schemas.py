"""JSON Schemas (2020-12) of fabric.yml and devices.yml, made from the models, for editors: ``nornir schema fabric``.

They know keys, types, forms and bounds. What several keys have to do with one another only ``nornir design`` knows.
A secret is the text behind ``!secret``, a custom tag that an editor has to be told of (docs/editors.md).
"""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from nornir_tasks.files.devices_file import DeviceList
from nornir_tasks.intent.core.field_texts import meaning
from nornir_tasks.intent.core.fields import OS
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import names

FILES: Mapping[str, type[Part]] = {"fabric": Intent, "devices": DeviceList}
"""Name -> the model of NAME.yml."""


class _Generator(GenerateJsonSchema):
    def model_schema(self, schema: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's own
        """A part, with the text below each of its fields."""
        made = super().model_schema(schema)
        for name, below in made.get("properties", {}).items():
            below.pop("title", None)
            if text := meaning(schema["cls"], name):
                below["description"] = " ".join(text.replace("``", "`").split())
        return made


def schema_of_file(name: str) -> dict[str, Any]:
    """The schema of one file, by its name in FILES."""
    made = FILES[name].model_json_schema(mode="validation", schema_generator=_Generator)
    _finish(made)
    return {"$schema": GenerateJsonSchema.schema_dialect, "$id": f"gpufabric/{name}.yml", **made}


def _finish(part: Any) -> None:  # noqa: ANN401 - any JSON
    """A key that no pattern takes is refused, and the systems there are have their names."""
    if isinstance(part, list):
        for each in part:
            _finish(each)
    elif isinstance(part, dict):
        if isinstance(part.get("patternProperties"), dict):
            part.setdefault("additionalProperties", False)
        if part.get("format") == OS:
            part["enum"] = [*names()]
        for each in part.values():
            _finish(each)
