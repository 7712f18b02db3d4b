"""A site's switches as a fabric that plays BGP through, so that a fault has all the effects it would have.

The fabric is the lab's (``switch_twins``), which shares no code with the design. Configurations go in as the model has
them, faults by hand; what comes out is what ``nornir validate`` would have collected.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from nornir_tasks.checks.evidence import Evidence
from nornir_tasks.checks.suite import Report, judge
from nornir_tasks.deploy.wanted import wanted
from nornir_tasks.design.config.bgp import Bgp, BgpVrf, Neighbor
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.realise.configuration import Realised
from nornir_tasks.design.realise.tagging import port_of
from nornir_tasks.errors import Problem
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms.config_tree import Change, difference
from nornir_tasks.platforms.observed import (
    BgpSession,
    GroupMember,
    LldpNeighbor,
    Observed,
    PathState,
    PortQos,
    PortState,
    PortVlans,
)
from nornir_tasks.usecases.site import SiteDesign, load
from nornir_tasks.usecases.validate import far_ends
from switch_twins.clock import ManualClock
from switch_twins.fabric import FabricSim
from switch_twins.spec import Cable, DeviceSpec, End, Host
from switch_twins.state import (
    BgpInstance,
    BgpNeighbor,
    InterfaceState,
    PrefixList,
    PrefixListEntry,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    SwitchState,
)
from switch_twins.twin import RequestCounter
from tests.unit.checks.good_switch import GOOD
from tests.unit.checks.simulated_pairs import gateways_of, hsrp_lines, pair_lines, pair_of, peer_subinterfaces
from tests.unit.checks.simulated_trees import partners_of, tree_lines, tree_ports_of, trees_of

SITES = Path(__file__).parents[2] / "sites"
SMALL = ("lab-rails", "lab-breakout", "lab-unnumbered", "svi", "clos", "clos3", "split", "vrf")
"""Every kind of site: numbered and not, routed ports and an SVI, one, two and three tiers, rails without a way."""


@cache
def site_design(site: str) -> SiteDesign:
    return load(SITES / site if (SITES / site).exists() else site)


@cache
def realised(site: str) -> dict[str, Realised]:
    return {each.config.name: each for each in site_design(site).realised()}


@dataclass
class _Switch:
    """What the lab's fabric wants of a switch."""

    config: SwitchState
    device: DeviceSpec
    requests: RequestCounter = field(default_factory=RequestCounter)
    on_commit: Callable[[], None] = lambda: None

    @property
    def name(self) -> str:
        return self.config.name

    def state(self) -> SwitchState:
        return self.config

    def running_text(self) -> str:
        return ""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Network:
    """One site, as designed until a method breaks it."""

    def __init__(self, site: str) -> None:
        self._begin(site_design(site), realised(site))

    def _begin(self, designed: Any, made: dict[str, Realised]) -> None:
        self.design, self.realised = designed, made
        self.wanted = {name: each.config for name, each in self.realised.items()}
        self.running = dict(self.wanted)
        self.silent: dict[str, Problem] = {}
        self.dead: set[str] = set()
        self.hanging: set[str] = set()
        self.cables = {
            link.name: (End(link.upper.device, link.upper.port), End(link.lower.device, link.lower.port))
            for link in self.design.network.links
            if link.kind in ("fabric", "peer")
        }
        self.cut: set[str] = set()
        self.barred: set[tuple[str, str]] = set()
        """(switch, neighbour): the session stays down, and no configuration says why."""
        self.altered: dict[str, Callable[[Observed], Observed]] = {}

    # -- faults ----------------------------------------------------------------------------------------------------

    def port(self, device: str, port: str, **changes: Any) -> None:
        """Configure a port otherwise."""
        ports = tuple(replace(x, **changes) if x.name == port else x for x in self.running[device].interfaces)
        self.running[device] = replace(self.running[device], interfaces=ports)

    def bgp(self, device: str, **changes: Any) -> None:
        """Configure BGP otherwise: in the VRF that the site routes in."""
        bgp = self.bgp_of(device)
        inside = {name: changes.pop(name) for name in ("maximum_paths", "networks") if bgp.vrfs and name in changes}
        vrfs = tuple(replace(each, **inside) for each in bgp.vrfs)
        self.running[device] = replace(self.running[device], bgp=replace(bgp, vrfs=vrfs, **changes))

    def neighbor(self, device: str, key: str, **changes: Any) -> None:
        """Configure one neighbour otherwise; no changes: it is gone."""
        new = [each for each in self.bgp_of(device).neighbors if each.peer != key or changes]
        self.bgp(device, neighbors=tuple(replace(each, **changes) if each.peer == key else each for each in new))

    def config(self, device: str, **changes: Any) -> None:
        """Configure a section otherwise."""
        self.running[device] = replace(self.running[device], **changes)

    def swap(self, one: str, other: str) -> None:
        """Swap the lower ends of two cables."""
        (a, b), (c, d) = self.cables[one], self.cables[other]
        self.cables[one], self.cables[other] = (a, d), (c, b)

    def shows(self, device: str, change: Callable[[Observed], Observed]) -> None:
        """The switch shows something else than it should, whatever it is configured to."""
        self.altered[device] = change

    def show_more(self, device: str, change: Callable[[Observed], Observed]) -> None:
        """As ``shows``, beside what was changed before."""
        before = self.altered.get(device, lambda seen: seen)
        self.altered[device] = lambda seen: change(before(seen))

    def silence(self, device: str, *, dead: bool) -> None:
        """The switch does not answer; if it is dead, its links are down as well."""
        self.silent[device] = Problem(device, f"nothing answers at the address of {device}", hint="is it up?")
        if dead:
            self.dead.add(device)

    def hang(self, device: str) -> None:
        """The switch answers nobody and says nothing; its links are up."""
        self.silence(device, dead=False)
        self.hanging.add(device)

    # -- what is there ---------------------------------------------------------------------------------------------

    def bgp_of(self, device: str) -> Bgp:
        bgp = self.running[device].bgp
        assert bgp is not None
        return bgp

    def links(self) -> list[str]:
        """Names of the links between switches."""
        return list(self.cables)

    def ends(self, link: str) -> tuple[tuple[str, str], tuple[str, str]]:
        """(upper device, port), (lower device, port) as designed."""
        found = next(each for each in self.design.network.links if each.name == link)
        return (found.upper.device, found.upper.port), (found.lower.device, found.lower.port)

    def evidence(self) -> Evidence:
        sim = self._simulated()
        read = [name for name in self.wanted if name not in self.silent]
        observed = {name: _observed(sim, self.running[name]) for name in read}
        observed |= {name: change(observed[name]) for name, change in self.altered.items() if name in observed}
        return Evidence(
            network=self.design.network,
            wanted=self.wanted,
            running={name: self.running[name] for name in read},
            changes={name: self.changes(name) for name in read},
            observed=observed,
            far=far_ends(self.design.network),
            unreachable=self.silent,
        )

    def judge(self) -> Report:
        return judge(self.evidence())

    def changes(self, device: str) -> tuple[Change, ...]:
        """What a push would change, line by line, as the templates and the tree of this OS have it."""
        runs, each = self.running[device], self.realised[device]
        if runs == each.config:
            return ()
        here, there = (
            wanted(config, each.capabilities, each.claims, environment(config.os)).tree
            for config in (runs, each.config)
        )
        return tuple(difference(here, there))

    def _simulated(self) -> FabricSim:
        cables = [Cable(name, *ends) for name, ends in self.cables.items()]
        hosts = [
            Host(link.lower.device, link.lower.port, End(link.upper.device, link.upper.port), 9000, lldp=True)
            for link in self.design.network.links
            if link.kind == "host"
        ]
        sim = FabricSim(cables, hosts, ManualClock())
        for name in self.cut:
            sim.cut_cable(name)
        for name, config in self.running.items():
            state = _state(config, frozenset(key for device, key in self.barred if device == name))
            if name in self.dead:
                ports = tuple(replace(each, is_admin_up=False) for each in state.interfaces)
                state = replace(state, interfaces=ports, is_routing=False, lldp_enabled=False)
            names = tuple(each.name for each in config.interfaces if each.layer1 is not None or not each.enabled)
            sim.attach(_Switch(state, DeviceSpec(name, config.os, "", "", "", name, "127.0.0.1", 1, 2, 1, names)))
        for name in self.hanging:
            sim.freeze(name)
        return sim


