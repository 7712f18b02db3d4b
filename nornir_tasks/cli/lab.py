"""``nornir lab``: the built-in lab of a site, up, down and status; what breaks it is in lab_faults.py."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import lab_faults, options
from nornir_tasks.cli.lab_export import export
from nornir_tasks.cli.lab_play import host_counters, play, print_traffic
from nornir_tasks.cli.lab_probe import probe

if TYPE_CHECKING:
    from nornir_tasks.lab.boundary_hosts.manager import HostStatus
    from nornir_tasks.lab.machines.manager import MachineStatus
    from nornir_tasks.usecases.lab.up_down import LabStatus, SwitchesUp
    from nornir_tasks.usecases.progress import Event, On

HOSTS_NAMED = 16
"""Of more, so many names and a number are printed; --json has all."""

app = typer.Typer(
    help="The built-in lab: every switch of a site as a server on loopback, and its hosts as machines.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command()(export)


@app.command()
def up(
    site: options.Site = "lab",
    rtt_ms: Annotated[float, typer.Option(min=0, max=10_000, help="Round-trip time to every switch's API.")] = 0.0,
    hosts: Annotated[
        int | None, typer.Option(min=0, help="Have this many of the design's hosts as machines; needs root.")
    ] = None,
    boundary: Annotated[
        bool | None,
        typer.Option("--boundary/--no-boundary", help="Have the boundary's hosts as containers, or none; needs root."),
    ] = None,
    host_lldp: Annotated[
        bool | None,
        typer.Option(
            "--host-lldp/--no-host-lldp",
            help="Have all hosts, or none, announce themselves by LLDP; default: those with rails, as their role can.",
        ),
    ] = None,
    routed: Annotated[
        bool,
        typer.Option(
            "--routed", help="Have each switch route by an FRR of its own in a network namespace; needs root."
        ),
    ] = False,
    machine: Annotated[
        bool,
        typer.Option(
            "--machine", help="With --routed: in one QEMU machine, also where this kernel has all that is needed."
        ),
    ] = False,
    fabric_planes: Annotated[
        list[str] | None,
        typer.Option("--plane", "-p", help="Only the switches of this plane's fabric (may be repeated); default: all."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Start the lab of a site: each switch with its day-0 configuration, cabled as designed; with --hosts, machines.

    Without --hosts machines stay as they are, and without --boundary the boundary's hosts. Switches keep what is
    pushed to them until 'nornir lab down', or until the lab's process ends otherwise; then this command reports it and
    starts them at day 0 again.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases.lab import up_down
    from nornir_tasks.usecases.site import load

    wanted = up_down.LabOptions(rtt_ms, hosts, host_lldp, routed, machine, tuple(fabric_planes or ()), boundary)
    done = up_down.up(load(site), wanted, _telling(quiet=json))
    if json:
        answer: dict[str, object] = {
            "started": done.switches.is_new,
            "devices": done.switches.switches,
            "directory": str(done.switches.directory),
            "lost": done.switches.lost or None,
            "faults": lab_faults.as_json(done.switches.faults),
        }
        more = {} if done.machines is None else {"hosts": hosts, "hosts_changed": done.machines_changed}
        named = {} if done.boundary is None else {"boundary": done.boundary, "boundary_changed": done.boundary_changed}
        print_json("lab-up", {**answer, **more, **named})
        return
    for what, names, changed in (
        ("the boundary's hosts", done.boundary, done.boundary_changed),
        ("machines", done.machines, done.machines_changed),
    ):
        if names is not None:
            out.print(f"{what}: {', '.join(names) or 'none'}{'' if changed else ', as before'}")


@app.command()
def down(site: options.Site = "lab", json: options.Json = False) -> None:
    """Stop the lab of a site and delete it. No effect if there is none."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases.lab import up_down

    ended = up_down.down(site, _telling(quiet=True))
    if json:
        print_json("lab-down", {"stopped": ended.was_up, "hosts": ended.machines, "boundary": ended.boundary})
        return
    if ended.boundary:
        out.print(f"{ended.boundary} hosts of the boundary ended")
    if ended.machines:
        out.print(f"{ended.machines} machine{'s' * (ended.machines > 1)} ended")
    out.print("the lab is down" if ended.was_up else "no lab was up")


@app.command()
def status(site: options.Site = "lab", json: options.Json = False) -> None:
    """Show the lab's switches, with the number of connections and requests of each, its hosts, and what is broken."""
    from dataclasses import asdict

    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases.lab import up_down

    found = up_down.status(site)
    if json:
        how: dict[str, object] = {"up": found.state == "up", "state": found.state}
        how |= ({"why": found.why} if found.why else {}) | ({"machine": found.machine} if found.machine else {})
        hosts: dict[str, object] = {"hosts": [asdict(each) for each in found.machines]} if found.machines else {}
        hosts |= {"boundary": [asdict(each) for each in found.boundary]} if found.boundary else {}
        faults = {"faults": lab_faults.as_json(found.faults)} if found.answer else {}
        answer = {key: value for key, value in (found.answer or {}).items() if key != "site"}  # the envelope says it
        print_json("lab-status", {**how, **answer, **hosts, **faults})
        return
    if found.answer is None:
        out.print(_why_not_up(found))
    else:
        _print_place(found)
        _print_switches(found.answer["devices"])
        _print_unrouted(found.answer["devices"])
        _print_played(found)
        if found.answer["traffic"] is not None:
            print_traffic(found.answer["traffic"])
        lab_faults.print_in_force(found.faults)
    _print_machines(found.machines)
    _print_boundary(found.boundary)


