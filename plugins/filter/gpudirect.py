"""Filters of role gpudirect: what GPUDirect RDMA needs against what the host has. Judged on the controller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

ACS_PREFIX = "pci=disable_acs_redir="
REDIRECT = ("request_redirect", "completion_redirect", "egress_control")
"""What that argument turns off (Linux, pci_disable_acs_redir in drivers/pci/pci.c)."""

Settings = Mapping[str, Any]
"""The role's variables without their prefix."""
Pci = Mapping[str, Any]
"""The fact gpufabric_pci."""
Kernel = Mapping[str, Any]
"""The fact gpufabric_kernel."""


def gpudirect_problems(settings: Settings, pci: Pci) -> list[str]:
    """Each problem as `variable: what is wrong, found and expected; remedy`. Empty if the role may continue."""
    if not settings["rails"]:
        return []
    return [*_pairs(settings, pci), *_space(settings, pci), *_owner(settings, pci), *_driver(settings, pci)]


def _pairs(settings: Settings, pci: Pci) -> Iterator[str]:
    for rail in settings["rails"]:
        if pci["rails"][rail["name"]]["nic"] is None:
            place = rail["match"].get("pci") or rail["match"].get("mac")
            yield f"gpudirect_rails: {rail['name']}: no NIC at {place} on this host (lspci -D -d 15b3:)"
    if not pci["gpus"]:
        yield (
            "gpudirect_rails: no NVIDIA GPU on this host (lspci -D -d 10de::0302). Look whether they fell off the bus "
            "(dmesg | grep Xid), or take the host out of the GPU hosts"
        )
    elif pci["unpaired"]:
        yield f"gpudirect_gpus: {pci['unpaired']}. Name each rail's GPUs by PCI address (nvidia-smi topo -m)"
    for name, rail in pci["rails"].items():
        if rail["nic"] is not None and name not in settings["far_rails_allowed"]:
            yield from _far(name, rail, pci)


def _far(name: str, rail: Mapping[str, Any], pci: Pci) -> Iterator[str]:
    for gpu in rail["gpus"]:
        near = pci["gpus"].get(gpu)
        if near is None or name in near:
            continue
        number = list(pci["gpus"]).index(gpu)
        what = f"that GPU is near {', '.join(near)}" if near else "no switch is above that GPU and any rail's NIC"
        yield (
            f"gpudirect_rails: {name}: its NIC {rail['nic']} is not under the switch of GPU {number} ({gpu}); {what} "
            "(nvidia-smi topo -m). Give the rail the NIC that is (`at` in the intent), name the rail's GPUs in "
            "gpudirect_gpus, or allow it by name in gpudirect_far_rails_allowed"
        )


def _ports(pci: Pci) -> list[str]:
    """The ports at which a request between a rail's NIC and its GPU can be turned away, in the rails' order."""
    ways = [port for rail in pci["rails"].values() for way in rail["ways"].values() for port in way]
    return list(dict.fromkeys(ways))


def _space(settings: Settings, pci: Pci) -> Iterator[str]:
    nics = [rail["nic"] for rail in pci["rails"].values() if rail["nic"]]
    hidden = [each for each in (*nics, *_ports(pci)) if pci["devices"][each]["known"] != "all"]
    if hidden:
        yield (
            f"gpudirect_rails: the configuration space of {', '.join(hidden)} cannot be read beyond its beginning. "
            "Run with become: true"
        )
    if pci["acs_elsewhere"] and settings["acs"] == "redirect_off":
        yield (
            f"gpudirect_acs: {', '.join(pci['acs_elsewhere'])} tells the kernel of ACS as well, and only one of "
            "them counts. Take it out there, or set gpudirect_acs: keep"
        )
    size, locked = settings["read_request_bytes"], pci["driver"]["lockdown"] not in (None, "none")
    smaller = [each for each in nics if pci["devices"][each]["read_request_bytes"] != size]
    if size and locked and smaller:
        yield (
            f"gpudirect_read_request_bytes: the kernel is locked down ({pci['driver']['lockdown']}) and keeps "
            f"programs from writing the configuration space of {', '.join(smaller)}. Set it in the firmware setup and "
            "gpudirect_read_request_bytes: 0, or turn Secure Boot off"
        )


def _owner(settings: Settings, pci: Pci) -> Iterator[str]:
    owner, packages, operator = settings["driver_owner"], pci["driver"]["packages"], pci["driver"]["operator"]
    names = ", ".join(packages)
    if packages and operator:
        yield (
            f"gpudirect_driver_owner: {owner}, and this host has the driver twice: packages ({names}) and the GPU "
            "Operator's container (/run/nvidia/driver). Remove the packages, or set driver.enabled=false there"
        )
    elif owner == "operator" and packages:
        yield (
            f"gpudirect_driver_owner: operator, and this host has packages of the driver: {names}. Remove them, or "
            "say host"
        )
    elif owner == "host" and not packages:
        there = "the GPU Operator's container has it" if operator else "no package has it"
        yield (
            f"gpudirect_driver_owner: host, and {there} (dpkg -l 'nvidia-*'). Install the driver from its packages, or "
            "say operator or keep"
        )


