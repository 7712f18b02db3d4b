"""The input for hosts beyond that for switches: NIC places, NIC models, the marking of RDMA."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

from nornir_tasks.design.demand.collect_errors import Gathering
from nornir_tasks.design.demand.fabric_demand import Demand
from nornir_tasks.design.demand.qos import classes
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.partial_config import ClassPolicy
from nornir_tasks.errors import IntentError
from nornir_tasks.intent.core.findings import Finding, Marks, Path
from nornir_tasks.intent.keys.policy import PolicyIntent


@dataclass(frozen=True, slots=True)
class HostNeeds:
    """The input for a group's hosts on one plane, beyond that for switches."""

    group: str
    """The prefix of the hosts' names."""
    plane: str
    """The plane of their rails, or of a bond that carries RDMA."""
    places: tuple[str, ...]
    """Place of the NIC port of rail 0, 1, ... in every host; of NICs with several ports, those of rail 0 first. None of
    a bond's, whose are :mod:`nornir_tasks.design.hosts.bond_needs`'."""
    exceptions: Mapping[str, Mapping[int, str]]
    """Host -> rail -> its place in this host."""
    interfaces: Mapping[str, tuple[str, ...]]
    """Plane that is not described -> the hosts' interfaces on it."""
    provider: Literal["mlx5", "rxe"]
    roce: ClassPolicy
    """The class with which RDMA is marked."""
    notified: bool
    """Switches mark, and NICs tell senders: by DCQCN, or by another algorithm in its place."""
    queue_pairs: tuple[int, bool] | None = None
    """Queue pairs of a connection, and whether each message is split among them; None: as NCCL does by itself."""
    reorders: bool = False
    """Switches balance packet by packet, and the NICs accept that once they are told to."""
    clear_to_send: ClassPolicy | None = None
    """The class in which receivers tell senders to begin; None: with the data."""
    spectrum_x: bool = False
    """The NICs run NVIDIA's algorithm in DCQCN's place."""

    def is_of(self, host: str) -> bool:
        """Is this host one of the group?"""
        return host.rpartition("-")[0] == self.group


def host_needs(
    demands: Iterable[Demand], catalogue: Catalogue, marks: Marks, *, with_places: bool = True
) -> tuple[HostNeeds, ...]:
    """The hosts' NIC places, NIC models and marking of RDMA, of each group on each plane of rails or RDMA over bonds.

    What else bonds need is :mod:`nornir_tasks.design.hosts.bond_needs`'. Raises IntentError for all missing values, and
    for planes with different values for what a host has once. Only configuring hosts needs this. ``with_places``: hosts
    without places are refused; else they have none.
    """
    every, gathering = tuple(filter(_needs_rdma, demands)), Gathering()
    found = [gathering.attempt(partial(_needs, each, catalogue, marks, with_places=with_places)) for each in every]
    gathering.attempt(lambda: _agree(every, catalogue, marks))
    gathering.refuse()
    return tuple(each for each in found if each is not None)


def _needs_rdma(demand: Demand) -> bool:
    return not demand.is_bonded or (demand.plane.transport == "rdma" and not demand.is_of_machines)


def check_copies(demands: Iterable[Demand], marks: Marks) -> None:
    """Raise IntentError for NICs with several ports: neither the host roles nor NCCL's settings know them.

    Addresses and routing tables of such hosts are known (``host_vars.rail_interfaces``), for other tools.
    """
    what = "host roles and NCCL settings for a NIC of several ports, each on a copy of the fabric, are not built yet"
    findings = [
        Finding(each.on_nics("copies"), what, "no copies, for hosts that the roles bring up", str(each.nics.copies))
        for each in demands
        if each.nics.copies is not None
    ]
    if findings:
        raise IntentError(marks.problems(findings))


