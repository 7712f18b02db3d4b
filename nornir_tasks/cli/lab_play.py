"""``nornir lab play``: traffic over the lab's switches."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def play(
    pattern: Annotated[str, typer.Argument(help="all-to-all, incast, or none.", metavar="PATTERN")],
    target: Annotated[
        str, typer.Argument(help="Of incast, who receives: HOST, or HOST:PORT.", metavar="[TARGET]")
    ] = "",
    share: Annotated[
        float | None, typer.Option(min=0.1, max=100, help="Percent of its line that a port sends.")
    ] = None,
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Play traffic between the lab's hosts, so that its switches count; 'none' ends it.

    It goes on until it is ended or the lab is, over the paths and by the queues that were pushed. Without --share 40
    percent of the line, and of incast all of it.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases.lab import play as lab_play

    done = lab_play.play(site, pattern, target, share)
    if json:
        print_json("lab-play", {"changed": done.changed, "traffic": done.traffic})
        return
    if not done.changed:
        out.print("nothing changed")
    print_traffic(done.traffic)


def host_counters(
    folder: Annotated[Path, typer.Argument(help="Where to write one file a host.", metavar="DIR")],
    site: options.Site = "lab",
    json: options.Json = False,
) -> None:
    """Write what the NICs of the lab's hosts have counted, as Ansible does of real ones.

    For 'nornir validate --soak TIME --host-counters BEFORE --host-counters AFTER'.
    """
    from nornir_tasks.cli.console import out, print_json
    from nornir_tasks.usecases.lab import play as lab_play

    hosts = lab_play.write_host_counters(site, folder)
    if json:
        print_json("lab-host-counters", {"folder": str(folder), "hosts": list(hosts)})
        return
    out.print(f"counters of {len(hosts)} hosts are in {folder}")


def print_traffic(traffic: "Mapping[str, Any] | None") -> None:
    """What is played, in a line."""
    from nornir_tasks.cli.console import out

    if traffic is None:
        out.print("no traffic is played")
        return
    to = f" to {traffic['target']}" if traffic["target"] else ""
    out.print(
        f"played: {traffic['pattern']}{to}, {traffic['flows']} flows, {traffic['share']:.0%} of the line each port"
    )
    if traffic["lost_flows"]:
        out.print(f"  {traffic['lost_flows']} of them arrive nowhere: their switches have no route, or a cable is cut")
