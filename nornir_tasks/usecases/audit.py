"""Judge what this tool never wrote: objects of a Kubernetes cluster against the intent."""

from collections.abc import Mapping
from dataclasses import replace
from typing import IO

from nornir_tasks.checks.manifests.intended import HostPort, Intended
from nornir_tasks.checks.manifests.objects import Manifest
from nornir_tasks.checks.manifests.suite import Audit, audit
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.hosts.pod_rules import intended_networks
from nornir_tasks.errors import Problem, UndecidedError, ValidationFailed
from nornir_tasks.files.manifest_files import read_manifests
from nornir_tasks.intent.core.fields import is_pci
from nornir_tasks.usecases.export import plane_with_rails
from nornir_tasks.usecases.node_names import node_names
from nornir_tasks.usecases.site import SiteDesign

NAMING_NODES = ("CIDRPool", "SpiderIPPool")
"""Kinds of objects that name nodes."""


def audit_k8s(design: SiteDesign, source: str | IO[bytes], plane: str | None = None, nodes: str | None = None) -> Audit:
    """Manifests of a folder, a file or an open stream, against one plane with rails.

    ``nodes``: how the cluster calls the hosts (``node_names``). Raises IntentError for what cannot be read, with every
    problem, and for a plane of which nothing can be known.
    """
    wanted = intended(design, plane)
    hosts = {node: host for host, node in node_names(nodes, sorted(wanted.hosts)).items()}
    return audit([_with_hosts(each, hosts) for each in read_manifests(source)], wanted)


def _with_hosts(manifest: Manifest, hosts: Mapping[str, str]) -> Manifest:
    """The object with hosts of the intent in place of their nodes, where it names any; a host's own name is no node."""
    own = set(hosts.values())

    def named(value: object) -> object:
        if isinstance(value, Mapping):
            return {key: called(each) if key == "nodeName" else named(each) for key, each in value.items()}
        return [named(each) for each in value] if isinstance(value, list | tuple) else value

    def called(value: object) -> object:
        if isinstance(value, list | tuple):
            return [called(each) for each in value]
        if not isinstance(value, str):
            return value
        return hosts.get(value, f"{value} (no node)" if value in own else value)

    if manifest.kind not in NAMING_NODES or all(node == host for node, host in hosts.items()):
        return manifest
    data = named(manifest.data)
    return replace(manifest, data=data) if isinstance(data, dict) else manifest


def intended(design: SiteDesign, plane: str | None = None) -> Intended:
    """What the intent says of a plane. Raises IntentError or DesignError where it says too little."""
    name = plane_with_rails(design.network, plane)
    marks = design.site.intent.marks
    pods = intended_networks(design.network, design.demands, design.catalogue, marks, name)
    there = {each.name for each in pods.groups}
    demands = [each for each in design.demands if each.plane_name == name and each.group in there]
    return Intended(pods, demands, marks, _elsewhere(design, name), _ports(design, name))


def _ports(design: SiteDesign, plane: str) -> dict[str, list[tuple[str, tuple[HostPort, ...]]]]:
    """Group -> its hosts, and the NIC ports of them whose PCI addresses are known."""
    by_group: dict[str, list[Demand]] = {}
    for demand in design.demands:
        nics = demand.nics
        if nics.at is not None and nics.copies is None and nics.ports_of is None and all(map(is_pci, nics.at)):
            by_group.setdefault(demand.group, []).append(demand)
    found: dict[str, list[tuple[str, tuple[HostPort, ...]]]] = {}
    for group, own in by_group.items():
        apart = dict.fromkeys(host for each in own for host in each.nics.exceptions)
        kinds = [("", f"hosts of group {group}"), *((host, f"host {host}") for host in apart)]
        found[group] = [(label, _ports_of(design, own, plane, host)) for host, label in kinds]
    return found


def _ports_of(design: SiteDesign, own: list[Demand], plane: str, host: str) -> tuple[HostPort, ...]:
    """Of one host with exceptions, or with an empty name of the others."""
    models = design.catalogue.nics
    return tuple(
        HostPort(
            place=each.nics.exceptions.get(host, {}).get(rail, usual).lower(),
            rail=rail if each.plane_name == plane else None,
            interface=f"{each.nics.port_names}{rail}",
            plane=each.plane_name,
            device=(models[each.nics.model].pci_device if each.nics.model else None) or "",
        )
        for each in own
        for rail, usual in enumerate(each.nics.at or ())
    )


def _elsewhere(design: SiteDesign, plane: str) -> dict[str, str]:
    """Interfaces of hosts that are no rails of this plane."""
    rails = {nic.port for host in design.network.hosts for nic in design.network.rails_of(host, plane)}
    found: dict[str, str] = {}
    for circuit in design.network.circuits:
        if circuit.link.kind == "host":
            host = circuit.link.lower.device
            names = (circuit.link.lower.port, circuit.interface(host), circuit.use.bundle)
            found |= {name: f"plane {circuit.owner}" for name in names if name}
    for group in design.site.intent.hosts.values():
        found |= {port: f"plane {name}" for name, ports in group.interfaces.items() for port in ports}
    return {name: what for name, what in found.items() if name not in rails}


def require_agreement(found: Audit) -> None:
    """Raise ValidationFailed if a value differs, UndecidedError if one could not be told or nothing was judged."""
    if found.failed:
        count = len(found.failed)
        raise ValidationFailed(Problem("audit", f"{count} value{'s' * (count != 1)} differ, {found.summary()}"))
    if found.undecided or not found.tested:
        what = f"{len(found.undecided)} values could not be told, {found.summary()}"
        raise UndecidedError(Problem("audit", what, hint="what could not be determined never counts as passed"))
