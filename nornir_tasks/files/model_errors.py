"""A file against its model: pydantic's errors and the rules' findings as problems of the file, all at once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.marked_yaml import UNREADABLE, Marked
from nornir_tasks.files.partial_model import partial
from nornir_tasks.files.systems import systems
from nornir_tasks.intent.core.fields import SYSTEMS
from nornir_tasks.intent.core.findings import FINDINGS, Finding, Path, as_shown
from nornir_tasks.intent.core.intent_model import Part
from nornir_tasks.intent.rules.judge import findings as findings_of

Model = TypeVar("Model", bound=BaseModel)

MOST_PROBLEMS = 100
"""The most problems reported of one file; more are one mistake repeated."""

_LONGEST_GUESS = 64
"""Characters of a word that another one is looked for to stand in its place."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[Model]):
    """What a file gave."""

    value: Model | None
    """None where the file has problems."""
    partial: Model | None
    """With problems: what is right in it, everything else unknown. None where it could not be read to its end."""
    problems: tuple[Problem, ...]
    """In the order of the file's lines."""


def validate(model: type[Model], marked: Marked) -> Model:
    """The file as its model. Raises IntentError with every problem of the file, in the order of its lines."""
    reading = judge(model, marked)
    if reading.value is None:
        raise IntentError(reading.problems)
    return reading.value


def judge(model: type[Model], marked: Marked) -> Reading[Model]:
    """The file as its model, or with all of its problems and as much of the model as they leave."""
    found, value, errors = list(marked.findings), None, []
    context = {SYSTEMS: systems()}
    try:
        value = model.model_validate(marked.data, context=context)
    except ValidationError as error:
        errors = _without_repeats(error.errors(include_url=False), marked)
    found += [finding for each in islice(errors, MOST_PROBLEMS) for finding in _findings(each, model, marked)]
    known = value
    if (found or errors) and marked.end is None:
        known = partial(model, marked.data, context)
    if known is not None:
        found += islice(findings_of(known), MOST_PROBLEMS)
    problems = marked.marks.problems(found)
    if marked.end is not None:
        problems = [*(problem for problem in problems if _line(problem) < _line(marked.end)), marked.end]
    more = len(problems) - MOST_PROBLEMS + max(0, len(errors) - MOST_PROBLEMS)
    if more > 0:
        what = f"and {more:,} mistakes more"
        problems = [*problems[:MOST_PROBLEMS], Problem(marked.marks.file, what, hint="mend these first")]
    return Reading(None if problems else value, known if problems else None, tuple(problems))


def _without_repeats(errors: list[ErrorDetails], marked: Marked) -> list[ErrorDetails]:
    """Without repeated errors and those that cannot be decided.

    A key that is missing because it is misspelt: the unknown key beside it says so. A value that could not be read. In
    a file that could not be read to its end, what is missing and how its parts fit together.
    """
    unknown: dict[Path, list[str]] = {}
    for error in errors:
        if error["type"] == "extra_forbidden":
            unknown.setdefault(error["loc"][:-1], []).append(str(error["loc"][-1]))

    def is_misspelt(loc: Path) -> bool:
        return bool(get_close_matches(str(loc[-1]), unknown.get(loc[:-1], ())[:MOST_PROBLEMS], n=1))

    def is_news(error: ErrorDetails) -> bool:
        if error["input"] is UNREADABLE:
            return False
        if marked.end is not None and (error["type"] == "missing" or not _is_scalar(error["input"])):
            return False
        return error["type"] != "missing" or not is_misspelt(error["loc"])

    return [error for error in errors if is_news(error)]


def _is_scalar(value: object) -> bool:
    return value is not None and not isinstance(value, Mapping | tuple)


def _line(problem: Problem) -> int:
    number = problem.where.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def _findings(error: ErrorDetails, model: type[BaseModel], marked: Marked) -> Iterator[Finding]:
    path = _place(error)
    text = marked.texts.get(path)
    if error["type"] != FINDINGS:
        yield _finding(error, path, model, marked)
        return
    for finding in error["ctx"][FINDINGS]:
        # The value of a single field is shown as it stands in the file, if it is shown at all: it may be a password.
        is_shown = finding.found == as_shown(error["input"]) and not finding.path
        found = as_shown(text) if text and is_shown else finding.found
        yield replace(finding, path=(*path, *finding.path), found=found)


def _place(error: ErrorDetails) -> Path:
    """Keys and positions of the file alone: the tag of a union is none, nor what pydantic says of a key itself."""
    *above, last = error["loc"] or ("",)
    path = tuple(part for part in above if part not in _TAGS)
    own = error["type"] == "extra_forbidden" or last not in (*_TAGS, "[key]", "")
    return (*path, last) if own else path


_TAGS = (":auto", ":thresholds", ":managed", ":unmanaged")


def _finding(error: ErrorDetails, path: Path, model: type[BaseModel], marked: Marked) -> Finding:
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown_key(path, model, marked.data)
    if kind == "missing":
        return Finding(path, "missing", "a value for this key")
    found, context, hint = error["input"], error.get("ctx", {}), ""
    is_key = error["loc"][-1:] == ("[key]",)
    text = as_shown(found) if is_key else marked.texts.get(path) or as_shown(found)
    if kind == "string_type" and isinstance(found, int | float) and not isinstance(found, bool):
        hint = f'write it in quotes, "{as_shown(text)}", or YAML takes it for a number'
    if kind == "literal_error" and isinstance(found, str):
        hint = _did_you_mean(
            found, [part.strip("' ") for part in str(context["expected"]).replace(" or ", ",").split(",")]
        )
    what = _KEYS.get(kind, "not a valid key") if is_key else "not a valid value"
    return Finding(path, what, _expected(kind, context), as_shown(text), hint)


