"""What hosts counted, from files: one JSON file a host, as ``ansible --tree DIR`` writes them for ``counter_facts``."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from nornir_tasks.checks.hosts.counters import FACT, reading
from nornir_tasks.errors import IntentError, LocalError, Problem
from nornir_tasks.files.documents import write_documents
from nornir_tasks.platforms.counted import Reading

MOST_BYTES = 8 * 2**20
"""A file that is larger holds no counters of one host."""
HOW = (
    'ansible gpus -m gpufabric.host.counter_facts -a \'{"rails": ["rail0"]}\' --tree DIR writes one; once before and '
    "once after the soak"
)


def host_readings(folder: Path, hosts: Collection[str]) -> dict[str, Reading]:
    """Host -> its counters. Raises IntentError with every file that holds none, or is of no host of the site."""
    if not folder.is_dir():
        raise IntentError(Problem(str(folder), "no such folder", "one file a host", hint=HOW))
    found: dict[str, Reading] = {}
    problems: list[Problem] = []
    for file in sorted(each for each in folder.iterdir() if each.is_file()):
        name = file.name.removesuffix(".json")
        if name not in hosts:
            expected = f"the name of a host, as {next(iter(hosts), 'none')}"
            problems.append(Problem(str(file), "this site has no such host", expected, name, HOW))
            continue
        try:
            found[name] = _reading(name, file)
        except (OSError, ValueError) as error:
            problems.append(Problem(str(file), "holds no counters", f"JSON with {FACT}", str(error), HOW))
    if not found and not problems:
        problems.append(Problem(str(folder), "is empty", "one file a host", hint=HOW))
    if problems:
        raise IntentError(problems)
    return found


def _reading(host: str, file: Path) -> Reading:
    """The file's time is that of the answer: both files of a host were written by one clock."""
    about = file.stat()
    if about.st_size > MOST_BYTES:
        raise ValueError(f"{about.st_size} bytes")
    document = json.loads(file.read_text(encoding="utf-8"))
    facts = document.get("ansible_facts", document) if isinstance(document, dict) else None
    if not isinstance(facts, dict) or FACT not in facts:
        message = document.get("msg") if isinstance(document, dict) else None
        raise ValueError(str(message or "no such key"))
    return reading(host, facts[FACT], about.st_mtime)


def write_facts(folder: Path, facts: Mapping[str, object]) -> None:
    """One file a host, as Ansible writes them. Raises LocalError where a file cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LocalError(Problem(str(folder), "cannot be made", "a folder", str(error))) from None
    write_documents({folder / name: json.dumps({"ansible_facts": {FACT: fact}}) for name, fact in facts.items()})
