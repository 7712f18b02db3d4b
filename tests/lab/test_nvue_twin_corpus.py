"""The NVUE twin takes and refuses what the collected NVUE configurations say the switch takes and refuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from described_lab import LabDescription
from nvue_client import Entry, Nvue, corpus

from switch_twins.nvue.nvset import CommandError, to_patch
from switch_twins.nvue.schema import schema_for

RELEASES = ("5.13", "5.14", "5.15", "5.16", "5.17", "5.18")
COLLECTED = ("5.14", "5.16")
"""The releases whose manuals were gone through; of the others there is what differs, or what nobody had seen."""
RENDERED = ("interfaces", "lldp", "qos", "bgp", "routing_policy", "static_routes", "bfd", "hashing", "services")
KINDS = {"unknown-keyword", "out-of-range", "wrong-type", "unknown-reference", "wrong-mode", "wrong-release"}
ACCEPT, REJECT = tuple(corpus("accept.txt")), tuple(corpus("reject.txt"))


def _cases(entries: tuple[Entry, ...]) -> list[Any]:
    return [
        pytest.param(entry, release, id=f"{release}:{entry.number}") for entry in entries for release in entry.releases
    ]


@pytest.fixture(scope="module")
def switches(start_module_lab: Any, tmp_path_factory: Any) -> dict[str, Nvue]:
    """One switch per release, in one lab process."""

    description = LabDescription(tmp_path_factory.mktemp("corpus") / "lab")
    for release in RELEASES:
        description.add_device(f"spine-{release}", "nvue", release=f"{release}.0")
    lab = start_module_lab(description)
    auth = (description.username, description.password)
    return {release: Nvue(lab.url(f"spine-{release}"), lab.ca, auth) for release in RELEASES}


def _patch(text: str, form: str, release: str) -> Any:
    return to_patch(schema_for(release), text) if form == "nv-set" else json.loads(text)


def test_the_corpus_covers_every_rendered_section_and_reaches_beyond_a_fabric_template(
    figure: Callable[[str], None],
) -> None:
    counted, foreign = Counter(e.section for e in ACCEPT), Counter(e.section for e in ACCEPT if e.emitted == "no")
    refused = Counter(e.section for e in REJECT)
    rows = (f"{each} {counted[each]} ({foreign[each]}) {refused[each]}" for each in sorted(counted))
    figure("nvue, section: accepted (of them never rendered) refused: " + ", ".join(rows))
    assert all(counted[section] >= 5 and foreign[section] * 2 >= counted[section] for section in RENDERED)
    assert all(refused[section] >= 2 for section in RENDERED)
    assert {e.error for e in REJECT} == KINDS
    assert all(e.source and set(e.releases) <= set(RELEASES) for e in (*ACCEPT, *REJECT))
    assert {e.emitted for e in ACCEPT} == {"no", "likely"}


@pytest.mark.parametrize("release", RELEASES)
def test_every_accepted_entry_is_taken_by_the_server(release: str, switches: dict[str, Nvue]) -> None:
    nvue = switches[release]
    entries = [entry for entry in ACCEPT if release in entry.releases]
    rev = nvue.revision()
    for entry in entries:
        answer = nvue.patch(rev, _patch(entry.text, entry.form, release))
        assert answer.status_code == 200, f"accept.txt:{entry.number} {entry.text}: {answer.text}"
    assert len(entries) > (100 if release in COLLECTED else 3)


def test_5_16_takes_accepted_commands_as_plain_text_and_5_14_does_not(switches: dict[str, Nvue]) -> None:
    lines = "\n".join(e.text for e in ACCEPT if e.form == "nv-set" and "5.16" in e.releases)
    nvue = switches["5.16"]
    answer = nvue.ask("PATCH", params={"rev": nvue.revision()}, data=lines, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 200, answer.text
    old = switches["5.14"]
    answer = old.ask("PATCH", params={"rev": old.revision()}, data=lines, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415


@pytest.mark.parametrize(("entry", "release"), _cases(tuple(e for e in REJECT if e.at == "patch")))
def test_a_rejected_entry_is_refused_and_stores_nothing(entry: Entry, release: str, switches: dict[str, Nvue]) -> None:
    nvue = switches[release]
    try:
        body = _patch(entry.text, entry.form, release)
    except CommandError:
        assert entry.error in ("wrong-release", "unknown-keyword"), "the command reader refuses words only"
        return
    rev = nvue.revision()
    before = nvue.config(rev)
    answer = nvue.patch(rev, body)
    assert answer.status_code == 400, f"reject.txt:{entry.number} {entry.text}"
    (found, *_) = answer.json()["validation"]["selected_errors"]
    assert found["error"] and "instanceLocation" in found
    assert nvue.config(rev) == before, "a refused PATCH must change nothing"
    if entry.error in ("unknown-keyword", "wrong-type", "out-of-range"):
        assert entry.error in {mistake.kind for mistake in schema_for(release).mistakes(body)}


@pytest.mark.parametrize(("entry", "release"), _cases(tuple(e for e in REJECT if e.at == "apply")))
def test_an_entry_rejected_at_apply_is_invalid_and_does_not_run(
    entry: Entry, release: str, switches: dict[str, Nvue]
) -> None:
    nvue = switches[release]
    before = nvue.config()
    rev = nvue.revision()
    for line in entry.before:
        assert nvue.patch(rev, _patch(line, "nv-set", release)).status_code == 200
    assert nvue.patch(rev, _patch(entry.text, entry.form, release)).status_code == 200, entry.text
    assert nvue.apply(rev) == "invalid", f"reject.txt:{entry.number} {entry.text}"
    body = nvue.get(f"revision/{rev}")
    assert body["transition"]["progress"] == "Invalid config"
    issue = body["transition"]["issue"]["0"]
    assert set(issue) == {"code", "data", "message", "severity"} and issue["code"] == "config_invalid"
    assert issue["message"] == f"Config invalid at {issue['data']['location']}: {issue['data']['reason']}"
    assert nvue.config() == before, "what was refused must not run"


@pytest.mark.parametrize("release", RELEASES)
def test_an_unknown_key_is_refused_at_every_depth(release: str, switches: dict[str, Nvue]) -> None:
    nvue = switches[release]
    rev = nvue.revision()
    path: list[str] = ["vrf", "default", "router", "bgp", "neighbor", "10.0.0.1", "address-family", "ipv4-unicast"]
    for depth in (0, 2, 3, 4, 6, 7, 8):
        body: Any = {"no-such-key": 1}
        for key in reversed(path[:depth]):
            body = {key: body}
        answer = nvue.patch(rev, body)
        assert answer.status_code == 400, f"depth {depth}"
        assert answer.json()["validation"]["selected_errors"][0]["instanceLocation"].count("/") == depth
