"""The commands for each knob of the RoCE policy: command lines of dcb, mlnx_qos and ethtool, and the driver's files.

Pure, standard library only (it runs on hosts, Python 3.9): returns the commands and writes, never executes them.
Sources:
dcb(8), dcb-app(8), dcb-pfc(8), dcb-ets(8), dcb-buffer(8), dcb-dcbx(8) of iproute2; mlnx_qos of mlnx-tools; the mlx5
driver's documentation for sysfs; Linux Documentation/ABI/testing/configfs-rdma_cm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Union

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_policy import CODE_POINTS, Policy
except ImportError:  # installed beside the service
    from roce_policy import CODE_POINTS, Policy

Command = tuple[str, ...]
ROCE_V2 = "RoCE v2"


@dataclass(frozen=True)
class Write:
    """One value for one kernel file. ``path`` as on a host."""

    path: str
    text: str

    def __str__(self) -> str:
        return f"echo {self.text} > {self.path}"


Step = Union[Command, Write]  # noqa: UP007 - evaluated on Python 3.9


def dcb_steps(knob: str, rail: str, policy: Policy, found: object) -> list[Step]:
    """The calls of dcb that change this knob from the found value to the policy; none if dcb does not set it."""
    makers: dict[str, Callable[[], list[Step]]] = {
        "dcbx": lambda: [_dcb("dcbx", rail, "host", "ieee")],
        "dscp_to_priority": lambda: _dcb_code_points(rail, policy.dscp_to_priority, found),
        "pfc": lambda: [_dcb("pfc", rail, "prio-pfc", *_pairs(_on_off(each) for each in policy.pfc))],
        "ets": lambda: [_dcb("ets", rail, "willing", "off", *_ets_maps(policy))],
        "cable_m": lambda: [_dcb("pfc", rail, "delay", str(policy.cable_m))],
        "buffer": lambda: [_dcb("buffer", rail, *_buffer_maps(policy))],
    }
    return makers[knob]() if knob in makers else []


def _dcb(topic: str, rail: str, *words: str) -> Command:
    return ("dcb", topic, "set", "dev", rail, *words)


def _dcb_code_points(rail: str, wanted: tuple[int, ...], found: object) -> list[Step]:
    """Only the code points that differ, in one call.

    ``replace`` adds first, so the table is never empty, which would reset trust to PCP; then it removes the driver's
    other entries for the same code point.
    """
    now = _known(found)
    differing = [f"{point}:{priority}" for point, priority in enumerate(wanted) if now[point] != priority]
    return [("dcb", "app", "replace", "dev", rail, "dscp-prio", *differing)]


def _known(found: object) -> Sequence[int | None]:
    """The known part of the found table of code points."""
    return found if isinstance(found, (list, tuple)) else [None] * CODE_POINTS


def _ets_maps(policy: Policy) -> list[str]:
    ets = policy.ets
    return ["tc-tsa", *_pairs(ets.tc_tsa), "tc-bw", *_pairs(ets.tc_bw), "prio-tc", *_pairs(ets.prio_tc)]


def _buffer_maps(policy: Policy) -> list[str]:
    priorities = ["prio-buffer", *_pairs(policy.priority_buffer)] if policy.priority_buffer else []
    return priorities + (["buffer-size", *_pairs(policy.buffer_bytes)] if policy.buffer_bytes else [])


def _pairs(values: Iterable[object]) -> list[str]:
    return [f"{index}:{value}" for index, value in enumerate(values)]


def _on_off(on: bool) -> str:
    return "on" if on else "off"


def mlnx_qos_steps(knob: str, rail: str, policy: Policy, found: object, cable_m: int | None) -> list[Step]:
    """The calls of mlnx_qos for this knob. ``cable_m`` is the NIC's present cable length.

    Its --pfc without --cable_len sets a length of 0, and its --cable_len without --pfc turns PFC off (mlnx_qos 1.2,
    ``set_ieee_pfc``): so both are always passed together.
    """
    length = policy.cable_m if policy.cable_m is not None else cable_m
    pfc = ("--pfc", _list(int(each) for each in policy.pfc), *(("--cable_len", str(length)) if length else ()))
    ets = policy.ets
    call = ("mlnx_qos", "-i", rail)
    if knob == "dscp_to_priority":
        points: Step = (*call, *_mlnx_code_points(policy.dscp_to_priority, found))
        shown = any(each is not None for each in _known(found))
        return [points] if shown else [(*call, "--trust", "dscp"), points]  # they show only under this trust
    priorities = ("--prio2buffer", _list(policy.priority_buffer)) if policy.priority_buffer else ()
    sizes = ("--buffer_size", _list(policy.buffer_bytes)) if policy.buffer_bytes else ()
    words: dict[str, tuple[str, ...]] = {
        "dcbx": ("-d", "os"),
        "trust": ("--trust", "dscp"),
        "pfc": pfc,
        "ets": ("--tsa", _list(ets.tc_tsa), "--tcbw", _list(ets.tc_bw), "--prio_tc", _list(ets.prio_tc)),
        "cable_m": pfc,
        "buffer": (*priorities, *sizes),
    }
    return [(*call, *words[knob])]


def _mlnx_code_points(wanted: tuple[int, ...], found: object) -> Iterable[str]:
    now = _known(found)
    for point, priority in enumerate(wanted):
        if now[point] != priority:
            yield "--dscp2prio"
            yield f"set,{point},{priority}"


def _list(values: Iterable[object]) -> str:
    return ",".join(str(each) for each in values)


def pause_steps(rail: str) -> list[Step]:
    """Global pause off in both directions: with PFC, the port must not be paused as a whole."""
    return [("ethtool", "-A", rail, "rx", "off", "tx", "off")]


def driver_steps(knob: str, rail: str, device: tuple[str, int], policy: Policy, found: object) -> list[Step]:
    """The files of driver and RDMA-CM with this knob; ``device`` is RDMA device and port.

    ``enable`` is a folder with a file for each priority.
    """
    name, port = device
    ecn, rdma_cm = f"/sys/class/net/{rail}/ecn", f"/sys/kernel/config/rdma_cm/{name}/ports/{port}"
    if knob in ("ecn_np", "ecn_rp"):
        now = found if isinstance(found, (list, tuple)) else [None] * len(policy.ecn_enabled)
        folder = f"{ecn}/roce_{knob[-2:]}/enable"
        wanted = enumerate(policy.ecn_enabled)
        return [Write(f"{folder}/{priority}", str(int(on))) for priority, on in wanted if now[priority] != on]
    files = {
        "traffic_class": (f"/sys/class/infiniband/{name}/tc/{port}/traffic_class", policy.traffic_class),
        "rdma_cm_tos": (f"{rdma_cm}/default_roce_tos", policy.traffic_class),
        "rdma_cm_mode": (f"{rdma_cm}/default_roce_mode", ROCE_V2),
    }
    path, value = files[knob]
    return [Write(path, str(value))]
