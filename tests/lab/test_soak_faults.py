"""`validate --soak` over a lab that plays traffic: each impaired part is the one cause, by its rule, at its own place.

What the rules know is judged by made readings (tests/unit/checks/test_soak_rules.py); here they come from switches.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from at_terminal import ROOT, Operator, small_site

pytestmark = pytest.mark.xdist_group("lab-soak")

EOS, NXOS, SPINES = "leaf-g1-r0", "leaf-g1-r1", ("spine-1", "spine-2")
PORTS = {
    EOS: ("Ethernet1/1", "Ethernet2/1", "Ethernet63/1", "Ethernet64/1"),
    NXOS: ("Ethernet1/1", "Ethernet1/2", "Ethernet1/31", "Ethernet1/32"),
    "spine-1": ("swp1", "swp2"),
    "spine-2": ("swp1", "swp2"),
}
"""The ports to both hosts and to both spines; of spines those to both leaves."""
ALL, INCAST = "all-to-all", ("incast", "gpu-1:rail1")
RULE_OF = {
    "drops": "lossless-drops",
    "flaps": "link-changes",
    "fec-corrected": "fec-trend",
    "fec-uncorrected": "link-errors",
    "symbol-errors": "link-errors",
    "crc-errors": "link-errors",
    "hot-optic": "optics",
    "low-light": "optics",
}
NOT_COUNTED = {
    ("flaps", NXOS),
    ("fec-corrected", NXOS),
    ("fec-uncorrected", NXOS),
    *(("crc-errors", each) for each in SPINES),
}
"""What these systems do not show (tests/corpus/counters): nothing is found there, and the rule says what it lacks."""


@dataclass(frozen=True)
class Case:
    """One part that works badly, and what is to be said of it."""

    kind: str
    place: str
    rule: str | None
    """None: it cannot be seen."""
    devices: frozenset[str]
    """Where the cause may stand: at either end of the cable."""
    load: tuple[str, ...] = (ALL,)

    def __str__(self) -> str:
        return f"{self.kind}-{self.place}"


def _of_ports() -> Iterator[Case]:
    for device, ports in PORTS.items():
        for port in ports:
            for kind, rule in RULE_OF.items():
                seen = (kind, device) not in NOT_COUNTED
                yield Case(kind, f"{device}:{port}", rule if seen else None, frozenset({device}))


CASES = (
    *_of_ports(),
    *(
        Case("pause-storm", f"{host}:rail{rail}", "pause-storm", frozenset({leaf}))
        for host in ("gpu-1", "gpu-2")
        for rail, leaf in enumerate((EOS, NXOS))
    ),
    *(
        Case("dead-member", f"{leaf}:{port}", None, frozenset())  # chance does the same with four senders
        for leaf in (EOS, NXOS)
        for port in PORTS[leaf][2:]
    ),
    *(Case("wrong-class", host, "host-class", frozenset({host})) for host in ("gpu-1", "gpu-2")),
    # It does not slow down, so that the leaf it sends into is full and stops the spines: that follows.
    Case("ignores-cnps", "gpu-2", "notifications", frozenset({"gpu-2"}), INCAST),
    # No sender slows down: the leaf, which marks nothing, is the root of the pauses.
    Case("no-marks", NXOS, "pause-storm", frozenset({NXOS, *SPINES}), INCAST),
    # Marks suffice, and no pause is missed.
    Case("no-pause", EOS, None, frozenset(), ("incast", "gpu-1:rail0")),
    Case("no-pause", NXOS, None, frozenset(), INCAST),
)
OF_HOSTS = frozenset({"wrong-class", "ignores-cnps"})
"""What switches do not tell: which host it is."""
FEW = {
    f"drops-{EOS}:Ethernet1/1",
    f"symbol-errors-{NXOS}:Ethernet1/31",
    "fec-corrected-spine-1:swp1",
    f"flaps-{NXOS}:Ethernet1/1",
    "wrong-class-gpu-2",
}
"""Those of each run of the tests; a soak takes its time."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    made = small_site(tmp_path_factory.mktemp("lab-soak"))
    made.run("lab", "up")
    try:
        made.run("push", "--yes")
        yield made
    finally:
        made.run("lab", "down")


