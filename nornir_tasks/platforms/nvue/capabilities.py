"""What Cumulus Linux holds, by release and Spectrum generation, each figure with its source.

Short names of sources: docs513 to docs518 = CumulusNetworks/docs, content/cumulus-linux-513 to -518; schema =
nvueschema 0.1.0, models/v5_13.py to v5_18.py, generated from NVIDIA's OpenAPI documents.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from nornir_tasks.design.config.qos import WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS, Ecn, Watchdog
from nornir_tasks.design.model.capabilities import MARKS, NO_DROP, PAUSE, WEIGHT, Balancing, Capabilities, Knob, Train
from nornir_tasks.design.model.system_facts import (
    FABRIC_LIST,
    AccountFacts,
    AclFacts,
    BaseGap,
    GuardFacts,
    KeyFacts,
    PairFacts,
    StormFacts,
)
from nornir_tasks.design.model.xoff_threshold import Pool
from nornir_tasks.platforms.nvue.headroom import BY_ASIC as CABLES
from nornir_tasks.platforms.nvue.port_map import LAG, PEER_LINK

PROFILE = "default-global"
MAX_APPLY_S = 180
"""Longest we wait for an apply: RoCE's buffers reload switchd, a first BGP restarts FRR."""
"""RoCE is set up on this profile, which every port carries (docs514 RDMA-over-Converged-Ethernet-RoCE.md)."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words that differ between releases; 5.15 renamed most switches.

    Source: schema, v5_14 against v5_15; docs515 at 07d58d4b, New-and-Changed-NVUE-Commands.md, Changes to Syntax.
    """

    switch: str
    """Key that turns a feature on or off."""
    on: str
    off: str
    address: str
    """Key of an interface under which IPv4 addresses stand (NVUE command reference, Interface)."""
    lldp: str
    """Section in which ``lldp`` stands (docs516 Link-Layer-Discovery-Protocol.md; schema v5_14)."""
    ipv6: str
    """Key of an interface under which neighbour discovery stands (docs514, docs516 Neighbor-Discovery-ND.md)."""
    bfd_profiles: bool
    """BFD's intervals stand in a named profile, not at the neighbour (docs514, docs516: the BFD pages)."""
    gateway_up: str
    """Key below which a gateway is ``up``: until 5.14 ``state``, which is its switch since (tests/corpus/nvue)."""
    ntp: str
    """Section in which ``ntp`` and ``dns`` stand: until 5.14 for each VRF, since for the whole switch, where the domain
    name always is (tests/corpus/nvue)."""

    @property
    def vrf(self) -> tuple[str, ...]:
        """Where an interface says its VRF (schema: ``ip.vrf`` until 5.14, where addresses stand below ``ip``)."""
        return ("ip", "vrf") if self.address == "ip" else ("vrf",)


_GROUPS = (
    "docs514 Quality-of-Service/_index.md, Port Groups: settings with a profile override the global ones on its ports"
)
KNOBS = MappingProxyType(
    {
        PAUSE: Knob("port", "interface.<port>.qos.pfc.profile", _GROUPS),
        WEIGHT: Knob("port", "interface.<port>.qos.egress-scheduler.profile", _GROUPS),
        MARKS: Knob("port", "interface.<port>.qos.congestion-control.profile", _GROUPS),
        NO_DROP: Knob("switch", "qos.roce and its lossless pool", "docs514, same page: a single lossless pool"),
    }
)

_ACLS = AclFacts(
    # docs514 Access-Control-List-Configuration.md: ranges of ports and IPv6 are for what comes in; of what goes out on
    # a bond the page says two things, so lists for that are on routed ports alone, and on no bond
    places=frozenset(
        {"routed ipv4 in", "routed ipv4 out", "routed ipv6 in", "switched ipv4 in", "switched ipv6 in"},
    ),
    not_on_groups=frozenset({"ipv4 out"}),
    source="the guide's page on access control lists, with NVUE",
    has_ranges_out=False,
    # no page says how far numbers go; those of route maps end here
    max_sequence=65_535,
    denies_rest=False,  # the same page: there is no implicit deny
    # CumulusNetworks/docs, Netfilter-ACLs.md (document 3519830199), Match SVI and Bridged Interfaces in Rules: "all IP
    # packets in a bridge are matched, not just routed packets"
    svi_takes_bridged=True,
)

