"""show interface: every interface with its counters.

Lines and keys: tests/recorded/nxos_show/interfaces.txt; an SVI's keys: napalm 5.2.0, get_interfaces of its nxos driver.
Counters are those of played traffic and of impairments, and what a test seeded; no port has flapped.
"""

from __future__ import annotations

import re

from ..counted import PortCounts, whole
from .interface_facts import Interface, facts
from .reply import Body, Reply, View, short_name, table

_COUNTERS = """\
  RX
    {inucast} unicast packets  {inmcast} multicast packets  {inbcast} broadcast packets
    {inpkts} input packets  {inbytes} bytes
    {jumbo_inpkts} jumbo packets  {storm_supp} storm suppression bytes
    {runts} runts  {giants} giants  {crc} CRC  {nobuf} no buffer
    {inerr} input error  {frame} short frame  {overrun} overrun   {underrun} underrun  {ignored} ignored
    {watchdog} watchdog  {bad_eth} bad etype drop  {bad_proto} bad proto drop  {in_ifdown_drops} if down drop
    {dribble} input with dribble  {indiscard} input discard
    {inpause} Rx pause
  TX
    {outucast} unicast packets  {outmcast} multicast packets  {outbcast} broadcast packets
    {outpkts} output packets  {outbytes} bytes
    {jumbo_outpkts} jumbo packets
    {outerr} output error  {coll} collision  {deferred} deferred  {latecoll} late collision
    {lostcarrier} lost carrier  {nocarrier} no carrier  {babbles} babble  {outdiscard} output discard
    {outpause} Tx pause"""
COUNTERS = tuple(re.findall(r"{(\w+)}", _COUNTERS))
"""The words of the keys, in the order of the lines."""
_LOAD = "  reliability 255/255, txload 1/255, rxload 1/255"
_RATES = """\
  0 interface resets
  30 seconds input rate 0 bits/sec, 0 packets/sec
  30 seconds output rate 0 bits/sec, 0 packets/sec
  Load-Interval #2: 5 minute (300 seconds)
    input rate 0 bps, 0 pps; output rate 0 bps, 0 pps"""
_MANAGEMENT_COUNTERS = """\
  1 minute input rate 0 bits/sec, 0 packets/sec
  1 minute output rate 0 bits/sec, 0 packets/sec
  Rx
    0 input packets 0 unicast packets 0 multicast packets
    0 broadcast packets 0 bytes
  Tx
    0 output packets 0 unicast packets 0 multicast packets
    0 broadcast packets 0 bytes"""
_LOOPBACK_COUNTERS = """\
    0 packets input 0 bytes
    0 multicast frames 0 compressed
    0 input errors 0 frame 0 overrun 0 fifo
    0 packets output 0 bytes 0 underruns
    0 output errors 0 collisions 0 fifo
    0 out_carrier_errors"""


def interface(view: View, name: str | None = None) -> Reply:
    """Show interface [X]."""
    found = facts(view, name)
    if not found:
        return Reply("Invalid range at '^' marker.\n", is_refused=True)
    text = "\n\n".join("\n".join(_lines(each)) for each in found)
    return Reply(text + "\n", table("interface", [_row(each) for each in found]))


def counters(each: Interface) -> dict[str, int]:
    """A port's, by the words of the keys: what was seeded, and what traffic that is played and impairments made."""
    fabric, device = each.view.fabric, each.view.device.name
    played = _played(fabric.counted.shown(device, each.name))
    crc = fabric.added("crc-errors", device, each.name)
    played |= {"crc": crc, "inerr": crc}
    return {key: fabric.seeds.count(device, key, each.name) + played.get(key, 0) for key in COUNTERS}


def _played(counts: PortCounts) -> dict[str, int]:
    """All packets are unicast."""
    found = {"bytes": (counts.bytes_in, counts.bytes_out)}
    found |= dict.fromkeys(("ucast", "pkts"), (counts.packets_in, counts.packets_out))
    found |= {"discard": (sum(counts.input_drops), sum(counts.dropped))}
    return {f"{way}{kind}": whole(pair[at]) for kind, pair in found.items() for at, way in enumerate(("in", "out"))}


# -- as text -------------------------------------------------------------------------------------------------------


def _lines(each: Interface) -> list[str]:
    if each.kind == "Vlan":
        return _svi_lines(each)
    if each.kind == "loopback":
        return [*_head(each), "  Hardware: Loopback", *_layer3(each, delay_us=5000), *_loopback_end()]
    state = _head(each)
    hardware = f"  Hardware: {_hardware(each)}, address: {each.mac} (bia {each.mac})"
    tagged = each.node.value("encapsulation dot1q", "vlan")
    encapsulation = f"802.1Q Virtual LAN, Vlan ID {tagged}" if tagged else "ARPA"
    lines = [*state, hardware, *_layer3(each), _LOAD, f"  Encapsulation {encapsulation}, medium is broadcast"]
    if each.is_up or each.kind == "mgmt" or not each.is_admin_up:
        lines.append(f"  Port mode is {each.mode}")
    lines.append(f"  {_duplex(each)}-duplex, {each.speed if _speaks(each) else 'auto-speed'}{_media(each)}")
    if each.kind == "mgmt":
        return [*lines, *_toggles("EtherType is 0x0000", negotiates=True), _MANAGEMENT_COUNTERS]
    return [*lines, *_layer1(each), _RATES, _COUNTERS.format(**counters(each))]


