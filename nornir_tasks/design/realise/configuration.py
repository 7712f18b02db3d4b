"""Fit the intended configuration to one OS release on one ASIC; each change is recorded with its reason.

What cannot be configured at all is refused: by :mod:`nornir_tasks.design.capacity.limits` before this step where the
layout alone decides, and here where it takes a switch's whole configuration.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from nornir_tasks.design.addresses.mtu import PortMtu
from nornir_tasks.design.config.access_lists import AclBinding
from nornir_tasks.design.config.bgp import Bfd, Bgp
from nornir_tasks.design.config.interfaces import Breakout, Interface, Layer1, Lldp
from nornir_tasks.design.config.lag import Lag, LagMember
from nornir_tasks.design.config.load_balancing import Hashing, LoadBalancing
from nornir_tasks.design.config.qos import Ecn, Qos
from nornir_tasks.design.config.routing_policy import RoutingPolicy
from nornir_tasks.design.config.spanning_tree import BRIDGE_PRIORITIES, SpanningTree
from nornir_tasks.design.config.vlans import Vlan
from nornir_tasks.design.config.vrfs import Vrf
from nornir_tasks.design.contribute import fabric_list, managed_base
from nornir_tasks.design.layout.balancing import flow_set_size
from nornir_tasks.design.model.capabilities import Capabilities, OsFacts
from nornir_tasks.design.model.claims import Claims
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.headroom import PortCable
from nornir_tasks.design.model.network import Device
from nornir_tasks.design.model.order import in_order
from nornir_tasks.design.model.partial_config import FABRIC_PROFILE, BalancingPolicy, PartialConfig, PartialPort
from nornir_tasks.design.realise import (
    bgp_rules,
    filtering,
    gateway_rules,
    ipv6_and_static_routes,
    mlag_limits,
    outside_rules,
    relay_rules,
    storm_rules,
    tagging,
)
from nornir_tasks.design.realise import lag as lag_limits
from nornir_tasks.design.realise.port_profiles import PortProfiles
from nornir_tasks.errors import DesignError, Problem


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One value that is configured otherwise than intended."""

    device: str
    field: str
    """Dotted path within DeviceConfig."""
    intended: str
    adjusted: str
    reason: str


@dataclass(frozen=True, slots=True)
class Realised:
    """One switch, ready for its templates."""

    config: DeviceConfig
    adjustments: tuple[Adjustment, ...]
    claims: Claims
    capabilities: Capabilities


def realise(
    intended: PartialConfig,
    device: Device,
    facts: OsFacts,
    claims: Claims,
    mtus: Mapping[str, PortMtu],
    cables: tuple[PortCable, ...] = (),
) -> Realised:
    """Fit one switch's intended configuration to its capabilities.

    ``mtus``: from ``mtu.of_ports``; ``cables``: from ``lossless_cables.cables_of``.

    Raises DesignError for everything that the switch cannot be configured with.
    """
    bender = _Bender(device, device.capabilities, [], [])
    profiles = PortProfiles(intended, device.capabilities, device.name, bender.system, bender.note, cables)
    config = DeviceConfig(
        name=device.name,
        os=device.os,
        release=device.release,
        model=device.model,
        asic=device.asic,
        services=bender.services(intended, claims),
        hashing=bender.hashing(intended),
        load_balancing=bender.load_balancing(intended.load_balancing),
        lldp=None if intended.lldp is None else Lldp(intended.lldp),
        qos=bender.qos(profiles),
        bfd=bender.bfd(intended.bfd),
        breakouts=tuple(_breakout(each, device.capabilities) for each in (intended.breakouts or {}).values()),
        vlans=tuple(bender.vlan(each) for each in (intended.vlans or {}).values()),
        spanning_tree=bender.spanning_tree(intended.bridge_priority),
        vrfs=bender.vrfs(intended, claims),
        access_lists=tuple((intended.access_lists or {}).values()),
        interfaces=bender.interfaces(intended.ports or {}, mtus, profiles),
        pair=mlag_limits.within(intended.pair, device.capabilities),
        routing_policy=RoutingPolicy(
            tuple((intended.prefix_lists or {}).values()),
            tuple((intended.route_maps or {}).values()),
            tuple((intended.as_path_lists or {}).values()),
        ),
        static_routes=tuple(map(ipv6_and_static_routes.as_printed, (intended.static_routes or {}).values())),
        bgp=bender.bgp(intended),
        base=managed_base.within(intended.base, device.name, device.capabilities),
    )
    if intended.base is not None and intended.base.settings.has_fabric_list and device.capabilities.takes_fabric_list:
        bender.problems.extend(fabric_list.problems(device.name, config))
        config = fabric_list.joined(config, intended.base)
    bender.profiles(intended)
    bender.note_fec(intended, config)
    for section in (tagging, lag_limits, mlag_limits, ipv6_and_static_routes):
        bender.problems.extend(section.problems(device.name, intended, device.capabilities))
    bender.problems.extend(filtering.problems(device.name, intended, device.capabilities, claims))
    for rules in (gateway_rules, relay_rules, storm_rules):
        bender.problems.extend(rules.problems(device.name, intended.ports or {}, device.capabilities))
    bender.problems.extend(managed_base.problems(device.name, intended.base, device.capabilities))
    bender.problems.extend(outside_rules.problems(device.name, intended, device.capabilities))
    if bender.problems:
        raise DesignError(bender.problems)
    claims = replace(
        claims,
        has_acls=bool(config.access_lists),
        has_spanning_tree=config.spanning_tree is not None,
        has_lag_hash=intended.lag_hash is True and device.capabilities.lag_hash != "unknown",
    )
    return Realised(in_order(config, facts.sort_key), tuple(bender.adjustments), claims, device.capabilities)