_ROCE_ECN = Ecn(min_bytes=150_000, max_bytes=1_500_000, probability_percent=100)


@dataclass(frozen=True, slots=True)
class RoceDefaults:
    """What ``qos roce mode lossless`` (and ``lossy``, without PFC) sets by itself: the base our overrides stand on.

    Source: docs514 RDMA-over-Converged-Ethernet-RoCE.md, default table and ``nv show qos roce``.
    """

    queue_of_priority: tuple[int, ...] = (0, 0, 0, 3, 0, 0, 6, 0)
    strict_queues: frozenset[int] = frozenset({6})
    weight_percent: int = 50
    """Of the two other queues, 0 and 3."""
    ecn_queues: frozenset[int] = frozenset({0, 3})
    ecn: Ecn = _ROCE_ECN
    lossless_priority: int = 3

    @staticmethod
    def priority_of_dscp(dscp: int) -> int:
        """DSCP 24 to 31 ride with priority 3, and so on."""
        return dscp // 8


@dataclass(frozen=True, slots=True)
class NvueCapabilities(Capabilities):
    """A record with the release's own words and RoCE's own defaults."""

    spelling: Spelling = Spelling(
        "enable",
        "on",
        "off",
        address="ip",
        lldp="service",
        ipv6="ip",
        bfd_profiles=False,
        gateway_up="state",
        ntp="service",
    )
    roce: RoceDefaults = RoceDefaults()


