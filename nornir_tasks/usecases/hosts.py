"""The hosts of a site as Ansible sees them: groups, and variables from the same design as the switches'.

``plugins/inventory/gpufabric.py`` passes this to Ansible unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nornir_tasks.checks.hosts import bmc as host_bmc
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.collect_errors import Gathering
from nornir_tasks.design.demand.fabric_demand import Demand, demands
from nornir_tasks.design.hosts.bastion_vars import bastion_host_vars
from nornir_tasks.design.hosts.bond_needs import BondNeeds, bond_needs
from nornir_tasks.design.hosts.boundary_vars import firewall_host_vars
from nornir_tasks.design.hosts.gateway_vars import gateway_host_vars
from nornir_tasks.design.hosts.host_groups import PLANNED, playbook_group_of, playbook_groups
from nornir_tasks.design.hosts.host_needs import HostNeeds, check_copies, host_needs
from nornir_tasks.design.hosts.host_vars import bonded_host_vars, has_rails, host_vars, joins_gpus, rdma_host_vars
from nornir_tasks.design.hosts.load_balancer_vars import load_balancer_host_vars
from nornir_tasks.design.hosts.relay_vars import egress_client_host_vars, relay_host_vars
from nornir_tasks.design.model.catalogue import Catalogue
from nornir_tasks.design.model.network import Network
from nornir_tasks.errors import IntentError, LabError, Problem
from nornir_tasks.files.machines_file import LACKS, load_machines
from nornir_tasks.files.resources import shown
from nornir_tasks.files.site import INTENT
from nornir_tasks.intent.core.findings import Marks
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.intent.rules.oob_devices import BMC, bmc_group
from nornir_tasks.usecases.oob_inventory import declared_macs
from nornir_tasks.usecases.site import load

FIREWALLS = "firewalls"
"""Group of the boundary's pair, as playbooks address it; only of sites that have one."""
GATEWAYS = "nat_gateways"
"""The same of the pair that translates, where these are machines of their own."""
BALANCERS = "balancers"
"""The same of the pair that has the addresses of published services."""
BASTIONS = "bastions"
"""The same of the pair by which people reach the out-of-band plane."""
RELAYS = "relays"
"""The same of the pair that asks outside for hosts without an address there."""


@dataclass(frozen=True, slots=True)
class HostInventory:
    """What an Ansible inventory holds."""

    site: str
    groups: Mapping[str, tuple[str, ...]]
    """Group -> hosts in it, in the order of declared identity. Hosts are in the group that playbooks address them by
    (:mod:`nornir_tasks.design.hosts.host_groups`), through the child group with their name in the intent."""
    children: Mapping[str, tuple[str, ...]]
    """Group -> groups in it."""
    variables: Mapping[str, Mapping[str, Any]]
    """Host -> variables, as plain data."""


def named_site(name: str | None, file: Path) -> str | Path:
    """The site that an inventory file means: its folder, where it names none; the one beside it, if there is one."""
    if not name:
        return file.parent
    beside = file.resolve().parent / name
    return beside if (beside / INTENT).exists() else name


def inventory(site: str | Path, *, with_planned: bool = False) -> HostInventory:
    """Read and design a site; returns the variables of its hosts.

    Raises IntentError or DesignError with every problem, LabError when the site is a lab's and no machine is up.
    ``with_planned`` includes machines that are not up.
    """
    design = load(site)
    loaded, network, catalogue = design.site, design.network, design.catalogue
    macs = declared_macs(loaded, network)
    if loaded.intent.management.source != "lab":
        return host_inventory(loaded.intent, network, catalogue, macs=macs)
    machines = load_machines(loaded.state_directory)
    if not machines and not with_planned:
        hint = f"nornir lab up --hosts 1 --site {loaded.directory.name}"
        raise LabError(Problem(shown(loaded.directory / INTENT), "none of the lab's machines is up", hint=hint))
    return host_inventory(loaded.intent, network, catalogue, machines, with_planned=with_planned, macs=macs)