def _head(each: Interface) -> list[str]:
    """State, and what else stands above the hardware's line."""
    state = "up" if each.is_up else f"down ({each.reason})"
    admin = f"admin state is {'up' if each.is_admin_up else 'down'}"
    if each.kind == "port-channel":
        number = each.node.value("vpc", "number")
        status = [f" vPC Status: {'Up' if each.is_up else 'Down'}, vPC number: {number}"] if number else []
        return [f"{each.name} is {state}", admin, *status]
    admin += ", Dedicated Interface" if each.kind == "Ethernet" else ","
    group = [f"  Belongs to {short_name(each.group)}"] if each.group else []
    return [f"{each.name} is {state}", admin, *group]


def _layer3(each: Interface, delay_us: int = 10) -> list[str]:
    description = [f"  Description: {each.description}"] if each.description else []
    address = [f"  Internet Address is {each.address[0]}/{each.address[1]}"] if each.address else []
    space = " " if each.kind == "loopback" else ""
    return [*description, *address, f"  MTU {each.mtu_bytes} bytes, BW {each.kbps} Kbit{space}, DLY {delay_us} usec"]


def _loopback_end() -> list[str]:
    medium = "  Encapsulation LOOPBACK, medium is broadcast"
    return [_LOAD, medium, "  Auto-mdix is turned off", _LOOPBACK_COUNTERS]


def _svi_lines(each: Interface) -> list[str]:
    up = each.is_up and each.is_admin_up
    state = "up, line protocol is up" if up else f"down ({each.reason}), line protocol is down"
    return [f"{each.name} is {state}", f"  Hardware is EtherSVI, address is  {each.mac}", *_layer3(each)]


def _layer1(each: Interface) -> list[str]:
    lines = _toggles("EtherType is 0x8100", negotiates=each.node.first("no negotiate auto") is None)
    if each.kind == "port-channel":
        found = " ".join(short_name(member.name) for member in each.members)
        members = f"  Members in this channel: {found}" if found else "  No members"
        return [*lines[1:], members, '  Last clearing of "show interface" counters never']
    rate = ["  Rate mode is dedicated"] if each.is_up else []
    end = ["  EEE (efficient-ethernet) : n/a", "  Last link flapped never"]
    return ["  Beacon is turned off", *lines[:3], *rate, *lines[3:], *end, _CLEARED]


_CLEARED = '  Last clearing of "show interface" counters never'


def _toggles(last: str, *, negotiates: bool) -> list[str]:
    flow = "  Input flow-control is off, output flow-control is off"
    is_management = last.endswith("0000")
    first = f"  Auto-Negotiation is turned {'on' if negotiates else 'off'}"
    if is_management:
        return [first, "  Auto-mdix is turned off", f"  {last}"]
    return [f"{first}  FEC mode is Auto", flow, "  Auto-mdix is turned off", "  Switchport monitor is off", f"  {last}"]


def _hardware(each: Interface) -> str:
    if each.kind == "port-channel":
        return "Port-Channel"
    if each.kind == "mgmt":
        return "GigabitEthernet"
    return f"{each.kbps // 1000} Ethernet"


def _speaks(each: Interface) -> bool:
    """Does it have a speed to print?"""
    return each.is_up or each.has_speed_line or each.kind == "mgmt"


def _duplex(each: Interface) -> str:
    return "full" if _speaks(each) else "auto"


def _media(each: Interface) -> str:
    return f", media type is {each.short_speed}" if each.is_up and each.kind == "Ethernet" else ""


# -- as data -------------------------------------------------------------------------------------------------------


def _row(each: Interface) -> Body:
    if each.kind == "Vlan":
        return _svi_row(each)
    row: Body = {"interface": each.name, "state": "up" if each.is_up else "down"}
    if not each.is_up:
        row["state_rsn_desc"] = each.reason
    row["admin_state"] = "up" if each.is_admin_up else "down"
    if each.description:
        row["desc"] = each.description
    if each.address:
        row |= {"eth_ip_addr": each.address[0], "eth_ip_mask": each.address[1]}
    row |= {"eth_mtu": str(each.mtu_bytes), "eth_bw": each.kbps, "eth_dly": 10, "medium": "broadcast"}
    return row if each.kind == "loopback" else row | _port_keys(each)


def _port_keys(each: Interface) -> Body:
    row: Body = {
        "eth_hw_desc": _hardware(each),
        "eth_hw_addr": each.mac,
        "eth_bia_addr": each.mac,
        "eth_reliability": "255",
        "eth_txload": "1",
        "eth_rxload": "1",
        "eth_mode": each.mode,
        "eth_duplex": _duplex(each),
        "eth_speed": each.speed if _speaks(each) else "auto-speed",
        "eth_autoneg": "on" if each.node.first("no negotiate auto") is None else "off",
        "eth_mdix": "off",
    }
    if each.kind == "mgmt":
        return {**row, "eth_ethertype": "0x0000"}
    row |= {"eth_beacon": "off", "eth_in_flowctrl": "off", "eth_out_flowctrl": "off", "eth_swt_monitor": "off"}
    row |= {"eth_ethertype": "0x8100", "eth_link_flapped": "never", "eth_clear_counters": "never", "eth_reset_cntr": 0}
    return row | {f"eth_{key}": value for key, value in counters(each).items()}


def _svi_row(each: Interface) -> Body:
    up = each.is_up
    row: Body = {
        "interface": each.name,
        "svi_line_proto": "up" if up else "down",
        "svi_admin_state": "up" if each.is_admin_up else "down",
        "svi_mac": each.mac,
        "svi_mtu": str(each.mtu_bytes),
        "svi_bw": str(each.kbps),
    }
    if each.description:
        row["svi_desc"] = each.description
    if each.address:
        row |= {"svi_ip_addr": each.address[0], "svi_ip_mask": str(each.address[1])}
    return row
