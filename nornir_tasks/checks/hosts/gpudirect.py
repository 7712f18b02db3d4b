"""GPUDirect RDMA: a rail's NIC and its GPU under one switch, the way between them, and the NVIDIA driver."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nornir_tasks.checks.about import About
from nornir_tasks.checks.hosts.host_evidence import HostEvidence, HostFinding, Judge, Knob, ShownOn
from nornir_tasks.checks.hosts.kernel import FACT as KERNEL_FACT

FACT = "gpufabric_pci"
ABOUT = About(
    name="gpudirect",
    each="rail that joins GPUs: its GPU, link, largest read request, ATS, IOMMU, ACS on the way; the driver, NVLink",
    reads=(FACT, KERNEL_FACT),
    wanted="gpudirect_rails, _gpus, _far_rails_allowed, _acs, _read_request_bytes, _ats_allowed, _driver_*, "
    "rdma_stack_peermem",
    passes="the NIC is under the switch of its GPU with its full link; nothing on the way redirects, now and after a "
    "boot; the driver gives RDMA the GPU's memory",
    fails="a NIC is nearer to another GPU or to none; its link is narrower or slower than both ends can; a port "
    "redirects; the IOMMU translates; the driver, its fabric manager or subnet manager is not right; NVLink does not "
    "join the GPUs; packages of the driver are of several versions or not held",
    cannot_tell="a device's configuration space could not be read beyond its beginning; nvidia-smi does not answer",
    skipped="what NVSwitches need, without NVSwitches; the driver that the GPU Operator has yet to bring; packages, "
    "where none has the driver",
)
ACS_PREFIX = "pci=disable_acs_redir="
REDIRECT = ("request_redirect", "completion_redirect", "egress_control")
"""What that argument turns off (Linux, pci_disable_acs_redir in drivers/pci/pci.c)."""
PASS_THROUGH = ("identity", "off")
"""Types of an IOMMU group that do not translate (Linux, Documentation/ABI/testing/sysfs-kernel-iommu_groups)."""
UNSEEN = "its configuration space cannot be read; run with become: true"

Pci = Mapping[str, Any]
Variables = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at the host showed. ``found`` None: could not tell."""

    wanted: str
    found: str | None
    shown_by: str
    why: str = ""


def check_gpudirect(evidence: HostEvidence) -> list[HostFinding]:
    """One finding for each knob of each rail that joins GPUs, and for the host; none without such rails."""
    judge, variables = Judge(ABOUT.name, evidence), evidence.variables
    names = [rail["name"] for rail in variables.get("gpudirect_rails", ())]
    pci = evidence.facts.get(FACT)
    if not names:
        return []
    for name in names:
        for knob, look in _of_rail(name, variables):
            seen = look(name, pci, variables) if pci else None
            _judge(judge, name, knob, seen, evidence)
    if variables["gpudirect_acs"] == "redirect_off":
        _judge(judge, "", "ACS redirect after a boot", _after_boot(pci, evidence) if pci else None, evidence)
    _judge_driver(judge, pci, evidence)
    return judge.findings


def _judge(judge: Judge, subject: str, name: str, look: _Look | None, evidence: HostEvidence) -> None:
    if look is None:
        judge.undecided(Knob(subject, name, "as asked", "lspci -vvv", ShownOn.STAND_IN), evidence.why_unread(FACT))
    else:
        judge.compare(Knob(subject, name, look.wanted, look.shown_by, ShownOn.STAND_IN), look.found, why=look.why)


def _of_rail(name: str, variables: Variables) -> Iterator[tuple[str, Callable[[str, Pci, Variables], _Look]]]:
    """The knobs of one rail that the variables ask for."""
    if name not in variables["gpudirect_far_rails_allowed"]:
        yield "GPU", _gpu
    yield "PCI Express link", _link
    if variables["gpudirect_read_request_bytes"]:
        yield "largest read request", _read_request
    if not variables["gpudirect_ats_allowed"]:
        yield "ATS", _ats
    yield "IOMMU", _iommu
    if variables["gpudirect_acs"] == "redirect_off":
        yield "ACS redirect", _acs


def _gpu(name: str, pci: Pci, _: Variables) -> _Look:
    wanted, shown_by = pci["rails"][name]["gpus"], "nvidia-smi topo -m"
    if pci["unpaired"]:
        return _Look("known", pci["unpaired"], shown_by, "name them in gpudirect_gpus")
    near = [gpu for gpu, rails in pci["gpus"].items() if name in rails]
    found = wanted if set(wanted) <= set(near) else near
    why = f"under the switch of its NIC, {pci['rails'][name]['nic'] or 'which is not there'}"
    return _Look(", ".join(wanted), ", ".join(found) or "none", shown_by, why)


