"""The built-in lab of a site: up, down and status. What breaks it is in lab_faults.py."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.errors import LabError, Problem
from nornir_tasks.files.site import state_directory
from nornir_tasks.lab.boundary_hosts import requirements as boundary_requirements
from nornir_tasks.lab.boundary_hosts.manager import BoundaryHosts, HostStatus
from nornir_tasks.lab.boundary_hosts.plan import BoundaryPlan
from nornir_tasks.lab.faults import Fault
from nornir_tasks.lab.machines.manager import Machines, MachineStatus
from nornir_tasks.lab.machines.plan import MachinePlan
from nornir_tasks.lab.machines.requirements import check_memory, check_requirements
from nornir_tasks.lab.manager import Lab, LabDevice, LabHost, LabPlan, State
from nornir_tasks.lab.plan import LabHostEnd, LabRoute, played_mac
from nornir_tasks.lab.routed import memory_mib
from nornir_tasks.usecases.lab.boundary import boundary_plan
from nornir_tasks.usecases.lab.edge_peers import beyond
from nornir_tasks.usecases.lab.hosts import ANYWHERE, ends_of_hosts
from nornir_tasks.usecases.lab.machines import cabled_elsewhere, cabled_machines, check_cabled_in, machine_plans
from nornir_tasks.usecases.lab.routed import Place, routed_place
from nornir_tasks.usecases.progress import Event, On, ignore
from nornir_tasks.usecases.site import SiteDesign, select

NIC_MTU_BYTES = 1500
"""Of a network interface of Linux without a setting of its own."""


@dataclass(frozen=True, slots=True)
class LabOptions:
    """Options of the lab that are not in the design."""

    rtt_ms: float = 0.0
    """Round-trip time to every switch's API."""
    hosts: int | None = None
    """Number of the design's hosts to run as machines (needs root); None: machines stay as they are."""
    host_lldp: bool | None = None
    """Whether hosts announce themselves by LLDP; None: those do that role rail_interfaces would have do it."""
    routed: bool = False
    """Whether switches route by FRR, in network namespaces (needs root); else routes are simulated."""
    machine: bool = False
    """Whether a routed lab runs in a machine of its own, also where this kernel has all that it needs."""
    planes: tuple[str, ...] = ()
    """The planes whose fabrics' switches run; empty means all."""
    boundary: bool | None = None
    """Whether the boundary's hosts run as containers (needs root); None: they stay as they are."""


@dataclass(frozen=True, slots=True)
class LabMessage(Event):
    """One line about the progress."""

    about: Literal["switches", "machines", "boundary"]
    line: str


@dataclass(frozen=True, slots=True)
class SwitchesUp(Event):
    """The lab's switches are up."""

    directory: Path
    switches: int
    is_new: bool
    """False: they were up already, as planned."""
    lost: str
    """Why the previous lab ended, with everything that was pushed to it; "" if there was none."""
    faults: tuple[Fault, ...] = ()
    """What was broken on purpose in the lab that was up already; it stays broken."""


@dataclass(frozen=True, slots=True)
class LabUp:
    """What ``up`` did."""

    switches: SwitchesUp
    machines: tuple[str, ...] | None = None
    """The machines that exist now; None: not requested."""
    machines_changed: int = 0
    """How many of them were started or ended."""
    boundary: tuple[str, ...] | None = None
    """The boundary's hosts that exist now; None: not requested."""
    boundary_changed: int = 0
    """How many of them were started or ended."""


@dataclass(frozen=True, slots=True)
class LabDown:
    """What ``down`` ended."""

    was_up: bool
    machines: int
    boundary: int = 0


@dataclass(frozen=True, slots=True)
class LabStatus:
    """The state of the lab."""

    directory: Path
    state: State
    why: str = ""
    """Why it crashed."""
    pid: int | None = None
    machines: tuple[MachineStatus, ...] = ()
    boundary: tuple[HostStatus, ...] = ()
    faults: tuple[Fault, ...] = ()
    """What was broken on purpose (lab_faults.py)."""
    machine: Mapping[str, Any] | None = None
    """The machine that the switches run in: accelerator, memory_mib, image, pid, ssh_config; None: they run here."""
    answer: Mapping[str, Any] | None = None
    """The status from the lab's process, its switches under ``devices``; None unless it is up."""

    @property
    def played(self) -> tuple[str, ...]:
        """Hosts and devices that are played to the switches: all, machines too, whose frames reach no switch."""
        return tuple((self.answer or {}).get("played", ()))

    @property
    def has_variables(self) -> bool:
        """Are they played from their variables? Else they have none, and answer LACP on every port."""
        hosts = (self.answer or {}).get("played", {}).values()
        return all(end is not None for host in hosts for end in host["ports"].values())


