"""BMCs and management ports: what joins others to the out-of-band plane, and what of it no line of a switch says."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from nornir_tasks.design.config.interfaces import Interface
from nornir_tasks.design.model.device_config import DeviceConfig
from nornir_tasks.design.model.links import Link
from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.rules.oob_devices import BMC


def bmcs(network: Network) -> dict[str, list[Link]]:
    """Host -> the cables of its ports on the out-of-band plane: ``gpu-bmc-3`` is of ``gpu-3``."""
    found: dict[str, list[Link]] = {}
    groups = {host.rpartition("-")[0] for host in network.hosts}
    for each in network.attached:
        group, _, number = each.host.rpartition("-")
        owner = group.rpartition("-")[0]
        if owner in groups and each.host not in network:
            found.setdefault(f"{owner}-{number}", []).append(each.link)
    return found


def bridges(network: Network, shared: Mapping[str, str]) -> Iterator[tuple[str, Link, Link]]:
    """(host, cable of its BMC, cable of the port that this shares). ``shared``: host -> plane of that port."""
    at = bmcs(network) if shared else {}
    for host, plane in shared.items():
        own = [each.link for each in network.circuits_of(host) if each.owner == plane]
        for cable in at.get(host, ()) if own else ():
            if cable.lower.port == BMC:  # a DPU has a port there of its own
                yield host, cable, own[0]


def with_management_ports(network: Network, configs: Mapping[str, DeviceConfig]) -> dict[str, DeviceConfig]:
    """The configurations; management ports of base configuration are ports as others are, by the plan's names."""
    found = dict(configs)
    for each in network.attached:
        config = found.get(each.host)
        own = config.base.management if config is not None else None
        if config is not None and own is not None and all(port.name != each.port for port in config.interfaces):
            port = Interface(each.port, None, own.address, None, True, None, vrf=own.vrf)
            found[each.host] = replace(config, interfaces=(*config.interfaces, port))
    return found


def assumed(
    network: Network, configs: Mapping[str, DeviceConfig], shared: Collection[str], *, has_management: bool
) -> Iterator[str]:
    """What is taken for granted of BMCs and management ports, in words: no line of a switch says it.

    ``shared``: hosts whose BMC shares a port, which is judged.
    """
    there = bmcs(network)
    apart = {host.rpartition("-")[0] for host in there if host not in shared}
    for group in dict.fromkeys(host.rpartition("-")[0] for host in there):
        if group in apart:
            yield f"BMCs of {group}-* share no port with their hosts (NC-SI off)"
        yield f"BMCs of {group}-* forward nothing between their hosts (KCS, USB-LAN) and the out-of-band plane"
    ports = {each.host: each.port for each in network.attached if each.host in configs}
    unseen = [n for n, port in ports.items() if all(each.name != port for each in configs[n].interfaces)]
    if unseen and not has_management:
        count = f"{len(unseen)} switch{'es' * (len(unseen) != 1)}"
        yield f"management ports of {count} are in a VRF of their own: none of the lines judged says which"
