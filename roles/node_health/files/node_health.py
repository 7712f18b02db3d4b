#!/usr/bin/python3
# ruff: noqa: T201, ANN401 - what it prints is its journal; plans and reports are data of any kind
"""Judges this host by the checks of host_validate, and writes the report where schedulers and monitoring look.

Run by gpufabric-node-health.service. Standard library only. The modules that read facts and the checks are the same
that Ansible runs: ``node_health_sources.json`` has them, ``/etc/gpufabric/node_health.json`` what this host should be.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.abc
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any, ClassVar

COLLECTION = "ansible_collections.gpufabric.host.plugins"
TIMEOUT_S = 60
LONGEST = 200
"""Letters of the message: what a scheduler's reason and a node's condition show."""


class Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from their sources; every name before a dot is a package."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = sources
        self.packages = {name.rsplit(".", depth)[0] for name in sources for depth in range(1, name.count(".") + 1)}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name in self.sources or name in self.packages:
            return importlib.util.spec_from_loader(name, self, is_package=name in self.packages)
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        exec(compile(self.sources.get(name, ""), f"<{name}>", "exec"), module.__dict__)  # noqa: S102 - our own sources


class Answered(BaseException):
    """What a module returns; it ends there, whatever it would catch."""


class AnsibleModule:
    """As much of Ansible's class as modules that read facts need."""

    given: ClassVar[dict[str, Any]] = {}

    def __init__(self, argument_spec: dict[str, Any], supports_check_mode: bool = False, **_: Any) -> None:
        self.params, self.check_mode = filled(argument_spec, self.given), False

    def exit_json(self, **result: Any) -> None:
        raise Answered(result)

    def fail_json(self, msg: str = "", **_: Any) -> None:
        raise Answered({"msg": msg or "the module failed without a word"})

    def warn(self, message: str) -> None:
        """What a module remarks is for the runner of a play."""

    def get_bin_path(self, name: str) -> str | None:
        return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")

    def run_command(self, argv: list[str], **_: Any) -> tuple[int, str, str]:
        return run(argv)


