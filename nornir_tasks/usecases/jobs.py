"""Which job runs on which hosts of the site, by a scheduler's own file."""

from collections.abc import Collection
from pathlib import Path

from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.allocations import HOW, allocations
from nornir_tasks.usecases.node_names import node_names
from nornir_tasks.usecases.site import SiteDesign

MOST_NAMED = 8


def jobs_of(design: SiteDesign, file: Path, names: str | None) -> dict[str, frozenset[str]]:
    """Job -> hosts. ``names``: what the scheduler calls them, as for ``nornir export``; None: as the intent does.

    Raises IntentError for a file that has no allocations, and for nodes that are no host of the site.
    """
    hosts = {node: host for host, node in node_names(names, design.network.hosts).items()}
    found = allocations(file)
    unknown = sorted({node for nodes in found.values() for node in nodes} - hosts.keys())
    if unknown:
        expected = f"hosts of the intent, as {next(iter(hosts), 'none')}"
        hint = f"if the scheduler calls them otherwise: --node-names; the file is of {HOW}"
        raise IntentError(
            Problem(str(file), "jobs run on what is no host of this site", expected, _named(unknown), hint)
        )
    return {job: frozenset(hosts[node] for node in nodes) for job, nodes in found.items()}


def _named(names: Collection[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join([*names][:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