_SPECTRUM4 = NvueCapabilities(
    os="nvue",
    release="5.14",
    asic="spectrum4",
    loopback_name="lo",
    # schema: interface.*.link.mtu 552 to 9216
    max_mtu_bytes=9216,
    services=(),
    # qos roce has one lossless pool, and one lossless pool can exist at a time (docs514 Quality-of-Service/_index.md)
    max_lossless_classes=1,
    cnp_priority=None,
    lossless_memory_source="docs514 RDMA-over-Converged-Ethernet-RoCE.md, Change RoCE Configuration: traffic pools",
    queue_profile_name=PROFILE,
    knobs=KNOBS,
    ecn_auto=_ROCE_ECN,
    ecn_source="what `qos roce` sets: docs514 RDMA-over-Converged-Ethernet-RoCE.md, 150000/1500000 bytes, 100 %",
    # docs514, same page: 150000 bytes are programmed as 159744 (156 KB) on Spectrum-4, which is 13 x 64 cells of 192 B
    # (cell: sonic-buildimage platform/mellanox/asic_table.j2). Rounded like this, what is set is what is programmed.
    ecn_cell_bytes=64 * 192,
    # docs514 Quality-of-Service/_index.md: polls every 100 ms, mitigates after 3, ends after one poll without pause
    watchdog=Watchdog(WATCHDOG_RESTORE_MS, WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS),
    has_class_mtu=False,
    cables=CABLES["spectrum4"],
    # schema: system.forwarding.hash-seed 0 to 4294967295
    has_hash_seed=True,
    queue_pair_gap="fields of system.forwarding.ecmp-hash are addresses, ports, protocol and GTP's TEID (NVUE schema)",
    # docs514 Optional-BGP-Configuration.md: route-advertisement none is 0 and the default
    has_advertisement_interval=True,
    # schema: prefix-limits.inbound.reestablish-wait 1 to 65535 (minutes)
    has_prefix_restart=True,
    # docs514 Optional-BGP-Configuration.md: 128 on Spectrum-4
    max_ecmp_paths=128,
    # schema v5_14: bfd.min-rx-interval 50 to 60000. 5.16 takes 10; BFD runs on the CPU there too, so the floor stays.
    bfd_min_interval_ms=50,
    # docs514 Switch-Port-Attributes.md, "Configure a Breakout Port" and "Set the Number of Lanes per Split Port"; a
    # whole port's lanes the schema does not describe
    # docs514 VLAN-aware-Bridge-Mode.md: interface vlan10; schema: a VLAN of a bridge has no name
    svi_prefix="vlan",
    has_vlan_names=False,
    # docs514 Static-Routing.md and Optional-BGP-Configuration.md: routes, ports and BGP in VRFs
    has_vrfs=True,
    # docs514 VLAN-aware-Bridge-Mode.md, VLAN Layer 3 Addressing; Static-Routing.md: both families; no key turns IPv6 on
    has_ipv6=True,
    # docs516 Route-Filtering-and-Redistribution.md at 7ab50b0a (IPv6 lists, Match as-path-list); schema v5_13 to v5_18:
    # as-path-list, aggregate-route of both families, nexthop-setting of a peer group
    has_outside_bgp=True,
    guards=GuardFacts(
        # docs FIPS.md: password of a peer group and of a neighbour; schema: 1 to 254 characters, FRR takes 80
        md5=KeyFacts(r"[!-~]{1,80}", "the password itself, 1-80 printable characters without spaces"),
        ao_gap="the NVUE schema of 5.13 to 5.18 has no key for it",
        rpki_gap="the NVUE schema of 5.13 to 5.18 has no key for it",
    ),
    has_next_hops=True,
    # docs514 Virtual-Router-Redundancy-VRR.md at 2822532f5ea0: on SVIs, both families; both switches answer
    has_gateways=True,
    gateway_mac="svi",
    # docs514 Layer-1-and-Switch-Ports/DHCP/DHCP-Relays.md at 02ea0428fadf: "server groups do not support IPv6"
    dhcp_relay=frozenset({"ipv4"}),
    dhcp_relay_gap="of IPv6 a VRF has one list of servers for all its VLANs, whatever plane they are of",
    # docs514 VLAN-aware-Bridge-Mode.md; Interface-Configuration-and-Management/_index.md, Subinterfaces: not of VLAN 1
    has_tags=True,
    # docs514 Layer-2/Bonding-Link-Aggregation.md: NVUE knows the type of bonds that are called so, with any number;
    # the rate is the bond's, and so are MTU and VLANs
    lag_prefix=LAG,
    max_lag=65535,
    lacp_rate_on="group",
    min_links_gap="NVUE has no command for it (Bonding-Link-Aggregation.md, 5.14, bond-min-links)",
    # docs514 Multi-Chassis-Link-Aggregation-MLAG.md at 15835b8a01aa; ids 1 to 65535; schema: init-delay 1 to 900
    pair=PairFacts(
        settings=frozenset({"vlan", "mac_address", "priority"}),
        source="docs514 Multi-Chassis-Link-Aggregation-MLAG.md",
        peer_link=PEER_LINK,
        max_id=65535,
        max_reload_delay_s=900,
        # the page's table of conflicts: without a PVID of the peer link the secondary's MLAG bonds go into protodown;
        # 1 is the default of a bridge's port, and what the page's own peer link shows
        peer_link_native_vlan=1,
    ),
    # docs514 Bonding-Link-Aggregation.md, Custom Hashing: system.forwarding.lag-hash, once for all bonds
    lag_hash="line",
    # docs514 Spanning-Tree-and-Rapid-Spanning-Tree.md: RSTP is the default of a VLAN-aware bridge
    # docs514 User-Accounts.md: "hashed-password" takes what crypt makes, and the accounts that a switch comes with
    account_facts=AccountFacts(
        r"\$(?:1|2[aby]|5|6|y)\$[./0-9A-Za-z$=,]{20,120}",
        "a crypt hash, as 'openssl passwd -6' makes it",
        frozenset({"cumulus", "root"}),
        key_pattern=r"[!-~]{1,256}",
        key_words="the key itself, printable characters without spaces",
    ),
    base_gaps=(
        # tests/corpus/nvue/NOTES.md, Access to the control plane
        BaseGap(
            FABRIC_LIST,
            "a list of Cumulus Linux' control plane also meets eth0 and its own processes, and may not deny all "
            "(NVIDIA, Access Control List Configuration)",
        ),
        BaseGap("snmp", "Cumulus Linux takes passphrases in clear text alone, as names of its data, and shows none"),
    ),
    stp_mode="rstp",
    acls=_ACLS,
    storm_control=StormFacts(
        frozenset({"broadcast", "multicast", "unknown_unicast"}),
        1,
        16_771_376,
        "nvueschema 0.1.0; nvue-reference Interface.md: on physical ports",
        is_on_members=True,
    ),
    # docs514 Management-VRF.md: mgmt, which there always is
    management_vrf="mgmt",
    # nvue-reference Set-and-Unset-Commands/API.md: listening-address; a VRF has no key
    api_is_bound_to="address",
    has_breakout=True,
    has_breakout_lanes=True,
    has_commit_timer=True,
    # docs514 NVUE-CLI.md: `nv config apply --confirm`, 10 minutes by default, 60m in its example; no bounds published
    min_confirm_s=2,
    max_confirm_s=3600,
    max_apply_s=MAX_APPLY_S,
    release_pattern=r"5\.14(\.\d+)*",
    # docs514 Basic-BGP-Configuration.md, BGP Unnumbered, and Optional-BGP-Configuration.md, Advertise IPv4 Prefixes
    # with IPv6 Next Hops; schema v5_13 to v5_18, neighbor.type and capabilities.extended-nexthop
    unnumbered_with=(("nvue", r"5\.1[3-8]"),),
    # docs513 to docs518 Bidirectional-Forwarding-Detection-BFD.md: neighbor swp51, a session with an fe80:: address up.
    # BFD offload is off by default, and we never turn it on: 5.15 has none, 5.16 cannot hand such sessions to the
    # driver, 5.17 and 5.18 can (docs517 at 0e28e98b, docs518 at 2739a8df)
    has_link_local_bfd=True,
    # docs516, same page, also: supported as part of Spectrum-X, which is these switches with NVIDIA's NICs
    load_balancing=(
        Balancing(
            mode="per_packet",
            source="docs514, docs516 Equal-Cost-Multipath-Load-Sharing.md, Adaptive Routing: per packet, on Spectrum-4 "
            "at 400G and 200G, not on 800G links, on layer-3 physical ports of the default VRF",
            has_ports=True,
            speeds_gbps=(200, 400),
        ),
    ),
    spectrum_x="docs514 Equal-Cost-Multipath-Load-Sharing.md, Adaptive Routing: with NVIDIA's NICs, as Spectrum-X",
)

