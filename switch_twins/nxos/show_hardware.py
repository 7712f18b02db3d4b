"""show environment, processes cpu, processes memory shared, system resources, module, license host-id.

Keys and lines: tests/recorded/nxos_show/environment.txt, module.txt. Which power supplies and fans work is the lab's
(parts.py), temperatures and load are what a test seeded; else, and memory, the same on every switch (M).
"""

from __future__ import annotations

from ..parts import FANS, SUPPLIES
from .interface_facts import facts
from .reply import Body, Reply, View, table

SENSORS = (("Intake", 70, 42, 28), ("Exhaust", 90, 80, 33), ("CPU", 100, 90, 44), ("Davos", 110, 90, 49))
"""Name, major and minor threshold, now: in degrees Celsius."""
_SUPPLY = "NXA-PAC-1100W-PE2"
_FAN = "NXA-FAN-65CFM-PE -- back-to-front"
"""A fan tray: model, hardware version, and where its air goes."""
_SUPPLY_W, _DRAW_W, _DRAW_IN_W = 1100, 230, 255
_BUSY_PERCENT = 5
_CPUS = 8
_MEMORY_KB, _USED_KB = 32_827_288, 9_848_186
_SHARED_KB, _SHARED_USED_KB = 627, 52
_LINE = "-" * 68


# -- environment ---------------------------------------------------------------------------------------------------


def environment(view: View) -> Reply:
    """Show environment: fans, temperatures, power."""
    body = {"fandetails": _fans(view), **_temperatures_body(view), "powersup": _power(view)}
    text = "\n".join((_fans_text(view), _temperature_text(view), _power_text(view)))
    return Reply(text, body)


def temperature(view: View) -> Reply:
    """Show environment temperature."""
    return Reply(_temperature_text(view), _temperatures_body(view))


def fan(view: View) -> Reply:
    """Show environment fan."""
    return Reply(_fans_text(view), {"fandetails": _fans(view)})


def power(view: View) -> Reply:
    """Show environment power."""
    return Reply(_power_text(view), {"powersup": _power(view)})


def _works(view: View, part: str) -> bool:
    return view.fabric.parts.works(view.device.name, part)


def _fans(view: View) -> Body:
    rows: list[Body] = []
    for number in range(1, FANS + 1):
        status = "Ok" if _works(view, f"fan-{number}") else "Failure"
        rows.append(_fan_row(f"Fan{number}(sys_fan{number})", status, is_tray=True))
    for number in range(1, SUPPLIES + 1):
        status = "Ok" if _works(view, f"supply-{number}") else "Shutdown"
        rows.append(_fan_row(f"Fan_in_PS{number}", status, is_tray=False))
    zone = {"ROW_fan_zone_speed": {"zone": "1", "zonespeed": "0xb3"}}
    return {"fan_filter_status": "NotSupported", **table("faninfo", rows), "TABLE_fan_zone_speed": zone}


def _fan_row(name: str, status: str, *, is_tray: bool) -> Body:
    tray, hardware, airflow = _FAN.split()
    known = {"fanname": name, "fanmodel": tray if is_tray else "", "fanhwver": hardware}
    return {**known, "fandir": airflow, "fanstatus": status}


def _fans_text(view: View) -> str:
    found = _fans(view)["TABLE_faninfo"]["ROW_faninfo"]
    head = ["Fan:", _LINE, "Fan             Model                Hw         Direction      Status", _LINE]
    lines = [
        f"{r['fanname']:<15} {r['fanmodel'] or '--':<20} {r['fanhwver']:<10} {r['fandir']:<14} {r['fanstatus']}"
        for r in found
    ]
    return "\n".join([*head, *lines, "Fan Zone Speed: Zone 1: 0xb3", "Fan Air Filter : NotSupported", "", ""])


def _temperatures(view: View) -> list[Body]:
    rows = []
    for name, major, minor, usual in SENSORS:
        now = int(view.fabric.seeds.number(view.device.name, f"temperature.{name}", default=usual))
        row = {"tempmod": "1", "sensor": name, "majthres": str(major), "minthres": str(minor), "curtemp": str(now)}
        rows.append({**row, "alarmstatus": "Ok" if now < minor else "MinAlarm" if now < major else "MajAlarm"})
    return rows