def _needs(demand: Demand, catalogue: Catalogue, marks: Marks, *, with_places: bool) -> HostNeeds:
    findings: list[Finding] = []
    nics = demand.nics
    if nics.copy_addressing == "shared":
        what = "a routing table for each port, of NICs whose ports have one address, cannot be made"
        expected, also = "per_port, or no copy_addressing", demand.on_nics("copies")
        finding = Finding(demand.on_nics("copy_addressing"), what, expected, "shared", also=also)
        raise IntentError(marks.problem(finding))
    if nics.ports_of is not None and not demand.is_bonded:
        what, expected = "host roles do not configure VLANs on NIC ports yet", "NIC ports of this plane's own"
        raise IntentError(marks.problem(Finding(demand.on_nics("ports_of"), what, expected, nics.ports_of)))
    if with_places and nics.at is None and not demand.is_bonded:
        what, example = "the places of these NICs are not declared", "at: [PCI address of rail 0, ...]"
        findings.append(Finding(demand.on_nics(), what, example))
    provider = _provider(demand, catalogue)
    if provider is None:
        known = ", ".join(sorted(name for name, nic in catalogue.nics.items() if nic.rdma_provider))
        path, what, model = _model_at(demand), "no NIC model that the host roles know", _model(demand)
        hint = f"the roles set nothing of {model}'s RDMA stack; its switches can be designed" if model else ""
        findings.append(Finding(path, what, f"one of {known}", model or "none", hint))
    roce = _roce(demand)
    if roce is None:
        findings.append(_no_roce(demand))
    if findings or provider is None or roce is None:
        raise IntentError(marks.problems(findings))
    return HostNeeds(
        group=demand.group,
        plane=demand.plane_name,
        places=() if demand.is_bonded else nics.at or (),
        exceptions={} if demand.is_bonded else nics.exceptions,
        interfaces=demand.hosts.interfaces,
        provider=provider,
        roce=roce,
        notified=demand.terms.congestion != "pfc_only",
        queue_pairs=_queue_pairs(demand.terms.policy),
        reorders=demand.terms.load_balancing == "per_packet" and _needs_the_setting(demand, catalogue),
        clear_to_send=_clear_to_send(demand),
        spectrum_x=demand.terms.congestion == "spectrum_x",
    )


def _queue_pairs(policy: PolicyIntent) -> tuple[int, bool] | None:
    chosen = policy.queue_pairs
    return None if chosen is None else (chosen.per_connection, chosen.split)


def _roce(demand: Demand) -> ClassPolicy | None:
    """The class with which RDMA is marked: the lossless one; if there is none, the one that switches mark."""
    lossy = demand.terms.congestion == "lossy"
    found = [each for each in classes(demand.terms.classes) if (each.ecn is not None if lossy else each.lossless)]
    return found[0] if found and (len(found) == 1 or not lossy) else None


def _clear_to_send(demand: Demand) -> ClassPolicy | None:
    """Where pauses alone hold senders back, the intent must have it; elsewhere it may."""
    return next((each for each in classes(demand.terms.classes) if each.name == "cts"), None)


def _no_roce(demand: Demand) -> Finding:
    terms, what = demand.terms, "no class carries RDMA"
    if terms.congestion != "lossy":
        return Finding(terms.classes_at, what, "lossless: true in the class that RDMA is marked for")
    marking = ", ".join(name for name, each in terms.classes.items() if each.ecn is not None)
    expected = "ecn in one class alone: it carries RDMA where none is lossless"
    return Finding(terms.classes_at, "which class carries RDMA cannot be known", expected, marking)


def _agree(demands: Sequence[Demand], catalogue: Catalogue, marks: Marks) -> None:
    """Check two planes on one host: it has its classes, congestion control and RDMA stack only once."""
    pairs = ((one, other) for one, other in combinations(demands, 2) if one.group == other.group)
    findings = [finding for one, other in pairs for finding in _differences(one, other, catalogue)]
    if findings:
        raise IntentError(marks.problems(findings))


def _differences(one: Demand, other: Demand, catalogue: Catalogue) -> Iterator[Finding]:
    before, after = one.terms, other.terms
    hosts, hint = f"on hosts of group {one.group}", "a host has one set of queues, and one RDMA stack"
    if before.classes != after.classes:
        what, expected = f"other traffic classes than plane {one.plane_name} has, {hosts}", f"those of {one.plane_name}"
        yield Finding(after.classes_at, what, expected, ", ".join(after.classes), hint, also=before.classes_at)
    if before.congestion != after.congestion:
        what = f"not what plane {one.plane_name} does against congestion, {hosts}"
        also = before.congestion_at
        yield Finding(after.congestion_at, what, before.congestion, after.congestion, hint, also=also)
    providers = [_provider(each, catalogue) for each in (one, other)]
    if None not in providers and providers[0] != providers[1]:
        what = f"another RDMA stack than that of the NICs on plane {one.plane_name}, {hosts}"
        yield Finding(_model_at(other), what, str(_model(one)), str(_model(other)), hint, also=_model_at(one))


def _needs_the_setting(demand: Demand, catalogue: Catalogue) -> bool:
    """Do these NICs accept reordered packets only with a setting on their host?"""
    model = _model(demand)
    return model is not None and catalogue.nics[model].out_of_order_setting is not None


def _provider(demand: Demand, catalogue: Catalogue) -> Literal["mlx5", "rxe"] | None:
    model = _model(demand)
    return catalogue.nics[model].rdma_provider if model else None


def _model(demand: Demand) -> str | None:
    """Of the NICs; the plane that the ports are of says it, where this one shares them."""
    owner = demand.nics.ports_of
    return (demand.nics if owner is None else demand.hosts.nics[owner]).model


def _model_at(demand: Demand) -> Path:
    return demand.on_hosts("nics", demand.nics.ports_of or demand.plane_name, "model")
