"""Partners of LACP in NX-OS' show output. Pure.

Text of ``show lacp neighbor`` (tests/recorded/nxos_show/lacp_neighbor_text.txt): of its data there is no source.
"""

import re
from collections.abc import Iterator

from nornir_tasks.platforms.observed import LacpPartner

_SYSTEM = r"[0-9a-f]{1,2}(?:-[0-9a-f]{1,2}){5}"
_ROW = re.compile(rf"^Eth(\S+) +\d+, *({_SYSTEM}) *0x\S+ +\d+ +([SF])[AP]\s*$", re.MULTILINE)
_NOBODY = "00:00:00:00:00:00"


def partners(text: str) -> Iterator[LacpPartner]:
    """``32768,2-0-5e-0-1-1``: octets without leading noughts; ``F`` is a short timeout, as bit 1 of its port state.

    A system of six whole octets fills its column: the port number follows without a blank (tests/recorded/nxos_show).
    """
    for found in _ROW.finditer(text):
        system = ":".join(f"{int(octet, 16):02x}" for octet in found[2].split("-"))
        if system != _NOBODY:
            yield LacpPartner(f"Ethernet{found[1]}", system, "fast" if found[3] == "F" else "slow")