def _state(config: DeviceConfig, barred: frozenset[str]) -> SwitchState:
    bgp, vlans = config.bgp, {each.number for each in config.vlans}
    groups = {each.name: each for each in bgp.peer_groups} if bgp else {}

    def neighbor(each: Neighbor) -> BgpNeighbor:
        group = groups[each.peer_group]
        return BgpNeighbor(
            each.peer,
            each.remote_as,
            peer_group=group.name,
            is_shutdown=each.peer in barred,
            bfd=group.bfd,
            ttl_security_hops=1 if group.ttl_security else None,
            route_map_in=each.route_map_in or group.route_map_in,
            route_map_out=group.route_map_out,
            prefix_limit=group.max_prefixes,
            send_community=group.send_community,
            interface=each.interface or "",
            extended_nexthop=each.interface is not None,
        )

    def interface(each: Interface) -> InterfaceState:
        svi = int(each.name.lower().removeprefix("vlan")) if each.name.lower().startswith("vlan") else None
        return InterfaceState(
            each.name,
            each.enabled,
            each.access_vlan is None and each.tagged_vlans is None,
            (each.address,) if each.address else (),
            each.mtu_bytes or 9216,
            is_loopback=each.name.lower().startswith("lo"),
            speed=f"{each.layer1.speed_gbps}g" if each.layer1 else None,
            fec=each.layer1.fec if each.layer1 else None,
            negotiate=each.layer1.negotiate if each.layer1 else None,
            link_local="fe80::1" if each.ra_interval_ms else "",
            advertises=each.ra_interval_ms is not None,
            access_vlan=each.access_vlan,
            vlans=frozenset({each.access_vlan, each.native_vlan, *(each.tagged_vlans or ())} - {None}),
            native_vlan=each.native_vlan,
            port=port_of(each.name) if each.tag else "",
            tag=each.tag,
            svi_vlan=svi,
            has_vlan=svi is None or svi in vlans,
            vrf=each.vrf or "default",
            is_group=each.lag is not None,
            over_both=str(each.lag.pair_id or "") if each.lag is not None else "",
            group=each.member.group if each.member else "",
            lacp_active=True if each.member else None,
            lacp_is_fast=each.member is not None and each.member.lacp_rate == "fast",
            hsrp=hsrp_lines(each),
        )

    def instance(each: Bgp | BgpVrf, vrf: str | None) -> BgpInstance:
        assert bgp is not None
        return BgpInstance(
            bgp.asn,
            each.router_id,
            vrf=vrf or "default",
            neighbors=tuple(neighbor(peer) for peer in bgp.neighbors if peer.vrf == vrf),
            networks=each.networks,
            maximum_paths=each.maximum_paths,
            multipath_relax=bgp.multipath_relax,
        )

    return SwitchState(
        config.name,
        config.os,
        config.name,
        (*map(interface, config.interfaces), *peer_subinterfaces(config)),
        (instance(bgp, None), *(instance(each, each.name) for each in bgp.vrfs)) if bgp else (),
        tuple(
            PrefixList(x.name, tuple(PrefixListEntry(r.sequence, r.permit, r.prefix, r.ge, r.le) for r in x.rules))
            for x in config.routing_policy.prefix_lists
        ),
        tuple(
            RouteMap(
                x.name,
                tuple(
                    RouteMapEntry(
                        r.sequence, r.permit, (r.match_prefix_list,) if r.match_prefix_list else (), prepend=r.prepend
                    )
                    for r in x.rules
                ),
            )
            for x in config.routing_policy.route_maps
        ),
        tuple(StaticRoute(each.prefix, vrf=each.vrf or "default") for each in config.static_routes),
        lldp_enabled=config.lldp is None or config.lldp.enabled,
        pair=pair_lines(config),
        trees=tree_lines(config),
    )


