"""One measurement in a process of its own, so that its peak memory is its own: prints one JSON object.

cases.py render SITE            design and render every switch to files, switch by switch
cases.py parse SITE             read every rendered configuration back
cases.py prove SITE             prove the isolation of a whole site
cases.py prove_all SITE         design and render a whole site, and prove all there is to prove, cables to hosts too
cases.py push SITE RTT_MS WORKERS
                                a lab of the site: first push, validate, soak, plans with nothing to do; the peer beside
"""

import contextlib
import json
import logging
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Figures = dict[str, Any]
VALIDATE = 64
"""Switches read at a time to validate, as ``nornir validate`` does by itself."""


def timed(job: Callable[[], Any]) -> tuple[float, float, Any]:
    """(wall seconds, CPU seconds, result)."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = job()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def render(site: str) -> Figures:
    """What `nornir render` does, without its start."""
    from nornir_tasks.usecases import render
    from nornir_tasks.usecases.site import load, select

    design_s, design_cpu_s, design = timed(lambda: load(site))
    selection = select(design)
    with tempfile.TemporaryDirectory() as folder:
        render_s, render_cpu_s, _ = timed(lambda: render.write(selection, render.render(selection), Path(folder)))
    network = design.network
    links = network.links
    ports = sum(2 if link.kind == "fabric" else 1 for link in links)
    return {
        "switches": len(network.devices), "links": len(links), "ports": ports, "hosts": len(network.hosts),
        "design_s": design_s, "render_s": render_s, "cpu_s": design_cpu_s + render_cpu_s,
    }  # fmt: skip


def parse(site: str) -> Figures:
    """Parse alone: each configuration is rendered first, untimed."""
    from nornir_tasks.usecases.site import load, select

    cpu_s = 0.0
    for each in select(load(site)).values():
        tree = each.platform.to_tree(each.text)
        started = time.process_time()
        parsed = each.platform.parse(tree, each.capabilities, each.device, each.config.model)
        cpu_s += time.process_time() - started
        assert not parsed.remainder, each.device
    return {"parse_cpu_s": cpu_s}


def prove(site: str) -> Figures:
    """What `nornir prove` does, without its start: design, render and parse every switch, and judge every pair."""
    from nornir_tasks.proofs import isolation
    from nornir_tasks.usecases.proofs import prove
    from nornir_tasks.usecases.site import load, select

    design_s, _, design = timed(lambda: load(site))
    read_s, read_cpu_s, seen = timed(lambda: prove.rendered(select(design)))
    configs = {name: each.config for name, each in seen.items()}
    guarded, reasons = prove.guarded(design)
    assert not reasons
    judge_s, judge_cpu_s, found = timed(
        lambda: isolation.judge(design.network, configs, guarded, prove.services(design))
    )
    assert not found.failed
    assert not found.undecided
    return {
        "switches": len(configs), "hosts": len(design.network.hosts), "pairs": len(found.pairs), "design_s": design_s,
        "read_s": read_s, "judge_s": judge_s, "cpu_s": read_cpu_s + judge_cpu_s, "judge_cpu_s": judge_cpu_s,
    }  # fmt: skip


def prove_all(site: str) -> Figures:
    """What `nornir prove` does with every proof, without its start: from the intent to the verdict on every cable."""
    from nornir_tasks.usecases.proofs import prove
    from nornir_tasks.usecases.site import load

    design_s, design_cpu_s, design = timed(lambda: load(site))
    prove_s, prove_cpu_s, found = timed(lambda: prove.prove(design))
    prove.require_proved(found)
    second = resource.getrusage(resource.RUSAGE_CHILDREN)  # it renders and reads back a half
    return {
        "switches": len(design.network.devices), "hosts": len(design.network.hosts), "links": len(design.network.links),
        "verdicts": sum(each.judged for each in found.outcomes), "design_s": design_s, "prove_s": prove_s,
        "cpu_s": design_cpu_s + prove_cpu_s + second.ru_utime + second.ru_stime, "second_mib": second.ru_maxrss / 1024,
    }  # fmt: skip


def push(site: str, rtt_ms: str, workers: str) -> Figures:
    """A first push of everything, then what a push with nothing to do costs: ours, and the peer on the EOS switches."""
    from nornir_tasks.lab import manager
    from nornir_tasks.usecases.lab.up_down import lab_plan
    from nornir_tasks.usecases.progress import ignore
    from nornir_tasks.usecases.push import push
    from nornir_tasks.usecases.reach import Access, Reach
    from nornir_tasks.usecases.site import load, select
    from nornir_tasks.usecases.validate import collect, judge, require_passed

    design = load(site)
    lab = manager.Lab(design.site.state_directory)
    up_s, _, _ = timed(lambda: lab.up(lab_plan(design), float(rtt_ms)))
    try:
        selection = select(design)
        first = _both_cpus(
            lab, lambda: push(selection, Reach(workers=int(workers)), lambda _: True).require_done(), "first"
        )
        reach = Reach(workers=VALIDATE)
        validated = _both_cpus(lab, lambda: require_passed(judge(selection, collect(selection, reach))), "validate")
        soaked = _both_cpus(lab, lambda: _soak(selection, reach), "soak")
        wanted = dict(selection)

        def plan() -> None:
            with Access(Reach(), ignore).fleet(design, wanted) as switches:
                answers = switches.plan(lambda _: None)
            assert not answers.errors, next(iter(answers.errors.values()))
            assert not any(each.changes for each in answers.values.values())

        figures = {"switches": len(wanted), "up_s": up_s, **first, **validated, **soaked}
        figures |= {f"noop_{key}": value for key, value in _per_switch(lab, plan, len(wanted)).items()}
        figures["lab_mib"] = _peak_mib(lab.process.pid())
        leaves = {name: each for name, each in wanted.items() if each.config.os == "eos"}
        from peer_nornir import peer

        figures["peer_switches"] = len(leaves)
        figures |= {f"peer_{key}": value for key, value in _per_switch(lab, peer(lab, leaves), len(leaves)).items()}
        return figures
    finally:
        lab.down()


def _soak(selection: Any, reach: Any) -> None:
    """What `nornir validate --soak` does, with the shortest time between both readings."""
    from nornir_tasks.usecases import soak
    from nornir_tasks.usecases.validate import require_passed

    report, _ = soak.judge(selection, *soak.collect(selection, reach, soak.LEAST_S))
    require_passed(report)


def _both_cpus(lab: Any, job: Callable[[], Any], name: str) -> Figures:
    """Wall seconds of a job whose output nobody reads, the client's CPU seconds and its peak until then, the lab's CPU
    seconds, and if it passed."""
    lab_cpu_s = sum(lab.ask("cpu").values())
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        wall_s, cpu_s, passed = timed(lambda: _passes(job))
    lab_cpu_s = sum(lab.ask("cpu").values()) - lab_cpu_s
    return {
        f"{name}_s": wall_s, f"{name}_cpu_s": cpu_s, f"{name}_mib": _own_peak_mib(),
        f"{name}_lab_cpu_s": lab_cpu_s, f"{name}_ok": passed,
    }  # fmt: skip


def _passes(job: Callable[[], Any]) -> bool:
    from nornir_tasks.errors import GpufabricError

    try:
        job()
    except GpufabricError as error:
        sys.stderr.write(f"{error}\n")
        return False
    return True


def _per_switch(lab: Any, job: Callable[[], None], switches: int) -> Figures:
    """The better of two runs after a warm one, with the CPU of client and lab apart, per switch."""
    job()
    runs = []
    for _ in range(2):
        lab.ask("requests", reset=True)
        lab_cpu_s = sum(lab.ask("cpu").values())
        wall_s, cpu_s, _ = timed(job)
        counted = lab.ask("requests").values()
        runs.append({
            "s": wall_s,
            "client_ms": cpu_s / switches * 1000,
            "lab_ms": (sum(lab.ask("cpu").values()) - lab_cpu_s) / switches * 1000,
            "connections": sum(each["connections"] for each in counted) / switches,
            "requests": sum(each["requests"] for each in counted) / switches,
        })  # fmt: skip
    return min(runs, key=lambda each: each["s"])


def _own_peak_mib() -> float:
    """The most that this process needed until now."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _peak_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main() -> None:
    import gc

    from nornir_tasks.cli.main import GC_THRESHOLD

    gc.set_threshold(GC_THRESHOLD)  # as the console script does
    logging.disable(logging.CRITICAL)
    figures = {"render": render, "parse": parse, "prove": prove, "prove_all": prove_all, "push": push}[sys.argv[1]](
        *sys.argv[2:]
    )
    figures["peak_mib"] = _own_peak_mib()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
