"""What is really so on a switch: asked by hand, through each system's own API, with no code of the product."""

from dataclasses import dataclass
from typing import Any

import requests
from by_hand import Hand

OURS = "gpufabric-"
"""Our sessions and files begin so."""
_NVUE_AT_REST = ("applied", "applied_and_saved", "confirm_fail")
"""States of a revision that is history: it ran, runs, or was taken back."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One switch at one moment."""

    running: str
    is_timed: bool
    """A commit waits for its confirmation, and goes back when its time is over."""
    is_saved: bool
    """A reboot changes nothing."""
    leftovers: tuple[str, ...]
    """What a push left behind: sessions and revisions nobody will finish, files."""


def truth(hand: Hand) -> Truth:
    """Ask one switch."""
    return {"eos": _eos, "nxos": _nxos, "nvue": _nvue}[hand.os](hand)


def clear(hand: Hand) -> None:
    """Remove by hand what was left; for the next trial, whatever this one did."""
    if hand.os == "eos":
        for name, state in _eos_sessions(hand).items():
            if state != "completed":
                hand.eapi(f"configure session {name} abort")
    elif hand.os == "nxos":
        for name in _nxos_files(hand):
            hand.nxapi(f"delete bootflash:{name} no-prompt")
    else:
        for name, state in _revisions(hand).items():
            if state not in _NVUE_AT_REST:
                _nvue_request(hand, "DELETE", f"revision/{name}")


def _eos(hand: Hand) -> Truth:
    shown = hand.eapi("show running-config", "show startup-config", "show configuration checkpoints")
    running, startup, checkpoints = (str(each["output"]) for each in shown)
    sessions = _eos_sessions(hand)
    left = [f"session {name} ({state})" for name, state in sessions.items() if state == "pending"]
    return Truth(
        running,
        is_timed="pendingCommitTimer" in sessions.values(),
        is_saved=_without_head(running) == _without_head(startup),
        leftovers=(*left, *_ours(checkpoints)),
    )


def _without_head(text: str) -> list[str]:
    return [row for row in text.splitlines() if not row.startswith("! Command")]


def _eos_sessions(hand: Hand) -> dict[str, str]:
    found = hand.eapi("show configuration sessions detail", form="json")[0]
    waiting = found.get("commitTimerSessionName")
    states = {name: str(each["state"]) for name, each in found["sessions"].items()}
    return {name: "pendingCommitTimer" if name == waiting else state for name, state in states.items()}


def _nxos(hand: Hand) -> Truth:
    commands = ("show running-config", "show startup-config", "show config-replace status", "show checkpoint summary")
    running, startup, status, checkpoints = (str(each) for each in hand.nxapi(*commands))
    rows = [
        "".join(row for row in text.splitlines(keepends=True) if not row.startswith("!")).strip()
        for text in (running, startup)
    ]
    return Truth(
        rows[0],
        is_timed="waiting for commit" in status,
        is_saved=rows[0] == rows[1],
        leftovers=(*(f"file {name}" for name in _nxos_files(hand)), *_ours(checkpoints)),
    )


def _ours(checkpoints: str) -> list[str]:
    return [f"checkpoint {word}" for word in checkpoints.split() if word.startswith(OURS)]


def _nxos_files(hand: Hand) -> list[str]:
    listing = str(hand.nxapi("dir bootflash:")[0])
    return [word for word in listing.split() if word.startswith(OURS)]


def _nvue(hand: Hand) -> Truth:
    revisions = _revisions(hand)
    running, startup = (_nvue_request(hand, "GET", "", rev=rev) for rev in ("applied", "startup"))
    return Truth(
        running,
        is_timed="confirm" in revisions.values(),
        is_saved=running == startup,
        leftovers=tuple(
            f"revision {name} ({state})"
            for name, state in revisions.items()
            if state not in (*_NVUE_AT_REST, "confirm")
        ),
    )


def _revisions(hand: Hand) -> dict[str, str]:
    answer = requests.get(f"{hand.url}/nvue_v1/revision", auth=hand.auth, verify=hand.ca, timeout=20)
    found: dict[str, Any] = answer.json()
    return {name: str(each["state"]) for name, each in found.items()}


def _nvue_request(hand: Hand, method: str, path: str, **query: str) -> str:
    parameters = {"filled": "false", "expand": "true", **query} if query else {}
    answer = requests.request(
        method, f"{hand.url}/nvue_v1/{path}", params=parameters, auth=hand.auth, verify=hand.ca, timeout=20
    )
    assert answer.ok, answer.text
    return answer.text
