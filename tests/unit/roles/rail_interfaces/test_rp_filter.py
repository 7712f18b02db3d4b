"""A rail's own rp_filter = 2 suffices on a hardened host (all.rp_filter = 1): over a real kernel, in namespaces."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

from tests.needs import require

ROLE = Path(__file__).parents[4] / "roles/rail_interfaces"
# What a leaf sends to rail 0's address by rail 1: whoever asks for the way back finds rail 0.
HOST = """
set -e
ip netns add $1; ip netns add $1-leaf
for n in 0 1; do
  ip -n $1 link add rail$n address 02:00:00:00:00:1$n type veth peer name up$n netns $1-leaf
  ip -n $1 link set rail$n up
  ip -n $1 address add 10.16$((8 + n)).0.1/31 dev rail$n
  ip -n $1 route add 10.16$((8 + n)).0.0/16 via 10.16$((8 + n)).0.0 dev rail$n
  ip -n $1 route add 10.168.0.0/13 via 10.16$((8 + n)).0.0 dev rail$n table $((100 + n))
  ip -n $1 rule add from 10.16$((8 + n)).0.1 lookup $((100 + n)) priority $((20000 + n))
  ip -n $1-leaf link set up$n up
  ip -n $1-leaf address add 10.16$((8 + n)).0.0/31 dev up$n
done
ip -n $1-leaf link set lo up
ip -n $1-leaf address add 10.168.255.1/32 dev lo
ip -n $1-leaf route add 10.168.0.1/32 via 10.169.0.1 dev up1
"""
SENT = 3
SEND = f"""
import socket, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("10.168.255.1", 0))
for _ in range({SENT}):
    one.sendto(b"packet", ("10.168.0.1", 4791))
    time.sleep(0.2)
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """The name of the host's namespace; that of its leaves is the same with `-leaf`."""
    require("root")
    name = f"rp{id(tmp_path) % 10**8}"
    try:
        subprocess.run(["sh", "-c", HOST, "sh", name], check=True, capture_output=True, text=True)
        yield name
    finally:
        for each in (name, f"{name}-leaf"):
            subprocess.run(["ip", "netns", "delete", each], check=False, capture_output=True)


@pytest.fixture
def refused(host: str) -> Callable[..., int]:
    """How many of three packets the kernel refuses for where they come from, with these filters."""

    def inside(*command: str, space: str = host) -> str:
        whole = ["ip", "netns", "exec", space, *command]
        return subprocess.run(whole, capture_output=True, text=True, check=True, timeout=30).stdout

    def counted() -> int:
        names, values = re.findall(r"^TcpExt: (.*)$", inside("cat", "/proc/net/netstat"), re.MULTILINE)
        return int(dict(zip(names.split(), values.split(), strict=True))["IPReversePathFilter"])

    def run(**filters: int) -> int:
        for name, value in filters.items():
            inside("sysctl", "-q", "-w", f"net.ipv4.conf.{name}.rp_filter={value}")
        before = counted()
        inside(sys.executable, "-c", SEND, space=f"{host}-leaf")
        return counted() - before

    return run


def test_a_rails_own_loose_filter_suffices_where_all_is_strict(refused: Callable[..., int]) -> None:
    assert refused(all=1, rail0=2, rail1=2) == 0
    assert refused(all=1, rail0=2, rail1=0) == SENT, "what the test sends is nothing that a strict filter refuses"
    assert refused(all=1, rail0=2, rail1=1) == SENT
    assert refused(all=0, rail0=2, rail1=2) == 0


def test_the_role_sets_that_of_the_rails_alone() -> None:
    template = Environment(autoescape=True).from_string((ROLE / "templates/sysctl.yml.j2").read_text(encoding="utf-8"))
    rails = [{"name": "rail0"}, {"name": "rail1"}]
    (text,) = yaml.safe_load(template.render(rail_interfaces_rails=rails, rail_interfaces_arp_strict=False)).values()
    assert [line for line in text.splitlines() if line and not line.startswith("#")] == [
        "net.ipv4.conf.rail0.rp_filter = 2",
        "net.ipv4.conf.rail1.rp_filter = 2",
    ]
