"""docs/intent.md says every key with its meaning and an example, and each example is one that the product takes."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from intent_page import EXAMPLES, LAB, NEVER, PAGE, Key, anchor, dump, example, examples, keys, page, sections, words

from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

EVERY = tuple(key for kind in sections() for key in keys(kind))
WRITTEN_OVER = read_marked(EXAMPLES).data


def written_over(data: Any, change: Mapping[str, Any]) -> dict[str, Any]:
    """Data with what is said anew: a mapping into a mapping, everything else in its place; None takes a key away."""
    found = dict(data) if isinstance(data, Mapping) else {}
    for key, value in change.items():
        found[key] = written_over(found.get(key), value) if isinstance(value, Mapping) else value
    return {key: value for key, value in found.items() if value is not None}


def intent(folder: Path, change: Mapping[str, Any]) -> Intent:
    """The lab's site with this written over it."""
    file = folder / "fabric.yml"
    plain = lists(written_over(read_marked(LAB).data, change))
    file.write_text(dump(plain), encoding="utf-8")
    return load_intent(file)


def lists(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: lists(each) for key, each in value.items()}
    return [lists(each) for each in value] if isinstance(value, tuple) else value


@pytest.mark.sampled(60)
@pytest.mark.parametrize("key", EVERY, ids=lambda key: f"{key.owner.__name__}.{key.name}")
def test_a_key_without_meaning_or_example_is_refused(key: Key, tmp_path: Path) -> None:
    assert key.meaning.endswith(".")
    assert words(key.hint, sections())
    if (key.owner, key.name) in NEVER:
        return
    file = tmp_path / "key.yml"
    file.write_text(example(key, examples()), encoding="utf-8")
    assert read_marked(file).data == {key.name: examples()[key.owner, key.name]}, "it is read as it was meant"


@pytest.mark.parametrize("name", WRITTEN_OVER)
def test_an_example_that_the_product_refuses_is_found(name: str, tmp_path: Path) -> None:
    read = intent(tmp_path, WRITTEN_OVER[name])
    assert design(read, load_catalogue(), {os: each.facts for os, each in platforms().items()}).links


def test_the_page_is_what_the_model_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_link_of_the_page_that_leads_nowhere_is_found() -> None:
    text = page()
    titles = [anchor(title.strip("`").replace(" ", "-")) for title in re.findall(r"^## (.+)$", text, re.MULTILINE)]
    assert len(set(titles)) == len(titles)
    assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= set(titles)
    assert all((PAGE.parent / file).is_file() for file in re.findall(r"\]\((\.\.[^)]*)\)", text))


def test_every_row_has_as_many_cells_as_its_head() -> None:
    rows = [line for line in page().splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {6}
    assert len(rows) == len(EVERY) + 2 * len(sections())
