"""Configurations of others at random: what a switch may hold before a fabric is pushed to it, or what is typed later.

``foreign_text`` draws pieces from ``pieces_<os>.txt``. Either all of it keeps away from what a design uses (numbers,
addresses, names and ports of its own), or it meets that: VLANs of ours, addresses in our pools, names that begin like
ours, ports that we cable, and what a switch has once. Ours is nothing of it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.foreign.blocks import named
from tests.foreign.lines import lines

_HERE = Path(__file__).parent
_WORDS = (
    "cameras",
    "printers",
    "guests",
    "badge-readers",
    "phones",
    "laboratory",
    "archive",
    "screens",
    "robots",
    "old",
)
_OURS = 0.7
"""How often a value of a text that meets ours is one of ours."""


@dataclass(frozen=True)
class Facts:
    """What is known of one switch and of what a design wants on it."""

    os: str
    hostname: str
    release: str
    asn: int
    free_ports: tuple[str, ...]
    cabled_ports: tuple[str, ...]
    our_vlans: tuple[int, ...]
    our_pools: tuple[str, ...]
    our_prefixes: tuple[str, ...]
    """How names of ours begin, with the dash."""
    our_names: tuple[str, ...]
    """Whole names of ours."""
    loopback: str


@dataclass(frozen=True)
class Piece:
    """Some lines that belong together; in braces what is drawn."""

    os: str
    name: str
    text: str
    meets: bool
    """Whether it sets what a design sets as well, whatever is drawn."""
    is_taken: bool
    """Whether the lab's twin takes all of its lines."""
    is_old: bool
    """Whether it is Cumulus Linux's before 5.15 alone."""

    def is_for(self, release: str) -> bool:
        """Whether a switch of this release takes it."""
        return not (self.is_old and _is_new(release))

    def __str__(self) -> str:
        return f"{self.os}: {self.name}"


@cache
def pieces(os: str) -> tuple[Piece, ...]:
    """All pieces of one system."""
    made = []
    for part in (_HERE / f"pieces_{os}.txt").read_text(encoding="utf-8").split("\n== ")[1:]:
        head, _, text = part.partition("\n")
        words = head.split()
        marks = {word for word in words[-2:] if word in ("meets", "plan", "old")}
        name = " ".join(word for word in words if word not in marks)
        made.append(Piece(os, name, text.rstrip("\n") + "\n", "meets" in marks, "plan" not in marks, "old" in marks))
    return tuple(made)


def foreign_text(os: str, rng: Random, facts: Facts, *, meets: bool = False, pushed: bool = True, most: int = 8) -> str:
    """What somebody else has on this switch: text of EOS or NX-OS, for NVUE the data as JSON.

    ``meets``: it touches what the design uses. ``pushed``: only what the lab's twins take; else there may be lines that
    no twin has, for planning alone.
    """
    usable = [each for each in pieces(os) if (each.is_taken or not pushed) and (meets or not each.meets)]
    usable = [each for each in usable if each.is_for(facts.release)]
    chosen = rng.sample(usable, rng.randint(3, most))
    draw = Draw(rng, facts, meets)
    return joined(os, [draw.filled(each) for each in chosen], facts.release)


def joined(os: str, texts: list[str], release: str) -> str:
    """Pieces as one configuration."""
    if os != "nvue":
        blocks = re.findall(r"^\S.*\n(?: .*\n)*", "".join(texts), re.MULTILINE)
        return "".join(sorted(blocks, key=lambda each: each.startswith("router bgp ")))  # which EOS has a "vlan" of
    whole: dict[str, Any] = {}
    for text in texts:
        _merge(whole, _spelled(yaml.safe_load(text), release))
    return json.dumps(whole)


class Draw:
    """The values of one text: no two pieces get the same port, VLAN, network or name of others."""

    def __init__(self, rng: Random, facts: Facts, meets: bool) -> None:
        self._rng, self._facts, self._meets = rng, facts, meets
        self._used = set[str]()

    def filled(self, piece: Piece) -> str:
        """The piece with values drawn for it."""
        wanted = set(re.findall(r"\{(\w+)\}", piece.text))
        values = {name: self._value(name) for name in sorted(wanted)}
        return re.sub(r"\{(\w+)\}", lambda each: values[each[1]], piece.text)

    def _value(self, name: str) -> str:
        kind = re.sub(r"2$|(?<=6)b$", "", name)
        is_ours = self._meets and self._rng.random() < _OURS
        for _ in range(30):
            found = self._drawn(kind, is_ours)
            if f"{kind} {found}" not in self._used:
                break
        if kind not in ("asn", "loopback"):
            self._used.add(f"{kind} {found}")
        return found

    def _drawn(self, kind: str, is_ours: bool) -> str:
        rng, facts = self._rng, self._facts
        if kind == "vlan":
            if is_ours and facts.our_vlans:
                return str(rng.choice(facts.our_vlans))
            return str(rng.choice([number for number in range(1100, 2900) if number not in facts.our_vlans]))
        if kind == "net":
            return _octets(rng, facts.our_pools if is_ours else ("198.18.0.0/15",))
        if kind == "net6":
            return f"2001:db8:{rng.randint(1, 0xFFF):x}"
        if kind == "pub":
            return f"203.0.113.{rng.randint(1, 254)}"
        if kind in ("name", "vrf"):
            return self._name(is_ours)[: 15 if kind == "vrf" else 60].rstrip("-")
        if kind == "port":
            return rng.choice((facts.cabled_ports if is_ours else ()) or facts.free_ports or facts.cabled_ports)
        if kind == "lag":
            return str(rng.randint(1, 4) if is_ours else rng.randint(200, 900))
        if kind == "n":
            return str(rng.randint(11, 99))
        if kind == "word":
            return f"{rng.choice(_WORDS)}{rng.randint(1, 99)}"
        if kind == "words":
            return f"{rng.choice(_WORDS)} of hall {rng.randint(1, 99)}"
        return {"asn": str(facts.asn), "loopback": facts.loopback}[kind]

    def _name(self, is_ours: bool) -> str:
        rng, facts = self._rng, self._facts
        own = f"{rng.choice(_WORDS)}-{rng.randint(1, 99)}".upper()
        if not is_ours or not facts.our_prefixes:
            return own
        whole = rng.choice(facts.our_names)
        return rng.choice((rng.choice(facts.our_prefixes) + own, f"{whole}-{own}", whole.lower()))


