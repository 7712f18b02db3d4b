"""The unused ports of a switch: split cages, and ports kept shut. They belong to the switch.

A cage is split as the layout for ``hosts.max`` uses it, from the first day: growth never splits a cage in use.
"""

from collections.abc import Collection
from functools import lru_cache

from nornir_tasks.design.config.interfaces import Breakout
from nornir_tasks.design.layout.port_allocation import all_slots
from nornir_tasks.design.model.catalogue import Slot
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.design.model.partial_config import PartialConfig, PartialPort


def partial_config(network: Network, device: Device, wanted: Collection[str]) -> PartialConfig:
    """Splits and shut ports of one switch; ``wanted`` are the ports that some owner uses."""
    splits = _breakouts(device.slots) if device.capabilities.has_breakout else ()
    unused = PartialPort(enabled=False)
    return PartialConfig(
        breakouts={each.port: each for each in splits},
        ports={name: unused for name in spare_ports(network, device) if name not in wanted},
    )


def spare_ports(network: Network, device: Device) -> tuple[str, ...]:
    """Names of the ports without a cable, if the intent wants them shut; each part of a split cage separately.

    Parts of a cage that this project splits always belong to it: they did not exist before.
    """
    model = network.models.get(device.model)
    if model is None:
        return ()
    shut = network.fabric_of(device).shuts_unused
    splits = device.capabilities.has_breakout
    used = {
        (end.slot.number, end.slot.leg)
        for link in network.links_of(device.name)
        if (end := link.end(device.name)).slot is not None
    }
    name = network.facts[device.os].port_name
    return tuple(
        name(slot.number, slot.leg, slot.ways, slot.lanes)
        for slot in all_slots(model, device.slots)
        if (slot.number, slot.leg) not in used and (shut or (splits and slot.ways > 1))
    )


@lru_cache(maxsize=64)
def _breakouts(planned: tuple[Slot, ...]) -> tuple[Breakout, ...]:
    split = {slot.number: slot for slot in planned if slot.ways > 1}
    return tuple(Breakout(number, slot.ways, slot.speed_gbps, slot.lanes) for number, slot in sorted(split.items()))
