"""Single changes of an edge router's access lists: rules gone, turned round, wider, narrower, moved; lists not used."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import NamedTuple

from nornir_tasks.design.config.access_lists import MUST_PASS, AccessList, AclRule
from nornir_tasks.design.model.device_config import DeviceConfig

SEED = 17
UNSEEN = (133, 134, 135, 136)
"""Types of ICMP that no packet here has: of neighbours, sent by the kernel itself."""


class Mutant(NamedTuple):
    """One change."""

    name: str
    config: DeviceConfig


def every(config: DeviceConfig) -> list[Mutant]:
    """All of them, in a random order that is always the same."""
    found = [*_of_lists(config), *_of_ports(config)]
    random.Random(SEED).shuffle(found)
    return found


def _of_lists(config: DeviceConfig) -> Iterator[Mutant]:
    for place, acl in enumerate(config.access_lists):
        for name, rules in _changed(acl):
            numbered = tuple(replace(rule, sequence=10 * n) for n, rule in enumerate(rules, start=1))
            lists = [*config.access_lists]
            lists[place] = replace(acl, rules=numbered)
            yield Mutant(f"{config.name} {acl.name}: {name}", replace(config, access_lists=tuple(lists)))


def _changed(acl: AccessList) -> Iterator[tuple[str, list[AclRule]]]:
    rules = list(acl.rules)
    for place, rule in enumerate(rules):
        if rule.icmp_type in MUST_PASS[acl.family] and (rule.icmp_type in UNSEEN or acl.family == "ipv6"):
            continue
        before, after = rules[:place], rules[place + 1 :]
        yield f"without rule {rule.sequence}", [*before, *after]
        for name, other in _others(rule):
            yield f"rule {rule.sequence}: {name}", [*before, other, *after]
        if after and after[0].permit != rule.permit:
            yield f"rule {rule.sequence} after the next one", [*before, after[0], rule, *after[1:]]


def _others(rule: AclRule) -> Iterator[tuple[str, AclRule]]:
    yield "turned round", replace(rule, permit=not rule.permit)
    if rule.protocol is not None and rule.icmp_type is None:
        yield (
            "every protocol",
            replace(rule, protocol=None, source_ports=None, destination_ports=None, established=False),
        )
    if rule.destination_ports is not None:
        yield "another port", replace(rule, destination_ports=(443, 443))
        yield "every port", replace(rule, destination_ports=None)
    if rule.established:
        yield "whether it is open or not", replace(rule, established=False)
    for end in ("source", "destination"):
        prefix = getattr(rule, end)
        if prefix is None:
            continue
        yield f"every {end}", replace(rule, **{end: None})
        network = ip_network(prefix)
        if network.prefixlen:
            yield f"{end} twice as wide", replace(rule, **{end: str(network.supernet())})
        if network.prefixlen < network.max_prefixlen:
            yield f"half of {end}", replace(rule, **{end: str(list(network.subnets())[1])})


def _of_ports(config: DeviceConfig) -> Iterator[Mutant]:
    for place, port in enumerate(config.interfaces):
        for binding in port.acls:
            ports = [*config.interfaces]
            ports[place] = replace(port, acls=tuple(each for each in port.acls if each != binding))
            yield Mutant(f"{config.name} {port.name}: without {binding.name}", replace(config, interfaces=tuple(ports)))
            for other in config.access_lists:
                if other.family == binding.family and other.name != binding.name:
                    its = tuple(replace(each, name=other.name) if each == binding else each for each in port.acls)
                    ports = [*config.interfaces]
                    ports[place] = replace(port, acls=its)
                    yield Mutant(f"{config.name} {port.name}: {other.name}", replace(config, interfaces=tuple(ports)))