LOAD_BALANCING = MappingProxyType({"per_packet": "Cumulus Linux on Spectrum-4, links of 200G and 400G"})

_CELLS144 = replace(
    _SPECTRUM4,
    # docs514 RoCE page, swp16: 153.00 KB are programmed for 150000 bytes, which is 17 x 64 cells of 144 bytes
    ecn_cell_bytes=64 * 144,
    # docs514 Optional-BGP-Configuration.md: 64 is the default, and the limit before Spectrum-4
    max_ecmp_paths=64,
    # docs514 Equal-Cost-Multipath-Load-Sharing.md names Spectrum-4 alone
    load_balancing=(),
    spectrum_x="",
)


def _as_sonic(size_bytes: int, switch: str) -> Pool:
    """dynamic_th 0 in pg_profile_lookup.ini is alpha 1 (sonic-swss: 2 to the power of it)."""
    file = f"sonic-buildimage 086b03bd, {switch} buffers_defaults_t1.j2"
    return Pool(Fraction(1), size_bytes, f"SONiC has ({file})")


_BY_ASIC = {
    # docs514 RoCE page names Spectrum 1 among the ASICs that RoCE is set up on, each with a configuration of its own.
    # Cells of 96 bytes (sonic-buildimage platform/mellanox/asic_table.j2); 64 at once is concluded from the other ASICs
    "spectrum1": replace(
        _CELLS144,
        asic="spectrum1",
        ecn_cell_bytes=64 * 96,
        cables=CABLES["spectrum1"],
        published_pool=_as_sonic(3_302_912, "ACS-MSN2700"),
    ),
    "spectrum2": replace(
        _CELLS144, asic="spectrum2", cables=CABLES["spectrum2"], published_pool=_as_sonic(11_622_400, "ACS-MSN3700")
    ),
    "spectrum3": replace(
        _CELLS144, asic="spectrum3", cables=CABLES["spectrum3"], published_pool=_as_sonic(20_627_456, "ACS-MSN4700")
    ),
    "spectrum4": replace(_SPECTRUM4, published_pool=_as_sonic(52_161_690, "ACS-SN5600")),
}

