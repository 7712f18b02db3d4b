"""A plain NVUE REST client for tests: requests, the lab's CA, one keep-alive session; no code of the product."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

CORPUS = Path(__file__).parents[1] / "corpus" / "nvue"
POLL_LIMIT_S = 60.0


@dataclass(frozen=True)
class Entry:
    """One line of the corpus with its block's header."""

    number: int
    text: str
    section: str
    releases: tuple[str, ...]
    form: str
    source: str
    emitted: str = ""
    error: str = ""
    at: str = "patch"
    before: tuple[str, ...] = ()


def corpus(name: str) -> Iterator[Entry]:
    """Every entry of accept.txt or reject.txt."""
    header: dict[str, Any] = {"with": []}
    for number, line in enumerate((CORPUS / name).read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            header = {"with": []}
        elif line.startswith("#"):
            key, _, value = line[1:].strip().partition(": ")
            if key == "with":
                header["with"].append(value)
            elif key in ("section", "release", "form", "source", "emitted", "error", "at"):
                header[key] = value
        else:
            yield Entry(
                number,
                line,
                header["section"],
                tuple(header["release"].split()),
                header["form"],
                header["source"],
                header.get("emitted", ""),
                header.get("error", ""),
                header.get("at", "patch"),
                tuple(header["with"]),
            )


@dataclass
class Nvue:
    """One switch as a client sees it."""

    url: str
    ca: str
    auth: tuple[str, str]
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.session.trust_env = False  # an environment with REQUESTS_CA_BUNDLE would win over session.verify
        self.session.verify, self.session.auth = self.ca, self.auth

    def ask(self, method: str, path: str = "", **options: Any) -> requests.Response:
        """One request; nothing is raised for an error status."""
        return self.session.request(method, f"{self.url}/nvue_v1/{path.lstrip('/')}", timeout=20, **options)

    def get(self, path: str = "", **parameters: Any) -> Any:
        """The decoded body of a GET that must succeed."""
        answer = self.ask("GET", path, params=parameters)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def config(self, rev: str = "applied", path: str = "") -> Any:
        """A configuration without defaults and without ranges."""
        return self.get(path, rev=rev, filled="false", expand="true")

    def revision(self) -> str:
        """A new revision's id."""
        (name,) = self.ask("POST", "revision").json()
        return str(name)

    def patch(self, rev: str, body: Any, path: str = "") -> requests.Response:
        """PATCH a subtree into a revision."""
        return self.ask("PATCH", path, params={"rev": rev}, json=body)

    def apply(self, rev: str, confirm_s: int | None = None, ays: str | None = "ays_yes") -> str:
        """Ask for an apply and poll until it has ended or waits for someone; returns the state."""
        body: dict[str, Any] = {"state": "apply"}
        if ays is not None:
            body["auto-prompt"] = {"ays": ays}
        if confirm_s is not None:
            body["state-controls"] = {"confirm": confirm_s}
        answer = self.ask("PATCH", f"revision/{rev}", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json()["state"] == "apply"
        return self.wait(rev, "applied", "applied_and_saved", "confirm", "invalid", "ays", "ays_fail")

    def wait(self, rev: str, *states: str) -> str:
        """Poll a revision, bounded, until it is in one of the states."""
        end_s = time.monotonic() + POLL_LIMIT_S
        while True:
            state = str(self.get(f"revision/{rev}")["state"])
            if state in states:
                return state
            assert time.monotonic() < end_s, f"revision {rev} stays {state}"
            time.sleep(0.01)

    def push(self, body: Any) -> str:
        """PATCH a subtree in a new revision and apply it; returns the revision."""
        rev = self.revision()
        answer = self.patch(rev, body)
        assert answer.status_code == 200, answer.text
        assert self.apply(rev) == "applied_and_saved", self.get(f"revision/{rev}")
        return rev
