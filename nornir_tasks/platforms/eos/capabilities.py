"""What EOS holds, by release range and ASIC, each figure with its source.

Short names of sources: um-eos = Arista EOS user manual; pyavd = pyavd 6.4.0 (eos_cli_config_gen schema and templates);
batfish = batfish/batfish, grammar/arista/testconfigs; RoCE guide = "Arista_EOS_RoCEv2_Lossless_Config" for EOS 4.36,
which cites the Arista AI Network Fabric Deployment Guide.
"""

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from nornir_tasks.design.config.qos import WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS, Ecn, Watchdog
from nornir_tasks.design.model.capabilities import MARKS, NO_DROP, PAUSE, WEIGHT, Balancing, Capabilities, Knob, Train
from nornir_tasks.design.model.ecn_figures import EcnFigure
from nornir_tasks.design.model.system_facts import (
    AccountFacts,
    AclFacts,
    GuardFacts,
    KeyFacts,
    PairFacts,
    SnmpFacts,
    StormFacts,
)
from nornir_tasks.design.model.xoff_threshold import Pool
from nornir_tasks.platforms.eos.counters import MARK_COUNTERS
from nornir_tasks.platforms.eos.headroom import BY_ASIC as CABLES
from nornir_tasks.platforms.eos.port_map import INDIVIDUAL_AFTER_S, LAG, LOOPBACK

_AMD = "AMD Instinct cluster networking guide, Arista 7388 (QoS, lanes: EOS 4.33.0F and later)"

TRAINS = (
    Train(
        "4.32",
        "4.32.1F",
        "running configuration of s1-spine1, cEOSLab 4.32.1F (document 14626405793): ports, prefix lists, route maps, "
        "BGP",
        assumed="its QoS and lane lines; they are rendered as for 4.33, with which the guides begin",
    ),
    Train(
        "4.33",
        "4.33.1F",
        f"{_AMD}; running configuration of s1-spine2, cEOSLab 4.33.0F (document 21275431589): ports, prefix lists, "
        "route maps, BGP; published tool that splits cages, 4.33.1F (documents 12795098707, 12728191162)",
    ),
    Train(
        "4.34",
        "4.34.1F",
        f"{_AMD}; running configuration of Spine2, cEOSLab 4.34.1F (document 15240786743): ports, prefix lists, route "
        "maps, BGP",
    ),
    Train(
        "4.35",
        "4.35.0F",
        f"{_AMD}; running configuration of spine-1, cEOSLab 4.35.0F (document 38124908022): services, ports",
        assumed="its BGP, prefix lists and route maps; they are rendered as 4.34.1F and 4.36.0.1F print them",
    ),
    Train(
        "4.36",
        "4.36.0F",
        "RoCE guide for EOS 4.36: QoS; batfish/lab-validation dbe21f0, cEOSLab 4.36.0.1F: ports, prefix lists, route "
        "maps, BGP",
    ),
)
"""No line that we render is known to differ between them: pyavd 6.4.0 renders one syntax for all, and the answers about
commit timers are those of 4.32 and later (NAPALM 5.2.0 napalm/eos/eos.py)."""

RELEASES = tuple(train.release for train in TRAINS)
"""Named releases; any other one of the same trains is accepted as well."""

RELEASE_PATTERN = rf"((?P<train>{'|'.join(re.escape(train.name) for train in TRAINS)})\.\d+(?:\.\d+)?[FM])(?:-\S+)?"
"""A switch may report the build behind the release: 4.33.1F-39879738.4331F."""

TAKEN = f"{TRAINS[0].name} to {TRAINS[-1].name}, written as 4.33.1F"

NOT_OFFERED = MappingProxyType(
    {
        "7388X5": "its 128 ports of 400G are on linecards, and are called by linecard, cage and lane (Ethernet2/5/1: "
        "AMD Instinct cluster networking guide); which cages each linecard has, no source at hand lists",
    }
)
"""128 ports of 400G in one box; the others that reach this number do it with 64 cages of 800G in two parts."""

_ASSUMED = {train.name: train.assumed for train in TRAINS}

_FLOW_SETS = tuple((1 << (8 - size), 128 << size) for size in range(1, 8))
"""pyavd schema ip_hardware.fib.load_balance_distribution.dynamic.flow_set_size: 1 is 128 ECMP groups of 256 entries,
..., 7 is 2 groups of 16384."""

