"""YAML with the line of every value, duplicate keys refused, and pydantic's errors told as problems of the file.

Lists become tuples: what is read is never changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.resources import shown
from nornir_tasks.files.secrets import Secret
from nornir_tasks.intent.findings import FINDINGS, Finding, Marks
from nornir_tasks.intent.findings import Path as Place

Model = TypeVar("Model", bound=BaseModel)


class _Loader(yaml.SafeLoader):
    """YAML as it is, plus ``!secret NAME``."""


_Loader.add_constructor("!secret", lambda _, node: Secret(str(node.value)))


@dataclass(frozen=True, slots=True)
class Marked:
    """One file's data and where each of its values stands."""

    data: Any
    marks: Marks
    problems: tuple[Problem, ...]
    """Duplicate keys and the like; the data is usable all the same."""


@dataclass
class _Reader:
    loader: yaml.SafeLoader
    lines: dict[Place, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def value(self, node: yaml.Node, path: Place, line: int) -> Any:  # noqa: ANN401 - whatever the file says
        self.lines[path] = line
        if isinstance(node, yaml.MappingNode):
            return dict(self.pairs(node, path))
        if isinstance(node, yaml.SequenceNode):
            items = enumerate(node.value)
            return tuple(self.value(item, (*path, place), item.start_mark.line + 1) for place, item in items)
        return self.scalar(node, path)

    def pairs(self, node: yaml.MappingNode, path: Place) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in seen:
                self.lines[*path, key] = line
                self.findings.append(
                    Finding((*path, key), "key stands twice", "each key once", f"also in line {seen[key]}")
                )
                continue
            seen[key] = line
            yield key, self.value(value_node, (*path, key), line)

    def scalar(self, node: yaml.Node, path: Place) -> Any:  # noqa: ANN401
        try:
            return self.loader.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            reason = getattr(error, "problem", None) or str(error)
            self.findings.append(Finding(path, f"cannot be read: {reason}", found=str(node.value)))
            return None


def read_marked(file: Path) -> Marked:
    """Read one YAML file. Raises IntentError when it is not there, not UTF-8 or not YAML at all."""
    name = shown(file)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise IntentError(Problem(name, f"cannot be read: {reason}")) from error
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}" if mark else name
        raise IntentError(Problem(where, f"not YAML: {error.problem or error.context}")) from error
    reader = _Reader(loader)
    data = reader.value(node, (), node.start_mark.line + 1) if node is not None else None
    marks = Marks(name, reader.lines)
    return Marked(data, marks, tuple(marks.problem(finding) for finding in reader.findings))


def validate(model: type[Model], marked: Marked) -> Model:
    """The file as its model. Raises IntentError with every problem of the file, in the order of its lines."""
    problems = list(marked.problems)
    try:
        valid = model.model_validate(marked.data)
    except ValidationError as error:
        problems += [problem for each in _told_once(error.errors()) for problem in _problems(each, model, marked)]
    if problems:
        raise IntentError(sorted(problems, key=_line))
    return valid


def _told_once(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Without the key that is missing because it is misspelt: the unknown key beside it says so already."""
    unknown = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]

    def is_misspelt(loc: Place) -> bool:
        beside = [str(other[-1]) for other in unknown if other[:-1] == loc[:-1]]
        return bool(get_close_matches(str(loc[-1]), beside, n=1))

    return [error for error in errors if error["type"] != "missing" or not is_misspelt(error["loc"])]


def _line(problem: Problem) -> int:
    return int(problem.where.rpartition(":")[2])


def _problems(error: ErrorDetails, model: type[BaseModel], marked: Marked) -> Iterator[Problem]:
    # A tag of a union is no key of the file; ours begin with a colon.
    path = tuple(part for part in error["loc"] if not str(part).startswith(":"))
    if error["type"] == FINDINGS:
        for finding in error["ctx"][FINDINGS]:
            yield marked.marks.problem(finding, path)
    else:
        yield marked.marks.problem(_finding(error, path, model, marked.data))


def _finding(error: ErrorDetails, path: Place, model: type[BaseModel], data: Any) -> Finding:  # noqa: ANN401
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown_key(path, model, data)
    if kind == "missing":
        return Finding(path, "missing", "a value for this key")
    found = error["input"]
    context = error.get("ctx", {})
    expected = _expected(kind, context) or error["msg"].removeprefix("Input should be ")
    hint = ""
    if kind == "string_type" and isinstance(found, int | float) and not isinstance(found, bool):
        hint = f'write it in quotes, "{found}", or YAML takes it for a number'
    if kind == "literal_error" and isinstance(found, str):
        hint = _did_you_mean(
            found, [part.strip("' ") for part in str(context["expected"]).replace(" or ", ",").split(",")]
        )
    shown_value = f"{len(found)} keys" if isinstance(found, dict) else "nothing" if found is None else str(found)
    return Finding(path, "not a valid value", expected, shown_value, hint)


def _expected(kind: str, context: dict[str, Any]) -> str:
    words = {
        "greater_than_equal": f"{context.get('ge')} or more",
        "greater_than": f"more than {context.get('gt')}",
        "less_than_equal": f"{context.get('le')} or less",
        "less_than": f"less than {context.get('lt')}",
        "string_type": "text",
        "int_type": "a whole number",
        "float_type": "a number",
        "bool_type": "on or off",
        "tuple_type": "a list, as [1, 2]",
        "model_type": "a mapping of keys",
        "dict_type": "a mapping of keys",
        "string_pattern_mismatch": "lower-case letters, digits, - and _, beginning with a letter, at most 32",
    }
    return words.get(kind, "")


def _unknown_key(path: Place, model: type[BaseModel], data: Any) -> Finding:  # noqa: ANN401
    known = _keys_at(path[:-1], model, data)
    here = [key for key in known if key not in _value_at(path[:-1], data)] or known
    hint = _did_you_mean(str(path[-1]), known)
    return Finding(path, "unknown key", f"one of {', '.join(here)}" if here else "", hint=hint)


def _did_you_mean(found: str, known: list[str]) -> str:
    close = get_close_matches(found, known, n=1)
    return f"did you mean {close[0]}?" if close else ""


def _value_at(path: Place, data: Any) -> Any:  # noqa: ANN401
    for part in path:
        data = data[part]
    return data


def _keys_at(path: Place, model: type[BaseModel], data: Any) -> list[str]:  # noqa: ANN401
    """The keys that the model knows at this path."""
    kinds: list[type[BaseModel]] = [model]
    for part in path:
        kinds = [kind for each in kinds for kind in _below(each, part)]
    value = _value_at(path, data)
    best = max(kinds, key=lambda kind: len(set(kind.model_fields) & set(value)), default=None)
    return list(best.model_fields) if best else []


def _below(model: type[BaseModel], part: str | int) -> list[type[BaseModel]]:
    """The models that may stand below a key; a list position or a free key of a mapping stays where it is."""
    if isinstance(part, str) and part in model.model_fields:
        return list(_models_in(model.model_fields[part].annotation))
    return [model]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any type expression
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)
