"""other_team.py type|check: in the built-in lab, lines of another team on a switch of each system; do they stand?

They are typed through each system's own API, without the product's code: a VLAN with a number of ours, its gateway, a
BGP neighbour and a redistribution. ``check`` ends with 1 if one of them is gone.
"""

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/lab")]

from by_hand import Hand, hands  # noqa: E402 - it is found by the path above

from nornir_tasks.files.site import state_directory  # noqa: E402

EOS = """\
vlan 310
   name TENANT-A-WEB
interface Vlan310
   description gateway of another team
   ip address 198.18.10.1/24
ip prefix-list CUST-STATICS
   seq 10 permit 198.18.0.0/15 le 24
route-map CUST-STATICS permit 10
   match ip address prefix-list CUST-STATICS
ip route 198.18.7.0/24 Null0
router bgp {asn}
   neighbor 203.0.113.77 remote-as 64999
   redistribute static route-map CUST-STATICS
"""
NXOS = """\
ip prefix-list CUST-STATICS seq 10 permit 198.18.0.0/15 le 24
route-map CUST-STATICS permit 10
  match ip address prefix-list CUST-STATICS
ip route 198.18.7.0/24 Null0
router bgp {asn}
  neighbor 203.0.113.77
    remote-as 64999
  address-family ipv4 unicast
    redistribute static route-map CUST-STATICS
"""
NVUE = """\
bridge: {domain: {br_default: {vlan: {'200': {}}}}}
interface:
  vlan200: {type: svi, vlan: 200, ipv4: {address: {198.18.40.1/24: {}}}}
  lo: {ipv4: {address: {198.19.9.9/32: {}}}}
"""
SWITCHES = {"front-leaf-g1-a": EOS, "front-leaf-g2-a": NXOS, "front-leaf-g3-a": NVUE}


def lines(hand: Hand, text: str) -> str:
    """The lines with the AS number that the switch has."""
    found = re.search(r"^router bgp (\d+)", hand.running(), re.MULTILINE)
    return text.replace("{asn}", found[1] if found else "4200200000")


def with_exits(text: str) -> list[str]:
    """Lines as a person types them: each mode is left at its end."""
    typed, modes = list[str](), list[int]()
    rows = text.splitlines()
    for row, after in zip(rows, [*rows[1:], ""], strict=True):
        typed.append(row.strip())
        depth, deeper = len(row) - len(row.lstrip()), len(after) - len(after.lstrip())
        if deeper > depth:
            modes.append(depth)
        while modes and modes[-1] >= deeper:
            modes.pop()
            typed.append("exit")
    return typed


def stands(hand: Hand, text: str) -> tuple[int, int]:
    """How many of the lines the switch runs, and of how many."""
    if hand.os == "nvue":
        wanted, runs = leaves(yaml.safe_load(text)), leaves(hand.applied())
    else:
        wanted, runs = paths(lines(hand, text)), paths(hand.running())
    return len(wanted & runs), len(wanted)


def paths(text: str) -> set[tuple[str, ...]]:
    """Each line with those that it is below."""
    found, above = set[tuple[str, ...]](), list[tuple[int, str]]()
    for row in text.splitlines():
        depth, line = len(row) - len(row.lstrip()), row.strip()
        while above and above[-1][0] >= depth:
            above.pop()
        above.append((depth, line))
        found.add(tuple(each for _, each in above))
    return found


def leaves(data: object, above: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Each setting with its keys."""
    if not isinstance(data, dict) or not data:
        return {(*above, str(data))}
    return {leaf for key, value in data.items() for leaf in leaves(value, (*above, str(key)))}


def main(verb: str) -> int:
    """Type the lines, or count those that stand."""
    lab = hands(state_directory("lab") / "lab")
    counts = []
    for name, text in SWITCHES.items():
        hand = lab[name]
        if verb == "type" and hand.os == "nvue":
            hand.nvue(patch=yaml.safe_load(text))
        elif verb == "type":
            hand.configure(*with_exits(lines(hand, text)))
        counts.append(stands(hand, text))
    found, total = (sum(column) for column in zip(*counts, strict=True))
    sys.stdout.write(f"{found} of {total} lines of another team stand, on {', '.join(SWITCHES)}\n")
    return int(found != total)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
