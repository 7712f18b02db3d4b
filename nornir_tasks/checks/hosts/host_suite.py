"""The checks of a host, in the order they are reported, the facts they need, and the report.

Hosts of the boundary have checks of their own: ``boundary_suite``.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from nornir_tasks.checks.hosts import (
    bmc,
    boundary_suite,
    cabling,
    firmware,
    gpudirect,
    infiniband,
    kernel,
    planes,
    roce,
    stack,
    tuning,
)
from nornir_tasks.checks.hosts import bonds as host_bonds
from nornir_tasks.checks.hosts import rails as host_rails
from nornir_tasks.checks.hosts.host_evidence import HostCheck, HostEvidence, Request
from nornir_tasks.checks.hosts.report import HostReport as HostReport  # noqa: PLC0414 - what judge_host returns
from nornir_tasks.design.hosts.role_vars import BondedHostVars, HostVars, RdmaHostVars

CHECKS = (
    HostCheck(host_rails.check_rails, host_rails.ABOUT, needs="rails"),
    HostCheck(cabling.check_cabling, cabling.ABOUT, needs="rails"),
    HostCheck(host_bonds.check_bonds, host_bonds.ABOUT, needs="nothing"),
    HostCheck(planes.check_planes, planes.GUARD, needs="nothing"),
    HostCheck(stack.check_rdma, stack.RDMA),
    HostCheck(firmware.check_firmware, firmware.ABOUT),
    HostCheck(kernel.check_hugepages, kernel.ABOUT, needs="nothing"),
    HostCheck(tuning.check_tuning, tuning.ABOUT, needs="nothing"),
    HostCheck(gpudirect.check_gpudirect, gpudirect.ABOUT, needs="gpus"),
    HostCheck(roce.check_roce, roce.ABOUT),
    HostCheck(stack.check_nccl, stack.NCCL, needs="gpus"),
    HostCheck(infiniband.check_infiniband, infiniband.ABOUT, needs="nothing"),
    HostCheck(bmc.check_bmc, bmc.ABOUT, needs="nothing"),
    HostCheck(planes.check_boot, planes.BOOT, needs="nothing"),
)

OF_GPUS = ("gpudirect", "nccl")
"""Roles of hosts whose rails join GPUs."""
ROLES = (
    *("rail_interfaces", "bond_interfaces", "plane_guard", "rdma_stack", "nic_firmware", "hugepages", "host_tuning"),
    *("gpudirect", "roce_qos", "nccl", "host_validate"),
)
"""Roles whose variables are judged, their defaults included."""
OF_RDMA = ("rdma_stack", "nic_firmware", "roce_qos")
"""Roles of hosts that have RDMA, over rails or over bonds."""


def _required(model: type[HostVars] | type[RdmaHostVars] | type[BondedHostVars]) -> tuple[str, ...]:
    return tuple(
        f"{role}_{field}"
        for role, part in model.model_fields.items()
        for field, info in getattr(part.annotation, "model_fields", {}).items()
        if info.is_required()
    )


REQUIRED = _required(HostVars)
"""Required variables without a default."""
REQUIRED_WITHOUT_GPUS = _required(RdmaHostVars)
"""The same of hosts whose rails join no GPUs."""
REQUIRED_WITHOUT_RAILS = _required(BondedHostVars)
"""The same of hosts that have bonds alone."""
REQUIRED_OF_RDMA = tuple(each for each in REQUIRED if each.startswith(("rdma_stack_", "roce_qos_")))
"""The same of RDMA, over whatever."""


def has(variables: Mapping[str, Any]) -> frozenset[str]:
    """What a host is judged for, of ``HostCheck.needs``. One without bonds is judged for rails, whatever it lacks.

    One with rails, and nothing that NCCL needs of the intent, has none that join GPUs.
    """
    there = {name for name in REQUIRED if name in variables} - {planes.GUARD.wanted}
    of_rdma = there & set(REQUIRED_OF_RDMA)
    rails = host_bonds.WANTED not in variables or there > of_rdma
    of_nccl = any(name.startswith("nccl_") for name in there)
    gpus = rails and (of_nccl or "rail_interfaces_rails" not in variables)
    found = {"nothing": True, "rdma": rails or of_rdma, "rails": rails, "gpus": gpus}
    return frozenset(name for name, is_there in found.items() if is_there)


def roles(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """The roles whose variables are judged on a host."""
    if boundary_suite.is_of_boundary(variables):
        return boundary_suite.roles(variables)
    there, without = has(variables), set[str]()
    without |= set() if "rails" in there else {"rail_interfaces"}
    without |= set() if "rdma" in there else set(OF_RDMA)
    without |= set() if "gpus" in there else set(OF_GPUS)
    return tuple(each for each in ROLES if each not in without)


def requests(variables: Mapping[str, Any]) -> tuple[Request, ...]:
    """All facts to read on a host; reading them changes nothing."""
    if boundary_suite.is_of_boundary(variables):
        return boundary_suite.requests(variables)
    bonds = [dict(bond) for bond in variables.get(host_bonds.WANTED) or ()]
    units = planes.units(variables)
    return (
        *([Request(host_bonds.FACT, "gpufabric.host.bond_facts", {"bonds": bonds})] if bonds else ()),
        *_of_rdma(variables),
        *(
            [Request(infiniband.FACT, "gpufabric.host.infiniband_facts", {})]
            if variables.get(infiniband.WANTED)
            else ()
        ),
        *([Request(bmc.FACT, "gpufabric.host.bmc_facts", {})] if variables.get(bmc.WANTED) else ()),
        *([_command(planes.FACT, planes.SHOW)] if planes.GUARD.wanted in variables else ()),
        *([_command(planes.UNITS_FACT, (*planes.LIST_UNITS, *units))] if units else ()),
    )


def _command(fact: str, argv: tuple[str, ...]) -> Request:
    return Request(fact, "ansible.legacy.command", {"argv": list(argv)})


def _of_rails(variables: Mapping[str, Any]) -> tuple[Request, ...]:
    """What tells of rails alone."""
    rails = [dict(rail) for rail in variables["rail_interfaces_rails"]]
    return (
        Request(host_rails.FACT, "gpufabric.host.rail_facts", {"matches": [dict(rail["match"]) for rail in rails]}),
        Request(cabling.FACT, "gpufabric.host.gateway_facts", {"rails": rails}),
    )


def _of_rdma(variables: Mapping[str, Any]) -> tuple[Request, ...]:
    """What tells of RDMA; of a host without, the kernel alone."""
    there = has(variables)
    if "rdma" not in there:
        return (Request(kernel.FACT, "gpufabric.host.kernel_facts", {"rails": [], "sysctl": []}),)
    rails = list(variables["roce_qos_rails"])
    packages = sorted({*stack.packages_of(variables), *stack.FIRMWARE_TOOLS})
    return (
        *(_of_rails(variables) if "rails" in there else ()),
        Request(
            roce.FACT,
            "gpufabric.host.roce_facts",
            {
                "rails": rails,
                "backend": variables.get("roce_qos_backend", "auto"),
                "registers": bool(variables.get(roce.REORDER)),
                "root": variables.get("roce_qos_root", "/"),
            },
        ),
        Request(
            firmware.FACT,
            "gpufabric.host.nic_firmware_facts",
            {
                "rails": list(variables.get("nic_firmware_rails", rails)),
                "root": variables.get("nic_firmware_root", "/"),
            },
        ),
        Request(
            stack.RDMA_FACT,
            "gpufabric.host.rdma_facts",
            {
                "rails": rails,
                "modules": list(stack.modules_of(variables)),
                "packages": packages,
                "root": variables.get("rdma_stack_root", "/"),
            },
        ),
        Request(
            kernel.FACT,
            "gpufabric.host.kernel_facts",
            {"rails": list(variables.get("host_tuning_rails", rails)), "sysctl": tuning.sysctl_names(variables)},
        ),
        *(_of_gpus(variables, rails) if "gpus" in there else ()),
    )


def _of_gpus(variables: Mapping[str, Any], rails: list[str]) -> tuple[Request, ...]:
    """NCCL's settings; and the PCI tree, where rails join GPUs that are there."""
    wanted = {
        "rails": rails,
        "wanted": stack.nccl_wanted(variables),
        "libraries": stack.libraries_wanted(variables),
        "root": variables.get("nccl_root", "/"),
    }
    nccl = Request(stack.NCCL_FACT, "gpufabric.host.nccl_facts", wanted)
    arguments = {
        "rails": [dict(rail) for rail in variables["gpudirect_rails"]],
        "gpus": dict(variables.get("gpudirect_gpus", {})),
        "fabric": True,
        "root": variables.get("gpudirect_root", "/"),
    }
    return (nccl, Request(gpudirect.FACT, "gpufabric.host.pci_facts", arguments)) if arguments["rails"] else (nccl,)


