"""Capabilities of an OS release on an ASIC: the types. The figures are in ``platforms/<os>/capabilities.py``.

``design`` is below ``platforms``, so the platforms are passed in as :class:`OsFacts`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Literal

from nornir_tasks.design.config.access_lists import Family
from nornir_tasks.design.config.qos import Ecn, Watchdog
from nornir_tasks.design.config.spanning_tree import StpMode
from nornir_tasks.design.model.ecn_figures import EcnFigure, nearest
from nornir_tasks.design.model.headroom import CableFacts
from nornir_tasks.design.model.system_facts import (
    FABRIC_LIST,
    NO_ACCOUNTS,
    NO_BASE_FACTS,
    NO_GUARDS,
    AccountFacts,
    AclFacts,
    BaseGap,
    GuardFacts,
    PairFacts,
    SnmpFacts,
    StormFacts,
)
from nornir_tasks.design.model.xoff_threshold import Pool


class Disruption(StrEnum):
    """What a change does to traffic, mildest first (the order of the members is the order of severity)."""

    NONE = "none"
    AGENT_RESTART = "agent-restart"
    DATAPLANE_BLIP = "dataplane-blip"
    PORT_FLAP = "port-flap"
    RELOAD = "reload"

    @property
    def severity(self) -> int:
        """0 for the mildest; for sorting and for the worst of several."""
        return list(Disruption).index(self)


@dataclass(frozen=True, slots=True)
class Balancing:
    """A way to spread traffic over equal-cost paths other than by a static hash."""

    mode: Literal["flowlet", "per_packet"]
    source: str
    has_ports: bool
    """Which ports take part is configured; else every port does."""
    speeds_gbps: tuple[int, ...] | None = None
    """Links it works on; None: all."""
    flow_sets: tuple[tuple[int, int], ...] = ()
    """(sets of next hops, entries of each) by flow-set size from 1 up; empty where the table is not cut."""


PAUSE, WEIGHT, MARKS, NO_DROP = "pause", "weight", "marks", "no-drop classes"


@dataclass(frozen=True, slots=True)
class Knob:
    """Where an OS has one setting of traffic classes: on each port, or once for all of them."""

    scope: Literal["port", "switch"]
    line: str
    """What configures it, for the operator."""
    source: str


@dataclass(frozen=True, slots=True)
class Train:
    """A release train, and what of the lines that we render public sources show at it."""

    name: str
    """What all its releases begin with: ``4.34``, ``5.14``, ``10.5``."""
    release: str
    """One of it, as the operator may write it; tests render for this one."""
    seen: str
    """Where such lines stand at this train."""
    differs: str = ""
    """What is rendered otherwise than for the train before; empty: nothing is known to differ."""
    assumed: str = ""
    """What no source shows at it, and what stands in: the end of "no source shows ...", for the operator; empty: every
    group of our lines was seen at it."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One OS release on one ASIC. Each figure's source stands beside it where it is written down."""

    os: str
    release: str
    asic: str
    loopback_name: str
    max_mtu_bytes: int
    """Largest IP MTU of a routed port."""
    services: tuple[str, ...]
    """Value of DeviceConfig.services for a routed, lossless leaf or spine with BGP, LLDP and (if used) BFD."""
    max_lossless_classes: int
    cnp_priority: int | None
    """Priority and queue that a strict class must have (NX-OS: 7); None: as in the policy."""
    queue_profile_name: str
    """Name of the profile of links between switches, which all ports carry that want nothing else."""
    ecn_auto: Ecn | None
    """What ``ecn: auto`` means on this ASIC, a vendor's or operator's published start value; None: no source says how
    its queues mark, and no class may."""
    ecn_source: str
    """Where that stands; without thresholds, what is not known, for the operator."""
    ecn_cell_bytes: int
    """Thresholds are rounded up to a multiple of this; 1 where the OS takes any byte count."""
    watchdog: Watchdog
    """The watchdog of a lossless port; the intent has no key for it."""
    watchdog_gap: str = field(default="", kw_only=True)
    """Why its times are the system's own and not those of all systems that take times, for the operator."""
    has_class_mtu: bool
    """The queues' classes have an MTU of their own (NX-OS network-qos)."""
    cables: CableFacts
    """How long lossless cables may be, and what longer ones than the system's own take."""
    has_hash_seed: bool
    has_advertisement_interval: bool
    has_prefix_restart: bool
    max_ecmp_paths: int
    bfd_min_interval_ms: int
    has_commit_timer: bool
    """The switch reverts a commit by itself unless it is confirmed. Without it a push needs ``--unguarded``."""
    min_confirm_s: int
    max_confirm_s: int
    max_apply_s: int
    """A commit is taken to last this long at most; its timer begins at its end. Our own figure: no maker has one."""
    has_port_mtu: bool = True
    """Ports and SVIs have a line for their MTU; else all have ``max_mtu_bytes``, the OS's default."""
    unnumbered_with: tuple[tuple[str, str], ...] = ()
    """(OS, regular expression over the release) of far ends with which a source vouches for eBGP over IPv6 link-local
    addresses with IPv4 routes on it (RFC 8950); empty: with none."""
    has_link_local_bfd: bool = False
    """BFD follows such a session."""
    ecn_gbps: int | None = None
    """Speed of the ports that the source of ``ecn_auto`` speaks of; None: it says the same for all ports."""
    ecn_others: tuple[EcnFigure, ...] = ()
    """Start values that are published for ports of other speeds."""
    published_pool: Pool | None = None
    """Of its lossless classes, as another system has it on this ASIC; its own is in no line."""
    spectrum_x: str = ""
    """Where its maker offers it as a switch of Spectrum-X; empty: no source does."""
    unnumbered_gap: str = ""
    """What is missing if ``unnumbered_with`` is empty, for the operator's message."""
    has_breakout: bool = False
    """The cage is configured (NX-OS ``interface breakout``, NVUE ``link breakout``); on EOS names follow lanes."""
    has_breakout_lanes: bool = False
    """The line that splits the cage says the lanes of each part (NVUE ``lanes-per-port``), and not the speed."""
    has_lanes: bool = False
    """The lane count is part of the speed that is configured (EOS ``speed 200g-4``)."""
    max_hash_seed: int = 0xFFFF_FFFF
    """Seeds run from 1 to this; 0 is the OS's default and hidden."""
    seed_gap: str = ""
    """Why no seed is set although the OS has one, for the operator."""
    queue_pair_gap: str = "no source shows a line that has it hash them"
    """Why its hash tells RDMA's queue pairs apart by UDP source ports alone, with the source, for the operator."""
    has_guaranteed_bandwidth: bool = False
    """A queue can be promised bandwidth (EOS ``bandwidth guaranteed``), so that a starved one does not look stuck."""
    guarantee_gap: str = ""
    """Why it is not promised although the OS has the line, for the operator."""
    counts_marks_by: tuple[str, ...] | None = None
    """Entries of DeviceConfig.services that queues need, besides a line of their own, to count what they mark (EOS);
    None: no line of it, they count or do not."""
    lossless_memory_source: str = ""
    """Where the line is from that sets the share of memory for lossless classes; empty: no source shows one."""
    fec_below_lane_gbps: float = inf
    """Error correction is configured on lanes slower than this; from here on no line of it has a source."""
    fec_gap: str = ""
    """What decides instead, for the operator."""
    has_connect_retry: bool = True
    """The time between two attempts to open a BGP session can be set."""
    has_update_waits: bool = False
    """BGP can be set to tell of no route before it is in hardware, and before all neighbours were heard."""
    svi_prefix: str = "Vlan"
    """An SVI is called this and its VLAN's number."""
    svi_service: str | None = None
    """What must be loaded before there are SVIs (NX-OS ``feature interface-vlan``)."""
    has_vlan_names: bool = True
    has_vrfs: bool = False
    """Ports, routes and sessions can be in VRFs besides the default one."""
    vrf_gap: str = ""
    """Why not, for the operator's message."""
    has_ipv6: bool = False
    """Ports, subinterfaces, SVIs and loopbacks can have a global IPv6 address, and static routes be of IPv6."""
    ipv6_gap: str = ""
    """Why not, for the operator's message."""
    ipv6_service: str | None = None
    """What must be on before IPv6 is routed, in the default VRF and in each other one by itself (EOS ``ipv6
    unicast-routing``); None: nothing."""
    has_next_hops: bool = False
    """Static routes can lead to next hops, and not only discard."""
    next_hop_gap: str = ""
    """Why not, for the operator's message."""
    has_gateways: bool = False
    """SVIs can have redundant gateways."""
    gateway_gap: str = ""
    """Why not, for the operator's message."""
    gateway_mac: Literal["switch", "svi", "none"] = "none"
    """Where their MAC address is configured: once (EOS), on each SVI (NVUE), or nowhere (HSRP has its own)."""
    edge_recovery: str | None = None
    """Entry of DeviceConfig.services by which a port that BPDU guard shut comes back by itself; None: no line of it."""
    gateway_service: str | None = None
    """What must be loaded before there are any (NX-OS ``feature hsrp``)."""
    has_gateway_roles: bool = False
    """One of both switches answers, by group and priority (HSRP), and not both (EOS, NVUE)."""
    max_gateway_group: int = 4095
    default_gateway_priority: int = 100
    """Of a gateway whose owner sets none."""
    dhcp_relay: frozenset[Family] = frozenset()
    """Families of which an SVI relays DHCP."""
    dhcp_relay_gap: str = ""
    """Why not of the others, for the operator's message."""
    dhcp_relay_services: tuple[str, ...] = ()
    """Entries of DeviceConfig.services that a switch needs before it relays (NX-OS ``feature dhcp``)."""
    storm_control: StormFacts | None = None
    storm_control_gap: str = ""
    """Why it has no limit of some kind, for the operator's message."""
    has_outside_bgp: bool = False
    """Sessions with networks of others can be configured: IPv6 routes, lists of AS paths, aggregates, one's own next
    hop within the AS, static routes behind an interface."""
    outside_gap: str = "our lines for sessions with other networks were not compared with a source"
    """Why not, for the operator's message."""
    aggregate_distance: int | None = None
    """Distance of an aggregate of BGP, where a static route of the same prefix with a smaller one takes it out of BGP:
    an aggregate's discard route has a larger one there. None: aggregates are announced whatever routes there are."""
    guards: GuardFacts = NO_GUARDS
    has_tags: bool = False
    """Ports can be trunks, and have routed subinterfaces."""
    tag_gap: str = ""
    """Why not, for the operator's message."""
    max_tag: int = 4094
    lag_prefix: str = ""
    """A link aggregation group is called this and its number; empty: none can be configured."""
    lag_gap: str = ""
    """Why not, for the operator's message."""
    max_lag: int = 0
    """Groups are numbered from 1 to this."""
    lag_service: str | None = None
    """What must be loaded before members can negotiate (NX-OS ``feature lacp``)."""
    lacp_rate_on: Literal["group", "members"] = "members"
    """Whose lines say the LACP rate."""
    lag_repeated: Literal["never", "individual", "always"] = "never"
    """When a member has the lines of its group's VLANs as well: where it may work individually (EOS), or always, and
    then the MTU too (NX-OS)."""
    lag_profile_on: Literal["members", "both", "each"] = "members"
    """Whose lines say the port profile: the members', in part the group's (``both``, NX-OS: its policies, and PFC on
    both), or each's, whole (``each``, EOS: where it binds is not known; members show it)."""
    individual_after_s: int | None = None
    """How long a member waits for LACPDUs before it works individually, unless the intent says it; None: fixed."""
    max_min_links: int | None = None
    """Largest number of active members that a group can require; None: the OS has no such setting."""
    default_min_links: int | None = None
    """The number that a group without such a line has, where the OS hides a line that says it."""
    min_links_gap: str = ""
    """Its source, for the operator's message."""
    pair: PairFacts | None = None
    """None: it is in no pair with another switch."""
    pair_gap: str = ""
    """Why not, for the operator's message."""
    lag_hash: Literal["line", "default", "unknown"] = "unknown"
    """What makes link aggregation groups hash TCP and UDP ports: a line, or the absence of any; unknown: no source
    says it of this ASIC, and nothing is configured."""
    stp_mode: StpMode | None = None
    """Mode of spanning tree that we configure: the OS's own; None: none is configured."""
    management_vrf: str | None = None
    """The name of the management VRF; None: the operator names it."""
    base_gaps: tuple[BaseGap, ...] = NO_BASE_FACTS
    """Keys of the intent's ``base`` that the switch cannot have; the others it can."""
    api_is_bound_to: Literal["vrf", "address"] = "vrf"
    """What says where the API is served: a VRF, or addresses of the switch."""
    account_facts: AccountFacts = NO_ACCOUNTS
    """What local accounts are like."""
    snmp: SnmpFacts | None = None
    """What SNMPv3 is like; None: none is configured."""
    ssh_is_in_one_vrf: bool = True
    """May SSH be served in one VRF alone? Else it is in all."""
    control_list_is_of_vrf: bool = False
    """Is the access list of the control plane applied in a VRF? Else on the management port."""
    acls: AclFacts | None = None
    """None: no access lists."""
    acl_gap: str = ""
    """Why not, for the operator's message."""
    access_mtu: Literal["any", "jumbo", "none"] = "any"
    """MTU of a switched port: any, only the largest (NX-OS ``system jumbomtu``), or none is checked (EOS)."""
    release_pattern: str = ""
    """Regular expression (full match) over what a switch may report for this release; empty: exactly ``release``."""
    load_balancing: tuple[Balancing, ...] = ()
    """Modes there are besides static hashing."""
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    """What ports may treat otherwise than one another: PAUSE, WEIGHT and MARKS of a class, and which classes are never
    dropped (NO_DROP: where that is the switch's, PFC on a port is on for all of them or for none). A knob that is not
    listed exists once."""
    assumed: str = ""
    """What no source shows at this release, and what stands in (Train.assumed)."""
    memory_only: Mapping[str, str] = field(default_factory=dict)
    """Line shapes known only from memory: name -> the line. Rendered only if the intent allows them by name."""

    def ecn_at(self, gbps: int | None) -> EcnFigure | None:
        """``ecn: auto`` of ports of this speed; the first figure where ports cannot differ. None: it marks nothing."""
        if self.ecn_auto is None:
            return None
        main = EcnFigure(self.ecn_auto, self.ecn_source, self.ecn_gbps)
        return nearest((main, *self.ecn_others), gbps) if self.is_per_port(MARKS) else main

    def is_per_port(self, knob: str) -> bool:
        """May ports differ in this?"""
        return knob in self.knobs and self.knobs[knob].scope == "port"

    def balancing(self, mode: str) -> Balancing | None:
        """The mode of this name, if there is one."""
        return next((each for each in self.load_balancing if each.mode == mode), None)

    def runs(self, reported: str) -> bool:
        """Is the release a switch reports the one this record was chosen for?"""
        return (
            reported == self.release if not self.release_pattern else bool(re.fullmatch(self.release_pattern, reported))
        )

    @property
    def takes_fabric_list(self) -> bool:
        """Has its control plane a list in the default VRF?"""
        return not any(each.key == FABRIC_LIST for each in self.base_gaps)

    def is_unnumbered_with(self, os: str, release: str) -> bool:
        """May a link to this far end do without IPv4 addresses?"""
        return any(os == system and re.fullmatch(known, release) for system, known in self.unnumbered_with)


