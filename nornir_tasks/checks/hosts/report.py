"""The report on one host, for people and for programs. Standard library only: role node_health runs it on hosts."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from nornir_tasks.checks.hosts.host_evidence import HostFinding
from nornir_tasks.checks.verdict import Verdict


@dataclass(frozen=True, slots=True)
class HostReport:
    """All findings of one host."""

    host: str
    findings: tuple[HostFinding, ...]

    def of(self, verdict: Verdict) -> tuple[HostFinding, ...]:
        """The findings with this verdict."""
        return tuple(finding for finding in self.findings if finding.verdict is verdict)

    @property
    def passed(self) -> bool:
        """At least one knob was judged, and every judged knob is as wanted."""
        return bool(self.of(Verdict.PASS)) and not self.of(Verdict.FAIL) and not self.of(Verdict.ERROR)

    def summary(self) -> str:
        """``tested N of M``: M knobs apply here, N were judged; knobs that the host lacks are counted separately."""
        tested = len(self.of(Verdict.PASS)) + len(self.of(Verdict.FAIL))
        skipped = len(self.of(Verdict.SKIPPED))
        return f"{self.host}: tested {tested} of {tested + len(self.of(Verdict.ERROR))}" + (
            f", skipped {skipped} that this host does not have" if skipped else ""
        )

    def lines(self) -> list[str]:
        """The report for people: failures, knobs that could not be determined, skipped knobs, the summary."""
        wrong = [f"FAILED {finding}" for finding in self.of(Verdict.FAIL)]
        wrong += [f"COULD NOT TELL {finding}" for finding in self.of(Verdict.ERROR)]
        shown = Counter(finding.shown_on for finding in self.findings)
        places = ", ".join(f"{count} on {place}" for place, count in sorted(shown.items()))
        ending = "as the intent asks" if self.passed else f"NOT as the intent asks, {len(wrong)} knobs"
        return [*wrong, *self._skipped(), f"{self.summary()}; {ending}", f"Ways of setting them were shown: {places}."]

    def _skipped(self) -> list[str]:
        groups: dict[tuple[str, str], list[str]] = {}
        for finding in self.of(Verdict.SKIPPED):
            groups.setdefault((finding.check, finding.knob), []).append(finding.subject)

        def on(subjects: list[str]) -> list[str]:
            return [f"on {', '.join(subjects)}"] if any(subjects) else []

        first = {(finding.check, finding.knob): finding.why for finding in reversed(self.of(Verdict.SKIPPED))}
        return [
            f"skipped {check}: {' '.join([knob, *on(subjects)])}: {first[check, knob]}"
            for (check, knob), subjects in groups.items()
        ]

    def as_data(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "host": self.host,
            "passed": self.passed,
            "tested": len(self.of(Verdict.PASS)) + len(self.of(Verdict.FAIL)),
            "of": len(self.findings) - len(self.of(Verdict.SKIPPED)),
            "skipped_knobs": len(self.of(Verdict.SKIPPED)),
            "findings": [{key: str(value) for key, value in asdict(finding).items()} for finding in self.findings],
            "lines": self.lines(),
        }
