"""A switch as FRR on another Linux would begin: its configuration, ports and kernel settings, from its own tree."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable
from typing import Any

from ..errors import Problem, TwinError
from ..twin import Twin
from .cabling import SETTINGS
from .conf import configuration, text
from .form import Routing
from .names import LOOPBACK, kernel_name
from .ports import wanted_ports


def check_system(twin: Twin) -> None:
    """Raises TwinError for a system without ``to_frr.py``."""
    if importlib.util.find_spec(_module(twin)) is None:
        raise TwinError(Problem(twin.name, "switches of this system have no routed lab", found=twin.device.os))


def routing_of(twin: Twin, *, has_devices: bool = False) -> Routing:
    """What FRR and the kernel need of a twin's configuration. ``has_devices``: the kernel has VRFs, VLANs and bonds.

    Raises TwinError for a system without ``to_frr.py``.
    """
    check_system(twin)
    found: Routing = importlib.import_module(_module(twin)).routing(twin, has_devices=has_devices)
    return found


def _module(twin: Twin) -> str:
    return f"switch_twins.{twin.device.os}.to_frr"


def startup(twin: Twin, cabled: Iterable[str], release: int) -> dict[str, Any]:
    """All that FRR of this major release and a kernel need to be this switch, as plain data.

    ``ports``: in the order of ``cabled``, loopback first; each with the switch's name of it and the kernel's.
    ``refused``: lines that FRR has no counterpart for; with one, the configuration has no routing.
    """
    state, routing = twin.state(), routing_of(twin)
    names = list(cabled)
    wanted = wanted_ports(state, dict.fromkeys(names, True))
    ports = [("", LOOPBACK), *((name, kernel_name(name)) for name in names)]
    return {
        "configuration": "" if routing.refused else text(configuration(state, routing, release)),
        "refused": [str(each) for each in routing.refused],
        "left_out": [str(each) for each in routing.left_out],
        "settings": [*SETTINGS, f"net.ipv4.ip_forward={int(state.is_routing)}"],
        "ports": [
            {
                "port": port,
                "name": name,
                "is_up": wanted[name].is_up,
                "mtu_bytes": wanted[name].mtu_bytes,
                "addresses": sorted(wanted[name].addresses),
                "mac": wanted[name].mac,
            }
            for port, name in ports
        ],
    }
