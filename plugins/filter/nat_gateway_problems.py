"""Filter ``nat_gateway_problems``: all that keeps a host from translating and writing it down, before a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, ip_address
from itertools import combinations
from typing import Any

LEAST_FILES = 3
"""The one that is written, a full one, and one that is kept."""
SHARE_OF_FREE = 0.8


def nat_gateway_problems(
    translations: Sequence[Mapping[str, Any]],
    port: str,
    shared: str | None,
    links: Sequence[Mapping[str, Any]],
    log: Mapping[str, Any],
) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`.

    ``links``: of the host, as ``ip -json link`` prints them. ``log``: megabytes, file_megabytes, syslog, and the
    free_megabytes and used_megabytes of where it goes.
    """
    return [*_of_port(translations, port, shared, links), *_of_pools(translations), *_of_log(log)]


def _of_port(
    translations: Sequence[Mapping[str, Any]], port: str, shared: str | None, links: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    if port not in {each.get("ifname") for each in links}:
        remedy = "compare with `ip link`, correct the port in fabric.yml"
        yield f"nat_gateway_port: no interface {port} on this host; {remedy}"
    if translations and not shared:
        yield "nat_gateway_shared: nothing, but there are pools of IPv4; give the zone outside a link in fabric.yml"


def _of_pools(translations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    pools: dict[str, set[tuple[IPv4Address, IPv4Address]]] = {}
    for each in translations:
        first, last = (IPv4Address(each[key]) for key in ("first", "last"))
        if first > last:
            yield f"nat_gateway_translations {each['name']}: from {first} to {last}; the lower address comes first"
        pools.setdefault(each["name"], set()).add((first, last))
        for source in each["sources"]:
            network = IPv4Network(source)
            if any(int(network[0]) <= int(end) <= int(network[-1]) for end in (first, last)):
                where = f"nat_gateway_translations {each['name']}"
                yield f"{where}: its pool is among its sources {source}; give it addresses of the outside"
    for (one, its), (other, others) in combinations(pools.items(), 2):
        if any(low <= to and start <= high for low, high in its for start, to in others):
            yield f"nat_gateway_translations {one} and {other}: their pools overlap; give each addresses of its own"


def _of_log(log: Mapping[str, Any]) -> Iterator[str]:
    size, most = log["file_megabytes"], log["megabytes"]
    if size < 1 or most < size * LEAST_FILES:
        yield (
            f"nat_gateway_log_megabytes: {most} for files of {size} MB; room for {LEAST_FILES} files of 1 MB or more, "
            f"as the oldest one makes room"
        )
    room = int((log["free_megabytes"] + log["used_megabytes"]) * SHARE_OF_FREE)
    if most > room:
        yield (
            f"nat_gateway_log_megabytes: {most} are more than {room}, 80 % of what /var/log has for them; choose less, "
            f"or a larger disk"
        )
    for each in log["syslog"]:
        if not _is_place(each):
            yield f"nat_gateway_syslog: {each} is neither a socket as /dev/log nor ADDRESS:PORT; correct it"


def _is_place(text: str) -> bool:
    if text.startswith("/"):
        return True
    host, _, port = text.rpartition(":")
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return port.isdigit() and 0 < int(port) < 1 << 16


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"nat_gateway_problems": nat_gateway_problems}
