"""Partners of LACP in EOS's show output. Pure.

Keys as the example of a public checker has them (tests/recorded/eos_show/lacp.txt).
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import LacpPartner

_NOBODY = "00:00:00:00:00:00"


def partners(answer: dict[str, Any]) -> Iterator[LacpPartner]:
    """``partnerSystemId`` is ``8000,02-00-5e-00-01-01``; a short ``timeout`` asks for a LACPDU each second."""
    for shown in answer.get("portChannels", {}).values():
        for port, each in shown.get("interfaces", {}).items():
            system = str(each.get("partnerSystemId", "")).partition(",")[2].replace("-", ":").lower()
            is_short = each.get("partnerPortState", {}).get("timeout")
            if system and system != _NOBODY:
                yield LacpPartner(port, system, None if is_short is None else "fast" if is_short else "slow")
