"""The kernel: huge pages per node and their mounts, now and at the next boot."""

from collections.abc import Mapping, Sequence
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob

FACT = "gpufabric_kernel"
ABOUT = About(
    name="hugepages",
    each="size and node asked for, its mount, and the kernel's argument for pages of 1 GiB",
    reads=(FACT,),
    wanted="hugepages_pages, hugepages_mount",
    passes="there are as many pages as asked for on each node, they are mounted, and the argument is given",
    fails="there are more or fewer, the kernel has no such pages, a mount or the argument is missing",
    cannot_tell="the kernel's arguments could not be read",
)
SIZE_KIB = {"2M": 2048, "1G": 1048576}


def check_hugepages(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each configured size and node, each mount and each boot argument."""
    judge = Judge(ABOUT.name, evidence)
    variables = evidence.variables
    pages: Sequence[Mapping[str, Any]] = variables.get("hugepages_pages", ())
    facts = evidence.facts.get(FACT)
    for page in pages:
        _judge_page(judge, page, facts, evidence.why_unread(FACT))
    sizes = sorted({page["size"] for page in pages if page["count"] > 0}) if variables.get("hugepages_mount") else []
    for size in sizes:
        knob = Knob(size, "mount", f"/dev/hugepages{size}", "findmnt -t hugetlbfs")
        mounted = [each["path"] for each in facts["hugetlbfs"]] if facts else None
        found = None if mounted is None else knob.wanted if knob.wanted in mounted else "not mounted"
        judge.compare(knob, found, why="" if facts else evidence.why_unread(FACT))
    huge = [page for page in pages if page["size"] == "1G" and page["count"] > 0]
    if huge:
        counts = ",".join(f"{page['node']}:{page['count']}" for page in huge)
        judge_argument(judge, f"hugepagesz=1G hugepages={counts}", facts, evidence.why_unread(FACT))
    return judge.findings


def _judge_page(judge: Judge, page: Mapping[str, Any], facts: Mapping[str, Any] | None, why: str) -> None:
    kib = SIZE_KIB[page["size"]]
    path = f"/sys/devices/system/node/node{page['node']}/hugepages/hugepages-{kib}kB/nr_hugepages"
    knob = Knob(f"node {page['node']}", f"pages of {page['size']}", str(page["count"]), f"cat {path}")
    pools = [
        pool
        for node in (facts or {}).get("nodes", ())
        if node["node"] == page["node"]
        for pool in node["pools"]
        if pool["size_kib"] == kib
    ]
    if facts is None:
        judge.undecided(knob, why)
    elif not pools:
        judge.decide(knob, False, "no such pages", why="this processor or kernel has none, or no such node")
    else:
        judge.compare(
            knob, pools[0]["total"], why="memory is in pieces: needs a reboot" if page["size"] == "1G" else ""
        )


def judge_argument(judge: Judge, wanted: str, facts: Mapping[str, Any] | None, why: str) -> None:
    """One finding: does the running kernel have these arguments, and if not, will the next boot?"""
    knob = Knob("", f"kernel argument {wanted}", "given", "cat /proc/cmdline")
    if facts is None or facts["cmdline"] is None:
        judge.undecided(knob, why)
    elif f" {wanted} " in f" {facts['cmdline']} ":
        judge.decide(knob, True, "given")
    else:
        waits = f" {wanted} " in f" {facts['cmdline_next_boot'] or ''} "
        judge.decide(knob, False, "not given", why="needs a reboot" if waits else "the boot loader has it not either")
