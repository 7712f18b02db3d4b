"""What the design tells hosts and what the roles ask for are the same: names, types, choices, nested options."""

from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

from nornir_tasks.design.hosts.bastion_vars import BastionHostVars
from nornir_tasks.design.hosts.boundary_vars import FirewallHostVars
from nornir_tasks.design.hosts.load_balancer_vars import LoadBalancerHostVars
from nornir_tasks.design.hosts.relay_vars import BoundaryRelayHostVars, EgressClientHostVars
from nornir_tasks.design.hosts.role_vars import HostVars
from tests.unit.usecases.test_hosts import CHECKOUT

TYPES = {"array": "list", "boolean": "bool", "integer": "int", "object": "dict", "string": "str"}
"""JSON schema -> Ansible."""
MODELS = {
    name: field.annotation
    for each in (
        HostVars,
        FirewallHostVars,
        LoadBalancerHostVars,
        BastionHostVars,
        BoundaryRelayHostVars,
        EgressClientHostVars,
    )
    for name, field in each.model_fields.items()
}
ROLES: dict[str, Any] = {name: next(iter(get_args(each)), each) for name, each in MODELS.items()}
"""Role -> its model; that of a role which not every host has is said with None beside it."""


def options_of(role: str) -> dict[str, Any]:
    text = (CHECKOUT / "roles" / role / "meta" / "argument_specs.yml").read_text()
    options: dict[str, Any] = yaml.safe_load(text)["argument_specs"]["main"]["options"]
    return options


def defaults_of(role: str) -> dict[str, Any]:
    return yaml.safe_load((CHECKOUT / "roles" / role / "defaults" / "main.yml").read_text()) or {}


def plain(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A property's schema without references, and without the null that an optional one may be."""
    schema = next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)
    return definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def differences(where: str, schema: dict[str, Any], definitions: dict[str, Any], option: dict[str, Any]) -> list[str]:
    """What one model field and one option say differently."""
    optional = any(each.get("type") == "null" for each in schema.get("anyOf", ()))
    schema = plain(schema, definitions)
    found = []
    wanted = TYPES[schema["type"]]
    if option.get("type") != wanted:
        found.append(f"{where}: type {wanted} in the model, {option.get('type')} in the role")
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if choices != option.get("choices"):
        found.append(f"{where}: choices {choices} in the model, {option.get('choices')} in the role")
    if not optional and not option.get("required"):
        found.append(f"{where}: the model always says it, the role does not require it")
    inner = option
    if wanted == "list":
        schema = plain(schema["items"], definitions)
        elements = TYPES[schema["type"]]
        if option.get("elements") != elements:
            found.append(f"{where}: elements {elements} in the model, {option.get('elements')} in the role")
    if "properties" in schema:
        found += compare(where + ".", schema["properties"], definitions, inner.get("options", {}))
    return found


def compare(where: str, properties: dict[str, Any], definitions: dict[str, Any], options: dict[str, Any]) -> list[str]:
    """All differences between a model's properties and the options of the same names."""
    found = [f"{where}{name}: not in the role" for name in properties if name not in options]
    found += [f"{where}{name}: not in the model" for name in options if name not in properties]
    for name in properties.keys() & options.keys():
        found += differences(where + name, properties[name], definitions, options[name])
    return found


def judged(role: str, model: type[BaseModel], options: dict[str, Any], defaults: dict[str, Any]) -> list[str]:
    schema = model.model_json_schema(mode="validation")
    # A field that is None somewhere is said all the same: the role requires the variable, not a value.
    properties = {f"{role}_{name}": value for name, value in schema["properties"].items()}
    own = {name: option for name, option in options.items() if name not in defaults}
    return compare("", properties, schema.get("$defs", {}), own) + [
        f"{name}: has a default in the role, but it is the design's to say" for name in properties if name in defaults
    ]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_asks_for_exactly_what_the_design_says(role: str) -> None:
    assert judged(role, ROLES[role], options_of(role), defaults_of(role)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"roce_qos_ecn": None}, "roce_qos_ecn: not in the role"),
        ({"roce_qos_more": {"type": "int", "required": True}}, "roce_qos_more: not in the model"),
        ({"roce_qos_ecn": {"type": "str", "required": True}}, "roce_qos_ecn: type bool in the model, str in the role"),
        ({"roce_qos_ecn": {"type": "bool"}}, "roce_qos_ecn: the model always says it, the role does not require it"),
        (
            {"roce_qos_rails": {"type": "list", "elements": "int", "required": True}},
            "roce_qos_rails: elements str in the model, int in the role",
        ),
        (
            {"roce_qos_classes": {"type": "list", "elements": "dict", "required": True, "options": {}}},
            "roce_qos_classes.lossless: not in the role",
        ),
    ],
)
def test_the_judge_itself_sees_a_role_that_differs(change: dict[str, Any], message: str) -> None:
    options = {name: value for name, value in {**options_of("roce_qos"), **change}.items() if value is not None}
    assert message in judged("roce_qos", ROLES["roce_qos"], options, defaults_of("roce_qos"))