def up(design: SiteDesign, options: LabOptions, on: On = ignore) -> LabUp:
    """Start the lab of a site: each switch with its day-0 configuration, cabled as designed; machines on request.

    Raises LabError for a site of real switches, for a running lab of another design, and if it cannot be started.
    """
    if design.site.intent.management.source != "lab":
        hint = "copy the site's folder and say 'management: {source: lab}' in the copy to try it in the lab"
        raise LabError(Problem(design.site.name, "this site has real switches; its verbs reach those", hint=hint))
    every = frozenset(each.name for each in design.network.devices)
    chosen = frozenset(select(design, options.planes)) if options.planes else every
    place = _place(design, options, chosen)
    if place.line:
        on(LabMessage("switches", place.line))
    plan = lab_plan(design, options.host_lldp, chosen, options.routed, in_machine=place.in_machine)
    lab = Lab(design.site.state_directory)
    plans = None if options.hosts is None else machine_plans(design, options.hosts, chosen if options.routed else ())
    if plans:
        _check_machines(lab, plan, plans, on)
    boundary = boundary_plan(design) if options.boundary else None
    if boundary is not None:
        _check_boundary(lab, boundary)
    started = lab.up(plan, options.rtt_ms, lambda line: on(LabMessage("switches", line)))
    faults = () if started.is_new else lab.faults().faults
    switches = SwitchesUp(lab.directory, len(plan.devices), started.is_new, started.lost, faults)
    on(switches)
    hosts, hosts_changed = _up_boundary(design, options, boundary, on)
    if plans is None:
        if started.is_new and (cut_off := sorted(cabled_machines(design.site.state_directory))):
            line = f"{', '.join(cut_off)}: cabled to the lab that ended; --hosts {len(cut_off)} starts them in this one"
            on(LabMessage("machines", line))
        return LabUp(switches, boundary=hosts, boundary_changed=hosts_changed)
    ask = lab.ask if options.routed else None
    changed = Machines(design.site.state_directory).up(plans, lambda line: on(LabMessage("machines", line)), ask)
    return LabUp(switches, tuple(each.name for each in plans), changed, hosts, hosts_changed)


def _check_boundary(lab: Lab, plan: BoundaryPlan) -> None:
    """Raises LabError with what the boundary's hosts lack here."""
    boundary_requirements.check_requirements()
    running = {each.name for each in BoundaryHosts(lab.directory.parent).status() if each.running}
    boundary_requirements.check_memory(sum(host.name not in running for host in plan.hosts))


def _up_boundary(
    design: SiteDesign, options: LabOptions, plan: BoundaryPlan | None, on: On
) -> tuple[tuple[str, ...] | None, int]:
    """The boundary's hosts that exist now, None if not asked for, and how many of them were started or ended."""
    if options.boundary is None:
        return None, 0
    hosts = BoundaryHosts(design.site.state_directory)
    if plan is None:
        return (), hosts.down()
    changed = hosts.up(plan, lambda line: on(LabMessage("boundary", line)))
    return hosts.names(), changed


def _place(design: SiteDesign, options: LabOptions, chosen: Collection[str]) -> Place:
    """Where the lab runs. Raises LabError for options that do not go together."""
    if options.machine and not options.routed:
        raise LabError(Problem("--machine", "only a routed lab runs in a machine: nornir lab up --routed --machine"))
    place = routed_place(design, chosen, on_request=options.machine) if options.routed else Place(in_machine=False)
    if place.in_machine and options.hosts:
        what = "hosts cannot be machines where the switches run in one: the cables of both would have to meet in it"
        hint = "without --hosts: hosts are namespaces in that machine; or with --plane of planes that need no machine"
        raise LabError(Problem("--hosts", what, found=place.line, hint=hint))
    return place


