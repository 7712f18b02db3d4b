"""QoS as the switches run it: trust, the 64 code points, PFC, watchdog and ECN, read from show commands.

What an OS does not show is "could not tell" here; that the lines stand in its configuration is judged by ``config``.
No check can see pause frames or buffers at work: only hardware shows that.
"""

from collections.abc import Iterator, Mapping

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.config.qos import Ecn, PortProfile
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms.observed import Observed, PortQos

_EACH = "port that carries a QoS profile"
_OR_GROUP = f"{_EACH}; where link aggregation groups carry it, they in place of their members"
_OR_MEMBERS = f"{_EACH}; where link aggregation groups carry it, their members alone"
TRUST = About(
    name="trust",
    each=_OR_GROUP,
    reads=("qos.trust_dscp",),
    wanted="interfaces: qos_profile",
    passes="the port tells packets apart by their DSCP",
    fails="it does not",
    cannot_tell="the switch does not show what the port trusts",
)
PFC = About(
    name="pfc",
    each=_OR_MEMBERS,
    reads=("qos.pfc_priorities",),
    wanted="qos.profiles: pfc_priorities",
    passes="priority flow control is on for the priorities of the profile and for no other",
    fails="it is on for others",
    cannot_tell="the switch does not show the port's priorities",
)
WATCHDOG = About(
    name="watchdog",
    each=_OR_MEMBERS,
    reads=("qos.watchdog",),
    wanted="qos.profiles: watchdog",
    passes="the watchdog for pause frames is on or off as in the profile",
    fails="it is not",
    cannot_tell="the switch does not show the port's watchdog",
)
ECN = About(
    name="ecn",
    each=_OR_GROUP,
    reads=("qos.ecn",),
    wanted="qos.profiles: queues: ecn",
    passes="the queues of the profile mark, between its thresholds and with its probability, and no other does",
    fails="another queue marks, or by other figures",
    cannot_tell="the switch does not show the thresholds, or in a unit that cannot be compared",
)
DSCP = About(
    name="dscp",
    each="switch with QoS",
    reads=("dscp_to_priority",),
    wanted="qos.classes: dscp and priority",
    passes="each of the 64 code points goes to the priority that the policy says",
    fails="a code point goes to another one",
    cannot_tell="the switch does not show its map, or not all of it",
)
ABOUT = (DSCP, TRUST, PFC, WATCHDOG, ECN)

_OF_GROUP = frozenset({TRUST.name, ECN.name})
"""What a group's service policies say, on a system where groups carry the profile; pauses are its members'."""


def check_qos(evidence: Evidence) -> list[Finding]:
    """Findings for each port (trust, PFC, watchdog, ECN) and one for each switch (code points)."""
    findings = []
    for device, observed in evidence.observed.items():
        config = evidence.wanted[device]
        if config.qos is None:
            continue
        profiles = {profile.name: profile for profile in config.qos.profiles}
        seen = {each.port: each for each in observed.qos}
        carries = evidence.network.device(device).capabilities.lag_profile_on == "both"
        findings.append(_code_points(config, observed))
        for port in config.interfaces:
            if port.qos_profile is not None:
                found = _port(evidence, config, port, profiles, seen.get(port.name))
                findings += [each for each in found if _is_judged(each.check, port, config, carries=carries)]
    return findings


def _code_points(config: DeviceConfig, observed: Observed) -> Finding:
    wanted = wanted_code_points(config)
    if observed.dscp_to_priority is None:
        return Finding("dscp", config.name, "", Verdict.ERROR, f"{config.name}: the switch does not show its DSCP map")
    wrong = [
        f"DSCP {dscp} goes to {found}, not {priority}"
        for dscp, (priority, found) in enumerate(zip(wanted, observed.dscp_to_priority, strict=True))
        if priority != found
    ]
    verdict = Verdict.FAIL if wrong else Verdict.PASS
    message = f"{config.name}: " + ("; ".join(wrong) if wrong else "all 64 code points as the policy says")
    return Finding("dscp", config.name, "", verdict, message)


def wanted_code_points(config: DeviceConfig) -> tuple[int, ...]:
    """Priority of each code point 0 to 63, in this OS's numbers."""
    qos = config.qos
    found = {dscp: each.priority for each in (qos.classes if qos else ()) for dscp in each.dscp}
    return tuple(found[dscp] for dscp in range(64))


def _port(
    evidence: Evidence,
    config: DeviceConfig,
    port: Interface,
    profiles: Mapping[str, PortProfile],
    seen: PortQos | None,
) -> Iterator[Finding]:
    """A port by the profile that it should carry; where it runs as another profile says, both are named."""
    where, wanted = evidence.where(config.name, port.name), _wanted(profiles[str(port.qos_profile)])
    found = dict.fromkeys(wanted) if seen is None else _shown(seen)
    other = next((name for name, each in profiles.items() if name != port.qos_profile and _wanted(each) == found), None)
    mistaken = f"; the port runs as profile {other} says, not {port.qos_profile}" if other else ""
    for name, value in wanted.items():
        judged = Verdict.PASS if value == found[name] else Verdict.FAIL
        verdict = Verdict.ERROR if found[name] is None else judged
        here = _spell(found[name])
        both = f"{name} {here} here{_far_end(evidence, config.name, port.name, name)}"
        message = f"{where}: {both}{mistaken if verdict is Verdict.FAIL else ''}"
        yield Finding(name, config.name, port.name, verdict, message, f"{name} {_spell(value)}", here)


def _is_judged(check: str, port: Interface, config: DeviceConfig, *, carries: bool) -> bool:
    """Does this port show it itself, or its group, or its members? ``carries``: groups show their members' policies."""
    if port.lag is not None:
        return carries and check in _OF_GROUP
    if not carries:
        return True
    carried = {each.name for each in config.interfaces if each.lag is not None and each.qos_profile is not None}
    return port.member is None or port.member.group not in carried or check not in _OF_GROUP


def _wanted(profile: PortProfile) -> dict[str, object]:
    """What a port shows that carries this profile."""
    marks = tuple((queue.number, queue.ecn) for queue in profile.queues if queue.ecn is not None)
    return {"trust": True, "pfc": profile.pfc_priorities, "watchdog": profile.watchdog, "ecn": marks}


def _shown(seen: PortQos) -> dict[str, object]:
    """The same of what it shows; None where it shows nothing."""
    return {"trust": seen.trust_dscp, "pfc": seen.pfc_priorities, "watchdog": seen.watchdog, "ecn": seen.ecn}


def _far_end(evidence: Evidence, device: str, port: str, name: str) -> str:
    far = evidence.far.get((device, port))
    seen = evidence.port_qos.get((far.device, far.port)) if far else None
    if seen is None:
        return ""
    return f", {_spell(_shown(seen)[name])} at the far end"


def _spell(value: object) -> str:
    if value is None:
        return "not shown"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(_spell(each) for each in value) or "none"
    if isinstance(value, Ecn):
        return f"{value.min_bytes}-{value.max_bytes} B at {value.probability_percent} %"
    return str(value)
