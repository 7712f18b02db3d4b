"""Filter of role rdma_stack: why NVIDIA's DOCA-OFED cannot be installed on a host. Judged on the controller."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

BRANCHES: Mapping[str, tuple[str, frozenset[str]]] = {
    "2.9": ("24.10", frozenset({"debian12", "ubuntu22.04", "ubuntu24.04"})),
    "2.10": ("25.01", frozenset({"ubuntu22.04", "ubuntu24.04"})),
    "3.0": ("25.04", frozenset({"ubuntu22.04", "ubuntu24.04"})),
    "3.1": ("25.07", frozenset({"ubuntu22.04", "ubuntu24.04"})),
    "3.2": ("25.10", frozenset({"ubuntu22.04", "ubuntu24.04"})),
    "3.3": ("26.01", frozenset({"ubuntu22.04", "ubuntu24.04"})),
}
"""DOCA's branch -> the OFED that it has, and the distributions for which public installers name a repository of it.

Branch and OFED: file names of doca-host (`2.10.0-093000-25.01`, `3.1.0-091000-25.07`), the mirror's listing of 2.9.1
(mlnx-fw-updater 24.10), github Mellanox/doca-driver-build's release manifests (25.04, 25.10, 26.01). Distributions:
URLs in public installers
(`.../doca/2.9.0/debian12.5/x86_64/`, `.../2.9.1/ubuntu22.04/`, `.../3.3.0/ubuntu24.04/`); that a
branch has Ubuntu 22.04 and 24.04 alike is concluded for 3.0, 3.2 and 3.3. `rdma_stack_doca_any_branch` takes others.
"""
MAIN = "mlnx-ofed-kernel-dkms"
FIRMWARE_WRITERS = ("mlnx-fw-updater", "mlnx-fw-updater-signed")
FAMILY = re.compile(
    r"(doca|mlnx|mft|kernel-mft|ofed|rdma|lib(ibverbs|rdmacm|ibumad|ibmad|ibnetdisc|mlx|rdma)|ib(verbs|acm|utils)"
    r"|infiniband|perftest|mstflint|srptools|ucx|knem|xpmem|isert?-|srp-|openmpi|mpitests|sharp|hcoll|opensm|rshim)"
)
"""Packages of an RDMA stack, the distribution's or NVIDIA's: those that its exchange may remove."""

Facts = Mapping[str, Any]


def doca_problems(wanted: Mapping[str, Any], facts: Facts) -> list[str]:
    """Each problem as `variable: value: what is wrong; remedy`. Empty if the role may continue.

    ``wanted``: provider, url, fingerprint, version, any_branch, may_remove, restart, reboot_allowed. ``facts``: what
    doca_facts found.
    """
    found = [*_host(facts), *_kernels(facts), *_secure_boot(facts), *_firmware(facts)]
    if facts["phase"] in ("saved", "switching"):
        return found  # it is taken back first, and the host judged again
    if facts["phase"] == "switched" and facts["needed"]:
        found.append(
            f"rdma_stack_doca_version: {wanted['version']}, but the exchange for {facts['installed']} is not "
            f"finished: run site.yml"
            f" with {facts['installed']} first, which keeps it or takes it back"
        )
    if facts["needed"]:
        found += [*_plan(wanted, facts["plan"]), *_holders(facts), *_way_in(wanted, facts)]
    return found


def doca_settings_problems(wanted: Mapping[str, Any], distribution: Mapping[str, str]) -> list[str]:
    """What is wrong with the variables alone; asked before anything is read from a mirror."""
    found = []
    if wanted["provider"] != "mlx5":
        found.append(
            f"rdma_stack_source: doca is for ConnectX and BlueField, and rdma_stack_provider is "
            f"{wanted['provider']}; use inbox"
        )
    if not re.match(r"(https?|file)://\S+$", wanted["url"]):
        found.append(
            f"rdma_stack_doca_url: {wanted['url'] or '(empty)'} is no URL; name NVIDIA's repository for this "
            f"distribution, or your mirror"
        )
    if not re.match(r"[0-9A-Fa-f]{40}$", wanted["fingerprint"].replace(" ", "")):
        found.append(
            f"rdma_stack_doca_key_fingerprint: {wanted['fingerprint'] or '(empty)'} is not 40 hexadecimal digits; "
            f"take it from a key that"
            " you trust (gpg --show-keys GPG-KEY-Mellanox.pub), not from the mirror"
        )
    return found + _branch(wanted, distribution)


def _branch(wanted: Mapping[str, Any], distribution: Mapping[str, str]) -> list[str]:
    version = wanted["version"]
    match = re.match(r"(\d+\.\d+)\.\d+", version)
    if not match:
        return [f"rdma_stack_doca_version: {version or '(empty)'} is no version of DOCA, such as 2.9.3"]
    here = f"{distribution['id']}{distribution['version_id']}"
    if wanted["any_branch"] or here in BRANCHES.get(match[1], ("", frozenset()))[1]:
        return []
    known = ", ".join(branch for branch, (_, systems) in BRANCHES.items() if here in systems)
    return [
        f"rdma_stack_doca_version: {version}: branch {match[1]} is not known for {here}; known are "
        f"{known or 'none'}. If NVIDIA has it"
        " for this distribution, set rdma_stack_doca_any_branch: true"
    ]


def _host(facts: Facts) -> Iterator[str]:
    for name in sorted(facts.get("by_distribution", ())):
        yield (
            f"rdma_stack_source: doca, but {name} is the distribution's own package of DOCA-OFED; remove it first, "
            f"or keep it with"
            " rdma_stack_source: keep"
        )


def _kernels(facts: Facts) -> Iterator[str]:
    for kind, kernel in facts["kernels"].items():
        if facts["headers"][kernel] == "missing" and (facts["needed"] or facts["unbuilt"]):
            yield (
                f"rdma_stack_source: doca builds modules for kernel {kernel} "
                f"({'the running one' if kind == 'running' else 'the next boot'}),"
                f" whose headers are not here: /lib/modules/{kernel}/build. apt-get install linux-headers-{kernel}, "
                f"or remove that kernel"
            )
            if kernel == facts["kernels"]["next"]:
                return


def _secure_boot(facts: Facts) -> Iterator[str]:
    if facts["secure_boot"] and facts["signing"]["enrolled"] is not True:
        signing = facts["signing"]
        yield (
            f"rdma_stack_source: doca builds modules here, and Secure Boot starts only those signed with a key that "
            f"it knows; DKMS's"
            f" certificate {signing['certificate'] or '(none)'}: {signing['answer']}. Enrol one (mokutil --import "
            f"/var/lib/dkms/mok.pub,"
            " /var/lib/shim-signed/mok/MOK.der on Ubuntu; then confirm it at the console during a reboot)"
        )


def _firmware(facts: Facts) -> Iterator[str]:
    if facts["firmware_at_boot"]:
        yield (
            "/etc/infiniband/openib.conf: RUN_FW_UPDATER_ONBOOT=yes writes NIC firmware at every boot, unasked; "
            "set it to no"
        )


def _plan(wanted: Mapping[str, Any], plan: Mapping[str, Any]) -> Iterator[str]:
    url, version = f"rdma_stack_doca_url: {wanted['url']}", f"rdma_stack_doca_version: {wanted['version']}"
    messages = {
        "unreachable": f"{url} cannot be reached from this host: {plan['error']}. Mend the path to the mirror, or "
        "name another",
        "key": f"rdma_stack_doca_key_url: {plan['error']}",
        "fingerprint": f"rdma_stack_doca_key_fingerprint: {wanted['fingerprint']}, but the mirror's key is"
        f" {', '.join(plan['fingerprints'])}. Find out which is NVIDIA's before you change either",
        "unsigned": f"{url} is not signed by the key {wanted['fingerprint']}: {plan['error']}. Mirror it again, or "
        "name another",
        "version": f"{version} is not in {wanted['url']}, which has "
        f"{', '.join(plan['versions']) or 'no doca-ofed at all'}",
        "packages": f"{version} cannot be installed here: {plan['error']}{_never(plan['error'])}",
    }
    if plan["kind"]:
        yield messages[plan["kind"]]
        return
    yield from _packages(wanted, plan, version)


def _never(error: str) -> str:
    """Why a package that NVIDIA has is not there for us."""
    named = [name for name in FIRMWARE_WRITERS if name in error]
    return f" {named[0]} writes NIC firmware and is never installed; name no package that needs it" if named else ""


def _packages(wanted: Mapping[str, Any], plan: Mapping[str, Any], version: str) -> Iterator[str]:
    for name in sorted(set(FIRMWARE_WRITERS) & set(plan["install"])):
        yield f"{version} would install {name}, which writes NIC firmware; name no package that needs it"
    ofed = next((ofed for branch, (ofed, _) in BRANCHES.items() if wanted["version"].startswith(f"{branch}.")), "")
    driver = plan["install"].get(MAIN, "")
    if driver and not driver.startswith(ofed):
        yield f"{version} has {MAIN} {driver} in this mirror, not {ofed}: it is mixed of two releases. Mirror it again"
    lost = [name for name in plan["remove"] if not FAMILY.match(name) and name not in wanted["may_remove"]]
    if lost:
        yield f"{version} would remove {', '.join(lost)}; if these may go, name them in rdma_stack_doca_may_remove"
    if plan["unavailable"]:
        yield (
            f"{version} replaces {', '.join(plan['unavailable'])}, which no source of this host has: a failed "
            f"upgrade could not be taken"
            " back. Put the .deb files into /var/lib/gpufabric/rdma_stack/packages/, or mend the sources (apt-get "
            "update)"
        )


def _holders(facts: Facts) -> Iterator[str]:
    install = facts["plan"].get("install", {})
    for module, by in facts["holders"].items():
        package = by["package"]
        if not by["dkms"] and package not in install:
            yield (
                f"rdma_stack_source: doca exchanges ib_core, which {module} holds; DKMS does not build {module}"
                f"{f' ({package} of the set would)' if package else ''}, so nothing would rebuild it. Install it by "
                f"DKMS, or unload and remove it"
            )


def _way_in(wanted: Mapping[str, Any], facts: Facts) -> Iterator[str]:
    """A new driver has to be loaded: by a reboot, or by a restart of openibd where nothing rides on mlx5."""
    if wanted["reboot_allowed"] or (wanted["restart"] and not facts["rides"]):
        return
    because = (
        f"openibd cannot be restarted: {'; '.join(facts['rides'])}"
        if wanted["restart"]
        else "rdma_stack_doca_restart is false"
    )
    yield (
        f"gpufabric_reboot_allowed: false, and only a reboot brings the new driver in, as {because}. Allow the reboot"
        f"{'' if facts['rides'] else ', or set rdma_stack_doca_restart: true: nothing rides on mlx5 now'}"
    )


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"doca_problems": doca_problems, "doca_settings_problems": doca_settings_problems}
