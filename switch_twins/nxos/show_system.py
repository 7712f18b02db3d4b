"""show version, hostname, inventory, hosts, feature, clock: the facts of the switch.

JSON keys: napalm 5.2.0 test/nxos/mocked_data/test_get_facts; text: ntc-templates 9.3.0 and published outputs of
NX-OS 9.3.
"""

from __future__ import annotations

import datetime as dt

from .day0 import image_file
from .dlb import profile_lines, waiting
from .reply import Reply, View, table


def version(view: View) -> Reply:
    """Show version."""
    device, hostname = view.device, view.store.hostname
    days, rest = divmod(view.up_s(), 86400)
    hours, minutes, seconds = rest // 3600, rest % 3600 // 60, rest % 60
    image = image_file(device).replace("bootflash:/", "bootflash:///")
    chassis = f"Nexus9000 {device.model.removeprefix('N9K-')} Chassis"
    text = f"""Cisco Nexus Operating System (NX-OS) Software
TAC support: http://www.cisco.com/tac

Software
  BIOS: version 01.14
  NXOS: version {device.release}
  Host NXOS: version {device.release}
  BIOS compile time:  09/14/2023
  NXOS image file is: {image}
  NXOS compile time:  4/1/2024 12:00:00 [04/01/2024 20:00:00]

Hardware
  cisco {chassis}
  Intel(R) Xeon(R) CPU D-1526 @ 1.80GHz with 32827288 kB of memory.
  Processor Board ID {view.serial}

  Device name: {hostname}
  bootflash:  115343360 kB

Kernel uptime is {days} day(s), {hours} hour(s), {minutes} minute(s), {seconds} second(s)

Last reset
  Reason: Reset Requested by CLI command reload
  System version: {device.release}
  Service:

plugin
  Core Plugin, Ethernet Plugin
"""
    body = {
        "header_str": "Cisco Nexus Operating System (NX-OS) Software",
        "bios_ver_str": "01.14",
        "nxos_ver_str": device.release,
        "sys_ver_str": device.release,
        "kickstart_ver_str": device.release,
        "bios_cmpl_time": "09/14/2023",
        "nxos_file_name": image,
        "kick_file_name": image,
        "chassis_id": chassis,
        "cpu_name": "Intel(R) Xeon(R) CPU D-1526 @ 1.80GHz",
        "memory": 32827288,
        "mem_type": "kB",
        "proc_board_id": view.serial,
        "host_name": hostname,
        "bootflash_size": 115343360,
        "kern_uptm_days": days,
        "kern_uptm_hrs": hours,
        "kern_uptm_mins": minutes,
        "kern_uptm_secs": seconds,
        "rr_reason": "Reset Requested by CLI command reload",
        "rr_sys_ver": device.release,
        "manufacturer": "Cisco Systems, Inc.",
    }
    return Reply(text, body)


def hostname(view: View) -> Reply:
    """Show hostname: with the domain name, if one is set."""
    domain = view.store.running.root.value("ip domain-name", "name")
    name = f"{view.store.hostname}.{domain}" if domain else view.store.hostname
    return Reply(f"{name} \n", {"hostname": name})


def hosts(view: View) -> Reply:
    """Show hosts."""
    domain = view.store.running.root.value("ip domain-name", "name")
    lookup = "enabled" if view.store.running.first("ip domain-lookup") else "disabled"
    lines = [f"DNS lookup {lookup}"]
    lines += [f"Default domain for vrf:default is {domain}"] if domain else ["Default domain is not set"]
    return Reply("\n".join([*lines, "Name servers for vrf:default is not set", ""]), {"dnslookup": lookup})


def inventory(view: View) -> Reply:
    """Show inventory."""
    device = view.device
    chassis = f"Nexus9000 {device.model.removeprefix('N9K-')} Chassis"
    rows = [
        {"name": "Chassis", "desc": chassis, "productid": device.model, "vendorid": "V01", "serialnum": view.serial},
        {
            "name": "Slot 1",
            "desc": f"{len(device.ports)}x400G Ethernet Module",
            "productid": device.model,
            "vendorid": "V01",
            "serialnum": view.serial,
        },
    ]
    text = "".join(
        f'NAME: "{r["name"]}",  DESCR: "{r["desc"]}"\n'
        f"PID: {r['productid']}  ,  VID: {r['vendorid']} ,  SN: {r['serialnum']}\n\n"
        for r in rows
    )
    return Reply(text, table("inv", rows))


def feature(view: View) -> Reply:
    """Show feature."""
    tree = view.store.running
    names: tuple[str, ...] = (
        "bash-shell",
        "bfd",
        "bgp",
        "dhcp",
        "hsrp_engine",
        "interface-vlan",
        "lacp",
        "lldp",
        "nxapi",
        "ospf",
    )
    names += ("scheduler", "scp-server", "sftp-server", "sshServer", "tacacs", "telnet", "vpc")
    spelling = {"sshServer": "ssh", "tacacs": "tacacs+", "hsrp_engine": "hsrp"}
    rows = [
        {
            "cfcFeatureCtrlName2": name,
            "cfcFeatureCtrlInstanceNum2": "1",
            "cfcFeatureCtrlOpStatus2": "enabled"
            if tree.effective(tree.root, f"feature {spelling.get(name, name)}")
            else "disabled",
        }
        for name in names
    ]
    lines = ["Feature Name          Instance  State", "--------------------  --------  --------"]
    lines += [f"{r['cfcFeatureCtrlName2']:<22}{1:<10}{r['cfcFeatureCtrlOpStatus2']}" for r in rows]
    return Reply("\n".join(lines) + "\n", table("cfcFeatureCtrlTable", rows))


def _zone(view: View) -> tuple[str, int, int]:
    """Name, hours and minutes of the configured zone."""
    node = view.store.running.first("clock timezone")
    return (
        ("UTC", 0, 0) if node is None else (node.params["zone"], int(node.params["hours"]), int(node.params["minutes"]))
    )


def clock(view: View) -> Reply:
    """Show clock."""
    moment = view.store.now()
    zone, hours, minutes = _zone(view)
    moment += dt.timedelta(hours=hours, minutes=minutes)
    now = f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d} {zone} {moment:%a %b %d %Y}"
    return Reply(f"{now}\nTime source is NTP\n", {"simple_time": now, "time_source": "NTP"})


def reload_pending(view: View) -> Reply:
    """Show system config reload-pending (document 70664489287); the output when nothing waits is not published."""
    rows = waiting(profile_lines(view.store.running), view.store.started_with)
    if not rows:
        return Reply("\n")
    rule = "=" * 54
    body = "".join(f"{number}       {row}\n" for number, row in enumerate(rows))
    return Reply(f"Following config commands require copy r s + reload :\n{rule}\n{body}{rule}\n")
