"""NX-OS answers, one row or many, become the same neutral shape; what is not shown is None, never a pass."""

from typing import Any

import pytest

from nornir_tasks.design.config.qos import Ecn
from nornir_tasks.platforms.nxos import observe as shown
from nornir_tasks.platforms.observed import BgpSession, LldpNeighbor, PortQos, PortState

INTERFACE = {"interface": "Ethernet1/1", "state": "up", "admin_state": "up", "eth_mtu": "9216"}
DOWN = {"interface": "Ethernet1/2", "state": "down", "admin_state": "up", "eth_mtu": "1500"}
PEER = {"neighborid": "10.160.0.0", "neighboras": "4200000000", "state": "Established", "prefixreceived": "9"}
IDLE = {"neighborid": "10.160.0.2", "neighboras": "64086.59904", "state": "Idle", "prefixreceived": "0"}


def answers(**bodies: Any) -> dict[str, Any]:
    """Every command refused, save those named as in ``platforms/nxos/observe.py``."""
    return {getattr(shown, name).what: body for name, body in bodies.items()}


def table(name: str, *rows: dict[str, Any]) -> dict[str, Any]:
    """As NX-API prints a table: one row is an object, several are a list."""
    return {f"TABLE_{name}": {f"ROW_{name}": rows[0] if len(rows) == 1 else list(rows)}}


def bgp(*peers: dict[str, Any], vrf: str = "default") -> dict[str, Any]:
    saf = {"safi": "1", **table("neighbor", *peers)}
    family = {"af-id": "1", **table("saf", saf)}
    return {"vrf-name-out": vrf, **table("af", family)}


def test_a_neighbour_is_a_session_of_its_addresss_family_alone() -> None:
    peers = [{"neighborid": each, "neighboras": "64500", "state": "Idle"} for each in ("198.51.100.1", "2001:db8::1")]
    families = [{"af-id": number, **table("saf", {"safi": "1", **table("neighbor", *peers)})} for number in ("1", "2")]
    other = {"af-id": "25", **table("saf", {"safi": "70", **table("neighbor", *peers)})}
    found = shown.observed(
        "edge", answers(BGP=table("vrf", {"vrf-name-out": "default", **table("af", *families, other)}))
    )
    assert [each.address for each in found.bgp] == ["198.51.100.1", "2001:db8::1"]


def test_the_shapes_of_a_table() -> None:
    assert list(shown.rows({}, "x")) == []
    assert list(shown.rows(None, "x")) == []
    assert list(shown.rows({"TABLE_x": ""}, "x")) == []
    assert list(shown.rows({"TABLE_x": {"ROW_x": {"a": 1}}}, "x")) == [{"a": 1}]
    assert list(shown.rows({"TABLE_x": {"ROW_x": [{"a": 1}, {"a": 2}]}}, "x")) == [{"a": 1}, {"a": 2}]
    assert list(shown.rows({"TABLE_x": [{"ROW_x": {"a": 1}}, {"ROW_x": [{"a": 2}]}]}, "x")) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("ports", [(INTERFACE,), (INTERFACE, DOWN)], ids=["one", "many"])
def test_ports(ports: tuple[dict[str, Any], ...]) -> None:
    found = shown.observed("leaf", answers(INTERFACES=table("interface", *ports)))
    expected = (PortState("Ethernet1/1", True, True, 9216), PortState("Ethernet1/2", True, False, 1500))
    assert found.ports == expected[: len(ports)]


def test_a_port_is_in_its_vlan_and_an_svi_has_fields_of_its_own() -> None:
    svi = {"interface": "Vlan200", "svi_line_proto": "down", "svi_admin_state": "up", "svi_mtu": "9216"}
    status = table(
        "interface", {"interface": "Ethernet1/1", "vlan": "200"}, {"interface": "Ethernet1/2", "vlan": "trunk"}
    )
    found = shown.observed("leaf", answers(INTERFACES=table("interface", INTERFACE, DOWN, svi), STATUS=status))
    assert [port.vlan for port in found.ports] == ["200", "trunk", None]
    assert found.ports[2] == PortState("Vlan200", True, False, 9216)


@pytest.mark.parametrize("peers", [(PEER,), (PEER, IDLE)], ids=["one", "many"])
@pytest.mark.parametrize("more", [(), (bgp(IDLE, vrf="OTUS"),)], ids=["alone", "beside another VRF"])
def test_sessions_are_shown_with_their_vrf(peers: tuple[dict[str, Any], ...], more: tuple[dict[str, Any], ...]) -> None:
    found = shown.observed("leaf", answers(BGP=table("vrf", bgp(*peers), *more)))
    expected = (
        BgpSession("10.160.0.0", 4200000000, True, "Established", 9),
        BgpSession("10.160.0.2", 4200000000, False, "Idle", None),
    )
    there = (BgpSession("10.160.0.2", 4200000000, False, "Idle", None, vrf="OTUS"),) if more else ()
    assert found.bgp == (*expected[: len(peers)], *there)


