"""What NX-OS on Nexus 9000 Cloud Scale switches (GX2, FX3, FX) will hold, each figure with its source.

Short names of sources: "QoS 10.5" = Cisco Nexus 9000 NX-OS QoS Configuration Guide, Release 10.5(x);
"roce_enable" = P. Gupta's roce_enable.py v0.22 (a Cisco author's published script);
"DME 10.5(3)" = CiscoDevNet/terraform-provider-nxos, gen/definitions;
"YANG 10.4(4)" = ironcore-dev/network-operator, genyang, generated from Cisco-NX-OS-device.yang 10.4(4);
"Replace" = Cisco Nexus 9000 NX-OS System Management Configuration Guide, "Performing Configuration Replace".
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from nornir_tasks.design.config.qos import Ecn, Watchdog
from nornir_tasks.design.model.capabilities import MARKS, NO_DROP, PAUSE, WEIGHT, Balancing, Capabilities, Knob, Train
from nornir_tasks.design.model.ecn_figures import EcnFigure
from nornir_tasks.design.model.system_facts import (
    FABRIC_LIST,
    AccountFacts,
    AclFacts,
    BaseGap,
    GuardFacts,
    KeyFacts,
    PairFacts,
    SnmpFacts,
    StormFacts,
)
from nornir_tasks.platforms.nxos.headroom import CLOUD_SCALE
from nornir_tasks.platforms.nxos.port_map import LAG

OS = "nxos"
TRAINS = (
    Train(
        "10.3",
        "10.3(x)",
        "93180YC-EX laboratory notes, 10.3(8) (documents 69641041041, 69821410455): QoS; running configurations of "
        "leaves and spines, 9000v 10.3(5) (document 35231010182): ports, VLANs, VRFs, BFD, BGP",
        assumed="its QoS on Cloud Scale GX2 (what is published is of an EX); it is rendered as for 10.4",
    ),
    Train(
        "10.4",
        "10.4(x)",
        "YANG 10.4(4); published RoCE bring-up on an N9K-C9332D-GX2B, 10.4(3): QoS; running configuration of a 9000v "
        "leaf, 10.4(2) (document 24938272817): services, ports, BGP",
    ),
    Train(
        "10.5",
        "10.5(x)",
        "QoS 10.5; DME 10.5(3): BGP, prefix lists, ports",
        "dynamic load balancing (`hardware profile dlb`), from 10.5(1)",
    ),
    Train(
        "10.6",
        "10.6(x)",
        "Cisco Nexus 9000 Interfaces Configuration Guide 10.6(x): ports, splits; QoS guide 10.6: load balancing; "
        "beginning of a 9364D's startup configuration, 10.6(1) (document 58467294686)",
        assumed="its queuing, network-qos and BGP lines; they are rendered as for 10.5",
    ),
)

RELEASES = tuple(train.release for train in TRAINS)
"""Release trains we have a record for; the operator may also write one release of a train, ``10.4(3)``."""
MAX_APPLY_S = 300
"""Longest we wait for a replace, which runs every command of its patch before it answers."""
# Cisco Nexus 9000 NX-OS Security Configuration Guide 10.3(x), Configuring Traffic Storm Control: 0 to 200000000, below
# 5 not supported; FX3, GX and GX2 count packets from 10.3(2)F on
_STORM_CONTROL = StormFacts(
    frozenset({"broadcast", "multicast"}), 5, 200_000_000, "Security Configuration Guide 10.3(x)"
)
_BEFORE_PACKETS = "10.3"
_NO_PACKETS_ON_FX = "the Security Configuration Guide 10.3(x) has limits in packets from FX3 on"
_NO_PACKETS = "these switches count packets from 10.3(2)F on, and not every 10.3 is that"
_ALL_UNICAST = "no source says that its limit for unicast leaves unicast to known MAC addresses alone"
ASICS = ("cloudscale-gx2", "cloudscale-fx3", "cloudscale-fx")
"""N9K-C9332D-GX2B and N9K-C9364D-GX2A; N9K-C93180YC-FX3; N9K-C9348GC-FXP. The QoS guide has one syntax and one set of
queues for all."""

_OLDER = "cloudscale-fx"
"""The one before FX3: what came with FX3 it has not."""

PROFILE = "GPUFABRIC-CLASSIFY"
"""Name of the classification policy of links between switches; its queuing policy is that of ``system qos``."""

LOSSY_QUEUES = 8
"""The 8-queue model: classes c-8q-nq<n> and c-out-8q-q<n> (roce_enable)."""

WATCHDOG = Watchdog(poll_ms=100, detect_ms=100, restore_ms=1000)
"""NX-OS holds only on and off. Poll 100 ms, shutdown multiplier 1, auto-restore multiplier 10 are the model's defaults
(YANG 10.4(4), pltfm-items/priorflowctrlwd-items: interval 100, shutdownMultiplier 1, autoRestoreMultiplier 10)."""

WATCHDOG_GAP = (
    "on and off alone are set: no public source spells the commands of NX-OS' interval and multipliers, so its own are "
    "in force (YANG 10.4(4), priorflowctrlwd-items)"
)

_BASE_GAPS = (
    # tests/corpus/nxos/NOTES.md, Base: access to the control plane
    BaseGap(
        FABRIC_LIST,
        "NX-OS has no list of its whole control plane: its policies limit rates, and access-class of line vty is of "
        "SSH and Telnet alone",
    ),
    # tests/corpus/nxos: clock timezone PRM 5 0
    BaseGap("timezone", "NX-OS has fixed offsets (clock timezone CET 1 0) in place of zones", besides="UTC"),
)

_ACLS = AclFacts(
    # cisco.nxos 11.1.0 nxos_acl_interfaces: routed ports both ways; on switched ports "ip port access-group" and
    # "ipv6 port traffic-filter", in only (published notes on Nexus access lists). Port channels take lists as ports do:
    # Cisco Nexus 9000 Security Configuration Guide 6.x, Configuring IP ACLs, "Security ACL Applications"
    places=frozenset({"routed ipv4 in", "routed ipv4 out", "routed ipv6 in", "routed ipv6 out"})
    | {"switched ipv4 in", "switched ipv6 in"},
    source="cisco.nxos nxos_acl_interfaces and nxos_acls",
)

_GUARDS = GuardFacts(
    # cisco.nxos 11.1.0 nxos_bgp_templates, password: types 0, 3 and 7; what was entered with type 7 is printed so
    # (nxos_bgp_global, after state). The switch has a text of type 7 for it: passwords.py
    md5=KeyFacts(r"[!-~]{1,80}", "the password itself, 1-80 printable characters without spaces"),
    ao_gap="no public source has NX-OS' lines for it (its data model of key chains has no identifiers to send)",
    rpki_gap="no public source has NX-OS' lines for validators",
)

# 400G start values of four public scripts of one Cisco author: 950 kbytes, 3000 kbytes, 7 % (roce_enable).
_OF_400G = EcnFigure(Ecn(950_000, 3_000_000, 7), "Cisco author's roce_enable.py v0.22, 400G: 950/3000 kbytes, 7 %", 400)
_OF_100G = EcnFigure(
    Ecn(150_000, 3_000_000, 7),
    "published RoCE guide of Nexus 9000 (document 55276055599), 100G: 150/3000 kbytes, 7 %",
    100,
)
_ECN_AUTO: Mapping[str, tuple[EcnFigure, ...]] = MappingProxyType(
    {
        "cloudscale-gx2": (_OF_400G, _OF_100G),
        # no source has thresholds of it, nor how many classes it never drops
        "cloudscale-fx": (),
        "cloudscale-fx3": (_OF_100G,),
    }
)
"""The first is that of the system's own policy, and of links between switches where they have such ports."""

