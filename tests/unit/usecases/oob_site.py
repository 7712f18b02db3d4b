"""The lab's intent with an out-of-band plane, from the examples of the intent's page."""

from pathlib import Path

from ruamel.yaml import YAML

import nornir_tasks.intent as intent_package
from nornir_tasks.files.resources import resource

EXAMPLE = "an out-of-band plane, with a place for everything that has a management port"


def write_oob_intent(file: Path, *, more: str = "") -> None:
    """Write the lab's intent, of real switches, with that plane."""
    editor = YAML()
    editor.preserve_quotes = True
    lab = editor.load(resource("inventory") / "lab" / "fabric.yml")
    examples = editor.load(Path(intent_package.__file__).with_name("examples.yml"))
    example = examples[EXAMPLE]
    example.pop("base", None)  # each test says itself what is managed
    _add(lab, example)
    lab["management"]["source"] = "devices"
    for hosts in lab["hosts"].values():
        hosts["out_of_band"] = ["bmc"]
    with file.open("w", encoding="utf-8") as stream:
        editor.dump(lab, stream)
        stream.write(more)


def _add(into: dict[str, object], more: dict[str, object]) -> None:
    for key, value in more.items():
        there = into.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            _add(there, value)
        else:
            into[key] = value