def missing(variables: Mapping[str, Any]) -> list[str]:
    """Each required variable that is missing in the inventory, with the remedy; the boundary's roles ask themselves."""
    if boundary_suite.is_of_boundary(variables):
        return []
    remedy = "the inventory plug-in gpufabric takes it from the intent"
    there = has(variables)
    of_rails = REQUIRED if "gpus" in there else REQUIRED_WITHOUT_GPUS
    of_bonds = (*REQUIRED_WITHOUT_RAILS, *(REQUIRED_OF_RDMA if "rdma" in there else ()))
    required = of_rails if "rails" in there else of_bonds
    return [f"{name}: no value; {remedy}" for name in required if name not in variables]


def judge_host(evidence: HostEvidence) -> HostReport:
    """Run every check that is about what the host has."""
    if boundary_suite.is_of_boundary(evidence.variables):
        found = (finding for check in boundary_suite.CHECKS for finding in check.judge(evidence))
        return HostReport(evidence.host, tuple(found))
    among = checks(evidence.variables)
    return HostReport(evidence.host, tuple(finding for check in among for finding in check.judge(evidence)))


def checks(variables: Mapping[str, Any]) -> tuple[HostCheck, ...]:
    """The checks that are about what a host has that is none of the boundary."""
    there = has(variables)
    return tuple(each for each in CHECKS if each.needs in there)


def own_plan(variables: Mapping[str, Any], *, without: Collection[str] = ()) -> dict[str, Any]:
    """What a host needs to judge itself, as plain data: role node_health.

    ``without``: names of checks that are left out (``firmware``). A fact that no check left reads is not asked for.
    """
    chosen = [each for each in checks(variables) if each.about.name not in without]
    left_out = [each for each in checks(variables) if each.about.name in without]
    needed = {fact for each in chosen for fact in each.about.reads}
    unneeded = {fact for each in left_out for fact in each.about.reads} - needed
    return {
        "checks": [f"{each.judge.__module__}:{each.judge.__name__}" for each in chosen],
        "requests": [asdict(each) for each in requests(variables) if each.fact not in unneeded],
        "variables": {name: value for name, value in variables.items() if name.startswith(roles(variables))},
    }
