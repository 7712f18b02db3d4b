"""The text below each field of a part: what docs/intent.md and the schemas of files say of a key."""

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from nornir_tasks.intent.core.intent_model import Part


def meaning(kind: type[Part], field: str) -> str:
    """The text below the field, in the class that it stands in; empty if there is none."""
    found = (_texts(each).get(field, "") for each in kind.__mro__ if issubclass(each, Part))
    return next(filter(None, found), "")


@cache
def _texts(kind: type[Part]) -> Mapping[str, str]:
    """Field -> the text below it."""
    tree = ast.parse(inspect.getsource(kind))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
