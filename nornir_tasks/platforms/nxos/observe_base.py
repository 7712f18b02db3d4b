"""What NX-OS shows of its base configuration: the clock's server, log servers, POAP, ports of VRFs.

NTP: the Show Command Reference's keys, as NAPALM 5.2.0 reads them; the others are text
(tests/recorded/nxos_show/base.txt).
"""

import re
from collections.abc import Iterator

from nornir_tasks.platforms.nxos.tables import rows
from nornir_tasks.platforms.observed import ClockState, LogTarget, ShownAccount, VrfPort, ZeroTouch

_MARKS = " *+-="
_POAP = re.compile(r"Boot POAP (\w+)")
_ENDED = "disabled"
_TARGET = re.compile(r"\{([^{}\s]+)\}")
_OF_TARGET = re.compile(r"server VRF:\s*(\S+)", re.IGNORECASE)
_UNREACHABLE = "temporarily unreachable"
_USER = re.compile(r"user:(\S+)")
_ROLES = re.compile(r"roles:(.*)")
_REMOTE = "REMOTE authentication"
_PORT = re.compile(r"(\S+)\s+(\S+)\s+(?:\d+|N/A)\s+\S+")


def clock(shown: object) -> ClockState:
    """``show ntp peer-status``: the clock follows the one that is marked ``*``."""
    body = shown if isinstance(shown, dict) else {}  # without any server there is no table
    followed = next((each for each in rows(body, "peersstatus") if str(each.get("syncmode")).strip() == "*"), None)
    server = str(followed.get("remote", "")).strip(_MARKS) if followed is not None else ""
    return ClockState(in_step=followed is not None, server=server)


def zero_touch(text: str) -> ZeroTouch | None:
    """``show boot``: POAP is off for this boot and for the next one."""
    states = [each.lower() for each in _POAP.findall(text)]
    if not states:
        return None
    state = next((each for each in states if each != _ENDED), _ENDED)
    return ZeroTouch(state, ended=state == _ENDED)


def log_targets(text: str) -> Iterator[LogTarget]:
    """``show logging server``: a block for each, with a line more where the switch cannot reach it."""
    for block in re.split(r"(?=\{)", text)[1:]:
        address, vrf = _TARGET.match(block), _OF_TARGET.search(block)
        if address is not None:
            name = vrf[1] if vrf is not None else "default"
            yield LogTarget(address[1], None if name == "default" else name, reached=_UNREACHABLE not in block)


def vrf_ports(text: str) -> Iterator[VrfPort]:
    """``show vrf interface``."""
    for found in (_PORT.fullmatch(line.strip()) for line in text.splitlines()):
        if found is not None:
            yield VrfPort(found[1], None if found[2] == "default" else found[2])


def accounts(text: str) -> Iterator[ShownAccount]:
    """``show user-account``; those of a server of accounts, which are cached there, cannot log in by themselves."""
    for block in re.split(r"(?m)^(?=\s*user:)", text):
        name, roles = _USER.search(block), _ROLES.search(block)
        if name is not None and _REMOTE not in block:
            yield ShownAccount(name[1], _role(frozenset(roles[1].split()) if roles is not None else frozenset()))


def _role(roles: frozenset[str]) -> str:
    if "network-admin" in roles:
        return "admin"
    return "operator" if roles == {"network-operator"} else " ".join(sorted(roles)) or "no role"
