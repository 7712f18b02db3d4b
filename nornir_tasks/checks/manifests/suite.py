"""All objects of a cluster against the intent: what is judged of each kind, and what is not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nornir_tasks.checks.evidence import Verdict
from nornir_tasks.checks.manifests import attachments, devices, nics, pools, scopes, workloads
from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Judged
from nornir_tasks.checks.manifests.objects import Manifest

ATTACHMENTS = (
    "HostDeviceNetwork",
    "MacvlanNetwork",
    "NetworkAttachmentDefinition",
    "SriovNetwork",
    "SpiderMultusConfig",
)
KNOWN = (
    devices.POLICY,
    scopes.NODE_POLICY,
    devices.NODE_POLICY,
    nics.KIND,
    *pools.KINDS,
    *ATTACHMENTS,
    *workloads.KINDS,
)
"""Kinds of objects that are judged."""


@dataclass(frozen=True)
class Audit:
    """What was judged of all objects."""

    objects: tuple[Manifest, ...]
    results: tuple[Judged, ...]

    def of(self, verdict: Verdict) -> tuple[Judged, ...]:
        """Results of one outcome."""
        return tuple(each for each in self.results if each.verdict is verdict)

    @property
    def failed(self) -> tuple[Judged, ...]:
        return self.of(Verdict.FAIL)

    @property
    def undecided(self) -> tuple[Judged, ...]:
        return self.of(Verdict.ERROR)

    @property
    def tested(self) -> int:
        """Values that passed or failed."""
        return len(self.of(Verdict.PASS)) + len(self.failed)

    @property
    def total(self) -> int:
        """Values that were to be judged."""
        return self.tested + len(self.undecided)

    @cached_property
    def judged(self) -> frozenset[str]:
        """Objects of which at least one value was judged."""
        return frozenset(each.object for each in self.results if each.verdict in {Verdict.PASS, Verdict.FAIL})

    @property
    def judged_objects(self) -> int:
        return sum(each.label in self.judged for each in self.objects)

    @cached_property
    def not_judged(self) -> Mapping[str, int]:
        """Kind -> how many of it were not judged."""
        return Counter(each.kind for each in self.objects if each.label not in self.judged)

    def summary(self) -> str:
        """How much was judged, and of what nothing was."""
        rest = ", ".join(
            f"{kind} {count}" if kind in KNOWN else f"{kind} {count} (kind not known)"
            for kind, count in sorted(self.not_judged.items())
        )
        return f"judged {self.judged_objects} of {len(self.objects)} objects, {self.tested} of {self.total} values" + (
            f"; not judged: {rest}" if rest else ""
        )


def audit(objects: Sequence[Manifest], intended: Intended) -> Audit:
    """Every object that is of a known kind, against one plane of the intent."""
    found_pools = pools.find_pools(objects, intended)
    found_devices = devices.find_devices(objects, intended)
    networks: dict[str, frozenset[int]] = {}
    results = list(found_devices.results)
    results += nics.judge_templates([each for each in objects if each.kind == nics.KIND], intended)
    results += pools.judge_pools(found_pools, intended)
    for manifest, rails, judged in attachments.judge_attachments(objects, found_devices, found_pools):
        namespace = manifest.value("spec", "networkNamespace") or manifest.namespace or "default"
        networks[f"{namespace}/{manifest.name}"] = rails
        results += judged
    results += pools.judge_users(found_pools, networks, intended)
    maps = {f"{each.namespace or 'default'}/{each.name}": each for each in objects if each.kind == workloads.CONFIG_MAP}
    cluster = workloads.Cluster(found_devices, networks, maps)
    results += workloads.judge_workloads(objects, cluster)
    return Audit(tuple(objects), tuple(results))