def _octets(rng: Random, pools: tuple[str, ...]) -> str:
    """The first three octets of a /24 in one of these."""
    pool = ip_network(rng.choice(pools))
    first = int(pool.network_address) + rng.randrange(max(pool.num_addresses // 256, 1)) * 256
    return str(ip_network((first, 32)).network_address).rpartition(".")[0]


def facts_of(os: str, hostname: str, release: str, wanted: str) -> Facts:
    """The facts of one switch, read in what is rendered for it."""
    found = lines(os, wanted)
    whole = [" / ".join(path) for path in sorted(found)]
    names = tuple(sorted({each[-1] for path in found for each in named(os, path)}))
    ports = dict.fromkeys(_PORT[os].findall("\n".join(whole)), False)
    for each in _CABLED[os].findall("\n".join(whole)):
        ports[each] = True
    asn = re.search(r"^router bgp (\d+)|autonomous-system: (\d+)", "\n".join(whole), re.MULTILINE)
    pools = set(re.findall(r"(?:permit |match / )(\d+\.\d+\.\d+\.\d+/\d+)(?= ge| le| /)", "\n".join(whole)))
    return Facts(
        os=os,
        hostname=hostname,
        release=release,
        asn=int(next(filter(None, asn.groups()))) if asn else 64512,
        free_ports=tuple(sorted(port for port, is_cabled in ports.items() if not is_cabled)) or _others(os, ports),
        cabled_ports=tuple(sorted(port for port, is_cabled in ports.items() if is_cabled)),
        our_vlans=tuple(sorted({int(each) for each in re.findall(_VLAN[os], "\n".join(whole), re.MULTILINE)})),
        our_pools=tuple(sorted(pools)) or ("10.168.0.0/13",),
        our_prefixes=tuple(sorted({name.partition("-")[0] + "-" for name in names})),
        our_names=names,
        loopback={"eos": "Loopback0", "nxos": "loopback0", "nvue": "lo"}[os],
    )


def _others(os: str, cabled: dict[str, bool]) -> tuple[str, ...]:
    """Ports that nothing is said of, where a design leaves those that it does not cable as they are."""
    first = next(iter(cabled), "Ethernet1/1")
    at = {"eos": r"(?<=Ethernet)\d+", "nxos": r"(?<=Ethernet1/)\d+", "nvue": r"(?<=swp)\d+"}[os]
    made = [re.sub(at, str(number), first, count=1) for number in range(21, 41)]
    return tuple(each for each in made if each not in cabled)


_PORT = {
    "eos": re.compile(r"^interface (Ethernet\S+)", re.MULTILINE),
    "nxos": re.compile(r"^interface (Ethernet\S+)", re.MULTILINE),
    "nvue": re.compile(r"^interface / (swp\d+(?:s\d+)?) /", re.MULTILINE),
}
_CABLED = {os: re.compile(each.pattern.rstrip("/") + r".*description", re.MULTILINE) for os, each in _PORT.items()}
_VLAN = {"eos": r"^vlan (\d+)", "nxos": r"^vlan (\d+)", "nvue": r"^bridge / domain / br_default / vlan / (\d+)"}


def _merge(whole: dict[str, Any], part: dict[str, Any]) -> None:
    for key, value in part.items():
        if isinstance(value, dict) and isinstance(whole.get(key), dict):
            _merge(whole[key], value)
        else:
            whole[key] = value


def _is_new(release: str) -> bool:
    return tuple(map(int, re.findall(r"\d+", release)[:2])) >= (5, 15)


def _spelled(data: Any, release: str) -> Any:
    """Data of Cumulus Linux 5.14 as this release spells it (NVUE command reference: "In 5.14 and earlier ...")."""
    plain = _plain(data)
    if not _is_new(release):
        return plain
    for interface in plain.get("interface", {}).values():
        ip = interface.pop("ip", {})
        if "vrf" in ip:
            interface["vrf"] = ip["vrf"]
        for family, mark in (("ipv4", False), ("ipv6", True)):
            addresses: dict[str, Any] = {each: {} for each in ip.get("address", {}) if (":" in each) is mark}
            if addresses:
                interface[family] = {"address": addresses}
    return _as_states(plain)


def _plain(data: Any) -> Any:
    """YAML's truth values as NVUE's words, all keys as text."""
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    return {True: "on", False: "off"}[data] if isinstance(data, bool) else data


def _as_states(data: Any) -> Any:
    words = {"on": "enabled", "off": "disabled"}
    if not isinstance(data, dict):
        return words.get(data, data) if isinstance(data, str) else data
    return {"state" if key == "enable" else key: _as_states(value) for key, value in data.items()}


def every_piece(os: str, rng: Random, facts: Facts, *, meets: bool) -> Iterator[tuple[Piece, str]]:
    """Each piece by itself, as ``foreign_text`` would hold it."""
    for piece in (each for each in pieces(os) if each.is_for(facts.release)):
        yield piece, joined(os, [Draw(rng, facts, meets).filled(piece)], facts.release)