for verb in (lab_faults.cut, lab_faults.swap, lab_faults.kill, lab_faults.freeze, lab_faults.revive, lab_faults.mend):
    app.command()(verb)
app.command("loss")(lab_faults.loss)
app.command("delay")(lab_faults.delay)
app.command()(lab_faults.impair)
app.command()(probe)
app.command()(play)
app.command("host-counters")(host_counters)


def _telling(*, quiet: bool) -> "On":
    """Print each step; on stderr if it is not this command's result, or if stdout is for JSON."""
    from nornir_tasks.cli.console import err, out
    from nornir_tasks.usecases.lab.up_down import LabMessage, SwitchesUp

    def on(event: "Event") -> None:
        match event:
            case LabMessage(about="switches"):
                err.print(event.line)
            case LabMessage():
                (err if quiet else out).print(event.line)
            case SwitchesUp():
                if event.lost:
                    _say_what_is_lost(event)
                if not quiet:
                    how = "are up" if event.is_new else "were up already"
                    out.print(f"{event.switches} switches {how}, in {event.directory}")
                    lab_faults.print_in_force(event.faults)

    return on


def _say_what_is_lost(event: "SwitchesUp") -> None:
    from nornir_tasks.cli.commands import runnable
    from nornir_tasks.cli.console import err

    err.print(f"warning: the lab that stood here ended without 'nornir lab down': {event.lost}")
    err.print(f"  all that was pushed to its {event.switches} switches is lost; they start at day 0")
    err.print(f"  hint: {runnable('nornir push')}")


def _why_not_up(found: "LabStatus") -> str:
    from nornir_tasks.cli.commands import runnable

    if found.state == "starting":
        return f"the lab is starting, or ending (process {found.pid or 'not known yet'})"
    if found.state != "crashed":
        return "no lab is up"
    return (
        f"the lab has crashed: {found.why}\n"
        f"  what was pushed to its switches is lost; its log: {found.directory / 'log'}\n"
        f"  hint: {runnable('nornir lab up starts it again from day 0, then nornir push')}"
    )


def _print_place(found: "LabStatus") -> None:
    """Of a routed lab, where its fabric runs."""
    from nornir_tasks.cli.console import out

    if found.machine is not None:
        machine = found.machine
        where = f"in one machine ({machine['accelerator'].upper()}, {machine['memory_mib']} MiB)"
        out.print(f"the fabric runs {where}: ssh -F {machine['ssh_config']} fabric", soft_wrap=True)
    elif found.answer is not None and any("namespace" in each for each in found.answer["devices"]):
        out.print("the fabric runs in network namespaces of this machine")


def _print_switches(switches: "Iterable[Mapping[str, Any]]") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    table = named_table("switch", "system", "address", "BGP", "connections", "requests")
    for each in switches:
        bgp = f"{each['bgp_established']} of {each['bgp_configured']} up"
        counts = (str(each["connections"]), str(each["requests"]))
        table.add_row(each["name"], f"{each['os']} {each['release']}", each["address"], bgp, *counts)
    out.print(table)


def _print_unrouted(switches: "Iterable[Mapping[str, Any]]") -> None:
    """Of a routed lab, the lines that keep a switch from routing, and what has no place there."""
    from nornir_tasks.cli.console import out

    for each in switches:
        for line in each.get("refused", ()):
            out.print(f"{each['name']} is not routed: {line}", soft_wrap=True)
        for line in each.get("left_out", ()):
            out.print(f"{each['name']} is routed without {line}", soft_wrap=True)


def _print_played(found: "LabStatus") -> None:
    """The hosts that are not there for the switches, and which of them are machines none the less."""
    from nornir_tasks.cli.console import out

    if not found.played:
        return
    how = "from their variables" if found.has_variables else "without variables: they answer LACP on every port"
    out.print(f"played to these switches, hosts {how}: {_named(found.played)}")
    machines = [each.name for each in found.machines if each.name in found.played]
    if machines:
        out.print(f"machines as well, whose frames reach no switch: {_named(machines)}")


def _named(names: "Sequence[str]") -> str:
    more = len(names) - HOSTS_NAMED
    return ", ".join(names[:HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")


def _print_machines(machines: "tuple[MachineStatus, ...]") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    if machines:
        table = named_table("machine", "state", "SSH", "image", "console log")
        for each in machines:
            state = "runs" if each.running else "powered off"
            table.add_row(each.name, state, f"127.0.0.1:{each.ssh_port}", each.image, each.serial_log)
        out.print(table)


def _print_boundary(hosts: "tuple[HostStatus, ...]") -> None:
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    if hosts:
        table = named_table("host of the boundary", "state", "SSH", "console log")
        for each in hosts:
            table.add_row(each.name, "runs" if each.running else "powered off", each.ssh, each.log)
        out.print(table)
