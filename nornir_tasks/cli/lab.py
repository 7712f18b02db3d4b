"""``nornir lab``: the built-in lab of a site, up, down and status."""

from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.cli.scope import Scope
    from nornir_tasks.lab.manager import Lab, LabPlan

app = typer.Typer(
    help="The built-in lab: every switch of a site as a server on loopback.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def up(
    site: options.Site = "lab",
    rtt_ms: Annotated[float, typer.Option(min=0, max=10_000, help="Round-trip time to every switch's API.")] = 0.0,
    json: options.Json = False,
) -> None:
    """Start the lab of a site: each switch as it leaves day 0, cabled as the design says."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.scope import load
    from nornir_tasks.errors import LabError, Problem

    scope = load(site)
    if scope.site.intent.management.source != "lab":
        hint = "copy the site's folder and say 'management: {source: lab}' in the copy to try it in the lab"
        raise LabError(Problem(scope.site.name, "this site has real switches; its verbs reach those", hint=hint))
    lab, plan = _lab(scope), lab_plan(scope)
    started = lab.up(plan, rtt_ms)
    if json:
        print_json({"started": started, "devices": len(plan.devices), "directory": str(lab.directory)})
    else:
        out.print(f"{len(plan.devices)} switches {'are up' if started else 'were up already'}, in {lab.directory}")


@app.command()
def down(site: options.Site = "lab", json: options.Json = False) -> None:
    """End the lab of a site and forget it. Nothing happens if there is none."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.manager import Lab

    stopped = Lab(state_directory(site)).down()
    if json:
        print_json({"stopped": stopped})
    else:
        out.print("the lab is down" if stopped else "no lab was up")


@app.command()
def status(site: options.Site = "lab", json: options.Json = False) -> None:
    """Show the lab's switches, and how often each was connected to and asked."""
    from rich.table import Table

    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.manager import Lab

    lab = Lab(state_directory(site))
    if not lab.is_up():
        print_json({"up": False}) if json else out.print("no lab is up")
        return
    answer, counted = lab.ask("status"), lab.ask("requests")
    devices = [{**each, **counted[each["name"]]} for each in answer["devices"]]
    if json:
        print_json({"up": True, **answer, "devices": devices})
        return
    table = Table("switch", "system", "address", "BGP", "connections", "requests", box=None)
    for each in devices:
        bgp = f"{each['bgp_established']} of {each['bgp_configured']} up"
        counts = (str(each["connections"]), str(each["requests"]))
        table.add_row(each["name"], f"{each['os']} {each['release']}", each["address"], bgp, *counts)
    out.print(table)


@app.command("swap-cables")
def swap_cables(
    first: Annotated[str, typer.Argument(help="Cable id, as 'nornir design --json' lists it.")],
    second: Annotated[str, typer.Argument(help="The other cable.")],
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Swap the far ends of two cables, as a technician might by mistake."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.files.site import state_directory
    from nornir_tasks.lab.manager import Lab

    now = Lab(state_directory(site)).ask("swap-cables", cables=[first, second])
    if json:
        print_json({"cables": now})
        return
    out.print(f"the far ends of {first} and {second} are swapped")


def _lab(scope: "Scope") -> "Lab":
    from nornir_tasks.lab.manager import Lab

    return Lab(scope.site.state_directory)


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
            hosts.append(LabHost(*lower, upper, fabric.intent.policy.mtu.host))
    return LabPlan(scope.site.name, devices, tuple(cables), tuple(hosts))
