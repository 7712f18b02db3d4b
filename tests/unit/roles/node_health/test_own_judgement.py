"""A host judges itself by the checks of host_validate, with the standard library alone, and says so to all who ask."""

import json
import subprocess
import sys
import time
from pathlib import Path

import jinja2
import pytest

from ansible_collections.gpufabric.host.plugins.plugin_utils.host_bundle import bundle
from nornir_tasks import checks
from nornir_tasks.checks.hosts.host_evidence import HostEvidence
from nornir_tasks.checks.hosts.host_suite import judge_host, own_plan
from tests.needs import require
from tests.slurm_cluster import SlurmCluster, slurm
from tests.unit.checks.right_host import variables

ROLE = Path(__file__).parents[4] / "roles/node_health"
PROGRAM = ROLE / "files/node_health.py"
NPD = ROLE / "files/node_health_npd.sh"


def run(tmp_path: Path, plan: dict, *words: str) -> subprocess.CompletedProcess[str]:
    """As the service runs it, but without site-packages: nothing of this project is found by its own name."""
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    sources = bundle(plan, Path(checks.__path__[0]))
    (tmp_path / "sources.json").write_text(json.dumps(sources))
    given = ["--plan", f"{tmp_path}/plan.json", "--sources", f"{tmp_path}/sources.json", "--out", f"{tmp_path}/out"]
    return subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), *given, *words],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def test_the_host_judges_the_same_knobs_as_host_validate_but_those_left_out(tmp_path: Path) -> None:
    given = variables()
    done = run(tmp_path, {**own_plan(given, without=["firmware"]), "host": "gpu-1"}, "--textfile", f"{tmp_path}/prom")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out/node_health.json").read_text())
    by_host_validate = judge_host(HostEvidence("gpu-1", given, {}, {})).findings
    wanted = {(each.check, each.subject, each.knob) for each in by_host_validate if each.check != "firmware"}
    found = {(each["check"], each["subject"], each["knob"]) for each in report["findings"]}
    of_facts = {each for each in found ^ wanted if each[0] in {"gpudirect", "bonds"}}  # knobs of what is there alone
    assert (found ^ wanted) - of_facts == set()
    assert report["passed"] is False, "this machine is no such host"
    assert (tmp_path / "out/node_health.state").read_text().startswith("failed\n")
    reasons = {each["why"] for each in report["findings"]}
    assert not [why for why in reasons if "Error" in why], "a module that cannot be run judges nothing"
    lines = (tmp_path / "prom/gpufabric_node_health.prom").read_text().splitlines()
    assert "gpufabric_node_health_passed 0" in lines
    assert any(line.startswith('gpufabric_node_health_knobs{check="rails",verdict="fail"}') for line in lines)


def test_nothing_is_asked_of_the_firmware_where_its_check_is_left_out() -> None:
    modules = [each["module"] for each in own_plan(variables(), without=["firmware"])["requests"]]
    assert "gpufabric.host.nic_firmware_facts" not in modules
    assert "gpufabric.host.roce_facts" in modules


def test_a_plan_that_is_broken_is_unknown_and_not_good(tmp_path: Path) -> None:
    done = run(
        tmp_path, {"host": "gpu-1", "checks": ["nornir_tasks.checks.hosts.rails:gone"], "requests": [], "variables": {}}
    )
    assert done.returncode != 0
    assert (tmp_path / "out/node_health.state").read_text().startswith("unknown\n")


@pytest.mark.parametrize(
    ("verdict", "age_s", "code", "says"),
    [
        ("ok", 0, 0, "tested 9 of 9"),
        ("failed", 0, 1, "tested 9"),
        ("unknown", 0, 2, "tested"),
        ("ok", 1000, 2, "s old"),
    ],
)
def test_node_problem_detector_hears_ok_problem_or_unknown(
    tmp_path: Path, verdict: str, age_s: int, code: int, says: str
) -> None:
    state = tmp_path / "node_health.state"
    state.write_text(f"{verdict}\n{time.time() - age_s:.0f}\ntested 9 of 9\n")
    done = subprocess.run(["sh", str(NPD), str(state), "900"], capture_output=True, text=True, check=False)
    assert (done.returncode, says in done.stdout) == (code, True)


def test_without_a_report_the_condition_is_unknown(tmp_path: Path) -> None:
    done = subprocess.run(["sh", str(NPD), str(tmp_path / "none"), "900"], capture_output=True, check=False)
    assert done.returncode == 2


def render(name: str, **values: object) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    environment.filters["quote"] = lambda text: f"'{text}'"
    return environment.from_string((ROLE / "templates" / name).read_text()).render(**values)


def test_the_monitors_configuration_is_json_and_names_the_script_that_the_role_writes() -> None:
    config = json.loads(
        render("node_health_npd.json.j2", node_health_state_directory="/run/gpufabric", node_health_interval_s=300)
    )
    (rule,) = config["rules"]
    assert rule["condition"] == config["conditions"][0]["type"]
    assert rule["path"] == "/usr/local/lib/gpufabric/node_health_npd.sh"
    assert rule["args"] == ["/run/gpufabric/node_health.state", "900"]


@pytest.fixture
def node(tmp_path: Path):
    """A node of a real Slurm that runs the script as its HealthCheckProgram every two seconds."""
    require("root", "slurmctld", "slurmd", "scontrol")
    own, script = tmp_path / "own.sh", tmp_path / "health.sh"
    own.write_text(render("node_health_slurm.sh.j2", node_health_state_directory=tmp_path))
    # slurm.conf of this test, where a node has its own in /etc: slurmd starts the program with no environment.
    script.write_text(f"#!/bin/sh\nexport SLURM_CONF={tmp_path}/slurm/slurm.conf\nexec /bin/sh {own}\n")
    script.chmod(0o755)
    report(tmp_path, "ok")
    with slurm(tmp_path / "slurm", ("gpu-1",), node_program=str(script)) as cluster:
        yield cluster


def report(folder: Path, verdict: str) -> None:
    (folder / "node_health.state").write_text(f"{verdict}\n0\n1 of 9: roce rail0 pfc\n")


def test_slurm_takes_a_node_out_while_its_qos_is_not_set_and_gives_it_back(node: SlurmCluster, tmp_path: Path) -> None:
    report(tmp_path, "failed")
    drained = ("IDLE+DRAIN", "gpufabric health: 1 of 9: roce rail0 pfc")
    node.wait(lambda: node.states()["gpu-1"] == drained, "drained")
    report(tmp_path, "ok")
    node.wait(lambda: node.states()["gpu-1"][0] == "IDLE", "given back")
    (tmp_path / "node_health.state").unlink()
    node.wait(lambda: "not judged since the boot" in node.states()["gpu-1"][1], "no report since the boot")


def test_a_drain_of_somebody_else_is_neither_overwritten_nor_ended(node: SlurmCluster, tmp_path: Path) -> None:
    node.run("scontrol", "update", "nodename=gpu-1", "state=DRAIN", "reason=bad DIMM")
    for verdict in ("failed", "ok"):
        report(tmp_path, verdict)
        time.sleep(6)
        assert node.states()["gpu-1"] == ("IDLE+DRAIN", "bad DIMM")
