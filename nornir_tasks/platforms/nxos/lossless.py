"""NX-OS lines of lossless paths: where each setting stands, and lines beside the model that decide about packets."""

import re
from collections.abc import Mapping

from nornir_tasks.platforms.lossless import Kind, Known, Line, LosslessLines, Setting, line
from nornir_tasks.platforms.nxos.parse_qos import CLASS_MAP, NETWORK_POLICY, QUEUING_POLICY, class_suffix, queuing_name

_PORT = r"interface (?P<port>\S+) / "
_NETWORK = rf"policy-map type network-qos {NETWORK_POLICY} / class type network-qos c-8q-nq"
_ON_PORT = (
    r"mtu|speed|fec|negotiate|duplex|flowcontrol|priority-flow-control|service-policy|qos|queue|switchport"
    r"|channel-group|shutdown|no shutdown|lldp dcbx|hardware"
)


_AT = "interface <port> / "
_POLICY = f"service-policy type network-qos {NETWORK_POLICY}"
_WATCHDOG = "priority-flow-control watch-dog-interval on"
_CLASSIFY = "service-policy type qos input"
_QUEUE = "policy-map type queuing (?:<queuing>) / class type queuing c-out-8q-q<queue> / "

_LINES: Mapping[Kind, tuple[Line, ...]] = {
    "code point": (
        line(
            "match dscp <number>",
            f"class-map type qos match-any {CLASS_MAP}<priority> / match dscp .*",
            r"class-map type qos match-any \S+ / match dscp (?:\S+,)?<number>(?:,\S+)?",  # no policy has it
            r"policy-map type qos <profile> / class class-default / set qos-group \d",
        ),
    ),
    "queue": (
        line("set qos-group <priority>", r"policy-map type qos <profile> / class \S+ / set qos-group <priority>"),
    ),
    "pause": (
        line("priority-flow-control mode on", f"{_AT}priority-flow-control mode .*"),
        line("pause pfc-cos <priority>", f"{_NETWORK}<class> / pause pfc-cos .*"),
        line(f"system qos / {_POLICY}", f"system qos / {_POLICY}"),
    ),
    "marks": (line("random-detect in queue <number>", f"{_QUEUE}random-detect .*"),),
    "strict": (line("priority of queue <number>", f"{_QUEUE}(?:priority level|bandwidth remaining).*"),),
    "trust": (line(_CLASSIFY, f"{_AT}{_CLASSIFY} .*"),),
    "profile": (
        line(_CLASSIFY, f"{_AT}{_CLASSIFY} .*"),
        line("policy-map type qos <profile>", "policy-map type qos <profile>", "policy-map type qos <profile> / .*"),
    ),
    "watchdog": (line(_WATCHDOG, f"{_AT}{_WATCHDOG}"), line(f"{_WATCHDOG} of the switch", _WATCHDOG)),
    "mtu": (line("mtu", rf"{_AT}mtu \d+"),),
    "class mtu": (line("mtu of each class", rf"{_NETWORK}<class> / mtu \d+", rf"{_NETWORK}-default / mtu \d+"),),
    "speed": (line("speed", f"{_AT}speed .*"),),
    "fec": (line("fec", f"{_AT}fec .*"),),
    "negotiation": (line("no negotiate auto", f"{_AT}(?:no )?negotiate auto"),),
    "headroom": (line("pause buffer-size", r"policy-map type queuing \S+ / class .* / pause buffer-size .*"),),
    "spread": (line("mode per-packet", "hardware profile dlb / mode .*", "hardware profile dlb.*"),),
    "state": (line("no shutdown", f"{_AT}(?:no )?shutdown"),),
}


def _words(of: Setting) -> Mapping[str, str]:
    """Classes and queues by the words of this system; queues of the profile's own policy, or of the switch's.

    A profile that is named by a speed marks by other thresholds, so that its policy is its own.
    """
    own = queuing_name(of.profile)
    policies = own if re.search(r"-\d+G$", of.profile) else "|".join(dict.fromkeys((own, QUEUING_POLICY)))
    return {"class": class_suffix(of.priority), "queue": class_suffix(of.number), "queuing": policies}


LOSSLESS = LosslessLines(
    lines=_LINES,
    words=_words,
    known=(
        Known(r"policy-map type qos (?P<profile>\S+) / no class .*", "classes", is_missing=True),
        Known(r"policy-map type qos (?P<profile>\S+) / class \S+ / set qos-group \d", "classes"),
        Known(r"system qos / no service-policy type queuing .*", "no queues", is_missing=True),
        # the port is told to go by a policy that is not there
        Known(rf"{_PORT}no policy-map type queuing .*", "no queues", is_missing=True),
        Known(r"system qos / no service-policy type network-qos .*", "no pause", is_missing=True),
        Known(r"system qos / no service-policy type network-qos .*", "class mtu", is_missing=True),
        Known(r"policy-map type network-qos \S+ / class .* / no mtu", "class mtu", is_missing=True),
        # another priority than that of the class is paused
        Known(r"policy-map type network-qos \S+ / class .* / pause pfc-cos \d", "no pause"),
        Known(rf"{_PORT}no priority-flow-control mode on", "no pause", is_missing=True),
        Known(rf"{_PORT}no priority-flow-control mode off", "always pause", is_missing=True),
        Known(rf"{_PORT}no priority-flow-control watch-dog-interval on", "no watchdog", is_missing=True),
        Known(r"priority-flow-control watch-dog-interval off", "no watchdog"),
        # QoS Configuration Guide, "Link-Level Flow Control": pauses all classes of the port; off by default
        Known(rf"{_PORT}flowcontrol (?:send|receive) (?:on|desired)", "global pause"),
        # QoS Configuration Guide, "Configuring Marking": writes another code point into packets of the class
        Known(r"policy-map type qos (?P<profile>\S+) / class \S+ / set (?:dscp|precedence) .*", "rewrite"),
    ),
    may_matter=(
        rf"{_PORT}(?:no )?(?:{_ON_PORT})\b.*",
        r"(?:no )?(?:class-map|policy-map) (?!type control-plane)\S.*",
        r"(?:no )?(?:system qos|system jumbomtu|hardware (?:qos|profile)|qos|priority-flow-control|table-map)\b.*",
    ),
)