_DLB = (
    "from NX-OS 10.5(1)F on 9300-FX3, GX, GX2 and H switches: Cisco Unicast Routing Configuration Guide 10.5(x), "
    "Configure Dynamic Load Balancing, as told in AI for Network Engineers, chapter 12"
)
_BALANCING = (Balancing("flowlet", _DLB, has_ports=True), Balancing("per_packet", _DLB, has_ports=True))

LOAD_BALANCING = MappingProxyType(
    dict.fromkeys(("flowlet", "per_packet"), "NX-OS from 10.5(1) on Cloud Scale GX2 and FX3")
)

_QUEUING = (
    '"The system-defined type queuing policy maps are attached to each interface unless you specifically attach a '
    'different policy map": Nexus 9000 QoS Configuration Guide, "Attaching and Detaching a QoS Policy Action"'
)
KNOBS = MappingProxyType(
    {
        # On GX switches "buffers are allocated for no-drop operation when PFC operation mode turns on" (QoS 10.5,
        # Configuring Priority Flow Control): a port without PFC has none, and drops.
        PAUSE: Knob("port", "priority-flow-control mode", "QoS 10.5, Configuring Priority Flow Control"),
        WEIGHT: Knob("port", "service-policy type queuing output", _QUEUING),
        MARKS: Knob("port", "service-policy type queuing output", _QUEUING),
        NO_DROP: Knob("switch", "system qos / service-policy type network-qos", "QoS 10.5: one for the whole switch"),
    }
)