def test_routes_count_best_bgp_paths_only() -> None:
    def path(client: str, best: str) -> dict[str, str]:
        return {"ipnexthop": "10.160.0.0", "clientname": client, "ubest": best}

    prefixes = (
        {"ipprefix": "10.168.1.0/24", **table("path", path("bgp-4200000002", "true"), path("bgp-4200000002", "true"))},
        {"ipprefix": "10.255.1.0/32", **table("path", path("bgp-4200000002", "true"))},
        {"ipprefix": "10.160.0.0/31", **table("path", path("direct", "true"))},
        {"ipprefix": "10.168.2.0/24", **table("path", path("bgp-4200000002", "false"))},
    )
    family = {"addrf": "ipv4", **table("prefix", *prefixes)}
    body = table("vrf", {"vrf-name-out": "default", **table("addrf", family)})
    assert shown.observed("leaf", answers(ROUTES=body)).routes == (
        ((None, "10.168.1.0/24"), 2),
        ((None, "10.255.1.0/32"), 1),
    )


@pytest.mark.parametrize("names", [("COMPUTE",), ("default", "COMPUTE")], ids=["one VRF", "several"])
def test_routes_of_all_vrfs_say_their_vrf(names: tuple[str, ...]) -> None:
    path = {"ipnexthop": "10.160.0.0", "clientname": "bgp-4200000002", "ubest": "true"}
    family = {"addrf": "ipv4", **table("prefix", {"ipprefix": "10.168.1.0/24", **table("path", path)})}
    body = table("vrf", *({"vrf-name-out": name, **table("addrf", family)} for name in names))
    found = shown.observed("leaf", answers(ROUTES_OF_ALL_VRFS=body))
    assert found.routes == tuple(((None if x == "default" else x, "10.168.1.0/24"), 1) for x in names)


CLASS_MAPS = table(
    "cmap",
    {"cmap-name-out": "GPUFABRIC-QG3", **table("match", {"match-key": "dscp", "dscp-list": "26"})},
    {"cmap-name-out": "GPUFABRIC-QG7", **table("match", {"match-key": "dscp", "dscp-list": "48,56"})},
)
CLASSIFY = table(
    "pmap",
    {
        "pmap-name-out": "GPUFABRIC-CLASSIFY",
        **table(
            "cmap",
            {"cmap-name": "GPUFABRIC-QG3", **table("action", {"qos-group": "3"})},
            {"cmap-name": "GPUFABRIC-QG7", **table("action", {"qos-group": "7"})},
            {"cmap-name": "class-default", **table("action", {"qos-group": "0"})},
        ),
    },
)
TRUST = """
Global statistics status :   enabled

Ethernet1/1
  Service-policy (qos) input:   GPUFABRIC-CLASSIFY
    Class-map (qos):   GPUFABRIC-QG3 (match-any)
"""
RDET = {
    "rdet-min-thresh": "950",
    "rdet-size-units": "kbytes",
    "rdet-max-thresh": "3000",
    "rdet-drop-prob": "7",
}
MARKING = table("action", {"rdet-ecn": "ecn", **table("rdet", RDET)})
QUEUING = table(
    "pmap",
    {
        "pmap-name": "GPUFABRIC-EGRESS",
        **table(
            "cmap",
            {"cmap-name": "c-out-8q-q7", **table("action", {"prio-level": "1"})},
            {"cmap-name": "c-out-8q-q3", **MARKING},
        ),
    },
)
PORT_QUEUING = table(
    "interface",
    {
        "if-name": "Ethernet1/2",
        **table(
            "pmap",
            {
                "in-or-out": "output",
                "pmap-name": "GPUFABRIC-STORAGE-LOSSY-OUT",
                **table("cmap", {"cmap-name": "c-out-8q-q2", **MARKING}),
            },
        ),
    },
)
NETWORK_QOS = table(
    "xpmap",
    {
        "xpmap-name": "GPUFABRIC-NETWORK",
        **table("xcmap", {"xcmap-name": "c-8q-nq3", **table("xaction", {"pfc-cos-list": "3"})}),
    },
)


def pfc(*rows: dict[str, str]) -> dict[str, Any]:
    return table("module", {"module": "1", **table("pfc_interface", *rows)})


