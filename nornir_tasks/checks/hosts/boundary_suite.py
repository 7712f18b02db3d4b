"""The checks of hosts of the boundary, in the order they are reported, and the facts they need."""

from collections.abc import Mapping
from typing import Any

from nornir_tasks.checks.hosts import bastion, boundary, vrrp
from nornir_tasks.checks.hosts import certificates as host_certificates
from nornir_tasks.checks.hosts.boundary_parts import (
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
from nornir_tasks.checks.hosts.host_evidence import HostCheck, Request

CHECKS = (
    HostCheck(boundary.check_boundary_files, boundary.FILES),
    HostCheck(boundary.check_boundary_rules, boundary.RULES),
    HostCheck(boundary.check_boundary_services, boundary.SERVICES),
    HostCheck(boundary.check_boundary_kernel, boundary.KERNEL),
    HostCheck(vrrp.check_boundary_addresses, vrrp.ADDRESSES),
    HostCheck(vrrp.check_vrrp, vrrp.VRRP),
    HostCheck(vrrp.check_conntrack, vrrp.CONNTRACK),
    HostCheck(host_certificates.check_host_certificates, host_certificates.ABOUT),
    HostCheck(bastion.check_bastion, bastion.ABOUT),
    HostCheck(boundary.check_boundary_logs, boundary.LOGS),
)


def is_of_boundary(variables: Mapping[str, Any]) -> bool:
    """Is it a host of the boundary?"""
    return bool(parts(variables))


def roles(variables: Mapping[str, Any]) -> tuple[str, ...]:
    """The roles whose variables are judged on a host."""
    return (*(part.role for part in parts(variables)), "host_validate")


def requests(variables: Mapping[str, Any]) -> tuple[Request, ...]:
    """The one fact to read, with all that it should look at."""
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
        "sshd": list(bastion.accounts(variables)),
        "logs": [path for part in parts(variables) for path in part.logs],
        "units": list(units(variables)),
        "settings": [*dict.fromkeys((*settings(variables), *vrrp.READ_SETTINGS))],
        "conntrackd": CONNTRACKD if "firewall_sync" in variables else "",
    }
    return (Request(FACT, "gpufabric.host.boundary_facts", arguments),)
