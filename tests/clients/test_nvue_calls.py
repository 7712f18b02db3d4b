"""NVUE's calls as its "NVUE API" page has them (Cumulus Linux documentation, System Configuration), by `requests`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
import yaml
from at_terminal import Operator
from by_hand import hands
from case import Case, prove
from faults import Fault, killed, set_on_nvue
from nvue_client import Nvue

FROZEN = yaml.safe_load((Path(__file__).parent / "frozen.yml").read_text(encoding="utf-8"))["nvue.calls"]
SWITCH, PORT = "spine-1", "swp60"
"""A port that no cable of the intent is in, and that is shut."""
APPLIED_PORT = "swp62"
"""Another one, where a revision that waited may be carried out late."""
MINE = {"interface": {PORT: {"description": "mine"}}}
ENDED = (
    "pending",
    "applied",
    "applied_and_saved",
    "invalid",
    "ays_fail",
    "confirm_fail",
    "detached",
    "empty",
    "startup",
)
BEGINS_WITHIN_S = 2.0
"""An apply that has not begun by then, while another one waits for confirmation, waits for that one."""
AT = f"interface/{PORT}/description"


def create_revision(switch: Nvue) -> None:
    rev = switch.revision()
    assert switch.get(f"revision/{rev}")["state"] == "pending"
    switch.ask("DELETE", f"revision/{rev}")


def patch_revision(switch: Nvue) -> None:
    """A revision begins with what is applied, and holds what was patched."""
    with revision(switch) as rev:
        before = switch.config()
        switch.patch(rev, MINE)
        after = switch.config(rev)
        assert after["interface"][PORT]["description"] == "mine"
        others = {name: each for name, each in after["interface"].items() if name != PORT}
        assert others == {name: each for name, each in before["interface"].items() if name != PORT}
        assert "description" not in before["interface"].get(PORT, {}), "somebody described the port"


def diff_of_revision(switch: Nvue) -> None:
    with revision(switch) as rev:
        switch.patch(rev, MINE)
        changes = switch.get("", rev=rev, diff="applied", filled="false")
        assert changes.get("interface", {}).get(PORT, {}).get("description") == "mine", f"no change: {changes}"


def apply(switch: Nvue) -> None:
    rev = switch.revision()
    assert switch.patch(rev, {"interface": {APPLIED_PORT: {"description": "mine"}}}).status_code == 200
    assert switch.ask("PATCH", f"revision/{rev}", json={"state": "apply", "auto-prompt": {"ays": "ays_yes"}}).ok
    _begins(switch, rev)
    state = switch.wait(rev, *(each for each in ENDED if each != "pending"))
    _take_back(switch)
    assert state == "applied_and_saved", f"ended as {state}"


def read_applied(switch: Nvue) -> None:
    answer = switch.ask("GET", f"interface/{PORT}", params={"rev": "applied", "filled": "false"})
    assert "description" not in answer.text, f"applied: {answer.text}"


def delete_setting(switch: Nvue) -> None:
    """What is not set cannot be deleted (404); what is set is gone from the revision."""
    with revision(switch) as rev:
        assert switch.ask("DELETE", AT, params={"rev": rev}).status_code == 404, "it was set"
        switch.patch(rev, MINE)
        assert switch.ask("DELETE", AT, params={"rev": rev}).status_code == 204
        assert "description" not in switch.config(rev)["interface"].get(PORT, {})


def refused_revision(switch: Nvue) -> None:
    """A value outside the schema is refused with the place, and the revision is as it was."""
    with revision(switch) as rev:
        refused = switch.patch(rev, {"interface": {PORT: {"link": {"mtu": "huge"}}}})
        assert refused.status_code == 400
        assert f"/interface/{PORT}/link/mtu" in refused.text
        assert switch.config(rev) == switch.config(), "changed by what was refused"
        assert "description" not in switch.config(rev)["interface"][PORT], "somebody set something there"


def save(switch: Nvue) -> None:
    """What is applied is saved by itself: the startup configuration has it."""
    there = switch.config("startup")["interface"][PORT]
    assert "description" not in there, f"saved: what somebody set: {there}"


@contextmanager
def revision(switch: Nvue) -> Iterator[str]:
    """A revision that is not applied."""
    rev = switch.revision()
    try:
        yield rev
    finally:
        switch.ask("DELETE", f"revision/{rev}")


def _begins(switch: Nvue, rev: str) -> None:
    """No apply of anybody waits for confirmation, or this one is carried out nevertheless."""
    end_s = time.monotonic() + BEGINS_WITHIN_S
    while "confirm" in {each["state"] for each in switch.get("revision").values()}:
        state = switch.get(f"revision/{rev}")["state"]
        if state != "apply":
            return
        assert time.monotonic() < end_s, f"revision {rev} stays {state}"
        time.sleep(0.01)


def _take_back(switch: Nvue) -> None:
    rev = switch.revision()
    switch.ask("DELETE", f"interface/{APPLIED_PORT}/description", params={"rev": rev})
    switch.apply(rev)


@contextmanager
def somebody_waits_for_confirmation(lab: Operator) -> Iterator[None]:
    """An apply of somebody else's that waits: until it is confirmed no other is carried out."""
    switch = client(lab)
    rev = switch.revision()
    switch.patch(rev, {"interface": {"swp61": {"description": "theirs"}}})
    assert switch.apply(rev, confirm_s=600) == "confirm"
    try:
        yield
    finally:
        switch.ask("PATCH", f"revision/{rev}", json={"state": "confirm_no"})
        switch.wait(rev, "confirm_fail")
        for waiting in list(switch.get("revision")):  # they are carried out now, one after the other
            switch.wait(waiting, *ENDED)
        _take_back(switch)


DESCRIBED = set_on_nvue(SWITCH, {"interface": {PORT: {"description": "mine"}}})
CALLS: dict[str, tuple[Callable[[Nvue], None], Fault, str]] = {
    "create_revision": (create_revision, killed(SWITCH), "no answer"),
    "patch_revision": (patch_revision, DESCRIBED, "somebody described"),
    "diff_of_revision": (diff_of_revision, DESCRIBED, "no change"),
    "apply": (apply, somebody_waits_for_confirmation, "stays apply"),
    "read_applied": (read_applied, DESCRIBED, "applied: .*mine"),
    "delete_setting": (delete_setting, DESCRIBED, "it was set"),
    "refused_revision": (refused_revision, DESCRIBED, "somebody set something"),
    "save": (save, DESCRIBED, "saved: what somebody set"),
}


def client(lab: Operator) -> Nvue:
    hand = hands(lab.lab)[SWITCH]
    return Nvue(hand.url, hand.ca, hand.auth)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FROZEN)
def test_a_call_does_what_the_page_says_until_somebody_is_in_its_way(name: str, pushed_lab: Operator) -> None:
    call, fault, message = CALLS[name]

    def run(lab: Operator) -> None:
        try:
            call(client(lab))
        except requests.RequestException as error:
            raise AssertionError(f"no answer: {type(error).__name__}") from error

    prove(Case(run, fault, message), pushed_lab)
