"""ARP on each rail's own wire, over real interfaces of a network namespace: right cables, swapped ones, silence."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from needs import require

sys.path.insert(0, str(Path(__file__).parents[3] / "plugins/module_utils"))
import gateway_probe

UTILS = Path(gateway_probe.__file__).parent
MACS = {"rail0": "02:00:00:00:00:10", "rail1": "02:00:00:00:00:11"}


def test_a_request_is_the_frame_of_rfc_826():
    frame = gateway_probe.request("02:00:00:00:00:10", "10.168.0.1", "10.168.0.0")
    assert frame.hex() == (
        "ffffffffffff" "020000000010" "0806"
        "0001" "0800" "06" "04" "0001" "020000000010" "0aa80001" "000000000000" "0aa80000"
    )  # fmt: skip
    assert gateway_probe.answer(frame) is None, "one's own question is no answer"


def test_a_reply_speaks_for_its_sender_and_broken_frames_for_nobody():
    frame = gateway_probe.request("02:00:00:00:00:99", "10.168.0.0", "10.168.0.1")
    reply = frame[:21] + b"\x02" + frame[22:]
    assert gateway_probe.answer(reply + b"\0" * 18) == ("10.168.0.0", "02:00:00:00:00:99")
    assert gateway_probe.answer(reply[:30]) is None


HOST = """
set -e
for n in 0 1; do
  ip netns add $1-leaf$n
  ip -n $1 link add rail$n address 02:00:00:00:00:1$n type veth peer name up$n netns $1-leaf$n
  ip -n $1 link set rail$n up
  ip -n $1 address add 10.16$((8 + n)).0.1/31 dev rail$n
  ip -n $1-leaf$n link set up$n up
done
"""


@pytest.fixture
def host(tmp_path):
    """A namespace with two rails, each with a leaf behind it; give it the leaves' addresses by rail."""
    name = f"gp{tmp_path.name[-8:].replace('_', '')}{id(tmp_path) % 1000}"
    require("root")
    subprocess.run(["ip", "netns", "add", name], check=True, capture_output=True)
    leaves = [f"{name}-leaf0", f"{name}-leaf1"]

    def probed(addresses):
        for leaf, number, address in zip(leaves, "01", addresses, strict=True):
            if address:
                subprocess.run(["ip", "-n", leaf, "address", "add", f"{address}/31", "dev", f"up{number}"], check=True)
        wires = [[rail, rail, MACS[rail], f"10.{168 + n}.0.1", f"10.{168 + n}.0.0"] for n, rail in enumerate(MACS)]
        script = textwrap.dedent(f"""
            import json, sys
            sys.path.insert(0, {str(UTILS)!r})
            from gateway_probe import Wire, probe
            found = probe([Wire(*each) for each in {wires!r}])
            print(json.dumps({{rail: sorted(answers) for rail, answers in found.items()}}))
        """)
        argv = ["ip", "netns", "exec", name, sys.executable, "-c", script]
        done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
        return json.loads(done.stdout)

    try:
        subprocess.run(["sh", "-c", HOST, "sh", name], check=True)
        yield probed
    finally:
        for each in (*leaves, name):
            subprocess.run(["ip", "netns", "delete", each], check=False, capture_output=True)


def test_each_rails_gateway_answers_on_its_own_wire(host):
    assert host(["10.168.0.0", "10.169.0.0"]) == {"rail0": ["10.168.0.0"], "rail1": ["10.169.0.0"]}


def test_on_swapped_rails_the_other_ones_gateway_answers(host):
    assert host(["10.169.0.0", "10.168.0.0"]) == {"rail0": ["10.169.0.0"], "rail1": ["10.168.0.0"]}


def test_where_nobody_answers_nobody_is_named(host):
    assert host(["10.168.0.0", None]) == {"rail0": ["10.168.0.0"], "rail1": []}
