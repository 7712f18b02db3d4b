"""``nornir report``: one page for people, whole and by itself, that says what is wrong and what was not looked at."""

import re
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


def boxes(text: str) -> dict[str, str]:
    """Switches of each box of the drawing -> the colour that the layer of faults has over it."""
    (layer,) = re.findall(r'<g id="faults" .*?</g>', text, re.DOTALL)
    over = dict(re.findall(r'<rect (x="[^"]*" y="[^"]*") [^>]*fill="([^"]*)" fill-opacity', layer))
    at = re.findall(r'<g class="box"><title>([^<]*)</title>\n<rect (x="[^"]*" y="[^"]*")', text)
    return {names: over[place] for names, place in at}


def test_a_cut_cable_is_the_first_thing_on_the_page_and_red_in_the_drawing(pushed: Operator, tmp_path: Path) -> None:
    whole = page(pushed, tmp_path, "--unproved")
    pushed.run("lab", "cut", "leaf-g1-r0-u1")
    try:
        broken = page(pushed, tmp_path, "--unproved")
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
    named = pushed.json("report", "--svg", str(file))
    pushed.run("design", "--svg", str(plain))
    pushed.run("report", "--svg", str(file), "--html", str(tmp_path / "page.html"), code=2)
    pushed.run("report", code=2)
    assert (named["file"], named["bytes"]) == (str(file), file.stat().st_size)
    assert boxes(file.read_text()).keys() == {"leaf-g1-r0", "leaf-g1-r1", "spine-1", "spine-2"}
    assert 'id="faults"' not in plain.read_text()
    assert ">Ethernet63/1</tspan>" in file.read_text()


def test_the_page_loads_nothing_from_elsewhere_and_says_what_was_not_tested(pushed: Operator, tmp_path: Path) -> None:
    text = page(pushed, tmp_path)
    assert re.findall(r'(?:src|href)="|@import|url\(|<script', text) == []
    assert set(re.findall(r"https?://[^\"'<> ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "Pause frames, marking and buffers in silicon" in text
    assert {"pfc", "mtu", "class-path"} <= set(re.findall(r"<tr><td>([^<]+)</td>", text))


def test_a_page_of_no_switch_says_so_and_another_teams_words_are_text_alone(pushed: Operator, tmp_path: Path) -> None:
    offline = page(pushed, tmp_path, "--offline", "--unproved")
    assert "The switches: none was asked." in offline and "<h2>Causes</h2>" not in offline
    hand = pushed.hands()["leaf-g1-r0"]
    hand.configure("interface Ethernet63/1", "description <script>alert(1)</script>")
    try:
        text = page(pushed, tmp_path, "--unproved")
    finally:
        pushed.run("push", "--yes")
    assert "<script>" not in text and "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_page_goes_to_stdout_or_is_named_in_json_but_not_both(pushed: Operator, tmp_path: Path) -> None:
    assert pushed.run("report", "--html", "-", "--offline", "--unproved").startswith("<!doctype html>")
    file = tmp_path / "page.html"
    named = pushed.json("report", "--html", str(file), "--offline", "--unproved")
    assert (named["file"], named["bytes"]) == (str(file), file.stat().st_size)
    pushed.run("report", "--html", "-", "--json", code=2)
    pushed.run("report", "--html", str(tmp_path / "gone" / "page.html"), "--offline", "--unproved", code=11)
