"""`make bench`: what the main jobs cost on this machine, as a table and as docs/benchmarks.md.

Measurements, not tests: nothing fails for being slow. Each case runs in a fresh process, so that its peak memory is its
own. The lab's switches run in a process apart, whose CPU is read over its control socket. The peers do comparable work
in the same run; PEERS=1 installs those that are not part of this project into an environment of their own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import containers
import hosts
import peers
from sites import ROOT, isolation_site, rail_site, reference_site

CASES = Path(__file__).with_name("cases.py")
DOCUMENT = ROOT / "docs/benchmarks.md"
BY_HAND = "# Single measurements"
"""The heading in the document from which on nothing is written by this program."""
CASE_TIMEOUT_S = 3600
REFERENCES = ("ref-512", "ref-28672", "ref-32768")


@dataclass(frozen=True)
class Table:
    """One table of the report, and what stands above it."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    note: str = ""

    def text(self) -> str:
        """As Markdown, columns aligned so that it reads on a terminal as well."""
        cells = [self.columns, *self.rows]
        widths = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]

        def line(row: Sequence[str]) -> str:
            return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"

        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        body = "\n".join([line(self.columns), rule, *(line(row) for row in self.rows)])
        return "\n\n".join(part for part in (f"## {self.title}", self.note, body) if part)


def case(*arguments: object) -> dict[str, Any]:
    """One case in a process of its own."""
    command = [sys.executable, str(CASES), *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=CASE_TIMEOUT_S)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def curve(folder: Path, groups: Iterable[int]) -> Table:
    """Design, render and parse, from small to the largest reference site."""
    sites = [rail_site(folder, each) for each in groups]
    sites += [reference_site(folder, name) for name in REFERENCES if (ROOT / "inventory" / name).is_dir()]
    rows = []
    for site in sorted(sites, key=lambda each: each.name.startswith("bench-ref")):
        print(f"  {site.name}", file=sys.stderr)
        made, read = case("render", site), case("parse", site)
        switches, ports = made["switches"], made["ports"]
        rows.append((
            site.name.removeprefix("bench-"), f"{switches:,}", f"{made['hosts']:,}", f"{ports:,}",
            f"{made['design_s']:.2f}", f"{made['render_s']:.2f}", f"{made['cpu_s']:.2f}",
            f"{made['cpu_s'] / switches * 1000:.1f}", f"{made['cpu_s'] / ports * 1e6:.0f}",
            f"{read['parse_cpu_s'] / switches * 1000:.1f}", f"{made['peak_mib']:.0f}",
        ))  # fmt: skip
    columns = (
        "site", "switches", "hosts", "switch ports", "design s", "render s", "CPU s of both", "CPU ms/switch",
        "CPU us/port", "parse CPU ms/switch", "peak MiB",
    )  # fmt: skip
    note = (
        "One process. Render includes the split by owner and the guard against lines nobody owns, and writes the "
        "files. Budgets: ref-28672 within 5 s and 500 MiB; ref-32768 within 40 s and 1,536 MiB."
    )
    return Table("Design, render, parse", columns, rows, note)


def proofs(folder: Path) -> Table:
    """Isolation, from the intent to the verdict on every pair."""
    rows = []
    for site in (isolation_site(folder), reference_site(folder, "ref-28672-front")):
        print(f"  proof of {site.name}", file=sys.stderr)
        made = case("prove", site)
        rows.append((
            site.name.removeprefix("bench-"), f"{made['switches']:,}", f"{made['hosts']:,}", f"{made['pairs']:,}",
            f"{made['design_s']:.1f}", f"{made['read_s']:.1f}", f"{made['judge_s']:.1f}", f"{made['judge_cpu_s']:.1f}",
            f"{made['peak_mib']:.0f}",
        ))  # fmt: skip
    columns = (
        "site", "switches", "hosts", "pairs", "design s", "render and parse s", "judge s", "judge CPU s", "peak MiB",
    )  # fmt: skip
    note = (
        "`nornir prove` in one process: every switch is rendered and read back, then every pair of groups is judged "
        "for all packets and with the verdict on each service. Budget: 300 switches and 1,000 pairs judged within 10 s."
    )
    return Table("Isolation proved", columns, rows, note)


def whole_proofs(folder: Path) -> Table:
    """Everything that there is to prove, of a site of the largest size."""
    print("  every proof of ref-32768", file=sys.stderr)
    made = case("prove_all", reference_site(folder, "ref-32768"))
    row = (
        "ref-32768", f"{made['switches']:,}", f"{made['hosts']:,}", f"{made['links']:,}", f"{made['verdicts']:,}",
        f"{made['design_s']:.1f}", f"{made['prove_s']:.1f}", f"{made['cpu_s']:.1f}",
        f"{made['peak_mib'] + made['second_mib']:.0f}",
    )  # fmt: skip
    columns = (
        "site", "switches", "hosts", "cables", "verdicts", "design s", "render, read back and prove s", "CPU s of all",
        "peak MiB",
    )  # fmt: skip
    note = (
        "Every proof of `nornir prove`, in two processes, with hosts' variables at the other end of their cables. "
        "Budget: 1,280 switches and 4,096 hosts within 60 s and 2,048 MiB."
    )
    return Table("Everything proved", columns, [row], note)


