"""Lists of the control plane in the routed lab: sessions and BFD of FRR pass them, SSH of a host does not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
import yaml
from at_terminal import ROOT, Operator
from by_hand import Hand
from routed_lab import RoutedLab, needs_root, on_this_machine, until

from nornir_tasks.usecases.site import SiteDesign, load
from tests.intent_parts import of_two_rails

pytestmark = needs_root
LEAF = "leaf-g1-r0"
SYSTEM = {"platform": "eos", "release": "4.33.1F", "model": "7060DX5-64S"}
BASE = {"vrf": "MGMT", "control_plane": {"allowed": ["127.0.0.0/8"], "fabric": True}}
OTHERS = "system control-plane / ip access-group MGMT-ACCESS vrf MGMT in"
BFD = "ip saddr 10.160.0.0/13 udp dport 4784"  # what FRR has with TTL security
SESSIONS = "ip saddr 10.160.0.0/13 tcp dport 179"
TRIES = 5
NEEDED = (BFD, SESSIONS, "tcp flags rst,ack", "icmp type echo-request", "all")
FOUR = "GPUFABRIC-BASE-FABRIC"
_PING = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as one:
    one.settimeout(5)
    one.connect((sys.argv[1], 0))
    one.send(bytes.fromhex("0800f7ff00000000"))
    print("answered" if one.recv(64)[20] == 0 else "refused")
"""
_OPEN = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=float(sys.argv[3])).close()
    print("open")
except ConnectionRefusedError:
    print("closed")
except TimeoutError:
    print("dropped")
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedLab]:
    folder = tmp_path_factory.mktemp("routed")
    data = yaml.safe_load(of_two_rails((ROOT / "inventory/lab-rails/fabric.yml").read_text(encoding="utf-8")))
    for tier in ("leaf", "spine"):
        data["fabrics"]["compute"][tier].pop("overrides", None)
        data["fabrics"]["compute"][tier] |= SYSTEM
    (folder / "site").mkdir()
    (folder / "site" / "fabric.yml").write_text(yaml.safe_dump({**data, "base": BASE}, sort_keys=False))
    operator = Operator(folder / "site", folder / "state")
    try:
        operator.run("lab", "up", "--routed")
        yield RoutedLab(operator)
    finally:
        operator.run("lab", "down")
    assert on_this_machine(operator) == []


@pytest.fixture(scope="module")
def design(lab: RoutedLab) -> SiteDesign:
    return load(lab.operator.site)


def opened(lab: RoutedLab, host: str, address: str, port: int) -> str:
    """What comes of a connection from a host: open, closed (nobody listens), dropped."""
    return lab.inside(host, "python3", "-c", _OPEN, address, str(port), "2").strip()


@pytest.fixture(scope="module")
def loopback(lab: RoutedLab, design: SiteDesign) -> str:
    """The leaf's, once switches have their lists. Before, the leaf is asked, and nobody listens in the lab."""
    lab.operator.run("push", "--plane", "compute", "--yes")
    until(lab.assert_both_tiers_agree)
    found = str(design.network.device(LEAF).loopback)
    lab.inside("gpu-1", "ip", "route", "replace", f"{found}/32", "via", "10.168.0.0")
    assert opened(lab, "gpu-1", found, 22) == "closed"
    switches = lab.switches
    refused = lab.operator.run("push", "--yes", code=7)
    assert "+ system control-plane / ip access-group GPUFABRIC-BASE-FABRIC in" in refused
    allowed = [word for name in switches for word in ("--allow-management", name)]
    adopted = [word for name in switches for word in ("--adopt", f"{name}:{OTHERS}")]
    lab.operator.run("push", "--yes", *allowed, *adopted)
    until(lab.assert_both_tiers_agree)
    return found


def test_before_the_list_a_host_reaches_ssh_and_with_it_sessions_come_up_and_it_does_not(
    lab: RoutedLab, loopback: str, figure: Callable[[str], None]
) -> None:
    switches = lab.switches
    for _ in range(TRIES):  # not those of before: FRR opens each anew, through the lists, from either end
        for name in switches:
            lab.inside(name, "ss", "--kill", "--tcp", "sport", "=", ":179")
        until(lab.assert_both_tiers_agree)
        if counted(lab)[SESSIONS]:
            break
    sessions = [is_up for name in switches for is_up in lab.established(name).values()]
    assert len(sessions) == 8 and all(sessions)
    assert opened(lab, "gpu-1", loopback, 22) == opened(lab, "gpu-1", "10.168.0.0", 443) == "dropped"
    assert lab.inside("gpu-1", "python3", "-c", _PING, loopback).strip() == "answered"
    until(lambda: all(counted(lab)[rule] for rule in NEEDED))
    figure(f"{len(sessions)} ends of sessions with BFD through lists of {len(switches)} switches")


@pytest.mark.usefixtures("loopback")
def test_without_permits_neither_bfd_nor_sessions_come_through(lab: RoutedLab) -> None:
    at = {name: lab.operator.hands()[name] for name in (LEAF, "spine-1", "spine-2")}
    rows = {name: {row.split()[-1]: row.strip() for row in of_list(hand.running())} for name, hand in at.items()}
    at[LEAF].configure(f"ip access-list {FOUR}", f"no {rows[LEAF]['multihop-bfd'].split()[0]}")
    until(lambda: counted(lab)["all"] > 10 and BFD not in counted(lab))
    until(lambda: set(bfd(at[LEAF])) == {"down"})
    assert f"{rows[LEAF]['multihop-bfd'].split()[0]} permit udp" in lab.operator.run(
        "validate", "--plane", "base", code=8
    )
    proved = lab.operator.run("prove", "--running", "--only", "isolation", code=8)
    assert f"{LEAF} control plane, IPv4: BFD from 10.160.0." in proved
    for name, hand in at.items():
        hand.configure(f"ip access-list {FOUR}", f"no {rows[name]['bgp'].split()[0]}")
    for name in at:
        lab.inside(name, "ss", "--kill", "--tcp", "sport", "=", ":179", "or", "dport", "=", ":179")
    until(lambda: not any(lab.established(LEAF).values()))
    until(lambda: lab.assert_both_tiers_agree(LEAF))
    for name, hand in at.items():
        hand.configure(f"ip access-list {FOUR}", rows[name]["bgp"], rows[name]["multihop-bfd"])
    until(lab.assert_both_tiers_agree)
    assert all(lab.established(LEAF).values())
    until(lambda: counted(lab)[BFD])


def bfd(hand: Hand) -> list[str]:
    """The state of each session of BFD, as the switch shows it."""
    return re.findall(r'"status": "(\w+)"', json.dumps(hand.shown("show bfd peers")))


def of_list(text: str) -> list[str]:
    """The rows of the list of IPv4."""
    return text[text.index(f"ip access-list {FOUR}\n") :].partition("!")[0].splitlines()


def counted(lab: RoutedLab) -> dict[str, int]:
    """Packets that each rule of the leaf's list of IPv4 has matched, by the rule as nftables has it; all: the last."""
    chain = "list_" + FOUR.replace("-", "_2d_")
    lines = lab.inside(LEAF, "nft", "list", "chain", "ip", "lists", chain).splitlines()
    parts = [each.strip().partition("counter packets ") for each in lines if "counter packets" in each]
    return {rule.strip() or "all": int(rest.split()[0]) for rule, _, rest in parts[:-1]}
