"""``nornir audit``: judge what this tool never wrote."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.checks.manifests.judged import Judged
    from nornir_tasks.checks.manifests.suite import Audit

SHOWN_EACH = 12
"""Findings printed for each check; --all has the others."""

app = typer.Typer(
    help="Judge against the intent what this tool never wrote.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def audit() -> None:
    """Judge against the intent what this tool never wrote."""


@app.command("k8s")
def k8s(
    source: Annotated[
        str, typer.Argument(metavar="DIR|FILE|-", help="Manifests: a folder, a file, or - for standard input.")
    ],
    site: options.Site = "lab",
    plane: Annotated[
        str | None, typer.Option("--plane", "-p", help="Whose rails count; default: the GPUs' own.")
    ] = None,
    node_names: Annotated[
        str | None, typer.Option("--node-names", help="What the cluster calls the hosts, as for export k8s-rdma.")
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print every finding, passed ones too.")] = False,
    json: options.Json = False,
) -> None:
    """Judge a cluster's manifests: marking, PFC, notifications, MTU, pools, gateways, rails. Asks no cluster.

    kubectl get nicclusterpolicies,nicnodepolicies,nicconfigurationtemplates,... -A -o yaml | nornir audit k8s -. Each
    difference names the manifest's line and that of the intent. Exit code 8: something differs.
    """
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.usecases import audit as usecase
    from nornir_tasks.usecases.site import load

    found = usecase.audit_k8s(load(site), sys.stdin.buffer if source == "-" else source, plane, node_names)
    if json:
        print_json("audit-k8s", as_json(found))
    else:
        print_audit(found, show_all=show_all)
    usecase.require_agreement(found)


def print_audit(found: "Audit", *, show_all: bool = False) -> None:
    """Counts by check, then each difference with both lines and a remedy."""
    from collections import Counter

    from nornir_tasks.checks.evidence import Verdict
    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.tables import named_table

    verdicts = Counter((each.check, each.verdict) for each in found.results)
    table = named_table("check", "passed", "failed", "could not tell", "skipped")
    for check in dict.fromkeys(each.check for each in found.results):
        table.add_row(check, *(str(verdicts[check, each]) for each in Verdict))
    out.print(table)
    shown: Counter[str] = Counter()
    for each in found.results:
        if each.verdict is Verdict.PASS and not show_all:
            continue
        shown[each.check] += 1
        if shown[each.check] <= SHOWN_EACH or show_all:
            _print(each)
    more = sum(max(0, count - SHOWN_EACH) for count in shown.values())
    if more and not show_all:
        out.print(f"{more} more like these (--all shows them)")
    passed = found.tested and not found.failed and not found.undecided
    out.print(f"{'passed' if passed else 'FAILED'}: {found.summary()}")
    out.print("Not judged here: what runs in the cluster, and what its operators made of these objects.", style="dim")


def _print(each: "Judged") -> None:
    from nornir_tasks.cli.console import out

    lines = [f"{each.verdict}: {each.check}: {each.where}: {each.object}: {each.field}: {each.message}"]
    if each.verdict == "fail":
        lines += [f"  found: {each.found}", f"  expected: {each.expected} ({each.intent})"]
    if each.remedy:
        lines.append(f"  hint: {each.remedy}")
    out.print("\n".join(lines))


def as_json(found: "Audit") -> dict[str, object]:
    """Every finding, and how much was judged."""
    return {
        "objects": len(found.objects),
        "judged_objects": found.judged_objects,
        "tested": found.tested,
        "of": found.total,
        "failed": len(found.failed),
        "undecided": len(found.undecided),
        "not_judged": dict(found.not_judged),
        "findings": [
            {
                "check": each.check,
                "object": each.object,
                "where": each.where,
                "field": each.field,
                "verdict": each.verdict,
                "message": each.message,
                "found": each.found,
                "expected": each.expected,
                "intent": each.intent,
                "remedy": each.remedy,
            }
            for each in found.results
        ],
    }
