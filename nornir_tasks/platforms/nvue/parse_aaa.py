"""NVUE data of TACACS+ and RADIUS: ``system.aaa``, and who is asked in which order."""

from nornir_tasks.design.config.aaa import Radius, Tacacs
from nornir_tasks.platforms.nvue.capabilities import Spelling
from nornir_tasks.platforms.nvue.reading import Data, entries, look, take

_AAA = ("system", "aaa")
_DEFAULT = "default"


def parse_tacacs(data: Data, spelling: Spelling) -> Tacacs | None:
    """TACACS+, if the data says all that the model has of it and nothing else; else it is left."""
    found = _servers(data, spelling, "tacacs")
    if found is None:
        return None
    settings = Tacacs(*found)
    return settings if _taken(data, spelling, "tacacs", _data(settings)) else None


def parse_radius(data: Data, spelling: Spelling) -> Radius | None:
    """RADIUS, likewise."""
    found = _servers(data, spelling, "radius")
    timeout_s = look(data, *_AAA, "radius", "timeout")
    if found is None or not isinstance(timeout_s, int | None):
        return None
    settings = Radius(*found, timeout_s)
    wanted = _data(settings) | ({} if timeout_s is None else {"timeout": timeout_s})
    return settings if _taken(data, spelling, "radius", wanted) else None


def _servers(data: Data, spelling: Spelling, kind: str) -> tuple[tuple[str, ...], str | None, str] | None:
    """Addresses in the order in which they are asked, VRF and key; None: none, or asked otherwise."""
    servers = entries(data, *_AAA, kind, "server")
    keys = {str(server.get("secret")) for _, server in servers}
    order, vrf = order_of(spelling, kind), look(data, *_AAA, kind, "vrf")
    if len(keys) != 1 or not isinstance(vrf, str) or look(data, *_AAA, *order[0]) != order[1]:
        return None
    by_priority = sorted(servers, key=lambda each: str(each[1].get("priority")))
    return tuple(each for each, _ in by_priority), None if vrf == _DEFAULT else vrf, keys.pop()


def _taken(data: Data, spelling: Spelling, kind: str, wanted: Data) -> bool:
    """Take servers and order out of the data, if they are these and no more."""
    if look(data, *_AAA, kind) != wanted:
        return False
    take(data, *_AAA, kind)
    take(data, *_AAA, *order_of(spelling, kind)[0])
    return True


def order_of(spelling: Spelling, kind: str) -> tuple[tuple[str, ...], object]:
    """Where the order stands, and ours: servers before local accounts."""
    if spelling.ntp == "service":
        return ("authentication-order",), {"1": {kind: {}}, "2": {"local": {}}}
    return ("authentication", "order"), [kind, "local"]


def _data(settings: Tacacs | Radius) -> Data:
    """The data of these servers, in the order in which they are asked."""
    servers = {each: {"priority": n, "secret": settings.key} for n, each in enumerate(settings.servers, start=1)}
    return {"server": servers, "vrf": settings.vrf or _DEFAULT}
