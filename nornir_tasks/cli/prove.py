"""``nornir prove``: what rendered or running configurations do to packets, judged for every packet and every cable."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nornir_tasks.cli import options

if TYPE_CHECKING:
    from nornir_tasks.proofs.breach import Judged
    from nornir_tasks.proofs.isolation import Isolation
    from nornir_tasks.proofs.rules.judge import Guarded, Pair
    from nornir_tasks.proofs.verdicts import Outcome
    from nornir_tasks.usecases.proofs.prove import Proved
    from nornir_tasks.usecases.proofs.prove_packets import Sent

_MOST_PAIRS = 20
"""Pairs that are printed, and findings of each other proof; ``--json`` has all."""


def prove(
    site: options.Site = "lab",
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Only this proof (may be given more than once):"
            " isolation, boundary, class-path, pfc, headroom-fits, mtu, layer-1, ecn-before-pfc.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", help="Leave this proof out, and say so (may be given more than once)."),
    ] = None,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all", help="Print every pair with every service, and the line that lets it pass or refuses it."
        ),
    ] = False,
    running: Annotated[
        bool,
        typer.Option("--running", help="Read what the switches run and prove that, others' lines among it; read-only."),
    ] = False,
    firewalls: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Judge what the firewalls run, as playbooks/boundary_state.yml wrote it to this folder, and not what"
            " their roles load.",
        ),
    ] = None,
    packets: Annotated[
        bool,
        typer.Option(
            "--packets",
            help="Send the boundary's flows through its firewalls' rules in network namespaces of this machine as well:"
            " packets, proof and flow matrix must agree. As root, or where users may have namespaces.",
        ),
    ] = False,
    junit: options.Junit = None,
    sarif: options.Sarif = None,
    accept_release: options.AcceptRelease = False,
    workers: options.Workers = 64,
    json: options.Json = False,
) -> None:
    """Render every switch and prove what its lines do: who reaches whom, and that RDMA is lossless end to end.

    isolation: between planes nothing may pass but what a flow names, and within a plane with flows these and nothing
    else. boundary: the firewalls let pass what the flow matrix says and nothing else, by what nft lists of the rules
    that their role loads. class-path, pfc, mtu, layer-1: both ends of every cable fit, hosts' variables included.
    headroom-fits: buffers are made for the length of each lossless cable. ecn-before-pfc: queues mark before ports
    pause. What fails is shown with the lines of both ends.
    Asks no switch; with --running it is what the switches run that is proved. A switch that does not answer and a line
    that may decide and is not known leave open what they touch (exit code 9), and never proved. What no line of an OS
    shows could not be told either: that ends with 9 only where --only names the proof. Where nft is missing, or users
    may have no namespaces, what firewalls let pass could not be told: --without boundary makes all other proofs.
    """
    from nornir_tasks.cli.console import print_json
    from nornir_tasks.cli.documents import check_targets, keeping, write_verdicts
    from nornir_tasks.cli.progress import Display
    from nornir_tasks.usecases.last_seen import keep_proofs
    from nornir_tasks.usecases.proofs import prove as usecase
    from nornir_tasks.usecases.proofs import prove_packets
    from nornir_tasks.usecases.proofs.proof_reports import groups, outcome_as_json
    from nornir_tasks.usecases.reach import Reach
    from nornir_tasks.usecases.site import load

    targets = {"--junit": junit, "--sarif": sarif}
    check_targets(targets, {"--json": json, "its table": not json})
    design, proofs, left_out = load(site), tuple(only or ()), tuple(without or ())
    if running:
        reach = Reach(accept_release=accept_release, workers=workers)
        found = usecase.prove_running(design, reach, proofs, Display(), firewalls, left_out)
    else:
        found = usecase.prove(design, proofs, Display(), firewalls, left_out)
    sent = prove_packets.prove_packets(design) if packets else ()
    with keeping():
        keep_proofs(design, found, proofs, running=running)
    written = write_verdicts(targets, "prove", design.site.name, groups(found))
    if json:
        document: dict[str, Any] = {"undecided": list(map(str, found.undecided)), "left_out": list(found.left_out)}
        if found.isolation is not None:
            document["isolation"] = isolation_as_json(found.isolation)
        if found.boundary is not None:
            document["boundary"] = boundary_as_json(found.boundary)
        if packets:
            document["packets"] = [_packets_as_json(each) for each in sent]
        document["proofs"] = [outcome_as_json(each, found) for each in found.outcomes]
        print_json("prove", document)
    else:
        print_proofs(found, show_all=show_all)
        for each in left_out:
            _say(f"left out: {each} (--without)", is_document=False)
        _print_packets(sent)
    for line in written:
        _say(line, is_document=json)
    prove_packets.require_agreed(sent)
    usecase.require_proved(found, proofs)


def _say(line: str, *, is_document: bool) -> None:
    from nornir_tasks.cli.console import err, out

    (err if is_document else out).print(line)


def print_proofs(found: "Proved", *, show_all: bool = False) -> None:
    """What fails with the lines of both ends, what could not be told and why, and one line for each proof."""
    from nornir_tasks.cli.console import out

    for each in found.outcomes:
        for line in _of_outcome(each, found, show_all=show_all):
            out.print(line)
    if found.isolation is not None:
        print_isolation(found.isolation, show_all=show_all)
    if found.boundary is not None:
        print_boundary(found.boundary, show_all=show_all)
    for each in found.outcomes:
        out.print(summary(each))


def _of_outcome(outcome: "Outcome", found: "Proved", *, show_all: bool) -> Iterator[str]:
    from nornir_tasks.proofs.quotes import findings
    from nornir_tasks.usecases.proofs.proof_reports import in_words

    every = findings(outcome, found.quotes)
    for each in every[: None if show_all else _MOST_PAIRS]:
        yield f"{outcome.name}: {each.where}: {each.what}"
        yield from (f"  {line}" for line in in_words(each))
    if len(every) > _MOST_PAIRS and not show_all:
        yield f"... and {len(every) - _MOST_PAIRS} more of {outcome.name}; --all and --json have all"
    for reason, count in {**outcome.undecided, **outcome.not_shown}.items():
        yield f"could not tell: {outcome.name}: {count} {outcome.unit}: {reason}"
    for reason, count in outcome.skipped.items() if show_all else ():
        yield f"skipped: {outcome.name}: {count} {reason}"
    for note in outcome.notes:
        yield f"note: {outcome.name}: {note}"


def summary(outcome: "Outcome") -> str:
    """``pfc 74 of 74 cables, 69 of them by symmetry``."""
    parts = [f"{outcome.name} {outcome.passed} of {outcome.judged} {outcome.unit}"]
    open_ones = sum(outcome.undecided.values()) + sum(outcome.not_shown.values())
    parts += [f"{len(outcome.broken)} failed"] if outcome.broken else []
    parts += [f"{open_ones} could not be told"] if open_ones else []
    parts += [f"{sum(outcome.skipped.values())} skipped"] if outcome.skipped else []
    parts += [f"{outcome.by_symmetry} judged by symmetry"] if outcome.by_symmetry else []
    return ", ".join(parts)


def _print_pairs(found: "Isolation | Guarded", *, show_all: bool) -> None:
    from nornir_tasks.cli.console import out

    for pair in found.pairs if show_all else ():
        out.print("\n".join(_services(pair)))
    for pair in found.failed[:_MOST_PAIRS]:
        for line in _lines(pair):
            out.print(line)
    if len(found.failed) > _MOST_PAIRS:
        out.print(f"... and {len(found.failed) - _MOST_PAIRS} more pairs; --json has all")


def print_isolation(found: "Isolation", *, show_all: bool = False) -> None:
    """Each pair that is not as asked, and the sum. ``show_all``: before them every pair with its services."""
    from nornir_tasks.cli.console import out

    _print_pairs(found, show_all=show_all)
    for line in found.assumed:
        out.print(f"taken for granted: {line}")
    if not found.pairs:
        out.print("isolation: nothing to prove: one plane, and no flows")
    else:
        out.print(found.summary())


def print_boundary(found: "Guarded", *, show_all: bool = False) -> None:
    """Each pair of the boundary that is not as the flow matrix says, and the sum. ``show_all``: as for isolation."""
    from nornir_tasks.cli.console import out

    _print_pairs(found, show_all=show_all)
    for reason in found.not_judged:
        out.print(f"could not tell: boundary: what firewalls let pass: {reason}")
    out.print(found.summary())


def _print_packets(sent: "Iterable[Sent]") -> None:
    from nornir_tasks.cli.console import out

    for each in sent:
        for wrong in each.disagreements[:_MOST_PAIRS]:
            out.print(f"{each.firewall}: {wrong}")
        if len(each.disagreements) > _MOST_PAIRS:
            out.print(f"... and {len(each.disagreements) - _MOST_PAIRS} more flows; --json has all")
        out.print(each.summary())


def _packets_as_json(sent: "Sent") -> dict[str, Any]:
    return {
        "firewall": sent.firewall,
        "flows": sent.flows,
        "arrived": sent.arrived,
        "answered": sent.answered,
        "disagree": list(map(str, sent.disagreements)),
    }


def boundary_as_json(found: "Guarded") -> dict[str, Any]:
    """Every pair of the boundary with its verdict, and what is wrong of it."""
    return {
        "proved": found.proved,
        "total": len(found.pairs),
        "firewalls_not_judged": list(found.not_judged),
        "pairs": [
            {
                "source": {"name": each.source.name, "zone": each.source.zone},
                "destination": {"name": each.destination.name, "zone": each.destination.zone},
                "verdict": _verdict(each),
                "breaches": list(_breaches(each)),
                "could_not_tell": list(each.undecided),
                "services": [
                    {"service": one.service, "passes": one.passes, "decided_by": list(one.by)} for one in each.services
                ],
            }
            for each in found.pairs
        ],
    }


def _verdict(pair: "Judged | Pair") -> str:
    return "fail" if pair.breaches else "could not tell" if pair.undecided else "pass"


def _services(pair: "Judged | Pair") -> Iterator[str]:
    yield f"{pair.source} to {pair.destination}"
    for each in pair.services:
        yield f"  {each.service}: {'passes' if each.passes else 'refused'} ({'; '.join(each.by)})"


def _lines(pair: "Judged | Pair") -> Iterator[str]:
    for each in pair.breaches:
        yield f"{pair.source} to {pair.destination}: {each.kind}" + (f": {each.packet}" if each.packet else "")
        yield from (f"  {line}" for line in each.by)


def isolation_as_json(found: "Isolation") -> dict[str, Any]:
    """Every pair with its verdict, and what is wrong of it."""
    return {
        "proved": found.proved,
        "total": len(found.pairs),
        "assumed": list(found.assumed),
        "pairs": [
            {
                "source": each.source._asdict(),
                "destination": each.destination._asdict(),
                "verdict": _verdict(each),
                "services": [
                    {"service": one.service, "passes": one.passes, "decided_by": list(one.by)} for one in each.services
                ],
                "breaches": list(_breaches(each)),
            }
            for each in found.pairs
        ],
    }


def _breaches(pair: "Judged | Pair") -> Iterable[dict[str, Any]]:
    for each in pair.breaches:
        yield {
            "kind": each.kind,
            "decided_by": list(each.by),
            "packet": each.packet._asdict() if each.packet is not None else None,
        }