@dataclass(frozen=True, slots=True)
class OsFacts:
    """What design needs of an OS: its capabilities and its port names."""

    os: str
    releases: tuple[str, ...]
    """Releases we have a capability record for, as the operator may write them (``4.33.1F``, ``5.14``); one of each
    train at least."""
    capabilities: Callable[[str, str], Capabilities]
    """(release, asic) -> Capabilities; KeyError names what is unknown."""
    port_name: Callable[..., str]
    """(front-panel number from 1, leg from 0, ways, lanes of each leg) -> interface name; (n) is the whole port."""
    sort_key: Callable[[str], tuple[int, ...]]
    """Natural order of interface names."""
    split_part: str = ""
    """Regular expression (full match) over the name of a part of a cage that a line splits; its first group is the
    cage's name. Empty where no line does: there each lane is a port that is always there, and is claimed by itself."""
    trains: tuple[Train, ...] = ()
    """What public sources show of each release train."""
    unnumbered: tuple[str, ...] = ()
    """Releases that offer unnumbered links, to tell who asks for them elsewhere."""
    load_balancing: Mapping[str, str] = field(default_factory=dict)
    """Mode -> the releases and ASICs that have it, in words for an operator."""
    release_pattern: str = ""
    """Regular expression (full match) of all releases that are taken; empty: ``releases`` alone."""
    taken: str = ""
    """The same in words, for the operator."""
    management_port: str = "mgmt0"
    """Name of the management port of the models in the catalogue."""
    not_in_names: Mapping[str, str] = field(default_factory=dict)
    """Character that the name of a switch must not have -> who says so, in words for the operator."""
    not_offered: Mapping[str, str] = field(default_factory=dict)
    """Models that run this OS and are not in the catalogue -> what no source says of them."""

    def takes(self, release: str) -> bool:
        """Is there a record of this release on some ASIC?"""
        return release in self.releases or bool(self.release_pattern and re.fullmatch(self.release_pattern, release))

    @property
    def taken_in_words(self) -> str:
        """What an operator may write as the release."""
        return self.taken or f"one of {', '.join(self.releases)}"
