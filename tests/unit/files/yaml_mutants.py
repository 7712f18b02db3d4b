"""Files as tired hands, broken editors and ill will leave them: each from a seed, so that any one can be made again."""

import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
INTENTS = tuple(
    file.read_bytes()
    for name in ("lab-rails", "lab-breakout", "ref-512")
    for file in [ROOT / "inventory" / name / "fabric.yml"]
)
DEVICES = b"""username: gpufabric   # the account of the push
password: !secret switch_password
ca: ca.pem
known_hosts: known_hosts
devices:
  leaf-g1-r0: {address: 192.0.2.11, serial: ABC123}
  leaf-g1-r1: {address: 192.0.2.12, serial: "0123", api_port: 8443}
  spine-1:
    address: 2001:db8::5
    fingerprint: 8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4
    ssh_port: 2222
"""

NASTY = [
    "010",
    "08",
    "0",
    "-1",
    "00",
    "1:30",
    "3:1",
    "1_000",
    "0x1f",
    "0b11",
    "1e999",
    "1.0e+308",
    ".inf",
    "-.inf",
    ".nan",
    "~",
    "null",
    "true",
    "off",
    "yes",
    "=",
    "<<",
    "[]",
    "{}",
    "[[]]",
    "[4,]",
    "{a:",
    "{b:",
    "c}}",
    "2024-01-01",
    "2024-13-45",
    "*nobody",
    "&again",
    "!!set",
    "!!python/object/apply:os.system",
    "!secret",
    "!secret/../x",
    "!!binary",
    "!!int",
    "!!float",
    "!!bool",
    "!!timestamp",
    "-",
    "?",
    ":",
    ",",
    "%",
    "@",
    "`",
    "|",
    ">",
    "'",
    '"',
    "#",
    "10.0.0.0/8",
    "999.0.0.0/8",
    "1-99999999999999999999",
    "0-999999999",
    "27-26",
    "4294967296-1",
    "99999999999999999999G",
    "x1G",
    "1x0G",
    "subnet/99999999999999999999",
    "٢٣",
    "\ufeff",
    "\u202e",
    "\u200b",
]
NASTY += [
    "9" * 5000,
    "0x" + "f" * 9000,
    "1" * 30 + "." + "1" * 30,
    "x" * 20_000,
    '"\\x1b[2J\\x1b[31mpassed\\x07"',
    '"a\\nerror: all is well\\n  hint: go home"',
    '"[/red][bold]\\\\[/x]"',
    '"\\ud800"',
    '"\\0"',
    "!secret [a, b]",
    "!secret /etc/passwd",
    "? [a, b]\n: c",
    "? {a: b}\n: c",
    "[" * 200,
    "{a: " * 60,
    "- " * 300,
    "[" + "1, " * 3000 + "]",
    "{" + ", ".join(f"k{n}: v" for n in range(500)) + "}",
]
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 8, 10**30, 1.5, float("nan"), float("inf"), "", " ", "x" * 3000, "a\x1b[31mb", "\u202eabc"),
    *([], {}, [None], [[1, 2], [3]], {"a": {"b": [1]}}, {1: 2}, {None: None}, (1, 2), "010", "27-26", "3:1", "\n"),
)


def laughs(rng: random.Random) -> str:
    """Aliases of aliases: a few lines that stand for more values than there is memory."""
    width, depth = rng.choice([2, 9, 30]), rng.choice([3, 9, 40])
    lines = [f"l0: &l0 [{', '.join(['x'] * width)}]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, depth)]
    return "\n".join(lines)


def _bytes(content: bytes, rng: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 30])):
        place = rng.randrange(len(data))
        action = rng.randrange(4)
        if action == 0:
            data[place] = rng.randrange(256)
        elif action == 1:
            data[place:place] = bytes([rng.choice([0, 7, 9, 10, 13, 27, 34, 39, 58, 91, 123, 127, 133, 255])])
        elif action == 2:
            del data[place : place + rng.choice([1, 1, 3, 40])]
        else:
            data[place:place] = data[place : place + rng.choice([5, 80])]
    return bytes(data)


