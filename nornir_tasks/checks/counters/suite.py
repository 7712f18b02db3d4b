"""The rules of a soak, in the order in which they hurt, and what they say of two readings: findings and causes."""

from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from nornir_tasks.checks.about import About
from nornir_tasks.checks.causes.root_causes import Cause
from nornir_tasks.checks.counters import balance, congestion, drops, links, pauses
from nornir_tasks.checks.counters.rates import Rates
from nornir_tasks.checks.counters.soaked import Hit, Key, Soak
from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.platforms.counted import Counter
from nornir_tasks.platforms.counting import HOSTS_ALONE

NAMED = 4
"""Devices named where many have the same reason."""

READING = About(
    name="readings",
    each="switch and host that was to be read twice",
    reads=("clock", "uptime", "every counter"),
    wanted="a later answer that goes on where the earlier one ended",
    passes="both answers were understood, and every counter can be compared",
    fails="never: what cannot be compared is undecided",
    cannot_tell="it was not read, or started again between; its clock went another way or is not that of most; a "
    "counter went back or is in one answer alone; part of an answer was not understood",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A function that judges rates, its description, and the counters without which it cannot."""

    judge: Callable[[Soak], list[Hit]]
    about: About
    needs: tuple[frozenset[Counter], ...]
    """Of each of these sets at least one counter must have been read."""
    of: Literal["switches", "hosts", "both"] = "switches"
    must: bool = False
    """Is what is not read undecided? Else it is skipped, with the reason."""
    concerns: Callable[[Soak, str], bool] = lambda soak, device: device in soak.hosts or device in soak.network
    """Has this device anything that the rule judges? Else it is not counted."""
    explains: frozenset[str] = frozenset()
    """Rules whose hits at the ports that its hits cover follow from these."""


def _sets(*each: Sequence[Counter]) -> tuple[frozenset[Counter], ...]:
    return tuple(map(frozenset, each))


def _is_lossless(soak: Soak, device: str) -> bool:
    return bool(soak.lossless_ports(device))


def _has_hosts(soak: Soak, device: str) -> bool:
    ports = soak.lossless_ports(device)
    is_leaf = any((far := soak.far(device, port)) is not None and not soak.is_switch(far.device) for port in ports)
    return device in soak.hosts or is_leaf


def _has_paths(soak: Soak, device: str) -> bool:
    return len(balance.upwards(soak, device)) > 1


_STORM_EFFECTS = frozenset({"lossless-drops", "pause-watchdog", "pause-before-marks", "host-loss", "even-paths"})
_UNSLOWED_EFFECTS = frozenset({"pause-storm"})
"""Of senders that do not slow down: the queues of a switch stay full, and it stops others."""
_CABLE_EFFECTS = frozenset({"host-loss", "even-paths", "link-errors", "link-changes", "fec-trend", "optics"})
RULES = (
    Rule(
        pauses.check_storms,
        pauses.STORM,
        _sets((Counter.PFC_RX, Counter.PAUSE_RX_US)),
        concerns=_is_lossless,
        explains=_STORM_EFFECTS,
    ),
    Rule(
        drops.check_drops,
        drops.DROPS,
        _sets((Counter.QUEUE_DROPS, Counter.INPUT_DROPS)),
        must=True,
        concerns=_is_lossless,
    ),
    Rule(drops.check_watchdog, drops.WATCHDOG, _sets((Counter.WATCHDOG,)), "both"),
    Rule(
        links.check_link_errors,
        links.ERRORS,
        _sets((Counter.FEC_UNCORRECTED, Counter.CRC_ERRORS, Counter.SYMBOL_ERRORS)),
        "both",
        explains=_CABLE_EFFECTS,
    ),
    Rule(links.check_link_changes, links.FLAPS, _sets((Counter.LINK_CHANGES,)), "both", explains=_CABLE_EFFECTS),
    Rule(congestion.check_classes, congestion.CLASS, _sets((Counter.QUEUE_PACKETS,)), "both", concerns=_has_hosts),
    Rule(
        pauses.check_marks_first,
        pauses.MARKS_FIRST,
        _sets((Counter.PFC_TX,), (Counter.ECN_MARKED,)),
        concerns=_is_lossless,
    ),
    Rule(
        congestion.check_notifications,
        congestion.CNP,
        _sets((Counter.CNP_SENT,), (Counter.CNP_HANDLED, Counter.CNP_IGNORED)),
        "hosts",
        explains=_UNSLOWED_EFFECTS,
    ),
    Rule(drops.check_host_loss, drops.HOST_LOSS, _sets((Counter.SEQUENCE_ERRORS, Counter.OUT_OF_SEQUENCE)), "hosts"),
    Rule(balance.check_balance, balance.ABOUT, _sets((Counter.BYTES_OUT,)), concerns=_has_paths),
    Rule(links.check_fec_trend, links.FEC, _sets((Counter.FEC_CORRECTED,)), explains=_CABLE_EFFECTS),
    Rule(
        links.check_optics,
        links.OPTICS,
        _sets((Counter.RX_POWER_DBM, Counter.TX_POWER_DBM, Counter.TEMPERATURE_C)),
        explains=_CABLE_EFFECTS,
    ),
    Rule(drops.check_gpus, drops.GPU, _sets((Counter.XID, Counter.NVLINK_ERRORS)), "hosts"),
)
ABOUT = (READING, *(each.about for each in RULES))
"""All rules by name, in the order they are reported."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is judged some devices count."""

    system: str
    """What the devices run; ``hosts``."""
    devices: int
    read: tuple[Counter, ...]
    """By all of them."""
    of: int
    """How many counters there are for such a device."""
    not_read: Mapping[Counter, str]
    """Counter -> why not."""

    def __str__(self) -> str:
        return (
            f"{self.system}: {len(self.read)} of {self.of} counters read, {len(self.not_read)} not read on this system"
        )


@dataclass(frozen=True, slots=True)
class SoakReport:
    """What a soak found."""

    report: Report
    seconds: float
    """The shortest time between two readings."""
    coverage: tuple[Coverage, ...] = field(default=())


def judge(soak: Soak, names: Collection[str] = ()) -> SoakReport:
    """Run every rule, or those named. What cannot be compared is undecided for each that needs it, and never passed."""
    hits = [(rule, rule.judge(soak)) for rule in RULES if not names or rule.about.name in names]
    findings = list(_readings(soak)) if not names or READING.name in names else []
    by_hit: dict[int, Finding] = {}
    for rule, found in hits:
        findings += _findings(soak, rule, found, by_hit)
    causes = _causes(hits, by_hit)
    causes += _undecided(soak, findings, causes)
    causes = _with_silent(soak, causes)
    seconds = min((each.seconds for each in soak.rates.values()), default=0.0)
    return SoakReport(Report(tuple(findings), tuple(causes)), seconds, tuple(coverage(soak)))


def _readings(soak: Soak) -> Iterator[Finding]:
    for device, rates in soak.rates.items():
        if not rates.doubts:
            yield Finding(READING.name, device, "", Verdict.PASS, f"{device}: both readings can be compared")
        for place, each in enumerate(rates.doubts):
            message = f"{device}: {each.what}"
            subject = f"{each.counter or 'answer'} {place}"
            yield Finding(
                READING.name, device, "", Verdict.ERROR, message, each.expected, each.found, subject, counted=not place
            )
    for device, why in soak.unread.items():
        yield Finding(READING.name, device, "", Verdict.ERROR, f"{device}: {why.what}", "two answers", why.found)


def _concerned(soak: Soak, rule: Rule) -> Iterator[str]:
    for device in (*soak.rates, *soak.unread):
        is_host = device in soak.hosts
        if (rule.of == "both" or is_host is (rule.of == "hosts")) and rule.concerns(soak, device):
            yield device


def _findings(soak: Soak, rule: Rule, hits: list[Hit], by_hit: dict[int, Finding]) -> Iterator[Finding]:
    """One that counts for each device, and one more for each further hit there."""
    name, of_device = rule.about.name, dict[str, list[Hit]]()
    for hit in sorted(hits, key=lambda each: -each.amount):
        of_device.setdefault(hit.device, []).append(hit)
    unread: dict[str, list[str]] = {}
    for device in _concerned(soak, rule):
        found = of_device.pop(device, [])
        for place, hit in enumerate(found):
            yield by_hit.setdefault(id(hit), _finding(name, hit, counted=not place))
        reason = "" if found else _why_not_read(soak, rule, device)
        if reason:
            unread.setdefault(reason, []).append(device)
        elif not found:
            yield _without_hits(soak, rule, device)
    for found in of_device.values():  # at a device that is not this rule's own: a host that its leaf tells of
        for hit in found:
            yield by_hit.setdefault(id(hit), _finding(name, hit, counted=False))
    for reason, devices in unread.items():
        more = f" and {len(devices) - NAMED} more" if len(devices) > NAMED else ""
        message = f"not read on {', '.join(devices[:NAMED])}{more}: {reason}"
        yield Finding(name, devices[0], "", Verdict.SKIPPED, message, counted=False)


def _why_not_read(soak: Soak, rule: Rule, device: str) -> str:
    """What this system does not show and the rule needs, with the reason; empty: it is judged, or undecided."""
    rates = soak.rates.get(device)
    missing = _missing(rule, rates) if rates is not None and rates.is_whole else []
    if rates is None or rule.must or not missing:
        return ""
    silent = any(not each & rates.not_read.keys() for each in missing)
    if silent and any(each.counter is None or each.counter in _reads(rule) for each in rates.doubts):
        return ""  # it may be in what was not understood
    return f"{_spelled(missing)}: {_reason(rates, missing)}"


def _without_hits(soak: Soak, rule: Rule, device: str) -> Finding:
    """Passed, unless something that the rule needs could not be read or compared."""
    rates, name, words = soak.rates.get(device), rule.about.name, rule.about.passes
    if rates is None or not rates.is_whole:
        why = "not judged, it has no two readings that can be compared"
    elif missing := _missing(rule, rates):
        why = f"{_spelled(missing)} not read: {_reason(rates, missing)}"
    elif doubts := [each for each in rates.doubts if each.counter in _reads(rule)]:
        why = doubts[0].what
    elif not rates.doubtful.isdisjoint(_reads(rule)):
        why = next(each.what for each in rates.doubts if each.counter is None)
    else:
        return Finding(name, device, "", Verdict.PASS, f"{device}: {words}")
    return Finding(name, device, "", Verdict.ERROR, f"{device}: {why}", words)


def _finding(name: str, hit: Hit, *, counted: bool) -> Finding:
    verdict = Verdict.FAIL if hit.is_certain else Verdict.ERROR
    return Finding(name, hit.device, hit.port, verdict, hit.message, hit.expected, hit.found, counted=counted)


def _reads(rule: Rule) -> frozenset[Counter | None]:
    return frozenset(map(Counter, rule.about.reads))


def _missing(rule: Rule, rates: Rates) -> list[frozenset[Counter]]:
    """Sets of counters of which a rule needs one and this device has shown none."""
    return [each for each in rule.needs if not any(rates.reads(counter) for counter in each)]


def _spelled(missing: list[frozenset[Counter]]) -> str:
    return " and ".join(" or ".join(sorted(each)) for each in missing)


def _reason(rates: Rates, missing: list[frozenset[Counter]]) -> str:
    names = frozenset[Counter]().union(*missing)
    reasons = [why for counter, why in rates.not_read.items() if counter in names]
    return "; ".join(dict.fromkeys(reasons)) or "it is in no answer: nothing here counts it"


def _causes(hits: list[tuple[Rule, list[Hit]]], by_hit: Mapping[int, Finding]) -> list[Cause]:
    """Each hit belongs to one cause: that of a hit that covers its port and explains its rule, else that of its key.

    What explains storms, which explain others, is looked at before all.
    """
    covering: dict[tuple[str, str, str], Key] = {}
    found: dict[Key, list[Hit]] = {}
    for rule, those in sorted(hits, key=lambda each: "pause-storm" not in each[0].explains):
        for hit in sorted(those, key=lambda each: -each.amount):
            key = _explained(covering, rule, hit) or hit.key
            found.setdefault(key, []).append(hit)
            for device, port in hit.covers:
                for name in rule.explains:
                    covering.setdefault((name, device, port), key)
    causes = [
        Cause(by_hit[id(lead)], lead.remedy, tuple(by_hit[id(each)] for each in follows))
        for lead, *follows in found.values()
    ]
    order = {each.name: place for place, each in enumerate(ABOUT)}
    return sorted(causes, key=lambda each: (order[each.lead.check], -len(each.follows)))


def _explained(covering: Mapping[tuple[str, str, str], Key], rule: Rule, hit: Hit) -> Key | None:
    name = rule.about.name
    return covering.get((name, hit.device, hit.port)) or covering.get((name, hit.device, ""))


def _undecided(soak: Soak, findings: list[Finding], causes: list[Cause]) -> list[Cause]:
    """What could not be told follows from a doubt about the device, or from the silent switch behind its ports."""
    led = {each for cause in causes for each in (cause.lead, *cause.follows)}
    by_device: dict[str, list[Finding]] = {}
    for each in findings:
        if each.verdict is Verdict.ERROR and each not in led:
            by_device.setdefault(_silent_behind(soak, each.device) or each.device, []).append(each)
    hint = "read it again; what it shows, counter by counter: nornir counters --limit {}"
    causes = []
    for device, those in by_device.items():
        lead, *follows = sorted(those, key=lambda each: each.device != device)
        causes.append(Cause(lead, hint.format(device), tuple(follows)))
    return causes


def _silent_behind(soak: Soak, device: str) -> str | None:
    """The one switch without two readings that all ports lead to of which something is doubtful at this device."""
    doubts = soak.rates[device].doubts if device in soak.rates else ()
    far = {soak.far(device, place.port) for each in doubts for place in each.places}
    names = {each.device if each else "" for each in far}
    return (
        names.pop() if len(names) == 1 and names <= soak.unread.keys() and all(each.places for each in doubts) else None
    )


def _with_silent(soak: Soak, causes: list[Cause]) -> list[Cause]:
    """What happened at a cable to a switch without two readings follows from that: it died, or lost its power."""
    silent = {each.lead.device: each for each in causes if each.lead.device in soak.unread}
    kept: list[Cause] = []
    more: dict[str, list[Finding]] = {}
    for each in causes:
        far = soak.far(each.lead.device, each.lead.port) if each.lead.port else None
        if far is not None and far.device in silent:
            more.setdefault(far.device, []).extend((each.lead, *each.follows))
        else:
            kept.append(each)
    return [
        replace(each, follows=(*more.get(each.lead.device, ()), *each.follows))
        if each is silent.get(each.lead.device)
        else each
        for each in kept
    ]


def coverage(soak: Soak) -> Iterator[Coverage]:
    """By system: how many of its counters are read, and why others are not."""
    groups: dict[str, list[Rates]] = {}
    for device, rates in soak.rates.items():
        system = "hosts" if device in soak.hosts else soak.network.device(device).os
        groups.setdefault(system, []).append(rates)
    for system, those in groups.items():
        known = [each for each in Counter if each in COUNTED[system == "hosts"]]
        read = Tally(counter for each in those for counter in each.grown)
        not_read = {counter: why for each in those for counter, why in each.not_read.items()}
        of_all = tuple(each for each in known if read[each] == len(those))
        missing = {
            each: not_read.get(each, "it is not in the answers of all of them") for each in known if each not in of_all
        }
        yield Coverage(system, len(those), of_all, len(known), missing)


COUNTED = {False: frozenset(Counter) - HOSTS_ALONE.keys(), True: frozenset(Counter)}
"""Is it a host? -> the counters that there are for such a device."""
