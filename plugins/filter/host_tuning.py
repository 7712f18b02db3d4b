"""Filters of role host_tuning: the wanted settings against the host's capabilities. Judged on the controller."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

CPU = "/sys/devices/system/cpu"
CPUS = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
ITEMS = (
    *("as", "core", "cpu", "data", "fsize", "locks", "memlock", "msgqueue"),
    *("nice", "nofile", "nproc", "priority", "rss", "rtprio", "sigpending", "stack"),
)
"""Items of limits.conf(5) that pam_limits of Linux-PAM 1.5 knows and that count per process or user."""
ISOLATION = ("isolcpus=", "nohz_full=", "rcu_nocbs=")
OWNERS = {
    "kernel.numa_balancing": "host_tuning_numa_balancing",
    "net.ipv4.conf.": "roles rail_interfaces and plane_guard",
    "net.ipv4.ip_forward": "what routes on this host (role plane_guard keeps the planes apart)",
    "vm.nr_hugepages": "role hugepages",
}
"""Beginning of a setting's name -> what sets it instead."""

Kernel = Mapping[str, Any]
Settings = Mapping[str, Any]
"""The role's variables without their prefix."""


def cpu_list(text: str) -> list[int]:
    """`0-3,8` -> 0, 1, 2, 3, 8."""
    ranges = [part.partition("-") for part in text.split(",") if part]
    return [cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)]


def host_tuning_problems(settings: Settings, kernel: Kernel) -> list[str]:
    """Each problem as `variable: what is wrong, found and expected; remedy`. Empty if the role may continue."""
    return [
        *_sysctl(settings, kernel),
        *_limits(settings, kernel),
        *_processors(settings, kernel),
        *_rails(settings, kernel),
        *_arguments(settings, kernel),
    ]


def _sysctl(settings: Settings, kernel: Kernel) -> Iterator[str]:
    for name in settings["sysctl"]:
        owner = next((owner for prefix, owner in OWNERS.items() if name.startswith(prefix)), None)
        if owner:
            yield f"host_tuning_sysctl: {name} is set by {owner}, and two would undo each other. Set it there"
        elif kernel["sysctl"].get(name) is None:
            yield (
                f"host_tuning_sysctl: {name}, which this kernel ({kernel['kernel']}) does not have. Mind the "
                "spelling, load the module it belongs to first, or take it out"
            )


def _limits(settings: Settings, kernel: Kernel) -> Iterator[str]:
    most = settings["sysctl"].get("fs.nr_open", kernel["sysctl"].get("fs.nr_open"))
    for limit in settings["limits"]:
        if limit["item"] not in ITEMS:
            yield f"host_tuning_limits: item {limit['item']}; limits.conf(5) knows {', '.join(ITEMS)}"
        if not re.fullmatch(r"\d+|unlimited", str(limit["value"])):
            yield f"host_tuning_limits: {limit['item']} {limit['value']}. Give a number or unlimited"
        elif limit["item"] == "nofile" and most and (limit["value"] == "unlimited" or int(limit["value"]) > int(most)):
            yield (
                f"host_tuning_limits: nofile {limit['value']}, and the kernel allows {most} (sysctl fs.nr_open): every "
                "login would fail. Ask for less, or set fs.nr_open in host_tuning_sysctl"
            )


def _processors(settings: Settings, kernel: Kernel) -> Iterator[str]:
    offered = kernel["processors"]["available_governors"]
    if settings["governor"] and offered and settings["governor"] not in offered:
        yield f"host_tuning_governor: {settings['governor']}, and this host offers {', '.join(offered)}. Choose one"
    isolated = settings["isolated_cpus"]
    if not isolated:
        return
    if not CPUS.fullmatch(isolated):
        yield f"host_tuning_isolated_cpus: {isolated!r} is no list of processors. Write it as 2-15,18-31"
        return
    online = set(cpu_list(kernel["processors"]["online"])) | set(cpu_list(kernel["processors"]["isolated"]))
    beyond = sorted(set(cpu_list(isolated)) - online)
    if beyond:
        yield (
            f"host_tuning_isolated_cpus: {', '.join(map(str, beyond))} of {isolated}, and this host has "
            f"{kernel['processors']['online']}. Name processors of this host"
        )
    for node in kernel["nodes"]:
        cpus = set(cpu_list(node["cpus"]))
        if cpus and cpus <= set(cpu_list(isolated)):
            yield (
                f"host_tuning_isolated_cpus: {isolated} leaves node {node['node']} ({node['cpus']}) no processor for "
                "the kernel and its rails' interrupts. Leave at least one per node"
            )


def _rails(settings: Settings, kernel: Kernel) -> Iterator[str]:
    for rail in settings["rails"]:
        if not kernel["rails"].get(rail, {}).get("exists"):
            yield f"host_tuning_rails: no interface {rail} on this host (ip link). Run role rail_interfaces first"


