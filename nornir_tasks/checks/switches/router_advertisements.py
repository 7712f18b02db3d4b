"""IPv6 router advertisements: unnumbered ports send them as often as designed, all others are silent.

The far end of an unnumbered link learns our address from them alone; on a host's port they would offer a default route.
"""

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.interfaces import Interface

ABOUT = About(
    name="ra",
    each="unnumbered port",
    uncounted="every other port of the design of which the switch says whether it advertises itself",
    reads=("ports.ra_interval_ms",),
    wanted="interfaces: ra_interval_ms",
    passes="an unnumbered port sends router advertisements as often as wanted, any other none",
    fails="they are sent in another interval, not at all, or where none are wanted",
    cannot_tell="the switch does not show of an unnumbered port whether it sends any",
)


def check_router_advertisements(evidence: Evidence) -> list[Finding]:
    """One finding for each unnumbered port of the design, and for each other one of which the switch says something."""
    findings = []
    for device, observed in evidence.observed.items():
        seen = {port.name: port.ra_interval_ms for port in observed.ports}
        findings += [
            _port(evidence, device, port, seen.get(port.name))
            for port in evidence.wanted[device].interfaces
            if port.ra_interval_ms is not None or seen.get(port.name) is not None
        ]
    return findings


def _port(evidence: Evidence, device: str, wanted: Interface, seen_ms: int | None) -> Finding:
    port, wanted_ms, counted = wanted.name, wanted.ra_interval_ms or 0, wanted.ra_interval_ms is not None
    where, expected = evidence.where(device, port), _text(wanted_ms)
    if seen_ms is None:
        message = f"{where}: the switch does not show whether it sends router advertisements"
        return Finding("ra", device, port, Verdict.ERROR, message, expected)
    verdict = Verdict.PASS if seen_ms == wanted_ms else Verdict.FAIL
    message = f"{where}: {_text(seen_ms)}"
    return Finding("ra", device, port, verdict, message, expected, _text(seen_ms), counted=counted)


def _text(interval_ms: int) -> str:
    return f"router advertisements every {interval_ms} ms" if interval_ms else "no router advertisements"
