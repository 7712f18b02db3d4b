"""`make bench`: what the main jobs cost on this machine. Measurements, not tests: nothing here fails for being slow.

Wall and CPU seconds, the median of several runs. The lab's switches run in a process of their own; its CPU is read over
its control socket and told apart from the client's. The peer (plain nornir with nornir-napalm, as they come) does the
same job on the same EOS switches in the same run.
"""

import argparse
import logging
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
out = Console(highlight=False, width=None if sys.stdout.isatty() else 140)


def site(folder: Path, groups: int, hosts_per_group: int = 32) -> Path:
    """A rail site: eight EOS leaves a group, NVUE spines, 400G everywhere, 1:1."""
    data = yaml.safe_load((ROOT / "inventory/lab/fabric.yml").read_text())
    name = f"bench-{groups}"
    compute = data["planes"]["compute"]
    count = groups * hosts_per_group
    compute["hosts"].update(count=count, max=count, per_group=hosts_per_group, speed="400G")
    compute["leaf"].pop("overrides")
    compute["spine"].pop("overrides")
    where = folder / name
    where.mkdir(parents=True, exist_ok=True)
    (where / "fabric.yml").write_text(yaml.safe_dump({**data, "site": name}, sort_keys=False))
    return where


def timed(job: Callable[[], object], runs: int) -> tuple[float, float]:
    """(wall, CPU) seconds of one run, each the median."""
    walls, cpus = [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        job()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls), statistics.median(cpus)


def bench_design(folder: Path, sizes: list[int], runs: int) -> None:
    from nornir_tasks.cli.scope import Scope, load

    table = Table("switches", "links", "design s", "realise + render s", "ms/switch", "parse s", "peak MiB", box=None)
    for groups in sizes:
        where = str(site(folder, groups))
        design_s, _ = timed(lambda where=where: load(where), runs)
        scope = load(where)
        render_s, _ = timed(
            lambda scope=scope: Scope(scope.site, scope.fabric, scope.catalogue).wanted(None, None), runs
        )
        wanted = scope.wanted(None, None)

        def parse(wanted=wanted) -> None:
            for name, each in wanted.items():
                tree = each.platform.to_tree(each.text)
                each.platform.parse(tree, each.capabilities, name, each.config.model)

        parse_s, _ = timed(parse, runs)
        count = len(wanted)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.add_row(
            str(count), str(len(scope.fabric.links)), f"{design_s:.2f}", f"{render_s:.2f}",
            f"{(design_s + render_s) / count * 1000:.1f}", f"{parse_s:.2f}", f"{peak:.0f}",
        )  # fmt: skip
    out.print("\nDesign and render (one process, no breakouts)", style="bold")
    out.print(table)


def bench_push(folder: Path, groups: int, runs: int) -> None:
    from nornir_tasks.cli.fleet import Choice, fleet
    from nornir_tasks.cli.lab import lab_plan
    from nornir_tasks.cli.push import run as push
    from nornir_tasks.cli.scope import load
    from nornir_tasks.lab.manager import Lab

    scope = load(str(site(folder, groups, hosts_per_group=4)))
    lab = Lab(scope.site.state_directory)
    lab.up(lab_plan(scope))
    try:
        wanted = scope.wanted(None, None)
        started = time.perf_counter()
        push("push", scope, wanted, Choice(), yes=True, json=False)
        first_s = time.perf_counter() - started
        leaves = {name: each for name, each in wanted.items() if each.config.os == "eos"}

        def ours() -> None:
            with fleet(scope, leaves, Choice()) as switches:
                answers = switches.plan(lambda _: None)
            assert not answers.errors
            assert not any(each.changes for each in answers.values.values())

        rows = [measure(lab, "gpufabric plan: nothing to do", ours, runs, len(leaves))]
        rows += [measure(lab, "nornir + napalm: merge, nothing to do", peer(lab, leaves), runs, len(leaves))]
        table = Table("job", "switches", "wall s", "client CPU ms/switch", "twin CPU ms/switch", box=None)
        for column in ("connections/switch", "requests/switch"):
            table.add_column(column)
        for row in rows:
            table.add_row(*row)
        out.print(
            f"\nPush to {len(leaves)} EOS switches of the lab (first push of all {len(wanted)}: {first_s:.1f} s)",
            style="bold",
        )
        out.print(table)
    finally:
        lab.down()


def measure(lab, name: str, job: Callable[[], object], runs: int, switches: int) -> tuple[str, ...]:
    job()  # warm: imports, certificates
    lab.ask("requests", reset=True)
    twins = sum(lab.ask("cpu").values())
    wall, cpu = timed(job, runs)
    twins = sum(lab.ask("cpu").values()) - twins
    counted = [each for each in lab.ask("requests").values() if each["requests"]]
    per_run = runs * switches
    return (
        name, str(switches), f"{wall:.2f}", f"{cpu / switches * 1000:.1f}", f"{twins / per_run * 1000:.1f}",
        f"{sum(each['connections'] for each in counted) / per_run:.1f}",
        f"{sum(each['requests'] for each in counted) / per_run:.1f}",
    )  # fmt: skip


def peer(lab, leaves) -> Callable[[], object]:
    """Plain nornir with nornir-napalm: the whole owned configuration as a merge candidate, compared and discarded."""
    import ssl

    from nornir.core import Nornir
    from nornir.core.inventory import ConnectionOptions, Defaults, Groups, Host, Hosts, Inventory
    from nornir.core.plugins.connections import ConnectionPluginRegister
    from nornir.plugins.runners import ThreadedRunner
    from nornir_napalm.plugins.connections import Napalm
    from nornir_napalm.plugins.tasks import napalm_configure

    spec = yaml.safe_load((lab.directory / "spec.json").read_text())
    devices = {each["name"]: each for each in spec["devices"]}
    password = Path(spec["password_file"]).read_text().strip()
    context = ssl.create_default_context(cafile=spec["ca"])
    ConnectionPluginRegister.register("napalm", Napalm)

    def host(name: str) -> Host:
        optional = {"transport": "https", "port": devices[name]["api_port"], "context": context}
        options = ConnectionOptions(extras={"optional_args": optional})
        address = devices[name]["address"]
        return Host(name, address, None, spec["username"], password, "eos", connection_options={"napalm": options})

    inventory = Inventory(Hosts({name: host(name) for name in leaves}), Groups(), Defaults())
    texts = {name: "\n".join(line for line in each.text.splitlines() if line != "end") for name, each in leaves.items()}

    def job() -> None:
        made = Nornir(inventory=inventory, runner=ThreadedRunner(num_workers=64))
        result = made.run(task=lambda task: napalm_configure(task, dry_run=True, configuration=texts[task.host.name]))
        made.close_connections()
        assert not result.failed, {name: each[0].exception for name, each in result.items() if each.failed}

    return job


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, nargs="*", default=[1, 2, 4, 8], help="leaf groups of 8, for the curve")
    parser.add_argument("--push-groups", type=int, default=4, help="leaf groups in the lab that is pushed to")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    out.print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {machine}, load {os.getloadavg()[0]:.1f} before the start")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GPUFABRIC_STATE"] = str(Path(folder) / "state")
        bench_design(Path(folder), options.groups, options.runs)
        bench_push(Path(folder), options.push_groups, options.runs)


if __name__ == "__main__":
    main()
