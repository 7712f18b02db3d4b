"""The checks of hosts of the boundary, in the order they are reported, and the facts they need."""

from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks import host_bastion, host_boundary, host_certificates, host_vrrp
from nornir_tasks.checks.boundary_parts import (
    CONNTRACKD,
    FACT,
    GENERATED,
    certificates,
    files,
    parts,
    settings,
    shared,
    units,
)
from nornir_tasks.checks.host_evidence import HostCheck, Request

CHECKS = (
    HostCheck(host_boundary.check_boundary_files, host_boundary.FILES),
    HostCheck(host_boundary.check_boundary_rules, host_boundary.RULES),
    HostCheck(host_boundary.check_boundary_services, host_boundary.SERVICES),
    HostCheck(host_boundary.check_boundary_kernel, host_boundary.KERNEL),
    HostCheck(host_vrrp.check_boundary_addresses, host_vrrp.ADDRESSES),
    HostCheck(host_vrrp.check_vrrp, host_vrrp.VRRP),
    HostCheck(host_vrrp.check_conntrack, host_vrrp.CONNTRACK),
    HostCheck(host_certificates.check_host_certificates, host_certificates.ABOUT),
    HostCheck(host_bastion.check_bastion, host_bastion.ABOUT),
    HostCheck(host_boundary.check_boundary_logs, host_boundary.LOGS),
)


def is_of_boundary(variables: Mapping[str, Any]) -> bool:
    """Is it a host of the boundary?"""
    return bool(parts(variables))


def roles(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """The roles whose variables are judged on a host."""
    return (*(part.role for part in parts(variables)), "host_validate")


def requests(variables: Mapping[str, Any]) -> tuple[Request, ...]:
    """The one fact to read, with all that it shall look at."""
    generated = variables.get(GENERATED) or {}
    tables = {name: path for part in parts(variables) for name, path in part.tables.items()}
    ports: dict[str, list[str]] = {}
    for one in shared(variables):
        ports.setdefault(one.port, []).append(one.bare)
    arguments = {
        "shared": ports,
        "files": list(files(variables)),
        "tables": {name: generated[path] for name, path in tables.items() if path in generated},
        "certificates": list(certificates(variables).values()),
        "sshd": list(host_bastion.accounts(variables)),
        "logs": [path for part in parts(variables) for path in part.logs],
        "units": list(units(variables)),
        "settings": [*dict.fromkeys((*settings(variables), *host_vrrp.READ_SETTINGS))],
        "conntrackd": CONNTRACKD if "firewall_sync" in variables else "",
    }
    return (Request(FACT, "gpufabric.host.boundary_facts", arguments),)
