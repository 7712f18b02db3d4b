"""The password of an upstream's sessions, pushed over the wire: routers get it, and nothing that anybody reads does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.at_terminal import ROOT, Operator, lab_of_its_own

FIRST, NEW, WRONG = "Kp4-first-word", "Kp4-second-word", "two words"
ROUTERS = ("edge-1", "edge-2")
HIDDEN = '"password": "*"'
"""As Cumulus Linux shows it."""


def edge_site(where: Path) -> Operator:
    """tests/sites/edge with a lab, the sessions with isp-a signed."""
    folder = where / "edge"
    shutil.copytree(ROOT / "tests" / "sites" / "edge", folder)
    file = folder / "fabric.yml"
    text = file.read_text().replace("      edge: 1\n", "      edge: 1\n      md5: !secret isp-a-bgp\n", 1)
    file.write_text(f"{text}management: {{source: lab}}\n")
    return Operator(folder, where / "state")


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("password"), edge_site) as made:
        yield made


def keep(operator: Operator, value: str) -> None:
    folder = operator.site / ".secrets"
    folder.mkdir(exist_ok=True)
    (folder / "isp-a-bgp").touch(mode=0o600)
    (folder / "isp-a-bgp").write_text(f"{value}\n")


def kept(operator: Operator) -> Iterator[tuple[str, bytes]]:
    """All files of the site's state but those that the lab's switches themselves have."""
    for path in operator.state.rglob("*"):
        if path.is_file() and "lab" not in path.relative_to(operator.state).parts:
            yield str(path), path.read_bytes()


def test_a_password_is_sent_once_shown_to_nobody_and_sent_anew_when_it_changes(operator: Operator) -> None:
    printed = [operator.run("plan", "--plane", "boundary", code=3)]
    assert "the secret 'isp-a-bgp' has no value" in printed[0]

    keep(operator, WRONG)
    printed.append(operator.run("plan", "--plane", "boundary", code=3))
    assert "the value of the secret 'isp-a-bgp' is no password of BGP sessions of nvue" in printed[-1]

    keep(operator, FIRST)
    printed.append(operator.run("push", "--plane", "boundary", "--yes"))
    assert "2 of 2 changed" in printed[-1]
    shown = {name: str(operator.control.ask("running-config", device=name)) for name in ROUTERS}
    # of both families' sessions; the other router has none with that upstream
    assert {name: text.count(HIDDEN) for name, text in shown.items()} == {"edge-1": 2, "edge-2": 0}
    printed.append(operator.run("push", "--plane", "boundary", "--yes"))
    assert "0 of 2 changed" in printed[-1]

    keep(operator, NEW)
    printed.append(operator.run("plan", "--plane", "boundary"))
    assert "1 of 2 switches would change" in printed[-1]
    printed.append(operator.run("push", "--plane", "boundary", "--yes"))
    assert "1 of 2 changed" in printed[-1]
    printed.append(operator.run("plan", "--plane", "boundary"))
    assert "0 of 2 switches would change" in printed[-1]
    assert "edge-1: cannot be compared, as the switch does not show it" in printed[-1]

    # the lab's upstream signs as well; another network's router that does not has no session
    report = operator.json("validate", "--plane", "boundary")
    assert {each["verdict"] for each in report["findings"] if each["check"] == "bgp"} == {"pass"}

    everything = [*printed, *(data.decode(errors="replace") for _, data in kept(operator))]
    assert not [text for text in everything for value in (FIRST, NEW, WRONG) if value in text]
