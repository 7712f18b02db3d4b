"""Filter ``boundary_relay_problems``: all that keeps a host from being a relay, at once, before anything is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any


def boundary_relay_problems(
    wanted: Mapping[str, Any], addresses: Sequence[Mapping[str, Any]], routes: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`.

    ``wanted``: port, addresses, gateways, clients, shared (the addresses that both relays share), came (SSH_CONNECTION
    of Ansible's own login, empty where it comes in otherwise). ``addresses``, ``routes``: of the host, as
    ``ip -json address`` and ``ip -json route show default`` print them.
    """
    return [
        *_of_port(wanted, addresses),
        *_of_routes(wanted, routes),
        *_of_clients(wanted["clients"]),
        *_shut_out(wanted["shared"], wanted["came"]),
    ]


def _of_port(wanted: Mapping[str, Any], addresses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    port = wanted["port"]
    found = next((each for each in addresses if each.get("ifname") == port), None)
    if found is None:
        yield (
            f"boundary_relay_port: no interface {port} on this host; compare with `ip link`, "
            "correct boundary.relays.port in fabric.yml"
        )
        return
    there = {f"{each.get('local')}/{each.get('prefixlen')}" for each in found.get("addr_info", ())}
    for each in wanted["addresses"]:
        if each not in there:
            has = ", ".join(sorted(there)) or "none"
            yield f"boundary_relay_address: {port} has not the address {each}, but {has}; give it to that first"


def _of_routes(wanted: Mapping[str, Any], routes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for gateway in wanted["gateways"]:
        own = [each for each in routes if (":" in str(each.get("gateway"))) == (":" in gateway)]
        if not any((each.get("gateway"), each.get("dev")) == (gateway, wanted["port"]) for each in own):
            has = ", ".join(f"{each.get('gateway')} by {each.get('dev')}" for each in own) or "none"
            yield (
                f"boundary_relay_gateway: the default route is not {gateway} by {wanted['port']}, but {has}; "
                "without it no server outside is asked; set it first"
            )


def _of_clients(clients: Sequence[str]) -> Iterator[str]:
    for each in clients:
        if ip_network(each).prefixlen == 0:
            yield f"boundary_relay_clients: {each} is everybody; correct boundary.relays.clients in fabric.yml"


def _shut_out(shared: Sequence[str], came: str) -> Iterator[str]:
    parts = came.split()
    if len(parts) != 4:
        return
    here = ip_address(parts[2].partition("%")[0])
    if here in [ip_interface(each).ip for each in shared]:
        wrong = f"Ansible comes in by {here}, which the other relay may have next"
        yield f"boundary_relay_proxy: {wrong}; set ansible_host to the host's own"


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"boundary_relay_problems": boundary_relay_problems}
