"""Who gets what at first boot: requests by token, answers, and why a caller gets nothing. No sockets here."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from nornir_tasks.lab.day0.authority import RequestError

MAX_REQUEST_B = 16 * 1024
"""A signing request has about 2 KiB."""


@dataclass(frozen=True, slots=True)
class Handout:
    """What one switch is handed out."""

    name: str
    identity: str
    """Its serial number, or MAC address where no serial number is declared."""
    serial: str | None
    token: str
    serial_header: str
    """Of its system's request for the first file."""
    script: bytes
    config: bytes
    why_not: str = ""
    """Why neither is handed out; empty: they are."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Handed:
    """Something was handed out, or refused: what the operator is shown."""

    device: str
    """Empty: a token of no switch."""
    what: str
    """``boot``, ``config``, ``enrol``."""
    refused: str = ""
    """Why; empty: it was handed out."""


Sign = Callable[[bytes, str], bytes]
"""(signing request, switch) -> certificate. Raises RequestError."""
Use = Callable[[str, str, bytes], bool]
"""(switch, token, certificate) -> False if the token was used before."""


class Desk:
    """Answers requests. ``sign`` makes certificates, ``use`` notes that a token is used up, ``tell`` what happened."""

    def __init__(
        self, handouts: Iterable[Handout], used: Iterable[str], sign: Sign, use: Use, tell: Callable[[Handed], None]
    ) -> None:
        self._handouts = tuple(handouts)
        self._used = set(used)
        self._sign, self._use, self._tell = sign, use, tell

    @property
    def waiting(self) -> frozenset[str]:
        """Switches that have not asked for their certificate."""
        return frozenset(each.name for each in self._handouts) - self._used

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes, *, is_verified: bool) -> Answer:
        """One request. ``is_verified``: it came over HTTPS; over HTTP the first file alone is handed out."""
        token, _, what = path.strip("/").partition("/")
        found = self._of(token)
        if found is None or (method, what) not in (("GET", "boot"), ("GET", "config"), ("POST", "enrol")):
            return self._refuse(Handed(found.name if found else "", what, "no such token or file"), 404)
        if not is_verified and what != "boot":
            return self._refuse(Handed(found.name, what, "only over HTTPS"), 403)
        why = self._why_not(found, what, headers)
        if why:
            return self._refuse(Handed(found.name, what, why), 403)
        if what == "enrol":
            return self._enrol(found, body)
        self._tell(Handed(found.name, what))
        return Answer(200, found.script if what == "boot" else found.config)

    def _of(self, token: str) -> Handout | None:
        """Every token is compared, in the same time: how long it takes says nothing."""
        found = None
        for each in self._handouts:
            if secrets.compare_digest(each.token.encode(), token.encode()):
                found = each
        return found

    def _why_not(self, handout: Handout, what: str, headers: Mapping[str, str]) -> str:
        if handout.name in self._used:
            return "this token was used"
        if handout.why_not:
            return handout.why_not
        if what == "enrol":
            shown, expected = headers.get("x-serial", ""), handout.identity
            return "" if shown == expected else f"serial number {shown or 'not given'}, expected {expected}"
        shown = headers.get(handout.serial_header.lower(), "")
        if shown and handout.serial and shown != handout.serial:
            return f"serial number {shown}, expected {handout.serial}"
        return ""

    def _enrol(self, handout: Handout, body: bytes) -> Answer:
        try:
            certificate = self._sign(body, handout.name)
        except RequestError as error:
            return self._refuse(Handed(handout.name, "enrol", str(error)), 400)
        if not self._use(handout.name, handout.token, certificate):
            return self._refuse(Handed(handout.name, "enrol", "this token was used"), 403)
        self._used.add(handout.name)
        self._tell(Handed(handout.name, "enrol"))
        return Answer(200, certificate)

    def _refuse(self, handed: Handed, status: int) -> Answer:
        self._tell(handed)
        return Answer(status, f"refused: {handed.refused}\n".encode())
