"""Rules of single parts of the boundary."""

from collections.abc import Iterator

from nornir_tasks.intent.core.findings import Finding
from nornir_tasks.intent.keys.boundary import BoundaryServiceIntent, HealthIntent
from nornir_tasks.intent.keys.boundary_relay import RelayProxyIntent, RelaysIntent


def service(each: BoundaryServiceIntent) -> Iterator[Finding]:
    """A service without a port is none."""
    if not each.tcp and not each.udp and not each.ping:
        yield Finding((), "a service without ports", "tcp: 443, udp: 53, ping: true, or several of them")


def health(each: HealthIntent) -> Iterator[Finding]:
    """Only HTTP knows paths, and needs one."""
    if each.check == "http" and each.path is None:
        yield Finding(("check",), "no path to ask for", "path: /healthz beside it, or check: tcp", each.check)
    if each.check == "tcp" and each.path is not None:
        yield Finding(("path",), "a path of a check that asks for none", "check: http, or no path", each.path)


def proxy(each: RelayProxyIntent) -> Iterator[Finding]:
    """Nothing is said twice, and a port is either for tunnels or for plain HTTP."""
    for number, name in enumerate(each.destinations):
        others = (*each.destinations[:number], *(one for one in each.destinations[number + 1 :] if one != name))
        covering = next((one for one in others if name == one or _is_below(name, one)), None)
        if covering is not None:
            yield Finding(("destinations", number), f"in {covering} already", "each name once", name)
    if not each.ports and not each.plain_ports:
        yield Finding(("ports",), "a proxy to no port", "ports: 443")
    for first, last in each.plain_ports:
        if any(first <= end and start <= last for start, end in each.ports):
            what, found = "ports of tunnels as well", str(first) if first == last else f"{first}-{last}"
            yield Finding(("plain_ports",), what, "ports that tunnels are not opened to", found)


def _is_below(name: str, suffix: str) -> bool:
    return suffix.startswith(".") and (name.endswith(suffix) or name == suffix[1:])


def relays(each: RelaysIntent) -> Iterator[Finding]:
    """Relays do something."""
    if each.dns is None and each.ntp is None and each.proxy is None:
        yield Finding((), "relays of nothing", "dns: {...}, ntp: {...}, proxy: {...}, or several of them")
