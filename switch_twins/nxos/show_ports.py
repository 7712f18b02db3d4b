"""show interface brief, description, status, switchport, counters detailed, transceiver details.

Tables and keys: tests/recorded/nxos_show/interfaces.txt, interface_switchport.txt, transceiver_text.txt.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..optics import VOLTAGE_V, Optic, optics
from .interface_facts import Interface, facts
from .ports import is_twisted_pair
from .reply import Body, Reply, View, short_name, table
from .show_interfaces import counters

_RULE = "-" * 80
_SHORT_RULE = "-" * 79


def _of(found: Iterable[Interface], *kinds: str) -> list[Interface]:
    return [each for each in found if each.kind in kinds]


# -- brief ---------------------------------------------------------------------------------------------------------


def brief(view: View) -> Reply:
    """Show interface brief: a table for each kind of interface."""
    found = facts(view)
    blocks = [
        _management_table(_of(found, "mgmt")),
        _ethernet_table(_of(found, "Ethernet")),
        _channel_table(_of(found, "port-channel")),
        _loopback_table(_of(found, "loopback")),
        _svi_table(_of(found, "Vlan")),
    ]
    return Reply(
        "\n" + "\n".join(block for block in blocks if block), table("interface", [_brief_row(e) for e in found])
    )


def _block(rule: str, head: list[str], rows: list[str]) -> str:
    return "\n".join([rule, *head, rule, *rows, ""]) if rows else ""


def _state(each: Interface) -> str:
    return "up" if each.is_up else "down"


def _management_table(found: list[Interface]) -> str:
    head = ["Port   VRF          Status IP Address                              Speed    MTU"]
    rows = [
        f"{e.name:<6} --           {_state(e):<6} {e.address[0] if e.address else '--':<39} "
        f"{e.short_speed:<8} {e.mtu_bytes}"
        for e in found
    ]
    return _block(_RULE, head, rows)


def _vlan_of(each: Interface) -> str:
    """A trunk's is its native VLAN."""
    return "--" if each.mode == "routed" else str(each.access_vlan or _native(each))


def _native(each: Interface) -> int:
    return int(each.node.value("switchport trunk native vlan", "vlan") or 1)


def _speed_of(each: Interface, prefix: str = "") -> str:
    """``(D)``: the port alone decided; channels whose members agree have ``a-`` before theirs."""
    return f"{prefix if each.is_up else ''}{each.short_speed}({'I' if prefix and not each.is_up else 'D'})"


def _ethernet_table(found: list[Interface]) -> str:
    head = [
        "Ethernet      VLAN    Type Mode   Status  Reason                   Speed     Port",
        "Interface                                                                    Ch #",
    ]
    rows = [
        f"{short_name(e.name):<13} {_vlan_of(e):<7} eth  {e.mode:<6} {_state(e):<7} "
        f"{'none' if e.is_up else e.reason:<24} {_speed_of(e):>8} {e.group.removeprefix('port-channel') or '--'}"
        for e in found
    ]
    return _block(_RULE, head, rows)


def _channel_table(found: list[Interface]) -> str:
    head = ["Port-channel VLAN    Type Mode   Status  Reason                    Speed   Protocol", "Interface"]
    rows = [
        f"{short_name(e.name):<12} {_vlan_of(e):<7} eth  {e.mode:<6} {_state(e):<7} "
        f"{'none' if e.is_up else e.reason:<22} {_speed_of(e, 'a-'):>11}  {_protocol(e)}"
        for e in found
    ]
    return _block(_RULE, head, rows)


def _protocol(each: Interface) -> str:
    """Of a channel: whether its ports speak LACP."""
    ports = each.view.fabric.state(each.view.device.name).interfaces
    return "lacp" if any(p.group == each.name and p.lacp_active is not None for p in ports) else "none"


def _loopback_table(found: list[Interface]) -> str:
    head = ["Interface     Status     Description"]
    return _block(_RULE, head, [f"{short_name(e.name):<13} {_state(e):<10} {e.description or '--'}" for e in found])


def _svi_table(found: list[Interface]) -> str:
    head = ["Interface Secondary VLAN(Type)                    Status Reason"]
    rows = [
        f"{e.name:<9} --                                      {_state(e):<6} {'--' if e.is_up else e.reason}"
        for e in found
    ]
    return _block(_SHORT_RULE, head, rows)


def _brief_row(each: Interface) -> Body:
    return {
        "interface": each.name,
        "state": _state(each),
        "state_rsn_desc": "none" if each.is_up else each.reason,
        "portmode": each.mode,
        "vlan": _vlan_of(each),
        "type": "eth",
        "speed": _speed_of(each),
    }


# -- description and status ----------------------------------------------------------------------------------------


