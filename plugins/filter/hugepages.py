"""Filters of role hugepages: the wanted pages against the host's capabilities. Judged on the controller."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

SIZE_KIB = {"2M": 2048, "1G": 1048576}
GIB = 1 << 30

Page = Mapping[str, Any]
"""One entry of ``hugepages_pages``: size (2M, 1G), node, count."""


def hugepages_problems(pages: Sequence[Page], kernel: Mapping[str, Any], max_percent: int) -> list[str]:
    """Each problem as `variable: what is wrong, found and expected; remedy`. Empty if the role may continue."""
    nodes = {node["node"]: node for node in kernel["nodes"]}
    found = list(_twice(pages))
    for page in pages:
        found += _one(page, nodes)
    wanted_bytes: dict[int, int] = defaultdict(int)
    for page in pages:
        wanted_bytes[page["node"]] += page["count"] * SIZE_KIB[page["size"]] * 1024
    for number, wanted in sorted(wanted_bytes.items()):
        memory = nodes.get(number, {}).get("memory_bytes", 0)
        if memory and wanted * 100 > memory * max_percent:
            found.append(
                f"hugepages_pages: {wanted / GIB:.2f} GiB of huge pages on node {number}, which has {memory / GIB:.2f} "
                f"GiB; at most {max_percent} % ({memory * max_percent / 100 / GIB:.2f} GiB) may be asked for, since "
                "the rest of the system cannot use them. Ask for fewer pages, or raise hugepages_max_percent"
            )
    return found


def _twice(pages: Sequence[Page]) -> Iterator[str]:
    seen = set()
    for page in pages:
        place = (page["size"], page["node"])
        if place in seen:
            yield f"hugepages_pages: pages of {place[0]} on node {place[1]} are asked for twice. Keep one entry"
        seen.add(place)


def _one(page: Page, nodes: Mapping[int, Any]) -> Iterator[str]:
    if page["count"] < 0:
        yield f"hugepages_pages: {page['count']} pages of {page['size']} on node {page['node']}. Ask for 0 or more"
    if page["node"] not in nodes:
        known = ", ".join(str(number) for number in sorted(nodes))
        yield f"hugepages_pages: node {page['node']}, and this host has only node {known}. Name one of the host's nodes"
    elif _pool(page, nodes) is None:
        sizes = ", ".join(f"{pool['size_kib']} KiB" for pool in nodes[page["node"]]["pools"]) or "none"
        yield (
            f"hugepages_pages: pages of {page['size']}, which this processor and kernel do not have (they have: "
            f"{sizes}). Ask for another size"
        )


def _pool(page: Page, nodes: Mapping[int, Any]) -> Mapping[str, Any] | None:
    pools = nodes.get(page["node"], {}).get("pools", ())
    return next((pool for pool in pools if pool["size_kib"] == SIZE_KIB[page["size"]]), None)


def hugepages_values(pages: Sequence[Page], kernel: Mapping[str, Any]) -> dict[str, str]:
    """File of sysfs -> number of pages, for module kernel_files and tmpfiles.d."""
    nodes = {node["node"]: node for node in kernel["nodes"]}
    pools = [(_pool(page, nodes), page["count"]) for page in pages]
    return {pool["path"]: str(count) for pool, count in pools if pool is not None}


def hugepages_arguments(pages: Sequence[Page]) -> str:
    """Kernel arguments that reserve the 1 GiB pages before memory is fragmented; empty if there are none.

    `hugepages=<node>:<count>,...` is the kernel's own form for NUMA nodes (Documentation/admin-guide/
    kernel-parameters.txt, Linux 5.16 and later).
    """
    wanted = [f"{page['node']}:{page['count']}" for page in pages if page["size"] == "1G" and page["count"] > 0]
    return f"hugepagesz=1G hugepages={','.join(wanted)}" if wanted else ""


def hugepages_missing(pages: Sequence[Page], kernel: Mapping[str, Any]) -> list[str]:
    """The settings that the running kernel lacks, one sentence each."""
    nodes = {node["node"]: node for node in kernel["nodes"]}
    found = []
    for page in pages:
        pool = _pool(page, nodes) or {}
        if pool.get("total") != page["count"]:
            found.append(
                f"hugepages: node {page['node']} has {pool.get('total')} of {page['count']} pages of {page['size']} "
                f"(cat {pool.get('path')})"
            )
    return found


def hugepages_boot(pages: Sequence[Page], kernel: Mapping[str, Any]) -> dict[str, list[str]]:
    """reasons: the missing pages that a reboot brings; by_hand: those that it does not, and what would.

    Pages of 2 MiB come at any boot (tmpfiles.d), those of 1 GiB only by the kernel's arguments, if the next boot has
    them and this one did not. A reason that no reboot removes would reboot a host at every run.
    """
    arguments = hugepages_arguments(pages)
    running = kernel["cmdline"] or ""
    coming = running if kernel["cmdline_next_boot"] is None else kernel["cmdline_next_boot"]
    small = [page for page in pages if page["size"] != "1G"]
    large = hugepages_missing([page for page in pages if page["size"] == "1G"], kernel)
    found = {"reasons": hugepages_missing(small, kernel), "by_hand": []}
    if arguments not in coming:
        why = "has no update-grub" if kernel["boot_editor"] is None else "has a boot menu that does not get it"
        remedy = f"this host {why}; give the kernel `{arguments}` where its command line is kept"
        found["by_hand"] += [f"{each}: {remedy}" for each in large]
    elif arguments and arguments in running:
        found["by_hand"] += [f"{each}, though the kernel was started with {arguments}: ask for fewer" for each in large]
    else:
        found["reasons"] += large
    return found


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "hugepages_problems": hugepages_problems,
            "hugepages_values": hugepages_values,
            "hugepages_arguments": hugepages_arguments,
            "hugepages_missing": hugepages_missing,
            "hugepages_boot": hugepages_boot,
        }
