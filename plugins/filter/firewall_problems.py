"""Filter ``firewall_problems``: all that keeps a host from being a firewall, at once, before anything is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

EVERYWHERE = ("0.0.0.0/0", "::/0")
INTENT = "boundary.firewalls.management in fabric.yml"


LEAST_CONFIRM_S = 10
"""A new SSH connection and the tasks around it take a few seconds."""


def firewall_problems(
    zones: Sequence[Mapping[str, Any]],
    management: Mapping[str, Any],
    sync: Mapping[str, Any],
    host: Mapping[str, Any],
    ssh_port: int,
    confirm_within_s: int,
) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`.

    ``host``: ``addresses`` and ``routes``, as ``ip -json address`` and ``ip -json route show default`` of both families
    print them, and ``came``: SSH_CONNECTION of Ansible's own login, empty where it comes in otherwise.
    """
    there = {each["ifname"]: {_written(one) for one in each.get("addr_info", ())} for each in host["addresses"] if each}
    wanted = [(f"firewall_zones {zone['name']}", zone["port"], _own(zone)) for zone in zones]
    wanted.append(("firewall_sync", sync["port"], [sync["address"]]))
    wanted.append(("firewall_management", management["port"], []))
    found = [problem for where, port, own in wanted for problem in _of_port(where, port, own, there)]
    found += _second_ways(zones, host["routes"])
    found += _locked_out(management, host["came"], ssh_port, there)
    if confirm_within_s < LEAST_CONFIRM_S:
        found.append(
            f"firewall_confirm_within_s: {confirm_within_s}, so that rules which shut everybody out would stay, or be "
            f"taken back before Ansible could confirm them; {LEAST_CONFIRM_S} or more"
        )
    return found


def _second_ways(zones: Sequence[Mapping[str, Any]], routes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A default route that is not keepalived's: it wins, or it is there while the addresses are elsewhere."""
    ours = {(route["via"], zone["port"]) for zone in zones for route in zone["routes"] if route["to"] in EVERYWHERE}
    for each in routes:
        via, port = each.get("gateway", ""), each.get("dev", "")
        if (via, port) not in ours:
            way = f"via {via} by {port}" if via else f"by {port}"
            yield (
                f"firewall_zones: the host has a default route of its own {way}, beside the one that moves with the "
                f"addresses; take it out of the interface's configuration, and reach who is behind {port} by routes to "
                f"their prefixes"
            )


def _own(zone: Mapping[str, Any]) -> list[str]:
    return [zone[key] for key in ("address", "address_v6") if zone.get(key)]


def _written(one: Mapping[str, Any]) -> str:
    return f"{one.get('local')}/{one.get('prefixlen')}"


def _of_port(where: str, port: str, own: Sequence[str], there: Mapping[str, set[str]]) -> Iterator[str]:
    if port not in there:
        yield f"{where}: no interface {port} on this host; compare with `ip link`, correct the port in fabric.yml"
        return
    for each in own:
        if each not in there[port]:
            has = ", ".join(sorted(there[port])) or "none"
            yield f"{where}: {port} has not the address {each}, but {has}; give it to the interface first"


def _locked_out(
    management: Mapping[str, Any], came: str, ssh_port: int, there: Mapping[str, set[str]]
) -> Iterator[str]:
    parts = came.split()
    if len(parts) != 4:
        return
    client, port = ip_address(parts[0].partition("%")[0]), int(parts[3])
    clients = [*management["clients"], *management["clients_v6"]]
    if not any(client in ip_network(each) for each in clients):
        yield (
            f"firewall_management.clients: Ansible comes from {client}, which is in none of {', '.join(clients)}, "
            f"and would shut itself out; correct {INTENT}"
        )
    here = parts[2].partition("%")[0]
    by = [name for name, own in there.items() if here in {each.partition("/")[0] for each in own}]
    if by and management["port"] not in by:
        yield (
            f"firewall_management.port: Ansible comes in by {here} of {by[0]}, not by {management['port']}, and would "
            f"shut itself out; set ansible_host to an address there, or correct {INTENT}"
        )
    if port != ssh_port:
        yield f"firewall_ssh_port: Ansible comes in by port {port}, not {ssh_port}, and would shut itself out"


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"firewall_problems": firewall_problems}
