"""What EOS shows of its base configuration: the clock's server, log servers, zero-touch provisioning, ports of VRFs.

JSON: keys as anta 1.10.0 reads them (tests/system.py, tests/configuration.py), text as its tests of ``show logging``
have it (tests/recorded/eos_show/base.txt, vrf.txt).
"""

import re
from collections.abc import Iterator
from typing import Any

from nornir_tasks.platforms.observed import ClockState, LogTarget, ShownAccount, VrfPort, ZeroTouch

_FOLLOWED = "sys.peer"
_TARGET = re.compile(r"Logging to '(?P<address>[^']+)' port \d+ in VRF (?P<vrf>\S+) via \S+")
_ENDED = "disabled"
_ROLES = {("network-admin", 15): "admin", ("network-operator", 1): "operator"}


def clock(shown: dict[str, Any]) -> ClockState:
    """``show ntp associations``: the clock follows the peer whose condition is ``sys.peer``."""
    peers = (each for each in shown.get("peers", {}).values() if each.get("condition") == _FOLLOWED)
    peer = next(peers, None)
    return ClockState(in_step=peer is not None, server=str(peer.get("peerIpAddr", "")) if peer is not None else "")


def zero_touch(shown: dict[str, Any]) -> ZeroTouch:
    """``show zerotouch``."""
    state = str(shown.get("mode", ""))
    return ZeroTouch(state, ended=state == _ENDED)


def log_targets(text: str) -> Iterator[LogTarget]:
    """``show logging``: whom it sends to, not whether they are there."""
    for found in map(_TARGET.search, text.splitlines()):
        if found is not None:
            yield LogTarget(found["address"], _vrf(found["vrf"]), reached=None)


def vrf_ports(shown: dict[str, Any]) -> Iterator[VrfPort]:
    """``show vrf``."""
    for name, vrf in shown.get("vrfs", {}).items():
        for port in vrf.get("interfaces", []):
            yield VrfPort(str(port), _vrf(name))


def _vrf(name: str) -> str | None:
    return None if name == "default" else name


def accounts(shown: dict[str, Any]) -> Iterator[ShownAccount]:
    """``show users accounts``; of hashes nothing is kept."""
    for name, user in shown.get("users", {}).items():
        role, level = str(user.get("role", "")), user.get("privLevel")
        yield ShownAccount(name, _ROLES.get((role, level), f"{role or 'no role'}, privilege {level}"))
