"""ANTA's tests of interfaces: routed ports on a compute leaf, groups and SVIs on a leaf of the front fabric."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from anta_client import FAILURE, AntaCase, Fault, Lab, cutting, seeding, typing

LEAF, FRONT = "leaf-g1-r0", "front-leaf-g1-a"
_AT = "interfaces"
_PORT, _HOST = "Ethernet63/1", "Ethernet1/1"
_LEG, _LEG_CABLE = "Ethernet1", "front-leaf-g1-a-h1"
"""The first spine's port and the first host's on the leaf; the first host's leg on the front leaf."""


def _ports(lab: Lab, name: str = LEAF) -> list[dict[str, Any]]:
    return [*lab.links(name, "fabric"), *lab.links(name, "host")]


def _named(name: str = LEAF) -> Any:
    return lambda lab: {"interfaces": [each["own"]["port"] for each in _ports(lab, name)]}


def _states(lab: Lab) -> dict[str, Any]:
    return {"interfaces": [{"name": each["own"]["port"], "status": "up"} for each in _ports(lab)]}


def _addresses(lab: Lab) -> dict[str, Any]:
    """Links between switches and to hosts are /31."""
    ends = [each["own"] for each in _ports(lab)]
    return {"interfaces": [{"name": each["port"], "primary_ip": f"{each['address']}/31"} for each in ends]}


def _speeds(lab: Lab) -> dict[str, Any]:
    return {"interfaces": [{"name": each["own"]["port"], "speed": each["speed_gbps"]} for each in _ports(lab)]}


def _routed_mtu(lab: Lab) -> dict[str, Any]:
    (mtu,) = {each["mtu_bytes"] for each in _ports(lab)}
    return {"mtu": mtu}


def _virtual_mac(lab: Lab) -> dict[str, Any]:
    return {"mac_address": lab.word(FRONT, r"ip virtual-router mac-address (\S+)")}


def _bonds(lab: Lab) -> list[tuple[str, str]]:
    """Each host's port on the front leaf, and its group: hosts are counted from 1 in the order of their ports."""
    ports = [each["own"]["port"] for each in lab.links(FRONT, "host")]
    return [(port, f"Port-Channel{number}") for number, port in enumerate(ports, start=1)]


def _members(lab: Lab) -> dict[str, Any]:
    fast = [{"name": port, "portchannel": group, "lacp_rate_fast": True} for port, group in _bonds(lab)]
    return {"interfaces": fast}


def _groups(lab: Lab) -> dict[str, Any]:
    return {"interfaces": [group for _, group in _bonds(lab)]}


def _both(*faults: Fault) -> Fault:
    """Faults that only together are one: a counter, and the line that makes the switch count."""

    @contextmanager
    def together(lab: Lab) -> Iterator[None]:
        first, second = (fault(lab) for fault in faults)
        with first, second:
            yield

    def fault(lab: Lab) -> AbstractContextManager[None]:
        return together(lab)

    return fault


def _port_line(switch: str, port: str, line: str, back: str) -> Fault:
    return typing(switch, [f"interface {port}", line], [f"interface {port}", back])


_SHUT = _port_line(LEAF, _HOST, "shutdown", "no shutdown")
_ECN = _both(
    typing(
        LEAF,
        ["qos profile GPUFABRIC-ROCE", "uc-tx-queue 3", "random-detect ecn count"],
        ["qos profile GPUFABRIC-ROCE", "uc-tx-queue 3", "no random-detect ecn count"],
    ),
    seeding(LEAF, "ecn.3", _PORT, 4),
)
_STORM = _both(
    _port_line(FRONT, _LEG, "storm-control broadcast level 1", "no storm-control broadcast"),
    seeding(FRONT, "storm.broadcast", _LEG, 12),
)


