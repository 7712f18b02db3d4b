"""A scheduler's own file says which job runs on which hosts; what it does not say is refused, all at once."""

import json
from pathlib import Path
from typing import Any

import pytest

from nornir_tasks.errors import IntentError
from nornir_tasks.files.allocations import allocations, expanded
from nornir_tasks.usecases.jobs import jobs_of
from nornir_tasks.usecases.site import SiteDesign, load

GOLDEN = Path(__file__).parents[2] / "errors/allocations_refused/expected.txt"


@pytest.fixture(scope="module")
def lab() -> SiteDesign:
    return load("lab-rails")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "jobs.json"


def slurm(number: int, nodes: object, *states: str) -> dict[str, Any]:
    return {"job_id": number, "job_state": [*states], "nodes": nodes, "user_name": "alice"}


def pod(name: str, node: str | None, phase: str = "Running", **meta: Any) -> dict[str, Any]:
    spec = {} if node is None else {"nodeName": node}
    metadata = {"name": name, "namespace": "train", **meta}
    return {"kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": phase}}


def owned_by(kind: str, name: str) -> list[dict[str, Any]]:
    return [{"kind": kind, "name": name, "controller": True}]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu-1", ["gpu-1"]),
        ("gpu-[1-3,7],login", ["gpu-1", "gpu-2", "gpu-3", "gpu-7", "login"]),
        ("gpu[008-010]", ["gpu008", "gpu009", "gpu010"]),
        ("r[1-2]n[1,3]", ["r1n1", "r1n3", "r2n1", "r2n3"]),
    ],
)
def test_a_host_list_of_slurm_is_read(text: str, names: list[str]) -> None:
    assert list(expanded(text)) == names


def test_jobs_of_slurm_that_have_nodes_are_taken_and_no_other(file: Path, lab: SiteDesign) -> None:
    jobs = [
        slurm(1, "gpu-[1-2]", "RUNNING"),
        slurm(2, "gpu-2", "RUNNING", "COMPLETING"),
        slurm(3, "", "PENDING"),
        slurm(4, "gpu-3", "COMPLETED"),
        {**slurm(5, "gpu-4"), "job_state": "SUSPENDED"},
    ]
    file.write_text(json.dumps({"jobs": jobs, "errors": []}))
    assert jobs_of(lab, file, None) == {
        "job 1": frozenset({"gpu-1", "gpu-2"}),
        "job 2": frozenset({"gpu-2"}),
        "job 5": frozenset({"gpu-4"}),
    }


def test_pods_of_one_job_are_one_and_those_of_every_node_none(file: Path, lab: SiteDesign) -> None:
    items = [
        pod("w-0", "gpu-1.example", labels={"training.kubeflow.org/job-name": "big"}),
        pod("w-1", "gpu-2.example", labels={"training.kubeflow.org/job-name": "big"}),
        pod("done", "gpu-3.example", "Succeeded", labels={"job-name": "over"}),
        pod("exporter", "gpu-4.example", ownerReferences=owned_by("DaemonSet", "exporter")),
        pod("kube-proxy", "gpu-4.example", ownerReferences=owned_by("Node", "gpu-4")),
        pod("waits", None, "Pending", labels={"job-name": "later"}),
        pod("web-1", "gpu-4.example", ownerReferences=owned_by("ReplicaSet", "web")),
        pod("shell", "gpu-4.example"),
    ]
    file.write_text(json.dumps({"kind": "List", "items": items}))
    assert jobs_of(lab, file, "{host}.example") == {
        "train/big": frozenset({"gpu-1", "gpu-2"}),
        "train/web": frozenset({"gpu-4"}),
        "train/shell": frozenset({"gpu-4"}),
    }


def test_a_file_that_is_refused_reads_otherwise(file: Path, lab: SiteDesign, request: pytest.FixtureRequest) -> None:
    texts = []
    for content in (
        json.dumps({"jobs": [slurm(1, "gpu-[1-3]", "RUNNING"), slurm(2, "old-[1-12]", "RUNNING")]}),
        json.dumps({"jobs": [slurm(1, "gpu-[1-", "RUNNING")]}),
        json.dumps({"jobs": [{"job_id": 1}]}),
        json.dumps({"jobs": [slurm(1, ["gpu-1"], "RUNNING")]}),
        json.dumps({"items": [{"kind": "Node", "metadata": {"name": "gpu-1"}}]}),
        json.dumps([]),
        "gpu-1 running",
    ):
        file.write_text(content)
        with pytest.raises(IntentError) as refused:
            jobs_of(lab, file, None)
        texts.append(str(refused.value).replace(str(file), "jobs.json"))
    with pytest.raises(IntentError) as refused:
        allocations(file.with_name("no such file"))
    texts.append(str(refused.value).replace(str(file.parent), "DIR"))
    printed = "\n".join(texts) + "\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(printed, encoding="utf-8")
    assert printed == GOLDEN.read_text(encoding="utf-8")
