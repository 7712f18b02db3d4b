"""NVUE data of base configuration: the name of the switch, ``ntp`` and ``syslog``.

The model has servers by address. One that goes by a name is left, as with the other systems.
"""

from ipaddress import ip_address

from nornir_tasks.design.config.base import Base, ManagementPort, Server
from nornir_tasks.platforms.nvue.capabilities import Spelling
from nornir_tasks.platforms.nvue.parse_aaa import parse_radius, parse_tacacs
from nornir_tasks.platforms.nvue.parse_accounts import parse_accounts
from nornir_tasks.platforms.nvue.parse_reach import reach
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take, take_empty, take_text

MANAGEMENT_VRF = "mgmt"
_DEFAULT = "default"


def parse_base(data: Data, spelling: Spelling) -> Base:
    """What the switch is called, where it has its time from and sends its log, and its accounts."""
    return Base(
        hostname=take_text(data, "system", "hostname"),
        banner=take_text(data, "system", "message", "pre-login"),
        timezone=_timezone(data, spelling),
        management=_management(data, spelling),
        name_servers=_names_by_vrf(data) if spelling.ntp == "service" else _names(data),
        domain=take_text(data, "system", "dns", "domain"),
        time_servers=_time_by_vrf(data) if spelling.ntp == "service" else _time(data),
        log_servers=_log(data),
        accounts=parse_accounts(data),
        tacacs=parse_tacacs(data, spelling),
        radius=parse_radius(data, spelling),
        reach=reach(data),
    )


def _timezone(data: Data, spelling: Spelling) -> str | None:
    above = () if spelling.ntp == "service" else ("date-time",)
    found = take_text(data, "system", *above, "timezone")
    return "UTC" if found == "Etc/UTC" else found


def _management(data: Data, spelling: Spelling) -> ManagementPort | None:
    """Port, VRF and default route; a part of them alone is not in the model."""
    port = ("interface", "eth0")
    at = (*port, spelling.address)
    addresses, gateways = entries(data, *at, "address"), entries(data, *at, "gateway")
    vrf = look(data, *port, *spelling.vrf)
    if vrf != MANAGEMENT_VRF or len(addresses) != 1 or len(gateways) != 1:
        return None
    (address, of_address), (gateway, of_gateway) = addresses[0], gateways[0]
    if of_address or of_gateway:
        return None
    for path in ((*at, "address", address), (*at, "gateway", gateway), (*port, *spelling.vrf)):
        take(data, *path)
    return ManagementPort(vrf, address, gateway)


def _time_by_vrf(data: Data) -> tuple[Server, ...]:
    found = []
    for vrf, _ in entries(data, "service", "ntp"):
        at = ("service", "ntp", vrf, "server")
        found += [Server(each, _named(vrf)) for each, _ in _by_address(data, *at) if take_empty(data, *at, each)]
    return tuple(found)


def _time(data: Data) -> tuple[Server, ...]:
    """A VRF without a server is not in the model, nor are servers that the VRF is not said of."""
    servers, at = _by_address(data, "system", "ntp", "server"), ("system", "ntp", "vrf")
    vrf = take_text(data, *at) if servers else None
    if vrf is None:
        return ()
    names = (each for each, _ in servers if take_empty(data, "system", "ntp", "server", each))
    return tuple(Server(each, _named(vrf)) for each in names)


def _names_by_vrf(data: Data) -> tuple[Server, ...]:
    return tuple(
        Server(each, _named(vrf))
        for vrf, _ in entries(data, "service", "dns")
        for each, _ in _by_address(data, "service", "dns", vrf, "server")
        if take_empty(data, "service", "dns", vrf, "server", each)
    )


def _names(data: Data) -> tuple[Server, ...]:
    return _with_vrf(data, "system", "dns", "server")


def _log(data: Data) -> tuple[Server, ...]:
    return _with_vrf(data, "system", "syslog", "server")


def _with_vrf(data: Data, *at: str) -> tuple[Server, ...]:
    """Servers that say the VRF they are reached in, and nothing else."""
    found = []
    for address, settings in _by_address(data, *at):
        if settings.keys() == {"vrf"} and (vrf := take_text(data, *at, address, "vrf")) is not None:
            found.append(Server(address, _named(vrf)))
    return tuple(found)


def _by_address(data: Data, *at: str) -> list[tuple[str, Data]]:
    """The servers of a collection that go by their address."""
    return [(name, settings) for name, settings in entries(data, *at) if _is_address(name)]


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _named(vrf: str) -> str | None:
    return None if vrf == _DEFAULT else vrf
