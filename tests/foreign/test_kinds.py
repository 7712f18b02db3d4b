"""The tables of line kinds: what was counted where, and that nothing is generated that they do not have."""

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.foreign.generator import every_piece
from tests.foreign.kinds import kind
from tests.foreign.lines import lines
from tests.foreign.pairs import SYSTEMS, Choice, text
from tests.foreign.sites import facts

HERE = Path(__file__).parent
SITE = text(Choice())
DEVICES = {"eos": ("front-leaf-g1-a",), "nxos": ("front-leaf-g2-a",), "nvue": ("front-leaf-g3-a", "leaf-g1-r2")}


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("os", SYSTEMS)
def test_every_kind_that_is_generated_is_in_the_table_and_said_to_be_taken_or_not(os: str) -> None:
    table = {row["kind"]: row["twin"] for row in rows(f"kinds_{os}.tsv")}
    taken: dict[str, bool] = {}
    for device in DEVICES[os]:
        for seed in range(4):
            for piece, each in every_piece(os, Random(seed), facts(SITE, device), meets=False):
                for found in {kind(os, path) for path in lines(os, each)}:
                    taken[found] = taken.get(found, False) or piece.is_taken
    assert {found: table.get(found) for found in taken} == {
        found: "yes" if is_taken else "no" for found, is_taken in taken.items()
    }
    assert {found for found, twin in table.items() if twin} == set(taken)


def test_three_hundred_public_configurations_of_three_systems_are_counted(figure: Callable[[str], None]) -> None:
    sources = rows("SOURCES.tsv")
    counts = Counter(row["os"] for row in sources)
    repositories = {row["repository"] for row in sources}
    figure(f"{len(sources)} public configurations of {len(repositories)} repositories: {dict(counts)}")
    assert len(sources) == len({(row["repository"], row["path"]) for row in sources}) >= 300
    assert set(counts) == set(SYSTEMS)
    assert all(re.fullmatch(r"[0-9a-f]{12}", row["commit"]) and int(row["lines"]) >= 5 for row in sources)


@pytest.mark.parametrize("os", SYSTEMS)
def test_each_source_of_a_kind_was_counted_and_no_kind_has_what_somebody_chose(os: str) -> None:
    counted = {f"{row['repository']}:{row['path']}" for row in rows("SOURCES.tsv") if row["os"] == os}
    table = rows(f"kinds_{os}.tsv")
    assert [row["id"] for row in table] == [f"{os}-{number:04d}" for number in range(1, len(table) + 1)]
    assert len({row["kind"] for row in table}) == len(table)
    for row in table:
        found = row["sources"].split("; ") if row["sources"] else []
        assert set(found) <= counted, row
        assert len(found) == min(int(row["files"]), 3), row
        assert not re.search(r"\d+\.\d+\.\d+|(?<!aes-)\b\d{2,}\b|[\da-f]{4}:", row["kind"].replace("802.1", "")), row


@pytest.mark.parametrize(
    ("os", "path", "expected"),
    [
        ("eos", ("interface Vlan55", "ip address 198.18.0.1/24"), "interface {svi} / ip address {prefix}"),
        ("eos", ("router bgp 65001", "neighbor SPINES peer group"), "router bgp {n} / neighbor {name} peer group"),
        (
            "nxos",
            ("ip prefix-list all seq 5 permit 10.0.0.0/8 le 32",),
            "ip prefix-list {name} seq {n} permit {prefix} le {n}",
        ),
        ("nxos", ("interface Ethernet1/7", "description to the hall"), "interface {port} / description {text}"),
        (
            "nvue",
            ("interface", "swp7s0", "ip", "address", "198.18.0.1/31"),
            "interface / {port} / ip / address / {prefix}",
        ),
        ("nvue", ("vrf", "RED", "router", "bgp", 'enable: "on"'), "vrf / {name} / router / bgp / enable"),
    ],
)
def test_a_kind_keeps_the_systems_words_and_drops_what_somebody_chose(
    os: str, path: tuple[str, ...], expected: str
) -> None:
    assert kind(os, path) == expected
