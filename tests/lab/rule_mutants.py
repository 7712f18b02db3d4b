"""Single changes of the firewall's rules and routes: lines gone, turned round, widened, moved; other next hops."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

SEED = 17
UNSEEN = ("112", "mld-", "ip protocol 2 ", "udp dport 3780 ")
"""Lines of what no packet here is: VRRP, who listens to multicast, what one firewall tells the other."""


class Mutant(NamedTuple):
    """One change: other rules, or commands of ``ip`` after which routes are others, with those that take it back."""

    name: str
    rules: str
    there: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


def every(rules: str, routes: list[str]) -> list[Mutant]:
    """All of them, in a random order that is always the same; ``routes``: as ``ip route add`` takes them."""
    found = [*_of_lines(rules), *_of_tables(rules), *_of_routes(rules, routes)]
    random.Random(SEED).shuffle(found)
    return list({each[1:]: each for each in found}.values())


def _of_lines(rules: str) -> Iterator[Mutant]:
    lines = rules.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if not line.startswith("\t\t") or line.lstrip().startswith(
            ("#", "type ", "elements", "flags", "size", "timeout")
        ):
            if "elements = {" in line:
                yield from _of_elements(lines, number)
            continue
        if any(word in line for word in UNSEEN):
            continue
        before, after = "".join(lines[:number]), "".join(lines[number + 1 :])
        for name, other in _changed(line):
            yield Mutant(f"line {number + 1}: {name}: {line.strip()[:60]}", before + other + after)
        # Most lines stand beside their like, so few of these change anything.
        if number % 5 == 0 and lines[number + 1].startswith("\t\t") and not lines[number + 1].lstrip().startswith("#"):
            moved = lines[number + 1] + line + "".join(lines[number + 2 :])
            yield Mutant(f"line {number + 1}: after the next one: {line.strip()[:60]}", before + moved)


def _changed(line: str) -> Iterator[tuple[str, str]]:
    yield "gone", ""
    for one, other in (("accept", "drop"), ("drop", "accept")):
        if re.search(rf"\b{one}\b", line):
            yield f"{one} is {other}", re.sub(rf"\b{one}\b", other, line)
    if "dport {" in line:
        yield "every port", re.sub(r"(tcp|udp) dport \{[^}]*\}", r"meta l4proto \1", line)
        yield "another port", re.sub(r"dport \{ (\d+)", lambda found: f"dport {{ {int(found[1]) + 1}", line)
        yield (
            "the other protocol",
            re.sub(r"\b(tcp|udp) dport", lambda m: f"{'udp' if m[1] == 'tcp' else 'tcp'} dport", line),
        )
    for end in ("saddr", "daddr"):
        if re.search(rf"ip6? {end} \{{", line):
            yield f"every {end}", re.sub(rf"ip6? {end} \{{[^}}]*\}} ", "", line)
            yield f"all but {end}", re.sub(rf"(ip6? {end}) \{{", r"\1 != {", line)
        if re.search(rf"ip6? {end} (!= )?@", line):
            opposite = re.sub(rf"(ip6? {end}) @", r"\1 !=@", line).replace("!=@", "!= @")
            yield f"not {end}", opposite if opposite != line else re.sub(rf"(ip6? {end}) != @", r"\1 @", line)
    if "snat to" in line:
        yield "another pool", re.sub(r"snat to [\d.-]+", "snat to 203.0.113.28-203.0.113.29", line)
    if "echo-request" in line:
        yield "another message", line.replace("echo-request", "echo-reply")
    for word in ("established,", "related"):
        if word in line:
            yield (
                f"no {word}",
                line.replace("established,related", "related" if word == "established," else "established"),
            )
    for port in ("wan", "dmz", "lan"):
        for other in {"wan", "dmz", "lan"} - {port}:
            if f'ifname "{port}"' in line:
                yield f"{other}, not {port}", line.replace(f'ifname "{port}"', f'ifname "{other}"')
    for element in re.findall(r'"\w+" \. "\w+" : jump \w+', line):
        yield f"without {element}", re.sub(rf", {element}|{element}, ", "", line)
        yield f"accepts {element}", line.replace(element, re.sub(r"jump \w+", "accept", element))


def _of_elements(lines: list[str], number: int) -> Iterator[Mutant]:
    before, line, after = "".join(lines[:number]), lines[number], "".join(lines[number + 1 :])
    elements = re.findall(r"[0-9a-f.:]+/\d+", line)
    for each in elements if len(elements) > 1 else ():
        kept = ", ".join(one for one in elements if one != each)
        yield Mutant(f"line {number + 1}: without {each}", f"{before}\t\telements = {{ {kept} }}\n{after}")
    wide = "::/0" if ":" in line else "0.0.0.0/0"
    yield Mutant(f"line {number + 1}: everything", f"{before}\t\telements = {{ {wide} }}\n{after}")


def _of_tables(rules: str) -> Iterator[Mutant]:
    """Others' tables beside ours, before and after."""
    for priority in (-10, 10):
        for policy, rule in (
            ("accept", "tcp dport 443 drop"),
            ("accept", "ip6 nexthdr 6 ct state new drop") if priority > 0 else ("accept", "udp dport 53 drop"),
            ("accept", 'iifname "lan" oifname "wan" accept'),
            ("drop", "ct state established accept; ip saddr 192.0.2.0/25 accept"),
            ("drop", "meta nfproto ipv6 accept; ct state established accept"),
            ("accept", "meta l4proto { icmp, icmpv6 } drop"),
        ):
            chain = f"type filter hook forward priority {priority}; policy {policy}; {rule};"
            yield Mutant(
                f"a table at {priority}: {policy}, {rule}", f"{rules}\ntable inet others {{ chain c {{ {chain} }} }}\n"
            )


def _of_routes(rules: str, routes: list[str]) -> Iterator[Mutant]:
    for route in routes:
        prefix, _, gateway, _, port = route.split()
        yield Mutant(f"no route {prefix}", rules, (f"route del {route}",), (f"route add {route}",))
        for other in (f"via {gateway[:-1]}8 dev {port}", "blackhole"):
            kind = f"blackhole {prefix}" if other == "blackhole" else f"{prefix} {other}"
            yield Mutant(
                f"route {kind}",
                rules,
                (f"route del {route}", f"route add {kind}"),
                (f"route del {kind}", f"route add {route}"),
            )
    more = [
        "10.177.1.0/25 via 203.0.113.4 dev wan",
        "203.0.113.70/32 via 10.190.0.4 dev lan",
        "192.0.2.0/25 via 10.190.0.4 dev lan",
    ]
    more += ["10.183.0.0/16 via 10.190.0.4 dev lan", "10.168.0.0/13 via 10.190.0.4 dev lan", "198.51.100.77/32 dev dmz"]
    more += ["fd00:300:0:3::/64 via 2001:db8:100::4 dev wan", "2001:db8:500::/48 via fd00:190::4 dev lan"]
    more += ["2001:db8:101::46/128 via fd00:190::4 dev lan", "10.177.0.0/25 dev mgmt", "2001:db8:ffff::/48 dev sync"]
    for each in more:
        yield Mutant(f"also {each}", rules, (f"route add {each}",), (f"route del {each}",))
    for each in (
        "blackhole 10.177.1.0/25",
        "unreachable 192.0.2.0/25",
        "blackhole 2001:db8:500::/48",
        "prohibit 203.0.113.70/32",
    ):
        yield Mutant(f"also {each}", rules, (f"route add {each}",), (f"route del {each}",))
