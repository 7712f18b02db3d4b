"""Filters ``rail_problems``, all problems of a host's rails at once, and ``rail_names``, their interfaces' names now.

``not_rail_names`` and ``unit_instance`` are what all roles know of these names.

Judged on the controller from the role's variables and the host's facts, so that it costs the host nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

from ansible_collections.gpufabric.host.plugins.module_utils.interface_names import (
    RAIL,
    RAIL_IN_WORDS,
    as_instance,
    not_rails,
)
from ansible_collections.gpufabric.host.plugins.module_utils.port_problems import (
    OR_ADOPT,
    blocks,
    gone,
    key_of,
    no_manager,
    not_found,
    other_name,
    place_of,
    plain,
    way_in,
)
from ansible_collections.gpufabric.host.plugins.module_utils.rail_drift import (
    RAILS,
    at_risk,
    needs_manager,
    stale_rules,
)

RESERVED_TABLES = (0, 253, 254, 255)  # unspec, default, main, local (rt_tables)
LAST_PRIORITY = 32765
"""The kernel's rule for the main table is next (ip-rule(8))."""
RESTART = "rail_interfaces_restart_networkd"
INTENT = "hosts.<group> in fabric.yml"
TAKE_OVER = "rail_interfaces_take_over_names"


def rail_problems(
    rails: Sequence[Mapping[str, Any]],
    facts: Mapping[str, Any],
    manager: str = "auto",
    take_over_names: bool = False,
    adopt: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[str]:
    """Each problem as `variable: what is wrong, found and expected; remedy`. Empty if the role may continue.

    ``take_over_names``: the role may take away what would give a rail another name at the next boot; ``adopt``:
    network_adopted's plan, where what others configured on the ports is adopted; ``settings``: the role's
    ``plane_supernet``, ``arp_strict``, ``link_local``, ``rule_priority`` and ``restart_networkd``.
    """
    if not rails:
        return [f"rail_interfaces_rails: empty, so that there is nothing to do; name the rails' ports in {INTENT}"]
    return [
        *_twice(rails),
        *(problem for rail in rails for problem in _values(rail)),
        *_priorities(rails, settings["rule_priority"] if settings else 1),
        *blocks(adopt),
        *(problem for rail in rails for problem in _nic(rail, rails, facts, adopt)),
        *_shared(rails, facts),
        *_names(rails, facts, take_over_names or bool(adopt)),
        *_manager(facts, manager),
        *(_others_rules(rails, facts, settings) if settings else ()),
        *(_ipv6(rails, facts) if settings and not settings["link_local"] else ()),
    ]


def rail_names(rails: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> dict[str, str]:
    """A rail's name to the name that its interface has now; rails whose port was not found are left out."""
    found = facts.get("rails", {})
    now = {rail["name"]: found.get(_key(rail), {}).get("netdev") for rail in rails}
    return {name: netdev for name, netdev in now.items() if netdev}


def _where(rail: Mapping[str, Any], field: str) -> str:
    return f"rail_interfaces_rails, rail {rail['rail']}, {field} {_plain(rail[field])}"


def _plain(value: object) -> str:
    """A value as in the variables; of a match, only the address."""
    return plain(value) if isinstance(value, Mapping) else str(value)


def _key(rail: Mapping[str, Any]) -> str:
    return key_of(rail["match"])


def _twice(rails: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Values that must differ between rails."""
    for field in ("rail", "name", "address", "table"):
        for value, times in Counter(rail[field] for rail in rails).items():
            if times > 1:
                yield f"rail_interfaces_rails: {times} rails have {field} {value}; each needs its own"
    for value, times in Counter(_key(rail) for rail in rails).items():
        if times > 1:
            yield f"rail_interfaces_rails: {times} rails match {value}; name another port for one of them in {INTENT}"


def _values(rail: Mapping[str, Any]) -> Iterator[str]:
    """Problems of one rail that do not depend on the host."""
    match = rail["match"]
    if bool(match.get("pci")) == bool(match.get("mac")):
        yield f"{_where(rail, 'match')}: expected either pci or mac; see {INTENT}"
    if not RAIL.fullmatch(rail["name"]):
        yield f"{_where(rail, 'name')}: expected {RAIL_IN_WORDS}"
    if rail["table"] in RESERVED_TABLES:
        yield f"{_where(rail, 'table')}: the kernel's own; choose another, 100 + rail by default"
    if not 0 <= rail["rail"] < RAILS:
        yield f"{_where(rail, 'rail')}: expected 0 to {RAILS - 1}, which its rule's priority is counted by"
    try:
        own = IPv4Interface(f"{rail['address']}/{rail['prefix_length']}")
        gateway, supernet = IPv4Address(rail["gateway"]), IPv4Network(rail["supernet"])
    except ValueError as error:
        yield f"{_where(rail, 'address')}/{rail['prefix_length']}: {error}; correct its plane's pools in fabric.yml"
        return
    if gateway not in own.network or gateway == own.ip:
        yield f"{_where(rail, 'gateway')}: not a neighbour in {own.network}; it must be the leaf's end of the link"
    if rail.get("subnet") and rail["subnet"] != str(own.network):
        yield f"{_where(rail, 'subnet')}: the rail's address is in {own.network}; leave it out where no hosts share one"
    if own.ip not in supernet:
        yield f"{_where(rail, 'supernet')}: does not hold the rail's address {own.ip}"


def _priorities(rails: Sequence[Mapping[str, Any]], first: int) -> Iterator[str]:
    """Rules that the kernel would ask after its main table, or that would have no number."""
    last = first + max(int(rail["rail"]) for rail in rails)
    if first < 1 or last > LAST_PRIORITY:
        at = f"rules of these rails would stand at {first} to {last}"
        yield f"rail_interfaces_rule_priority {first}: {at}; expected 1 to {LAST_PRIORITY}, before the main table"


def _others_rules(
    rails: Sequence[Mapping[str, Any]], facts: Mapping[str, Any], settings: Mapping[str, Any]
) -> Iterator[str]:
    """Rules of others that networkd would take away if it were told to configure a rail."""
    lost = at_risk(rails, facts)
    found = [facts["rails"].get(_key(rail), {}).get("netdev") for rail in rails]
    if not lost or settings["restart_networkd"] or not all(found):
        return
    plane, first = settings["plane_supernet"], settings["rule_priority"]
    wrong = needs_manager(rails, facts, plane, settings["arp_strict"], settings["link_local"])
    wrong += [f"a rail that is no more ({each['from']})" for each in stale_rules(rails, facts, plane, first)]
    if wrong:
        leaves = facts["networkd_leaves_others"]
        yield (
            f"{RESTART} false: systemd-networkd leaves rules of others alone: {leaves}; told to set {wrong[0]}, "
            f"it would take away {'; '.join(lost)}. Set {RESTART}: true in a window (addresses that others gave to its "
            "interfaces go with the restart). Or write ManageForeignRoutingPolicyRules=no and ManageForeignRoutes=no "
            "below [Network] in /etc/systemd/networkd.conf.d/ and boot"
        )


def _ipv6(rails: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Iterator[str]:
    """IPv6 of others, whose neighbours are found from a link-local address (RFC 4861, 7.2.2). Ours have IPv4 alone."""
    for rail in rails:
        found = facts["rails"].get(_key(rail), {})
        others = [each for each in found.get("addresses", ()) if ":" in each]
        if others:
            yield (
                f"rail_interfaces_link_local false: {found['netdev']}, rail {rail['rail']}, has {', '.join(others)} of "
                "others, and IPv6 needs a link-local address. Take that address away, or set it to true"
            )


def _nic(
    rail: Mapping[str, Any],
    rails: Sequence[Mapping[str, Any]],
    facts: Mapping[str, Any],
    adopt: Mapping[str, Any] | None,
) -> Iterator[str]:
    """Problems of the port that a rail's match selects."""
    found, where = facts["rails"].get(_key(rail)), _where(rail, "match")
    if found is None or not found["netdev"]:
        yield from not_found(where, rail["match"], found, INTENT)
        return
    netdev = found["netdev"]
    yield from way_in(where, netdev, facts, INTENT, adopt)
    if found["master"] and found["master"] not in gone(adopt):
        alone = f"a rail is routed on its own; take it out, {OR_ADOPT}"
        yield f"{where}: {netdev} is a member of {found['master']}: {alone}"
    limit = found["max_mtu_bytes"]
    if limit and rail["mtu_bytes"] > limit:
        less = f"lower policy.mtu.host in fabric.yml to {limit} or replace the NIC"
        yield f"{_where(rail, 'mtu_bytes')}: {netdev} (driver {found['driver']}) takes at most {limit}; {less}"
    ours = {facts["rails"].get(_key(each), {}).get("netdev") for each in rails}
    if rail["name"] != netdev and rail["name"] in facts["interfaces"] and rail["name"] not in ours:
        yield f"{_where(rail, 'name')}: another interface has that name; rename it, see `ip link show {rail['name']}`"


def _shared(rails: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Iterator[str]:
    """Two rails that select one interface by different addresses."""
    found = [(facts["rails"].get(_key(rail), {}).get("netdev"), rail) for rail in rails]
    for netdev, times in Counter(netdev for netdev, _ in found if netdev).items():
        keys = sorted({_key(rail) for other, rail in found if other == netdev})
        if times > 1 and len(keys) > 1:
            yield f"rail_interfaces_rails: {' and '.join(keys)} are one interface, {netdev}; correct {INTENT}"


def _names(rails: Sequence[Mapping[str, Any]], facts: Mapping[str, Any], take_over: bool) -> Iterator[str]:
    """What would give a rail another name at the next boot, and another interface a rail's name."""
    for unread in facts["names_unread"]:
        yield f"{TAKE_OVER}: whether rails keep their names cannot be told. {unread}"
    now = rail_names(rails, facts)
    # What the role may take away is no problem.
    settings = [each for each in facts["names"] if each["certain"]]
    left = [each for each in settings if not (take_over and not each["kept"])]
    for rail in rails:
        yield from other_name(_where(rail, "name"), rail["name"], now.get(rail["name"]), left, TAKE_OVER)
        for each in settings:
            if each["name"] == rail["name"] and not set(each["netdevs"]) & set(now.values()):
                gives = f"gives {' and '.join(each['netdevs'])} that name"
                yield f"{_where(rail, 'name')}: {each['by']} {gives} at the next boot: {place_of(each)}; change it"


def _manager(facts: Mapping[str, Any], manager: str) -> Iterator[str]:
    """No network manager to configure the rails."""
    setting, chosen = f"rail_interfaces_manager {manager}", facts["manager"] if manager == "auto" else manager
    choose = "set it to networkd or networkmanager, which is then started"
    yield from no_manager(setting, chosen, facts, choose)


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        own = {"rail_problems": rail_problems, "rail_names": rail_names}
        return {**own, "not_rail_names": not_rails, "unit_instance": as_instance}
