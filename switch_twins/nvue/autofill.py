"""NVUE's own additions to a PATCH, and the values that it stores in another form.

Cumulus Linux docs, NVUE-API.md: a PATCH of `{"interface": {"swp1": {}}}` is answered with a `"type": "swp"` in it.
Neighbour types, static address families and next-hop types are in published configurations though they were not typed.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

import bcrypt

from .nvset import expand_range
from .tree import Tree, get_or

_TYPES = (
    (r"^lo$", "loopback"),
    (r"^eth\d", "eth"),
    (r"^swp[\ds]+$", "swp"),
    (r"^vlan\d+$", "svi"),
    (r"^peerlink$", "peerlink"),
    (r"^bond[^.]*$", "bond"),
    (r".+\.\d+$", "sub"),
)
_BCRYPT_ROUNDS = 4  # a lab's accounts; only a real switch needs a higher cost


def complete(patch: Tree, stored: Tree) -> None:
    """Add to ``patch``, in place, what NVUE adds; ``stored`` is the revision before the patch."""
    _expand_interfaces(patch)
    for name, content in _objects(patch, "interface"):
        kind = interface_type(name)
        if kind is not None:
            _default(content, get_or(stored, {}, "interface", name), "type", kind)
    for _, vrf in _objects(patch, "vrf"):
        _complete_vrf(vrf)
    for _, rules in _objects(patch, "router", "policy", "prefix-list"):
        rules.setdefault("type", "ipv4") if _is_ipv4_list(rules) else None
    for name, _ in _objects(patch, "acl"):
        for number, rule in _objects(patch, "acl", name, "rule"):
            _complete_ports(rule, get_or(stored, {}, "acl", name, "rule", number))
    for _, user in _objects(patch, "system", "aaa", "user"):
        _hash_password(user)


def interface_type(name: str) -> str | None:
    """The type NVUE gives an interface of this name; None if the name does not determine one."""
    return next((kind for pattern, kind in _TYPES if re.match(pattern, name)), None)


def hash_password(password: str) -> str:
    """A crypt(3) hash ($2b$, Blowfish) as a switch stores it."""
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(_BCRYPT_ROUNDS)).decode()


def _expand_interfaces(patch: Tree) -> None:
    interfaces = patch.get("interface")
    if isinstance(interfaces, dict):
        for name in [name for name in interfaces if len(expand_range(name)) > 1]:
            content = interfaces.pop(name)
            for single in expand_range(name):
                interfaces.setdefault(single, content if content is None else dict(content))


def _complete_vrf(vrf: Tree) -> None:
    for address, neighbor in _objects(vrf, "router", "bgp", "neighbor"):
        neighbor.setdefault("type", "numbered" if _is_address(address) else "unnumbered")
    for prefix, route in _objects(vrf, "router", "static"):
        is_ipv6 = ":" in prefix or prefix == "default6"
        route.setdefault("address-family", "ipv6-unicast" if is_ipv6 else "ipv4-unicast")
        vias = [*_objects(route, "via")]
        for _, distance in _objects(route, "distance"):
            vias += _objects(distance, "via")
        for hop, via in vias:
            via.setdefault("type", via_type(hop))


def via_type(hop: str) -> str:
    """The type of a static route's next hop, from its name."""
    if hop in ("blackhole", "reject"):
        return hop
    if not _is_address(hop):
        return "interface"
    return "ipv6-address" if ":" in hop else "ipv4-address"


def _complete_ports(rule: Tree, stored: object) -> None:
    """``ANY`` where a rule about TCP or UDP says no port (Access-Control-List-Configuration.md, nv show acl)."""
    for protocol in ("tcp", "udp"):
        ports = get_or(rule, None, "match", "ip", protocol)
        if isinstance(ports, dict):
            for side in ("source-port", "dest-port"):
                if not get_or(stored, None, "match", "ip", protocol, side):
                    ports.setdefault(side, {"ANY": {}})


def _hash_password(user: Tree) -> None:
    password = user.pop("password", None)
    if isinstance(password, str):
        user["hashed-password"] = hash_password(password)


def _is_ipv4_list(rules: Tree) -> bool:
    prefixes = [prefix for _, rule in _objects(rules, "rule") for prefix in (rule.get("match") or {})]
    return bool(prefixes) and not any(":" in prefix for prefix in prefixes)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _default(content: Tree, before: object, key: str, value: str) -> None:
    if not (isinstance(before, dict) and key in before):
        content.setdefault(key, value)


def _objects(tree: object, *path: str) -> Iterator[tuple[str, Tree]]:
    """Named objects of a collection; removals (null) are left out."""
    found = get_or(tree, {}, *path)
    for name, content in list(found.items()) if isinstance(found, dict) else ():
        if isinstance(content, dict):
            yield name, content