def _temperatures_body(view: View) -> Body:
    return table("tempinfo", _temperatures(view))


def _temperature_text(view: View) -> str:
    lines = [
        "Temperature:",
        _LINE,
        "Module   Sensor        MajorThresh   MinorThres   CurTemp     Status",
        "                       (Celsius)     (Celsius)    (Celsius)",
        _LINE,
    ]
    lines += [
        f"1        {r['sensor']:<15} {r['majthres']:<15} {r['minthres']:<11} {r['curtemp']:<10} {r['alarmstatus']}"
        for r in _temperatures(view)
    ]
    return "\n".join([*lines, "", ""])


def _power(view: View) -> Body:
    works = {number: _works(view, f"supply-{number}") for number in range(1, SUPPLIES + 1)}
    there = sum(works.values())
    share, share_in = (_DRAW_W // there, _DRAW_IN_W // there) if there else (0, 0)
    rows = [
        {
            "psnum": number,
            "psmodel": _SUPPLY,
            "actual_out": f"{share if ok else 0:>5} W",
            "actual_input": f"{share_in if ok else 0:>5} W",
            "tot_capa": f"{_SUPPLY_W if ok else 0:>5} W",
            "ps_status": "Ok" if ok else "Shutdown",
        }
        for number, ok in works.items()
    ]
    whole = f"{there * _SUPPLY_W:>7}.00 W"
    summary = {
        "ps_redun_mode": "PS-Redundant",
        "ps_oper_mode": "PS-Redundant" if there == SUPPLIES else "Non-Redundant",
        "tot_pow_capacity": whole,
        "tot_gridA_capacity": whole,
        "tot_gridB_capacity": "   0.00 W",
        "cumulative_power": whole,
        "tot_pow_out_actual_draw": f"{_DRAW_W:>7}.00 W",
        "tot_pow_input_actual_draw": f"{_DRAW_IN_W:>7}.00 W",
        "tot_pow_alloc_budgeted": "   N/A   ",
        "available_pow": "   N/A   ",
    }
    return {"voltage_level": 12, "power_summary": summary, **table("psinfo", rows)}


def _power_text(view: View) -> str:
    found = _power(view)["TABLE_psinfo"]["ROW_psinfo"]
    head = ["Power Supply:", "Voltage: 12 Volts", "Power                      Actual             Actual        Total"]
    head.append("Supply    Model            Output             Input      Capacity     Status")
    lines = [
        f"{r['psnum']:<9} {r['psmodel']:<18} {r['actual_out']:<15} {r['actual_input']:<12} {r['tot_capa']:<10} "
        f"{r['ps_status']}"
        for r in found
    ]
    return "\n".join([*head, *lines, ""])


# -- load and memory -----------------------------------------------------------------------------------------------


def _load(view: View) -> tuple[int, str, str]:
    """The load in percent, half of it the kernel's, and what is idle."""
    busy = int(view.fabric.seeds.number(view.device.name, "cpu", default=_BUSY_PERCENT))
    return busy, f"{busy / 2:.2f}", f"{100 - busy:.2f}"


def processes_cpu(view: View) -> Reply:
    """Show processes cpu: one process of many."""
    busy, half, idle = _load(view)
    row = {"pid": 1, "runtime": 2312, "invoked": 1164, "usecs": 1986, "onesec": "0.00", "process": "init"}
    body = {
        "user_percent": half,
        "kernel_percent": half,
        "idle_percent": idle,
        "fivesec_percent": busy,
        "fivesec_intr_percent": 0,
        "onemin_percent": busy,
        "fivemin_percent": busy,
        **table("process_cpu", [row]),
    }
    text = (
        f"CPU utilization for five seconds: {busy}%/0%; one minute: {busy}%; five minutes: {busy}%\n\n"
        "PID    Runtime(ms)  Invoked   uSecs  1Sec    Process\n"
        "-----  -----------  --------  -----  ------  -----------\n"
        "    1         2312      1164   1986   0.00%  init\n"
    )
    return Reply(text, body)


def processes_memory_shared(_: View) -> Reply:
    """Show processes memory shared."""
    body = {
        "process-memory-share-total-shm-size": _SHARED_KB,
        "process-memory-share-total-shm-used": _SHARED_USED_KB,
        "process-memory-share-total-shm-avail": _SHARED_KB - _SHARED_USED_KB,
    }
    text = f"Totals - Size: {_SHARED_KB} MB, Used: {_SHARED_USED_KB} MB, Available: {_SHARED_KB - _SHARED_USED_KB} MB\n"
    return Reply(text, table("process_tag", [body]))


def system_resources(view: View) -> Reply:
    """Show system resources."""
    free, (_, half, idle) = _MEMORY_KB - _USED_KB, _load(view)
    lines = [
        "Load average:   1 minute: 0.40   5 minutes: 0.40   15 minutes: 0.40",
        "Processes   :   635 total, 1 running",
        f"CPU states  :   {half}% user,   {half}% kernel,   {idle}% idle",
        *(f"        CPU{n} states  :   {half}% user,   {half}% kernel,   {idle}% idle" for n in range(_CPUS)),
        f"Memory usage:   {_MEMORY_KB}K total,   {_USED_KB}K used,   {free}K free",
        "Current memory status: OK",
    ]
    cpus = [{"cpuid": n, "user": half, "kernel": half, "idle": idle} for n in range(_CPUS)]
    body = {
        "load_avg_1min": "0.40",
        "load_avg_5min": "0.40",
        "load_avg_15min": "0.40",
        "processes_total": 635,
        "processes_running": 1,
        "cpu_state_user": half,
        "cpu_state_kernel": half,
        "cpu_state_idle": idle,
        **table("cpu_usage", cpus),
        "memory_usage_total": _MEMORY_KB,
        "memory_usage_used": _USED_KB,
        "memory_usage_free": free,
        "current_memory_status": "OK",
    }
    return Reply("\n".join([*lines, ""]), body)


# -- what it is made of --------------------------------------------------------------------------------------------


def module(view: View) -> Reply:
    """Show module: all models of the lab are fixed switches, of one module."""
    device, kind = view.device, f"{len(view.device.ports)}x{_fastest(view)}G Ethernet Module"
    status = view.fabric.seeds.word(device.name, "moduleStatus") or "active *"
    macs = f"{_dashed(view, 'mgmt0')} to {_dashed(view, 'mgmt0')}"
    text = f"""Mod Ports             Module-Type                      Model           Status
--- ----- ------------------------------------- --------------------- ---------
1    {len(device.ports):<4} {kind:<37} {device.model:<21} {status}

Mod  Sw                       Hw    Slot
---  ----------------------- ------ ----
1    {device.release:<24} 1.0    SUP1


Mod  MAC-Address(es)                         Serial-Num
---  --------------------------------------  ----------
1    {macs:<39} {view.serial}

* this terminal session
"""
    rows: dict[str, Body] = {
        "modinfo": {
            "modinf": "1",
            "ports": str(len(device.ports)),
            "modtype": kind,
            "model": device.model,
            "status": status,
        },
        "modwwninfo": {"modwwn": "1", "sw": device.release, "hw": "1.0", "slottype": "SUP1"},
        "modmacinfo": {"modmac": "1", "mac": macs, "serialnum": view.serial},
        "moddiaginfo": {"mod": "1", "diagstatus": "Pass"},
    }
    return Reply(text, {key: value for name, row in rows.items() for key, value in table(name, [row]).items()})


def _fastest(view: View) -> int:
    return max((each.kbps // 1_000_000 for each in facts(view) if each.kind == "Ethernet"), default=0)


def _dashed(view: View, name: str) -> str:
    digits = next(each.mac for each in facts(view) if each.name == name).replace(".", "")
    return "-".join(digits[at : at + 2] for at in range(0, 12, 2))


def license_host_id(view: View) -> Reply:
    """Show license host-id: the chassis's serial number."""
    return Reply(f"License hostid: VDH={view.serial}\n", {"host_id": f"VDH={view.serial}"})
