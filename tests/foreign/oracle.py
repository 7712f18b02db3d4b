"""A judge of pushes that shares no code with the product: what a push removed, and what nothing gave it a right to.

A line may go if an earlier push of ours added it; if somebody gave it over by name; if it is in an object that the
intent wants under just this name of ours; if it is in a port, SVI, LAG, VLAN or BGP neighbour that an earlier push of
ours wrote to and that the intent wants; if a line that the intent wants sets the same single value. Numbers, addresses
and the beginnings of names show nothing.
"""

import re

from tests.foreign.blocks import named, numbered
from tests.foreign.lines import Path, lines, single, with_all_above
from tests.foreign.single_valued import settings


def unknown_removals(
    os: str, before: str, after: str, wanted: str, added_by_us: set[Path], adopted: set[Path]
) -> list[Path]:
    """The lines that ran before, run no longer, and were not shown to be ours.

    ``before`` and ``after``: what the switch printed. ``wanted``: what is rendered for it. ``added_by_us``: the lines
    that earlier pushes which stand added, with those above them that were new. ``adopted``: what was given over.
    """
    ours = {each for path in added_by_us for each in single(os, path)}
    given = {each for path in adopted for each in single(os, path)}
    required = lines(os, wanted)
    names = {each for path in required for each in named(os, path)}
    places = {each for path in ours for each in numbered(os, path)} & {
        each for path in required for each in numbered(os, path)
    }
    set_anew = {each for path in required for each in settings(os, path)}
    gone = removed(os, before, after)
    return sorted(
        path
        for path in gone
        if path not in ours
        and not any(path[:depth] in given for depth in range(1, len(path) + 1))
        and not names.intersection(named(os, path))
        and not (places.intersection(numbered(os, path)) and not _opens(os, path))
        and not settings(os, path) <= set_anew
    )


def removed(os: str, before: str, after: str) -> set[Path]:
    """The lines of ``before`` that are not in ``after``."""
    gone = lines(os, before) - lines(os, after)
    return gone - with_all_above(lines(os, after)) if os == "nvue" else gone


def added(os: str, before: str, after: str) -> set[Path]:
    """The lines that a push added: its after less its before."""
    return removed(os, after, before)


def _opens(os: str, path: Path) -> bool:
    """Whether this is an object's own first line, not one in it."""
    return path in numbered(os, path) if os == "nvue" else len(path) == 1


