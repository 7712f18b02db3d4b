"""NVUE settings of lossless paths: where each stands, and settings beside the model that decide about packets."""

from collections.abc import Mapping

from nornir_tasks.platforms.lossless import Kind, Known, Line, LosslessLines, PausePoint, line
from nornir_tasks.platforms.nvue.capabilities import PROFILE

_PORT = r"interface / (?P<port>\S+) / "


_AT = "interface / <port> / "
_PFC = "qos / pfc / <profile> / "
_CLASS = "<profile> / traffic-class / <number> / "
_MARKS = f"qos / congestion-control / {_CLASS}"
_ON = "qos / roce / (?:state|enable): .*"
_MODE = "qos / roce / mode: .*"

_LINES: Mapping[Kind, tuple[Line, ...]] = {
    "code point": (line("dscp / <number>", rf"qos / mapping / {PROFILE} / dscp / <number> / switch-priority: \d"),),
    "queue": (
        line(
            "egress-queue-mapping of priority <priority>",
            rf"qos / egress-queue-mapping / {PROFILE} / switch-priority / <priority> / traffic-class: \d",
        ),
    ),
    "pause": (
        line(
            "pfc / <profile> / switch-priority / <priority>",
            f"{_PFC}switch-priority / <priority>",
            rf"{_PFC}switch-priority / \d",
        ),
        line("rx", f"{_PFC}rx: .*"),
        line("tx", f"{_PFC}tx: .*"),
        line("qos / roce / mode", _MODE),
    ),
    "marks": (
        line("ecn of traffic class <number>", f"{_MARKS}ecn: .*"),
        line("min-threshold", f"{_MARKS}min-threshold: .*"),
        line("max-threshold", f"{_MARKS}max-threshold: .*"),
        line("probability", f"{_MARKS}probability: .*"),
    ),
    "strict": (line("mode of traffic class <number>", f"qos / egress-scheduler / {_CLASS}mode: .*"),),
    "trust": (line("trust", r"qos / mapping / \S+ / trust: .*"),),
    "profile": (
        line("qos / roce / mode", f"{_AT}qos / egress-scheduler / profile: .*", _MODE),
        line("qos / roce", _ON),
    ),
    "watchdog": (line("qos / pfc-watchdog / state", f"{_AT}qos / pfc-watchdog / state: .*"),),
    "mtu": (line("link / mtu", f"{_AT}link / mtu: .*"),),
    "speed": (line("link / speed", f"{_AT}link / speed: .*"),),
    "fec": (line("link / fec", f"{_AT}link / fec: .*"),),
    "negotiation": (line("link / auto-negotiate", f"{_AT}link / auto-negotiate: .*"),),
    "headroom": (line("cable-length", f"qos / pfc / {PROFILE} / cable-length: .*"),),
    "spread": (line("adaptive-routing", "router / adaptive-routing / .*", ".*adaptive-routing.*"),),
    "state": (line("link / state / up", f"{_AT}link / state / (?:up|down)"),),
}

_LOSSLESS = "qos / advance-buffer-config / default-global / ingress-lossless-buffer / "
_ALPHA = rf'{_LOSSLESS}shared-alpha: "(?P<value>alpha_\w+)"'
_BYTES = rf"{_LOSSLESS}shared-bytes: (?P<value>\d+)"
_POOL = r"qos / traffic-pool / (?:roce|default)-lossless / memory-percent: (?P<value>\d+)"

LOSSLESS = LosslessLines(
    lines=_LINES,
    known=(
        Known(r'qos / mapping / \S+ / trust: "(?!l3|both).*"', "trust"),
        Known(rf'qos / pfc / (?P<profile>{PROFILE}) / [rt]x: "disable"', "no pause"),
        Known(rf"{_PORT}qos / pfc-watchdog(?: / .*)?", "no watchdog"),
        # NVUE reference, "nv set qos link-pause": IEEE 802.3x pauses, on ports that a profile of it is put on
        Known(rf"{_PORT}qos / link-pause / .*", "global pause"),
        # NVUE reference, "nv set qos remark": writes another code point into packets
        Known(r'qos / remark / \S+ / rewrite: "(?:l3|both)"', "rewrite"),
        # docs514 Quality-of-Service/_index.md, "Advanced Buffer Tuning": alpha and size of the lossless pool; the lossy
        # one has what is left
        *(Known(each, "pause point") for each in (_ALPHA, _BYTES, _POOL)),
        Known(r"qos / traffic-pool / default-lossy / memory-percent: \d+", "pause point"),
    ),
    may_matter=(
        rf"{_PORT}(?:qos|link)\b.*",
        r"qos / (?!link-pause / ).*",
        r"system / (?:forwarding / (?:profile|buffer)|config / apply).*",
    ),
    profile=PROFILE,
    pause_point=PausePoint(_ALPHA, _POOL, _BYTES),
)