@cache
def _layer1(intended: Layer1, fec_below_lane_gbps: float, *, has_lanes: bool) -> Layer1:
    """If the OS has no line for the lanes, they follow from speed and cage; no adjustment is noted."""
    is_sourced = intended.lanes is None or intended.speed_gbps / intended.lanes < fec_below_lane_gbps
    return replace(intended, lanes=intended.lanes if has_lanes else None, fec=intended.fec if is_sourced else None)


def _breakout(split: Breakout, capabilities: Capabilities) -> Breakout:
    """The line of a split has either the parts' speed or their lanes; the parts' own lines have the other."""
    return replace(split, speed_gbps=None) if capabilities.has_breakout_lanes else replace(split, lanes=None)


def _text(value: object) -> str:
    """A value as text for the operator."""
    if value is None:
        return "not set"
    if isinstance(value, Ecn):
        return f"{value.min_bytes}-{value.max_bytes} bytes, {value.probability_percent} %"
    if isinstance(value, Bfd):
        return f"{value.interval_ms}/{value.min_rx_ms} ms x {value.multiplier}"
    return str(value)


@dataclass(frozen=True)
class _Bender:
    device: Device
    capabilities: Capabilities
    adjustments: list[Adjustment]
    problems: list[Problem]

    def note(self, field: str, intended: object, adjusted: object, reason: str) -> None:
        if intended != adjusted:
            self.adjustments.append(Adjustment(self.device.name, field, _text(intended), _text(adjusted), reason))

    @cached_property
    def system(self) -> str:
        return f"{self.device.os} {self.device.release} on {self.device.asic}"

    def services(self, intended: PartialConfig, claims: Claims) -> tuple[str, ...]:
        adjusted = tuple(name for name in self.capabilities.services if name != "bfd" or intended.bfd is not None)
        known = self.capabilities
        needed = (
            (known.svi_service, bool(intended.vlans)),
            (known.lag_service, claims.has_lags),
            (known.pair.service if known.pair else None, intended.pair is not None),
            (known.gateway_service, any(each.gateway is not None for each in (intended.ports or {}).values())),
            (known.edge_recovery, any(each.edge for each in (intended.ports or {}).values())),
            (known.ipv6_service, None in ipv6_and_static_routes.vrfs_with_ipv6(intended)),
        )
        found = tuple(service for service, is_needed in needed if service is not None and is_needed)
        relay = known.dhcp_relay_services if any(each.dhcp_servers for each in (intended.ports or {}).values()) else ()
        marks = any(each.ecn is not None for each in intended.classes or ()) and intended.counts_marks
        counting = (known.counts_marks_by or ()) if marks else ()
        return (*adjusted, *found, *relay, *counting, *filtering.services(intended, known))

    def hashing(self, intended: PartialConfig) -> Hashing | None:
        """``lag_hash: default`` needs no note: it is as wanted, and a line that says otherwise is removed."""
        seed, groups = self.seed(intended.hash_seed), intended.lag_hash is True and self.capabilities.lag_hash == "line"
        if intended.lag_hash and self.capabilities.lag_hash == "unknown":
            reason = f"no source says by which line groups of {self.system} hash ports"
            self.note("hashing.lag_ports", "TCP and UDP ports", "as the switch has it", reason)
        return Hashing(seed, groups) if seed is not None or groups else None

    def seed(self, seed: int | None) -> int | None:
        if seed is None:
            return None
        if not self.capabilities.has_hash_seed:
            self.note("hashing.seed", seed, None, self.capabilities.seed_gap or f"{self.system} has no seed to set")
            return None
        adjusted = (seed - 1) % self.capabilities.max_hash_seed + 1
        self.note("hashing.seed", seed, adjusted, f"{self.system} takes seeds up to {self.capabilities.max_hash_seed}")
        return adjusted

    def spanning_tree(self, priority: int | None) -> SpanningTree | None:
        if priority is None:
            return None
        mode = self.capabilities.stp_mode
        if priority not in BRIDGE_PRIORITIES or mode is None:
            what = "no such bridge priority" if mode else f"spanning tree of {self.system} is not supported"
            expected = "4096 to 61440 in steps of 4096" if mode else "none"
            self.problems.append(Problem(f"{self.device.name} spanning tree", what, expected, str(priority)))
            return None
        return SpanningTree(mode, priority)

    def load_balancing(self, intended: BalancingPolicy | None) -> LoadBalancing | None:
        """In the terms of this OS; ``limits`` has checked that it supports the mode."""
        known = self.capabilities.balancing(intended.mode) if intended is not None else None
        if intended is None or known is None:
            return None
        size = flow_set_size(known, intended.width, intended.sets)
        if size is not None:
            reason = f"{self.system} has at most {known.flow_sets[size - 1][0]} of them, wide enough"
            self.note("load_balancing.sets", intended.sets, min(intended.sets, known.flow_sets[size - 1][0]), reason)
        return LoadBalancing(intended.mode, intended.ports if known.has_ports else None, size)

    def qos(self, profiles: PortProfiles) -> Qos | None:
        self.problems.extend(profiles.problems())
        return profiles.qos()

    def bfd(self, intended: Bfd | None) -> Bfd | None:
        if intended is None:
            return None
        least = self.capabilities.bfd_min_interval_ms
        adjusted = replace(
            intended, interval_ms=max(intended.interval_ms, least), min_rx_ms=max(intended.min_rx_ms, least)
        )
        self.note("bfd", intended, adjusted, f"{self.system} takes intervals from {least} ms")
        return adjusted

    def vlan(self, intended: Vlan) -> Vlan:
        if self.capabilities.has_vlan_names:
            return intended
        self.note(f"vlans.{intended.number}.name", intended.name, None, f"{self.system} has no names of VLANs")
        return replace(intended, name=None)

    def vrfs(self, intended: PartialConfig, claims: Claims) -> tuple[Vrf, ...]:
        """Refuses VRFs on an OS without them, VRFs without an owner, and VRFs that are used but not declared."""
        there = intended.vrfs or {}
        used = {port.vrf for port in (intended.ports or {}).values()} | {vrf for vrf, _ in intended.static_routes or {}}
        used |= {vrf for vrf, _ in intended.neighbors or {}}
        for name in sorted({*there, *used} - {None}, key=str):
            where, found = f"{self.device.name} VRF {name}", str(name)
            if not self.capabilities.has_vrfs:
                gap = self.capabilities.vrf_gap or f"{self.system} has no VRFs"
                self.problems.append(Problem(where, f"VRFs are not supported: {gap}", "the default VRF", found))
            elif claims.by_vrf(found) is None:
                hint = "a VRF's name begins with the prefix of its plane or fabric, which identifies its owner"
                expected = "the prefix of an owner, and no name of a management VRF"
                self.problems.append(Problem(where, "a VRF of this name has no owner", expected, found, hint))
            elif name not in there:
                hint = "an owner that uses a VRF must declare it"
                self.problems.append(Problem(where, "a VRF is used, but not declared", found=found, hint=hint))
        self.problems.extend(
            Problem(f"{self.device.name} {name}", "unnumbered links in a VRF are not supported", found=port.vrf)
            for name, port in (intended.ports or {}).items()
            if port.vrf is not None and port.ra_interval_ms is not None
        )
        routed = (
            ipv6_and_static_routes.vrfs_with_ipv6(intended)
            if self.capabilities.ipv6_service is not None
            else frozenset()
        )
        return tuple(Vrf(name, name in routed) for name in there)

    def interfaces(
        self, ports: Mapping[str, PartialPort], mtus: Mapping[str, PortMtu], profiles: PortProfiles
    ) -> tuple[Interface, ...]:
        """Every port; adjustments of SVIs come first."""
        prefix, fitted = self.capabilities.svi_prefix, lag_limits.spread(ports, self.capabilities)
        names = sorted(ports, key=lambda name: not name.startswith(prefix))
        limits = {name: mtu for name, mtu in mtus.items() if name not in ports or ports[name].member_of is None}
        limits.update(lag_limits.group_mtus(ports, self.capabilities))
        members = {name: lag_limits.member(port, ports, self.capabilities) for name, port in ports.items()}
        carried = {name: port.profile and profiles.name_of(name, port.profile) for name, port in fitted.items()}
        return tuple(
            self.interface(name, fitted[name], carried[name], limits.get(name), members[name]) for name in names
        )

    def interface(
        self, name: str, intended: PartialPort, profile: str | None, mtu: PortMtu | None, member: LagMember | None
    ) -> Interface:
        known, layer1 = self.capabilities, intended.layer1
        if layer1 is not None:
            layer1 = _layer1(layer1, known.fec_below_lane_gbps, has_lanes=known.has_lanes)
        return Interface(
            name=name,
            description=intended.description,
            address=intended.address,
            mtu_bytes=self.mtu(name, intended, mtu),
            enabled=intended.enabled is not False,
            qos_profile=profile,
            layer1=layer1,
            ra_interval_ms=intended.ra_interval_ms,
            access_vlan=intended.access_vlan,
            edge=intended.edge is True,
            vrf=intended.vrf,
            tagged_vlans=None if intended.tagged_vlans is None else tuple(sorted(intended.tagged_vlans)),
            native_vlan=intended.native_vlan,
            tag=intended.tag,
            lag=self.lag(name, intended),
            member=member,
            acls=tuple(sorted(AclBinding(*use, acl) for use, acl in intended.acls.items())) if intended.acls else (),
            ipv6_address=ipv6_and_static_routes.address_as_printed(intended.ipv6_address),
            gateway=gateway_rules.within(intended.gateway, known),
            dhcp_servers=relay_rules.within(intended),
            storm=intended.storm,
            undisclosed=intended.undisclosed is True,
        )

    def lag(self, name: str, intended: PartialPort) -> Lag | None:
        adjusted, wanted = lag_limits.lag(intended, self.capabilities), intended.lag
        if adjusted is not None and wanted is not None and wanted.individual_after_s is not None:
            reason = f"{self.system} waits as long as it does"
            field = f"interfaces.{name}.lag.individual_after_s"
            self.note(field, wanted.individual_after_s, adjusted.individual_after_s, reason)
        return adjusted

    def mtu(self, name: str, intended: PartialPort, mtu: PortMtu | None) -> int | None:
        if mtu is None or mtu.limit is None:
            return intended.mtu_bytes
        self.note(f"interfaces.{name}.mtu_bytes", mtu.intended_bytes, mtu.configured_bytes, self.mtu_reason(mtu))
        return mtu.configured_bytes

    def mtu_reason(self, mtu: PortMtu) -> str:
        if mtu.limit == "own":
            return f"{self.system} takes at most {mtu.configured_bytes}"
        if mtu.limit == "far" and mtu.far is not None:
            return f"{mtu.far.device} {mtu.far.port} takes less"
        if mtu.limit == "jumbo":
            return f"a switched port of {self.system} takes the jumbo MTU of the whole switch or 1500"
        return f"{self.system} checks what it routes, not what it switches"

    def profiles(self, intended: PartialConfig) -> None:
        """A port carries the fabric's profile, or one of which the intent says how it treats the classes."""
        there = {FABRIC_PROFILE, *(intended.profiles or ())}
        for name, port in (intended.ports or {}).items():
            if port.profile is not None and port.profile not in there:
                where, hint = (
                    f"{self.device.name} {name}",
                    "an owner that uses a profile must define how it treats the classes",
                )
                what, expected = f"no port profile {port.profile!r} is described", ", ".join(sorted(there))
                self.problems.append(Problem(where, what, expected, port.profile, hint))

    def note_fec(self, intended: PartialConfig, config: DeviceConfig) -> None:
        """Once for a switch: it has hundreds of ports."""
        pairs = (
            (intended.ports[port.name].layer1, port.layer1) for port in config.interfaces if intended.ports is not None
        )
        ports = sum(bool(a and b and a.fec != b.fec) for a, b in pairs)
        if ports:
            self.note("layer1.fec", f"set on {ports} ports", None, self.capabilities.fec_gap)

    def bgp(self, intended: PartialConfig) -> Bgp | None:
        self.problems.extend(bgp_rules.problems(self.device.name, intended))
        return bgp_rules.within(intended, self.capabilities, self.system, self.note)
