"""NVUE data of TACACS+: ``system.aaa.tacacs``, and who is asked in which order."""

from nornir_tasks.design.config.aaa import Tacacs
from nornir_tasks.platforms.nvue.capabilities import Spelling
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take

_AAA = ("system", "aaa")
_DEFAULT = "default"


def parse_tacacs(data: Data, spelling: Spelling) -> Tacacs | None:
    """TACACS+, if the data says all that the model has of it and nothing else; else it is left."""
    servers = entries(data, *_AAA, "tacacs", "server")
    keys = {str(server.get("secret")) for _, server in servers}
    order, vrf = order_of(spelling), look(data, *_AAA, "tacacs", "vrf")
    if len(keys) != 1 or not isinstance(vrf, str) or look(data, *_AAA, *order[0]) != order[1]:
        return None
    settings = Tacacs(tuple(address for address, _ in servers), None if vrf == _DEFAULT else vrf, keys.pop())
    by_priority = sorted(servers, key=lambda each: str(each[1].get("priority")))
    if look(data, *_AAA, "tacacs") != tacacs_data(tuple(each for each, _ in by_priority), settings):
        return None
    take(data, *_AAA, "tacacs")
    take(data, *_AAA, *order[0])
    return settings


def order_of(spelling: Spelling) -> tuple[tuple[str, ...], object]:
    """Where the order stands, and ours: servers before local accounts."""
    if spelling.ntp == "service":
        return ("authentication-order",), {"1": {"tacacs": {}}, "2": {"local": {}}}
    return ("authentication", "order"), ["tacacs", "local"]


def tacacs_data(servers: tuple[str, ...], settings: Tacacs) -> Data:
    """The data of these servers, in the order in which they are asked."""
    entries_of = {each: {"priority": n, "secret": settings.key} for n, each in enumerate(servers, start=1)}
    return {"server": entries_of, "vrf": settings.vrf or _DEFAULT}
