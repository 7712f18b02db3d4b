"""Filters that say all that keeps a host from being a load balancer, at once, before anything is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address
from typing import Any

INTENT = "boundary.balancers in fabric.yml"


def load_balancer_problems(
    published: Sequence[Mapping[str, Any]],
    own: Mapping[str, Any],
    addresses: Sequence[Mapping[str, Any]],
    routes: Sequence[Mapping[str, Any]],
    came: str,
) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`.

    ``own``: the host's ``port``, its ``addresses`` there and its ``gateways``. ``addresses``, ``routes``: of the host,
    as ``ip -json address`` and ``ip -json route show default`` print them. ``came``: SSH_CONNECTION of Ansible's own
    login, empty where it comes in otherwise.
    """
    return [*_of_port(own, addresses), *_of_routes(own, routes), *_shut_out(published, came)]


def _of_port(own: Mapping[str, Any], addresses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    port = own["port"]
    there = {each["ifname"]: each.get("addr_info", ()) for each in addresses if each}
    if port not in there:
        yield f"load_balancer_port: no interface {port} on this host; compare with `ip link`, correct {INTENT}"
        return
    has = [f"{one.get('local')}/{one.get('prefixlen')}" for one in there[port]]
    for each in own["addresses"]:
        if each not in has:
            shown = ", ".join(sorted(has)) or "none"
            wrong = f"{port} has not the address {each}, but {shown}"
            yield f"load_balancer_address: {wrong}; give it to the interface first"


def _of_routes(own: Mapping[str, Any], routes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Clients are anywhere, so answers to them leave by the default route, and so does what goes to servers."""
    for gateway in own["gateways"]:
        version = ip_address(gateway).version
        found = [each for each in routes if "gateway" in each and ip_address(each["gateway"]).version == version]
        best = min(found, key=lambda each: each.get("metric", 0), default=None)
        if best is None or (best["gateway"], best.get("dev")) != (gateway, own["port"]):
            now = f"by {best['gateway']} on {best.get('dev')}" if best else "missing"
            wanted = f"the default route of IPv{version} is {now}, not by {gateway} on {own['port']}"
            yield f"load_balancer_gateway: {wanted}; answers would not go by the firewalls. Set it first"


def _shut_out(published: Sequence[Mapping[str, Any]], came: str) -> Iterator[str]:
    parts = came.split()
    if len(parts) != 4:
        return
    here, ssh_port = ip_address(parts[2].partition("%")[0]), int(parts[3])
    for each in published:
        where = f"load_balancer_published {each['name']}"
        if here in map(ip_address, each["addresses"]):
            wrong = f"Ansible comes in by {here}, which the other balancer may have next"
            yield f"{where}: {wrong}; set ansible_host to its own"
        for ports in (*each["ports"], *each["tls_ports"]):
            first, _, last = ports.partition("-")
            if int(first) <= ssh_port <= int(last or first):
                yield f"{where}: port {ssh_port} is that of sshd; give the service or sshd another one"


def load_balancer_deaf(published: Sequence[Mapping[str, Any]], state: str, before: str = "") -> list[str]:
    """Where no process listens that should, by the numbers of HAProxy's workers and what ``ss -Hltn`` prints.

    ``before``: the same of before a reload. Without a new worker since then the reload failed, and nothing is as it
    should be.
    """
    there = set()
    for line in state.splitlines():
        if len(line.split()) > 1:
            address, _, port = line.split()[3].rpartition(":")
            if address not in ("*", "0.0.0.0", "[::]"):  # noqa: S104 - read, not listened at
                there.add((ip_address(address.strip("[]").partition("%")[0]), port))
    if before and not _workers(state) - _workers(before):
        there.clear()
    wanted = [
        (ip_address(address), ports.partition("-")[0])
        for each in published
        for address in each["addresses"]
        for ports in (*each["ports"], *each["tls_ports"])
    ]
    return [f"{address} port {port}" for address, port in wanted if (address, port) not in there]


def _workers(state: str) -> set[str]:
    return {line.strip() for line in state.splitlines() if line.strip().isdigit()}


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"load_balancer_problems": load_balancer_problems, "load_balancer_deaf": load_balancer_deaf}