def _nic(name: str, pci: Pci) -> tuple[Mapping[str, Any] | None, str]:
    """The NIC as far as its configuration space could be read, and what shows it."""
    address = pci["rails"][name]["nic"]
    device = pci["devices"].get(address)
    return (device if device and device["known"] != "header" else None), f"lspci -vvv -s {address}"


def _link(name: str, pci: Pci, _: Variables) -> _Look:
    device, shown_by = _nic(name, pci)
    if device is None:
        return _Look("full speed and width", None, shown_by, UNSEEN)
    link, path = device["link"], device["path"]
    if link is None:
        return _Look("full speed and width", "no link", shown_by)
    above = pci["devices"][path[-2]]["link"] if len(path) > 1 else None
    ends = [end for end in (link, above) if end]
    most = (min(end["max_speed_gt_s"] or 0 for end in ends), min(end["max_lanes"] for end in ends))
    now = (link["speed_gt_s"] or 0, link["lanes"])
    wanted, found = (f"{speed:g} GT/s x{lanes}" for speed, lanes in (most, now))
    return _Look(wanted, found, shown_by, "both ends can; seat the card again, look at slot and riser")


def _read_request(name: str, pci: Pci, variables: Variables) -> _Look:
    device, shown_by = _nic(name, pci)
    found = None if device is None else f"{device['read_request_bytes']} B"
    return _Look(f"{variables['gpudirect_read_request_bytes']} B", found, shown_by, UNSEEN if device is None else "")


def _ats(name: str, pci: Pci, _: Variables) -> _Look:
    device, shown_by = _nic(name, pci)
    if device is None or device["known"] != "all":
        return _Look("off", None, shown_by, UNSEEN)
    return _Look("off", "on" if device["ats"] else "off", shown_by, "ATS_ENABLED of the firmware is 0 on bare metal")


def _iommu(name: str, pci: Pci, _: Variables) -> _Look:
    rail = pci["rails"][name]
    types = {each: pci["devices"][each]["iommu"] for each in (rail["nic"], *rail["gpus"]) if each in pci["devices"]}
    others = [f"{each}: {kind}" for each, kind in types.items() if kind not in PASS_THROUGH]
    found = ", ".join(others) or "pass-through" if types else None
    shown_by = f"cat /sys/bus/pci/devices/{rail['nic']}/iommu_group/type"
    return _Look("pass-through", found, shown_by, "iommu=pt (host_tuning_kernel_arguments)")


def _ports(name: str, pci: Pci) -> list[str]:
    """Where a request between the rail's NIC and its GPUs can be turned away."""
    return list(dict.fromkeys(port for way in pci["rails"][name]["ways"].values() for port in way))


def _acs(name: str, pci: Pci, _: Variables) -> _Look:
    ports = {port: pci["devices"][port] for port in _ports(name, pci)}
    on = [port for port, each in ports.items() if any((each["acs"] or {}).get(bit) for bit in REDIRECT)]
    unseen = [port for port, each in ports.items() if each["known"] != "all"]
    shown_by = f"lspci -vvv -s {(on or unseen or list(ports) or [pci['rails'][name]['nic']])[0]}"
    if unseen:
        return _Look("off", None, shown_by, f"{', '.join(unseen)}: {UNSEEN}")
    return _Look(
        "off", f"on at {', '.join(on)}" if on else "off", shown_by, "the kernel sets it at boot: needs a reboot"
    )


def _after_boot(pci: Pci, evidence: HostEvidence) -> _Look:
    ports = dict.fromkeys(port for name in pci["rails"] for port in _ports(name, pci))
    listed = [pci["devices"][port]["kernel_path"] for port in ports if pci["devices"][port]["acs"] is not None]
    wanted, shown_by = f"off at {len(listed)} ports", "grep disable_acs_redir /boot/grub/grub.cfg"
    kernel = evidence.facts.get(KERNEL_FACT)
    line = kernel and (kernel["cmdline_next_boot"] or kernel["cmdline"])
    if not line:
        return _Look(wanted, None, shown_by, evidence.why_unread(KERNEL_FACT))
    arguments = [word[len(ACS_PREFIX) :] for word in line.split() if word.startswith(ACS_PREFIX)]
    given = set(arguments[-1].split(";")) if arguments else set()  # the last one counts
    found = f"off at {sum(port in given for port in listed)} ports"
    return _Look(wanted, found, shown_by, f"the kernel's argument is {ACS_PREFIX}..., quoted in GRUB's settings")


