"""A judge of SONiC's configurations by what its YANG models allow (tests/corpus/containerlab/sonic_config_db.tsv).

It shares no code with the export. A field that is not recorded there is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_interface
from pathlib import Path
from typing import Any, NamedTuple

CORPUS = Path(__file__).parents[2] / "corpus/containerlab"


class Row(NamedTuple):
    table: str
    key: str
    field: str
    facts: str


class Port(NamedTuple):
    """A port of the image, and the wire that it is behind."""

    wire: str
    name: str
    lanes: str
    alias: str
    index: str
    speed: str


def _table(name: str) -> list[list[str]]:
    lines = (CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("# ")]


ROWS = [Row(*each[:4]) for each in _table("sonic_config_db.tsv")]
PORTS = {each[1]: Port(*each) for each in _table("sonic_ports.tsv")}


def faults(document: dict[str, Any]) -> Iterator[str]:
    """What of a configuration SONiC does not allow."""
    for table, rows in document.items():
        for key, fields in rows.items():
            yield from _of(table, key, fields, document)


def _of(table: str, key: str, fields: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    name, _, prefix = key.partition("|")
    rows = [each for each in ROWS if each.table == table and ("|" in each.key) == bool(prefix)]
    if not rows or (rows[0].key == "localhost" and key != "localhost"):
        yield f"{table}|{key}: not recorded"
        return
    if rows[0].key.startswith("port"):
        if name not in PORTS:
            yield f"{table}|{key}: no port of the image"
        if table != "PORT" and name not in document["PORT"]:
            yield f"{table}|{key}: its port is not in PORT"
    if prefix:
        ip_interface(prefix)
        if name not in document[table]:
            yield f"{table}|{key}: {name} is not there by itself"
    known = {each.field: each.facts for each in rows}
    for field, facts in known.items():
        if facts.endswith("mandatory") and field not in fields:
            yield f"{table}|{key}: {field} is missing"
    for field, value in fields.items():
        if field not in known:
            yield f"{table}|{key}: {field} is not recorded"
        elif not _allows(known[field], value):
            yield f"{table}|{key}: {field} {value!r} is not {known[field]}"
    if table == "PORT" and name in PORTS:
        of_image = PORTS[name]._asdict()
        yield from (
            f"{table}|{key}: {field} {fields.get(field)} is {of_image[field]} in the image"
            for field in ("lanes", "alias", "index", "speed")
            if fields.get(field) != of_image[field]
        )


def _allows(facts: str, value: object) -> bool:
    """Every value is text."""
    if not isinstance(value, str):
        return False
    word, _, rest = facts.removesuffix(" mandatory").partition(" ")
    if word == "pattern":
        return re.fullmatch(rest, value) is not None
    low, _, high = rest.partition("..")
    number = len(value) if word == "length" else int(value)
    return int(low) <= number <= (int(high) if high else number)