def _driver(settings: Settings, pci: Pci) -> Iterator[str]:
    driver, branch = pci["driver"], settings["driver_branch"]
    if driver["version"] is None:
        if settings["driver_owner"] != "operator":
            yield (
                "gpudirect_driver_owner: no NVIDIA driver is loaded (cat /proc/driver/nvidia/version). Install it, "
                "look why it did not load (dmesg | grep NVRM), or say operator if Kubernetes brings it"
            )
        return
    if branch and driver["version"].partition(".")[0] != branch:
        yield f"gpudirect_driver_branch: {branch}, and {driver['version']} is loaded. Bring the driver of that branch"
    if driver["no_dma_buf"] and not settings["peermem"]:
        yield (
            f"rdma_stack_peermem: false, and dma-buf cannot be used: {driver['no_dma_buf']}. Install the open kernel "
            "modules (nvidia-open) on Linux 5.12 or later, or set rdma_stack_peermem: true"
        )
    switches = [*pci["nvswitches"], *driver["bridges"]]
    if switches and driver["wrong_fabric_manager"] and not driver["operator"]:
        yield (
            f"gpudirect_driver_owner: this host has NVSwitches ({', '.join(switches)}), and its fabric "
            f"manager is not right: {driver['wrong_fabric_manager']}. Install nvidia-fabricmanager of the driver's "
            "version and start it (systemctl enable --now nvidia-fabricmanager)"
        )
    if driver["bridges"] and driver["wrong_subnet_manager"] and not driver["operator"]:
        yield (
            f"gpudirect_driver_owner: this host's NVSwitches are managed by {', '.join(driver['bridges'])}, and their "
            f"subnet manager, NVLSM, is not right: {driver['wrong_subnet_manager']}. Install nvlsm, load ib_umad "
            "(/etc/modules-load.d) and restart nvidia-fabricmanager, which starts it"
        )


def gpudirect_argument(settings: Settings, pci: Pci) -> str:
    """The kernel's argument that turns ACS redirect off at each port on the way; empty if none has ACS."""
    if settings["acs"] != "redirect_off" or not settings["rails"]:
        return ""
    ports = [pci["devices"][port]["kernel_path"] for port in _ports(pci) if pci["devices"][port]["acs"] is not None]
    return ACS_PREFIX + ";".join(ports) if ports else ""


def redirecting(pci: Pci) -> list[str]:
    """Ports on the way whose ACS control still redirects."""
    return [port for port in _ports(pci) if any((pci["devices"][port]["acs"] or {}).get(bit) for bit in REDIRECT)]


def gpudirect_boot(settings: Settings, pci: Pci, kernel: Kernel) -> dict[str, list[str]]:
    """reasons: what a reboot turns off; by_hand: what it does not, and what would."""
    argument, ports = gpudirect_argument(settings, pci), redirecting(pci)
    found: dict[str, list[str]] = {"reasons": [], "by_hand": []}
    if not argument:
        return found
    running = (kernel["cmdline"] or "").split()
    coming = running if kernel["cmdline_next_boot"] is None else kernel["cmdline_next_boot"].split()
    first = f"ACS redirects at {len(ports)} ports, {ports[0]} the first (lspci -vvv -s {ports[0]})" if ports else ""
    if argument not in coming:
        why = "has no update-grub" if kernel["boot_editor"] is None else "has a boot menu that does not get it"
        remedy = f"this host {why}; give the kernel `{argument}`, quoted, where its command line is kept"
        found["by_hand"].append(f"gpudirect: {first or 'ACS may redirect after a boot'}: {remedy}")
    elif ports and argument in running:
        found["by_hand"].append(
            f"gpudirect: {first}, though the kernel was started with {argument}: dmesg | grep -i acs"
        )
    elif ports:
        found["reasons"].append(f"gpudirect: {first}")
    return found


def gpudirect_nics(pci: Pci) -> Sequence[str]:
    """PCI addresses of the rails' NICs."""
    return list(dict.fromkeys(rail["nic"] for rail in pci["rails"].values() if rail["nic"]))


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "gpudirect_problems": gpudirect_problems,
            "gpudirect_argument": gpudirect_argument,
            "gpudirect_boot": gpudirect_boot,
            "gpudirect_nics": gpudirect_nics,
        }