def _observed(sim: FabricSim, config: DeviceConfig) -> Observed:
    name, qos = config.name, config.qos
    profiles = {each.name: each for each in qos.profiles} if qos else {}
    by_code = {code: each.priority for each in (qos.classes if qos else ()) for code in each.dscp}
    balancing = config.load_balancing
    return Observed(
        device=name,
        **GOOD,
        ports=tuple(_port(sim, config, each) for each in config.interfaces),
        lldp=tuple(LldpNeighbor(each.local_port, each.hostname, each.port) for each in sim.lldp(name)),
        bgp=tuple(
            BgpSession(
                s.neighbor.address,
                _number(s.neighbor),
                s.state == "established",
                s.state,
                s.prefixes_received,
                None if s.vrf == "default" else s.vrf,
            )
            for s in sim.sessions(name)
        ),
        routes=tuple(
            ((vrf, p), len(r.next_hops))
            for vrf in (None, *(each.name for each in config.vrfs))
            for p, r in sim.rib(name, vrf or "default").items()
            if r.protocol == "bgp"
        ),
        qos=tuple(_qos(profiles[each.qos_profile], each) for each in config.interfaces if each.qos_profile in profiles),
        dscp_to_priority=tuple(by_code[code] for code in range(64)) if by_code else None,
        paths=PathState(balancing.mode if balancing else None, balancing.ports if balancing else None),
        groups=tuple(
            GroupMember(each.port, port.name, None if config.os == "nvue" else each.is_bundled, each.reason)
            for port in config.interfaces
            if port.lag is not None
            for each in sim.members(name, port.name)
        ),
        pair=pair_of(sim, config),
        gateways=tuple(gateways_of(sim, config)),
        carried=tuple(_carried(sim, config)),
        trees=trees_of(sim, config),
        partners=partners_of(sim, config),
        tree_ports=tuple(tree_ports_of(sim, config)),
    )