def _check_machines(lab: Lab, plan: LabPlan, plans: tuple[MachinePlan, ...], on: On) -> None:
    """Raises LabError with what machines lack here; in a routed lab, also for those that have nothing to do with it."""
    check_requirements()
    machines = Machines(lab.directory.parent)
    new = sum(machines.machine(each.name).pid() is None for each in plans)
    switches = len(plan.devices) if plan.routed and not lab.is_up() else 0
    check_memory(new, memory_mib(switches) if switches else 0)
    if plan.routed:
        check_cabled_in(plans)
        if line := cabled_elsewhere(plans):
            on(LabMessage("machines", line))


def down(site: str | Path, on: On = ignore) -> LabDown:
    """Stop the lab of a site and delete it, whatever its intent says now. No effect if there is none."""
    state = state_directory(site)
    machines, boundary = Machines(state).down(), BoundaryHosts(state).down()
    return LabDown(Lab(state).down(lambda line: on(LabMessage("switches", line))), machines, boundary)


def status(site: str | Path) -> LabStatus:
    """The state of the lab, with the number of connections and requests of each switch."""
    folder = state_directory(site)
    lab, machines, boundary = Lab(folder), Machines(folder).status(), BoundaryHosts(folder).status()
    if (state := lab.state()) != "up":
        why = lab.process.why_it_ended() if state == "crashed" else ""
        return LabStatus(lab.directory, state, why, lab.process.pid(), machines, boundary)
    answer, counted = lab.ask("status"), lab.ask("requests")
    devices = [{**each, **counted[each["name"]]} for each in answer["devices"]]
    faults = lab.faults().faults
    answer = {**answer, "devices": devices}
    return LabStatus(
        lab.directory, state, machines=machines, boundary=boundary, faults=faults, machine=lab.machine, answer=answer
    )


def lab_plan(
    design: SiteDesign,
    host_lldp: bool | None = None,
    only: Collection[str] | None = None,
    routed: bool = False,
    *,
    in_machine: bool = False,
) -> LabPlan:
    """The design's devices, cables and hosts, and the ASN each switch's day-0 BGP process runs.

    ``host_lldp``: do hosts announce themselves? None: those with rails do. ``only``: these switches and the cables
    between them and to hosts; None means all.
    """
    network = design.network
    there = {each.name for each in network.devices if only is None or each.name in only}
    devices = tuple(
        LabDevice(each.name, each.os, each.release, each.model, each.asic, each.asn, _port_names(design, each))
        for each in network.devices
        if each.name in there
    )
    ends, cables, hosts = ends_of_hosts(design), [], []
    attached = frozenset(network.attached_devices)
    for link in network.links:
        upper, lower = (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)
        if link.kind == "outside":
            hosts += [each for each in (beyond(design, link),) if each.switch[0] in there]
        elif link.lower.device in network:  # a switch, be it by its management port
            if {upper[0], lower[0]} <= there:
                cables.append((link.name, upper, lower))
        elif upper[0] in there:
            mtu_bytes, end = _host_mtu_bytes(design.network, link), ends.end(*lower)
            if lower[0] in attached:  # whatever is known of hosts
                (circuit,) = network.circuits_on(link)
                address = f"{circuit.lower_address}/{circuit.use.prefix_length}"
                routes = (LabRoute(ANYWHERE, circuit.upper_address),) if circuit.upper_address else ()
                end = LabHostEnd(mac=played_mac(lower[0]), addresses=(address,), routes=routes)
            can = lower[0] not in attached and ends.may_announce(lower[0])
            announces = can if host_lldp is None else host_lldp
            hosts.append(LabHost(*lower, upper, mtu_bytes, link.name, announces, end))
    used = {(each.name, each.end.bond) for each in hosts if each.end is not None}
    bonds = tuple(each for each in ends.bonds if len(there) == len(network.devices) or (each.host, each.name) in used)
    return LabPlan(design.site.name, devices, tuple(cables), tuple(hosts), bonds, attached, routed, in_machine)


def _port_names(design: SiteDesign, device: Device) -> tuple[str, ...]:
    """Every front-panel port of a switch, cabled or not."""
    groups = design.catalogue.switches[device.model].ports
    name = design.network.facts[device.os].port_name
    return tuple(name(number, 0, 1, group.lanes) for group in groups for number in group.numbers)


def _host_mtu_bytes(network: Network, link: Link) -> int:
    """The MTU of a host's end of a link: the largest of the planes that use it; a NIC's own where none does."""
    return max((network.planes[each.owner].mtu_bytes for each in network.circuits_on(link)), default=NIC_MTU_BYTES)
