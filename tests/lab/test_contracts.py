"""What programs rely on of verbs that reach switches: their JSON, exit codes, JUnit and SARIF, one check alone."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from at_terminal import Operator, lab_of_its_own, small_site

from nornir_tasks.checks.suite import ABOUT

pytestmark = pytest.mark.xdist_group("contracts")
WOULD_CHANGE = 12
LEAF, PORT = "leaf-g1-r0", "Ethernet63/1"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The switches run what the intent says, but for a port of one of them."""
    with lab_of_its_own(tmp_path_factory.mktemp("contracts"), small_site) as made:
        changing = made.json("plan", "--detailed-exitcode", code=WOULD_CHANGE)
        assert changing["changing"] == len(changing["devices"]) == 4
        assert made.json("plan")["changing"] == 4
        pushed = made.json("push", "--yes")
        assert len(pushed["changed"]) == 4
        assert made.json("plan", "--detailed-exitcode")["changing"] == 0
        assert made.json("pushes")["pushes"][0]["state"] == "confirmed"
        assert made.json("lab", "status")["up"]
        made.hands()[LEAF].configure(f"interface {PORT}", "shutdown")
        yield made


def suites(file: Path) -> dict[str, ElementTree.Element]:
    return {each.attrib["name"]: each for each in ElementTree.parse(file).getroot()}


def results(file: Path) -> list[dict[str, Any]]:
    (run,) = json.loads(file.read_text())["runs"]
    assert {each["ruleId"] for each in run["results"]} == {each["id"] for each in run["tool"]["driver"]["rules"]}
    return run["results"]  # type: ignore[no-any-return]


def test_a_plan_is_a_case_for_each_switch_and_one_that_would_change_fails(lab: Operator, tmp_path: Path) -> None:
    files = tmp_path / "plan.xml", tmp_path / "plan.sarif"
    lab.run("plan", "--junit", str(files[0]), "--sarif", str(files[1]), "--detailed-exitcode", code=WOULD_CHANGE)
    change = suites(files[0])["change"]
    assert (change.attrib["tests"], change.attrib["failures"]) == ("4", "1")
    (failed,) = change.findall("testcase/failure")
    assert "shutdown" in (failed.text or "")
    kinds = [(each["kind"], each["message"]["text"].partition(":")[0]) for each in results(files[1])]
    assert [name for kind, name in kinds if kind == "fail"] == [LEAF]
    assert [kind for kind, _ in kinds].count("pass") == 3


def test_validate_has_a_suite_for_each_check_with_its_causes_and_remedies(lab: Operator, tmp_path: Path) -> None:
    files = tmp_path / "validate.xml", tmp_path / "validate.sarif"
    report = lab.json("validate", "--all", "--junit", str(files[0]), "--sarif", str(files[1]), code=8)
    found = suites(files[0])
    assert list(found) == [each.name for each in ABOUT if each.name in {one["check"] for one in report["findings"]}]
    assert sum(int(each.attrib["failures"]) for each in found.values()) == report["failed"] > 1
    (lead,) = report["causes"]
    texts = [each.text or "" for each in ElementTree.parse(files[0]).getroot().iter("failure")]
    assert sum("hint: " in each for each in texts) == 1
    assert sum(f"follows from: {lead}" in each for each in texts) == report["failed"] - 1
    failed = [each for each in results(files[1]) if each["kind"] == "fail"]
    assert len(failed) == report["failed"]
    assert all(each["level"] == "error" and each["locations"] for each in failed)


def test_validate_leaves_out_what_passed_and_keeps_its_counts(lab: Operator) -> None:
    short = json.JSONDecoder().raw_decode(lab.run("validate", "--json", code=8))[0]
    long = lab.json("validate", code=8)
    assert short["findings"] == [each for each in long["findings"] if each["verdict"] != "pass"]
    assert len(long["findings"]) > 10 * len(short["findings"])
    assert {key: short[key] for key in ("tested", "of", "failed", "causes")} == {
        key: long[key] for key in ("tested", "of", "failed", "causes")
    }


def test_one_check_alone_is_judged_and_is_its_own_cause(lab: Operator) -> None:
    every = lab.json("validate", code=8)
    assert {each["check"] for each in every["findings"] if each["id"] in every["causes"]} == {"config"}
    alone = lab.json("validate", "--only", "bgp", code=8)
    assert alone["only"] == ["bgp"]
    assert {each["check"] for each in alone["findings"]} == {"bgp"}
    assert alone["of"] == sum(each["check"] == "bgp" for each in every["findings"])
    assert {each["check"] for each in alone["findings"] if each["id"] in alone["causes"]} == {"bgp"}
    both = lab.json("validate", "--only", "mtu", "--only", "lacp")
    assert both["only"] == ["lacp", "mtu"]
    assert {each["check"] for each in both["findings"]} == {"mtu"}


def test_of_a_switch_that_does_not_answer_one_check_could_not_tell(lab: Operator) -> None:
    of_all = lab.json("validate", "--only", "mtu")["of"]
    devices = lab.lab / "devices.yml"
    listed = devices.read_text()
    devices.write_text(f"timeout_s: 5\n{listed}")
    lab.json("lab", "freeze", "spine-2")
    try:
        found = lab.json("validate", "--only", "mtu", code=9)
    finally:
        devices.write_text(listed)
        lab.json("lab", "mend", "spine-2")
    assert found["of"] == of_all
    assert found["tested"] < of_all
    assert found["causes"] == ["reach spine-2"]
    assert {each["check"] for each in found["findings"] if each["verdict"] == "could not tell"} == {"reach", "mtu"}


def test_a_pinned_certificate_is_a_document(lab: Operator, tmp_path: Path) -> None:
    real = Operator(tmp_path / "real", tmp_path / "state")
    shutil.copytree(lab.site, real.site)
    intent = real.site / "fabric.yml"
    intent.write_text(intent.read_text().replace("source: lab ", "source: devices "))
    for name in ("devices.yml", "ca.pem", "known_hosts"):
        shutil.copy(lab.lab / name, real.site / name)
    (real.site / ".secrets").mkdir(mode=0o700)
    password = real.site / ".secrets" / "switch_password"
    shutil.copy(json.loads((lab.lab / "spec.json").read_text())["password_file"], password)
    password.chmod(0o600)
    assert real.json("trust", LEAF, "--yes")["changed"]
    assert not real.json("trust", LEAF, "--yes")["changed"]


def test_a_rollback_is_a_document(lab: Operator) -> None:
    lab.hands()[LEAF].configure(f"interface {PORT}", "no shutdown")
    try:
        assert len(lab.json("rollback", "--yes")["changed"]) == 4
    finally:
        lab.run("push", "--yes")
        lab.hands()[LEAF].configure(f"interface {PORT}", "shutdown")
