"""``nornir lab``: the built-in lab of a site, up, down and status."""

from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.cli.scope import Scope
    from nornir_tasks.lab.machines.manager import MachineStatus
    from nornir_tasks.lab.machines.plan import MachinePlan
    from nornir_tasks.lab.manager import Lab, LabPlan

app = typer.Typer(
    help="The built-in lab: every switch of a site as a server on loopback, and its hosts as machines.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def up(
    site: options.Site = "lab",
    rtt_ms: Annotated[float, typer.Option(min=0, max=10_000, help="Round-trip time to every switch's API.")] = 0.0,
    hosts: Annotated[
        int | None, typer.Option(min=0, help="Have this many of the design's hosts as machines; needs root.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Start the lab of a site: each switch as it leaves day 0, cabled as the design says; with --hosts, machines too.

    Without --hosts machines stay as they are. Switches keep what is pushed to them until 'nornir lab down', or until
    the lab's process ends otherwise; then this says so and starts them at day 0 again.
    """
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.cli.scope import load
    from nornir_tasks.errors import LabError, Problem
    from nornir_tasks.lab.machines.requirements import check_requirements

    scope = load(site)
    if scope.site.intent.management.source != "lab":
        hint = "copy the site's folder and say 'management: {source: lab}' in the copy to try it in the lab"
        raise LabError(Problem(scope.site.name, "this site has real switches; its verbs reach those", hint=hint))
    lab, plan = _lab(scope), lab_plan(scope)
    machines = None if hosts is None else machine_plans(scope, hosts)
    if machines:
        check_requirements()
    started = lab.up(plan, rtt_ms, lambda line: err.print(line, markup=False))
    if started.lost:
        _say_what_is_lost(started.lost, len(plan.devices), site)
    if not json:
        how = "are up" if started.is_new else "were up already"
        out.print(f"{len(plan.devices)} switches {how}, in {lab.directory}")
    changed = None if machines is None else _machines_up(scope, machines, quiet=json)
    if json:
        answer: dict[str, object] = {
            "started": started.is_new,
            "devices": len(plan.devices),
            "directory": str(lab.directory),
            "lost": started.lost or None,
        }
        print_json(answer if changed is None else {**answer, "hosts": hosts, "hosts_changed": changed})


@app.command()
def down(site: options.Site = "lab", json: options.Json = False) -> None:
    """End the lab of a site and forget it. Nothing happens if there is none."""
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.machines.manager import Machines
    from nornir_tasks.lab.manager import Lab

    state = state_directory(site)
    machines = Machines(state).down()
    stopped = Lab(state).down(lambda line: err.print(line, markup=False))
    if json:
        print_json({"stopped": stopped, "hosts": machines})
        return
    if machines:
        out.print(f"{machines} machine{'s' * (machines > 1)} ended")
    out.print("the lab is down" if stopped else "no lab was up")


@app.command()
def status(site: options.Site = "lab", json: options.Json = False) -> None:
    """Show the lab's switches, and how often each was connected to and asked."""
    from dataclasses import asdict

    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.tables import named_table
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.machines.manager import Machines
    from nornir_tasks.lab.manager import Lab

    state = state_directory(site)
    lab, machines = Lab(state), Machines(state).status()
    hosts = {"hosts": [asdict(each) for each in machines]} if machines else {}
    if (stands := lab.state()) != "up":
        how = {"state": stands, "why": lab.process.why_it_ended()} if stands == "crashed" else {"state": stands}
        if json:
            print_json({"up": False, **how, **hosts})
            return
        out.print(_why_not_up(lab, stands), markup=False)
        _print_machines(machines)
        return
    answer, counted = lab.ask("status"), lab.ask("requests")
    devices = [{**each, **counted[each["name"]]} for each in answer["devices"]]
    if json:
        print_json({"up": True, "state": "up", **answer, "devices": devices, **hosts})
        return
    table = named_table("switch", "system", "address", "BGP", "connections", "requests")
    for each in devices:
        bgp = f"{each['bgp_established']} of {each['bgp_configured']} up"
        counts = (str(each["connections"]), str(each["requests"]))
        table.add_row(each["name"], f"{each['os']} {each['release']}", each["address"], bgp, *counts)
    out.print(table)
    _print_machines(machines)


@app.command("swap-cables")
def swap_cables(
    first: Annotated[str, typer.Argument(help="A link's name, as 'nornir design --json' lists it.")],
    second: Annotated[str, typer.Argument(help="The other link.")],
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Swap the far ends of two links' cables, as a technician might by mistake; those to hosts too."""
    from nornir_tasks.cli.console import err, out, print_json
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.manager import Lab

    now = Lab(state_directory(site)).swap_cables(first, second, lambda line: err.print(line, markup=False))
    if json:
        print_json({"cables": now})
        return
    out.print(f"the far ends of {first} and {second} are swapped")


def _say_what_is_lost(why: str, switches: int, site: str) -> None:
    from nornir_tasks.cli.console import err

    verb = f"nornir push --site {site}"
    err.print(f"warning: the lab that stood here ended without 'nornir lab down': {why}", markup=False)
    err.print(f"  all that was pushed to its {switches} switches is lost; they start at day 0", markup=False)
    err.print(f"  hint: {verb}", markup=False)


def _why_not_up(lab: "Lab", state: str) -> str:
    if state == "starting":
        return f"the lab is starting, or ending (process {lab.process.pid() or 'not known yet'})"
    if state != "crashed":
        return "no lab is up"
    return (
        f"the lab has crashed: {lab.process.why_it_ended()}\n"
        f"  what was pushed to its switches is lost; its log: {lab.directory / 'log'}\n"
        "  hint: nornir lab up starts it anew from day 0, then nornir push"
    )


def _lab(scope: "Scope") -> "Lab":
    from nornir_tasks.lab.manager import Lab

    return Lab(scope.site.state_directory)


def machine_plans(scope: "Scope", count: int) -> "tuple[MachinePlan, ...]":
    """The design's first ``count`` hosts as machines. Raises LabError when it has fewer."""
    from nornir_tasks.design.host_vars import host_vars
    from nornir_tasks.errors import LabError, Problem
    from nornir_tasks.lab.machines.plan import Rail, machine_plan

    names = tuple(dict.fromkeys(nic.host for nic in scope.fabric.nics))
    if count > len(names):
        raise LabError(Problem("--hosts", "the design has fewer hosts", f"at most {len(names)}", str(count)))
    if count and (vlan := scope.fabric.intent.planes.compute.hosts.host_vlan) is not None:
        what = "lab machines hang on routed links, each at a leaf's end of its own"
        hint = "switches of the lab take hosts in a VLAN; try machines on a copy of the site with link: p2p"
        raise LabError(Problem("--hosts", what, "link: p2p or subnet/N", f"link: svi, VLAN {vlan}", hint))
    plans = []
    for index, name in enumerate(names[:count]):
        rails = host_vars(scope.fabric, scope.catalogue, name).rail_interfaces.rails
        found = tuple(
            Rail(each.name, each.match.pci, each.match.mac, each.gateway, each.prefix_length) for each in rails
        )
        plans.append(machine_plan(name, index, found))
    return tuple(plans)


def _machines_up(scope: "Scope", plans: "tuple[MachinePlan, ...]", *, quiet: bool) -> int:
    """Have these machines; tell each step as it happens, on stderr where stdout is for JSON."""
    from nornir_tasks.cli.console import err, out
    from nornir_tasks.lab.machines.manager import Machines

    machines = Machines(scope.site.state_directory)
    console = err if quiet else out
    changed = machines.up(plans, lambda line: console.print(line, markup=False))
    if not quiet:
        names = ", ".join(plan.name for plan in plans) or "none"
        out.print(f"machines: {names}{'' if changed else ', as before'}")
    return changed


def _print_machines(machines: "tuple[MachineStatus, ...]") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    if machines:
        table = named_table("machine", "state", "SSH", "image", "console log")
        for each in machines:
            state = "runs" if each.running else "powered off"
            table.add_row(each.name, state, f"127.0.0.1:{each.ssh_port}", each.image, each.serial_log)
        out.print(table)


def lab_plan(scope: "Scope") -> "LabPlan":
    """The design's devices, cables and hosts, and the ASN each switch's day-0 BGP process runs."""
    from nornir_tasks.lab.manager import LabDevice, LabHost, LabPlan

    fabric = scope.fabric
    devices = tuple(
        LabDevice(each.name, each.os, each.release, each.model, each.asic, each.asn, scope.port_names(each))
        for each in fabric.devices
    )
    cables, hosts = [], []
    for link in fabric.links:
        upper, lower = (link.upper.device, link.upper.port), (link.lower.device, link.lower.port)
        if link.kind == "fabric":
            cables.append((link.name, upper, lower))
        else:
            hosts.append(LabHost(*lower, upper, fabric.intent.policy.mtu.host, link.name))
    return LabPlan(scope.site.name, devices, tuple(cables), tuple(hosts))
