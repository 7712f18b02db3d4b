"""``nornir design``: size and lay out the fabric; nothing is read from or sent to a switch."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.design.model.links import Circuit, Endpoint, Link
    from nornir_tasks.design.model.network import Fabric
    from nornir_tasks.design.model.plane import Plane
    from nornir_tasks.design.reports.explain import Figure
    from nornir_tasks.usecases.site import SiteDesign


Csv = Annotated[
    str | None,
    typer.Option("--csv", metavar="FILE", help="Write the cabling plan as CSV; - for stdout; no folder is made."),
]
Xlsx = Annotated[
    str | None,
    typer.Option(
        "--xlsx", metavar="FILE", help="Write the cabling plan as a workbook, all text as text; - for stdout."
    ),
]
Svg = Annotated[
    str | None,
    typer.Option("--svg", metavar="FILE", help="Write a drawing as SVG; - for stdout. With faults: report --svg."),
]
Bom = Annotated[
    bool, typer.Option("--bom", help="Show the bill of materials instead; with --json or --csv in that form.")
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show every figure and adjustment with what it comes from and its source.")
]
All = Annotated[bool, typer.Option("--all", help="Show a row for each switch, however many there are.")]
Against = Annotated[
    str | None, typer.Option("--against", metavar="OLD", help="Print the cables to move; OLD: a site or a folder.")
]


def design(
    site: options.Site = "lab",
    json: options.Json = False,
    csv: Csv = None,
    xlsx: Xlsx = None,
    svg: Svg = None,
    explain: Explain = False,
    against: Against = None,
    bom: Bom = False,
    all_switches: All = False,
) -> None:
    """Show the fabric of the intent: switches, links, addresses, ASNs, routes and adjustments."""
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.design_moves import print_moves
    from nornir_tasks.cli.documents import check_targets, write_targets
    from nornir_tasks.cli.explain import print_figures
    from nornir_tasks.files.documents import is_stdout
    from nornir_tasks.usecases.site import load

    targets = {"--csv": csv, "--xlsx": xlsx, "--svg": svg}
    check_targets(targets, {"--json": json, "--explain": explain})
    others = (xlsx, svg, against)
    if bom and (explain or any(each is not None for each in others) or (json and csv is not None)):
        raise typer.BadParameter("--bom goes alone, or with one of --json and --csv, which then have the bill")
    designed = load(site)
    if bom:
        _bom(designed, csv, json=json)
        return
    if against is not None:
        print_moves(designed, against, json=json)
        return
    written = write_targets(designed.network, targets)
    if json:
        print_json("design", as_json(designed, explain=explain))
        return
    if explain:
        print_figures(_figures(designed))
        _print_adjustments(designed)
    elif not any(targets.values()):
        _print(designed, shows_all=all_switches)
    if written and not any(map(is_stdout, filter(None, targets.values()))):
        out.print("\n".join(written))


def _bom(designed: "SiteDesign", csv: str | None, *, json: bool) -> None:
    """The bill of materials, in one form."""
    from nornir_tasks.cli.bom import bill_as_csv, bill_as_json, print_bill
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.cli.documents import write_document

    if json:
        print_json("design-bom", bill_as_json(designed))
    elif csv is not None:
        lines = write_document(csv, bill_as_csv(designed))
        out.print(*lines, end="\n" if lines else "")
    else:
        print_bill(designed)


def _figures(designed: "SiteDesign") -> "tuple[Figure, ...]":
    from nornir_tasks.design.addresses.routes import count_routes
    from nornir_tasks.design.reports.explain import explain

    return explain(designed.network, designed.demands, count_routes(designed.network))


def link_as_json(link: "Link", circuits: "tuple[Circuit, ...]") -> dict[str, Any]:
    """One link with MTU and addresses of the first that uses it."""
    first = next(iter(circuits), None)
    return {
        "name": link.name,
        "kind": link.kind,
        "cable": link.cable,
        "speed_gbps": link.speed_gbps,
        "mtu_bytes": first.use.mtu_bytes if first else None,
        "upper": _end_as_json(link.upper, first.upper_address if first else ""),
        "lower": _end_as_json(link.lower, first.lower_address if first else ""),
    }


def _end_as_json(end: "Endpoint", address: str) -> dict[str, Any]:
    return {"device": end.device, "port": end.port, "address": address or None}


def as_json(designed: "SiteDesign", *, explain: bool = False) -> dict[str, Any]:
    """Counts by enumeration, then every device, link and routing table; on request the source of each figure."""
    from nornir_tasks.cli.design_choice import sizing_as_json
    from nornir_tasks.cli.design_loads import loads_as_json
    from nornir_tasks.cli.explain import figures_as_json, routes_as_json
    from nornir_tasks.design.addresses.routes import count_routes
    from nornir_tasks.design.capacity import first_boot_flows, lossless_cables
    from nornir_tasks.design.capacity.tables import uses_of_all
    from nornir_tasks.design.capacity.throughput import loads
    from nornir_tasks.design.hosts import edge_warnings
    from nornir_tasks.design.realise import mlag_limits
    from nornir_tasks.design.reports.counts import design_counts
    from nornir_tasks.design.reports.unverified_releases import assumed
    from nornir_tasks.intent.rules import numbers_of_others

    network, counts = designed.network, design_counts(designed.network)
    routes = count_routes(network)
    for name, plane in network.planes.items():
        parts = network.fabrics[plane.fabric].parts_of(name)
        counts["planes"][name]["groups"] = {each.group: sizing_as_json(each.sizing) for each in parts}
    return {
        **counts,
        "devices": [
            {
                "name": each.name,
                "plane": each.fabric,
                "tier": each.role,
                "rail": each.rail,
                **({} if each.copy is None else {"copy": each.copy}),
                "os": each.os,
                "release": each.release,
                "model": each.model,
                "asn": each.asn,
                "loopback": each.loopback,
                "host_blocks": dict(network.blocks_at(each.name)),
            }
            for each in network.devices
        ],
        "links": [link_as_json(link, network.circuits_on(link)) for link in network.links],
        "reachable": {
            name: [
                [network.fabrics[plane.fabric].reachable(a, b) for b in range(plane.rails)] for a in range(plane.rails)
            ]
            for name, plane in network.planes.items()
        },
        "routes": routes_as_json(routes),
        "tables": {
            name: {use.name: {"used": use.used, "limit": use.limit} for use in uses}
            for name, uses in uses_of_all(network, routes).items()
        },
        "assumed": assumed(network),
        **({"cable_warnings": list(found)} if (found := lossless_cables.warnings(network)) else {}),
        **(
            {"boundary_warnings": list(gaps)} if (gaps := edge_warnings.warnings(designed.site.intent, network)) else {}
        ),
        **({"day0_warnings": list(doors)} if (doors := first_boot_flows.warnings(designed.site.intent)) else {}),
        **({"pair_warnings": list(apart)} if (apart := mlag_limits.warnings(network)) else {}),
        **({"number_warnings": list(others)} if (others := numbers_of_others.warnings(designed.site.intent)) else {}),
        **({"throughput": shares} if (shares := loads_as_json(loads(network, designed.demands))) else {}),
        **({"explain": figures_as_json(_figures(designed))} if explain else {}),
    }


def _print(designed: "SiteDesign", *, shows_all: bool) -> None:
    from nornir_tasks.cli.commands import runnable
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.design_choice import print_sizing
    from nornir_tasks.cli.design_loads import print_loads
    from nornir_tasks.cli.design_table import print_switches
    from nornir_tasks.design.capacity import first_boot_flows, lossless_cables
    from nornir_tasks.design.capacity.throughput import loads
    from nornir_tasks.design.demand.qos import ROUTING_DSCP, beside_routing
    from nornir_tasks.design.hosts import edge_warnings
    from nornir_tasks.design.realise import mlag_limits
    from nornir_tasks.design.reports.counts import design_counts
    from nornir_tasks.design.reports.unverified_releases import assumed
    from nornir_tasks.intent.rules import numbers_of_others

    network, counts = designed.network, design_counts(designed.network)
    for name, plane in counts["planes"].items():
        tiers = ", ".join(f"{tier['switches']} {kind}" for kind, tier in plane["tiers"].items() if tier["switches"])
        links = f"{plane['host_links']} host links, {plane['fabric_links']} fabric links"
        links += f", {plane['peer_links']} between leaves of a pair" if "peer_links" in plane else ""
        rails, layout = network.planes[name].rails, network.fabrics[network.planes[name].fabric]
        parts = {each.group: each for each in layout.parts_of(name)}
        ratio = next(iter(parts.values())).layout.core_oversubscription
        core = "" if ratio is None else f", to the cores {float(ratio):.4g}:1"
        there = [each for each in designed.demands if each.fabric_name == layout.name]
        sections = sum(each.has_leaves for each in there)
        beside = [each.name for each in network.planes_on(layout.name) if each.name != name]
        shared = f" of fabric {layout.name}, with {' and '.join(beside)}" if beside else ""
        out.print(f"{name}: {tiers}{shared}; {plane['oversubscription']:.4g}:1{core}; {links}")
        if layout.copies > 1:
            _print_copies(network.planes[name], layout)
        for each in (each for each in there if each.plane_name == name):
            if each.nics.ports_of is not None:
                out.print(f"  on the NIC ports of {each.group} for {each.nics.ports_of}: the same leaves and links")
            elif each.nics.leaves_of is not None:
                out.print(f"  hosts of {each.group}: on the leaves of {each.nics.leaves_of}, after its hosts")
            else:
                print_sizing(each, parts[each.group].sizing, is_one_of_several=sections > 1)
        apart = [(a, b) for a in range(rails) for b in range(a) if not layout.reachable(a, b)]
        if apart:
            out.print(
                f"  {len(apart)} pairs of rails share no spine{' in any copy' if layout.copies > 1 else ''}; "
                "that traffic takes NVLink, as the intent declares"
            )
    print_loads(loads(network, designed.demands))
    for name in dict.fromkeys(name for each in designed.demands for name in beside_routing(each.terms.classes)):
        out.print(
            f"class {name} shares its strict queue with BGP and BFD: switches send those with DSCP {ROUTING_DSCP}"
        )
    print_switches(network, shows_all=shows_all)
    if adjustments := _adjustments(designed):
        what = f"adjusted to what switches can: {len(adjustments)} settings"
        out.print(f"{what}; each with its reason: {runnable('nornir design --explain')}")
    intent = designed.site.intent
    warnings = (
        *lossless_cables.warnings(network),
        *edge_warnings.warnings(intent, network),
        *mlag_limits.warnings(network),
        *first_boot_flows.warnings(intent),
    )
    notes = [f"warning: {each}" for each in (*warnings, *numbers_of_others.warnings(intent))]
    notes += [f"assumed: no source shows of {system} {text}" for system, text in assumed(network).items()]
    for note in notes:
        out.print(note)
    total = counts["totals"]
    out.print(
        f"{total['switches']} switch{'es' * (total['switches'] != 1)}, {total['links']} links, "
        f"{total['cables']} cables, {total['optics']} optics"
    )


def _print_adjustments(designed: "SiteDesign") -> None:
    from nornir_tasks.cli.console import out

    for (what, intended, adjusted), reasons in _adjustments(designed).items():
        out.print(f"adjusted: {what} {intended} -> {adjusted} ({len(reasons)} times), as: {reasons[0]}")


def _print_copies(plane: "Plane", fabric: "Fabric") -> None:
    from nornir_tasks.cli.console import out

    addresses = "one address for all ports of a NIC" if plane.has_shared_addresses else "an address for each port"
    if fabric.copies_there < fabric.copies:
        out.print(f"  {fabric.copies_there} of {fabric.copies} copies are there; NICs have a port for each")
    out.print(f"  {fabric.copies} equal copies, without a switch in common: no packet goes from one to another")
    out.print(f"  each NIC has a port on each copy; {addresses}")


def _adjustments(designed: "SiteDesign") -> dict[tuple[str, str, str], list[str]]:
    """Reasons by (field without the port's name, intended, adjusted); ``nornir render`` lists each one."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in designed.realised():
        for note in each.adjustments:
            kind, _, rest = note.field.partition(".")
            field = f"{kind}.*.{rest.rpartition('.')[2]}" if kind == "interfaces" else note.field
            found.setdefault((field, note.intended, note.adjusted), []).append(f"{note.device}: {note.reason}")
    return found