def description(view: View) -> Reply:
    """Show interface description: a table for the ports, one for each other kind."""
    found, blocks = facts(view), []
    for kind in ("mgmt", "Ethernet", "port-channel", "loopback", "Vlan"):
        rows = _of(found, kind)
        is_ports = kind == "Ethernet"
        head = ["Port          Type   Speed   Description" if is_ports else "Interface                Description"]
        lines = [
            f"{short_name(e.name):<13} eth    {e.short_speed:<7} {e.description or '--'}"
            if is_ports
            else f"{short_name(e.name):<24} {e.description or '--'}"
            for e in rows
        ]
        blocks.append(_block(_SHORT_RULE, head, lines))
    body = [{"interface": e.name, "type": "eth", "speed": e.short_speed, "desc": e.description or "--"} for e in found]
    return Reply("\n" + "\n".join(block for block in blocks if block), table("interface", body))


def status(view: View) -> Reply:
    """Show interface status."""
    found = facts(view)
    head, lines = ["Port          Name               Status    Vlan      Duplex  Speed   Type"], []
    rows: list[Body] = []
    for e in found:
        word, duplex = _status_word(e), "full" if e.is_up or e.kind == "mgmt" else "auto"
        name = (e.description or "--")[:18]
        kind = media(e) if e.kind == "Ethernet" else "--"
        vlan, speed = e.vlan_word, e.short_speed
        lines.append(f"{short_name(e.name):<13} {name:<18} {word:<9} {vlan:<9} {duplex:<7} {speed:<7} {kind}")
        rows.append({"interface": e.name, "name": name, "state": word, "vlan": vlan, "speed": speed, "type": kind})
    return Reply("\n" + _block(_RULE, head, lines), table("interface", rows))


def _status_word(each: Interface) -> str:
    if each.is_up:
        return "connected"
    if not each.is_admin_up:
        return "disabled"
    words = {"XCVR not inserted": "xcvrAbsen", "No operational members": "noOperMem", "VLAN/BD is down": "down"}
    return words.get(each.reason, "notconnec")


# -- switchport ----------------------------------------------------------------------------------------------------


def switchport(view: View, name: str | None = None) -> Reply:
    """Show interface [X] switchport: ports and channels."""
    found = [e for e in facts(view, name) if e.kind in ("Ethernet", "port-channel") and "." not in e.name]
    return Reply("\n".join(map(_switchport_text, found)), table("interface", [_switchport_row(e) for e in found]))


def _vlan_name(each: Interface, number: int) -> str:
    node = each.view.store.running.first(f"vlan {number}")
    if number == 1:
        return "default"
    if node is None:
        return "Vlan not created"
    return node.value("name", "name") or f"VLAN{number:04d}"


def _switchport_row(each: Interface) -> Body:
    is_on, access, native = each.mode != "routed", each.access_vlan or 1, _native(each)
    return {
        "interface": each.name,
        "switchport": "Enabled" if is_on else "Disabled",
        "oper_mode": (each.mode if each.is_up else "down") if is_on else "Down",
        "access_vlan": access,
        "access_vlan_name": _vlan_name(each, access),
        "native_vlan": native,
        "native_vlan_name": _vlan_name(each, native),
        "trunk_vlans": each.node.value("switchport trunk allowed vlan", "vlans") or "1-4094",
    }


def _switchport_text(each: Interface) -> str:
    row = _switchport_row(each)
    lines = [f"Name: {each.name}", f"  Switchport: {row['switchport']}"]
    if row["switchport"] == "Enabled":
        lines += [
            "  Switchport Monitor: Not enabled",
            f"  Operational Mode: {row['oper_mode']}",
            f"  Access Mode VLAN: {row['access_vlan']} ({row['access_vlan_name']})",
            f"  Trunking Native Mode VLAN: {row['native_vlan']} ({row['native_vlan_name']})",
            f"  Trunking VLANs Allowed: {row['trunk_vlans']}",
        ]
    return "\n".join(lines) + "\n"


# -- counters and transceivers -------------------------------------------------------------------------------------

_OF_TRAFFIC = ("pkts", "ucast", "mcast", "bcast", "bytes")


def counters_detailed(view: View) -> Reply:
    """Show interface counters detailed: what was counted; a port without traffic has its name alone."""
    rows: list[Body] = []
    for e in facts(view):
        if e.kind in ("Ethernet", "port-channel"):
            counted = counters(e)
            keys = [f"{way}{kind}" for way in ("in", "out") for kind in _OF_TRAFFIC]
            rows.append({"interface": e.name, **{f"eth_{k}": str(counted[k]) for k in keys if counted[k]}})
        elif e.kind == "mgmt":
            keys = ["in_pkts", "in_bytes", "in_mcast", "out_pkts", "out_bytes"]
            rows.append({"interface": e.name, **{f"mgmt_{k}": "0" for k in keys}})
    text = "\n".join(
        "\n".join([r["interface"], *(f"  {k}: {v}" for k, v in r.items() if k != "interface")]) for r in rows
    )
    return Reply(text + "\n", table("interface", rows))


