"""Link aggregation groups of others under a number of ours: a push that would take one over, or away, is refused."""

from collections.abc import Iterator

from nornir_tasks.deploy.wanted import Wanted
from nornir_tasks.design.claims import SWITCH, Claims
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.errors import Problem, RefusedError
from nornir_tasks.platforms.config_tree import Change, ConfigTree


def refuse_their_lags(wanted: Wanted, changes: tuple[Change, ...], running: ConfigTree) -> None:
    """Refuse a group that runs under one of our numbers, if nothing of it is ours: its links carry somebody's traffic.

    It is ours if a port that we use is in it, or if it has a VLAN, a VRF or an address of ours: an earlier design may
    have had other ports in it.
    """
    claims = wanted.claims
    numbers = {number for claim in claims.claims for number in claim.lags}
    names = sorted(f"{wanted.capabilities.lag_prefix}{number}" for number in numbers)
    touched = {part.removeprefix("interface ") for change in changes for part in change.path[:2]}
    there = [name for name in names if name in touched and _runs(name, running)]
    if not there:
        return
    parsed = wanted.platform.parse(running, wanted.capabilities, wanted.device, wanted.config.model).config
    problems = [
        Problem(
            where=f"{wanted.device} {name}",
            what="a link aggregation group of this number exists already, without a sign that it is ours",
            expected="a number that this switch does not use, or our group",
            found=", ".join(_members(name, parsed)) or "none of our ports in it",
            hint="choose another number that is free on all leaves, or remove the group by hand",
        )
        for name in there
        if not any(_signs(name, parsed, claims))
    ]
    if problems:
        raise RefusedError(problems)


def _runs(name: str, running: ConfigTree) -> bool:
    """Has a switch such a group, with anything in it? CLI systems have it in one line, NVUE below ``interface``."""
    return bool(running.get(f"interface {name}") or running.get("interface", name))


def _members(name: str, parsed: DeviceConfig) -> tuple[str, ...]:
    return tuple(port.name for port in parsed.interfaces if port.member is not None and port.member.group == name)


def _signs(name: str, parsed: DeviceConfig, claims: Claims) -> Iterator[bool]:
    yield any(claims.by_port(port) not in {None, SWITCH} for port in _members(name, parsed))
    yield from (_is_known(port, claims) for port in parsed.interfaces if port.name == name)


def _is_known(group: Interface, claims: Claims) -> bool:
    vlans = (group.access_vlan, group.native_vlan, *(group.tagged_vlans or ()))
    if any(claims.by_vlan(str(number)) is not None for number in vlans if number is not None):
        return True
    if group.vrf is not None:
        return claims.by_vrf(group.vrf) is not None
    addresses = (group.address, group.ipv6_address)
    return any(claims.by_address(each) is not None for each in addresses if each is not None)
