"""The lab's intent, which has an out-of-band plane, for real switches; each test says itself what base manages."""

from pathlib import Path

from ruamel.yaml import YAML

from nornir_tasks.files.resources import resource


def write_oob_intent(file: Path, *, more: str = "") -> None:
    """Write it, with further keys."""
    editor = YAML()
    editor.preserve_quotes = True
    lab = editor.load(resource("inventory") / "lab" / "fabric.yml")
    lab.pop("base", None)
    for fabric in lab["fabrics"].values():
        fabric.pop("base", None)
    lab["management"]["source"] = "devices"
    with file.open("w", encoding="utf-8") as stream:
        editor.dump(lab, stream)
        stream.write(more)