_ASSUMED_OF_ASIC = MappingProxyType(
    {
        "trident3x2": "on a Trident 3 X2: its queues, storm control and lists for outgoing packets; they are rendered "
        "as for Trident 3"
    }
)

_FLOWLET = Balancing(
    mode="flowlet",
    # That the table of flow sets is flowlet mode's: Juniper, "Configure Flowset Table Size in DLB Flowlet Mode", for
    # switches of the same ASICs. EOS' words for sending each packet for itself are in no public source.
    source="pyavd schema ip_hardware.fib.load_balance_distribution.dynamic; Arista TOI 'Dynamic Load Balancing', ECMP",
    has_ports=False,
    flow_sets=_FLOW_SETS,
)

_SEED_GAP = (
    'the EOS manual (IPv4, "ip load-sharing") has seeds for trident (0 to 5) and arad (0 to 2) and none for this ASIC; '
    "adjacent tiers may hash alike"
)
_GUARANTEE_GAP = (
    "the EOS manual lists guaranteed bandwidth for Trident II alone (by Arista_EOS_RoCEv2_Lossless_Config, section 8); "
    "whether the watchdog looks at a queue without it is not known for this ASIC"
)

LOAD_BALANCING = MappingProxyType({"flowlet": "EOS on Tomahawk 4 and 5"})

_PROFILES = "pyavd schema qos_profiles[] and ethernet_interfaces[].service_profile: a profile on each port"
_KNOBS = MappingProxyType(
    {
        PAUSE: Knob("port", "qos profile / priority-flow-control priority", _PROFILES),
        WEIGHT: Knob("port", "qos profile / tx-queue / bandwidth percent", _PROFILES),
        MARKS: Knob("port", "qos profile / tx-queue / random-detect ecn", _PROFILES),
        # a priority is lossless where "no-drop" stands: a line of the profile, so ports may differ in it
        NO_DROP: Knob("port", "qos profile / priority-flow-control priority no-drop", _PROFILES),
    }
)

_ACLS = AclFacts(
    # pyavd 6.4.0 renders both directions of both families on routed ports and SVIs (eos__vlan_interfaces); on switched
    # ports what comes in (aristanetworks/avd molecule, port-channel-interfaces.cfg)
    places=frozenset(
        {
            "routed ipv4 in",
            "routed ipv4 out",
            "routed ipv6 in",
            "routed ipv6 out",
            "switched ipv4 in",
            "switched ipv6 in",
        }
    ),
    source="pyavd 6.4.0 and the EOS user manual, ACLs and Route Maps",
    # the manual, Enabling Egress Counters Globally: 7050 and 7060 always count; IPv6 counts in shared mode alone
    services=(("any", "acl-update-permits"), ("ipv6 out", "acl-sharing-ipv6-out")),
)