_KEYS = {"literal_error": "unknown key", "string_pattern_mismatch": "not a name"}
"""Kind of error -> what is wrong with a key that the operator chooses."""


def _expected(kind: str, context: dict[str, Any]) -> str:
    words = {
        "greater_than_equal": f"{_number(context.get('ge'))} or more",
        "greater_than": f"more than {_number(context.get('gt'))}",
        "less_than_equal": f"{_number(context.get('le'))} or less",
        "less_than": f"less than {_number(context.get('lt'))}",
        "string_type": "text",
        "int_type": "a whole number",
        "float_type": "a number",
        "finite_number": "a finite number",
        "bool_type": "on or off",
        "tuple_type": "a list, as [1, 2]",
        "model_type": "a mapping of keys",
        "dict_type": "a mapping of keys",
        "literal_error": str(context.get("expected")),
        "too_short": f"at least {context.get('min_length')} of them",
        "too_long": f"at most {context.get('max_length')} of them",
        "string_too_short": f"text of at least {context.get('min_length')} characters",
        "string_too_long": f"text of at most {context.get('max_length')} characters",
        "string_pattern_mismatch": pattern_in_words(str(context.get("pattern"))),
    }
    return words.get(kind, "another value")


def _number(limit: object) -> str:
    return str(int(limit)) if isinstance(limit, float) and limit.is_integer() else str(limit)


def pattern_in_words(pattern: str) -> str:
    """The values that match a pattern of some field, as a message describes them."""
    return _PATTERNS.get(pattern, f"text that matches {pattern}")


_PATTERNS = {
    r"^[a-z][a-z0-9_-]{0,31}$": "lower-case letters, digits, - and _, beginning with a letter, at most 32",
    r"^[a-z][a-z0-9_-]{0,15}$": "lower-case letters, digits, - and _, beginning with a letter, at most 16",
    r"^[0-9a-f]{64}$": "64 digits 0-9, a-f: the SHA-256 of its certificate, as nornir trust records it",
    r"^[0-9a-f]{4}$": "four digits 0-9, a-f: a PCI device ID, as lspci -n has it behind the vendor's",
    r"^\S(.*\S)?$": "text without spaces around it",
    r"^[A-Z]{3}$": "three capitals, as ISO 4217 has them: EUR",
    r"^[A-Za-z0-9_./-]{1,127}$": "the path of a file: letters, digits, and . _ - /, at most 127",
    r"^[a-z][a-z0-9.-]{0,62}$": "the name of a host: lower-case letters, digits, - and ., beginning with a letter",
    r"^[A-Za-z][A-Za-z0-9/-]{0,31}$": "the name of a switch's port, as swp7 or Ethernet1/7",
    r"^/[!-~]{0,120}$": "what a server is asked for, as /healthz: / and at most 120 characters without a space",
    r"^2x": "a medium whose name begins with 2x, as 2xDR4",
}


def _unknown_key(path: Path, model: type[BaseModel], data: Any) -> Finding:  # noqa: ANN401
    part = _part_at(path[:-1], model, data)
    if part is not None and issubclass(part, Part) and path[-1] in part.elsewhere:
        return Finding(path, "does not stand here", part.elsewhere[str(path[-1])])
    if part is not None and issubclass(part, Part) and path[-1] in part.not_offered:
        return Finding(path, "not offered: no line is rendered for it", part.not_offered[str(path[-1])])
    known = list(part.model_fields) if part else []
    here = [key for key in known if key not in _value_at(path[:-1], data)] or known
    hint = _did_you_mean(str(path[-1]), known)
    if path[-1] == "<<":
        hint = "merge keys are not read: write the keys out"
    return Finding(path, "unknown key", f"one of {', '.join(here)}" if here else "", hint=hint)


def _did_you_mean(found: str, known: Iterable[str]) -> str:
    close = get_close_matches(found, list(known), n=1) if len(found) <= _LONGEST_GUESS else []
    return f"did you mean {close[0]}?" if close else ""


def _value_at(path: Path, data: Any) -> Any:  # noqa: ANN401
    for part in path:
        data = data[part]
    return data


def _part_at(path: Path, model: type[BaseModel], data: Any) -> type[BaseModel] | None:  # noqa: ANN401
    """The model of what stands at this path; where there are several, the one with most of the keys that do."""
    hints: list[Any] = [model]
    for part in path:
        hints = [below for each in hints for below in _below(each, part)]
    value, kinds = _value_at(path, data), [kind for each in hints for kind in _models_of(each)]
    return max(kinds, key=lambda kind: len(set(kind.model_fields) & set(value)), default=None)


def _below(hint: Any, part: str | int) -> Iterator[Any]:  # noqa: ANN401 - any type expression
    """The types of what may stand below a key or position; a key that operators choose may be called like a field."""
    arguments = get_args(hint)
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield from (hint.model_fields[str(part)].annotation,) if part in hint.model_fields else ()
    elif get_origin(hint) in (dict, tuple):
        yield arguments[1 if get_origin(hint) is dict else 0]
    else:
        yield from (below for each in arguments for below in _below(each, part))


def _models_of(hint: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any type expression
    """The model, or those of a union; none for mappings and lists of some."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    elif get_origin(hint) not in (dict, tuple):
        yield from (kind for each in get_args(hint) for kind in _models_of(each))