_FEC_GAP = (
    "the help of NX-OS has rs-fec for CL91 (100G) and Consortium 1.5 (25G, 50G); no source has a word for RS(544), "
    "which lanes of 50G use: speed and medium decide, and a link that is up has the same at both ends"
)

_BY_NAME = {train.name: train for train in TRAINS}

_ASSUMED_OF_ASIC = MappingProxyType(
    {
        "cloudscale-fx": "on a Cloud Scale FX: its QoS; it is rendered as for FX3, and published notes of an EX, which "
        "is older, have the same lines"
    }
)

_LOAD_BALANCING = {"10.5": _BALANCING, "10.6": _BALANCING}
"""The trains that have it (its own source above; the QoS guide 10.6 has the same modes)."""

RELEASE_PATTERN = rf"({'|'.join(map(re.escape, _BY_NAME))})\((x|\d+[a-z]?)\)([FM]?)"

TAKEN = f"any of {TRAINS[0].name} to {TRAINS[-1].name}, written as 10.5(3), or a whole train, 10.5(x)"

NOT_OFFERED = MappingProxyType(
    {
        "N9364E-SG2-O": "it has a Silicon One G200; no source names its queuing and network-qos classes, the "
        "number of no-drop classes, ECN thresholds or the watchdog",
    }
)
"""Its data sheet has ASIC and ports; of its QoS the guide names policy-driven load balancing alone."""