def _judge_driver(judge: Judge, pci: Pci | None, evidence: HostEvidence) -> None:
    variables, branch = evidence.variables, evidence.variables["gpudirect_driver_branch"]
    wanted = f"branch {branch}" if branch else "loaded"
    loaded = Knob("", "NVIDIA driver", wanted, "cat /proc/driver/nvidia/version", ShownOn.STAND_IN)
    way = Knob("", "way to GPU memory", "dma-buf or nvidia-peermem", "lsmod | grep nvidia", ShownOn.STAND_IN)
    if pci is None:
        for knob in (loaded, way, *_OF_NVLINK, *_OF_PACKAGES):
            judge.undecided(knob, evidence.why_unread(FACT))
        return
    driver = pci["driver"]
    version = driver["version"] or "not loaded"
    if driver["version"] is None and variables["gpudirect_driver_owner"] == "operator":
        for knob in (loaded, way, *_OF_NVLINK, *_OF_PACKAGES):
            judge.skip(knob, "the GPU Operator brings it")
        return
    judge.decide(loaded, driver["version"] is not None and branch in ("", version.partition(".")[0]), version)
    peermem = driver["peermem"] and variables["rdma_stack_peermem"]
    why = "open kernel modules on Linux 5.12 or later, or rdma_stack_peermem: true"
    judge.decide(way, not driver["no_dma_buf"] or peermem, driver["no_dma_buf"] or "dma-buf", why=why)
    _judge_nvlink(judge, pci)
    _judge_packages(judge, driver, on_hold=variables["gpudirect_driver_held"])


_MANAGER = Knob("", "fabric manager", "running", "systemctl status nvidia-fabricmanager", ShownOn.STAND_IN)
_SUBNET = Knob("", "NVLink subnet manager", "running", "systemctl status nvidia-fabricmanager", ShownOn.STAND_IN)
_JOINED = Knob("", "NVLink fabric", "Completed, Success", "nvidia-smi -q | grep -A 2 Fabric", ShownOn.STAND_IN)
_OF_NVLINK = (_MANAGER, _SUBNET, _JOINED)
_VERSIONS = Knob("", "versions of driver packages", "the loaded driver's", "dpkg-query -W '*nvidia*'", ShownOn.STAND_IN)
_ON_HOLD = Knob("", "packages of driver and kernel", "held", "apt-mark showhold", ShownOn.STAND_IN)
_OF_PACKAGES = (_VERSIONS, _ON_HOLD)


def _judge_nvlink(judge: Judge, pci: Pci) -> None:
    """What joins the GPUs of a host with NVSwitches."""
    driver, fabric = pci["driver"], pci["fabric"]
    if not (pci["nvswitches"] or driver["bridges"]):
        for knob in _OF_NVLINK:
            judge.skip(knob, "this host shows no NVSwitch")
        return
    if driver["operator"]:
        for knob in (_MANAGER, _SUBNET):
            judge.skip(knob, "it is in the GPU Operator's driver container")
    else:
        judge.compare(_MANAGER, driver["wrong_fabric_manager"] or "running", why="it must have the driver's version")
        if driver["bridges"]:
            why = "nvidia-fabricmanager starts it where nvlsm is installed and ib_umad loaded"
            judge.compare(_SUBNET, driver["wrong_subnet_manager"] or "running", why=why)
        else:
            judge.skip(_SUBNET, "NVSwitches that are PCI devices need none")
    others = [f"{gpu}: {state}" for gpu, state in fabric["states"].items() if state != _JOINED.wanted]
    found = ("; ".join(others) or _JOINED.wanted) if fabric["states"] else None
    judge.compare(_JOINED, found, why=fabric["unknown"] or "CUDA stops with error 802 on these GPUs")


def _judge_packages(judge: Judge, driver: Mapping[str, Any], *, on_hold: bool) -> None:
    """Packages of a driver that the host has: one version, and none that the next upgrade exchanges alone."""
    if not driver["packages"]:
        for knob in _OF_PACKAGES:
            judge.skip(knob, "the driver is of no package that dpkg knows")
        return
    why = "reboot where they were upgraded, or install those of the loaded driver"
    judge.compare(_VERSIONS, ", ".join(driver["unlike"]) or _VERSIONS.wanted, why=why)
    if not on_hold:
        judge.skip(_ON_HOLD, "gpudirect_driver_held: false")
        return
    why = "apt-mark hold, dnf versionlock add: else an upgrade exchanges one alone, or brings a kernel without driver"
    judge.compare(_ON_HOLD, f"not held: {', '.join(driver['not_held'])}" if driver["not_held"] else "held", why=why)
