"""Redundant gateways of NVUE data parsed: what an SVI has of one, and the switch that turns on all of them."""

from nornir_tasks.design.config.gateway import Gateway
from nornir_tasks.design.model.order import prefix_key
from nornir_tasks.platforms.nvue.capabilities import Spelling
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take, take_empty

_SWITCH = ("router", "vrr")


def has_gateways(data: Data, spelling: Spelling) -> bool:
    """Are gateways on at all? Where they are not, none is there, and what SVIs have of them is not understood."""
    is_on: bool = look(data, *_SWITCH, spelling.switch) == spelling.on
    return is_on


def take_switch(data: Data, spelling: Spelling) -> None:
    """Take what turns gateways on, once an SVI has one."""
    take(data, *_SWITCH, spelling.switch)


def take_gateway(port: Data, spelling: Spelling, own: str | None, own_v6: str | None) -> Gateway | None:
    """The gateway of an SVI with these addresses of its own. What is not whole, or has another length, stays."""
    addresses: dict[str, str] = {}
    mac_address: str | None = None
    for tree in dict.fromkeys((spelling.address, spelling.ipv6)):  # until 5.14 one has both families
        at = (tree, "vrr")
        mac, listed = look(port, *at, "mac-address"), [key for key, below in entries(port, *at, "address") if not below]
        found = {key: _like(address, listed) for key, address in (("address", own), ("ipv6_address", own_v6))}
        here = {key: address for key, address in found.items() if address is not None and key not in addresses}
        is_up = look(port, *at, spelling.gateway_up, "up") == {} and look(port, *at, spelling.switch) == spelling.on
        if not here or not is_up or not isinstance(mac, str) or mac_address not in (None, mac):
            continue
        for address in here.values():
            take_empty(port, *at, "address", address)
        take_empty(port, *at, spelling.gateway_up, "up")
        take(port, *at, spelling.switch)
        mac_address = take(port, *at, "mac-address")
        addresses |= {key: address.partition("/")[0] for key, address in here.items()}
    if not addresses:
        return None
    return Gateway(addresses.get("address"), addresses.get("ipv6_address"), mac_address)


def _like(own: str | None, listed: list[str]) -> str | None:
    """The lowest of these prefixes that is of the family and length of a port's own address."""
    if own is None:
        return None
    ending = f"/{own.partition('/')[2]}"
    alike = [each for each in listed if (":" in each) == (":" in own) and each.endswith(ending)]
    return min(alike, key=prefix_key, default=None)
