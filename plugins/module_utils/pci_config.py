"""What a PCI device's configuration space says: link, largest read request, ACS and ATS.

Standard library only (it runs on hosts, Python 3.9). Offsets and fields are those of pciutils' `lib/header.h` (commit
0f5b941aa5cf); tests compare the result with lspci's own on recorded dumps. Without root a device shows 64 bytes, and
old kernels 256; what lies beyond is not known, which is not the same as absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

COMMAND_AND_STATUS, CAPABILITY_LIST, FIRST_CAPABILITY = 0x06, 0x10, 0x34
HEADER_BYTES, CONVENTIONAL_BYTES = 64, 256
EXPRESS, ACS, ATS = 0x10, 0x000D, 0x000F
DEVICE_CONTROL, LINK_CAPABILITY, LINK_STATUS = 0x08, 0x0C, 0x12
READ_REQUEST_SHIFT, READ_REQUEST_MASK = 12, 0x7000

PORT_TYPES = {0: "endpoint", 1: "endpoint", 4: "root port", 5: "upstream port", 6: "downstream port"}
"""Device/port type of the Express capability; any other is "other"."""
SPEEDS_GT_S = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
ACS_BITS = {
    "source_validation": 0x01,
    "translation_blocking": 0x02,
    "request_redirect": 0x04,
    "completion_redirect": 0x08,
    "upstream_forwarding": 0x10,
    "egress_control": 0x20,
    "direct_translated": 0x40,
}
REDIRECT = ("request_redirect", "completion_redirect", "egress_control")
"""What `pci=disable_acs_redir=` of Linux clears (pci_disable_acs_redir in drivers/pci/pci.c)."""


def _word(config: bytes, offset: int) -> int:
    return int.from_bytes(config[offset : offset + 2], "little")


def capabilities(config: bytes) -> Iterator[tuple[int, int]]:
    """(number, offset) of each capability in the first 256 bytes; a list that goes round ends."""
    if not _word(config, COMMAND_AND_STATUS) & CAPABILITY_LIST:
        return
    offset, seen = config[FIRST_CAPABILITY] & 0xFC, set()
    while offset and offset + 2 <= len(config) and offset not in seen:
        seen.add(offset)
        yield config[offset], offset
        offset = config[offset + 1] & 0xFC


def extended_capabilities(config: bytes) -> Iterator[tuple[int, int]]:
    """(number, offset) of each capability from byte 256 on."""
    offset, seen = CONVENTIONAL_BYTES, set()
    while offset >= CONVENTIONAL_BYTES and offset + 4 <= len(config) and offset not in seen:
        seen.add(offset)
        header = int.from_bytes(config[offset : offset + 4], "little")
        if header in (0, 0xFFFFFFFF):
            return
        yield header & 0xFFFF, offset
        offset = header >> 20 & 0xFFC


def express_offset(config: bytes) -> int | None:
    """Where the Express capability is; None if there is none, or if it cannot be seen."""
    if len(config) <= HEADER_BYTES:
        return None
    return next((offset for number, offset in capabilities(config) if number == EXPRESS), None)


def read_request_bytes(device_control: int) -> int:
    """Largest read request of a Device Control register."""
    return 128 << (device_control >> READ_REQUEST_SHIFT & 7)


def with_read_request(device_control: int, size_bytes: int) -> int:
    """The register with another largest read request; ValueError for a size that PCI Express does not have."""
    sizes = [128 << code for code in range(6)]
    if size_bytes not in sizes:
        message = f"{size_bytes} bytes; PCI Express has {', '.join(map(str, sizes))}"
        raise ValueError(message)
    return device_control & ~READ_REQUEST_MASK | sizes.index(size_bytes) << READ_REQUEST_SHIFT


def _link(config: bytes, express: int) -> dict[str, Any]:
    most, now = _word(config, express + LINK_CAPABILITY), _word(config, express + LINK_STATUS)
    return {
        "speed_gt_s": SPEEDS_GT_S.get(now & 0xF),
        "lanes": now >> 4 & 0x3F,
        "max_speed_gt_s": SPEEDS_GT_S.get(most & 0xF),
        "max_lanes": most >> 4 & 0x3F,
    }


def decode(config: bytes) -> dict[str, Any]:
    """``known`` (how much could be seen), ``port``, ``link``, ``read_request_bytes``, ``acs`` and ``ats``.

    ``acs``: control bit to on or off; None without the capability. ``ats``: enabled; None without the capability. Both
    mean nothing unless ``known`` is "all"; the rest nothing if it is "header".
    """
    express = express_offset(config)
    known = (
        "header" if len(config) <= HEADER_BYTES else "first 256 bytes" if len(config) <= CONVENTIONAL_BYTES else "all"
    )
    found: dict[str, Any] = {"known": known, "port": None, "link": None, "read_request_bytes": None}
    if express is not None:
        port = PORT_TYPES.get(_word(config, express + 2) >> 4 & 0xF, "other")
        link = _link(config, express)
        found["port"] = port
        found["link"] = link if link["max_lanes"] else None
        found["read_request_bytes"] = read_request_bytes(_word(config, express + DEVICE_CONTROL))
    extended = dict(reversed(list(extended_capabilities(config))))
    control = _word(config, extended[ACS] + 6) if ACS in extended else None
    found["acs"] = None if control is None else {name: bool(control & bit) for name, bit in ACS_BITS.items()}
    found["ats"] = bool(_word(config, extended[ATS] + 6) & 0x8000) if ATS in extended else None
    return found