_UNTIL_514 = _SPECTRUM4.spelling
_FROM_515 = Spelling(
    "state",
    "enabled",
    "disabled",
    address="ipv4",
    lldp="system",
    ipv6="ipv6",
    bfd_profiles=True,
    gateway_up="vrr-state",
    ntp="system",
)

_BY_RELEASE = {
    "5.13": _UNTIL_514,
    "5.14": _UNTIL_514,
    "5.15": _FROM_515,
    "5.16": _FROM_515,
    "5.17": _FROM_515,
    "5.18": _FROM_515,
}
"""Of the keys that we render 5.13 has what 5.14 has but groups of DHCP servers, and 5.16 to 5.18 have what 5.15 has,
types and ranges included."""

_NO_SERVER_GROUPS = MappingProxyType(
    {"5.13": "all VLANs of a VRF have one list of servers, and groups of them come with 5.14 (docs514 DHCP-Relays.md)"}
)
"""Releases whose relay cannot tell the servers of one plane from those of another."""

_GAPS_OF_RELEASE = MappingProxyType(
    {"5.13": (BaseGap("dns.domain", "it comes with 5.14 (New-and-Changed-NVUE-Commands; schema v5_13)"),)}
)
"""Of the releases that have no domain name."""

TRAINS = (
    Train(
        "5.13",
        "5.13",
        "schema v5_13: every key; docs513: BGP, BFD (cc5486ea), ports, QoS",
        assumed="what `qos roce` sets by itself, nor how it is shown; the manual of 5.14 stands in",
    ),
    Train(
        "5.14",
        "5.14",
        "schema v5_14: every key; docs514",
        "groups of DHCP servers: nothing is relayed before; `system.dns.domain`",
    ),
    Train(
        "5.15",
        "5.15",
        "schema v5_15: every key; docs515: RoCE (48a436d5), BFD (5810501f), changed commands (07d58d4b)",
        "`state: enabled` for `enable: on`; `ipv4`, `ipv6` and `vrf` of an interface for `ip`; `vrr-state` of a "
        "gateway for `state`; `system.lldp`, `system.ntp` and `system.dns` for those of "
        "`service`; BFD's times in a profile of `router.bfd`",
    ),
    Train("5.16", "5.16", "schema v5_16: every key; docs516"),
    Train("5.17", "5.17", "schema v5_17: every key; docs517: RoCE (429fe7bd), BFD (0e28e98b)"),
    Train(
        "5.18",
        "5.18",
        "schema v5_18: every key; docs518: RoCE (364b02c0), BFD (2739a8df), load sharing (0daf4cac), ports (296cbdcc)",
    ),
)

RELEASES = tuple(_BY_RELEASE)

TAKEN = f"{RELEASES[0]} to {RELEASES[-1]}, written as 5.14"

_ASSUMED = {train.name: train.assumed for train in TRAINS}


@cache
def capabilities(release: str, asic: str) -> NvueCapabilities:
    """The record for one release on one ASIC; KeyError says which of the two is unknown."""
    if release not in _BY_RELEASE:
        raise KeyError(f"Cumulus Linux release {release!r}: known are {TAKEN}")
    if asic not in _BY_ASIC:
        raise KeyError(f"Spectrum ASIC {asic!r}: known are {', '.join(_BY_ASIC)}")
    pattern = release.replace(".", r"\.") + r"(\.\d+)*"
    known = _BY_ASIC[asic]
    if gap := _NO_SERVER_GROUPS.get(release):
        known = replace(known, dhcp_relay=frozenset(), dhcp_relay_gap=gap)
    return replace(
        known,
        release=release,
        release_pattern=pattern,
        spelling=_BY_RELEASE[release],
        assumed=_ASSUMED[release],
        base_gaps=(*known.base_gaps, *_GAPS_OF_RELEASE.get(release, ())),
    )