def pushes(folder: Path, sizes: Iterable[str], rtt_ms: float, workers: int) -> list[Table]:
    """Plans with nothing to do, on labs of these sizes."""
    labs, noop_rows, cpus = [], [], []
    for size in sizes:
        site = reference_site(folder, size) if size in REFERENCES else rail_site(folder, int(size), 28, 7)
        print(f"  lab of {site.name}, {rtt_ms:g} ms", file=sys.stderr)
        made = case("push", site, rtt_ms, workers)
        labs.append((
            f"{made['switches']:,}", f"{made['up_s']:.1f}", f"{made['lab_mib']:.0f}",
            f"{made['lab_mib'] / made['switches'] * 1024:.0f}",
        ))  # fmt: skip
        for job, key in (("first push", "first"), ("validate", "validate"), ("validate --soak 5s", "soak")):
            cpus.append((
                job if made[f"{key}_ok"] else f"{job} (failed)", f"{made['switches']:,}", f"{made[f'{key}_s']:.0f}",
                f"{made[f'{key}_cpu_s']:.1f}", f"{made[f'{key}_cpu_s'] / made['switches'] * 1000:.0f}",
                f"{made[f'{key}_mib']:.0f}", f"{made[f'{key}_lab_cpu_s']:.1f}",
            ))  # fmt: skip
        for job, key in (("gpufabric plan", "noop"), ("nornir + napalm, merge dry run (EOS only)", "peer")):
            switches = made["switches"] if key == "noop" else made["peer_switches"]
            figures = {name: made[f"{key}_{name}"] for name in ("s", "client_ms", "lab_ms", "connections", "requests")}
            noop_rows.append((
                job, f"{switches:,}", f"{figures['s']:.2f}", f"{figures['client_ms']:.1f}", f"{figures['lab_ms']:.1f}",
                f"{figures['connections']:.1f}", f"{figures['requests']:.1f}",
            ))  # fmt: skip
    noop_note = (
        f"Round trip {rtt_ms:g} ms; a new connection costs three of them. 64 threads; the better of two runs after a "
        "warm one. Budgets: 1 connection and at most 2 requests per switch; 288 switches at 50 ms within 4 s."
    )
    columns = (
        "job", "switches", "wall s", "client CPU ms/switch", "lab CPU ms/switch", "connections/switch",
        "requests/switch",
    )  # fmt: skip
    lab_columns = ("switches", "up s", "lab peak MiB", "KiB/switch")
    lab_note = "All switches of a lab in one process, each with a key and a certificate of its own."
    cpu_columns = (
        "job", "switches", "wall s", "client CPU s", "client CPU ms/switch", "client peak MiB", "lab CPU s",
    )  # fmt: skip
    cpu_note = (
        f"Client and lab are two processes beside one another. At most {workers} switches at a time are pushed to the "
        "first time, 64 at a time are read to validate. The peak is the client's until the end of that job. Budgets: "
        "a first push of 288 switches within 300 MiB, of 1,280 within 1,024 MiB, 120 s of the client's CPU and 300 s "
        "of the lab's; validate of 288 within 20 s of the client's CPU and 60 s of the lab's; a soak, which reads all "
        "counters twice besides, within twice the client's CPU of validate, with 5 s of its wall time for waiting."
    )
    return [
        Table("Push with nothing to do", columns, noop_rows, noop_note),
        Table("First push, validate and soak", cpu_columns, cpus, cpu_note),
        Table("The lab", lab_columns, labs, lab_note),
    ]


def head() -> str:
    """When, on what, and how busy it was."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return (
        "# Benchmarks\n\n"
        f"Measured {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by `make bench` on {machine}; load average before the start "
        f"{os.getloadavg()[0]:.1f}. CPU figures tell more than wall figures where other work runs beside."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, nargs="*", default=[1, 2, 4, 8], help="leaf groups of 8, for the curve")
    parser.add_argument(
        "--push",
        nargs="*",
        default=["4", "ref-28672"],
        help="labs pushed to: leaf groups of 8 (4: 34 switches) or ref-NAME",
    )
    parser.add_argument("--workers", type=int, default=64, help="switches pushed to at a time the first time")
    parser.add_argument("--rtt-ms", type=float, default=50.0)
    parser.add_argument("--hosts", type=int, default=1, help="lab machines for site.yml; 0 leaves them out")
    parser.add_argument(
        "--containers", type=int, nargs="*", default=list(containers.COUNTS), help="hosts at once, for site.yml"
    )
    parser.add_argument("--no-document", action="store_true", help="print only; leave docs/benchmarks.md alone")
    options = parser.parse_args()
    parts = [head()]
    print(parts[0], flush=True)
    for table in measured(options):  # printed one by one: a case that stops takes no other's figures along
        parts.append(table.text())
        print(f"\n{parts[-1]}", flush=True)
    if not options.no_document:
        write(parts)


def measured(options: argparse.Namespace) -> Iterator[Table]:
    """The tables asked for, each as soon as it is there."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GPUFABRIC_STATE"] = str(Path(folder) / "state")
        yield curve(Path(folder), options.groups)
        yield proofs(Path(folder))
        yield whole_proofs(Path(folder))
        yield from pushes(Path(folder), options.push, options.rtt_ms, options.workers) if options.push else []
    yield Table("Peers", peers.COLUMNS, peers.rows(), peers.NOTE)
    if options.hosts:
        yield Table("Bringing up hosts", hosts.COLUMNS, hosts.rows(options.hosts), hosts.NOTE)
    if options.containers:
        yield Table("A thousand hosts", containers.COLUMNS, containers.rows(options.containers), containers.NOTE)


def write(parts: Sequence[str]) -> None:
    """Put the figures into the document, above what was written there by hand."""
    DOCUMENT.parent.mkdir(exist_ok=True)
    old = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else ""
    by_hand = old[old.find(BY_HAND) :] if BY_HAND in old else f"{BY_HAND}\n"
    DOCUMENT.write_text("\n\n".join([*parts, by_hand]), encoding="utf-8")


if __name__ == "__main__":
    main()
