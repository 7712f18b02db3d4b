"""Wrong keys and texts in an intent: what a message expects must be what is accepted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.catalogue import NicFile, OpticFile, SwitchFile
from nornir_tasks.files.devices_file import DeviceList
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.files.model_errors import pattern_in_words
from nornir_tasks.intent.keys.site import Intent

LAB = Path(__file__).parents[3] / "inventory/lab-rails/fabric.yml"


def messages(folder: Path, bill: str) -> list[str]:
    """The messages about the lab's site with this bill, each in one line."""
    (folder / "fabric.yml").write_text(f"{LAB.read_text()}\nbill: {bill}\n")
    with pytest.raises(IntentError) as caught:
        load_intent(folder / "fabric.yml")
    return [f"{each.what}; {each.expected}; {each.found}; {each.hint}" for each in caught.value.problems]


@pytest.mark.parametrize(
    ("bill", "expected"),
    [
        pytest.param(
            "{spares_percent: {transciever: 2}}",
            "bill.spares_percent.transciever: unknown key; 'switch', 'nic', 'transceiver', 'jumper', 'splitter', "
            "'assembly' or 'label'; transciever; did you mean transceiver?",
            id="one-of-a-few",
        ),
        pytest.param(
            "{currency: eur}",
            "bill.currency: not a valid value; three capitals, as ISO 4217 has them: EUR; eur; ",
            id="capitals",
        ),
        pytest.param("{prices: {a: -1}}", "bill.prices.a: not a valid value; 0 or more; -1; ", id="limit"),
        pytest.param(
            "{spares_percent: {nic: 101}}",
            "bill.spares_percent.nic: not a valid value; 100 or less; 101; ",
            id="percent",
        ),
    ],
)
def test_a_message_about_the_bill_expects_what_it_accepts(tmp_path: Path, bill: str, expected: str) -> None:
    assert messages(tmp_path, bill) == [expected]


@pytest.mark.parametrize("key", ["prices", "power_w"])
@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan"])
def test_a_price_or_power_without_end_is_refused(tmp_path: Path, key: str, number: str) -> None:
    found = messages(tmp_path, f"{{{key}: {{SN5600: {number}}}}}")
    assert found == [f"bill.{key}.SN5600: not a valid value; a finite number; {number}; "]


def test_every_pattern_of_a_field_has_words_of_its_own() -> None:
    models = (Intent, DeviceList, NicFile, OpticFile, SwitchFile)
    found = {each for model in models for each in patterns(model.__pydantic_core_schema__)}
    assert len(found) > 3
    assert [each for each in found if each in pattern_in_words(each)] == []


def patterns(part: object) -> Iterator[str]:
    """Every pattern in what pydantic made of a model."""
    if isinstance(part, dict):
        yield from [part["pattern"]] if isinstance(part.get("pattern"), str) else []
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ():
        yield from patterns(each)


def test_a_name_that_is_also_a_field_is_looked_up_as_a_name(tmp_path: Path) -> None:
    text = LAB.read_text().replace("\nplanes:", "\nplanes:\n  mtu: {fabric: compute, host: 9000}", 1)
    (tmp_path / "fabric.yml").write_text(text)
    with pytest.raises(IntentError) as caught:
        load_intent(tmp_path / "fabric.yml")
    (unknown,) = (each for each in caught.value.problems if each.what == "planes.mtu.host: unknown key")
    assert unknown.expected.startswith("one of kind, cross_rail, link,")