def filled(spec: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Arguments with the defaults of those that were not given, below as well."""
    made = {name: given.get(name, each.get("default")) for name, each in spec.items()}
    for name, each in spec.items():
        if "options" in each and isinstance(made[name], list):
            made[name] = [filled(each["options"], one) for one in made[name]]
        elif "options" in each and isinstance(made[name], dict):
            made[name] = filled(each["options"], made[name])
    return made


def run(argv: list[str]) -> tuple[int, str, str]:
    """Exit code, output, errors; 124 for no answer in time, 127 for no program."""
    path = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
    try:
        done = subprocess.run(  # noqa: S603 - an argument list, no shell
            argv, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False,
            env=dict(os.environ, LC_ALL="C", PATH=path),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 124, "", f"no answer within {TIMEOUT_S} s"
    except OSError as error:
        return 127, "", f"{argv[0]}: {error.strerror}"
    return done.returncode, done.stdout, done.stderr


def read(request: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """(facts, why there are none)."""
    name = request["module"].rpartition(".")[2]
    if name == "command":
        code, out, err = run(request["arguments"]["argv"])
        return {request["fact"]: {"rc": code, "stdout": out.rstrip("\n"), "stderr": err.rstrip("\n")}}, ""
    AnsibleModule.given = request["arguments"]
    try:
        importlib.import_module(f"{COLLECTION}.modules.{name}").main()
        result: dict[str, Any] = {}
    except Answered as answer:
        result = answer.args[0]
    facts = result.get("ansible_facts", {})
    return facts, "" if request["fact"] in facts else str(result.get("msg", "the module failed without a word"))


def judge(plan: dict[str, Any]) -> dict[str, Any]:
    """The report, as host_validate writes it."""
    basic = types.ModuleType("ansible.module_utils.basic")
    basic.AnsibleModule = AnsibleModule  # type: ignore[attr-defined]
    sys.modules.update({"ansible.module_utils.basic": basic})
    facts: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for request in plan["requests"]:
        try:
            found, why = read(request)
        except Exception as error:  # noqa: BLE001 - one fact that cannot be read is no reason to judge nothing
            found, why = {}, f"{type(error).__name__}: {error}"
        facts.update(found)
        if why:
            unread[request["fact"]] = why
    evidence = importlib.import_module("nornir_tasks.checks.hosts.host_evidence").HostEvidence(
        plan["host"], plan["variables"], facts, unread
    )
    findings = []
    for each in plan["checks"]:
        module, _, function = each.partition(":")
        findings += getattr(importlib.import_module(module), function)(evidence)
    report = importlib.import_module("nornir_tasks.checks.hosts.report").HostReport(plan["host"], tuple(findings))
    return report.as_data()  # type: ignore[no-any-return]


def words(report: dict[str, Any]) -> tuple[str, str]:
    """(ok or failed, one line why)."""
    wrong = [each for each in report["findings"] if each["verdict"] not in ("pass", "skipped")]
    if report["passed"]:
        return "ok", f"tested {report['tested']} of {report['of']}"
    names = ", ".join(f"{each['check']} {each['subject']} {each['knob']}".replace("  ", " ") for each in wrong)
    return "failed", f"{len(wrong)} of {report['of']}: {names}"[:LONGEST]


def metrics(report: dict[str, Any], now_s: float) -> str:
    """For node_exporter's textfile collector (prometheus.io, "Exposition formats")."""
    counts: dict[tuple[str, str], int] = {}
    for each in report["findings"]:
        counts[each["check"], each["verdict"]] = counts.get((each["check"], each["verdict"]), 0) + 1
    knobs = [
        f'gpufabric_node_health_knobs{{check="{check}",verdict="{verdict}"}} {count}'
        for (check, verdict), count in sorted(counts.items())
    ]
    lines = [
        "# HELP gpufabric_node_health_passed Is the host as the intent asks?",
        "# TYPE gpufabric_node_health_passed gauge",
        f"gpufabric_node_health_passed {int(report['passed'])}",
        "# HELP gpufabric_node_health_knobs Settings by check and outcome.",
        "# TYPE gpufabric_node_health_knobs gauge",
        *knobs,
        "# HELP gpufabric_node_health_time_seconds When it was judged, since 1970.",
        "# TYPE gpufabric_node_health_time_seconds gauge",
        f"gpufabric_node_health_time_seconds {now_s:.0f}",
    ]
    return "".join(f"{line}\n" for line in lines)


def write(path: Path, text: str) -> None:
    """All at once: a reader meanwhile has the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def main() -> int:
    """Exit 0: a report was written, whatever it says. 1: none could be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--plan", type=Path, default=Path("/etc/gpufabric/node_health.json"))
    parser.add_argument("--sources", type=Path, default=Path(__file__).with_name("node_health_sources.json"))
    parser.add_argument("--out", type=Path, default=Path("/run/gpufabric"), help="folder of the report")
    parser.add_argument("--textfile", type=Path, help="folder of node_exporter's textfile collector")
    options = parser.parse_args()
    sys.meta_path.insert(0, Sources(json.loads(options.sources.read_text(encoding="utf-8"))))
    now_s = time.time()
    try:
        report = judge(json.loads(options.plan.read_text(encoding="utf-8")))
    except Exception as error:
        write(options.out / "node_health.state", f"unknown\n{now_s:.0f}\n{type(error).__name__}: {error}\n"[:LONGEST])
        raise
    state, line = words(report)
    write(options.out / "node_health.json", json.dumps({"time_s": round(now_s), **report}, indent=1) + "\n")
    write(options.out / "node_health.state", f"{state}\n{now_s:.0f}\n{line}\n")
    if options.textfile:
        write(options.textfile / "gpufabric_node_health.prom", metrics(report, now_s))
    print(f"{state}: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
