"""show system environment, processes top once, interfaces transceiver: what the box itself says.

Shapes: tests/recorded/eos_show/environment.txt, transceiver.txt. Temperatures, speeds of fans and the supplies' power
are nominal (M): nothing in the lab gets warm. The word for a fan that has failed has no source (M).
"""

from __future__ import annotations

import time
from typing import Any

from ...optics import VOLTAGE_V, optics
from ...parts import FANS, SUPPLIES
from ..view import View
from .interfaces import bandwidth_bps
from .media import copper_ports, media_type
from .system import MEMORY_KB

_FAN_PERCENT, _SUPPLY_W, _DRAWN_W = 40, 500.0, 150.0
_SENSORS = (("Cpu temp sensor", 40.0, 95.0, 105.0), ("Front-panel temp sensor", 25.0, 65.0, 75.0))


def cooling_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show system environment cooling``."""
    trays = {n: "ok" if view.fabric.parts.works(view.device.name, f"fan-{n}") else "failed" for n in range(1, FANS + 1)}
    is_ok = set(trays.values()) == {"ok"}
    return {
        "systemStatus": "coolingOk" if is_ok else "coolingFailure",
        "coolingMode": "automatic",
        "overrideFanSpeed": 0,
        "shutdownOnInsufficientFans": True,
        "ambientTemperature": _SENSORS[1][1],
        "airflowDirection": "frontToBackAirflow",
        "powerSupplySlots": [],
        "fanTraySlots": [_tray(view, str(number), status) for number, status in trays.items()],
    }


def _tray(view: View, label: str, status: str) -> dict[str, Any]:
    speed = _FAN_PERCENT if status == "ok" else 0
    fan = {
        "label": f"{label}/1",
        "status": status,
        "uptime": view.timestamp(view.booted_s),
        "configuredSpeed": _FAN_PERCENT,
        "actualSpeed": speed,
        "speedStable": status == "ok",
    }
    return {"label": label, "status": status, "speed": speed, "fans": [fan]}


def temperature_json(_: View, __: dict[str, str]) -> dict[str, Any]:
    """``show system environment temperature``."""
    sensors = [
        {
            "name": f"TempSensor{number}",
            "description": what,
            "relPos": str(number),
            "hwStatus": "ok",
            "currentTemperature": now,
            "maxTemperature": now,
            "overheatThreshold": hot,
            "criticalThreshold": critical,
            "inAlertState": False,
            "alertCount": 0,
        }
        for number, (what, now, hot, critical) in enumerate(_SENSORS, start=1)
    ]
    return {
        "systemStatus": "temperatureOk",
        "shutdownOnOverheat": True,
        "tempSensors": sensors,
        "cardSlots": [],
        "powerSupplySlots": [],
    }


def power_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show system environment power``: a supply without power says less, as recorded."""
    working = [n for n in range(1, SUPPLIES + 1) if view.fabric.parts.works(view.device.name, f"supply-{n}")]
    supplies: dict[str, Any] = {}
    for number in range(1, SUPPLIES + 1):
        one: dict[str, Any] = {"modelName": "PWR-500AC-F", "capacity": _SUPPLY_W, "fans": {}, "tempSensors": {}}
        one |= {"managed": True, "state": "ok" if number in working else "powerLoss"}
        if number in working:
            one |= {"uptime": view.timestamp(view.booted_s), "outputPower": _DRAWN_W / len(working)}
        supplies[str(number)] = one
    return {"powerSupplies": supplies}


def top_text(view: View, _: dict[str, str]) -> str:
    """``show processes top once``: the head of it: nothing runs on a twin but top."""
    up = int(view.uptime_s)
    days, hours, minutes = up // 86400, up // 3600 % 24, up // 60 % 60
    free = MEMORY_KB // 2
    return (
        f"top - {time.strftime('%H:%M:%S', time.gmtime(view.timestamp(view.clock.now_s())))} up {days} days,"
        f" {hours:2}:{minutes:02},  0 users,  load average: 0.00, 0.00, 0.00\n"
        "Tasks:   1 total,   1 running,   0 sleeping,   0 stopped,   0 zombie\n"
        "%Cpu(s):  0.3 us,  0.0 sy,  0.0 ni, 99.7 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
        f"KiB Mem:  {MEMORY_KB} total,  {MEMORY_KB - free} used,  {free} free,        0 buffers\n"
        "KiB Swap:        0 total,        0 used,        0 free,        0 cached\n\n"
        "  PID USER      PR  NI  VIRT  RES  SHR S  %CPU %MEM    TIME+  COMMAND\n"
    )


def transceivers_json(view: View, _: dict[str, str]) -> dict[str, Any]:
    """``show interfaces transceiver``: of ports with an optic."""
    without, states = copper_ports(view.device), {each.name: each for each in view.state.interfaces}
    return {
        "interfaces": {
            each.port: {
                "mediaType": media_type(view, each.port, bandwidth_bps(view, states[each.port]) // 1_000_000_000),
                "vendorSn": f"{view.device.serial}{number:04d}",
                "temperature": each.temperature_c,
                "voltage": VOLTAGE_V,
                "txBias": each.bias_ma,
                "txPower": each.tx_dbm,
                "rxPower": each.rx_dbm,
                "updateTime": view.timestamp(view.clock.now_s()),
            }
            for number, each in enumerate(optics(view.fabric, view.device.name), start=1)
            if each.port.startswith("Ethernet") and each.port not in without
        }
    }
