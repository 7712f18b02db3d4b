"""The small front fabric with flows on both its planes, changed in one place, and what is proved of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.device_config import DeviceConfig
from nornir_tasks.design.network import Network
from nornir_tasks.proofs.isolation import Isolation, judge
from tests.unit.design import front_full
from tests.unit.proofs.packet_walker import Sent, Walker

Configs = Mapping[str, DeviceConfig]
GUARDED = {"gpu": frozenset({"storage", "business"})}


@cache
def configs() -> Configs:
    return {device.name: front_full.realised(device.name).config for device in network().devices}


def network() -> Network:
    return front_full.network()


def judged(changed: Configs, guarded: Mapping[str, frozenset[str]] | None = None) -> Isolation:
    return judge(network(), changed, GUARDED if guarded is None else guarded)


@cache
def unchanged() -> Walker:
    return Walker(network(), configs())


def walker(changed: Configs) -> Walker:
    """With the routes of before where neither BGP nor routing policy was changed."""
    is_routed = any(
        (each.bgp, each.routing_policy) != (configs()[name].bgp, configs()[name].routing_policy)
        for name, each in changed.items()
    )
    return Walker(network(), changed, tables={} if is_routed else unchanged().tables)


def with_device(device: str, **fields: Any) -> Configs:
    return {**configs(), device: replace(configs()[device], **fields)}


def with_port(device: str, name: str, **fields: Any) -> Configs:
    """One port changed."""
    ports = configs()[device].interfaces
    assert any(each.name == name for each in ports), f"{device} has no {name}"
    return with_device(
        device, interfaces=tuple(replace(each, **fields) if each.name == name else each for each in ports)
    )


def port(device: str, name: str) -> Interface:
    return next(each for each in configs()[device].interfaces if each.name == name)


def with_rules(device: str, name: str, rules: tuple[AclRule, ...]) -> Configs:
    lists = configs()[device].access_lists
    assert any(each.name == name for each in lists), f"{device} has no {name}"
    ordered = tuple(sorted(rules, key=lambda rule: rule.sequence))
    return with_device(device, access_lists=tuple(replace(e, rules=ordered) if e.name == name else e for e in lists))


def rules(device: str, name: str) -> tuple[AclRule, ...]:
    return next(each.rules for each in configs()[device].access_lists if each.name == name)


@dataclass(frozen=True)
class Attached:
    """A host on one plane: where it is cabled, and its address."""

    group: str
    plane: str
    host: str
    leaf: str
    port: str
    vlan: int
    address: str

    def sends(self, to: "Attached", **fields: Any) -> Sent:
        return Sent(self.leaf, self.port, self.vlan, self.address, to.address, **fields)


@cache
def attached() -> tuple[Attached, ...]:
    """Every host on every plane, by each of its cables."""
    found = []
    for each in network().circuits:
        if each.link.kind == "host":
            segment = network().segment_of(each)
            host, leaf = each.link.lower.device, each.link.upper
            group = host.rpartition("-")[0]
            found.append(Attached(group, each.owner, host, leaf.device, leaf.port, segment.vlan, each.lower_address))
    return tuple(found)