_NEEDS: dict[str, tuple[tuple[str, str], ...]] = {
    # EOS user manual 4.33: without IP routing no packet is forwarded, whatever the routes (IPv4, "ip routing").
    "eos": (
        (r"ip routing", r"ip route (?!vrf ).*|router (?:ospf|isis|rip|bgp)\b.*|interface Vlan\d+ / ip address .*"),
        (r"ipv6 unicast-routing", r"ipv6 route (?!vrf ).*|router ospf3.*|interface \S+ / ipv6 address .*"),
        (r"ip routing vrf (\S+)", r"ip route vrf \1 .*|router bgp \d+ / vrf \1 / .*"),
        (r"vrf instance (\S+)", r"interface \S+ / vrf \1|ip route vrf \1 .*|router bgp \d+ / vrf \1 / .*"),
        (r"vlan (\d+)", r"interface Vlan\1 / .*|interface \S+ / switchport access vlan \1"),
        (r"ip prefix-list (\S+)", r"route-map .* / match ip address prefix-list \1"),
        (r"ip access-list (?:standard )?(\S+)", r"interface \S+ / ip access-group \1 (?:in|out)"),
        (r"route-map (\S+) .*", r"router bgp .* / (?:neighbor \S+ route-map \1 .*|redistribute .* route-map \1)"),
        (r"ip virtual-router mac-address .*", r"interface \S+ / ip virtual-router address .*"),
    ),
    # NX-OS 10.4 configuration guides: commands of a feature exist only while it is enabled, and go with it.
    "nxos": (
        (r"feature bgp", r"router bgp .*"),
        (r"feature ospf", r"router ospf .*|interface \S+ / ip router ospf .*"),
        (r"feature interface-vlan", r"interface Vlan\d+ / .*"),
        (r"feature hsrp", r"interface \S+ / hsrp .*"),
        (r"feature vpc", r"vpc domain .*|interface \S+ / vpc .*"),
        (r"feature lacp", r"interface \S+ / (?:lacp .*|channel-group \d+ mode (?:active|passive))"),
        (r"feature dhcp", r"interface \S+ / ip(?:v6)? dhcp relay .*|ip dhcp (?:relay|snooping).*"),
        (r"feature bfd", r"interface \S+ / bfd .*|router bgp .* / bfd"),
        (r"feature tacacs\+", r"tacacs-server .*|aaa group server tacacs\+ .*"),
        (r"vrf context (\S+)", r"interface \S+ / vrf member \1|router bgp \d+ / vrf \1 / .*"),
        (r"vlan (\d+)", r"interface Vlan\1 / .*|interface \S+ / switchport access vlan \1"),
        (r"ip prefix-list (\S+) seq .*", r"route-map .* / match ip address prefix-list \1"),
        (r"ip access-list (\S+)", r"interface \S+ / ip access-group \1 (?:in|out)"),
        (r"route-map (\S+) .*", r"router bgp .* / (?:route-map \1 .*|redistribute .* route-map \1)"),
    ),
    # Cumulus Linux 5.14, NVUE: routing is on only while router / bgp / enable is, VRR while router / vrr / enable is.
    "nvue": (
        (r'router / bgp / enable: "on"', r"vrf / \S+ / router / bgp / neighbor / .*"),
        (r'router / ospf / enable: "on"', r"interface / \S+ / router / ospf / .*"),
        (r'router / vrr / enable: "on"', r"interface / \S+ / ip / vrr / .*"),
        (r"bridge / domain / (\S+) / vlan / (\d+)", r"interface / \S+ / bridge / domain / \1 / access: \2"),
        (r"vrf / ([^/ ]+)(?: / .*)?", r'interface / \S+ / ip / vrf: "\1"'),
        (r"router / policy / prefix-list / (\S+) / .*", r'router / policy / .* / ip-prefix-list: "\1"'),
        (r"router / policy / route-map / (\S+) / .*", r'vrf / .* / route-map: "\1"'),
    ),
}
"""(a line, the lines that mean nothing without it)."""


def robbed(os: str, before: str, after: str, wanted: str) -> list[tuple[Path, Path]]:
    """(a line that is gone, a line of others that is still there and needs one of its kind), whoever had added it.

    Lines that are wanted are no others'; a need that another line still meets is met.
    """
    left, required = lines(os, after), lines(os, wanted)
    others = {" / ".join(path): path for path in left - required}
    kept = [" / ".join(path) for path in with_all_above(left)]
    found = list[tuple[Path, Path]]()
    for path in sorted(removed(os, before, after)):
        for need, dependent in _NEEDS[os]:
            match = re.fullmatch(need, " / ".join(path))
            if match is None:
                continue
            values_found = [re.escape(each or "") for each in match.groups()]
            exact, of_it = _filled(need, values_found), _filled(dependent, values_found)
            if not any(re.fullmatch(exact, each) for each in kept):
                found += [(path, others[each]) for each in sorted(others) if re.fullmatch(of_it, each)]
    return found


def _filled(pattern: str, values_found: list[str]) -> str:
    """The pattern with what was found in its groups, or in those that it speaks of."""
    if r"\1" in pattern:
        return re.sub(r"\\(\d)", lambda each: values_found[int(each[1]) - 1], pattern)
    values = iter(values_found)
    return re.sub(r"\((?!\?)[^)]*\)\??", lambda _: next(values), pattern)
