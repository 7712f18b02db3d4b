"""Load balancing that is not static: configured as intended, and active, on every port of every set of equal paths.

The running configuration shows whether it is configured; show commands, where there are any, whether it is active.
NX-OS applies the profile at a reload and lists it as pending until then: that is a failure, because packets are still
hashed. For EOS no public source documents a show command, so only its configuration is checked.
How evenly packets are spread cannot be checked without traffic.
"""

from collections.abc import Iterator
from dataclasses import replace

from nornir_tasks.checks.about import About
from nornir_tasks.checks.evidence import Evidence, Finding, Verdict
from nornir_tasks.design.config.load_balancing import LoadBalancing
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.platforms import platform
from nornir_tasks.platforms.observed import PathState

_NAME = "load-balancing"

ABOUT = About(
    name=_NAME,
    each="switch that should balance by load: what is configured, in effect and at work; port that should take part",
    uncounted="a switch or a port that balances by load though the intent does not ask for it",
    reads=("paths.mode", "paths.ports", "paths.waits_for_reload"),
    configuration="load_balancing",
    wanted="load_balancing: mode and ports",
    passes="it is configured as wanted, waits for no reload, and is at work on each port that should take part",
    fails="another mode, other ports or another size is configured; it waits for a reload; it is not at work",
    cannot_tell="the switch shows what is at work, or what waits, and said nothing of it this time",
)


def check_balancing(evidence: Evidence) -> list[Finding]:
    """Findings for each switch that should balance by load: its configuration, and its state port by port.

    For other switches only a finding if they do so nevertheless.
    """
    findings: list[Finding] = []
    for device, observed in evidence.observed.items():
        wanted = evidence.wanted[device].load_balancing
        findings += _hashes(device, observed.paths) if wanted is None else ()
        findings += _switch(evidence, device, wanted, observed.paths) if wanted is not None else ()
    return findings


def _hashes(device: str, seen: PathState) -> Iterator[Finding]:
    """Findings for load balancing that is not intended: not counted in M."""
    if seen.waits_for_reload:
        yield replace(_loaded(device, "static", seen.waits_for_reload), counted=False)
    if seen.mode not in (None, "static"):
        yield replace(_judged(device, "", device, "static", str(seen.mode), good=False), counted=False)


def _switch(evidence: Evidence, device: str, wanted: LoadBalancing, seen: PathState) -> Iterator[Finding]:
    shows = platform(evidence.wanted[device].os).observing.shows
    yield _configured(device, wanted, evidence.running.get(device))
    if shows("paths.waits_for_reload") or seen.needs_reload:
        yield _loaded(device, wanted.mode, seen.waits_for_reload)
    if shows("paths.mode"):
        yield _judged(device, "", device, wanted.mode, seen.mode, good=wanted.mode == seen.mode)
    if not shows("paths.ports") or wanted.ports is None:
        return
    at_work = seen.ports or ()
    for port in wanted.ports:
        found = None if seen.ports is None else _takes_part(is_member=port in at_work)
        yield _judged(
            device, port, evidence.where(device, port), _takes_part(is_member=True), found, good=port in at_work
        )
    for port in sorted({*at_work} - {*wanted.ports}):
        finding = _judged(
            device,
            port,
            evidence.where(device, port),
            _takes_part(is_member=False),
            _takes_part(is_member=True),
            good=False,
        )
        yield replace(finding, counted=False)


def _configured(device: str, wanted: LoadBalancing, running: DeviceConfig | None) -> Finding:
    if running is None:
        message = f"{device}: what it runs could not be read"
        return Finding(_NAME, device, "", Verdict.ERROR, message, wanted.mode, "unknown", "configured")
    configured = running.load_balancing
    expected, found = _text(wanted), "static" if configured is None else _text(configured)
    message = f"configured: {found}" + ("" if configured == wanted else f", not {expected}")
    verdict = Verdict.PASS if configured == wanted else Verdict.FAIL
    return Finding(_NAME, device, "", verdict, f"{device}: {message}", expected, found, "configured")


def _loaded(device: str, mode: str, waiting: tuple[str, ...] | None) -> Finding:
    if waiting is None:
        message = f"{device}: the switch does not show whether {mode} waits for a reload"
        return Finding(_NAME, device, "", Verdict.ERROR, message, "in effect", "not shown", "in effect")
    if not waiting:
        message = f"{device}: nothing of {mode} waits for a reload"
        return Finding(_NAME, device, "", Verdict.PASS, message, "in effect", "in effect", "in effect")
    lines = "; ".join(waiting)
    message = f"{device}: {mode} is configured but not in effect, the switch waits for a reload ({lines})"
    return Finding(_NAME, device, "", Verdict.FAIL, message, "in effect", "waits for a reload", "in effect")


def _judged(device: str, port: str, where: str, expected: str, found: str | None, *, good: bool) -> Finding:
    if found is None:
        message = f"{where}: the switch does not show how it balances"
        return Finding(_NAME, device, port, Verdict.ERROR, message, expected, "not shown", "at work")
    verdict = Verdict.PASS if good else Verdict.FAIL
    message = f"{where}: at work: {found}" + ("" if good else f", not {expected}")
    return Finding(_NAME, device, port, verdict, message, expected, found, "at work")


def _text(configured: LoadBalancing) -> str:
    """In one line, for people."""
    ports = "all ports" if configured.ports is None else ", ".join(configured.ports) or "no port"
    size = "" if configured.flow_set_size is None else f", flow-set size {configured.flow_set_size}"
    return f"{configured.mode} on {ports}{size}"


def _takes_part(*, is_member: bool) -> str:
    return "adaptive" if is_member else "static"