def host_inventory(
    intent: Intent,
    network: Network,
    catalogue: Catalogue,
    machines: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    with_planned: bool = False,
    macs: Mapping[str, str] | None = None,
) -> HostInventory:
    """The inventory of a network. With ``machines`` (a lab) only those are up, and their variables take precedence.

    ``macs``: device on the out-of-band plane -> its declared MAC address.
    """
    of_boundary = boundary_variables(intent, network)
    known_names = {*network.hosts, *(name for its in of_boundary.values() for name in its)}
    strangers = [name for name in machines or () if name not in known_names]
    if strangers:
        listed = ", ".join(network.hosts[:8])
        hint = "nornir lab down, then nornir lab up --hosts N"
        raise IntentError(
            Problem(name, "the lab has this machine, the design has not", f"hosts like {listed}", hint=hint)
            for name in strangers
        )
    up = tuple(host for host in network.hosts if machines is None or host in machines)
    planned = tuple(host for host in network.hosts if host not in set(up)) if with_planned else ()
    known = kinds()
    groups: dict[str, tuple[str, ...]] = dict.fromkeys(playbook_groups(known), ())
    children: dict[str, tuple[str, ...]] = {}
    variables: dict[str, Mapping[str, Any]] = {}
    on_planes = tuple(each for each in demands(intent, known.planes) if not each.is_of_machines)
    for group, into in playbook_group_of(on_planes, known, intent.marks).items():
        groups[group] = tuple(host for host in up if host.rpartition("-")[0] == group)
        if group != into:
            children[into] = (*children.get(into, ()), group)
    needs, bonds = _needs(on_planes, catalogue, intent.marks) if up or planned else ((), ())
    bmcs = _bmcs(intent, network, macs or {})
    clients = {host: each.ansible() for host, each in egress_client_host_vars(intent, network).items()}
    for host in (*up, *planned):
        made = {**_variables(network, needs, bonds, host), **bmcs.get(host, {}), **clients.get(host, {})}
        own = (machines or {}).get(host) or {}
        variables[host] = {**made, **{name: each for name, each in own.items() if name in made or name not in LACKS}}
    for group, its in of_boundary.items():
        there = {name: each for name, each in its.items() if machines is None or with_planned or name in machines}
        own = {name: (machines or {}).get(name) or {} for name in there}
        variables |= {name: {**variables.get(name, {}), **mine, **own[name]} for name, mine in there.items()}
        groups |= {group: tuple(there)} if there else {}
    return HostInventory(
        site=network.site,
        groups={**groups, PLANNED: planned},
        children=children,
        variables=variables,
    )


def boundary_variables(intent: Intent, network: Network) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Group of the boundary -> its hosts' variables."""
    return {
        FIREWALLS: {name: each.ansible() for name, each in firewall_host_vars(intent, network).items()},
        GATEWAYS: {name: each.ansible() for name, each in gateway_host_vars(intent, network).items()},
        BALANCERS: {name: each.ansible() for name, each in load_balancer_host_vars(intent, network).items()},
        BASTIONS: {name: each.ansible() for name, each in bastion_host_vars(intent, network).items()},
        RELAYS: {name: each.ansible() for name, each in relay_host_vars(intent, network).items()},
    }


def _needs(
    on_planes: tuple[Demand, ...], catalogue: Catalogue, marks: Marks
) -> tuple[tuple[HostNeeds, ...], tuple[BondNeeds, ...]]:
    """What rails and bonds need beyond the switches' input. Raises IntentError for all that is missing of either."""
    gathering = Gathering()
    gathering.attempt(lambda: check_copies(on_planes, marks))
    needs = gathering.attempt(lambda: host_needs(on_planes, catalogue, marks))
    bonds = gathering.attempt(lambda: bond_needs(on_planes, marks))
    gathering.refuse()
    return needs or (), bonds or ()


def _bmcs(intent: Intent, network: Network, macs: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Host -> what its BMC should have, for those that have one on the out-of-band plane."""
    ports = {each.host: each.link for each in network.attached}
    found = {}
    for host in network.hosts:
        group, _, number = host.rpartition("-")
        bmc = f"{bmc_group(group, BMC)}-{number}"
        for circuit in network.circuits_on(ports[bmc])[:1] if bmc in ports else ():
            port = "dedicated" if intent.hosts[group].bmc_shares is None else "shared"
            mac = {"mac": macs[bmc]} if bmc in macs else {}
            found[host] = {host_bmc.WANTED: {"address": circuit.lower_address, "port": port, **mac}}
    return found


def _variables(
    network: Network, needs: tuple[HostNeeds, ...], bonds: tuple[BondNeeds, ...], host: str
) -> dict[str, Any]:
    """Of one host: with rails that join GPUs, with others, either beside bonds or not, or with bonds alone."""
    if has_rails(network, needs, host):
        if joins_gpus(network, host):
            return host_vars(network, needs, host, bonds=bonds).ansible()
        return rdma_host_vars(network, needs, host, bonds=bonds).ansible()
    return bonded_host_vars(network, bonds, host, needs).ansible()
