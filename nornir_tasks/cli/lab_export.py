"""``nornir lab export``: the site as a topology of containerlab or NVIDIA Air."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.usecases.lab.export import Exported


def export(
    containerlab: Annotated[
        Path | None, typer.Option("--containerlab", help="Folder for containerlab's topology and what it begins with.")
    ] = None,
    air: Annotated[Path | None, typer.Option("--air", help="Folder for NVIDIA Air's topology.")] = None,
    frr: Annotated[
        bool, typer.Option("--frr", help="In containerlab: FRR for every switch, with what was pushed to the lab.")
    ] = False,
    sonic: Annotated[
        bool, typer.Option("--sonic", help="In containerlab: SONiC-VS for every switch, with the routing of --frr.")
    ] = False,
    site: options.Site = "lab",
    plane: options.Plane = None,
    limit: options.Limit = None,
    image: Annotated[
        list[str] | None,
        typer.Option("--image", help="KIND=IMAGE: of a kind of node, as arista_ceos=ceos:1."),
    ] = None,
    addresses: Annotated[
        str, typer.Option("--addresses", help="Prefix of containerlab's management network.")
    ] = "172.30.0.0/16",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Exchange files too that were edited since.")] = False,
    json: options.Json = False,
) -> None:
    """Write the site as a topology for a lab with the vendors' own images, which you must have.

    Each cable between two nodes is one link; hosts are Linux containers. Ports that an image cannot name are renamed
    (ports.csv), lines that it cannot take are left out (left-out.csv). Base configuration is the lab's own.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.lab.export.nodes import Options
    from nornir_tasks.usecases.lab import export as lab_export
    from nornir_tasks.usecases.site import load

    selection = lab_export.chosen(load(site), tuple(plane or ()), tuple(limit or ()))
    if air is not None and image:
        raise typer.BadParameter("only for --containerlab: Air's images follow from the releases", param_hint="--image")
    if frr and sonic:
        raise typer.BadParameter("one of --frr and --sonic")
    if air is not None and containerlab is None and not (frr or sonic):
        folder, done = air, lab_export.nvidia_air(selection, air, overwrite=overwrite)
    elif containerlab is not None and air is None:
        choices = Options(_images(image or []), addresses)
        write = lab_export.frr if frr else lab_export.sonic if sonic else lab_export.containerlab
        folder, done = containerlab, write(selection, containerlab, choices, overwrite=overwrite)
    else:
        raise typer.BadParameter("one of --containerlab DIR, with or without --frr or --sonic, and --air DIR")
    if json:
        print_json("lab-export", _document(done))
        return
    has, files = done.parts, done.written
    out.print(f"{len(has.switches)} switches, {len(has.hosts)} hosts, {len(has.cables)} cables")
    for why, number in _counted(done):
        out.print(f"  left out: {number} cables: {why}")
    out.print(f"{len(files.files)} files in {folder}, {len(files.changed)} changed")


def _images(given: list[str]) -> dict[str, str]:
    """KIND=IMAGE, as given."""
    found = {}
    for each in given:
        kind, _, image = each.partition("=")
        if not kind or not image:
            raise typer.BadParameter(f"{each}: KIND=IMAGE, as arista_ceos=ceos:4.33.1F", param_hint="--image")
        found[kind] = image
    return found


def _counted(done: "Exported") -> list[tuple[str, int]]:
    from collections import Counter

    return sorted(Counter(each.why for each in done.left_out).items())


def _document(done: "Exported") -> dict[str, object]:
    from dataclasses import asdict

    return {
        "switches": [each.name for each in done.parts.switches],
        "hosts": list(done.parts.hosts),
        "cables": [each.name for each in done.parts.cables],
        "left_out": [asdict(each) for each in done.left_out],
        "files": [str(path) for path in done.written.files],
        "changed": [str(path) for path in done.written.changed],
    }