_MEDIA = {1: "1000base-T", 10: "10Gbase-SR", 25: "25Gbase-SR", 40: "40Gbase-SR4", 100: "100Gbase-SR4"}


def media(each: Interface) -> str:
    """What is plugged in: the lab knows speeds, and no kinds of cables (M)."""
    name = each.name.partition(".")[0]
    if is_twisted_pair(each.view.device.model, name):
        return _MEDIA[1]
    gbps = each.kbps // 1_000_000
    is_there = each.view.fabric.link(each.view.device.name, name).peer is not None
    return _MEDIA.get(gbps, f"{gbps}Gbase-DR4") if is_there else "--"


def transceiver(view: View) -> Reply:
    """Show interface transceiver details: light as optics.py has it; twisted pair has no transceiver."""
    lit = {each.port: each for each in optics(view.fabric, view.device.name)}
    blocks, rows = [], []
    for e in _of(facts(view), "Ethernet"):
        if "." in e.name:
            continue
        if is_twisted_pair(view.device.model, e.name):
            lines = ["    transceiver is not applicable"]
        elif e.name not in lit:
            lines = ["    transceiver is not present"]
        else:
            lines = [*_maker(e), "", *_diagnostics(lit[e.name])]
        blocks.append("\n".join([e.name, *lines]))
        rows.append(_transceiver_row(e, lit.get(e.name)))
    return Reply("\n\n".join(blocks) + "\n", table("interface", rows))


def _transceiver_row(each: Interface, optic: Optic | None) -> Body:
    """Keys: tests/recorded/nxos_show/counters.txt."""
    if optic is None or is_twisted_pair(each.view.device.model, each.name):
        return {"interface": each.name, "sfp": "not present"}
    temperature, _, _, sent, received = (bounds for _, _, bounds in _LIMITS)
    row = {"lane_number": "1", "temperature": f"{optic.temperature_c:.2f}"}
    row |= {"temp_alrm_hi": f"{temperature[0]:.2f}", "temp_alrm_lo": f"{temperature[1]:.2f}"}
    for name, value, bounds in (("tx", optic.tx_dbm, sent), ("rx", optic.rx_dbm, received)):
        row |= {f"{name}_pwr": f"{value:.2f}"}
        row |= {f"{name}_pwr_alrm_hi": f"{bounds[0]:.2f}", f"{name}_pwr_alrm_lo": f"{bounds[1]:.2f}"}
    row["xmit_faults"] = "0"
    head = {"interface": each.name, "sfp": "present", "type": media(each), "name": "LAB"}
    return {**head, **table("lane", [row])}


def _maker(each: Interface) -> list[str]:
    return [
        "    transceiver is present",
        f"    type is {media(each)}",
        "    name is LAB",
        f"    part number is LAB-{each.kbps // 1_000_000}G",
        "    revision is 1",
        f"    serial number is {each.mac.replace('.', '').upper()}",
        f"    nominal bitrate is {each.kbps // 1000} MBit/sec",
        "    cisco id is --",
        "    cisco extended id number is 4",
        "    number of lanes 1",
    ]


_LIMITS = (
    ("Temperature", "C", (75.0, -5.0, 70.0, 0.0)),
    ("Voltage", "V", (3.63, 2.97, 3.46, 3.13)),
    ("Current", "mA", (11.8, 4.0, 10.8, 5.0)),
    ("Tx Power", "dBm", (1.69, -11.3, -1.3, -7.3)),
    ("Rx Power", "dBm", (2.0, -13.9, -1.0, -9.9)),
)
"""Alarms high and low, warnings high and low, of the recorded optic."""


def _diagnostics(optic: Optic) -> list[str]:
    now = (optic.temperature_c, VOLTAGE_V, optic.bias_ma, optic.tx_dbm, optic.rx_dbm)
    rule = "  " + "-" * 76
    lines = ["           SFP Detail Diagnostics Information (internal calibration)", rule]
    lines += [
        "                Current              Alarms                  Warnings",
        "                Measurement     High        Low         High          Low",
        rule,
    ]
    for (name, unit, (high, low, warm, cool)), value in zip(_LIMITS, now, strict=True):
        alarm = "--" if value < low else "++" if value > high else "  "
        bounds = f"{high:>8.2f} {unit:<4}{low:>8.2f} {unit:<4}{warm:>8.2f} {unit:<4}{cool:>8.2f} {unit}"
        lines.append(f"  {name:<12}{value:>7.2f} {unit:<3} {alarm}{bounds}")
    note = "  Note: ++  high-alarm; +  high-warning; --  low-alarm; -  low-warning"
    return [*lines, "  Transmit Fault Count = 0", rule, note]