def capabilities(release: str, asic: str) -> Capabilities:
    """The record for one release (``10.4(3)``, or a train ``10.4(x)``) on one ASIC. KeyError names what is unknown."""
    train, reported = _train_of(release)
    if asic not in _ECN_AUTO:
        raise KeyError(f"ASIC {asic}; known: {', '.join(ASICS)}")
    main = next(iter(_ECN_AUTO[asic]), None)
    storm_gap = _storm_gap(train, asic)
    return Capabilities(
        os=OS,
        release=release,
        asic=asic,
        release_pattern=reported,
        loopback_name="loopback0",
        # Interface MTU 9216 on routed ports and in network-qos classes (roce_enable; DME 10.5(3): 576-9216).
        max_mtu_bytes=9216,
        # ``feature lldp`` is rendered from the section lldp, the features of day 0 (nxapi, scp-server) never.
        services=("bfd", "bgp"),
        # Cloud Scale takes three no-drop classes [from practice]; one is what we vouch for (QoS 10.5 examples).
        max_lossless_classes=0 if asic == _OLDER else 1,
        # A single strict-priority queue must be the highest qos-group (QoS 10.5, "Configuring Queuing and Scheduling").
        cnp_priority=7,
        queue_profile_name=PROFILE,
        knobs=KNOBS,
        ecn_auto=main.ecn if main else None,
        ecn_source=main.source if main else "no source says how its queues mark",
        ecn_gbps=main.gbps if main else None,
        ecn_others=_ECN_AUTO[asic][1:],
        # Thresholds are given in kbytes (roce_enable); other units exist (DME 10.5(3)) but stand in no public policy.
        ecn_cell_bytes=1000,
        watchdog=WATCHDOG,
        watchdog_gap=WATCHDOG_GAP,
        has_class_mtu=True,
        cables=CLOUD_SCALE,
        has_hash_seed=True,
        queue_pair_gap="`ip load-sharing address` takes addresses, ports, GRE and a seed (NX-API DME guide 9.3x, ECMP)",
        # ``advertisement-interval`` exists (cisco.nxos bgp_templates); that 0 is in its range no public source says.
        has_advertisement_interval=False,
        # maximum-prefix ... restart 1-65535 minutes (DME 10.5(3)).
        has_prefix_restart=True,
        # maxEcmp 1-128 in DME 10.5(3) bgpDomAf, uint8 in YANG 10.4(4).
        max_ecmp_paths=128,
        # ``bfd interval`` 50-999 ms (Cisco Nexus 9000 Interfaces Configuration Guide, "Configuring BFD").
        bfd_min_interval_ms=50,
        # N9508 "fec ?" (CSCvy03375): "rs-fec  CL91(100G) or Consortium 1.5 (25/50G)"; 400G ports show kp-fec in use.
        fec_below_lane_gbps=50,
        fec_gap=_FEC_GAP,
        # "interface breakout module 1 port <n> map <speed>-<ways>x" (Interfaces Configuration Guide 10.6(x), Overview);
        # lanes follow from speed and map.
        has_breakout=True,
        # "MTU on L2 interfaces can only be set to default or system-jumboMTU" (typed on a Nexus 7000); 9216 unless set.
        access_mtu="jumbo",
        svi_service="interface-vlan",
        # cisco.nxos 11.1.0 nxos_vrf_global, nxos_vrf_interfaces, nxos_bgp_global
        has_vrfs=True,
        # cisco.nxos 11.1.0 nxos_l3_interfaces and nxos_static_routes: both families, and no line that turns IPv6 on
        has_ipv6=True,
        has_next_hops=True,
        # tests/corpus/nxos/NOTES.md, Edge routers: every line of it has a source
        has_outside_bgp=True,
        guards=_GUARDS,
        # batfish nxos_interface_hsrp and nxos_interface_hsrp_ipv6; groups 0 to 4095: terraform-provider-nxos hsrp.yaml
        has_gateways=True,
        has_gateway_roles=True,
        # annotated running configuration of a Nexus 9000, 9.3(12) (document 21140968265)
        edge_recovery="errdisable recovery cause bpduguard",
        gateway_service="hsrp",
        # cisco.nxos 11.1.0 nxos_l3_interfaces: both families, at an SVI; what else stands there then: the running
        # configuration of an N9Kv, 10.3(2) (document 41771481990)
        dhcp_relay=frozenset({"ipv4", "ipv6"}),
        dhcp_relay_services=("dhcp", "service dhcp", "ip dhcp relay", "ipv6 dhcp relay"),
        # cisco.nxos 11.1.0 nxos_l2_interfaces, nxos_l3_interfaces (dot1q); 3968 and up are the switch's own (batfish)
        has_tags=True,
        # tests/corpus/nxos/NOTES.md, LAG: the channel and every member print VLANs, MTU and PFC; min-links is 1 to 32
        lag_prefix=LAG,
        max_lag=4096,
        lag_service="lacp",
        lag_repeated="always",
        lag_profile_on="both",
        max_min_links=32,
        default_min_links=1,
        # terraform-provider-nxos, vpc.yaml: domains 1 to 1000, vPCs 1 to 16384, delay restore 1 to 3600 s
        pair=PairFacts(
            settings=frozenset({"keepalive_source", "number", "priority", "gateway_delay_s"}),
            source="Cisco Nexus 9000 Interfaces Configuration Guide 10.6(x), vPCs",
            max_id=16384,
            max_number=1000,
            max_reload_delay_s=3600,
            peer_link_mtu_bytes=9216,
            service="vpc",
            # from 3968 on VLANs are the switch's own (batfish nxos_vlan_invalid)
            peer_vlan=3967,
            # tests/corpus/nxos/NOTES.md, pairs: a length of 30 between members; nothing announces it
            peer_subnet="169.254.0.0/30",
        ),
        # tests/corpus/nxos/NOTES.md: source and destination addresses and ports, unless a line says otherwise
        lag_hash="default",
        # the same: the mode without a line; batfish nxos_spanning_tree has mst beside it
        # running configurations of 9.3 have "password 5 $5$..." (tests/corpus/nxos); cisco.nxos 11.1.0
        # nxos_user: "the `admin` user which cannot be deleted per nxos constraints"
        account_facts=AccountFacts(
            r"\$5\$[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{43}",
            "SHA-256, $5$..., as 'openssl passwd -5' makes it",
            frozenset({"admin"}),
            key_pattern=r'[^\s"]{1,128}',
            key_words="type 7, as 'show running-config' prints it between quotes",
            hidden_radius_timeout_s=5,
        ),
        # published session on a Nexus (document 20869746192): "auth sha 0x..." and "priv aes-128 0x...", of 40;
        # 36 digits after "localizedV2key" of a key of 32 (document 42479296916)
        snmp=SnmpFacts(
            KeyFacts(r"0x[0-9a-f]{40}", "0x and 40 hexadecimal digits in small letters"),
            KeyFacts(r"0x[0-9a-f]{64}", "0x and 64 hexadecimal digits in small letters"),
            KeyFacts(
                r"0x(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})",
                "0x and 32, 40 or 64 hexadecimal digits in small letters",
            ),
            KeyFacts(r"(?:[0-9A-F]{2}){18,40}", "36-80 hexadecimal digits in capital letters"),
            is_in_one_vrf=False,
        ),
        stp_mode="rapid-pvst",
        # napalm 5.2.0 test/nxos/nxos/new_good.conf: the VRF of mgmt0, which there always is
        management_vrf="management",
        base_gaps=_BASE_GAPS,
        # tests/corpus/nxos/NOTES.md, Base: SSH: no line names a VRF of it
        ssh_is_in_one_vrf=False,
        acls=_ACLS,
        storm_control=None if storm_gap else _STORM_CONTROL,
        storm_control_gap=storm_gap or _ALL_UNICAST,
        max_tag=3967,
        has_commit_timer=True,
        # IronCore's NX-OS provider renders "no ipv6 nd suppress-ra", other published fabrics go without
        unnumbered_gap="published configurations disagree on whether a port must be told to advertise itself",
        # commit-timeout 30-3600 s (Replace; the range is stated in the Nexus 7000 edition).
        min_confirm_s=30,
        max_confirm_s=3600,
        max_apply_s=MAX_APPLY_S,
        load_balancing=() if asic == _OLDER else _LOAD_BALANCING.get(train.name, ()),
        assumed="; ".join(filter(None, (train.assumed, _ASSUMED_OF_ASIC.get(asic)))),
    )


def _storm_gap(train: Train, asic: str) -> str:
    """Why there are no limits in packets a second; empty if there are."""
    if asic == _OLDER:
        return _NO_PACKETS_ON_FX
    return _NO_PACKETS if train.name == _BEFORE_PACKETS else ""


def _train_of(release: str) -> tuple[Train, str]:
    """The train, and what switches report: ``10.4(3)``, in places with the letter of a feature or maintenance release.

    Raises KeyError for a release outside all of them.
    """
    found = re.fullmatch(RELEASE_PATTERN, release)
    if found is None:
        raise KeyError(f"release {release}; known: {TAKEN}")
    name, number, _ = found.groups()
    inner = r"\d+[a-z]?" if number == "x" else re.escape(number)
    return _BY_NAME[name], rf"{re.escape(name)}\({inner}\)[FM]?"
