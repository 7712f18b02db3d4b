"""The configuration space is decoded as lspci decodes it: dumps and decoded lines of tests/recorded/lspci."""

import re
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TESTS / "recorded"))

from pci_config import ACS_BITS, decode, read_request_bytes, with_read_request  # noqa: E402
from transcripts import RECORDED, read_transcript  # noqa: E402

LSPCI_BITS = ["SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans"]
NAMES = dict(zip(LSPCI_BITS, ACS_BITS, strict=True))
CALLS = [
    pytest.param(call, id=f"{path.stem} {call.command.split()[-1]}")
    for path in sorted((RECORDED / "lspci").glob("*.txt"))
    for call in read_transcript(f"lspci/{path.name}")
]


def config_of(text):
    """The bytes that lspci dumped; rows that are not there are zeros."""
    rows = {int(at, 16): bytes.fromhex(row) for at, row in re.findall(r"(?m)^([0-9a-f]{2,3}): ([0-9a-f ]{47})$", text)}
    size = next(size for size in (64, 256, 4096) if max(rows) < size)
    space = bytearray(size)
    for at, row in rows.items():
        space[at : at + 16] = row
    return bytes(space)


def groups_of(pattern, text):
    found = re.search(pattern, text)
    return found.groups() if found else None


@pytest.mark.parametrize("call", CALLS)
def test_link_and_read_request_are_what_lspci_shows(call):
    found = decode(config_of(call.stdout))
    port = groups_of(r"Express \(v\d\) ([A-Za-z -]+?)(?: \(Slot.\))?, ", call.stdout)[0]
    assert found["port"] == {"Root Complex Integrated Endpoint": "other"}.get(port, port.lower())
    assert found["read_request_bytes"] == int(groups_of(r"MaxReadReq (\d+) bytes", call.stdout)[0])
    most = groups_of(r"LnkCap:.*Speed ([\d.]+)GT/s, Width x(\d+)", call.stdout)
    now = groups_of(r"LnkSta:\s*Speed ([\d.]+)GT/s.*Width x(\d+)", call.stdout)
    if most is None:
        assert found["link"] is None
        return
    assert (found["link"]["max_speed_gt_s"], found["link"]["max_lanes"]) == (float(most[0]), int(most[1]))
    assert (found["link"]["speed_gt_s"], found["link"]["lanes"]) == (float(now[0]), int(now[1]))


@pytest.mark.parametrize("call", CALLS)
def test_acs_and_ats_are_what_lspci_shows_wherever_the_dump_has_them(call):
    found = decode(config_of(call.stdout))
    acs, ats = groups_of(r"ACSCtl:\s*(.*)", call.stdout), groups_of(r"ATSCtl:\s*Enable([+-])", call.stdout)
    if found["known"] != "all":
        assert (found["acs"], found["ats"]) == (None, None)
        return
    bits = acs and {NAMES[word[:-1]]: word[-1] == "+" for word in acs[0].split()}
    assert found["acs"] == (bits or None)
    assert found["ats"] == (None if ats is None else ats[0] == "+")


def test_the_dumps_hold_every_case_that_is_told_apart():
    found = [decode(config_of(call.values[0].stdout)) for call in CALLS]
    assert {each["port"] for each in found} == {"endpoint", "root port", "downstream port", "other"}
    assert {each["ats"] for each in found} == {None, False, True}
    assert {each["acs"]["request_redirect"] for each in found if each["acs"]} == {False, True}
    assert {each["known"] for each in found} == {"first 256 bytes", "all"}


@pytest.mark.parametrize("size_bytes", [128, 256, 512, 1024, 2048, 4096])
def test_another_read_request_changes_no_other_bit_of_device_control(size_bytes):
    changed = with_read_request(0xFFFF & ~0x7000 | 0x2000, size_bytes)
    assert read_request_bytes(changed) == size_bytes
    assert changed & ~0x7000 == 0x8FFF


def test_a_read_request_that_pci_express_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(ValueError, match="3000 bytes; PCI Express has 128, 256, 512, 1024, 2048, 4096"):
        with_read_request(0, 3000)


@pytest.mark.parametrize("config", [b"\xff" * 64, b"\xff" * 256, b"\xff" * 4096, bytes(4096)])
def test_a_device_that_fell_off_the_bus_has_no_capability_and_the_walk_ends(config):
    found = decode(config)
    assert found["acs"] is None
    assert found["ats"] is None


def test_a_capability_list_that_goes_round_ends():
    config = bytearray(256)
    config[6], config[0x34], config[0x40], config[0x41] = 0x10, 0x40, 0x01, 0x40
    assert decode(bytes(config))["port"] is None
