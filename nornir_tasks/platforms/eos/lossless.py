"""EOS lines of lossless paths: where each setting stands, and lines beside the model that decide about packets."""

from collections.abc import Mapping

from nornir_tasks.platforms.eos.parse_qos import MMU_PROFILE
from nornir_tasks.platforms.lossless import Kind, Known, Line, LosslessLines, PausePoint, line

_QUEUE = r"(?:uc-)?tx-queue"
_PORT = r"interface (?P<port>\S+) / "
_ON_PORT = (
    r"qos|priority-flow-control|flowcontrol|service-policy|service-profile|(?:uc-|mc-)?tx-queue|random-detect|shape|mtu"
    r"|l2 mtu|speed|error-correction|phy|dcbx|switchport|channel-group|shutdown"
)


_AT = "interface <port> / "
_OF = "qos profile <profile> / "
_WATCHDOG = "priority-flow-control pause watchdog"

_LINES: Mapping[Kind, tuple[Line, ...]] = {
    "code point": (line("qos map dscp <number>", r"qos map dscp <number> to traffic-class \d"),),
    "queue": (line("qos map traffic-class <priority>", r"qos map traffic-class <priority> to tx-queue \d"),),
    "pause": (
        line("priority-flow-control on", f"{_OF}priority-flow-control on"),
        line(
            "priority-flow-control priority <priority> no-drop",
            f"{_OF}priority-flow-control priority <priority> no-drop",
            rf"{_OF}priority-flow-control priority \d no-drop",
        ),
        line("service-profile", f"{_AT}service-profile .*"),
    ),
    "marks": (line("random-detect ecn in queue <number>", f"{_OF}{_QUEUE} <number> / random-detect ecn m.*"),),
    "strict": (line("priority of queue <number>", f"{_OF}{_QUEUE} <number> / (?:no priority|priority strict)"),),
    "trust": (line("qos trust dscp", rf"{_AT}(?:no )?qos trust.*", rf"{_OF}qos trust .*"),),
    "profile": (line("service-profile", f"{_AT}service-profile .*"),),
    "watchdog": (
        line(_WATCHDOG, f"{_OF}{_WATCHDOG}"),
        line(f"{_WATCHDOG} default timeout", f"{_WATCHDOG} default t.*"),
    ),
    "mtu": (line("mtu", rf"{_AT}mtu \d+"),),
    "speed": (line("speed", f"{_AT}speed .*"),),
    "negotiation": (line("speed", f"{_AT}speed .*"),),
    "fec": (line("error-correction encoding", rf"{_AT}(?:no )?error-correction encoding.*"),),
    "headroom": (
        line("ingress headroom bytes", rf"{MMU_PROFILE} / ingress headroom bytes \d+"),
        line(f"{MMU_PROFILE} apply", f"{MMU_PROFILE} apply"),
    ),
    "spread": (line("load-balance distribution", "ip hardware fib load-balance distribution.*"),),
    "state": (line("no shutdown", rf"{_AT}(?:no )?shutdown"),),
}

# pyavd 6.4.0 platform_trident.mmu, and Intel Gaudi, "Expected Switch Configuration": 1/16 on a 7060DX4
_ALPHA = rf"{MMU_PROFILE} / ingress threshold (?P<value>\d+(?:/\d+)?)"

LOSSLESS = LosslessLines(
    lines=_LINES,
    known=(
        # a port of a profile that does not say it trusts CoS
        Known(r"qos profile (?P<profile>\S+) / no qos trust dscp", "trust", is_missing=True),
        Known(rf"{_PORT}(?:qos trust cos|no qos trust)", "trust"),
        # left over where the profile does not turn PFC on
        Known(r"qos profile (?P<profile>\S+) / priority-flow-control priority \d no-drop", "no pause"),
        # left over where the profile is not applied, or says nothing of headroom
        Known(rf"{MMU_PROFILE}(?: apply| / ingress headroom bytes \d+)?", "no headroom"),
        Known(_ALPHA, "pause point"),
        # EOS manual, "Flow Control": IEEE 802.3x pauses stop all classes of the port; off by default
        Known(rf"{_PORT}flowcontrol (?:send|receive) (?:on|desired)", "global pause"),
        # EOS manual, "Quality of Service": "qos rewrite dscp" writes a code point of the class into each packet
        Known(r"qos rewrite dscp", "rewrite"),
        Known(rf"{_PORT}qos rewrite .*", "rewrite"),
    ),
    may_matter=(
        rf"{_PORT}(?:no )?(?:{_ON_PORT})\b.*",
        r"(?:no )?(?:qos|priority-flow-control|platform|hardware (?:tcam|buffer|queue)|mmu)\b.*",
        r"(?:class-map|policy-map) type (?:qos|quality-of-service)\b.*",
        r"interface Port-Channel\d+ / .*",
    ),
    pause_point=PausePoint(_ALPHA, with_headroom=True),
)
