"""Which hosts a device plug-in's configuration is for, and two policies that would have the same.

Sources: tests/corpus/kubernetes/device_plugin.tsv, rows ``operator``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from nornir_tasks.checks.manifests.intended import Intended
from nornir_tasks.checks.manifests.judged import Asks, Judged, Sheet
from nornir_tasks.checks.manifests.nics import GROUP_LABEL, SITE_LABEL
from nornir_tasks.checks.manifests.objects import Manifest
from nornir_tasks.intent.core.findings import Path

POLICY, NODE_POLICY = "NicClusterPolicy", "NicNodePolicy"
SECTIONS = ("sriovDevicePlugin", "rdmaSharedDevicePlugin")
BY_LABEL = f"a NicNodePolicy for each group, with nodeSelector {{{GROUP_LABEL}: GROUP}} (nornir export k8s-rdma)"


@dataclass(frozen=True, slots=True)
class Scope:
    """Hosts that have a configuration."""

    groups: frozenset[str]
    is_certain: bool = True
    """False: labels that only the cluster knows choose among these groups' hosts."""


def scope_of(manifest: Manifest, intended: Intended) -> Scope:
    """The groups of hosts that an object's device plug-ins run on; none where it is for another site's nodes."""
    everybody = frozenset(intended.ports) | {each.name for each in intended.pods.groups}
    if manifest.kind == POLICY:
        return Scope(everybody, is_certain=not manifest.value("spec", "nodeAffinity"))
    if manifest.kind != NODE_POLICY:
        return Scope(everybody, is_certain=False)
    labels = manifest.value("spec", "nodeSelector")
    labels = dict(labels) if isinstance(labels, Mapping) else {}
    if labels.get(SITE_LABEL, intended.pods.site) != intended.pods.site:
        return Scope(frozenset())
    group = labels.get(GROUP_LABEL)
    groups = everybody if group is None else everybody & {group}
    return Scope(groups, is_certain=not labels.keys() - {SITE_LABEL, GROUP_LABEL})


def judge_policies(manifests: Iterable[Manifest], intended: Intended) -> Iterator[Judged]:
    """Is each section in one policy for a node, with all that its image needs?"""
    every = [each for each in manifests if each.kind in {POLICY, NODE_POLICY}]
    before: list[tuple[Manifest, Scope]] = []
    for manifest in every:
        if manifest.kind != NODE_POLICY:
            continue
        sheet, scope = Sheet(manifest), scope_of(manifest, intended)
        if not scope.groups:
            what = "for nodes of another site, or of no group of hosts of the intent"
            sheet.skipped("rail", ("spec", "nodeSelector"), what)
        for section in SECTIONS:
            if manifest.value("spec", section) is not None:
                _section(sheet, section, every, intended)
        if other := next((each for each, theirs in before if _same_nodes(scope, theirs)), None):
            what = f"{other.label} selects the same nodes: the operator applies neither"
            asks = Asks("other nodes", other.where("spec", "nodeSelector"), BY_LABEL)
            found = manifest.value("spec", "nodeSelector") or "all nodes"
            sheet.failed("rail", ("spec", "nodeSelector"), what, found, asks)
        before.append((manifest, scope))
        yield from sheet.results


def _same_nodes(one: Scope, other: Scope) -> bool:
    return one.is_certain and other.is_certain and bool(one.groups & other.groups)


def _section(sheet: Sheet, section: str, every: Iterable[Manifest], intended: Intended) -> None:
    path: Path = ("spec", section)
    for key in ("repository", "version"):
        if not sheet.manifest.value(*path, key):
            what = f"a NicNodePolicy has no global: without {key} the operator starts no device plug-in"
            sheet.failed("image", path, what, f"no {key}", Asks(key, intended.plane_at, f"{key}: ..."))
    wide = next((each for each in every if each.kind == POLICY and each.value(*path) is not None), None)
    if wide is not None:
        what = f"{wide.label} has this section too, and the operator's webhook refuses both"
        asks = Asks("one of them", wide.where(*path), f"take {section} out of {wide.label}")
        sheet.failed("rail", path, what, section, asks)
