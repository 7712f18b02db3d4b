"""Which job runs on which hosts, from a file that a scheduler's own command writes.

Slurm: ``squeue --json`` or ``scontrol show jobs --json``: of each job ``job_id``, ``job_state`` (a list; a word in
earlier versions) and ``nodes``, a host list (SchedMD, slurm.conf, NodeName). Kubernetes: ``kubectl get pods -A -o
json``: of each pod its node, its phase, and the job that it is of. Nothing of a program is called.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nornir_tasks.errors import IntentError, Problem

MOST_BYTES = 256 * 2**20
HOW = "squeue --json > FILE, or kubectl get pods -A -o json > FILE"
ON_NODES = frozenset(
    {"RUNNING", "COMPLETING", "CONFIGURING", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED"}
)
"""States of a job of Slurm that has its nodes (SchedMD, squeue, Job state codes)."""
_ENDED = frozenset({"Succeeded", "Failed"})
"""Phases of a pod whose containers have all ended (Kubernetes documentation, Pod phase)."""
_JOB_LABELS = (
    "batch.kubernetes.io/job-name",
    "job-name",
    "training.kubeflow.org/job-name",
    "jobset.sigs.k8s.io/jobset-name",
    "leaderworkerset.sigs.k8s.io/name",
)
_MOST_HOSTS = 100_000
_BRACKETS = re.compile(r"\[([0-9,-]+)\]")


def allocations(file: Path) -> dict[str, frozenset[str]]:
    """Job -> the nodes that it runs on, as the scheduler calls both. Raises IntentError for a file that has none.

    Pods that every node has (of a DaemonSet) and pods of the nodes themselves are of no job.
    """
    try:
        found = dict(_jobs(_document(file)))
    except (OSError, ValueError) as error:
        what = f"no allocations of jobs: {error}"
        raise IntentError(Problem(str(file), what, "JSON of Slurm or Kubernetes", hint=HOW)) from error
    return found


def _document(file: Path) -> Any:  # noqa: ANN401 - decoded JSON
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"{file.stat().st_size} bytes")
    return json.loads(file.read_text(encoding="utf-8"))


def _jobs(document: Any) -> Iterator[tuple[str, frozenset[str]]]:  # noqa: ANN401 - decoded JSON
    if isinstance(document, dict) and isinstance(document.get("jobs"), list):
        yield from _of_slurm(document["jobs"])
    elif isinstance(document, dict) and isinstance(document.get("items"), list):
        yield from _of_kubernetes(document["items"])
    else:
        raise ValueError("neither 'jobs' nor 'items' is in it, as a list")  # noqa: TRY004


def _of_slurm(jobs: list[Any]) -> Iterator[tuple[str, frozenset[str]]]:
    for number, job in enumerate(jobs):
        states = job.get("job_state") if isinstance(job, dict) else None
        states = [states] if isinstance(states, str) else states
        if not isinstance(states, list) or not isinstance(job.get("job_id"), int):
            raise ValueError(f"jobs[{number}] has no job_id and job_state")  # noqa: TRY004 - of the file's text
        nodes = job.get("nodes") or ""
        if not isinstance(nodes, str):
            raise ValueError(f"jobs[{number}].nodes is no host list")  # noqa: TRY004
        if ON_NODES.intersection(states) and nodes:
            yield f"job {job['job_id']}", frozenset(expanded(nodes))


def expanded(hosts: str) -> Iterator[str]:
    """The names of a host list of Slurm: ``gpu-[1-3,07],login``. Raises ValueError for what is none."""
    words, depth, word = list[str](), 0, ""
    for char in hosts:
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            words.append(word)
            word = ""
        else:
            word += char
    for each in filter(None, [*words, word]):
        yield from _expanded(each)


def _expanded(word: str) -> Iterator[str]:
    found = _BRACKETS.search(word)
    if found is None:
        if re.search(r"[\[\]\s]", word):
            raise ValueError(f"{word!r} is no host list")
        yield word
        return
    for part in found[1].split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or int(last or first) - int(first) > _MOST_HOSTS:
            raise ValueError(f"{word!r} is no host list")
        for number in range(int(first), int(last or first) + 1):
            yield from _expanded(f"{word[: found.start()]}{number:0{len(first)}}{word[found.end() :]}")


def _of_kubernetes(items: list[Any]) -> Iterator[tuple[str, frozenset[str]]]:
    nodes: dict[str, set[str]] = {}
    for number, pod in enumerate(items):
        if not isinstance(pod, dict) or pod.get("kind", "Pod") != "Pod":
            raise ValueError(f"items[{number}] is no pod")
        meta, spec, status = (_mapping(pod, key, number) for key in ("metadata", "spec", "status"))
        node, job = spec.get("nodeName"), _job_of(meta)
        if isinstance(node, str) and node and job and status.get("phase") not in _ENDED:
            nodes.setdefault(job, set()).add(node)
    yield from ((job, frozenset(there)) for job, there in nodes.items())


def _mapping(pod: Mapping[str, Any], key: str, number: int) -> Mapping[str, Any]:
    found = pod.get(key, {})
    if not isinstance(found, dict):
        raise ValueError(f"items[{number}].{key} is no object")  # noqa: TRY004
    return found


def _job_of(meta: Mapping[str, Any]) -> str:
    """What a pod is a part of: by a label of its job, else by its owner; empty for what is on nodes without a job."""
    space, labels = meta.get("namespace", "default"), meta.get("labels") or {}
    for label in _JOB_LABELS:
        if label in labels:
            return f"{space}/{labels[label]}"
    owners = meta.get("ownerReferences") or []
    owner = next((each for each in owners if each.get("controller")), owners[0] if owners else None)
    if owner is not None and owner.get("kind") in {"DaemonSet", "Node"}:
        return ""
    return f"{space}/{meta.get('name', '')}" if owner is None else f"{space}/{owner.get('name', '')}"
