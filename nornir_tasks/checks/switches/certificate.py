"""The certificate of a switch's API: whom it names, and how long it is valid.

What our drivers meet at each connection; a site's CA or the pinned fingerprint has verified it before.
"""

from collections.abc import Iterator

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.base import NO_BASE
from nornir_tasks.platforms.observed import Certificate

WARN_DAYS = 30
"""A certificate with less than this left is told, and passes."""

ABOUT = About(
    name="certificate",
    each="switch of whose base configuration something is managed",
    configuration="none; a TLS handshake with the switch's API",
    wanted="the switch's name in the design; a pinned certificate may name anything",
    passes=f"it names the switch, or is pinned, and is valid; less than {WARN_DAYS} days left are a warning",
    fails="it has expired, or is another switch's",
    cannot_tell="no certificate that is trusted was shown",
)


def check_certificates(evidence: Evidence) -> list[Finding]:
    """One finding for each switch of whose base configuration something is managed."""
    return [
        _judged(device, evidence.certificates.get(device))
        for device in evidence.observed
        if evidence.wanted[device].base != NO_BASE
    ]


def warnings(evidence: Evidence) -> Iterator[str]:
    """Certificates that end soon."""
    for device, seen in evidence.certificates.items():
        if 0 <= seen.days_left < WARN_DAYS:
            yield f"{device}: its certificate ends in {_days(seen.days_left)}; enrol a new one before"


def _judged(device: str, seen: Certificate | None) -> Finding:
    expected = f"a certificate of {device}, not expired"
    if seen is None:
        message = f"{device}: no certificate that is trusted was shown"
        return Finding(ABOUT.name, device, "", Verdict.ERROR, message, expected)
    is_named = seen.is_pinned or any(each.partition(".")[0] == device for each in seen.names)
    whose = "pinned certificate" if seen.is_pinned else f"certificate of {', '.join(seen.names) or 'no name'}"
    time = f"{_days(seen.days_left)} left" if seen.days_left >= 0 else f"expired {_days(-seen.days_left)} ago"
    verdict = Verdict.PASS if is_named and seen.days_left >= 0 else Verdict.FAIL
    found = f"{whose}, {time}"
    return Finding(ABOUT.name, device, "", verdict, f"{device}: {found}", expected, found)


def _days(count: int) -> str:
    return f"{count} day{'s' * (count != 1)}"