CASES = [
    AntaCase(
        f"{_AT}.VerifyInterfaceUtilization",
        LEAF,
        seeding(LEAF, "outBpsRate", _PORT, 390_000_000_000),
        "Egress traffic rate .* exceeds threshold - .*97.5%",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfaceErrors", LEAF, seeding(LEAF, "symbolErrors", _PORT, 9), "symbolErrors: 9", _named()
    ),
    AntaCase(f"{_AT}.VerifyInterfaceDiscards", LEAF, seeding(LEAF, "inDiscards", _PORT, 5), "inDiscards: 5", _named()),
    AntaCase(
        f"{_AT}.VerifyInterfaceErrDisabled",
        FRONT,
        seeding(FRONT, "errdisabled", _LEG, "bpduguard"),
        f"{_LEG} - Error disabled - Causes: bpduguard",
    ),
    AntaCase(f"{_AT}.VerifyInterfacesStatus", LEAF, _SHUT, "Expected: up/up, Actual: adminDown/down", _states),
    AntaCase(f"{_AT}.VerifyStormControlDrops", FRONT, _STORM, f"{_LEG} - Non-zero storm-control drop .*broadcast: 12"),
    AntaCase(f"{_AT}.VerifyPortChannels", FRONT, cutting(_LEG_CABLE), f"Inactive port.s. - {_LEG}", _groups),
    AntaCase(
        f"{_AT}.VerifyIllegalLACP",
        FRONT,
        seeding(FRONT, "illegalRxCount", _LEG, 1),
        f"Illegal LACP packets detected on member interface {_LEG}",
        _groups,
    ),
    AntaCase(
        f"{_AT}.VerifyLoopbackCount",
        LEAF,
        typing(LEAF, ["interface Loopback9", "ip address 198.51.100.7/32"], ["no interface Loopback9"]),
        "count mismatch: Expected 1 Actual: 2",
        lambda _: {"number": 1},
    ),
    AntaCase(
        f"{_AT}.VerifySVI",
        FRONT,
        _port_line(FRONT, "Vlan300", "shutdown", "no shutdown"),
        "SVI: Vlan300 - Invalid line protocol status",
    ),
    AntaCase(
        f"{_AT}.VerifyL3MTU",
        LEAF,
        _port_line(LEAF, _HOST, "mtu 1500", "mtu 9214"),
        f"{_HOST} - Incorrect MTU - Expected: 9214 Actual: 1500",
        _routed_mtu,
    ),
    AntaCase(
        f"{_AT}.VerifyL2MTU",
        FRONT,
        _port_line(FRONT, _LEG, "l2 mtu 1518", "no l2 mtu"),
        f"{_LEG} - Incorrect MTU - Expected: 9214 Actual: 1518",
    ),
    AntaCase(
        f"{_AT}.VerifyIPProxyARP",
        LEAF,
        _port_line(LEAF, _HOST, "ip proxy-arp", "no ip proxy-arp"),
        "success",
        lambda _: {"interfaces": [_HOST]},
        FAILURE,
        f"{_HOST} - Proxy-ARP disabled",
    ),
    AntaCase(
        f"{_AT}.VerifyInterfaceIPv4",
        LEAF,
        _port_line(LEAF, _HOST, "ip address 10.168.0.200/31", "ip address 10.168.0.0/31"),
        f"{_HOST} - IP address mismatch - Expected: 10.168.0.0/31 Actual: 10.168.0.200/31",
        _addresses,
    ),
    AntaCase(
        f"{_AT}.VerifyIpVirtualRouterMac",
        FRONT,
        typing(
            FRONT,
            ["ip virtual-router mac-address 00:00:5e:00:01:09"],
            ["ip virtual-router mac-address 00:00:5e:00:01:ff"],
        ),
        "00:00:5e:00:01:ff - Not configured",
        _virtual_mac,
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesSpeed",
        LEAF,
        _port_line(LEAF, _PORT, "speed 100g-4", "speed 400g-8"),
        "Bandwidth mismatch - Expected: 400.0Gbps Actual: 100",
        _speeds,
    ),
    AntaCase(
        f"{_AT}.VerifyLACPInterfacesStatus",
        FRONT,
        _port_line(FRONT, _LEG, "no lacp timer", "lacp timer fast"),
        f"{_LEG} .*Actor port timeout state mismatch",
        _members,
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesVoqAndEgressQueueDrops",
        LEAF,
        seeding(LEAF, "unicast.TC3.drops", _PORT, 6),
        "Queue drops above threshold",
        _named(),  # not_yet.yml
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesTridentCounters",
        FRONT,
        seeding(FRONT, "trident.rxVlanDrop", _LEG, 8),
        f"{_LEG} - Error counter rxVlanDrop above threshold - Expected: <= 0 Actual: 8",
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesCounterDetails",
        LEAF,
        seeding(LEAF, "frameTooShorts", _PORT, 2),
        f"{_PORT} .*Runt frames above threshold - Expected: <= 0 Actual: 2",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesBER",
        LEAF,
        seeding(LEAF, "preFecBer", _PORT, 3e-5),
        f"{_PORT} .*BER above threshold - Expected: <= 1.00e-07 Actual: 3.00e-05",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesOpticsReceivePower",
        LEAF,
        seeding(LEAF, "rxPower", _PORT, -12.5),
        f"{_PORT} .*Low receive power detected - .*Actual: -12.50dBm",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesOpticsTemperature",
        LEAF,
        seeding(LEAF, "temperature", _PORT, 74.5),
        f"{_PORT} - High transceiver temperature detected - .*Actual: 74.50",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesEgressQueueDrops",
        LEAF,
        seeding(LEAF, "unicast.TC3.drops", _PORT, 6),
        f"{_PORT} Traffic Class: TC3 Queue Type: unicast .*Queue drops above threshold",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesPFCCounters",
        LEAF,
        seeding(LEAF, "rxPfc", _PORT, 3),
        f"{_PORT} - Counters above threshold - .*Actual RX PFC: 3",
        _named(),
    ),
    AntaCase(
        f"{_AT}.VerifyInterfacesECNCounters",
        LEAF,
        _ECN,
        f"{_PORT} Queue: 3 - Counters above threshold - .*Actual: 4",
        _named(),
    ),
]