@pytest.fixture(scope="module")
def matrix() -> Iterator[Counter[tuple[str, str]]]:
    """(what was impaired, what was named) -> how often; printed at the end."""
    found: Counter[tuple[str, str]] = Counter()
    yield found
    print()
    for (kind, rule), often in sorted(found.items()):
        print(f"soak over switches: {kind}: {rule} {often}")


def soak(lab: Operator, code: int, kind: str = "") -> Any:
    """What hosts counted is needed where one of them works badly; their second files are written while it soaks."""
    words = ("validate", "--plane", "compute", "--soak")
    if kind not in OF_HOSTS:
        return lab.json(*words, "5s", code=code)
    folders = [lab.state / "counted" / each for each in ("before", "after")]
    lab.run("lab", "host-counters", str(folders[0]))
    with ThreadPoolExecutor(1) as other:
        later = other.submit(lambda: (time.sleep(3), lab.run("lab", "host-counters", str(folders[1]))))
        found = lab.json(
            *words, "10s", *(word for each in folders for word in ("--host-counters", str(each))), code=code
        )
        later.result()
    return found


def causes(document: Any) -> list[dict[str, Any]]:
    return [each for each in document["findings"] if each["id"] in document["causes"]]


@pytest.mark.parametrize(
    "case", [pytest.param(each, id=str(each), marks=() if str(each) in FEW else pytest.mark.long) for each in CASES]
)
def test_what_is_impaired_is_the_one_cause(lab: Operator, matrix: Counter[tuple[str, str]], case: Case) -> None:
    lab.run("lab", "play", *case.load)
    lab.run("lab", "impair", case.kind, case.place)
    try:
        found = soak(lab, 0 if case.rule is None else 8, case.kind)
    finally:
        lab.run("lab", "mend")
        lab.run("lab", "play", "none")
    named = causes(found)
    rules = " and ".join(sorted({each["check"] for each in named})) or None
    matrix.update([(case.kind, rules or "nothing")])
    assert rules == case.rule
    assert {each["device"] for each in named} <= case.devices
    host, _, port = case.place.partition(":")
    if case.rule and port and host in PORTS:
        assert {(each["device"], each["port"]) for each in named} <= {(host, port)}


@pytest.mark.parametrize(
    "load",
    [
        pytest.param((ALL,), marks=pytest.mark.long, id=ALL),
        pytest.param(("incast", "gpu-1:rail0"), marks=pytest.mark.long, id="eos"),
        pytest.param(("incast", "gpu-2:rail1"), id="nxos"),
    ],
)
def test_load_within_the_policy_raises_no_alarm(lab: Operator, load: tuple[str, ...]) -> None:
    lab.run("lab", "play", *load)
    try:
        found = soak(lab, code=0)
    finally:
        lab.run("lab", "play", "none")
    assert found["failed"] == found["undecided"] == 0
    assert not causes(found)


def test_the_page_says_what_each_kind_is_named_as_and_how_often() -> None:
    """docs/howto/soak.md, against the cases above."""
    page = (ROOT / "docs/howto/soak.md").read_text(encoding="utf-8")
    table = page.partition("| `nornir lab impair` |")[2]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    often = Counter((case.kind, case.rule) for case in CASES)
    for (kind, rule), number in often.items():
        (row,) = (line for line in rows if f"`{kind}`" in line.split("|")[1])
        named, nothing = row.split("|")[2:4]
        if rule is None:
            assert nothing.strip().startswith(f"{number}:"), row
            continue
        assert all(f"`{each}`" in named for each in rule.split(" and ")), row
        assert number == 1 or f"{number} times" in named, row
    assert f"each of {len(CASES) + 3}" in " ".join(page.split())