def test_qos_of_a_port() -> None:
    on = {"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On (8)"}
    off = {"if_name_str": "Ethernet1/2", "admin": "Auto", "oper": "Off"}
    watched = {
        "glb-wd-status": "Enabled",
        **table("queuing_interface", {"if_name_str": "Ethernet1/1", "wd-status": "Enabled"}),
    }
    found = shown.observed(
        "leaf",
        answers(
            PFC=pfc(on, off),
            WATCHDOG=watched,
            NETWORK_QOS=NETWORK_QOS,
            QUEUING=QUEUING,
            PORT_QUEUING=PORT_QUEUING,
            CLASSIFY=CLASSIFY,
            CLASS_MAPS=CLASS_MAPS,
            TRUST=TRUST,
        ),
    )
    marks = ((3, Ecn(950_000, 3_000_000, 7)),)
    assert found.qos == (
        PortQos("Ethernet1/1", True, (3,), True, marks),
        PortQos("Ethernet1/2", False, (), False, ((2, Ecn(950_000, 3_000_000, 7)),)),
    )
    assert found.dscp_to_priority is not None
    assert [dscp for dscp, group in enumerate(found.dscp_to_priority) if group] == [26, 48, 56]


def test_what_a_groups_policies_say_is_shown_at_the_group_and_pauses_at_its_members() -> None:
    row = {"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On (8)"}
    interfaces = table("interface", {"interface": "port-channel1"}, {"interface": "port-channel2"})
    policy = "port-channel1\n  Service-policy (qos) input:   GPUFABRIC-CLASSIFY\n"
    found = shown.observed(
        "leaf",
        answers(
            INTERFACES=interfaces,
            PFC=pfc(row),
            QUEUING=QUEUING,
            PORT_QUEUING=PORT_QUEUING,
            CLASSIFY=CLASSIFY,
            CLASS_MAPS=CLASS_MAPS,
            TRUST=policy,
        ),
    )
    marks = ((3, Ecn(950_000, 3_000_000, 7)),)
    assert found.qos == (
        PortQos("port-channel1", True, None, None, marks),
        PortQos("port-channel2", False, None, None, marks),
        PortQos("Ethernet1/1", False, (3,), None, marks),
    )


def test_what_marks_on_a_port_could_not_be_told_where_its_own_queuing_is_not_shown() -> None:
    row = {"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On"}
    assert shown.observed("leaf", answers(PFC=pfc(row), QUEUING=QUEUING)).qos[0].ecn is None


def test_a_watchdog_with_one_knob_off_is_off() -> None:
    port = table("queuing_interface", {"if_name_str": "Ethernet1/1", "wd-status": "Enabled"})
    row = {"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On"}
    found = shown.observed("leaf", answers(PFC=pfc(row), WATCHDOG={"glb-wd-status": "Disabled", **port}))
    assert found.qos[0].watchdog is False


def test_pfc_without_a_bitmap_takes_the_paused_classes_of_network_qos() -> None:
    row = {"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On"}
    assert shown.observed("leaf", answers(PFC=pfc(row), NETWORK_QOS=NETWORK_QOS)).qos[0].pfc_priorities == (3,)
    assert shown.observed("leaf", answers(PFC=pfc(row))).qos[0].pfc_priorities is None


def test_what_the_switch_does_not_show_is_none() -> None:
    row = {"if_name_str": "Ethernet1/1", "admin": "On", "oper": "On"}
    found = shown.observed("leaf", answers(PFC=pfc(row)))
    assert found.qos == (PortQos("Ethernet1/1", None, None, None, None),)
    assert found.dscp_to_priority is None


PENDING = """Following config commands require copy r s + reload :
======================================================
0       hardware profile dlb ; dlb-interface Eth1/5,Eth1/7
1       hardware access-list tcam region ing-racl 512
======================================================
"""
"""A published session, with a line of somebody else's after it."""


def test_what_of_load_balancing_waits_for_a_reload() -> None:
    paths = shown.observed("leaf", answers(PENDING=PENDING)).paths
    assert (paths.needs_reload, paths.waits_for_reload) == (
        True,
        ("hardware profile dlb ; dlb-interface Eth1/5,Eth1/7",),
    )
    assert shown.observed("leaf", answers(PENDING="\n")).paths.waits_for_reload == ()
    assert shown.observed("leaf", answers()).paths.waits_for_reload is None


LLDP = """
Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device

Chassis id: 0018.baa4.5cd0
Port id: swp1
Local Port id: Eth1/33
Port Description: leaf-g0-r1 Ethernet1/33
System Name: spine-0
System Description: Cumulus Linux

Chassis id: 0018.baa4.5cd1
Port id: swp2
Local Port id: mgmt0
Port Description: null
System Name: oob-0
Total entries displayed: 2
"""


def test_lldp_neighbours() -> None:
    assert shown.observed("leaf", answers(LLDP=LLDP)).lldp == (
        LldpNeighbor("Ethernet1/33", "spine-0", "swp1"),
        LldpNeighbor("mgmt0", "oob-0", "swp2"),
    )
    assert shown.observed("leaf", answers()).lldp == ()
