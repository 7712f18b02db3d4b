"""What a cluster calls the hosts of the intent: by a template, or by a list in a file."""

import re
from collections.abc import Sequence
from pathlib import Path

from nornir_tasks.errors import DesignError, IntentError, Problem

OPTION = "--node-names"
NODE = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""Of a node: a DNS subdomain (Kubernetes documentation, Object Names and IDs)."""
PLACEHOLDER = re.compile(r"\{(host|group|number)(?::0?([1-9]))?\}")
EXAMPLES = "a template, as {host}.example.com or {group}{number:03}, or a file with a line `HOST NODE` for each host"


def node_names(wanted: str | None, hosts: Sequence[str]) -> dict[str, str]:
    """Host -> its node. Raises DesignError or IntentError for names that are missing, twice, or none of Kubernetes.

    ``wanted``: a template if it has a brace, else a file; None: nodes are called as their hosts.
    """
    if wanted is None:
        return {host: host for host in hosts}
    found = _by_template(wanted, hosts) if "{" in wanted else _by_list(Path(wanted).expanduser(), hosts)
    seen: dict[str, str] = {}
    for host, node in found.items():
        if not NODE.fullmatch(node):
            what = f"{host} would be the node {node}, and that is no name of a node"
            raise DesignError(Problem(f"{OPTION} {wanted}", what, "small letters, digits, dashes and dots", node))
        if node in seen:
            what = f"{seen[node]} and {host} would be one node, {node}"
            raise DesignError(Problem(f"{OPTION} {wanted}", what, EXAMPLES, node))
        seen[node] = host
    return found


def _by_template(template: str, hosts: Sequence[str]) -> dict[str, str]:
    if rest := re.search(r"[{}]", PLACEHOLDER.sub("", template)):
        what = f"{rest[0]} is part of no placeholder"
        raise DesignError(Problem(f"{OPTION} {template}", what, "{host}, {group}, {number} or {number:03}", template))
    return {host: _filled(template, host) for host in hosts}


def _filled(template: str, host: str) -> str:
    group, _, number = host.rpartition("-")
    values = {"host": host, "group": group, "number": number}

    def part(match: re.Match[str]) -> str:
        return values[match[1]].zfill(int(match[2] or 0))

    return PLACEHOLDER.sub(part, template)


def _by_list(file: Path, hosts: Sequence[str]) -> dict[str, str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise IntentError(Problem(f"{OPTION} {file}", f"cannot be read: {error}", EXAMPLES)) from error
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"{file}:{number}"
        if len(words) != 2:
            problems.append(Problem(where, "no host and its node", "HOST NODE", line.strip()))
        elif words[0] not in hosts:
            problems.append(Problem(where, "the intent has no such host with rails on this plane", found=words[0]))
        elif words[0] in found:
            problems.append(Problem(where, "this host has a node above", found=words[0]))
        else:
            found[words[0]] = words[1]
    missing = [host for host in hosts if host not in found]
    if missing:
        some = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        problems.append(Problem(str(file), "hosts without a node", "HOST NODE for each host of the intent", some))
    if problems:
        raise IntentError(problems)
    return {host: found[host] for host in hosts}