def _carried(sim: FabricSim, config: DeviceConfig) -> Iterator[PortVlans]:
    """VLANs that are there, on ports that are up; the one of a Cumulus peer link's untagged frames always is."""
    there = {each.number for each in config.vlans} | ({1} if config.os == "nvue" else set[int]())
    for port in sim.state(config.name).interfaces:
        if port.vlans and not port.group and sim.is_up(config.name, port.name):
            yield PortVlans(port.name, port.vlans & there)


def _number(neighbor: BgpNeighbor) -> int:
    assert isinstance(neighbor.remote_as, int)
    return neighbor.remote_as


def _port(sim: FabricSim, config: DeviceConfig, each: Interface) -> PortState:
    """Cumulus Linux shows of every port whether it advertises itself."""
    advertises_ms = (each.ra_interval_ms or 0) if config.os == "nvue" else None
    vlan = str(each.access_vlan) if each.access_vlan else "trunk" if each.tagged_vlans is not None else "routed"
    return PortState(each.name, each.enabled, sim.is_up(config.name, each.name), each.mtu_bytes, advertises_ms, vlan)


def _qos(profile: Any, each: Interface) -> PortQos:
    marks = tuple((queue.number, queue.ecn) for queue in profile.queues if queue.ecn is not None)
    return PortQos(each.name, True, profile.pfc_priorities, profile.watchdog, marks)
