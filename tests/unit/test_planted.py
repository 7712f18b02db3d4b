"""Mistakes that are planted to score tests: each changes what a file says, and none what people alone read."""

import pytest
import yaml
from mutation_score import together
from planted import Mutant, mutants

PYTHON = '''"""Text: 1."""
TABLE: dict[str, int] = {}
def least(found: tuple[str, ...]) -> int:
    """Of 2."""
    return 3 if found and len(found) > 4 else len(found[5:])
'''
TEMPLATE = "{% if bgp %}\nrouter bgp {{ asn }}\n{# 7 #}\n   timers 8 {{ hold }}\n{% endif %}\n"
YAML = """- name: Say 1
  ansible.builtin.command: show
  when: not gone
  vars:
    source: >-
      a page of 2
    count: 3
    is_on: true
"""


def changes(file: str, text: str) -> list[str]:
    return [f"{each.before} -> {each.after}" for each in mutants(file, text)]


def test_of_python_types_docstrings_and_texts_stay() -> None:
    found = changes("a.py", PYTHON)
    assert "3 -> 4" in found
    assert "len(found) > 4 -> (len(found) >= 4)" in found
    assert "5 -> 6" in found
    assert not [each for each in found if "str" in each or "Of 2" in each or "Text" in each]


def test_of_templates_lines_words_numbers_and_conditions_change_and_comments_stay() -> None:
    found = changes("a.j2", TEMPLATE)
    assert "{% if bgp %} -> {% if not (bgp) %}" in found
    assert "router bgp {{ asn }} -> " in found
    assert "timers 8 {{ hold }} -> timers 9 {{ hold }}" in found
    assert not [each for each in found if "#" in each]


def test_of_yaml_values_and_conditions_change_and_what_people_read_stays() -> None:
    found = changes("a.yml", YAML)
    assert {"when: not gone -> when: not (not gone)", "count: 3 -> count: 4", "is_on: true -> is_on: false"} <= {*found}
    assert not [each for each in found if "Say" in each or "page" in each]


@pytest.mark.parametrize(("file", "text"), [("a.py", PYTHON), ("a.j2", TEMPLATE), ("a.yml", YAML)])
def test_a_mutant_changes_its_file_and_several_at_once_are_all_there(file: str, text: str) -> None:
    every = list(mutants(file, text))
    assert all(each.text != text for each in every)
    by_line = {each.line: each for each in every}
    both: list[Mutant] = [by_line[min(by_line)], by_line[max(by_line)]]
    rows = together(both, text).splitlines()
    for each in both:
        assert set(each.text.splitlines()) - set(text.splitlines()) <= set(rows)
    if file == "a.yml":
        assert yaml.safe_load(together(both, text))
