"""Manifests of a cluster: all YAML and JSON files below a folder, one file, or a stream."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from nornir_tasks.checks.manifests.objects import Manifest
from nornir_tasks.errors import IntentError, Problem
from nornir_tasks.files.marked_yaml import Marked, read_marked_documents, text_of
from nornir_tasks.files.resources import shown
from nornir_tasks.intent.core.findings import as_shown

MOST_BYTES = 64 << 20
"""Of one file; all manifests of 28,672 GPUs have a tenth of that."""
MOST_NODES = 2_000_000
"""Keys and values of one file, aliases written out."""
MOST_DEPTH = 64
"""Of values within values; a PodTemplate in a List has about 20."""
MOST_PROBLEMS = 100
ENDINGS = {".yaml", ".yml", ".json"}
STREAM = "standard input"


def read_manifests(source: str | IO[bytes]) -> tuple[Manifest, ...]:
    """All objects. ``source``: a path, or an open stream. Raises IntentError with every problem of every file."""
    problems: list[Problem] = []
    name_of_all = source if isinstance(source, str) else STREAM
    objects: list[Manifest] = []
    for name, text in _texts(source, problems):
        found = read_marked_documents(text, name, most_nodes=MOST_NODES, most_depth=MOST_DEPTH)
        for document in found.documents:
            problems += document.marks.problems(document.findings)
            objects += _objects(document, problems)
        problems += [] if found.end is None else [found.end]
    if problems:
        more = len(problems) - MOST_PROBLEMS
        rest = [Problem(name_of_all, f"{more} more problems")] if more > 0 else []
        raise IntentError([*problems[:MOST_PROBLEMS], *rest])
    if not objects:
        hint = "kubectl get nicclusterpolicies,nicconfigurationtemplates,... -A -o yaml"
        raise IntentError(Problem(name_of_all, "no object of Kubernetes is in here", "manifests", hint=hint))
    return tuple(objects)


def _texts(source: str | IO[bytes], problems: list[Problem]) -> Iterator[tuple[str, str]]:
    """Name and text of each file."""
    if not isinstance(source, str):
        yield from _text(STREAM, source, problems)
        return
    for path in _files(Path(source).expanduser(), problems):
        try:
            with path.open("rb") as stream:
                yield from _text(shown(path), stream, problems)
        except OSError as error:
            problems.append(Problem(shown(path), f"cannot be read: {error.strerror}"))


def _text(name: str, stream: IO[bytes], problems: list[Problem]) -> Iterator[tuple[str, str]]:
    try:
        yield name, text_of(stream, name, MOST_BYTES)
    except IntentError as error:
        problems += error.problems


def _files(path: Path, problems: list[Problem]) -> Sequence[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        problems.append(Problem(str(path), "is not there", "a folder with manifests, a file, or - for standard input"))
        return []
    found = [each for each in sorted(path.rglob("*")) if each.suffix in ENDINGS and each.is_file()]
    found = [each for each in found if not any(part.startswith(".") for part in each.relative_to(path).parts)]
    if not found:
        problems.append(Problem(str(path), "no manifest is in this folder", "files *.yaml, *.yml, *.json"))
    return found


def _objects(document: Marked, problems: list[Problem]) -> Iterator[Manifest]:
    """The objects of one document; those of a List one by one."""
    if document.data is None:
        return
    whole = Manifest(document.data if isinstance(document.data, dict) else {}, document.marks)
    listed = whole.value("items")
    if whole.kind.endswith("List") and isinstance(listed, tuple):
        every = [
            Manifest(each if isinstance(each, dict) else {}, document.marks, ("items", number))
            for number, each in enumerate(listed)
        ]
    else:
        every = [whole]
    for each in every:
        if isinstance(each.data.get("kind"), str) and isinstance(each.data.get("apiVersion"), str):
            yield each
            continue
        found = as_shown(document.data) if each is whole else as_shown(each.data)
        problems.append(Problem(each.where(), "no object of Kubernetes", "apiVersion and kind", found))