_TOMAHAWK4 = Capabilities(
    os="eos",
    release="",
    asic="tomahawk4",
    loopback_name=LOOPBACK,
    # The RoCE guide and the AMD Instinct cluster networking guide (Arista 7388) set 9214 on routed ports.
    max_mtu_bytes=9214,
    services=("ip-routing", "multi-agent"),
    # Intel Gaudi "Arista Switch Configuration Example": a 7060DX4 (Tomahawk 4) runs four no-drop priorities.
    max_lossless_classes=4,
    cnp_priority=None,
    queue_profile_name="GPUFABRIC-ROCE",
    knobs=_KNOBS,
    ecn_auto=Ecn(min_bytes=256_000, max_bytes=512_000, probability_percent=100),
    ecn_source="RoCE guide for EOS 4.36, section 2 (leaf with uc-tx-queue): 256/512 kbytes, 100 %",
    # pyavd schema, qos_profiles[].uc_tx_queues[].random_detect.ecn.threshold.units: bytes among others
    ecn_cell_bytes=1,
    # RoCE guide section 8: 0.01 to 60 s, polling 0.005 to 30 s and at most half of the smaller of the two others
    watchdog=Watchdog(WATCHDOG_RESTORE_MS // 2, WATCHDOG_DETECT_MS, WATCHDOG_RESTORE_MS),
    has_class_mtu=False,
    cables=CABLES["tomahawk4"],
    # um-eos IPv4, "ip load-sharing": trident takes seeds 0 to 5, 0 is the default; it names no later ASIC
    has_hash_seed=False,
    max_hash_seed=5,
    seed_gap=_SEED_GAP,
    queue_pair_gap="no source shows a line of this ASIC; `load-balance sand profile` is Jericho's (AVD schema)",
    has_guaranteed_bandwidth=False,
    guarantee_gap=_GUARANTEE_GAP,
    # pyavd 6.4.0 eos__qos_profiles, random_detect.ecn.count; in the profile from 4.31 on (document 53751525163)
    counts_marks_by=(),
    # OTUS-DC-NET-Design-Labs, running configurations of S1 and L1: "neighbor UNDERLAY out-delay 0"
    has_advertisement_interval=True,
    # arista.eos (ansible 12.3.0) bgp_global: "neighbor X idle-restart-timer N" (seconds); no connect retry timer exists
    has_prefix_restart=True,
    has_connect_retry=False,
    # aristanetworks/avd at 3cac535c1697, platform_settings: all switches of the catalogue have both
    has_update_waits=True,
    # batfish arista_bgp_show_run_all_3, vEOS 4.23.0.1F: "maximum-paths 1 ecmp 128" is what stands without the line
    max_ecmp_paths=128,
    # pyavd renders 300 ms with multiplier 3 as EOS's own default; what an ASIC takes below is not sourced
    bfd_min_interval_ms=300,
    # pyavd schema, ethernet_interfaces[].speed: 200g-4, 400g-8; AMD Instinct cluster networking guide
    has_lanes=True,
    # um-eos, Layer 3 MTU; "Arista EOS MTU Behavior (1)": routed packets only, "no action on switched traffic"
    access_mtu="none",
    has_commit_timer=True,
    # pyavd 6.4.0 eos__system: ip access-group NAME vrf V in, below system control-plane
    control_list_is_of_vrf=True,
    # aristanetworks/avd molecule eos_cli_config_gen, system.cfg @3cac535: ip and ipv6 access-group NAME in
    base_gaps=(),
    # aristanetworks/avd renders "neighbor interface"; no published line shows GTSM on it, and it takes no route map
    unnumbered_gap="no source shows TTL security on an interface neighbour, which takes no route map of its own either",
    # pyavd 6.4.0 renders VRFs with BGP in them; that they need no route distinguisher unless routes leave their VRF:
    # its molecule router-bgp-vrf-address-families
    has_vrfs=True,
    # pyavd 6.4.0 renders IPv6 on ports, SVIs and loopbacks, and routes of both families to next hops; vEOS-lab 4.29.2F
    # prints "ipv6 unicast-routing" for each VRF by itself
    has_ipv6=True,
    ipv6_service="ipv6-routing",
    has_next_hops=True,
    # pyavd 6.4.0 eos__as_path, eos__ipv6_prefix_lists, eos__router_bgp (aggregate_addresses, address_family_ipv6,
    # next_hop_self), eos__static_routes (interface and next_hop)
    has_outside_bgp=True,
    # tests/recorded/eos_show/aggregates.txt, vEOS 4.23.0.1F in the ribd model; of multi-agent, which is configured,
    # no capture was found: where it announces aggregates whatever routes there are, the distance changes nothing
    aggregate_distance=200,
    # passwords.py: the switch has a text of its own for each peer group; EOS is Linux, whose longest password is 80
    guards=GuardFacts(
        md5=KeyFacts(r"[!-~]{1,80}", "the password itself, 1-80 printable characters without spaces"),
        # tests/corpus/eos/NOTES.md, RPKI
        has_rpki=True,
    ),
    # pyavd 6.4.0 eos__vlan_interfaces, eos__ip_virtual_router_mac_address: both switches answer, one MAC for all
    has_gateways=True,
    gateway_mac="switch",
    # pyavd 6.4.0 eos__vlan_interfaces renders both; aristanetworks/avd molecule, vlan-interfaces.cfg
    dhcp_relay=frozenset({"ipv4", "ipv6"}),
    # pyavd 6.4.0 renders trunks and subinterfaces (eos__ethernet_interfaces)
    has_tags=True,
    # pyavd 6.4.0 schema: port_channel_interfaces[].name and ethernet_interfaces[].channel_group.id, min_links 0 to 120
    lag_prefix=LAG,
    # on which of both a profile binds, no text of Arista's says. pyavd 6.4.0 has it on the group (eos__port_channel_
    # interfaces; of a port with members' profiles its eos_designs has it on these in fallback alone): it stands on both
    lag_profile_on="each",
    max_lag=2000,
    max_min_links=120,
    individual_after_s=INDIVIDUAL_AFTER_S,
    # tests/corpus/eos/NOTES.md: a port in fallback uses its own switchport lines
    lag_repeated="individual",
    # pyavd 6.4.0 schema: mlag_configuration, port_channel_interfaces[].mlag
    pair=PairFacts(
        settings=frozenset({"name", "vlan", "peer_address", "routed_reload_delay_s", "detection_delay_s"}),
        source="pyavd 6.4.0 eos__mlag_configuration",
        # aristanetworks/avd, MLAG leaves: one subnet for all pairs, since nothing announces it
        peer_subnet="169.254.0.0/31",
        max_id=2000,
        max_reload_delay_s=86_400,
    ),
    # printed by a 7060CX2-32S, a Tomahawk, with 4.23.0F (document 10163507757): one word for Trident and Tomahawk, as
    # in "ip load-sharing"
    lag_hash="line",
    # pyavd 6.4.0 eos__spanning_tree: the mode of a switch as delivered, and the priority of its one instance
    # AVD, local_users: "sha512_password"; running configurations have "secret sha512 $6$..." (tests/corpus/eos)
    account_facts=AccountFacts(
        r"\$6\$(?:rounds=\d+\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{86}",
        "SHA-512, $6$..., as 'openssl passwd -6' makes it",
        key_pattern=r"(?:0[0-9]|1[0-5])(?:[0-9A-Fa-f]{2})+",
        key_words="type 7, as 'show running-config' prints it: hexadecimal digits",
    ),
    # aristanetworks/avd molecule, snmp.cfg: 40 digits of SHA, of which AES-128 has 32; RFC 7860: 64 of SHA-256.
    # RFC 3411, SnmpEngineID: the number of the enterprise (IANA: 30065 is Arista's), with the first bit set
    snmp=SnmpFacts(
        KeyFacts(r"[0-9a-f]{40}", "40 hexadecimal digits in small letters"),
        KeyFacts(r"[0-9a-f]{64}", "64 hexadecimal digits in small letters"),
        KeyFacts(r"[0-9a-f]{32}", "32 hexadecimal digits in small letters"),
        engine_prefix="80007571",
    ),
    stp_mode="mst",
    # pyavd 6.4.0 schema, errdisable.recovery.causes
    edge_recovery="guard-recovery",
    acls=_ACLS,
    storm_control=StormFacts(
        frozenset({"broadcast", "multicast", "unknown_unicast"}),
        1,
        4_294_967_295,
        "pyavd 6.4.0 eos__port_channel_interfaces; which ASICs count packets, and how many at most, it does not say",
    ),
    min_confirm_s=2,
    # "commit timer HH:MM:SS" (NAPALM 5.2.0 napalm/eos/eos.py, commit_config)
    max_confirm_s=86_399,
    max_apply_s=30,
    load_balancing=(_FLOWLET,),
)

_AS_SONIC = "SONiC has (sonic-buildimage 086b03bd, {} buffers_defaults_t1.j2)"
"""dynamic_th 0 in pg_profile_lookup.ini is alpha 1 (sonic-swss: 2 to the power of it)."""

_BY_ASIC = {
    "tomahawk4": _TOMAHAWK4,
    "tomahawk5": replace(
        _TOMAHAWK4,
        asic="tomahawk5",
        cables=CABLES["tomahawk5"],
        max_lossless_classes=1,
        ecn_auto=Ecn(min_bytes=131_072, max_bytes=262_144, probability_percent=5),
        published_pool=Pool(Fraction(1), 121_964_196, _AS_SONIC.format("7060X6-64PE-256x200G/BALANCED")),
        # tests/corpus/ecn: for ports of 200G and 800G SONiC has but the figures that it has for every switch
        ecn_source="sonic-buildimage, device/arista, 7060X6-64PE-B-O128 qos.json.j2: 400G, 131072/262144 bytes, 5 %",
        ecn_gbps=400,
        ecn_others=(
            EcnFigure(
                Ecn(min_bytes=166_912, max_bytes=282_624, probability_percent=5),
                "sonic-buildimage, device/arista, 7060X6-64PE-B-C512S2 qos.json.j2: 100G, 166912/282624 bytes, 5 %",
                100,
            ),
        ),
    ),
    "jericho2": replace(
        _TOMAHAWK4,
        asic="jericho2",
        cables=CABLES["jericho2"],
        queue_pair_gap="`load-balance sand profile` hashes bytes of UDP's payload from 4.33.1F (AVD schema), and no "
        "source shows at which of them the queue pair is",
        # it hashes by profiles of "load-balance policies" (pyavd 6.4.0 eos__platform); what one does without, no source
        lag_hash="unknown",
        max_lossless_classes=1,
        ecn_auto=Ecn(min_bytes=512_000, max_bytes=768_000, probability_percent=100),
        ecn_source="RoCE guide for EOS 4.36, section 3 (spine with tx-queue): 512/768 kbytes, 100 %",
        # documents 53596479648 and 53751525163: on Jericho the counter's feature besides, once for the switch
        counts_marks_by=(MARK_COUNTERS,),
        # um-eos IPv4, "ip load-sharing": arad takes seeds 0 to 2
        max_hash_seed=2,
        # no source has dynamic load balancing on it: it hashes by profiles of "load-balance policies" (pyavd)
        load_balancing=(),
        acls=replace(
            _ACLS,
            services=(
                *_ACLS.services,
                # the manual, Enabling Egress Counters Globally: needed on all but 7050 and 7060
                ("ipv4 out", "acl-counters-ipv4-out"),
                ("ipv6 out", "acl-counters-ipv6-out"),
            ),
        ),
    ),
    "trident3": replace(
        _TOMAHAWK4,
        asic="trident3",
        cables=CABLES["trident3"],
        # SONiC has headroom for a 7050CX3 (sonic-net/sonic-buildimage at 3147b02a, Arista-7050CX3-32S-C28S4/BALANCED,
        # pg_profile_lookup.ini), pyavd for EOS on Trident (platform_trident.mmu); of how many classes neither says
        max_lossless_classes=1,
        ecn_auto=Ecn(min_bytes=250_000, max_bytes=2_097_152, probability_percent=5),
        published_pool=Pool(Fraction(1), 32_712_448, _AS_SONIC.format("7050CX3-32S-C28S4/BALANCED")),
        ecn_source="sonic-buildimage, device/arista, 7050SX3-48C8 qos.json.j2: 250000/2097152 bytes, 5 %",
        # no source has dynamic load balancing of EOS on it
        load_balancing=(),
    ),
    "trident3x2": replace(
        _TOMAHAWK4,
        asic="trident3x2",
        cables=CABLES["trident3x2"],
        # pyavd 6.4.0 eos_designs, platform_settings of 7010TX: per_interface_mtu false ("all settings regarding
        # interface MTU will be ignored"); 1500 is what a port has without a line
        has_port_mtu=False,
        max_mtu_bytes=1500,
        # no source has headroom, PFC or thresholds of it
        max_lossless_classes=0,
        ecn_auto=None,
        ecn_source="no source says how its queues mark",
        # ANTA counts the series to Trident, as the manual's "ip load-sharing trident" and "port-channel load-balance
        # trident" do; no source has dynamic load balancing of EOS on it
        load_balancing=(),
    ),
}


@cache
def capabilities(release: str, asic: str) -> Capabilities:
    """The record for one release on one ASIC; KeyError says which of the two is unknown."""
    found = re.fullmatch(RELEASE_PATTERN, release)
    if found is None:
        raise KeyError(f"EOS release {release!r}: known are {TAKEN}")
    if asic not in _BY_ASIC:
        raise KeyError(f"EOS ASIC {asic!r}: known are {', '.join(sorted(_BY_ASIC))}")
    pattern = re.escape(found[1]) + r"(-.*)?"
    assumed = "; ".join(filter(None, (_ASSUMED[found["train"]], _ASSUMED_OF_ASIC.get(asic))))
    return replace(_BY_ASIC[asic], release=found[1], release_pattern=pattern, assumed=assumed)