def _arguments(settings: Settings, kernel: Kernel) -> Iterator[str]:
    line = kernel["cmdline"] if kernel["cmdline_next_boot"] is None else kernel["cmdline_next_boot"]
    ours = [argument for argument in settings["kernel_arguments"] if argument.startswith("iommu=")]
    others = [word for word in (line or "").split() if word.startswith("iommu=") and word not in ours]
    if ours and others:
        yield (
            f"host_tuning_kernel_arguments: {ours[-1]}, and the boot loader has {' '.join(others)} from elsewhere. "
            "Take that out of /etc/default/grub, or ours out of host_tuning_kernel_arguments"
        )
    for argument in settings["kernel_arguments"]:
        if not re.fullmatch(r"[A-Za-z0-9_.-]+(=[^\s;\"'$`\\]+)?", argument):
            yield f"host_tuning_kernel_arguments: {argument!r} is not one argument. Write name or name=value"
        if re.match(r"pci=.*(disable_acs_redir|config_acs)=", argument):
            yield (
                f"host_tuning_kernel_arguments: {argument!r} is set by role gpudirect (gpudirect_acs), and the kernel "
                "takes the last of two alone. Take it out"
            )


def host_tuning_arguments(settings: Settings) -> list[str]:
    """Kernel arguments, isolation included (Documentation/admin-guide/kernel-parameters.txt of Linux)."""
    cpus = settings["isolated_cpus"]
    isolation = [f"isolcpus=managed_irq,domain,{cpus}", f"nohz_full={cpus}", f"rcu_nocbs={cpus}"] if cpus else []
    return [*settings["kernel_arguments"], *isolation]


def host_tuning_boot(settings: Settings, kernel: Kernel) -> dict[str, list[str]]:
    """reasons: what a reboot would change, a sentence each; by_hand: what it would not, as the menu lacks it."""
    running = (kernel["cmdline"] or "").split()
    coming = kernel["cmdline_next_boot"]
    lacking = [argument for argument in host_tuning_arguments(settings) if argument not in running]
    menu = running if coming is None else coming.split()
    brought = [argument for argument in lacking if argument in menu]
    unreached = [argument for argument in lacking if argument not in menu]
    leaving = [word for word in running if word.startswith(ISOLATION) and word not in menu]
    why = "has no update-grub" if kernel["boot_editor"] is None else "has a boot menu that does not get it"
    cases = [
        (brought, "reasons", "the running kernel was started without {} (cat /proc/cmdline)"),
        (leaving, "reasons", "the running kernel still has {} (cat /proc/cmdline)"),
        (unreached, "by_hand", f"{{}} stays unset: this host {why}. Set it where the kernel's command line is kept"),
    ]
    found: dict[str, list[str]] = {"reasons": [], "by_hand": []}
    for words, where, sentence in cases:
        if words:
            found[where].append("host_tuning: " + sentence.format(" ".join(words)))
    return found


def host_tuning_sysctl(settings: Settings, kernel: Kernel) -> dict[str, str]:
    """Name -> value. NUMA balancing only if the kernel has it, as a host with one node may not, and it is not None."""
    automatic, wanted = kernel["sysctl"].get("kernel.numa_balancing"), settings["numa_balancing"]
    balancing = {} if automatic is None or wanted is None else {"kernel.numa_balancing": "1" if wanted else "0"}
    return {name: " ".join(str(value).split()) for name, value in settings["sysctl"].items()} | balancing


def host_tuning_processors(settings: Settings, kernel: Kernel, cpus: Sequence[Any] | None = None) -> dict[str, str]:
    """File of sysfs -> value for governor and idle states; `*` for every processor unless they are named."""
    processors = kernel["processors"]
    per_cpu = {}
    if settings["governor"] and processors["governors"]:
        per_cpu["cpufreq/scaling_governor"] = settings["governor"]
    if settings["idle_latency_us"] >= 0:
        for state in processors["idle_states"]:
            if state["latency_us"] is not None:
                per_cpu[f"cpuidle/{state['state']}/disable"] = str(
                    int(state["latency_us"] > settings["idle_latency_us"])
                )
    return {
        f"{CPU}/cpu{cpu}/{name}": value for cpu in (["*"] if cpus is None else cpus) for name, value in per_cpu.items()
    }


def host_tuning_values(settings: Settings, kernel: Kernel) -> dict[str, str]:
    """Values that module kernel_files sets now; processors are left to tuned if it is wanted."""
    now = {f"/proc/sys/{name.replace('.', '/')}": value for name, value in host_tuning_sysctl(settings, kernel).items()}
    if settings["tuned"]:
        return now
    return now | host_tuning_processors(settings, kernel, cpu_list(kernel["processors"]["online"]))


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "host_tuning_problems": host_tuning_problems,
            "host_tuning_arguments": host_tuning_arguments,
            "host_tuning_boot": host_tuning_boot,
            "host_tuning_sysctl": host_tuning_sysctl,
            "host_tuning_processors": host_tuning_processors,
            "host_tuning_values": host_tuning_values,
        }
