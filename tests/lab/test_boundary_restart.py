"""The host's own service of rules is restarted again and again; no packet passes in between that no row allows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from boundary_pair import ROLE, Pair, rendered
from routed_lab import needs_root
from test_boundary_packets import PREFIXES

pytestmark = [needs_root]

FLOOD = Path(__file__).with_name("boundary_flood.py")
RESTARTS = 25
OWN_RULES = "flush ruleset\ntable inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter;\n\t}\n}\n"
"""As Debian installs /etc/nftables.conf."""


@pytest.fixture
def pair() -> Iterator[Pair]:
    pair = Pair(["firewall-1"])
    try:
        pair.build()
        for line in ("203.0.113.1/29 wan", "203.0.113.65/27 dmz"):
            address, port = line.split()
            pair.ip("firewall-1", "address", "add", address, "dev", port)
        pair.ip("firewall-1", "route", "add", "default", "via", "203.0.113.4")
        pair.settle({"outside": ["198.51.100.77"], "dmz": ["203.0.113.70"], "business": []}, PREFIXES)
        pair.load("firewall-1", rendered("firewall.nft.j2"))
        yield pair
    finally:
        pair.end()


def commands(folder: Path) -> list[str]:
    """What the service runs as it stops and starts, by the role's drop-in, on files in this folder."""
    (folder / "nftables.conf").write_text(OWN_RULES)
    (folder / "firewall.nft").write_text(rendered("firewall.nft.j2"))
    lines = (ROLE / "templates" / "nftables-dropin.conf.j2").read_text().splitlines()
    runs = dict(line.split("=", 1) for line in lines if line.startswith("Exec") and not line.endswith("="))
    assert {*runs} == {"ExecStart", "ExecReload", "ExecStop"}
    found = [runs[name].removeprefix("/bin/sh -c ").strip("'") for name in ("ExecStop", "ExecStart", "ExecReload")]
    own = [("/etc/nftables.conf", folder / "nftables.conf"), ("/etc/gpufabric/", f"{folder}/")]
    for before, after in own:
        found = [each.replace(before, str(after)) for each in found]
    return found


def passed(pair: Pair, scripts: list[str]) -> tuple[int, int]:
    """How many datagrams were sent while these ran again and again, and how many arrived."""
    ends = {}
    for who, what in (("dmz", "take"), ("outside", "send")):
        ends[who] = pair.start(who, sys.executable, "-I", str(FLOOD), what, "203.0.113.70")
        stdout = ends[who].stdout
        assert stdout is not None
        assert stdout.readline() == "ready\n"
    for _ in range(RESTARTS):
        for script in scripts:
            pair.inside("firewall-1", "sh", "-ec", script)
    counts = {}
    for who in ("outside", "dmz"):
        stdin, stdout = ends[who].stdin, ends[who].stdout
        assert stdin is not None
        assert stdout is not None
        stdin.close()
        counts[who] = json.loads(stdout.readline())
    return counts["outside"], counts["dmz"]


def test_nothing_passes_while_the_service_is_restarted(pair: Pair, tmp_path: Path) -> None:
    sent, arrived = passed(pair, commands(tmp_path))
    assert sent > 1000
    assert arrived == 0
    assert "gpufabric_firewall" in pair.inside("firewall-1", "nft", "list", "tables")


def test_the_judge_itself_sees_a_moment_without_rules(pair: Pair, tmp_path: Path) -> None:
    rules = f"nft -f {tmp_path / 'firewall.nft'}"
    commands(tmp_path)
    _, arrived = passed(pair, ["nft flush ruleset", rules, f"nft -f {tmp_path / 'nftables.conf'}", rules])
    assert arrived > 0


def test_rules_stay_where_the_hosts_own_are_broken(pair: Pair, tmp_path: Path) -> None:
    _, start, _ = commands(tmp_path)
    (tmp_path / "nftables.conf").write_text("flush ruleset\nno such thing\n")
    pair.inside("firewall-1", "sh", "-c", f"! {{ {start}; }} 2>/dev/null")
    assert "gpufabric_firewall" in pair.inside("firewall-1", "nft", "list", "tables")
