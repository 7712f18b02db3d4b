"""Access lists within what an OS can do, and such that none cuts off what must pass.

A list belongs to the owner of its name. It may be applied where that owner's lines are: a push of some planes would
else apply a list that is not on the switch.
"""

from collections.abc import Iterator
from ipaddress import ip_network

from nornir_tasks.design.config.access_lists import ICMP, MUST_PASS, TCP, UDP, AccessList, AclBinding, AclRule
from nornir_tasks.design.model.capabilities import Capabilities
from nornir_tasks.design.model.claims import Claims
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort
from nornir_tasks.design.model.system_facts import AclFacts
from nornir_tasks.errors import Problem

_LAST_PORT = 65535


def services(intended: PartialConfig, known: Capabilities) -> tuple[str, ...]:
    """What must be configured beside the access lists of one switch, as entries of DeviceConfig.services."""
    if known.acls is None or not intended.access_lists:
        return ()
    ports = (intended.ports or {}).values()
    uses = {"any", *(f"{family} {direction}" for port in ports for family, direction in port.acls or {})}
    return tuple(service for use, service in known.acls.services if use in uses)


def problems(device: str, intended: PartialConfig, known: Capabilities, claims: Claims) -> Iterator[Problem]:
    """All problems with the access lists of one switch, and with where they are applied."""
    lists = intended.access_lists or {}
    applied = [(name, port) for name, port in (intended.ports or {}).items() if port.acls]
    if known.acls is None:
        for where in (*lists, *(name for name, _ in applied)):
            yield Problem(f"{device} {where}", f"access lists are not supported: {known.acl_gap}", "no access list")
        return
    for acl in lists.values():
        yield from _of_list(f"{device} access list {acl.name}", acl, known.acls, claims)
    for name, port in applied:
        for (family, direction), acl_name in (port.acls or {}).items():
            binding = AclBinding(family, direction, acl_name)
            where = f"{device} {name} {binding.use}"
            yield from _of_binding(where, binding, lists.get(acl_name), _kind(port), known.acls)
            if port.lag is not None and binding.use in known.acls.not_on_groups:
                what = f"no access list can be applied to a link aggregation group so ({known.acls.source})"
                yield Problem(where, what, "one on single ports or SVIs", binding.use)
            yield from _of_owner(where, acl_name, name, known, claims)


def _kind(port: PartialPort) -> str:
    return "routed" if port.access_vlan is None and port.tagged_vlans is None else "switched"


def _of_binding(
    where: str, binding: AclBinding, acl: AccessList | None, kind: str, facts: AclFacts
) -> Iterator[Problem]:
    if acl is None:
        hint = "an owner that applies an access list must declare it"
        yield Problem(where, "an access list is applied, but not declared", found=binding.name, hint=hint)
    elif acl.family != binding.family:
        yield Problem(where, "an access list of the other family is applied", binding.family, acl.family)
    if f"{kind} {binding.use}" not in facts.places:
        what = f"no access list can be applied to a {kind} port so ({facts.source})"
        yield Problem(where, what, ", ".join(sorted(facts.places)), f"{kind} {binding.use}")
    elif acl is not None and binding.direction == "out" and not facts.has_ranges_out and _has_ranges(acl):
        yield Problem(where, f"a list for outgoing packets takes no ranges of ports ({facts.source})", "single ports")


def _has_ranges(acl: AccessList) -> bool:
    ports = (each for rule in acl.rules for each in (rule.source_ports, rule.destination_ports) if each)
    return any(first != last for first, last in ports)


def _of_owner(where: str, acl: str, port: str, known: Capabilities, claims: Claims) -> Iterator[Problem]:
    """The list's owner sends the list, the port's owner the line that applies it: they go together, or are one."""
    owner = claims.by_name(acl)
    if owner is None or owner in claims.shared or claims.has_several(port):
        return
    if port.startswith(known.svi_prefix):
        user = claims.by_vlan(port.removeprefix(known.svi_prefix))
    else:
        user = claims.by_subinterface(port) or claims.by_parent(port)
    if user != owner:
        hint = "a port's owner applies lists of its own, or of its fabric"
        yield Problem(where, f"an access list of {owner} is applied to a port of another owner", owner, str(user), hint)


def _of_list(where: str, acl: AccessList, facts: AclFacts, claims: Claims) -> Iterator[Problem]:
    if claims.by_name(acl.name) is None:
        hint = "the name of an access list begins with the prefix of its plane or fabric"
        yield Problem(where, "an access list of this name has no owner", "the prefix of an owner", acl.name, hint)
    last = acl.rules[-1] if acl.rules else None
    if last is None or last.permit or not last.is_all:
        what = "the last rule does not deny all else, so what no rule permits is not counted, or passes"
        yield Problem(where, what, "a last rule that denies everything", "no rule" if last is None else str(last))
    for rule in acl.rules:
        yield from _of_rule(f"{where} rule {rule.sequence}", acl, rule, facts)
    yield from _of_icmp(where, acl)


def _of_rule(where: str, acl: AccessList, rule: AclRule, facts: AclFacts) -> Iterator[Problem]:
    if not 1 <= rule.sequence <= facts.max_sequence:
        yield Problem(where, "no such number of a rule", f"1 to {facts.max_sequence}", str(rule.sequence))
    version = 4 if acl.family == "ipv4" else 6
    for prefix in (rule.source, rule.destination):
        if prefix is not None and not _is_prefix(prefix, version):
            yield Problem(where, "no prefix of the list's family", f"{acl.family} without host bits", prefix)
    for ports in (rule.source_ports, rule.destination_ports):
        if ports is not None and (rule.protocol not in {TCP, UDP} or not 0 <= ports[0] <= ports[1] <= _LAST_PORT):
            yield Problem(where, "no such ports", "0 to 65535 of TCP or UDP, the first not after the last", str(ports))
    if rule.established and rule.protocol != TCP:
        yield Problem(where, "only TCP has established connections", "TCP", str(rule.protocol))
    if rule.icmp_type is not None and rule.protocol != ICMP[acl.family]:
        yield Problem(where, "only ICMP of the list's family has ICMP types", str(ICMP[acl.family]), str(rule.protocol))
    if rule.icmp_type is not None and acl.family not in facts.icmp_types:
        what = f"no source has single ICMP types in a list of this family ({facts.source})"
        yield Problem(where, what, "ICMP as a whole", str(rule.icmp_type))


def _is_prefix(text: str, version: int) -> bool:
    try:
        network = ip_network(text)
    except ValueError:
        return False
    return network.version == version and str(network) == text


def _of_icmp(where: str, acl: AccessList) -> Iterator[Problem]:
    """Path MTU discovery and neighbour discovery pass, whatever else is denied."""
    lost = [number for number in MUST_PASS[acl.family] if not _passes(acl, number)]
    if lost:
        hint = f"permit protocol {ICMP[acl.family]} from any to any before the first rule that denies such packets"
        what = "ICMP types that must pass (too large packets, neighbour discovery) may be denied"
        yield Problem(where, what, "permitted from any to any", ", ".join(map(str, lost)), hint)


def _passes(acl: AccessList, icmp_type: int) -> bool:
    """Does a rule permit all ICMP packets of this type, before any rule that may deny one?"""
    for rule in acl.rules:
        may_match = rule.protocol in {None, ICMP[acl.family]} and rule.icmp_type in {None, icmp_type}
        if may_match and not rule.permit:
            return False
        if may_match and rule.source is None and rule.destination is None:
            return True
    return False
