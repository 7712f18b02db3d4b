"""EOS lines of routing policy parsed: prefix lists, lists of AS paths, route maps."""

import re
from collections.abc import Collection, Iterable

from nornir_tasks.design.config.routing_policy import (
    AsPathList,
    AsPathRule,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapRule,
    RoutingPolicy,
)
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.eos.tree import COMMUNITIES, community_of
from nornir_tasks.platforms.lines import Block, Fields, read, row, table, text, yes

_COMMUNITY = rf"(?:{'|'.join(COMMUNITIES)}|\d+:\d+)"

_MODE = "ip as-path regex-mode"
TOP = (
    # in the other mode brackets hold a range of AS numbers (NLNOG/bgpfilterguide, guides/bogon_asns.md)
    row(rf"{_MODE} string", "has_string_mode", yes, single=_MODE),
    row(
        r"ip as-path access-list (\S+) (permit|deny) (\S+) any",
        "as_paths",
        lambda found: (found[1], found[2] == "permit", found[3]),
        many=True,
    ),
)

_ROUTE_MAP = (
    row(r"description (.+)", "description", text, single="description"),
    *(
        row(rf"match {word} address prefix-list (\S+)", field, text, single=f"match {word} address prefix-list")
        for word, field in (("ip", "match_prefix_list"), ("ipv6", "match_prefix_list6"))
    ),
    row(r"match as-path (\S+)", "match_as_path", text, single="match as-path"),
    row(r"match origin-as validity (invalid)", "match_origin", text, single="match origin-as validity"),
    row(
        r"set as-path prepend ([\d ]+)",
        "prepend",
        lambda found: tuple(map(int, found[1].split())),
        single="set as-path prepend",
    ),
    row(
        rf"set community ({_COMMUNITY}(?: {_COMMUNITY})*)",
        "communities",
        lambda found: tuple(map(community_of, found[1].split())),
        single="set community",
    ),
)
_ROUTE_MAP_LINES = table(*_ROUTE_MAP)
BLOCKS = (
    Block((r"route-map ",), _ROUTE_MAP),
    # arista.eos eos_prefix_lists: an entry is identified by its number
    Block((r"ip(?:v6)? prefix-list ",), (), negations=((r"(seq \d+) .*", r"no \1"),)),
)

_SEQ = re.compile(r"seq (\d+) (permit|deny) (\S+/\d+)(?: ge (\d+))?(?: le (\d+))?")


def read_prefix_list(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """``ip prefix-list``, ``ipv6 prefix-list``: without an entry the family of the latter could not be told."""
    rules, unknown = [], []
    for line in node.children.values():
        seq = _SEQ.fullmatch(line.text)
        if seq and (":" in seq[3]) == bool(found[1]):
            ge, le = (int(each) if each else None for each in (seq[4], seq[5]))
            rules.append(PrefixRule(int(seq[1]), seq[2] == "permit", seq[3], ge, le))
        else:
            unknown.append(line)
    if found[1] and (not rules or any(each.name == found[2] for each in fields["lists"])):
        return [*node.children.values()] or [node]
    fields["lists"].append(PrefixList(found[2], tuple(rules)))
    return unknown


def read_route_map(node: ConfigTree, found: re.Match[str], fields: Fields) -> list[ConfigTree]:
    """One rule of a route map."""
    values, unknown = read(node.children.values(), _ROUTE_MAP_LINES)
    six, four = values.get("match_prefix_list6"), values.get("match_prefix_list")
    if six is not None and four is not None:
        unknown.append(node.children[f"match ipv6 address prefix-list {six}"])
    elif six is not None:
        fields.setdefault("matched6", []).append((node.text, six))
    elif four is not None:
        fields.setdefault("matched4", []).append((node.text, four))
    rule = RouteMapRule(
        sequence=int(found[3]),
        permit=found[2] == "permit",
        match_prefix_list=four or six,
        prepend=values.get("prepend", ()),
        communities=values.get("communities", ()),
        match_as_path=values.get("match_as_path"),
        match_origin=values.get("match_origin"),
        description=values.get("description"),
    )
    fields["maps"].setdefault(found[1], []).append(rule)
    return unknown


def routing_policy(fields: Fields, left: ConfigTree) -> RoutingPolicy:
    """All of it. A list that is matched as one of the other family is not in the model."""
    six = {each.name for each in fields["lists"] if each.is_ipv6}
    wrong = [(at, "ipv6", name) for at, name in fields.get("matched6", ()) if name not in six]
    wrong += [(at, "ip", name) for at, name in fields.get("matched4", ()) if name in six]
    for at, word, name in wrong:
        left.add_path((at, f"match {word} address prefix-list {name}"))
    maps = (RouteMap(name, tuple(rules)) for name, rules in fields["maps"].items())
    return RoutingPolicy(tuple(fields["lists"]), tuple(maps), _as_path_lists(fields, left))


def _as_path_lists(fields: Fields, left: ConfigTree) -> tuple[AsPathList, ...]:
    """EOS numbers no entries: they count in the order of the lines. In the other mode they say something else."""
    found: Collection[tuple[str, bool, str]] = fields.get("as_paths", ())
    if fields.get("has_string_mode") and found:
        return tuple(_as_path_list(name, found) for name in dict.fromkeys(name for name, _, _ in found))
    if fields.get("has_string_mode"):
        left.add(f"{_MODE} string")
    for name, permit, pattern in found:
        left.add(f"ip as-path access-list {name} {'permit' if permit else 'deny'} {pattern} any")
    return ()


def _as_path_list(name: str, entries: Iterable[tuple[str, bool, str]]) -> AsPathList:
    own = ((permit, pattern) for of, permit, pattern in entries if of == name)
    rules = (AsPathRule(10 * place, permit, pattern) for place, (permit, pattern) in enumerate(own, start=1))
    return AsPathList(name, tuple(rules))
