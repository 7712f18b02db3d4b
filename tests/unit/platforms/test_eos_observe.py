"""What EOS shows, read into the neutral shape; what it does not show is never made up."""

from typing import Any

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.platforms.eos.observe import (
    BGP,
    BGP_IPV6,
    ECN,
    INTERFACES,
    LLDP,
    MAPS,
    PFC,
    ROUTES,
    ROUTES_OF_ALL_VRFS,
    STATUS,
    observed,
)
from nornir_tasks.platforms.observed import BgpSession, LldpNeighbor, PortQos, PortState

DATA: dict[str, dict[str, Any]] = {
    INTERFACES.what: {
        "interfaces": {
            "Ethernet1/1": {"interfaceStatus": "connected", "lineProtocolStatus": "up", "mtu": 9214},
            "Ethernet2/1": {"interfaceStatus": "disabled", "lineProtocolStatus": "down", "mtu": 1500},
            "Loopback0": {"interfaceStatus": "connected", "lineProtocolStatus": "up", "mtu": 65535},
        }
    },
    LLDP.what: {
        "lldpNeighbors": [{"port": "Ethernet1/1", "neighborDevice": "spine-1", "neighborPort": "swp1", "ttl": 120}]
    },
    BGP.what: {
        "vrfs": {
            "default": {
                "peers": {
                    "10.160.0.0": {"peerState": "Established", "asn": "64086.59904", "prefixReceived": 3},
                    "10.160.0.2": {"peerState": "Idle", "asn": "4200099998", "prefixReceived": 0},
                }
            },
            "OUTSIDE": {"peers": {"192.0.2.1": {"peerState": "Established", "asn": "64999"}}},
        }
    },
    ROUTES.what: {
        "vrfs": {
            "default": {
                "routes": {
                    "10.255.0.2/32": {"routeType": "eBGP", "vias": [{}, {}]},
                    "10.168.0.0/24": {"routeType": "static", "vias": [{}]},
                }
            }
        }
    },
}

TEXT = {
    # "Arista_EOS_RoCEv2_Lossless_Config", section 4, with a port whose PFC is off and one that waits
    PFC.what: """\
Port       Enabled  Priorities  Active  Note
---------  -------  ----------  ------  -------------
Et1/1      Yes      3           Yes     DCBX disabled
Ethernet2/1 No                  No
""",
    "show priority-flow-control counters watchdog": "Port TxQ stuck recovered\nEt1/1  UC3   0   0\n",
    "show qos interfaces trust": (
        "Port  Trust Mode\n      Operational Configured\n-----\nEt1/1  DSCP  DEFAULT\nEt2/1  COS  COS\n"
    ),
    # section 2 of the same
    ECN.what: """\
Ethernet1/1:
Tx-Queue  Threshold  ECN Min     ECN Max
          Unit       Threshold   Threshold
--------  ---------  ---------   ---------
3         bytes      256000      512000
""",
    "show qos profile": (
        "qos profile GPUFABRIC-ROCE\n   uc-tx-queue 3\n      random-detect ecn minimum-threshold 256000 bytes "
        "maximum-threshold 512000 bytes max-mark-probability 100 weight 0\n"
    ),
    "show qos profile summary": "Qos Profile: GPUFABRIC-ROCE\n   Configured on: Et1/1,Et5/1\n",
    MAPS.what: "   Dscp-tc map:\n     d1 :  d2 0  1  2  3  4  5  6  7  8  9\n     -----\n"
    + "".join(
        f"      {tens} :     "
        + "  ".join("3" if tens * 10 + unit == 26 else "0" for unit in range(10 if tens < 6 else 4))
        + "\n"
        for tens in range(7)
    )
    + "\n   Tc-tx-queue map:\n     tc:        0  1\n     tx-queue:  0  1\n",
}

SHOWN = {**DATA, **TEXT}


