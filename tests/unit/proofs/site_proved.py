"""A site with its switches' lines, a change of them, and what is proved and walked of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from nornir_tasks.design.config.access_lists import AclRule
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import device_config
from nornir_tasks.proofs.breach import Breach
from nornir_tasks.proofs.ends import End
from nornir_tasks.proofs.isolation import Isolation, judge
from tests.unit.proofs.packet_walker import Sent, Walker

Configs = Mapping[str, DeviceConfig]
Guarded = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Attached:
    """A host on one plane: where it is cabled, and its address."""

    group: str
    plane: str
    host: str
    leaf: str
    port: str
    tag: int | None
    address: str

    def sends(self, to: "Attached", **fields: Any) -> Sent:
        return Sent(self.leaf, self.port, self.tag, self.address, to.address, **fields)


@dataclass(frozen=True, eq=False)
class Site:
    """What is cabled, what the switches hold, and between which planes hosts forward nothing."""

    network: Network
    configs: Configs
    guarded: Guarded
    before: "Site | None" = None
    """What it was made from by one change."""
    shared_bmcs: Mapping[str, str] = field(default_factory=dict)
    """Host -> the plane whose port its BMC shares."""

    # -- judged ----------------------------------------------------------------------------------------------------

    def judged(self) -> Isolation:
        """Between networks, whose packets the walker walks; within a VLAN: test_lists_of_vlans.py."""
        found = self.judged_whole()
        return replace(found, pairs=tuple(each for each in found.pairs if not each.is_within))

    def judged_whole(self) -> Isolation:
        """With what lists do within one VLAN."""
        return judge(self.network, self.configs, self.guarded, shared_bmcs=self.shared_bmcs)

    @cached_property
    def walker(self) -> Walker:
        """With the routes of before where neither addresses nor BGP were changed."""
        joins = self._joins()
        if self.before is None or any(map(self._is_routed_otherwise, self.configs)):
            return Walker(self.network, self.configs, bridges=joins)
        return Walker(self.network, self.configs, tables=self.before.walker.tables, bridges=joins)

    def _joins(self) -> dict[tuple[str, str], tuple[str, str]]:
        """Both cables of each host whose BMC shares a port: the BMC of ``gpu-2`` is ``gpu-bmc-2`` here."""
        found = {}
        for host, plane in self.shared_bmcs.items():
            group, number = host.split("-")
            ends = [(e.leaf, e.port) for e in self.attached if e.host == f"{group}-bmc-{number}"]
            ends += [(e.leaf, e.port) for e in self.attached if (e.host, e.plane, e.tag) == (host, plane, None)][:1]
            found |= {ends[0]: ends[1], ends[1]: ends[0]}
        return found

    def group(self, name: str) -> str:
        """The group of a host, a BMC, or the management port of a switch."""
        return "switches" if name in self.configs else name.rpartition("-")[0]

    def _is_routed_otherwise(self, device: str) -> bool:
        assert self.before is not None
        now, then = self.configs[device], self.before.configs[device]
        if now is then:
            return False
        ports = [[(each.name, each.enabled, each.address, each.vrf) for each in of.interfaces] for of in (now, then)]
        return (now.bgp, now.routing_policy) != (then.bgp, then.routing_policy) or ports[0] != ports[1]

    def walked(self, source: End, breach: Breach) -> set[tuple[str, str]]:
        """(switch, host) where the packet that a breach shows arrives, through the gate that the breach names first."""
        packet, gate = breach.packet, breach.by[0].partition(":")[0].split()
        assert packet is not None
        assert len(gate) == 2, breach.by
        found: set[tuple[str, str]] = set()
        for at in self.attached:
            if (at.plane, at.group) == source:
                found |= self.walker.arrivals(
                    Sent(
                        at.leaf, at.port, at.tag, packet.source, packet.destination, packet.protocol,
                        packet.source_port, packet.destination_port, packet.is_established, packet.icmp_type,
                        (gate[0], gate[1]),
                    )
                )  # fmt: skip
        return found

    # -- hosts -----------------------------------------------------------------------------------------------------

    @cached_property
    def attached(self) -> tuple[Attached, ...]:
        """Every host on every plane, by each of its cables."""
        return tuple(
            Attached(
                self.group(each.link.lower.device), each.owner, each.link.lower.device, each.link.upper.device,
                each.link.upper.port, each.use.tag, each.lower_address,
            )
            for each in self.network.circuits
            if each.link.kind == "host"
        )  # fmt: skip

    @cached_property
    def ends(self) -> dict[tuple[str, str, str], Attached]:
        """(group, plane, leaf) -> one host there."""
        return {(each.group, each.plane, each.leaf): each for each in reversed(self.attached)}

    # -- changed ---------------------------------------------------------------------------------------------------

    def guarding(self, guarded: Guarded) -> "Site":
        return replace(self, guarded=guarded, before=self)

    def with_device(self, device: str, **fields: Any) -> "Site":
        changed = {**self.configs, device: replace(self.configs[device], **fields)}
        return replace(self, configs=changed, before=self.before or self)

    def with_port(self, device: str, name: str, **fields: Any) -> "Site":
        """One port changed."""
        return self.with_ports(device, replace(self.port(device, name), **fields))

    def with_ports(self, device: str, *ports: Interface) -> "Site":
        """Ports more, or in place of those of the same name."""
        names = {each.name for each in ports}
        others = (each for each in self.configs[device].interfaces if each.name not in names)
        return self.with_device(device, interfaces=(*others, *ports))

    def with_rules(self, device: str, name: str, rules: tuple[AclRule, ...]) -> "Site":
        lists = self.configs[device].access_lists
        assert any(each.name == name for each in lists), f"{device} has no {name}"
        ordered = tuple(sorted(rules, key=lambda rule: rule.sequence))
        return self.with_device(
            device, access_lists=tuple(replace(e, rules=ordered) if e.name == name else e for e in lists)
        )

    def port(self, device: str, name: str) -> Interface:
        return next(each for each in self.configs[device].interfaces if each.name == name)

    def rules(self, device: str, name: str) -> tuple[AclRule, ...]:
        return next(each.rules for each in self.configs[device].access_lists if each.name == name)

    def ports(self) -> Iterator[tuple[str, Interface]]:
        for device, config in self.configs.items():
            yield from ((device, each) for each in config.interfaces)


def site(network: Network, guarded: Guarded) -> Site:
    """A site as it is designed."""
    return Site(network, {each.name: device_config(network, each).config for each in network.devices}, guarded)
