"""Routing policy of a DeviceConfig as pyavd wants to be told of it."""

from nornir_tasks.design.config.routing_policy import PrefixList, PrefixRule, RouteMapRule, RoutingPolicy
from nornir_tasks.platforms.eos.tree import community_word
from tests.unit.platforms.avd_ports import Inputs


def policy_inputs(policy: RoutingPolicy) -> Inputs:
    """Lists and maps; AS paths are read as characters."""
    six = {each.name for each in policy.prefix_lists if each.is_ipv6}
    found: Inputs = {
        "prefix_lists": [_list(each) for each in policy.prefix_lists if not each.is_ipv6],
        "ipv6_prefix_lists": [_list(each) for each in policy.prefix_lists if each.is_ipv6],
        "route_maps": [
            {"name": each.name, "sequence_numbers": [_rule(rule, six) for rule in each.rules]}
            for each in policy.route_maps
        ],
    }
    if policy.as_path_lists:
        lists = [
            {
                "name": each.name,
                "entries": [
                    {"type": "permit" if rule.permit else "deny", "match": rule.pattern} for rule in each.rules
                ],
            }
            for each in policy.as_path_lists
        ]
        found["as_path"] = {"regex_mode": "string", "access_lists": lists}
    return found


def _list(each: PrefixList) -> Inputs:
    return {"name": each.name, "sequence_numbers": [_entry(rule) for rule in each.rules]}


def _entry(rule: PrefixRule) -> Inputs:
    bounds = (f" ge {rule.ge}" if rule.ge else "") + (f" le {rule.le}" if rule.le else "")
    return {"sequence": rule.sequence, "action": f"{'permit' if rule.permit else 'deny'} {rule.prefix}{bounds}"}


def _rule(rule: RouteMapRule, six: set[str]) -> Inputs:
    settings = [f"as-path prepend {' '.join(map(str, rule.prepend))}"] if rule.prepend else []
    settings += [f"community {' '.join(map(community_word, rule.communities))}"] if rule.communities else []
    name = rule.match_prefix_list
    matches = [f"{'ipv6' if name in six else 'ip'} address prefix-list {name}"] if name else []
    matches += [f"as-path {rule.match_as_path}"] if rule.match_as_path else []
    matches += [f"origin-as validity {rule.match_origin}"] if rule.match_origin else []
    return {
        "sequence": rule.sequence,
        "type": "permit" if rule.permit else "deny",
        **({"match": matches} if matches else {}),
        **({"set": settings} if settings else {}),
    }