def test_everything_that_is_shown_arrives() -> None:
    seen = observed("leaf", SHOWN)
    assert seen.ports[:2] == (
        PortState("Ethernet1/1", admin_up=True, oper_up=True, mtu_bytes=9214),
        PortState("Ethernet2/1", admin_up=False, oper_up=False, mtu_bytes=1500),
    )
    assert seen.lldp == (LldpNeighbor("Ethernet1/1", "spine-1", "swp1"),)
    assert seen.bgp == (
        BgpSession("10.160.0.0", 64086 * 65536 + 59904, established=True, state="Established", prefixes_received=3),
        BgpSession("10.160.0.2", 4200099998, established=False, state="Idle", prefixes_received=None),
        BgpSession("192.0.2.1", 64999, established=True, state="Established", prefixes_received=None, vrf="OUTSIDE"),
    )
    assert seen.routes == (((None, "10.255.0.2/32"), 2),)
    assert seen.qos == (
        PortQos("Ethernet1/1", True, (3,), True, ((3, Ecn(256_000, 512_000, 100)),)),
        PortQos("Ethernet2/1", False, (), False, ()),
    )
    assert seen.dscp_to_priority is not None
    assert [code for code, priority in enumerate(seen.dscp_to_priority) if priority == 3] == [26]


def test_routes_of_all_vrfs_say_their_vrf() -> None:
    inner = {"10.168.0.0/24": {"routeType": "eBGP", "vias": [{}]}, "10.168.1.0/24": {"routeType": "connected"}}
    table = SHOWN[ROUTES.what]["vrfs"] | {"COMPUTE": {"routes": inner}}
    answers = {name: vlans for name, vlans in SHOWN.items() if name != ROUTES.what}
    seen = observed("leaf", {**answers, ROUTES_OF_ALL_VRFS.what: {"vrfs": table}})
    assert seen.routes == (((None, "10.255.0.2/32"), 2), (("COMPUTE", "10.168.0.0/24"), 1))


def test_sessions_with_neighbors_of_ipv6_are_seen_beside_those_of_ipv4() -> None:
    six = {"2001:db8:200::1": {"peerState": "Established", "asn": "64500", "prefixReceived": 1}}
    seen = observed("edge-1", {**SHOWN, BGP_IPV6.what: {"vrfs": {"default": {"peers": six}}}})
    assert [each.address for each in seen.bgp] == ["10.160.0.0", "10.160.0.2", "192.0.2.1", "2001:db8:200::1"]
    assert seen.bgp[-1] == BgpSession(
        "2001:db8:200::1", 64500, established=True, state="Established", prefixes_received=1
    )


def test_a_port_is_in_its_vlan_or_routed_or_a_trunk_and_else_nothing_is_told() -> None:
    vlans = {
        "Ethernet1/1": {"interfaceMode": "bridged", "vlanId": 200, "interfaceForwardingModel": "bridged"},
        "Ethernet2/1": {"interfaceMode": "routed", "interfaceForwardingModel": "routed"},
    }
    status = {"interfaceStatuses": {name: {"vlanInformation": each} for name, each in vlans.items()}}
    assert [port.vlan for port in observed("leaf", {**SHOWN, STATUS.what: status}).ports[:2]] == ["200", "routed"]
    assert [port.vlan for port in observed("leaf", SHOWN).ports[:2]] == [None, None]


def test_a_command_the_switch_does_not_know_is_could_not_tell_and_not_off() -> None:
    seen = observed("leaf", DATA)
    assert seen.qos[0] == PortQos("Ethernet1/1", None, None, None, None)
    assert seen.dscp_to_priority is None


def test_thresholds_in_another_unit_or_without_a_probability_compare_with_nothing() -> None:
    segments = {**SHOWN, ECN.what: TEXT[ECN.what].replace("bytes ", "segments ")}
    assert observed("leaf", segments).qos[0].ecn is None
    unknown = {**SHOWN, "show qos profile": ""}
    assert observed("leaf", unknown).qos[0].ecn is None


def test_a_pause_that_is_configured_and_not_active_pauses_nothing() -> None:
    inactive = {**SHOWN, PFC.what: TEXT[PFC.what].replace("Yes     DCBX", "No      DCBX")}
    assert observed("leaf", inactive).qos[0].pfc_priorities == ()


def test_a_map_with_a_hole_is_no_map() -> None:
    holed = TEXT[MAPS.what].replace("      6 :", "      x :")
    assert observed("leaf", {**SHOWN, MAPS.what: holed}).dscp_to_priority is None
