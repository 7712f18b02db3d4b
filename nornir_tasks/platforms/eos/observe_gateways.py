"""Redundant gateways in EOS's show output. Pure.

Keys as published scripts read them (tests/recorded/eos_show/virtual_router.txt). Their word for a gateway that answers
is ``active``; any other is taken for one that does not.
"""

from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import GatewayState

_ACTIVE = "active"


def gateways(answer: dict[str, Any]) -> Iterator[GatewayState]:
    """The rows of all VRFs; older releases have one ``virtualMac`` in place of the list."""
    macs = [str(each["macAddress"]) for each in answer.get("virtualMacs", []) if each.get("macType", "varp") == "varp"]
    mac = next(iter(macs), answer.get("virtualMac"))
    for row in answer.get("virtualRouters", []):
        state = str(row.get("state", ""))
        for address in row.get("virtualIps", []):
            is_up = state == _ACTIVE if state else None
            yield GatewayState(str(row["interface"]), str(address["ip"]), is_up, None, state, mac and mac.lower())
