"""Filters of the plays that disturb jobs: their settings, and how many hosts at once. Judged on the controller."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

KINDS = ("none", "slurm", "kubernetes", "command")
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def disrupt_limit(most: object, hosts: int) -> int:
    """How many of so many hosts may be out at once: a count, or a percentage, rounded down; one at least.

    One where it is neither: ``drain_problems`` refuses that.
    """
    words = str(most).strip()
    percent = PERCENT.fullmatch(words)
    if percent and 0 < float(percent[1]) <= 100:
        return max(1, int(hosts * float(percent[1]) / 100))
    return max(1, int(words)) if words.isdigit() else 1


def _is_limit(most: object) -> bool:
    words = str(most).strip()
    percent = PERCENT.fullmatch(words)
    return 0 < float(percent[1]) <= 100 if percent else words.isdigit() and int(words) > 0


def drain_problems(given: Mapping[str, Any]) -> list[str]:
    """Each problem of the settings ``drain``, ``from``, ``command``, ``max``, ``wait_s``, ``answer_s``, ``site``."""
    return list(_problems(given))


def _problems(given: Mapping[str, Any]) -> Iterator[str]:
    kind = given["drain"]
    if not _is_limit(given["max"]):
        yield (
            f"gpufabric_disrupt_max: {given['max']!r} is neither a count of hosts, from 1, nor a percentage "
            "above 0 % up to 100 %. Set it to 5% or to 2, for instance"
        )
    for name in ("wait_s", "answer_s"):
        if not str(given[name]).isdigit():
            yield f"gpufabric_drain_{name}: {given[name]!r} is no number of seconds. Set it to 3600, for instance"
    if kind not in KINDS:
        yield f"gpufabric_drain: {kind!r}; it must be one of {', '.join(KINDS)}"
    elif kind != "none" and not given["from"]:
        what = {"slurm": "scontrol", "kubernetes": "kubectl"}.get(kind, "that program")
        yield f"gpufabric_drain: {kind} needs gpufabric_drain_from: the host where {what} runs (localhost for this one)"
    command = given["command"]
    if isinstance(command, str) or not all(isinstance(each, str) and each for each in command):
        yield f"gpufabric_drain_command: {command!r} is no list of words. Set it to [kubectl, --context, NAME], say"
    elif kind == "command" and not command:
        yield "gpufabric_drain: command needs gpufabric_drain_command: the program and its words, as a list"
    if not re.fullmatch(r"[\w.-]+", str(given["site"])):
        yield (
            f"gpufabric_site: {given['site']!r} names this site in reasons of drains, and must be one word of letters, "
            "digits, dots and dashes"
        )


def scheduler_nodes(hosts: Iterable[str], hostvars: Mapping[str, Any]) -> dict[str, str]:
    """Host -> what the scheduler calls it, of those that were not left out."""
    every = {host: hostvars[host] for host in hosts}
    return {
        host: str(given.get("gpufabric_node_name", host))
        for host, given in every.items()
        if not given.get("gpufabric_left_out")
    }


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "disrupt_limit": disrupt_limit,
            "drain_problems": drain_problems,
            "scheduler_nodes": scheduler_nodes,
        }