def _encoding(content: bytes, rng: random.Random) -> bytes:
    text = content.decode()
    return rng.choice(
        [
            lambda: text.encode("utf-16"),
            lambda: b"\xef\xbb\xbf" + content,
            lambda: text.encode("utf-32-be"),
            lambda: text.replace("\n", "\r\n").encode(),
            lambda: text.replace("\n", "\r").encode(),
            lambda: text.replace("  ", "\t").encode(),
            lambda: text.replace(" ", "\u00a0", rng.randrange(1, 20)).encode(),
            lambda: content[: rng.randrange(len(content))],
            lambda: b"",
            lambda: content + b"\n---\n" + content,
            lambda: content.replace(b"e", b"\xe9"),
        ]
    )()


def _tokens(content: bytes, rng: random.Random) -> bytes:
    text = content.decode()
    for _ in range(rng.choice([1, 1, 2, 4])):
        places = [n for n, char in enumerate(text) if char in ":,[]{}\n#&\"'"]
        place = rng.choice(places)
        end = next((n for n in places if n > place + 1), len(text))
        text = text[: place + 1] + " " + rng.choice(NASTY) + (text[end:] if rng.random() < 0.7 else text[place + 1 :])
    return text.encode("utf-8", "surrogatepass")


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.decode().splitlines()
    for _ in range(rng.choice([1, 1, 2, 6])):
        here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
        action = rng.randrange(6)
        if action == 0:
            lines[here], lines[there] = lines[there], lines[here]
        elif action == 1 and len(lines) > 1:
            del lines[here]
        elif action == 2:
            lines.insert(there, lines[here])
        elif action == 3:
            lines[here] = " " * rng.randrange(9) + lines[here].lstrip()
        elif action == 4:
            lines.insert(here, rng.choice([laughs(rng), "<<: *x", "%YAML 9.9", "---", "...", "&a", "*a", "? x"]))
        else:
            lines[here] = lines[here].replace(":", ": &a", 1) if rng.random() < 0.5 else lines[here] + " *a"
    return "\n".join(lines).encode()


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(each, (*path, key))


def _structure(content: bytes, rng: random.Random) -> bytes:
    data = yaml.safe_load(content.replace(b"!secret ", b""))
    for _ in range(rng.choice([1, 2, 3, 8])):
        places = [path for path in _places(data) if path]
        if not places:
            break
        path = rng.choice(places)
        parent = data
        for part in path[:-1]:
            parent = parent[part]
        other = rng.choice(places)
        action = rng.randrange(5)
        if action == 0:
            del parent[path[-1]]
        elif action == 1:
            parent[path[-1]] = rng.choice(VALUES)
        elif action == 2:
            parent[path[-1]] = deepcopy(_at(data, other))
        elif action == 3 and isinstance(parent, dict):
            key = rng.choice(["", "0", "x" * 3000, "a\x1b[31m", "\n", "\u202e", 7, True, None, f"{path[-1]}x"])
            parent[key] = parent.pop(path[-1])
        else:
            parent[path[-1]] = rng.choice([[parent[path[-1]]], {"x": parent[path[-1]]}])
        data = yaml.safe_load(yaml.safe_dump(data)) if rng.random() < 0.2 else data
    try:
        return yaml.safe_dump(data, allow_unicode=rng.random() < 0.5, default_flow_style=rng.random() < 0.3).encode()
    except (RecursionError, UnicodeEncodeError):
        return content


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        data = data[part]
    return data


KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _bytes,
    _encoding,
    _tokens,
    _lines,
    _structure,
    _structure,
)


def mutant(content: bytes, seed: int) -> bytes:
    """One broken copy of the file, the same for the same seed."""
    rng = random.Random(seed)
    broken = rng.choice(KINDS)(content, rng)
    if rng.random() < 0.15 and broken:
        broken = _bytes(broken, rng)
    return broken
