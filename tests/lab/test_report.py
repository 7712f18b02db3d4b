"""``nornir report``: one page for people, whole and by itself, that says what is wrong and what was not looked at."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import Operator, lab_of_its_own, small_site


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with lab_of_its_own(tmp_path_factory.mktemp("report"), small_site) as made:
        made.run("push", "--yes")
        yield made


def page(operator: Operator, tmp_path: Path, *words: str) -> str:
    operator.run("report", "--html", str(tmp_path / "page.html"), *words)
    return (tmp_path / "page.html").read_text()


def validated(operator: Operator, tmp_path: Path, code: int = 0) -> str:
    """The page of what is found now."""
    operator.run("validate", code=code)
    return page(operator, tmp_path)


def last_runs(operator: Operator) -> dict[str, str]:
    return {each.name: each.read_text() for each in operator.state.glob("*/lab-records/last_*.json")}


def boxes(text: str) -> dict[str, str]:
    """Switches of each box of the drawing -> the colour that the layer of faults has over it."""
    (layer,) = re.findall(r'<g id="faults" .*?</g>', text, re.DOTALL)
    over = dict(re.findall(r'<rect (x="[^"]*" y="[^"]*") [^>]*fill="([^"]*)" fill-opacity', layer))
    at = re.findall(r'<g class="box"><title>([^<]*)</title>\n<rect (x="[^"]*" y="[^"]*")', text)
    return {names: over[place] for names, place in at}


def test_a_cut_cable_is_the_first_thing_on_the_page_and_red_in_the_drawing(pushed: Operator, tmp_path: Path) -> None:
    whole = validated(pushed, tmp_path)
    pushed.run("lab", "cut", "leaf-g1-r0-u1")
    try:
        broken = validated(pushed, tmp_path, code=8)
    finally:
        pushed.run("lab", "mend")
    assert "None: everything that was tested is as the intent defines." in whole
    assert len(set(boxes(whole).values())) == 1
    cause = re.sub(r"<[^>]*>", "", broken.split('<div class="cause')[1].split("</div>")[0])
    assert "leaf-g1-r0 Ethernet63/1" in cause and "look at cable leaf-g1-r0-u1" in cause
    assert boxes(broken)["leaf-g1-r0"] != boxes(whole)["leaf-g1-r0"]
    assert broken.count("#c62828") > whole.count("#c62828")


def test_the_drawing_alone_has_what_was_found_as_a_layer(pushed: Operator, tmp_path: Path) -> None:
    file, plain = tmp_path / "site.svg", tmp_path / "plain.svg"
    validated(pushed, tmp_path)
    named = pushed.json("report", "--svg", str(file))
    pushed.run("design", "--svg", str(plain))
    pushed.run("report", "--svg", str(file), "--html", str(tmp_path / "page.html"), code=2)
    pushed.run("report", code=2)
    assert (named["file"], named["bytes"]) == (str(file), file.stat().st_size)
    assert boxes(file.read_text()).keys() == {"leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2"}
    assert 'id="faults"' not in plain.read_text()
    assert ">Ethernet63/1</tspan>" in file.read_text()


def test_the_page_loads_nothing_from_elsewhere_and_says_what_was_not_tested(pushed: Operator, tmp_path: Path) -> None:
    text = page(pushed, tmp_path, "--now")
    assert re.findall(r'(?:src|href)="|@import|url\(|<script', text) == []
    assert set(re.findall(r"https?://[^\"'<> ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "Pause frames, marking and buffers in silicon" in text
    assert {"pfc", "mtu", "class-path"} <= set(re.findall(r"<tr><td>([^<]+)</td>", text))


def test_another_teams_words_are_text_alone(pushed: Operator, tmp_path: Path) -> None:
    hand = pushed.hands()["leaf-g1-r0"]
    hand.configure("interface Ethernet63/1", "description <script>alert(1)</script>")
    try:
        text = validated(pushed, tmp_path, code=8)
    finally:
        pushed.run("push", "--yes")
    assert "<script>" not in text and "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_page_shows_what_was_found_last_with_its_age_and_what_changed_since(
    pushed: Operator, tmp_path: Path
) -> None:
    time.sleep(1.1)  # the journal has whole seconds: a push of this second may have begun after
    fresh = validated(pushed, tmp_path)
    assert re.search(r"From nornir validate, \d{4}-\d\d-\d\d \d\d:\d\d UTC, \d+ seconds before this page", fresh)
    assert "since then" not in fresh and "passed</span></h1>" in fresh
    pushed.hands()["leaf-g1-r0"].configure("interface Ethernet63/1", "description mine")
    assert "passed</span></h1>" in page(pushed, tmp_path)  # nothing is read for it
    pushed.run("push", "--yes")
    assert 'unknown">passed, before a change</span></h1>' in page(pushed, tmp_path)
    assert "A push or rollback began since then" in page(pushed, tmp_path)
    time.sleep(1.1)
    validated(pushed, tmp_path)
    intent = pushed.site / "fabric.yml"
    before = intent.read_text()
    intent.write_text(f"{before}# another word\n")
    try:
        changed = page(pushed, tmp_path)
    finally:
        intent.write_text(before)
    assert "fabric.yml was changed since then" in changed and "A push or rollback" not in changed


def test_what_is_kept_for_the_page_is_of_the_whole_site_for_its_owner_alone_and_has_no_secret(
    pushed: Operator, tmp_path: Path
) -> None:
    pushed.run("validate")
    before = last_runs(pushed)
    pushed.run("validate", "--plane", "compute")
    pushed.run("validate", "--only", "port")
    pushed.run("plan", "--limit", "spine-1")
    assert last_runs(pushed) == before
    assert {"last_validate.json", "last_plan.json"} <= before.keys()
    assert {each.stat().st_mode & 0o777 for each in pushed.state.glob("*/lab-records/last_*.json")} == {0o600}
    secrets = [each.read_text().strip() for each in pushed.lab.glob(".secrets/*")]
    assert secrets and not [each for each in secrets for text in before.values() if each in text]


def test_a_page_before_any_run_names_what_to_run_and_reads_no_switch(tmp_path: Path) -> None:
    operator = small_site(tmp_path)  # whose lab is not up
    text = page(operator, tmp_path)
    assert "not validated</span></h1>" in text and "<h2>Causes</h2>" not in text
    assert set(re.findall(r"is there yet. <code>([^<]*)</code>", text)) == {
        "nornir validate",
        "nornir plan",
        "nornir prove",
    }
    assert last_runs(operator) == {}


def test_what_was_kept_and_is_spoilt_is_named_and_a_verb_goes_on_without_keeping(
    pushed: Operator, tmp_path: Path
) -> None:
    pushed.run("validate")
    (file,) = pushed.state.glob("*/lab-records/last_validate.json")
    file.write_text("{")
    refused = pushed.run("report", "--html", str(tmp_path / "page.html"), code=11)
    assert "last_validate.json" in refused and "nornir validate" in refused
    file.unlink()
    file.mkdir()
    try:
        assert "warning: " in pushed.run("validate")
    finally:
        file.rmdir()


def test_the_page_goes_to_stdout_or_is_named_in_json_but_not_both(pushed: Operator, tmp_path: Path) -> None:
    assert pushed.run("report", "--html", "-").startswith("<!doctype html>")
    file = tmp_path / "page.html"
    named = pushed.json("report", "--html", str(file))
    assert (named["file"], named["bytes"]) == (str(file), file.stat().st_size)
    pushed.run("report", "--html", "-", "--json", code=2)
    pushed.run("report", "--html", str(tmp_path / "gone" / "page.html"), code=11)
