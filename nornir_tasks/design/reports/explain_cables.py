"""The headroom of lossless cables, for ``nornir design --explain``: each figure with its inputs, rule and source."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from nornir_tasks.design.capacity.lossless_cables import BufferUse, buffer_use
from nornir_tasks.design.model.headroom import PortCable, configured_m
from nornir_tasks.design.model.network import Device, Network


class CableFigure(NamedTuple):
    """One figure of a switch; ``inputs``: what it comes from."""

    name: str
    value: int | str
    rule: str
    inputs: Mapping[str, int | float | str | None]


def headroom_figures(network: Network, device: Device) -> Iterator[CableFigure]:
    """Of each kind of lossless port of a switch, and of all of them; nothing where it has none of a known length."""
    use, known = buffer_use(network, device), device.capabilities.cables
    if not use.ports:
        return
    length = configured_m(use.ports, known)
    if use.each_bytes is None:
        rule = f"nothing is configured up to {known.own_m} m: {known.own_source}"
        longest = max(port.cable_m for port in use.ports)
        yield CableFigure("headroom", "the system's own", rule, {"longest_cable_m": longest})
        return
    for port in sorted(use.ports, key=lambda each: (each.speed_gbps, each.cable_m)):
        yield _of_port(device, use, port, length)
    model = network.models.get(device.model)
    inputs = {"ports": sum(use.ports.values()), "holds_bytes": model.buffer_bytes if model else None}
    rule = "ports of hosts.max x what each takes; the packet buffer must hold it"
    yield CableFigure("headroom of all lossless ports", use.total_bytes or 0, rule, inputs)


def _of_port(device: Device, use: BufferUse, port: PortCable, length_m: int | None) -> CableFigure:
    known = device.capabilities.cables
    name = f"headroom of {port.speed_gbps}G over {port.cable_m} m"
    inputs: dict[str, int | float | str | None] = {"speed_gbps": port.speed_gbps, "cable_m": port.cable_m}
    inputs |= {"mtu_bytes": port.mtu_bytes, "lossless_mtu_bytes": port.lossless_mtu_bytes, "lanes": port.lanes}
    if length_m is not None:
        rule = f"calculated by the switch for its longest lossless cable, {length_m} m"
    else:
        rule = "bytes for the longest lossless cable, the same on every port"
    source = known.source.source if known.source is not None else known.own_source
    value = use.each_bytes[port] if use.each_bytes is not None else 0
    return CableFigure(name, value, f"{rule}: {source}", inputs)
