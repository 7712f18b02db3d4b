"""An intent with mistakes is judged as far as it can be, and no further."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.intent_file import read_intent
from nornir_tasks.files.marked_yaml import read_marked
from nornir_tasks.files.partial_model import partial
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.core.unknown import UNKNOWN, UnknownValueError, attempt, independent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.judge import findings

LAB = Path(__file__).parents[3] / "inventory/lab-rails/fabric.yml"


def problems(folder: Path, *changes: tuple[str, str]) -> list[str]:
    """What is said of the lab's site after these changes: the path and what is the matter, without its place."""
    text = LAB.read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    (folder / "fabric.yml").write_text(text)
    with pytest.raises(IntentError) as caught:
        load_site(folder)
    return [problem.what for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["lab-rails", "lab-breakout", "lab-unnumbered", "ref-512"])
def test_a_right_intent_is_the_same_in_parts_as_whole(name: str) -> None:
    data = read_marked(LAB.parents[1] / name / "fabric.yml").data
    assert partial(Intent, data, {}) == Intent.model_validate(data)
    assert not list(findings(partial(Intent, data, {})))


def test_mistakes_of_four_phases_are_told_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        ("site: lab", "site: lab\nsite: twice"),  # the file's shape
        ("count: 4", "count: four"),  # a value
        ("dscp: 48", "dscp: 26"),  # a rule over several values
        ("model: SN5600", "model: SN5601"),  # the catalogue
    )
    assert found == [
        "site: duplicate key",
        "policy.classes.cnp.dscp: DSCP 26 is used twice",
        "hosts.gpu.count: not a valid value",
        "fabrics.compute.spine.model: unknown nvue switch model",
    ]


def test_what_cannot_be_built_is_told_beside_a_misspelt_value(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        ("congestion: dcqcn", "congestion: dcqnc"),
        ("index: [1]", "index: [9]"),
        ("links: 10.160.0.0/13", "links: 10.160.0.0/24"),
    )
    assert found == [
        "policy.congestion: no such way against congestion",
        "fabrics.compute.spine.overrides[0].index: no such spine",
        "fabrics.compute.pools.links: too small",
    ]


@pytest.mark.parametrize(
    "change",
    [
        ("weight: 60", "weight: heavy"),
        ("link: p2p", "lnik: svi"),
        ("10.160.0.0/13", "10.160.0.0/99"),
        ("rails: 8", "rails: many"),
        ("speed: 200G", "speed: 200"),
        ("platform: nvue", "platform: sonic"),
        ("count: 4 ", "cuont: 9 "),
        ("max: 4 ", "mx: 4 "),
        ("design: rail", "design: 5"),
        ("priority: 6", "priority: [6]"),
        ('release: "5.14"', "release: 5.14"),
        ("asn: 4200000000-4200099999", "asn: 1"),
        ("  gpu: ", "  GPU: "),
        ("{host: 9000, fabric: 9216}", "9000"),
        ("index: [1]", "index: 1"),
        ("overrides:                 # rails", "overides:                 # rails"),
    ],
)
def test_one_mistake_is_one_message(tmp_path: Path, change: tuple[str, str]) -> None:
    assert len(problems(tmp_path, change)) == 1


@pytest.mark.parametrize(
    ("site", "change", "message"),
    [
        (
            "inventory/lab",
            (
                "login:\n    count: 1\n    max: 2\n    nics: {business: {rails: 2",
                "login:\n    count: 1\n    max: 2\n    nics: {business: {rails: 1",
            ),
            "NIC ports that two leaves cannot have equally",
        ),
        ("inventory/lab-breakout", ("design: rail", "design: clos"), "spine groups follow the rails"),
        (
            "inventory/lab",
            ("    vlan: 300\n", "    vlan: 300\n    classes: {bulk: {dscp: 0, priority: 0, weight: 100}}\n"),
            "other classes than links between switches have",
        ),
    ],
)
def test_the_design_does_not_go_on_with_a_value_that_a_rule_refuses(
    tmp_path: Path, site: str, change: tuple[str, str], message: str
) -> None:
    text = (LAB.parents[2] / site / "fabric.yml").read_text()
    assert change[0] in text
    (tmp_path / "fabric.yml").write_text(text.replace(*change, 1))
    with pytest.raises(IntentError) as caught:
        load_site(tmp_path)
    assert any(each.what.endswith(message) for each in caught.value.problems)
    assert all(each.where.rpartition(":")[2].isdecimal() for each in caught.value.problems)


def test_a_file_that_ends_early_is_judged_up_to_there(tmp_path: Path) -> None:
    found = problems(tmp_path, ("priority: 3", "priority: 33"), ("speed: 200G", "speed: [200G"))
    assert found[0] == "policy.classes.roce.priority: not a valid value"
    assert found[-1].startswith("not YAML")
    assert len(found) == 2


def test_more_mistakes_than_anybody_reads_are_counted(tmp_path: Path) -> None:
    (tmp_path / "fabric.yml").write_text("".join(f"key{n}: {n}\n" for n in range(5000)))
    problems = read_intent(tmp_path / "fabric.yml").problems
    assert len(problems) == 101
    assert "mistakes more" in problems[-1].what


def test_a_rule_that_needs_an_unknown_value_ends_without_a_word() -> None:
    for look in (bool, len, iter, hash, str, int, lambda x: x + 1, lambda x: x < 3, lambda x: x.any, lambda x: x == 1):
        assert attempt(lambda look=look: look(UNKNOWN)) is None
        with pytest.raises(UnknownValueError):
            look(UNKNOWN)
    rules = (_rule(UNKNOWN), _rule(1))
    assert [finding.what for finding in independent(*rules)] == ["before", "before", "after"]


def test_a_finding_that_carries_an_unknown_value_along_is_not_told() -> None:
    carried = iter([Finding((), "before"), Finding((), "carried", found=UNKNOWN), Finding((), "after")])
    assert [finding.what for finding in independent(carried, _rule(1))] == ["before", "before", "after"]


@pytest.mark.parametrize("key", ["copy_addressing: foo", "leaves_of: [1]", "bond: 3", "copies: x", "ports_of: [1]"])
def test_a_wrong_value_of_nic_ports_is_one_message(tmp_path: Path, key: str) -> None:
    assert len(problems(tmp_path, ("rails: 8", f"rails: 8\n        {key}"))) == 1


def _rule(value: object) -> Iterator[Finding]:
    yield Finding((), "before")
    if value == 1:
        yield Finding((), "after")
